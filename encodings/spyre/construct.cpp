// The constructors' rules, from sizes and a dim order to device_size and stride_map or dim_map. Every generation fills
// device dimensions with host dimensions in its own order (the slots); the sizes then follow from one rule.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/spyre/construct_parts.h"
#include "encodings/spyre/spyre.h"

namespace vl::spyre {
namespace {

// A dim order is a permutation of the host dimensions, followed by -1 for a sparse layout.
std::optional<Error> check_order(std::size_t rank, std::span<const Index> order) {
  const bool sparse = !order.empty() && order.back() == kSparse;
  const std::span<const Index> dims = order.first(order.size() - (sparse ? 1 : 0));
  if (dims.size() != rank)
    return Error{ErrorCode::Shape, fmt::format("the dim order [{}] names {} dimensions, the size has {}",
                                               fmt::join(order, ", "), dims.size(), rank)};
  std::vector<bool> seen(rank, false);
  for (const Index dim : dims) {
    if (dim < 0 || dim >= static_cast<Index>(rank) || seen[static_cast<std::size_t>(dim)])
      return Error{ErrorCode::Value,
                   fmt::format("the dim order [{}] is not a permutation of 0..{}{}", fmt::join(order, ", "),
                               static_cast<Index>(rank) - 1, " (a last -1 means sparse)")};
    seen[static_cast<std::size_t>(dim)] = true;
  }
  return std::nullopt;
}

template <class Number>
std::optional<Error> check_host(std::span<const Number> size, std::span<const Number> strides) {
  if (strides.size() != size.size())
    return Error{ErrorCode::Shape, fmt::format("{} strides for {} sizes", strides.size(), size.size())};
  for (const Number& extent : size)
    if (is_negative(extent)) return Error{ErrorCode::Value, fmt::format("the size {} is negative", *number_of(extent))};
  for (const Number& stride : strides)
    if (is_negative(stride))
      return Error{ErrorCode::Value, fmt::format("the host stride {} is negative", *number_of(stride))};
  return std::nullopt;
}

// The host dimension of each device dimension; a tensor of rank 0 is one element of a sparse stick.
std::vector<Index> slots_of(Generation generation, std::span<const Index> order) {
  if (order.empty()) return {kSparse, kSparse};
  std::vector<Index> slots;
  const auto last = order.end() - 1;
  switch (generation) {
    case Generation::G0:
      slots = {*last};
      slots.insert(slots.end(), order.begin(), order.end());
      return slots;
    case Generation::G0b:
      slots.assign(order.begin(), last);
      slots.insert(slots.end() - (slots.empty() ? 0 : 1), *last);
      slots.push_back(*last);
      return slots;
    case Generation::G1a:
      if (*last == kSparse && order.size() > 1) {
        slots.assign(order.begin() + 1, last);
        slots.push_back(order.front());
        slots.push_back(kSparse);
        return slots;
      }
      break;
    case Generation::G1:
    case Generation::G2draft:
    case Generation::S2:
    case Generation::S3: break;
  }
  slots.assign(order.begin() + 1, order.end());
  slots.push_back(order.front());
  slots.push_back(*last);
  return slots;
}

// G1a dropped host dimensions of size 1 before tiling.
template <class Number>
std::vector<Index> without_ones(std::span<const Index> order, std::span<const Number> size) {
  std::vector<Index> kept;
  for (const Index dim : order)
    if (dim == kSparse || number_of(size[static_cast<std::size_t>(dim)]) != 1) kept.push_back(dim);
  return kept;
}

// The strides of a host that is contiguous when its dimensions are read in the dim order.
template <class Number>
Result<std::vector<Number>> contiguous_in(std::span<const Index> order, std::span<const Number> size) {
  std::vector<Number> permuted;
  for (const Index dim : order)
    if (dim != kSparse) permuted.push_back(size[static_cast<std::size_t>(dim)]);
  const auto dense = dense_of(permuted);
  if (!dense) return dense.error();
  std::vector<Number> strides(size.size());
  for (std::size_t i = 0; i < permuted.size(); ++i) strides[static_cast<std::size_t>(order[i])] = (*dense)[i];
  return strides;
}

}  // namespace

template <class Number>
Result<BasicTensorLayout<Number>> construct_by(Generation generation, std::span<const Number> size,
                                               std::span<const Number> strides, const DeviceFormat& format,
                                               std::span<const Index> dim_order, const std::vector<bool>& padded) {
  if (auto error = check_host(size, strides)) return *error;
  if (auto error = check_order(size.size(), dim_order)) return *error;
  const bool before_sparse = generation == Generation::G0 || generation == Generation::G0b;
  if (before_sparse && (dim_order.empty() || dim_order.back() == kSparse))
    return Error{ErrorCode::Value, "no rule of that generation is known for a sparse or empty dim order"};
  if (!padded.empty() && padded.size() != size.size())
    return Error{ErrorCode::Shape, fmt::format("{} pad flags for {} sizes", padded.size(), size.size())};

  const Index eps = format.elements_per_stick;
  std::vector<Number> extents(size.begin(), size.end());
  for (std::size_t i = 0; i < padded.size(); ++i) {
    const auto rounded = times(ceil_of(extents[i], eps), Number(eps));
    if (padded[i] && !rounded) return Error{ErrorCode::Overflow, "a padded size leaves 64 bits"};
    if (padded[i]) extents[i] = *rounded;
  }
  const bool forgets_ones = generation == Generation::G1a;
  const auto order =
      forgets_ones ? without_ones(dim_order, size) : std::vector<Index>(dim_order.begin(), dim_order.end());
  std::vector<Index> slots = slots_of(generation, order);
  BasicTensorLayout<Number> layout;
  layout.device_dtype = format;
  layout.device_size = device_size_of<Number>(slots, extents, eps);
  if (before_sparse || forgets_ones || generation == Generation::G1) {
    layout.dim_map = std::move(slots);
    return layout;
  }
  std::vector<Number> host(strides.begin(), strides.end());
  if (generation == Generation::G2draft) {
    auto drafted = contiguous_in(dim_order, size);
    if (!drafted) return drafted.error();
    host = std::move(*drafted);
  }
  std::size_t where = 0;
  auto map = stride_map_of<Number>(slots, layout.device_size, size, host, generation == Generation::S3, where);
  if (!map)
    return Error{ErrorCode::Overflow, fmt::format("the device stride of host dimension {} leaves 64 bits", where)};
  layout.stride_map = std::move(*map);
  return layout;
}

template Result<SpyreTensorLayout> construct_by(Generation, std::span<const Index>, std::span<const Index>,
                                                const DeviceFormat&, std::span<const Index>, const std::vector<bool>&);
template Result<NamedLayout> construct_by(Generation, std::span<const map::Expression>,
                                          std::span<const map::Expression>, const DeviceFormat&, std::span<const Index>,
                                          const std::vector<bool>&);

Result<std::vector<Index>> slots_by(Generation generation, std::size_t rank, std::span<const Index> dim_order) {
  if (auto error = check_order(rank, dim_order)) return *error;
  return slots_of(generation, dim_order);
}

std::optional<Generation> generation_of(std::string_view name) {
  using Row = std::pair<std::string_view, Generation>;
  for (const auto& [known, generation] :
       {Row{"G0", Generation::G0}, Row{"G0b", Generation::G0b}, Row{"G1a", Generation::G1a}, Row{"G1", Generation::G1},
        Row{"G1b", Generation::G1}, Row{"G2draft", Generation::G2draft}, Row{"S2", Generation::S2},
        Row{"G2", Generation::S2}, Row{"G3", Generation::S2}, Row{"S3", Generation::S3}})
    if (known == name) return generation;
  return std::nullopt;
}

Result<SpyreTensorLayout> construct(std::span<const Index> size, std::span<const Index> strides,
                                    const DeviceFormat& format, std::span<const Index> dim_order) {
  return construct_by<Index>(Generation::S2, size, strides, format, dim_order);
}

}  // namespace vl::spyre
