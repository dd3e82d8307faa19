// Device maps and maps of memories, the second meaning: each result of the printed map is computed from the text with
// plain numbers, floordiv rounding down and mod never negative, as MLIR's affine dialect defines them.
#include <cctype>

#include "encodings/ttmlir/reference_text.h"

namespace vl::ttmlir::second {
namespace {

// A sum of products of factors; a factor is a number, a name, or a sum in parentheses.
class Affine {
 public:
  Affine(std::string_view text, const std::vector<std::string>& names, std::span<const Index> at)
      : text_(text), names_(names), at_(at) {}

  Index all() { return sum(); }

 private:
  bool next(std::string_view word) {
    if (text_.substr(place_, word.size()) != word) return false;
    place_ += word.size();
    return true;
  }

  Index sum() {
    Index out = product();
    while (true) {
      if (next("+")) out += product();
      else if (next("-")) out -= product();
      else return out;
    }
  }

  Index product() {
    Index out = factor();
    while (true) {
      if (next("*")) out *= factor();
      else if (next("floordiv")) out = floor_div(out, factor());
      else if (next("ceildiv")) out = -floor_div(-out, factor());
      else if (next("mod")) out = floor_mod(out, factor());
      else return out;
    }
  }

  Index factor() {
    if (next("-")) return -factor();
    if (next("(")) {
      const Index out = sum();
      next(")");
      return out;
    }
    std::string word;
    const bool number = std::isdigit(static_cast<unsigned char>(text_[place_])) != 0;
    while (place_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[place_])) != 0 &&
           (!number || std::isdigit(static_cast<unsigned char>(text_[place_])) != 0) &&
           (number || word.empty() || std::isdigit(static_cast<unsigned char>(text_[place_])) != 0))
      word += text_[place_++];
    if (number) return std::stoll(word);
    for (std::size_t d = 0; d < names_.size(); ++d)
      if (names_[d] == word) return at_[d];
    return 0;
  }

  std::string text_;
  const std::vector<std::string>& names_;
  std::span<const Index> at_;
  std::size_t place_ = 0;
};

struct Printed {
  std::vector<std::string> names, results;
};

// (d0,d1)->(0,d0,d1)
Printed printed_map(const std::string& text) {
  const std::size_t arrow = text.find("->");
  const auto parts = [](const std::string& inside) {
    std::vector<std::string> out{{}};
    int depth = 0;
    for (const char c : inside) {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth == 0) out.emplace_back();
      else out.back() += c;
    }
    return out;
  };
  return {parts(text.substr(1, arrow - 2)), parts(text.substr(arrow + 3, text.size() - arrow - 4))};
}

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && c != '\n' && c != '\t') out += c;
  return out;
}

// Each result at an element, as a slot on the axes that the box declares; `more` are the values of names behind the
// dimensions.
use::Slots places_of(const Printed& map, const std::vector<Index>& more, const std::vector<std::string>& axes,
                     const map::Tensor& tensor) {
  std::vector<std::pair<std::string, Index>> declared;
  for (const map::Extent& extent : tensor.box) declared.emplace_back(extent.axis, extent.extent);
  return [=](std::span<const Index> x) -> std::vector<Point> {
    std::vector<Index> at(x.begin(), x.end());
    at.insert(at.end(), more.begin(), more.end());
    Point slot;
    for (const std::string& result : map.results) slot.push_back(Affine(result, map.names, at).all());
    for (std::size_t j = 0; j < slot.size(); ++j) {
      if (slot[j] < 0) return {};
      for (const auto& [axis, extent] : declared)
        if (axis == axes[axes.size() - slot.size() + j] && slot[j] >= extent) return {};
    }
    return {slot};
  };
}

}  // namespace

std::optional<use::Slots> slots_of_grid(std::string_view text, const map::Tensor& tensor) {
  const std::string said = without_blanks(text);
  if (said.find("#tt.grid<") != 0 && said.find("#ttcore.grid<") != 0) return std::nullopt;
  std::size_t start =
      said.find('(', said.find("virt_to_physical_map") == std::string::npos ? 0 : said.find("virt_to_physical_map"));
  std::size_t end = said.find(",physical_to_virt_map", start);
  if (end == std::string::npos) end = said.rfind('>');
  return places_of(printed_map(said.substr(start, end - start)), {}, {"device", "y", "x"}, tensor);
}

// dramMap=(d0,d1,d2)[s0,s1]->(…),symbols=[1,2]
std::optional<use::Slots> slots_of_memory_map(std::string_view text, const map::Tensor& tensor) {
  std::string said = without_blanks(text);
  if (said.find("l1Map=") != 0 && said.find("dramMap=") != 0) return std::nullopt;
  std::vector<Index> values;
  if (const std::size_t at = said.find(",symbols="); at != std::string::npos) {
    values = numbers_of(said.substr(at));
    said.resize(at);
  }
  said.erase(0, said.find('='));
  said.erase(0, 1);
  // Symbols are names behind the dimensions: (d0,d1,d2)[s0,s1] is (d0,d1,d2,s0,s1).
  const std::size_t open = said.find(")["), close = said.find(']');
  if (open != std::string::npos && close < said.find("->"))
    said = said.substr(0, open) + (close == open + 2 ? "" : ",") + said.substr(open + 2, close - open - 2) + ")" +
           said.substr(close + 1);
  return places_of(printed_map(said), values, {"device", "y", "x", "m"}, tensor);
}

}  // namespace vl::ttmlir::second
