#include "verifier/checker/row_starts.h"

#include <algorithm>

namespace vl::checker {

template <class S>
kernel::BasicLayout<S> at_row_starts(kernel::BasicLayout<S> layout, Wide bytes, Wide bits) {
  kernel::enter(__FILE__);
  using OneStage = kernel::BasicStage<S>;
  require(bytes > 0 && bits > 0, "elements or an alignment without a size");
  kernel::BasicRow<S> place = layout.physical.number();
  OneStage with_place, split, without_quotient;
  if (layout.named) {
    const auto axis = std::ranges::find(layout.physical.names, "m");
    require(axis != layout.physical.names.end(), "a layout without a memory");
    place = {0, {{static_cast<std::size_t>(axis - layout.physical.names.begin()), 1}}};
    layout.physical = {{"rest"}, {1}}, layout.map.outputs = 0;  // no coordinate is kept
  }
  const std::size_t kept = layout.map.outputs;
  for (std::size_t j = 0; j < kept; ++j) with_place.rows.push_back({0, {{j, 1}}});
  without_quotient.rows = with_place.rows;
  with_place.rows.push_back(place), without_quotient.rows.push_back({0, {{kept + 1, 1}}});
  split.kind = OneStage::Kind::Split, split.input = kept, split.weights = {bytes * 8 / gcd(bytes * 8, bits), 1};
  for (const OneStage& stage : {with_place, split, without_quotient}) layout.map.stages.push_back(stage);
  layout.map.outputs = kept + 1, layout.map.size += static_cast<long long>(8 * (kept + place.terms.size() + 1));
  if (layout.logical > 0) layout.map.domain.extents[layout.logical - 1] = 1;
  layout.named = false, layout.decode.reset(), layout.filled.reset(), layout.identity.reset();
  return layout;
}

template Layout at_row_starts(Layout, Wide, Wide);
template kernel::BasicLayout<Polynomial> at_row_starts(kernel::BasicLayout<Polynomial>, Wide, Wide);

}  // namespace vl::checker
