#include "encodings/ttmlir/reference_text.h"

#include <algorithm>
#include <cstdlib>

namespace vl::ttmlir::second {
namespace {

std::string without_space(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') out += c;
  return out;
}

// The parts between commas that stand in no bracket. An arrow's head is no bracket.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> out;
  if (text.empty()) return out;
  out.emplace_back();
  int depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '(' || c == '[' || c == '<') ++depth;
    if (c == ')' || c == ']' || (c == '>' && (k == 0 || text[k - 1] != '-'))) --depth;
    if (c == ',' && depth == 0) out.emplace_back();
    else out.back() += c;
  }
  return out;
}

// What stands between the outermost brackets, from the first `open` to the last character but one.
std::string inside_of(std::string_view text, char open) {
  const std::size_t at = text.find(open);
  if (at == std::string_view::npos || text.size() < at + 2) return {};
  return std::string(text.substr(at + 1, text.size() - at - 2));
}

Index number_of(std::string_view text) { return std::strtoll(std::string(text).c_str(), nullptr, 10); }

Error unread(std::string why) { return Error{ErrorCode::Syntax, std::move(why)}; }

// (d0,d1)->(d0,d1),undef,<1x2>,memref<8x150xf32,#l1>: the map is the first part.
std::optional<Error> read_map(const std::string& part, Said& said) {
  const std::size_t arrow = part.find("->");
  if (arrow == std::string::npos) return unread("no arrow in the map");
  said.names = parts_of(inside_of(part.substr(0, arrow), '('));
  said.results = parts_of(inside_of(part.substr(arrow + 2), '('));
  return std::nullopt;
}

std::optional<Error> read_with_map(const std::vector<std::string>& parts, std::size_t grid, Said& said) {
  if (parts.size() < grid + 2) return unread("too few parts");
  if (auto error = read_map(parts[0], said)) return error;
  const std::vector<std::string> of_grid = parts_of(inside_of(parts[grid], '<'));
  if (of_grid.empty()) return unread("no grid");
  said.grid = numbers_of(of_grid[0]);
  const std::vector<std::string> of_memref = parts_of(inside_of(parts[grid + 1], '<'));
  if (of_memref.empty()) return unread("no memref");
  said.shard = array_of(of_memref[0]);
  said.l1 = of_memref.size() > 1 && of_memref[1].find("l1") != std::string::npos;
  for (std::size_t k = grid + 2; k < parts.size(); ++k) {
    if (parts[k] == "<interleaved>" || parts[k] == "interleaved") said.interleaved = true;
    if (parts[k].find("height_sharded") != std::string::npos) said.by_height = true;
    if (parts[k].find("width_sharded") != std::string::npos) said.by_width = true;
    if (parts[k].find("_sharded") != std::string::npos) said.sharded = true;
  }
  return std::nullopt;
}

std::optional<Error> read_aligned(const std::vector<std::string>& parts, Said& said) {
  for (const std::string& part : parts) {
    const std::string value = part.substr(part.find('=') + 1);
    if (part.starts_with("logical_shape=")) said.logical = numbers_of(value);
    if (part.starts_with("dim_alignments=")) said.alignments = numbers_of(value);
    if (!part.starts_with("coll")) continue;
    const std::size_t close = value.find(">:");
    const std::size_t rows = value.find("tensor<");
    if (close == std::string::npos || rows == std::string::npos) return unread("no intervals");
    std::vector<Index> bounds = numbers_of(value.substr(0, close));
    const std::vector<Index> shape = array_of(value.substr(rows + 7)).sizes;
    if (bounds.size() == 1 && shape.size() == 2)
      bounds.assign(static_cast<std::size_t>(shape[0] * shape[1]), bounds[0]);
    for (std::size_t k = 0; k + 1 < bounds.size(); k += 2) said.intervals.emplace_back(bounds[k], bounds[k + 1]);
  }
  return std::nullopt;
}

// Sums, differences and products by recursive descent.
class Evaluator {
 public:
  Evaluator(std::string_view text, const std::vector<std::string>& names, const std::vector<Index>& values)
      : text_(text), names_(names), values_(values) {}

  std::optional<Index> all() {
    const Index value = sum();
    return good_ && at_ == text_.size() ? std::optional(value) : std::nullopt;
  }

 private:
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  Index sum() {
    Index value = product();
    while (next() == '+' || next() == '-') {
      const bool plus = text_[at_++] == '+';
      const Index more = product();
      const auto both = plus ? checked_add(value, more) : checked_add(value, -more);
      good_ = good_ && both.has_value();
      value = both.value_or(0);
    }
    return value;
  }

  Index product() {
    Index value = factor();
    while (next() == '*') {
      ++at_;
      const auto both = checked_mul(value, factor());
      good_ = good_ && both.has_value();
      value = both.value_or(0);
    }
    return value;
  }

  Index factor() {
    if (next() == '-') {
      ++at_;
      return -factor();
    }
    if (next() == '(') {
      ++at_;
      const Index value = sum();
      good_ = good_ && next() == ')';
      ++at_;
      return value;
    }
    const std::size_t start = at_;
    while (next() == '_' || std::isalnum(static_cast<unsigned char>(next())) != 0) ++at_;
    const std::string word(text_.substr(start, at_ - start));
    for (std::size_t d = 0; d < names_.size(); ++d)
      if (names_[d] == word) return values_[d];
    good_ = good_ && !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    return good_ ? number_of(word) : 0;
  }

  std::string_view text_;
  const std::vector<std::string>& names_;
  const std::vector<Index>& values_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace

std::vector<Index> numbers_of(std::string_view text) {
  std::vector<Index> out;
  std::string digits;
  for (const char c : text) {
    if ((c >= '0' && c <= '9') || (c == '-' && digits.empty())) {
      digits += c;
      continue;
    }
    if (!digits.empty()) out.push_back(number_of(digits));
    digits.clear();
  }
  if (!digits.empty()) out.push_back(number_of(digits));
  return out;
}

Array array_of(std::string_view text) {
  Array out;
  const std::size_t tile = text.find('!');
  std::size_t end = 0;  // of the sizes
  for (std::size_t k = 0; k < text.size() && (text[k] == 'x' || (text[k] >= '0' && text[k] <= '9')); ++k)
    if (text[k] == 'x') end = k;
  out.sizes = numbers_of(text.substr(0, end));
  if (tile == std::string_view::npos) return out;
  const std::string_view sides = text.substr(text.find('<', tile) + 1);
  const std::vector<Index> both = numbers_of(sides.substr(0, sides.find(',')));
  out.tiled = true;
  if (both.size() == 2) {
    out.high = both[0];
    out.wide = both[1];
  }
  return out;
}

Result<Said> read_said(std::string_view text) {
  std::string all = without_space(text);
  Said said;
  char asked = 0;  // ruleC:#tt…
  if (all.size() > 6 && all.starts_with("rule") && all[5] == ':') {
    asked = static_cast<char>(all[4] - 'A' + 'a');
    all.erase(0, 6);
  }
  // on#ttcore.grid<…>: says where the cores are, and changes none of the grid's own places.
  if (all.starts_with("on#")) all.erase(0, std::min(all.find(">:"), all.size() - 2) + 2);
  if (all.starts_with("tensor<")) {
    const std::vector<std::string> halves = parts_of(inside_of(all, '<'));
    if (halves.size() != 2) return unread("expected a shape and an attribute");
    said.device = array_of(halves[0]);
    all = halves[1];
  }
  const std::vector<std::string> parts = parts_of(inside_of(all, '<'));
  if (parts.empty()) return unread("an attribute without parts");
  said.kind = all.starts_with("#ttnn.") ? 'c' : parts[0].starts_with("logical_shape") ? 'b' : 'a';
  auto error = said.kind == 'b' ? read_aligned(parts, said) : read_with_map(parts, said.kind == 'a' ? 2 : 1, said);
  if (error) return *error;
  if (asked != 0) said.kind = asked;
  return said;
}

std::optional<Index> value_of(std::string_view result, const std::vector<std::string>& names,
                              const std::vector<Index>& values) {
  return Evaluator(result, names, values).all();
}

}  // namespace vl::ttmlir::second
