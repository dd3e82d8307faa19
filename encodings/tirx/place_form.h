// A small layout's places as digits (encodings/use/place_form.h), and whether it is of use to a campaign: both from the
// numbers of its notation, without a map.
#pragma once

#include "encodings/tirx/tirx.h"
#include "encodings/use/place_form.h"

namespace vl::tirx {

/// Requires: lower(layout, tensor) gives a map, and the layout has a tile.
void form_of(const Layout& layout, const map::Tensor& tensor, use::PlaceForm& out);

/// Whether the first element of that map has a slot, and its box, times the replicas, at most `most` slots. Requires:
/// as form_of().
[[nodiscard]] bool has_use(const Layout& layout, const map::Tensor& tensor, Index most);

}  // namespace vl::tirx
