// Masks for all sizes: the shape of the claim mask-exact, whose sizes are expressions.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "verifier/session/all_sizes.h"

namespace vl::session {

/// The sizes of a mask's shape: "9xMxN", or "[9, M, N]" where a name has an x. A word alone says why it is none that is
/// asked for all sizes. Errors: those of an expression.
[[nodiscard]] std::variant<std::vector<map::Expression>, TextError, std::string> mask_shape(const ClaimRequest& claim);

/// A rule's elements in the array of all shards side by side (encodings/use/shards.h), in the box that a mask of this
/// shape keeps of it. Nothing where there is no such array: its tiles go round the cores, or it has no cores; or it has
/// fewer than two dimensions. Requires: two sizes at least.
/// Example: 8 shards of S rows, and M rows of the mask: the box min(8*S, M).
[[nodiscard]] std::optional<map::Rule> kept_by_mask(const map::Rule& rule, const std::vector<map::Expression>& shape);

/// Gives the claim's mask numbers for its names; false where one has none, or more than 64 bits.
[[nodiscard]] bool number_mask(ClaimRequest& claim, const map::Sizes& sizes);

}  // namespace vl::session
