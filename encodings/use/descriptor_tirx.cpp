// Calls of TIRx that encode tensor maps: the arguments stand one after the other, without lists.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "encodings/notation/python.h"
#include "encodings/use/descriptor_readers.h"
#include "encodings/use/scan.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

using map::Expression;
using Refusal = std::string;

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

// The arguments of a call, from after the first one on, to its closing bracket; null if it is not closed.
std::optional<std::vector<std::string_view>> arguments_after(std::string_view text, std::size_t at, std::size_t& end) {
  constexpr std::size_t kMostArguments = 40;
  Cursor in(text);
  in.move_to(at);
  std::vector<std::string_view> out;
  while (in.accept(",")) {
    if (in.peek() == ')') break;
    out.push_back(trimmed(in.expression("an argument")));
    if (in.failed() || out.size() > kMostArguments) return std::nullopt;
  }
  in.expect(")");
  end = in.offset();
  return in.failed() ? std::nullopt : std::optional(std::move(out));
}

// The names to which a text binds one string and nothing else, wherever it does: `a_type, b_type = "float16", "int8"`.
class BoundStrings {
 public:
  explicit BoundStrings(std::string_view text) {
    for (const python::Statement& statement : python::statements_of(text)) {
      for (const python::Node& target : statement.targets) bind(target, statement.value);
      if (statement.word == "def") {
        for (const python::Node& each : statement.value.parts) forget(name_of(each));
        continue;
      }
      constexpr std::array<std::string_view, 8> kBinding = {"class", "for",   "with",   "import",
                                                            "from",  "async", "global", "nonlocal"};
      const std::string_view whole = text.substr(statement.offset, statement.length);
      const auto starts = [&](std::string_view word) { return starts_with_word(whole, word); };
      const bool changes = whole.find("+=") != std::string_view::npos || whole.find(":=") != std::string_view::npos;
      if (!statement.read || changes || std::ranges::any_of(kBinding, starts)) forget(whole);
    }
  }
  // Nothing for a name that has no string, or several.
  [[nodiscard]] std::optional<std::string_view> of(std::string_view name) const {
    const auto found = bound_.find(name);
    return found == bound_.end() ? std::nullopt : found->second;
  }

 private:
  void bind(const python::Node& target, const python::Node& value) {
    const bool several = target.kind == python::Kind::Tuple || target.kind == python::Kind::List;
    if (several) {
      const bool alike = value.kind == target.kind && value.parts.size() == target.parts.size();
      for (std::size_t k = 0; k < target.parts.size(); ++k)
        bind(target.parts[k], alike ? value.parts[k] : python::Node{});
      return;
    }
    const auto text = value.kind == python::Kind::String ? python::string_of(value) : std::nullopt;
    const auto [found, is_new] = bound_.try_emplace(target.text, text);
    if (!is_new && found->second != text) found->second = std::nullopt;
  }
  // The name of a parameter, without its type and default.
  static std::string_view name_of(const python::Node& parameter) {
    if (!parameter.key.empty()) return parameter.key;
    std::string_view text = parameter.text;
    text.remove_prefix(std::min(text.find_first_not_of("* "), text.size()));
    return text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin()));
  }
  // Whatever may be bound in a statement.
  void forget(std::string_view statement) {
    for (std::size_t at = 0; at < statement.size();) {
      std::size_t end = at;
      while (end < statement.size() && is_word(statement[end])) ++end;
      if (end > at) bound_[statement.substr(at, end - at)] = std::nullopt;
      at = std::max(end, at + 1);
    }
  }

  std::map<std::string_view, std::optional<std::string_view>> bound_;
};

// A number as it stands, or that of a name which the source gives one.
std::optional<Index> stated_number(std::string_view text, const NamesOfSource& names, std::size_t place) {
  if (const auto written = first_number(text)) return written;
  const auto all = names.numbers(text, place);
  return all.size() == 1 ? std::optional(all.front().value) : std::nullopt;
}

std::variant<Descriptor, Refusal> of_call(const std::vector<std::string_view>& arguments, const BoundStrings& strings,
                                          const NamesOfSource& names, std::size_t place) {
  const auto number = [&](std::string_view text) { return stated_number(text, names, place); };
  if (arguments.size() < 4) return Refusal("a call with too few arguments");
  for (const std::string_view each : arguments)
    if (each.starts_with("*")) return Refusal(fmt::format("'{}' stands for several arguments", each));
  const auto rank = number(arguments[2]);
  if (!rank || *rank < 1 || *rank > 5) return Refusal(fmt::format("the rank is '{}'; expected 1 to 5", arguments[2]));
  const auto count = static_cast<std::size_t>(*rank);
  const std::size_t needed = 4 + 4 * count - 1 + 4;
  if (arguments.size() < needed) return Refusal("a call with too few arguments for its rank");
  if (arguments.size() > needed + 1) return Refusal("a call with too many arguments for its rank");
  std::string_view type = arguments[1];
  if (type.size() > 1 && type.front() == '"' && type.back() == '"') type = type.substr(1, type.size() - 2);
  else if (const auto bound = strings.of(type)) type = *bound;
  else return Refusal(fmt::format("the type is '{}', which is no text", type));
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
  const auto interleave = map_word(MapWord::Interleave, number(arguments[next]));
  const auto swizzle = map_word(MapWord::Swizzle, number(arguments[next + 1]));
  const auto fill = map_word(MapWord::Fill, number(arguments[next + 3]));
  if (!interleave || !swizzle || !fill)
    return Refusal(fmt::format("interleave {}, swizzle {} and fill {} are not all numbers that cuda.h names",
                               arguments[next], arguments[next + 1], arguments[next + 3]));
  fields["interleave"] = *interleave, fields["swizzle"] = *swizzle, fields["fill"] = *fill;
  auto made = descriptor_of("tensormap", fields);
  if (!made) return Refusal(made.error().message);
  if (arguments.size() == needed) return std::move(*made);
  // The last argument is the type's number in cuda.h, which counts.
  const auto code = map_word(MapWord::Type, number(arguments.back()));
  if (!code) return Refusal(fmt::format("the type's code is '{}', which cuda.h does not name", arguments.back()));
  fields["type"] = *code;
  auto coded = descriptor_of("tensormap", std::move(fields));
  if (!coded) return Refusal(coded.error().message);
  if (coded->fields.at("bits") != made->fields.at("bits"))
    return Refusal(fmt::format("the type '{}' and its code {} have elements of other sizes", type, arguments.back()));
  return std::move(*coded);
}

// Whether the text ends in a call of a function by its name, as call_packed(. A registration or a comment does not.
bool is_called(std::string_view before) {
  const std::string_view blank = " \t\r\n";
  const auto trim = [&] { before = before.substr(0, before.find_last_not_of(blank) + 1); };
  trim();
  if (!before.ends_with('(')) return false;
  before.remove_suffix(1), trim();
  return before.ends_with("call_packed") || before.ends_with("call_cpacked");
}

}  // namespace

void add_tirx_calls(std::string_view text, std::vector<SeenDescriptor>& out) {
  constexpr std::string_view kCall = "\"runtime.cuTensorMapEncodeTiled\"";
  std::optional<BoundStrings> strings;
  std::unique_ptr<NamesOfSource> names;
  for (std::size_t at = text.find(kCall); at != std::string_view::npos; at = text.find(kCall, at + 1)) {
    std::size_t end = at + kCall.size();
    const std::size_t next = text.find_first_not_of(" \t\r\n", end);
    if (next == std::string_view::npos || text[next] != ',') continue;  // the function itself, and no call
    if (!is_called(text.substr(0, at))) continue;
    const auto arguments = arguments_after(text, end, end);
    if (!strings) strings.emplace(text), names = names_of(SourceLanguage::Python, text);
    if (!arguments) out.push_back({at, end, Refusal("a call whose bracket is not closed")});
    else out.push_back({at, end, of_call(*arguments, *strings, *names, end - 1)});
  }
}

}  // namespace vl::use
