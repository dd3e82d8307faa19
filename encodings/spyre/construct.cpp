// The constructors' rule, from sizes and a dim order to device_size and stride_map.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/spyre/spyre.h"

namespace vl::spyre {
namespace {

constexpr Index kSparse = -1;

// A dim order is a permutation of the host dimensions, with -1 behind it for a sparse layout.
std::optional<Error> check_order(std::size_t rank, std::span<const Index> order) {
  const bool sparse = !order.empty() && order.back() == kSparse;
  const std::span<const Index> dims = order.first(order.size() - (sparse ? 1 : 0));
  if (dims.size() != rank)
    return Error{ErrorCode::Shape, fmt::format("the dim order [{}] names {} dimensions, the size has {}",
                                               fmt::join(order, ", "), dims.size(), rank)};
  std::vector<bool> seen(rank, false);
  for (const Index dim : dims) {
    if (dim < 0 || dim >= static_cast<Index>(rank) || seen[static_cast<std::size_t>(dim)])
      return Error{ErrorCode::Value, fmt::format("the dim order [{}] is not a permutation of 0..{}{}",
                                                 fmt::join(order, ", "), static_cast<Index>(rank) - 1,
                                                 " (a last -1 means sparse)")};
    seen[static_cast<std::size_t>(dim)] = true;
  }
  return std::nullopt;
}

}  // namespace

Result<SpyreTensorLayout> construct(std::span<const Index> size, std::span<const Index> strides,
                                    const DeviceFormat& format, std::span<const Index> dim_order) {
  if (strides.size() != size.size())
    return Error{ErrorCode::Shape, fmt::format("{} strides for {} sizes", strides.size(), size.size())};
  for (const Index extent : size)
    if (extent < 0) return Error{ErrorCode::Value, fmt::format("the size {} is negative", extent)};
  for (const Index stride : strides)
    if (stride < 0) return Error{ErrorCode::Value, fmt::format("the host stride {} is negative", stride)};
  if (auto error = check_order(size.size(), dim_order)) return *error;

  // The host dimension of each device dimension; a tensor of rank 0 is one element of a sparse stick.
  std::vector<Index> slots{kSparse, kSparse};
  if (!dim_order.empty()) {
    slots.assign(dim_order.begin() + 1, dim_order.end());
    slots.push_back(dim_order.front());
    slots.push_back(dim_order.back());
  }
  SpyreTensorLayout layout;
  layout.device_dtype = format;
  const Index stick = slots.back();
  const Index eps = format.elements_per_stick;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const bool last = i + 1 == slots.size();
    const Index extent = slots[i] == kSparse ? 1 : size[static_cast<std::size_t>(slots[i])];
    layout.device_size.push_back(last ? eps : slots[i] == stick ? ceil_div(extent, eps) : extent);
  }
  layout.stride_map.assign(slots.size(), -1);
  std::vector<std::optional<Index>> next(size.size());  // the stride of a host dimension's next slot outwards
  for (std::size_t i = slots.size(); i-- > 0;) {
    if (slots[i] == kSparse) continue;
    const auto host = static_cast<std::size_t>(slots[i]);
    if (size[host] == 1) continue;
    const Index stride = next[host].value_or(strides[host]);
    layout.stride_map[i] = stride;
    next[host] = checked_mul(stride, layout.device_size[i]);
    if (!next[host])
      return Error{ErrorCode::Overflow, fmt::format("the device stride of host dimension {} leaves 64 bits", host)};
  }
  return layout;
}

}  // namespace vl::spyre
