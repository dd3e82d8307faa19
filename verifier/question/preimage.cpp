#include "verifier/question/preimage.h"

#include <algorithm>
#include <vector>

#include "encodings/map/bounds.h"

namespace vl::question {
namespace {

using map::Range;
using Box = std::vector<Range>;

// The extents of the inputs that a row numbers as a mixed radix, each once: their product. Nothing for other rows.
std::optional<Index> numbered(const map::Row& row, const map::Space& domain, std::vector<bool>& used) {
  std::vector<map::Term> terms = row.terms;
  std::ranges::sort(terms, std::less<>{}, &map::Term::coefficient);
  Index next = 1;
  for (const map::Term& term : terms) {
    if (used[term.input] || term.coefficient != next) return std::nullopt;
    used[term.input] = true;
    const auto product = checked_mul(next, domain.extent(term.input));
    if (!product) return std::nullopt;
    next = *product;
  }
  return row.constant == 0 ? std::optional(next) : std::nullopt;
}

// The same outputs over the digits of the number that the first split takes apart, where that number is a mixed radix
// of inputs of its own and the weights divide one another and it: then the digits are any in their box. Intervals of a
// number say little of its last digits; intervals of the digits do. Nothing for other maps.
std::optional<map::Map> over_digits(const map::Map& map) {
  if (map.stages().size() < 2) return std::nullopt;
  const auto* rows = std::get_if<map::Affine>(&map.stages()[0]);
  const auto* split = std::get_if<map::Split>(&map.stages()[1]);
  if (rows == nullptr || split == nullptr) return std::nullopt;
  std::vector<Index> extents;
  std::vector<bool> used(map.domain().rank(), false);
  for (std::size_t i = 0; i < rows->rows.size(); ++i) {
    auto above = numbered(rows->rows[i], map.domain(), used);
    if (!above) return std::nullopt;
    if (i != split->input) {
      extents.push_back(*above);
      continue;
    }
    for (const Index weight : split->weights) {
      if (*above % weight != 0) return std::nullopt;
      extents.push_back(*above / weight);
      above = weight;
    }
  }
  auto domain = map::Space::create(map::Space::dims("d", extents));
  if (!domain) return std::nullopt;
  auto out = map::Map::create(std::move(*domain), {map.stages().begin() + 2, map.stages().end()});
  return out ? std::optional(std::move(*out)) : std::nullopt;
}

class BoxSearch {
 public:
  BoxSearch(const map::Layout& layout, const map::Map& map, const Point& slot, Index most)
      : map_(map), target_(slot), left_(most) {
    target_.resize(slot.size() + layout.guards(), 0);
  }

  std::optional<bool> inside(const Box& box) {
    if (--left_ < 0) return std::nullopt;
    const Box outputs = map::bounds(map_, box);
    for (std::size_t j = 0; j < target_.size(); ++j)
      if (target_[j] < outputs[j].low || target_[j] > outputs[j].high) return false;
    const auto halved = widest(box);
    if (!halved) return true;  // one point: its bounds are its outputs
    for (const bool upper : {false, true}) {
      const auto found = inside(half(box, *halved, upper));
      if (!found || *found) return found;
    }
    return false;
  }

 private:
  static Box half(Box box, std::size_t i, bool upper) {
    const Index middle = box[i].low + (box[i].high - box[i].low) / 2;
    (upper ? box[i].low : box[i].high) = middle + (upper ? 1 : 0);
    return box;
  }

  // The dimension of more than one value whose lower half has the narrowest outputs; none for a single point.
  [[nodiscard]] std::optional<std::size_t> widest(const Box& box) const {
    std::optional<std::size_t> best;
    double least = 0;
    for (std::size_t i = 0; i < box.size(); ++i) {
      if (box[i].low == box[i].high) continue;
      double width = 0;
      for (const Range& range : map::bounds(map_, half(box, i, false)))
        width += static_cast<double>(range.high) - static_cast<double>(range.low);
      if (best && width >= least) continue;
      best = i;
      least = width;
    }
    return best;
  }

  const map::Map& map_;
  Point target_;
  Index left_;
};

}  // namespace

std::optional<bool> is_hit(const map::Layout& layout, const Point& slot, Index most) {
  if (layout.domain().volume() == 0) return false;
  const auto digits = over_digits(layout.map());
  const map::Map& map = digits ? *digits : layout.map();
  Box box;
  for (const map::Dim& dim : map.domain().dims()) box.push_back({0, dim.extent - 1});
  return BoxSearch(layout, map, slot, most).inside(box);
}

}  // namespace vl::question
