#include "encodings/use/descriptor_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace vl::use {
namespace {

using map::Expression;
using Refusal = std::string;

// The words of the enumerations of cuda.h, in the order of their numbers.
constexpr std::array<std::string_view, 16> kTypeWords = {"u8",       "u16",  "u32",   "i32",  "u64",     "i64",
                                                         "f16",      "f32",  "f64",   "bf16", "f32_ftz", "tf32",
                                                         "tf32_ftz", "u4a8", "u4a16", "u6a16"};
constexpr std::array<std::string_view, 3> kInterleaveWords = {"none", "16B", "32B"};
constexpr std::array<std::string_view, 7> kSwizzleWords = {
    "none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"};
constexpr std::array<std::string_view, 2> kFillWords = {"zero", "nan"};

// What TVM calls types, as tensor maps do.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kTvmTypes = {{{"uint8", "u8"},
                                                                                      {"int8", "u8"},
                                                                                      {"uint16", "u16"},
                                                                                      {"int16", "u16"},
                                                                                      {"uint32", "u32"},
                                                                                      {"int32", "i32"},
                                                                                      {"uint64", "u64"},
                                                                                      {"int64", "i64"},
                                                                                      {"float16", "f16"},
                                                                                      {"bfloat16", "bf16"},
                                                                                      {"float32", "f32"},
                                                                                      {"float64", "f64"},
                                                                                      {"float8_e4m3fn", "u8"},
                                                                                      {"float8_e5m2", "u8"}}};

std::string_view trim_blanks(std::string_view text) {
  const std::string_view blanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// A field that is one of an enumeration's words, by its number. Null: it is none of these.
template <std::size_t N>
std::optional<DescriptorField> enumerated(const std::array<std::string_view, N>& words, std::optional<Index> number) {
  if (!number || *number < 0 || *number >= static_cast<Index>(N)) return std::nullopt;
  return word_field(std::string(words[static_cast<std::size_t>(*number)]));
}

// The number of "6 (CU_TENSOR_MAP_DATA_TYPE_FLOAT16)"; null for anything else than a number and a remark in brackets.
std::optional<Index> first_number(std::string_view text) {
  text = trim_blanks(text);
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  Index out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, hexadecimal ? 16 : 10);
  const std::string_view rest = trim_blanks({end, static_cast<std::size_t>(text.data() + text.size() - end)});
  return error == std::errc{} && (rest.empty() || rest.front() == '(') ? std::optional(out) : std::nullopt;
}

// The numbers of "(1024,1024,1)", "[64, 64]" or "64 64 "; null for anything else, such as an address.
std::optional<std::vector<Expression>> numbers_of(std::string_view text) {
  std::vector<Expression> out;
  text = trim_blanks(text);
  const bool open = !text.empty() && (text.front() == '(' || text.front() == '[');
  if (open) text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(", "), text.size());
    if (end > 0) {
      Index value = 0;
      const auto [stop, error] = std::from_chars(text.data(), text.data() + end, value);
      if (error != std::errc{} || stop != text.data() + end) return std::nullopt;
      out.emplace_back(value);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// The lines of a dump: what each library calls a field.
enum class Line { Address, Type, Rank, Base, Dim, Stride, StrideOnly, Box, Step, Interleave, Swizzle, Promotion, Fill };
constexpr std::array<std::pair<std::string_view, Line>, 25> kLines = {{{"TMA Desc Addr:", Line::Address},
                                                                       {"format ", Line::Type},
                                                                       {"cu_dtype:", Line::Type},
                                                                       {"dim ", Line::Rank},
                                                                       {"tensor rank:", Line::Rank},
                                                                       {"gmem_address ", Line::Base},
                                                                       {"globalDim ", Line::Dim},
                                                                       {"global prob shape:", Line::Dim},
                                                                       {"globalStrides ", Line::Stride},
                                                                       {"globalStridesRaw ", Line::Stride},
                                                                       {"cudaGlobalStrides ", Line::StrideOnly},
                                                                       {"global prob stride:", Line::StrideOnly},
                                                                       {"boxDim ", Line::Box},
                                                                       {"smem box shape:", Line::Box},
                                                                       {"elementStrides ", Line::Step},
                                                                       {"smem box stride:", Line::Step},
                                                                       {"interleave ", Line::Interleave},
                                                                       {"TMA Interleave:", Line::Interleave},
                                                                       {"swizzle ", Line::Swizzle},
                                                                       {"SMEM Swizzle:", Line::Swizzle},
                                                                       {"l2Promotion ", Line::Promotion},
                                                                       {"TMA L2Promotion:", Line::Promotion},
                                                                       {"oobFill ", Line::Fill},
                                                                       {"TMA OOBFill:", Line::Fill},
                                                                       {"smem_box_", Line::Promotion}}};

// The lines that follow one another, from a line on.
struct Dump {
  std::map<Line, std::string_view> said;
  std::size_t begin = 0, end = 0;
  bool im2col = false;
};

std::optional<std::pair<Line, std::string_view>> line_of(std::string_view line) {
  line = trim_blanks(line);
  for (const auto& [start, which] : kLines)
    if (line.starts_with(start)) return std::pair(which, line.substr(start.size()));
  return std::nullopt;
}

Dump dump_from(std::string_view text, std::size_t at) {
  Dump out;
  out.begin = out.end = at;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view whole = text.substr(at, end - at);
    if (whole.find("pixelBox") != std::string_view::npos || whole.find("smem_box_") != std::string_view::npos)
      out.im2col = true;
    else if (const auto line = line_of(whole); !line || !out.said.emplace(line->first, line->second).second) break;
    out.end = end;
    at = end + 1;
  }
  return out;
}

std::variant<Descriptor, Refusal> of_dump(const Dump& dump) {
  if (dump.im2col) return Refusal("an im2col tensor map, which is not read");
  const auto said = [&](Line line) {
    const auto found = dump.said.find(line);
    return found == dump.said.end() ? std::string_view() : found->second;
  };
  const auto rank = first_number(said(Line::Rank));
  if (!rank || *rank < 1 || *rank > 5) return Refusal("the dump has no rank of 1 to 5");
  const auto count = static_cast<std::size_t>(*rank);
  DescriptorFields fields;
  for (const auto& [name, line] : {std::pair("dim", Line::Dim), {"box", Line::Box}, {"step", Line::Step}}) {
    auto values = numbers_of(said(line));
    if (!values || values->size() < count)
      return Refusal(fmt::format("the dump has no {} numbers for '{}'", count, name));
    values->resize(count, Expression(0));
    fields[name] = numbers_field(std::move(*values));
  }
  const bool innermost = said(Line::StrideOnly).empty();
  auto strides = numbers_of(said(innermost ? Line::Stride : Line::StrideOnly));
  const Expression first = innermost && strides && !strides->empty() ? strides->front() : Expression(0);
  if (strides && innermost && !strides->empty()) strides->erase(strides->begin());
  if (!strides || strides->size() + 1 < count) return Refusal("the dump has too few strides");
  strides->resize(count - 1, Expression(0));
  fields["stride"] = numbers_field(std::move(*strides));
  const auto type = enumerated(kTypeWords, first_number(said(Line::Type)));
  const auto interleave = enumerated(kInterleaveWords, first_number(said(Line::Interleave)));
  const auto swizzle = enumerated(kSwizzleWords, first_number(said(Line::Swizzle)));
  const auto fill = enumerated(kFillWords, first_number(said(Line::Fill)));
  if (!type || !interleave || !swizzle || !fill)
    return Refusal("the dump has no format, interleave, swizzle or oobFill that cuda.h names");
  fields["type"] = *type, fields["interleave"] = *interleave, fields["swizzle"] = *swizzle, fields["fill"] = *fill;
  const auto address = [&](const char* name, Line line) {
    if (const auto value = first_number(said(line)); value && *value > 0) fields[name] = number_field(*value);
  };
  address("base", Line::Base), address("desc", Line::Address);
  auto made = descriptor_of("tensormap", std::move(fields));
  if (!made) return Refusal(made.error().message);
  const Index bits = *std::get<Expression>(made->fields.at("bits").values.front()).number();
  if (innermost && bits % 8 == 0 && first != Expression(bits / 8))
    return Refusal(fmt::format("the innermost stride is {}, and elements have {} bytes", map::print(first), bits / 8));
  return std::move(*made);
}

void add_dumps(std::string_view text, std::vector<SeenDescriptor>& out) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (!line_of(text.substr(at, end - at))) {
      at = end + 1;
      continue;
    }
    const Dump dump = dump_from(text, at);
    if (dump.said.contains(Line::Dim) && dump.said.contains(Line::Box))
      out.push_back({dump.begin, dump.end, of_dump(dump)});
    at = std::max(dump.end, end) + 1;
  }
}

// The arguments of a call, from after the first one on, to its closing bracket; null if it is not closed.
std::optional<std::vector<std::string_view>> arguments_after(std::string_view text, std::size_t at, std::size_t& end) {
  constexpr std::size_t kMostArguments = 40;
  Cursor in(text);
  in.move_to(at);
  std::vector<std::string_view> out;
  while (in.accept(",")) {
    if (in.peek() == ')') break;
    out.push_back(trim_blanks(in.expression("an argument")));
    if (in.failed() || out.size() > kMostArguments) return std::nullopt;
  }
  in.expect(")");
  end = in.offset();
  return in.failed() ? std::nullopt : std::optional(std::move(out));
}

std::variant<Descriptor, Refusal> of_call(const std::vector<std::string_view>& arguments) {
  if (arguments.size() < 4) return Refusal("a call with too few arguments");
  for (const std::string_view each : arguments)
    if (each.starts_with("*")) return Refusal(fmt::format("'{}' stands for several arguments", each));
  const auto rank = first_number(arguments[2]);
  if (!rank || *rank < 1 || *rank > 5) return Refusal(fmt::format("the rank is '{}'; expected 1 to 5", arguments[2]));
  const auto count = static_cast<std::size_t>(*rank);
  const std::size_t needed = 4 + 4 * count - 1 + 4;
  if (arguments.size() < needed) return Refusal("a call with too few arguments for its rank");
  if (arguments.size() > needed + 1) return Refusal("a call with too many arguments for its rank");
  std::string_view type = arguments[1];
  if (type.size() < 2 || type.front() != '"' || type.back() != '"')
    return Refusal(fmt::format("the type is '{}', which is no text", type));
  type = type.substr(1, type.size() - 2);
  const auto known = std::ranges::find(kTvmTypes, type, &std::pair<std::string_view, std::string_view>::first);
  if (known == kTvmTypes.end()) return Refusal(fmt::format("the type '{}' is not known", type));
  DescriptorFields fields{{"type", word_field(std::string(known->second))}};
  std::size_t next = 4;
  for (const auto& [name, size] : {std::pair("dim", count), {"stride", count - 1}, {"box", count}, {"step", count}}) {
    std::vector<Expression> values;
    for (std::size_t k = 0; k < size; ++k, ++next) {
      auto value = map::parse_expression(arguments[next]);
      if (!value) return Refusal(fmt::format("'{}' is not read: {}", arguments[next], value.error().message));
      values.push_back(std::move(*value));
    }
    fields[name] = numbers_field(std::move(values));
  }
  const auto interleave = enumerated(kInterleaveWords, first_number(arguments[next]));
  const auto swizzle = enumerated(kSwizzleWords, first_number(arguments[next + 1]));
  const auto fill = enumerated(kFillWords, first_number(arguments[next + 3]));
  if (!interleave || !swizzle || !fill)
    return Refusal(fmt::format("interleave {}, swizzle {} and fill {} are not all numbers that cuda.h names",
                               arguments[next], arguments[next + 1], arguments[next + 3]));
  fields["interleave"] = *interleave, fields["swizzle"] = *swizzle, fields["fill"] = *fill;
  auto made = descriptor_of("tensormap", fields);
  if (!made) return Refusal(made.error().message);
  if (arguments.size() == needed) return std::move(*made);
  // The last argument is the type's number in cuda.h, which counts.
  const auto code = enumerated(kTypeWords, first_number(arguments.back()));
  if (!code) return Refusal(fmt::format("the type's code is '{}', which cuda.h does not name", arguments.back()));
  fields["type"] = *code;
  auto coded = descriptor_of("tensormap", std::move(fields));
  if (!coded) return Refusal(coded.error().message);
  if (coded->fields.at("bits") != made->fields.at("bits"))
    return Refusal(fmt::format("the type '{}' and its code {} have elements of other sizes", type, arguments.back()));
  return std::move(*coded);
}

void add_calls(std::string_view text, std::vector<SeenDescriptor>& out) {
  constexpr std::string_view kCall = "\"runtime.cuTensorMapEncodeTiled\"";
  for (std::size_t at = text.find(kCall); at != std::string_view::npos; at = text.find(kCall, at + 1)) {
    std::size_t end = at + kCall.size();
    const std::size_t next = text.find_first_not_of(" \t\r\n", end);
    if (next == std::string_view::npos || text[next] != ',') continue;  // the function itself, and no call
    const auto arguments = arguments_after(text, end, end);
    if (!arguments) out.push_back({at, end, Refusal("a call whose bracket is not closed")});
    else out.push_back({at, end, of_call(*arguments)});
  }
}

}  // namespace

std::vector<SeenDescriptor> descriptors_in(std::string_view text) {
  std::vector<SeenDescriptor> out;
  add_dumps(text, out);
  add_calls(text, out);
  std::ranges::sort(out, {}, &SeenDescriptor::begin);
  return out;
}

}  // namespace vl::use
