#include "verifier/question/preimage.h"

#include <algorithm>
#include <vector>

#include "encodings/map/bounds.h"

namespace vl::question {
namespace {

using map::Range;
using Box = std::vector<Range>;

class BoxSearch {
 public:
  BoxSearch(const map::Layout& layout, const Point& slot, Index most) : layout_(layout), target_(slot), left_(most) {
    target_.resize(slot.size() + layout.guards(), 0);
  }

  std::optional<bool> inside(const Box& box) {
    if (--left_ < 0) return std::nullopt;
    const Box outputs = map::bounds(layout_.map(), box);
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
      for (const Range& range : map::bounds(layout_.map(), half(box, i, false)))
        width += static_cast<double>(range.high) - static_cast<double>(range.low);
      if (best && width >= least) continue;
      best = i;
      least = width;
    }
    return best;
  }

  const map::Layout& layout_;
  Point target_;
  Index left_;
};

}  // namespace

std::optional<bool> is_hit(const map::Layout& layout, const Point& slot, Index most) {
  if (layout.domain().volume() == 0) return false;
  Box box;
  for (const map::Dim& dim : layout.domain().dims()) box.push_back({0, dim.extent - 1});
  return BoxSearch(layout, slot, most).inside(box);
}

}  // namespace vl::question
