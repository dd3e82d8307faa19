#include "encodings/tirx/place_form.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

namespace vl::tirx {
namespace {

constexpr std::size_t kAxisCount = static_cast<std::size_t>(Axis::TLane) + 1;
constexpr std::uint8_t kNoAxis = kAxisCount;

// The axes of the physical space in their order: those of the shard and of the replicas, then the others that the
// offset or the box names.
struct AxesOf {
  std::array<Axis, kAxisCount> all{};
  std::array<std::uint8_t, kAxisCount> place{};  // of each axis among them
  std::uint8_t count = 0;

  explicit AxesOf(const TileLayout& tile, const map::Tensor& tensor) {
    place.fill(kNoAxis);
    for (const Iter& iter : tile.shard) add(iter.axis);
    for (const Iter& iter : tile.replica) add(iter.axis);
    std::uint32_t named = 0;  // a bit for each axis
    for (const auto& [axis, value] : tile.offset) named |= std::uint32_t{1} << static_cast<int>(axis);
    for (const map::Extent& extent : tensor.box)
      if (const auto axis = axis_of(extent.axis)) named |= std::uint32_t{1} << static_cast<int>(*axis);
    for (; named != 0; named &= named - 1) add(static_cast<Axis>(std::countr_zero(named)));
  }
  void add(Axis axis) {
    std::uint8_t& at = place[static_cast<std::size_t>(axis)];
    if (at == kNoAxis) at = count, all[count++] = axis;
  }
  [[nodiscard]] std::size_t of(Axis axis) const { return place[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] std::span<const Axis> axes() const { return std::span(all).first(count); }
};

std::optional<map::Swizzle> swizzle_of(const Layout& layout, const AxesOf& axes) {
  if (!layout.swizzle || layout.swizzle->swizzle_len == 0 || axes.of(Axis::M) == kNoAxis) return std::nullopt;
  const SwizzleLayout& swizzle = *layout.swizzle;
  return map::Swizzle{axes.of(Axis::M), swizzle.per_element, swizzle.swizzle_len, swizzle.atom_len,
                      swizzle.swizzle_inner ? map::Swizzle::Direction::Down : map::Swizzle::Direction::Up};
}

Index offset_on(const TileLayout& tile, Axis axis) {
  Index out = 0;
  for (const auto& [on, value] : tile.offset)
    if (on == axis) out = value;
  return out;
}

// The greatest coordinate of each axis, as range_of() has it.
class Highest {
 public:
  Highest(const TileLayout& tile, const AxesOf& axes) {
    for (const auto& [axis, value] : tile.offset) low_[axes.of(axis)] = high_[axes.of(axis)] = value;
    for (const std::vector<Iter>* iters : {&tile.shard, &tile.replica})
      for (const Iter& iter : *iters) {
        const std::size_t at = axes.of(iter.axis);
        if (!accumulate((iter.stride < 0 ? low_ : high_)[at], iter.stride, iter.extent - 1))
          beyond_ |= std::uint32_t{1} << at;
      }
  }
  /// Nothing if a coordinate does not fit in 64 bits.
  [[nodiscard]] std::optional<Index> of(std::size_t at) const {
    return (beyond_ >> at & 1) != 0 ? std::nullopt : std::optional(high_[at]);
  }

 private:
  std::array<Index, kAxisCount> low_{}, high_{};
  std::uint32_t beyond_ = 0;  // a bit for each axis
};

void flat_iters(const std::vector<Iter>& iters, const AxesOf& axes, std::vector<Index>& out) {
  const std::size_t begin = out.size();
  out.resize(begin + 1 + 4 * iters.size());
  Index* to = &out[begin];
  *to++ = static_cast<Index>(iters.size());
  for (const Iter& iter : iters) {
    *to++ = 3, *to++ = iter.extent, *to++ = iter.stride;
    *to++ = static_cast<Index>(axes.of(iter.axis));
  }
}

void flat_numbers(const Layout& layout, const AxesOf& axes, std::vector<Index>& out) {
  const TileLayout& tile = *layout.tile;
  flat_iters(tile.shard, axes, out);
  flat_iters(tile.replica, axes, out);
  out.push_back(static_cast<Index>(tile.offset.size()));
  for (const auto& [axis, value] : tile.offset)
    for (const Index number : {Index{2}, value, static_cast<Index>(axes.of(axis))}) out.push_back(number);
  if (!layout.swizzle) return out.push_back(-1);
  const SwizzleLayout& swizzle = *layout.swizzle;
  for (const int number : {swizzle.per_element, swizzle.swizzle_len, swizzle.atom_len, swizzle.swizzle_inner ? 1 : 0})
    out.push_back(number);
}

}  // namespace

void form_of(const Layout& layout, const map::Tensor& tensor, use::PlaceForm& out) {
  const TileLayout& tile = *layout.tile;
  const AxesOf axes(tile, tensor);
  out.axes.clear(), out.extents.clear(), out.strides.clear(), out.on.clear(), out.origin.clear(), out.numbers.clear();
  for (const Axis axis : axes.axes()) {
    out.axes.push_back(info(axis).name);
    out.origin.push_back(offset_on(tile, axis));
  }
  out.elements = out.replicas = 1;
  for (const Iter& iter : tile.shard) {
    out.elements *= iter.extent;
    out.extents.push_back(iter.extent), out.strides.push_back(iter.stride), out.on.push_back(axes.of(iter.axis));
  }
  for (const Iter& iter : tile.replica) out.replicas *= iter.extent;
  out.swizzle = swizzle_of(layout, axes);
  flat_numbers(layout, axes, out.numbers);
}

bool has_use(const Layout& layout, const map::Tensor& tensor, Index most) {
  const TileLayout& tile = *layout.tile;
  const AxesOf axes(tile, tensor);
  const bool with_bank = axes.of(Axis::Bank) != kNoAxis;
  const auto swizzle = swizzle_of(layout, axes);
  Index places = 1;
  for (const Iter& iter : tile.replica) places *= iter.extent;
  const Highest highest(tile, axes);
  for (const Axis axis : axes.axes()) {
    const auto high = highest.of(axes.of(axis));
    const auto room = capacity(axis, map::bits(tensor.type), with_bank);
    Index extent = room.value_or(high ? std::max<Index>(*high + 1, 1) : 0);
    for (const map::Extent& box : tensor.box)
      if (axis_of(box.axis) == axis) extent = box.extent;
    const auto next = checked_mul(places, extent);
    const Index offset = offset_on(tile, axis);
    const Index first = swizzle && axis == Axis::M ? map::apply(*swizzle, offset) : offset;
    if (!next || *next > most || first < 0 || first >= extent) return false;
    places = *next;
  }
  return true;
}

}  // namespace vl::tirx
