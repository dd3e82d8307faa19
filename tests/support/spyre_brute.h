// The rule of Spyre layouts in plain arrays. This shares nothing with the IR, the engines or reference.cpp; it is slow
// and literal.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "encodings/spyre/spyre.h"
#include "tests/support/truth.h"

namespace vl::test {

/// A raw layout by stride_map.
[[nodiscard]] inline spyre::SpyreTensorLayout raw_layout(std::vector<Index> device_size,
                                                         std::vector<Index> stride_map) {
  spyre::SpyreTensorLayout out;
  out.device_size = std::move(device_size);
  out.stride_map = std::move(stride_map);
  out.device_dtype = {"SEN169_FP16", 64};
  return out;
}

/// The slot of an offset, replicas at 0: take the largest positive stride that is left (the outer one of equals), give
/// it all that fits, go on with the rest. -1 if something is left over or a digit has no room.
[[nodiscard]] inline Index greedy_slot(const spyre::SpyreTensorLayout& layout, Index offset) {
  const std::size_t rank = layout.device_size.size();
  if (offset < 0) return -1;
  std::vector<Index> digit(rank, 0);
  std::vector<bool> done(rank, false);
  for (;;) {
    std::size_t best = rank;
    for (std::size_t j = 0; j < rank; ++j) {
      if (done[j] || layout.device_size[j] <= 1 || layout.stride_map[j] <= 0) continue;
      if (best == rank || layout.stride_map[j] > layout.stride_map[best]) best = j;
    }
    if (best == rank) break;
    done[best] = true;
    digit[best] = offset / layout.stride_map[best];
    offset %= layout.stride_map[best];
    if (digit[best] >= layout.device_size[best]) return -1;
  }
  if (offset != 0 || product(layout.device_size) == 0) return -1;
  return number_of(digit, layout.device_size);
}

/// The slot of coordinates by dim_map: each host coordinate is a number in the device dims of its name, rightmost digit
/// least significant; unnamed coordinates and synthetic dims are 0.
[[nodiscard]] inline Index dim_map_slot(const spyre::SpyreTensorLayout& layout, Point x) {
  if (product(layout.device_size) == 0) return -1;
  Point digit(layout.device_size.size(), 0);
  for (std::size_t j = digit.size(); j-- > 0;) {
    if (layout.dim_map[j] < 0) continue;
    Index& left = x[static_cast<std::size_t>(layout.dim_map[j])];
    digit[j] = left % layout.device_size[j];
    left /= layout.device_size[j];
  }
  return std::ranges::all_of(x, [](Index left) { return left == 0; }) ? number_of(digit, layout.device_size) : -1;
}

[[nodiscard]] inline Truth truth_of(const spyre::SpyreTensorLayout& layout, const map::Tensor& tensor,
                                    const std::vector<Index>& strides) {
  std::vector<Index> domain = tensor.size, slots;
  std::vector<Index> steps;  // what one step of each replica adds to the slot's number
  Index step = 1;
  for (std::size_t j = layout.device_size.size(); j-- > 0; step *= layout.device_size[j])
    if (!layout.stride_map.empty() && layout.stride_map[j] == 0 && layout.device_size[j] > 1) {
      domain.insert(domain.begin() + static_cast<std::ptrdiff_t>(tensor.size.size()), layout.device_size[j]);
      steps.insert(steps.begin(), step);
    }
  for (Index n = 0; n < product(domain); ++n) {
    const Point p = point_at(n, domain);
    Index offset = tensor.view_offset;
    for (std::size_t i = 0; i < strides.size(); ++i) offset += p[i] * strides[i];
    Index slot = layout.stride_map.empty() ? dim_map_slot(layout, p) : greedy_slot(layout, offset);
    for (std::size_t r = 0; slot >= 0 && r < steps.size(); ++r) slot += p[strides.size() + r] * steps[r];
    slots.push_back(slot);
  }
  return truth_of(std::move(domain), layout.device_size, std::move(slots));
}

}  // namespace vl::test
