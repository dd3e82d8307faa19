// What libraries print of the tensor maps that they could not encode.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "encodings/use/descriptor_readers.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

using map::Expression;
using Refusal = std::string;

// The numbers of "(1024,1024,1)", "[64, 64]" or "64 64 "; null for anything else, such as an address.
std::optional<std::vector<Expression>> numbers_of(std::string_view text) {
  std::vector<Expression> out;
  text = trimmed(text);
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
  line = trimmed(line);
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
  const auto type = map_word(MapWord::Type, first_number(said(Line::Type)));
  const auto interleave = map_word(MapWord::Interleave, first_number(said(Line::Interleave)));
  const auto swizzle = map_word(MapWord::Swizzle, first_number(said(Line::Swizzle)));
  const auto fill = map_word(MapWord::Fill, first_number(said(Line::Fill)));
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

}  // namespace

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

}  // namespace vl::use
