#include "encodings/spyre/slots.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::spyre {
namespace {

// The host dimension of each slot under a dim order, in the constructor's order.
std::vector<Index> slots_of(std::span<const Index> order) {
  if (order.empty()) return {kNoDim, kNoDim};
  std::vector<Index> slots(order.begin() + 1, order.end());
  slots.push_back(order.front());
  slots.push_back(order.back());
  return slots;
}

// Host dimensions of size other than 1 that step by `stride`.
std::vector<Index> dims_of_stride(const Host& host, Index stride) {
  std::vector<Index> dims;
  for (std::size_t i = 0; i < host.size.size(); ++i)
    if (host.size[i] != 1 && host.strides[i] == stride) dims.push_back(static_cast<Index>(i));
  return dims;
}

// The host dimension of a slot that has more than one position. kNoDim: it holds copies, or uses only coordinate 0.
Result<Index> host_of_slot(const SpyreTensorLayout& layout, const Host& host, std::size_t slot, Index stick) {
  const Index eps = layout.device_size.back();
  const Index stride = layout.stride_map[slot];
  if (stride <= 0) return kNoDim;
  auto dims = dims_of_stride(host, stride);
  std::erase(dims, stick);
  const auto count_stride = checked_mul(layout.stride_map.back(), eps);
  const bool counts = host.size[at(stick)] > eps && count_stride && stride == *count_stride;
  if (counts) dims.push_back(stick);
  if (dims.size() != 1)
    return refusal(
        fmt::format("device dimension {} steps by {}, and so do {} dimensions of the host [{}] with strides [{}]; "
                    "expected one",
                    slot, stride, dims.size(), fmt::join(host.size, ", "), fmt::join(host.strides, ", ")));
  const Index dim = dims.front();
  const Index needed = counts ? ceil_div(host.size[at(dim)], eps) : host.size[at(dim)];
  if (layout.device_size[slot] < needed)
    return refusal(
        fmt::format("device dimension {} has {} positions for the {} that host dimension {} needs: it is tiled, "
                    "expected one device dimension",
                    slot, layout.device_size[slot], needed, dim));
  return dim;
}

}  // namespace

bool same_slots(const SpyreTensorLayout& a, const SpyreTensorLayout& b) {
  return a.device_size == b.device_size && a.stride_map == b.stride_map;
}

std::optional<std::vector<Index>> constructed_slots(const SpyreTensorLayout& layout, const Host& host) {
  if (!layout.dim_order || constructed_host(layout) != host) return std::nullopt;
  const auto again = construct(host.size, host.strides, layout.device_dtype, *layout.dim_order);
  if (!again || !same_slots(*again, layout)) return std::nullopt;
  return slots_of(*layout.dim_order);
}

Result<Index> stick_of(const SpyreTensorLayout& layout, const Host& host) {
  const Index lane = layout.stride_map.back();
  if (lane < 0)
    return refusal("the stick is sparse: its stride is -1, so it holds one element and no dimension that could move");
  const auto dims = dims_of_stride(host, lane);
  if (dims.size() == 1 && lane > 0) return dims.front();
  return refusal(
      fmt::format("the stick steps by {}, and so do {} dimensions of the host [{}] with strides [{}]; expected one",
                  lane, lane > 0 ? dims.size() : 0, fmt::join(host.size, ", "), fmt::join(host.strides, ", ")));
}

std::optional<std::size_t> idle_count_slot(const SpyreTensorLayout& layout, std::optional<Index> count_stride) {
  const std::size_t last = layout.device_size.size() - 1;
  const std::size_t usual = usual_count_slot(last + 1);
  const auto steps = [&](std::size_t j) {
    return j < last && layout.device_size[j] == 1 && count_stride && layout.stride_map[j] == *count_stride;
  };
  if (steps(usual) || (usual < last && layout.device_size[usual] == 1 && layout.stride_map[usual] < 0)) return usual;
  std::optional<std::size_t> found;
  for (std::size_t j = 0; j < last; ++j) {
    if (!steps(j)) continue;
    if (found) return std::nullopt;
    found = j;
  }
  return found;
}

Result<std::vector<Index>> inferred_slots(const SpyreTensorLayout& layout, const Host& host) {
  const auto stick = stick_of(layout, host);
  if (!stick) return stick.error();
  const std::size_t last = layout.device_size.size() - 1;
  std::vector<Index> slots(last + 1, kNoDim);
  slots[last] = *stick;
  for (std::size_t j = 0; j < last; ++j) {
    if (layout.device_size[j] == 1) continue;
    const auto dim = host_of_slot(layout, host, j, *stick);
    if (!dim) return dim.error();
    if (*dim != kNoDim && std::find(slots.begin(), slots.end() - 1, *dim) != slots.end() - 1)
      return refusal(
          fmt::format("host dimension {} has more than one device dimension of stride {}", *dim, layout.stride_map[j]));
    slots[j] = *dim;
  }
  if (std::find(slots.begin(), slots.end() - 1, *stick) != slots.end() - 1) return slots;
  const auto idle = idle_count_slot(layout, checked_mul(layout.stride_map.back(), layout.device_size.back()));
  if (!idle || host.size[at(*stick)] > layout.device_size.back())
    return refusal(fmt::format("no device dimension counts the sticks of host dimension {}", *stick));
  slots[*idle] = *stick;
  return slots;
}

Result<std::size_t> slot_of(const SpyreTensorLayout& layout, std::span<const Index> slots, const Host& host,
                            Index dim) {
  std::vector<std::size_t> found;
  for (std::size_t j = 0; j + 1 < slots.size(); ++j)
    if (slots[j] == dim) found.push_back(j);
  if (found.empty() && host.size[at(dim)] == 1)
    for (std::size_t j = 0; j + 1 < slots.size(); ++j)
      if (slots[j] == kNoDim && layout.device_size[j] == 1) found.push_back(j);
  if (found.size() == 1) return found.front();
  return refusal(fmt::format("host dimension {} of size {} may be {} device dimensions; expected one", dim,
                             host.size[at(dim)], found.size()));
}

}  // namespace vl::spyre
