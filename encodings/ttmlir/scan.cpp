#include "encodings/ttmlir/scan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/base/cursor.h"
#include "encodings/ttmlir/mlir.h"
#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

using use::Found;
using use::Passage;

constexpr std::array<use::Anchor, 16> kAnchors = {{{"tensor", '<', false},
                                                   {"memref", '<', false},
                                                   {"shard", '<', false},
                                                   {"cb_layout", '<', false},
                                                   {"interleaved", '<', false},
                                                   {"view", '<', false},
                                                   {"metal_layout", '<', false},
                                                   {"ttnn_layout", '<', false},
                                                   {"tt.layout", '<', false},
                                                   {"memory_space", '<', false},
                                                   {"buffer_type", '<', false},
                                                   {"grid", '<', false},
                                                   {"core_range", '<', false},
                                                   {"core_range_set", '<', false},
                                                   {"ttnn_nd_layout", '<', false},
                                                   {"tile", '<', false}}};

using Recognises = bool (*)(std::string_view);

constexpr std::size_t kLongest = 4U * 1024;    // a text with its aliases written out; the longest of the corpus has 287
constexpr std::string_view kEscaped = "&lt;";  // in documents
constexpr int kDeepest = 8;                    // aliases of aliases

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The place behind the bracket that closes the passage's; npos if there is none. An arrow closes nothing.
std::size_t behind_bracket(const Passage& passage) {
  constexpr std::size_t kDeepestBracket = 16;  // of a core range in a layout in a type it is 5
  const std::string_view text = passage.text;
  std::size_t depth = 0;
  const std::size_t end = std::min(text.size(), passage.bracket + kLongest);
  for (std::size_t at = passage.bracket; at < end && depth <= kDeepestBracket; ++at) {
    const char c = text[at];
    if (c == '"') at = std::min(text.find('"', at + 1), end);
    if (c == '<' || text.substr(at, kEscaped.size()) == kEscaped) ++depth;
    if (c == '>' && text[at - 1] != '-' && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

std::size_t end_of_name(std::string_view text, std::size_t at) {
  while (at < text.size() && (use::is_word(text[at]) || text[at] == '.' || text[at] == '$')) ++at;
  return at;
}

// Whether the place stands on a line of FileCheck, of which at most kLongest bytes are looked at.
bool is_checked(std::string_view text, std::size_t at) {
  const std::size_t left_out = at - std::min(at, kLongest);
  text.remove_prefix(left_out), at -= left_out;
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  return text.substr(start, at - start).find("CHECK") != std::string_view::npos;
}

// Whether a text has a pattern of FileCheck in it; no layout has #[[ or {{.
bool is_pattern(std::string_view text) {
  return text.find("{{") != std::string_view::npos || text.find("#[[") != std::string_view::npos;
}

// In one line, with one blank for several.
std::string in_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_blank(c)) out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  for (std::size_t at = out.find(kEscaped); at != std::string::npos; at = out.find(kEscaped, at))
    out.replace(at, kEscaped.size(), "<");
  return out;
}

// The text with every alias that is known written out. Names of dialects have a dot and stay.
std::string written_out(std::string_view text, const use::Names& names, int depth = 0) {
  std::string out;
  for (std::size_t at = 0; at < text.size() && out.size() < kLongest;) {
    const char c = text[at];
    if (c != '#' && c != '!') {
      out += c;
      ++at;
      continue;
    }
    const std::size_t end = end_of_name(text, at + 1);
    const std::string_view name = text.substr(at, end - at);
    const auto known = names.find(name);
    if (known != names.end() && depth < kDeepest) out += written_out(known->second, names, depth + 1);
    else out += name;
    at = end;
  }
  return out;
}

// The alias that `name = ` in front of a place defines, with its sign: "#layout"; empty if it is no definition.
std::string_view alias_before(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
  if (end == 0 || text[end - 1] != '=') return {};
  --end;
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
  std::size_t start = end;
  while (start > 0 && (use::is_word(text[start - 1]) || text[start - 1] == '$')) --start;
  if (start == end || start == 0 || (text[start - 1] != '#' && text[start - 1] != '!')) return {};
  return text.substr(start - 1, end - start + 1);
}

// Lines `#b = #a` behind a definition.
void remember_aliases_of_aliases(std::string_view text, std::size_t at, use::Names& names) {
  while (true) {
    while (at < text.size() && is_blank(text[at])) ++at;
    if (at >= text.size() || (text[at] != '#' && text[at] != '!')) return;
    const std::size_t end = end_of_name(text, at + 1);
    const std::string_view name = text.substr(at, end - at);
    std::size_t next = std::min(text.find_first_not_of(" \t", end), text.size());
    if (next == text.size() || text[next] != '=') return;
    next = std::min(text.find_first_not_of(" \t", next + 1), text.size());
    if (next == text.size() || text[next] != text[at]) return;
    const std::size_t stop = end_of_name(text, next + 1);
    const std::string_view other = text.substr(next, stop - next);
    if (other.find('.') != std::string_view::npos || (stop < text.size() && !is_blank(text[stop]))) return;
    names[std::string(name)] = std::string(other);
    at = stop;
  }
}

// The tensor of a layout in the words of --tensor, and a reason where it has none.
void state_tensor_of(Found& found, const Parsed& parsed) {
  const auto* aligned = std::get_if<AlignedLayout>(&parsed.layout);
  const auto* buffer = std::get_if<BufferLayout>(&parsed.layout);
  if (const auto* grid = std::get_if<GridLayout>(&parsed.layout)) {
    found.tensor = fmt::format("u8[{}]", fmt::join(grid->shape, ","));
    return;
  }
  if (!parsed.of && buffer == nullptr) {
    if (aligned != nullptr) found.reason = "no tensor type stands around it, and only that says the grid";
    return;
  }
  const auto elements = buffer != nullptr ? elements_of(*buffer) : std::nullopt;
  if (buffer != nullptr && !elements) {
    found.reason = "its shape does not fit in 64 bits";
    return;
  }
  const Cells& cells = buffer != nullptr ? buffer->of : *parsed.of;
  const std::vector<Index>& size = aligned != nullptr ? aligned->logical_shape : elements ? *elements : cells.shape;
  const std::string_view type = cells.type == "index" ? "i64" : std::string_view(cells.type);
  const auto known = map::element_type_of(type);
  if (known) found.tensor = fmt::format("{}[{}]", map::name(*known), fmt::join(size, ","));
  else found.reason = fmt::format("'{}' is not an element type that is known", type);
}

// The place of "rule C: " in front of a layout, else the layout's own.
std::size_t with_rule(std::string_view text, std::size_t start) {
  constexpr std::size_t kLength = 8;
  if (start < kLength || (start > kLength && use::is_word(text[start - kLength - 1]))) return start;
  const std::string_view before = text.substr(start - kLength, kLength);
  const bool rule = before.starts_with("rule ") && before.ends_with(": ") && before[5] >= 'A' && before[5] <= 'C';
  return rule ? start - kLength : start;
}

Found found_text(const Passage& passage, std::size_t start, std::size_t end) {
  start = with_rule(passage.text, start);
  const std::string text = in_one_line(passage.text.substr(start, end - start));
  return {start, end - start, passage.names == nullptr ? text : written_out(text, *passage.names), {}, {}, 0, {}};
}

// The tensor type around a ttnn_nd_layout, whose text tt-metal's family reads: the runtime deals its shards.
void state_tensor_of_type(Found& found) {
  found.read_by = "ttmetal";
  Cursor in(found.layout);
  in.expect("tensor");
  in.expect("<");
  const Cells cells = take_cells(in);
  const auto type = in.failed() ? std::nullopt : map::element_type_of(cells.type);
  if (type) found.tensor = fmt::format("{}[{}]", map::name(*type), fmt::join(cells.shape, ","));
  else found.reason = "the tensor type around it is not read";
}

void read_text(Found& found) {
  const auto parsed = parse(found.layout);
  if (parsed) state_tensor_of(found, *parsed);
  else if (use::is_abbreviated(found.layout))
    use::leave_unread(found, use::kAbbreviated, "the text is abbreviated: '...' stands for a part of it");
  else found.tensor = "u8[1]";  // its reading gives the error
}

// A use of the family's layouts; what no family can read, and names that are not defined, are found by metal.
std::vector<Found> tensor_at(const Passage& passage, Recognises recognises) {
  const std::size_t end = behind_bracket(passage);
  if (end == std::string_view::npos) return {};
  const std::string_view type = passage.text.substr(passage.word, end - passage.word);
  const std::size_t sign = type.find('#');
  if (sign == std::string_view::npos || is_pattern(type)) return {};
  Found found = found_text(passage, passage.word, end);
  if (recognises(found.layout)) {
    read_text(found);
    return {std::move(found)};
  }
  if (recognises != recognises_metal || recognises_ttnn(found.layout)) return {};
  if (type.starts_with("memref")) {
    if (found.layout.find("#ttcore.view<") == std::string::npos) return {};
    use::leave_unread(found, "`view`", "its places are those of the memref that it views, which a type does not name");
    return {std::move(found)};
  }
  if (found.layout.find("#ttnn.ttnn_nd_layout<") != std::string::npos) {
    state_tensor_of_type(found);
    return {std::move(found)};
  }
  const std::string_view name = type.substr(sign, end_of_name(type, sign + 1) - sign);
  const bool alias = name.find('.') == std::string_view::npos && name.find("layout") != std::string_view::npos;
  if (!alias || (passage.names != nullptr && passage.names->contains(name))) return {};
  use::leave_unread(found, use::kUnboundNames, fmt::format("'{}' is not defined in front of it", name));
  return {std::move(found)};
}

template <Recognises recognises>
std::vector<Found> found_at(const Passage& passage, const use::Anchor& anchor) {
  if (is_checked(passage.text, passage.word)) return {};
  if (anchor.word == "tensor" || anchor.word == "memref") return tensor_at(passage, recognises);
  std::size_t start = passage.word;  // of the attribute: at its sign
  while (start > 0 && (use::is_word(passage.text[start - 1]) || passage.text[start - 1] == '.')) --start;
  if (start == 0 || (passage.text[start - 1] != '#' && passage.text[start - 1] != '!')) return {};
  --start;
  const std::size_t end = behind_bracket(passage);
  if (end == std::string_view::npos) return {};
  const std::string_view name = alias_before(passage.text, start);
  if (!name.empty()) {
    if (passage.names == nullptr || is_pattern(passage.text.substr(start, end - start))) return {};
    (*passage.names)[std::string(name)] =
        written_out(in_one_line(passage.text.substr(start, end - start)), *passage.names);
    remember_aliases_of_aliases(passage.text, end, *passage.names);
    return {};
  }
  Found found = found_text(passage, start, end);
  if (!recognises(found.layout) || is_pattern(found.layout)) return {};
  if (anchor.word == "grid" && found.layout.find("->") == std::string::npos) return {};  // it maps no core
  read_text(found);
  return {std::move(found)};
}

}  // namespace

// The lines of --mlir-print-ir-after-all: // -----// IR Dump After Canonicalizer (canonicalize) //----- //
const use::Scan kMetalScan{kAnchors, found_at<recognises_metal>, "-----// IR Dump ", "//-----"};
const use::Scan kTtnnScan{kAnchors, found_at<recognises_ttnn>, "-----// IR Dump ", "//-----"};

}  // namespace vl::ttmlir
