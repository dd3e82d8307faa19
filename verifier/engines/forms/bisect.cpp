#include "verifier/engines/forms/bisect.h"

#include <numeric>
#include <utility>

namespace vl::engines {
namespace {

class Bisection {
 public:
  Bisection(const Bad& bad, int slices, std::vector<std::size_t> order)
      : bad_(bad), slices_(slices), order_(std::move(order)) {}

  // The first bad point of a box that has one. From coordinate number k of the order on; the others are fixed.
  First of(Box box, std::size_t k) {
    for (; k < order_.size(); ++k) {
      Range& at = box[order_[k]];
      Range left = at;  // the first bad value is one of these
      while (left.low < left.high) {
        at.high = left.low + (left.high - left.low) / 2;
        const auto answer = bad_(box);
        if (!answer) {
          at = left;
          return by_slices(std::move(box), k);
        }
        if (*answer) left.high = at.high;
        else left.low = at.high + 1;
      }
      at = left;
    }
    First first{true, Point{}};
    for (const Range& range : box) first.point->push_back(range.low);
    return first;
  }

  // The box as a whole is undecided, since its offsets do not nest: its slices may be decided one by one.
  First by_slices(Box box, std::size_t k) {
    if (k == order_.size()) return {};
    Range& at = box[order_[k]];
    const Range all = at;
    for (Index value = all.low; value <= all.high; ++value) {
      if (--slices_ < 0) return {};
      at = {value, value};
      const auto answer = bad_(box);
      if (answer == false) continue;
      First first = answer ? of(box, k + 1) : by_slices(box, k + 1);
      if (!first.decided || first.point) return first;
    }
    return {true, {}};
  }

 private:
  const Bad& bad_;
  int slices_;
  std::vector<std::size_t> order_;
};

}  // namespace

Box whole(std::span<const Index> extents) {
  Box box;
  for (const Index extent : extents) box.push_back({0, extent - 1});
  return box;
}

First first_bad(const Box& box, const Bad& bad, int slices, std::vector<std::size_t> order) {
  if (order.empty()) {
    order.resize(box.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
  }
  Bisection bisection(bad, slices, std::move(order));
  const auto any = bad(box);
  if (!any) return bisection.by_slices(box, 0);
  return *any ? bisection.of(box, 0) : First{true, {}};
}

}  // namespace vl::engines
