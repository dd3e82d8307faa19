#include "encodings/spyre/derive.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "encodings/spyre/construct_parts.h"
#include "encodings/spyre/laws.h"
#include "encodings/spyre/slots.h"

namespace vl::spyre {
namespace {

std::optional<Error> check_derivable(const SpyreTensorLayout& layout) {
  if (layout.stride_map.empty())
    return refusal("a dim_map says nothing about host strides; expected a layout with a stride_map");
  const Index eps = layout.device_dtype.elements_per_stick;
  if (layout.device_size.back() != eps)
    return refusal(fmt::format("the last device dimension has {} elements, a stick of {} has {}",
                               layout.device_size.back(), layout.device_dtype.name, eps));
  return std::nullopt;
}

// The raw notation must be able to state a derived layout.
Result<SpyreTensorLayout> checked(SpyreTensorLayout layout) {
  const auto sticks = checked_product(std::span(layout.device_size).first(layout.device_size.size() - 1));
  if (!sticks || !checked_mul(*sticks, std::max(kStickBits / 8, layout.device_size.back())))
    return Error{ErrorCode::Overflow, "the derived device size in bytes does not fit in 64 bits"};
  return layout;
}

}  // namespace

std::optional<Host> constructed_host(const SpyreTensorLayout& layout) {
  if (!layout.host_size) return std::nullopt;
  if (layout.host_strides) return Host{*layout.host_size, *layout.host_strides};
  auto dense = map::dense_strides(*layout.host_size);
  if (!dense) return std::nullopt;
  return Host{*layout.host_size, std::move(*dense)};
}

Result<SpyreTensorLayout> restickify(const SpyreTensorLayout& layout, const Host& host, Index to) {
  VL_CHECK(host.size.size() == host.strides.size(), "a host with as many strides as sizes");
  if (auto error = check_derivable(layout)) return *error;
  if (layout.element_arrangement != "STANDARD")
    return refusal(fmt::format("sticks of the arrangement {} cannot be restickified; expected STANDARD",
                               layout.element_arrangement));
  const auto rank = static_cast<Index>(host.size.size());
  if (to < 0 || to >= rank) return refusal(fmt::format("{} is not a dimension of a host tensor of rank {}", to, rank));
  const auto known = constructed_slots(layout, host);
  const auto slots = known ? Result<std::vector<Index>>(*known) : inferred_slots(layout, host);
  if (!slots) return slots.error();
  const Index from = slots->back();
  if (from == kNoDim) return refusal("the stick is sparse: it holds one element and no dimension that could move");
  if (from == to) return refusal(fmt::format("host dimension {} has the stick already", to));
  const auto count = slot_of(layout, *slots, host, from);
  if (!count) return count.error();
  const auto place = slot_of(layout, *slots, host, to);
  if (!place) return place.error();

  SpyreTensorLayout out = layout;
  if (!move_stick(out, host.size, host.strides, {*count, *place}, from, to))
    return Error{ErrorCode::Overflow, fmt::format("the device stride of host dimension {} leaves 64 bits", to)};
  return checked(std::move(out));
}

namespace {

// The slot that counts the sticks, and the extent of the stick's dimension. Either may be unknown.
struct Sticks {
  std::optional<std::size_t> slot;
  std::optional<Index> extent;
};

// The slot among the candidates: the only one, else the one at the constructor's place.
std::optional<std::size_t> choose(const std::vector<std::size_t>& candidates, std::size_t usual) {
  if (candidates.size() == 1) return candidates.front();
  return std::ranges::find(candidates, usual) != candidates.end() ? std::optional(usual) : std::nullopt;
}

// The given extent, which must equal the host's if that is known.
Result<Sticks> sticks_of_host(const SpyreTensorLayout& layout, const Conversion& conversion) {
  const Host& host = *conversion.host;
  const auto slots = constructed_slots(layout, host);
  const auto stick = slots ? Result<Index>(slots->back()) : stick_of(layout, host);
  if (!stick) return stick.error();
  const Index extent = host.size[at(*stick)];
  if (conversion.extent && *conversion.extent != extent)
    return refusal(
        fmt::format("the extent is given as {}, host dimension {} has {}", *conversion.extent, *stick, extent));
  if (!slots) return Sticks{std::nullopt, extent};
  const auto slot = slot_of(layout, *slots, host, *stick);
  if (!slot) return slot.error();
  return Sticks{*slot, extent};
}

// No other slot may have a step between one element and the whole of the stick's dimension: it would be a further tile
// of that dimension, or lie across it. If the extent is not known, its least possible value is used.
std::optional<Error> check_untiled(const SpyreTensorLayout& layout, const Sticks& sticks, bool as_upstream) {
  const Index lane = layout.stride_map.back();
  const Index count = layout.device_size[*sticks.slot];
  const auto least = sticks.extent ? sticks.extent : checked_mul(count - 1, layout.device_size.back());
  const auto whole = least ? checked_mul(lane, sticks.extent ? *least : *least + 1) : std::nullopt;
  if (!whole) return Error{ErrorCode::Overflow, "the offsets of the stick's dimension leave 64 bits"};
  const auto is_told_apart = [&](std::size_t j) {
    return j == *sticks.slot || (as_upstream && layout.stride_map[j] == layout.stride_map[*sticks.slot]);
  };
  for (std::size_t j = 0; j + 1 < layout.device_size.size(); ++j)
    if (!is_told_apart(j) && layout.device_size[j] > 1 && layout.stride_map[j] >= lane && layout.stride_map[j] < *whole)
      return refusal(
          fmt::format("device dimension {} steps by {}, within the {} of the stick's dimension: it is tiled, "
                      "expected one device dimension that counts sticks",
                      j, layout.stride_map[j], *whole));
  return std::nullopt;
}

Result<Sticks> sticks_of(const SpyreTensorLayout& layout, const Conversion& conversion) {
  auto known = conversion.host ? sticks_of_host(layout, conversion) : Sticks{std::nullopt, conversion.extent};
  if (!known || known->slot) return known;
  const std::optional<Index> extent = known->extent;
  if (extent && *extent < 0) return refusal(fmt::format("the extent {} is negative", *extent));
  const std::size_t last = layout.device_size.size() - 1;
  const Index eps = layout.device_size.back();
  const auto count_stride = checked_mul(layout.stride_map.back(), eps);
  const std::optional<Index> needed = extent ? std::optional<Index>(ceil_div(*extent, eps)) : std::nullopt;
  std::vector<std::size_t> candidates;
  for (std::size_t j = 0; j < last; ++j)
    if (count_stride && layout.stride_map[j] == *count_stride && (!needed || layout.device_size[j] == *needed))
      candidates.push_back(j);
  known->slot = choose(candidates, usual_count_slot(last + 1));
  if (candidates.empty() && needed && *needed == 1) known->slot = idle_count_slot(layout, count_stride);
  if (known->slot) {
    if (auto error = check_untiled(layout, *known, conversion.as_upstream)) return *error;
    return known;
  }
  if (!candidates.empty())
    return refusal(
        fmt::format("{} device dimensions may count the sticks: they step by {}", candidates.size(), *count_stride));
  return refusal(extent
                     ? fmt::format("no device dimension counts the {} stick(s) that {} elements take", *needed, *extent)
                     : fmt::format("no device dimension steps by a stick of {} elements", eps));
}

Result<Index> new_count(Index count, std::optional<Index> extent, Index eps, Index new_eps) {
  if (extent) return ceil_div(*extent, new_eps);
  if (eps == new_eps || count == 0) return count;
  const auto capacity = checked_mul(count, eps);
  if (!capacity) return Error{ErrorCode::Overflow, "the capacity of the sticks leaves 64 bits"};
  if (eps > new_eps)
    return refusal(
        fmt::format("{} stick(s) of {} elements hold {} to {} of them, which may take {} to {} sticks of {}; say "
                    "which: extent=…",
                    count, eps, *capacity - eps + 1, *capacity, ceil_div(*capacity - eps + 1, new_eps),
                    ceil_div(*capacity, new_eps), new_eps));
  if (*capacity % new_eps != 0)
    return refusal(
        fmt::format("{} stick(s) of {} elements are not a whole number of {}-element sticks; say how many "
                    "elements there are: extent=…",
                    count, eps, new_eps));
  return *capacity / new_eps;
}

bool is_staggered(std::string_view arrangement) {
  return arrangement == "DL16_TO_FP32" || arrangement == "FP32_TO_DL16" || arrangement == "QFP8CH";
}

}  // namespace

Result<SpyreTensorLayout> rescale(const SpyreTensorLayout& layout, const Conversion& conversion) {
  if (auto error = check_derivable(layout)) return *error;
  if (!conversion.arrangement && layout.element_arrangement != "STANDARD")
    return refusal(
        fmt::format("the layout's elements are arranged as {}; say how the result's are: element_arrangement=…",
                    layout.element_arrangement));
  const std::size_t last = layout.device_size.size() - 1;
  const Index eps = layout.device_size.back();
  const Index new_eps = conversion.format.elements_per_stick;
  const Index lane = layout.stride_map.back();
  SpyreTensorLayout out = layout;
  out.device_dtype = conversion.format;
  out.device_size[last] = new_eps;
  if (conversion.arrangement) out.element_arrangement = *conversion.arrangement;
  if (lane < 0) {
    if (is_staggered(out.element_arrangement)) out.element_arrangement = "STANDARD";
    return checked(std::move(out));
  }
  if (lane == 0) return refusal("the stick holds copies of one element: its stride is 0");
  const auto sticks = sticks_of(layout, conversion);
  if (!sticks) return sticks.error();
  const auto count = new_count(layout.device_size[*sticks->slot], sticks->extent, eps, new_eps);
  if (!count) return count.error();
  const auto stride = checked_mul(lane, new_eps);
  if (!stride) return Error{ErrorCode::Overflow, "the device stride of the sticks leaves 64 bits"};
  const bool idle = layout.stride_map[*sticks->slot] < 0 && *count == 1;
  out.device_size[*sticks->slot] = *count;
  out.stride_map[*sticks->slot] = idle ? kNoDim : *stride;
  return checked(std::move(out));
}

namespace {

// Strides for another size, as dense as the old ones and in the same order of dimensions. If several orders fit (sizes
// of 1), the one that is closest to row-major.
Result<std::vector<Index>> like(const Host& host, std::span<const Index> size) {
  std::vector<std::size_t> order(host.size.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return host.strides[a] > host.strides[b]; });
  std::vector<Index> out(size.size(), 1);
  Index old_stride = 1;
  Index stride = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    const std::size_t dim = order[k];
    if (host.size[dim] != 1 && host.strides[dim] != old_stride)
      return refusal(
          fmt::format("a tensor of size [{}] with host strides [{}] is not dense: the strides of size [{}] are "
                      "unknown",
                      fmt::join(host.size, ", "), fmt::join(host.strides, ", "), fmt::join(size, ", ")));
    out[dim] = stride;
    const auto next_old = checked_mul(old_stride, std::max<Index>(host.size[dim], 1));
    const auto next = checked_mul(stride, std::max<Index>(size[dim], 1));
    if (!next_old || !next) return Error{ErrorCode::Overflow, "the strides of the new size do not fit in 64 bits"};
    old_stride = *next_old;
    stride = *next;
  }
  return out;
}

Result<SpyreTensorLayout> sized(const SpyreTensorLayout& layout, const Host& host, std::span<const Index> size,
                                const std::vector<Index>& order) {
  const auto strides = like(host, size);
  if (!strides) return strides.error();
  auto out = construct(size, *strides, layout.device_dtype, order);
  if (!out) return out;
  out->element_arrangement = layout.element_arrangement;
  out->host_size = std::vector<Index>(size.begin(), size.end());
  if (const auto dense = map::dense_strides(size); !dense || *dense != *strides) out->host_strides = *strides;
  out->dim_order = order;
  return checked(std::move(*out));
}

Result<SpyreTensorLayout> resize_raw(const SpyreTensorLayout& layout, std::span<const Index> size,
                                     const std::vector<Index>& old_size) {
  if (old_size.size() > kMostRankOfOrders)
    return refusal(fmt::format("the dim order of a raw layout is searched up to rank {}, not {}", kMostRankOfOrders,
                               old_size.size()));
  auto strides = map::dense_strides(old_size);
  if (!strides) return strides.error();
  const Host host{old_size, std::move(*strides)};
  std::optional<SpyreTensorLayout> only;
  std::vector<Index> first;
  for (const std::vector<Index>& order : orders_of(layout, host)) {
    auto made = sized(layout, host, size, order);
    if (!made) return made;
    if (only && !same_slots(*only, *made))
      return refusal(fmt::format(
          "the dim orders [{}] and [{}] both give this layout to size [{}], and they differ for size [{}]",
          fmt::join(first, ", "), fmt::join(order, ", "), fmt::join(old_size, ", "), fmt::join(size, ", ")));
    if (only) {
      only->dim_order.reset();  // one of several: not known
    } else {
      only = std::move(*made);
      first = order;
    }
  }
  if (only) return *only;
  return refusal(
      fmt::format("no dim order gives this layout to a dense tensor of size [{}]: no rule says what another size has",
                  fmt::join(old_size, ", ")));
}

}  // namespace

Result<SpyreTensorLayout> resize(const SpyreTensorLayout& layout, std::span<const Index> size,
                                 const std::optional<std::vector<Index>>& old_size) {
  if (auto error = check_derivable(layout)) return *error;
  const auto host = constructed_host(layout);
  if (host && old_size && *old_size != host->size)
    return refusal(fmt::format("the old size is given as [{}], the constructor was given [{}]",
                               fmt::join(*old_size, ", "), fmt::join(host->size, ", ")));
  if (!host && !old_size)
    return refusal("a raw layout does not say the size it was made for; say which: resize(…, old_size=…)");
  const std::vector<Index>& before = host ? host->size : *old_size;
  if (before.size() != size.size())
    return Error{ErrorCode::Shape, fmt::format("{} sizes for a layout of {}; another rank has no dim order to keep",
                                               size.size(), before.size())};
  for (const std::span<const Index> sizes : {std::span<const Index>(before), size})
    for (const Index extent : sizes)
      if (extent < 0) return refusal(fmt::format("the size {} is negative", extent));
  if (!host || !constructed_slots(layout, *host)) return resize_raw(layout, size, before);
  return sized(layout, *host, size, *layout.dim_order);
}

}  // namespace vl::spyre
