#include "encodings/spyre/arrangement.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::spyre {
namespace {

using map::Row;
using map::Term;

// The device dimension that counts sticks: one step along it is a whole stick on the host. The constructors put it
// third from the end; at another place it must be the only one with that stride.
std::optional<std::size_t> count_of(const SpyreTensorLayout& layout) {
  const std::size_t rank = layout.device_size.size();
  const auto stick = checked_mul(layout.stride_map.back(), layout.device_size.back());
  if (rank < 2 || !stick) return std::nullopt;
  const std::size_t usual = rank == 2 ? 0 : rank - 3;
  if (layout.stride_map[usual] == *stick) return usual;
  std::optional<std::size_t> only;
  for (std::size_t j = 0; j + 1 < rank; ++j) {
    if (layout.stride_map[j] != *stick) continue;
    if (only) return std::nullopt;
    only = j;
  }
  return only;
}

std::variant<Arranged, std::string> staggered(const SpyreTensorLayout& layout, Arranged::Kind kind, Index lanes) {
  const std::string& name = layout.element_arrangement;
  if (layout.stride_map.empty()) return fmt::format("{} on a dim_map: the two never existed together", name);
  if (layout.device_dtype.elements_per_stick != lanes || layout.device_size.back() != lanes)
    return fmt::format("{} is known for sticks of {} elements; this one has {} of {}", name, lanes,
                       layout.device_size.back(), layout.device_dtype.name);
  if (layout.stride_map.back() < 0) return Arranged{};  // sparse: lane 0 stays where it is
  if (layout.stride_map.back() == 0) return fmt::format("{} of a stick that repeats one element", name);
  if (kind == Arranged::Kind::Narrowed) return Arranged{kind, 0};
  const auto sticks = count_of(layout);
  if (!sticks) return fmt::format("{}: no device dimension counts the sticks", name);
  if (layout.device_size[*sticks] % 2 != 0)
    return fmt::format(
        "{} fills sticks in pairs, and device dimension {} has {}: where the other half of the last pair "
        "lies is not documented",
        name, *sticks, layout.device_size[*sticks]);
  return Arranged{kind, *sticks};
}

std::variant<Arranged, std::string> weights(const SpyreTensorLayout& layout, const map::Tensor& tensor) {
  const auto dense = map::dense_strides(tensor.size);
  const auto strides = map::host_strides(tensor);
  const bool known = tensor.size.size() == 2 && tensor.view_offset == 0 && dense && strides && *dense == *strides &&
                     tensor.size[0] > 0 && tensor.size[0] % 2 == 0 && tensor.size[1] > 0 && tensor.size[1] % 64 == 0 &&
                     layout.device_dtype.elements_per_stick == 128;
  if (!known) return "QFP8WT is known for dense [K,N] of an 8-bit format with K even and N a multiple of 64";
  const Index order[] = {0, 1};
  const auto usual = construct(tensor.size, *strides, layout.device_dtype, order);
  if (!usual || usual->device_size != layout.device_size || usual->stride_map != layout.stride_map)
    return "QFP8WT is known for the default layout of [K,N] only";
  return Arranged{Arranged::Kind::Weights, 0};
}

Row sum(std::vector<Term> terms) { return Row{0, std::move(terms)}; }

}  // namespace

std::variant<Arranged, std::string> arrangement_of(const SpyreTensorLayout& layout, const map::Tensor& tensor) {
  const std::string& name = layout.element_arrangement;
  if (name == "STANDARD") return Arranged{};
  if (name == "DL16_TO_FP32") return staggered(layout, Arranged::Kind::Widened, 32);
  if (name == "FP32_TO_DL16") return staggered(layout, Arranged::Kind::Narrowed, 64);
  if (name == "QFP8WT") return weights(layout, tensor);
  return fmt::format("the element arrangement {} permutes elements within a stick in a way that is not documented",
                     name);
}

// Widened: count = 2·u + b, lane = 32·q + 8·h + 4·p + e, so the group is 8·b + 2·h + p: it goes to stick 2·u + p, lane
// 4·(4·b + h) + e. Narrowed: lane = 64·q + 32·b + 4·h + e goes to lane 4·(2·h + b) + e. The parts beyond one stick (q)
// stay the largest, so slots outside the box stay outside.
Rearrangement rearrange(Arranged::Kind kind) {
  if (kind == Arranged::Kind::Widened)  // u b | q h p e
    return {{2, 1}, {32, 8, 4, 1}, sum({{0, 2}, {4, 1}}), sum({{1, 16}, {2, 32}, {3, 4}, {5, 1}})};
  return {{}, {64, 32, 4, 1}, {}, sum({{0, 64}, {1, 4}, {2, 8}, {3, 1}})};  // q b h e
}

Rearrangement restore(Arranged::Kind kind) {
  if (kind == Arranged::Kind::Widened)  // u p | q b h e
    return {{2, 1}, {32, 16, 4, 1}, sum({{0, 2}, {3, 1}}), sum({{1, 4}, {2, 32}, {4, 8}, {5, 1}})};
  return {{}, {64, 8, 4, 1}, {}, sum({{0, 64}, {1, 4}, {2, 32}, {3, 1}})};  // q h b e
}

}  // namespace vl::spyre
