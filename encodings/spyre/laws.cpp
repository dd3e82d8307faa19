#include "encodings/spyre/laws.h"

#include <algorithm>
#include <numeric>

#include "encodings/spyre/slots.h"

namespace vl::spyre {
namespace {

std::vector<std::vector<Index>> orders_before(const SpyreTensorLayout& before, const Host& host) {
  if (constructed_slots(before, host)) return {*before.dim_order};
  const bool raw = !before.stride_map.empty() && !before.host_size && host.size.size() <= kMostRankOfOrders;
  return raw ? orders_of(before, host) : std::vector<std::vector<Index>>();
}

}  // namespace

std::vector<std::vector<Index>> orders_of(const SpyreTensorLayout& layout, const Host& host) {
  std::vector<std::vector<Index>> found;
  std::vector<Index> order(host.size.size());
  std::iota(order.begin(), order.end(), Index{0});
  do {
    for (const bool sparse : {false, true}) {
      std::vector<Index> with = order;
      if (sparse) with.push_back(kNoDim);
      if (with.empty()) continue;
      const auto made = construct(host.size, host.strides, layout.device_dtype, with);
      if (made && same_slots(*made, layout)) found.push_back(std::move(with));
    }
  } while (std::ranges::next_permutation(order).found);
  return found;
}

std::optional<SpyreTensorLayout> law_of(const Derived& derived) {
  if (!derived.host) return std::nullopt;
  const Host& after = derived.host_after ? *derived.host_after : *derived.host;
  std::optional<SpyreTensorLayout> law;
  for (std::vector<Index>& order : orders_before(derived.before, *derived.host)) {
    if (derived.to) {
      const auto place = std::ranges::find(order, *derived.to);
      if (place == order.end() || order.back() == kNoDim) return std::nullopt;
      std::iter_swap(place, order.end() - 1);
    }
    auto made = construct(after.size, after.strides, derived.after.device_dtype, order);
    if (!made || (law && !same_slots(*law, *made))) return std::nullopt;
    law = std::move(*made);
  }
  if (law) law->element_arrangement = derived.after.element_arrangement;
  return law;
}

}  // namespace vl::spyre
