#include "verifier/engines/forms/bisect.h"

#include <utility>

namespace vl::engines {
namespace {

constexpr int kMostSlices = 256;

First by_slices(Region box, std::size_t k, const Bad& bad, int& budget);

// The first bad point of a box that has one. From dimension k on; the others are fixed.
First bisect(Region box, std::size_t k, const Bad& bad, int& budget) {
  for (; k < box.count.size(); ++k) {
    const Index start = box.low[k];
    Index sure = box.count[k];  // among the first `sure` values there is a bad one
    Index none = 0;             // among the first `none` values there is none
    while (sure - none > 1) {
      const Index half = none + (sure - none) / 2;
      box.low[k] = start;
      box.count[k] = half;
      const auto answer = bad(box);
      if (!answer) {
        box.low[k] = start + none;
        box.count[k] = sure - none;
        return by_slices(std::move(box), k, bad, budget);
      }
      (*answer ? sure : none) = half;
    }
    box.low[k] = start + none;
    box.count[k] = 1;
  }
  return {true, std::move(box.low)};
}

// The box as a whole is undecided, since its offsets do not nest: its slices may be decided one by one.
First by_slices(Region box, std::size_t k, const Bad& bad, int& budget) {
  if (k == box.count.size()) return {};
  const Index start = box.low[k];
  const Index values = box.count[k];
  box.count[k] = 1;
  for (Index value = 0; value < values; ++value) {
    if (--budget < 0) return {};
    box.low[k] = start + value;
    const auto answer = bad(box);
    if (answer == false) continue;
    First first = answer ? bisect(box, k + 1, bad, budget) : by_slices(box, k + 1, bad, budget);
    if (!first.decided || first.point) return first;
  }
  return {true, {}};
}

}  // namespace

Region whole(std::span<const Index> extents) {
  return {Point(extents.size(), 0), Point(extents.begin(), extents.end())};
}

First first_bad(const Region& box, const Bad& bad) {
  int budget = kMostSlices;
  const auto any = bad(box);
  if (!any) return by_slices(box, 0, bad, budget);
  return *any ? bisect(box, 0, bad, budget) : First{true, {}};
}

}  // namespace vl::engines
