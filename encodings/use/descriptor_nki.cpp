// Access patterns of NKI: t.ap(pattern=[[step, count], …], offset=…) of a tensor t = nl.ndarray((…), buffer=nl.sbuf),
// and what the compiler prints of one that it refuses.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "encodings/use/code_calls.h"
#include "encodings/use/descriptor_values.h"
#include "encodings/use/scan.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

using PatternNumbers = std::vector<map::Expression>;
constexpr std::string_view kPattern = ".ap(";
constexpr std::size_t kAllEntries = std::string_view::npos;

// key=value of a call; empty without it.
std::string_view keyword(const std::vector<std::string_view>& arguments, std::string_view key) {
  for (const std::string_view each : arguments)
    if (starts_with_word(each, key)) {
      const std::string_view rest = trimmed(each.substr(key.size()));
      if (rest.starts_with("=") && !rest.starts_with("==")) return trimmed(rest.substr(1));
    }
  return {};
}

// The shape of a tensor that is in a buffer with partitions.
OrWhy<PatternNumbers> shape_of(const CodeValues& values, std::string_view tensor, std::size_t place) {
  const auto value = values.bound(tensor, place);
  if (const auto* reason = std::get_if<std::string>(&value))
    return fmt::format("of which shape '{}' is: {}", tensor, *reason);
  const std::string_view made_by = std::get<std::string_view>(value);
  const std::size_t open = made_by.find('(');
  if (open == std::string_view::npos || !made_by.substr(0, open).ends_with("ndarray"))
    return fmt::format("the text does not say of which shape '{}' is", tensor);
  const auto arguments = values.within(made_by.substr(open));
  const std::string_view buffer = keyword(arguments, "buffer");
  if (!buffer.ends_with("sbuf") && !buffer.ends_with("psum"))
    return fmt::format("'{}' is not said to lie in sbuf or psum, where a pattern has partitions", tensor);
  const std::string_view shape = keyword(arguments, "shape");
  return values.numbers(shape.empty() && !arguments.empty() ? arguments[0] : shape, place, kAllEntries);
}

OrWhy<Descriptor> of_pattern(const CodeValues& values, std::string_view tensor,
                             const std::vector<std::string_view>& arguments, std::size_t place) {
  for (const std::string_view key : {"vector_offset", "scalar_offset", "indirect_dim"})
    if (!keyword(arguments, key).empty()) return "an indirect access pattern, which is not read";
  const std::string_view named = keyword(arguments, "pattern");
  const auto pairs = values.list(named.empty() ? arguments[0] : named, place);
  if (const auto* reason = std::get_if<std::string>(&pairs)) return *reason;
  PatternNumbers steps, counts;
  for (const std::string_view each : std::get<std::vector<std::string_view>>(pairs)) {
    const auto pair = values.numbers(each, place, 2);
    if (const auto* reason = std::get_if<std::string>(&pair)) return *reason;
    steps.push_back(std::get<PatternNumbers>(pair)[0]), counts.push_back(std::get<PatternNumbers>(pair)[1]);
  }
  auto shape = shape_of(values, tensor, place);
  if (const auto* reason = std::get_if<std::string>(&shape)) return *reason;
  DescriptorFields fields{{"tensor", numbers_field(std::get<PatternNumbers>(std::move(shape)))},
                          {"step", numbers_field(std::move(steps))},
                          {"count", numbers_field(std::move(counts))}};
  if (const std::string_view offset = keyword(arguments, "offset"); !offset.empty()) {
    const auto value = values.number(offset, place);
    if (const auto* reason = std::get_if<std::string>(&value)) return *reason;
    fields["offset"] = number_field(std::get<map::Expression>(value));
  }
  return made("nki", std::move(fields));
}

// The integers of "[[406,36],[1,1]]", and where it ends.
std::optional<std::vector<Index>> printed_integers(std::string_view text, std::size_t& end) {
  std::vector<Index> out;
  int depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (depth == 0) return end = at + 1, std::optional(std::move(out));
    if (c < '0' || c > '9') {
      if (std::string_view("[], ").find(c) == std::string_view::npos) return std::nullopt;
      ++at;
      continue;
    }
    Index value = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc{}) return std::nullopt;
    out.push_back(value), at = static_cast<std::size_t>(stop - text.data());
  }
  return std::nullopt;
}

OrWhy<Descriptor> of_dump(std::string_view text, std::size_t& end) {
  const auto pattern = printed_integers(text, end);
  if (!pattern || pattern->empty() || pattern->size() % 2 != 0) return "an access pattern that is no list of pairs";
  const std::size_t offset = text.find("Offset: "), shape = text.find("||[");
  const std::size_t next = text.find("Access Pattern: ", end);
  if (offset == std::string_view::npos || shape == std::string_view::npos || std::max(offset, shape) > next)
    return "a dump without an offset or a memory location";
  if (text.substr(0, shape).find("@SB<") == std::string_view::npos)
    return "a memory location that is not @SB, where a pattern has partitions";
  Index start = 0;
  const auto [stop, error] = std::from_chars(text.data() + offset + 8, text.data() + text.size(), start);
  std::size_t after = 0;
  const auto extents = printed_integers(text.substr(shape + 2), after);
  if (error != std::errc{} || stop == text.data() + offset + 8 || !extents)
    return "an offset or a shape that is no number";
  end = shape + 2 + after;
  PatternNumbers steps, counts;
  for (std::size_t k = 0; k < pattern->size(); k += 2)
    steps.emplace_back((*pattern)[k]), counts.emplace_back((*pattern)[k + 1]);
  return made("nki", {{"tensor", numbers_field({extents->begin(), extents->end()})},
                      {"step", numbers_field(std::move(steps))},
                      {"count", numbers_field(std::move(counts))},
                      {"offset", number_field(start)}});
}

}  // namespace

void add_patterns(SourceLanguage language, std::string_view text, std::vector<SeenDescriptor>& out) {
  if (language != SourceLanguage::Python || text.find(kPattern) == std::string_view::npos) return;
  const std::string code = plain_code(language, text);
  const CodeValues values(language, text, code, kPattern);
  for (std::size_t at = code.find(kPattern); at != std::string::npos; at = code.find(kPattern, at + 1)) {
    const std::size_t open = at + kPattern.size() - 1;
    std::size_t begin = at;
    while (begin > 0 && (is_word(code[begin - 1]) || code[begin - 1] == '.')) --begin;
    const std::size_t end = values.brackets().closing(open);
    if (end == std::string_view::npos) {
      out.push_back({at, open, std::string(kOpenCall)});
      continue;
    }
    const auto arguments = values.brackets().parts(open);
    if (arguments.empty() || (keyword(arguments, "pattern").empty() && !arguments[0].starts_with("[["))) continue;
    const std::string_view tensor = std::string_view(code).substr(begin, at - begin);
    out.push_back({begin, end + 1, of_pattern(values, tensor, arguments, begin)});
  }
}

void add_pattern_dumps(std::string_view text, std::vector<SeenDescriptor>& out) {
  constexpr std::string_view kSign = "Access Pattern: [[";
  constexpr std::size_t kLongestDump = 2000;
  for (std::size_t at = text.find(kSign); at != std::string_view::npos; at = text.find(kSign, at + 1)) {
    const std::size_t list = at + kSign.size() - 2;
    std::size_t end = 2;
    auto what = of_dump(text.substr(list, kLongestDump), end);
    out.push_back({at, list + end, std::move(what)});
  }
}

}  // namespace vl::use
