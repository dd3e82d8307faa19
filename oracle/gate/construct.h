// Construct: a library is given a layout that may be none, and takes it or refuses it. `given` is the text in question,
// and for families with parts also a tree, `given_parts`, which says the same; `layout` is a right one near it. A text
// is valid if the family's reader takes it and the claim well-formed is proved. Only families of which that is known
// ask it (use::Campaign::refusals).
//
//   valid and taken, invalid and refused    agree
//   valid and refused                       refused-valid, within the contract; else refused
//   invalid and taken                       invalid-accepted; outside of the contract accepted-invalid
//
// Not decided: a text that is too large for 64 bits, that has another number of elements than the tensor, or that can
// be read and has no map here (a swizzle over addresses below 0): no document refuses these.
//
// Example: S[(2,2):(4@laneid,1@wgid)] is refuted, since wgid beside laneid lacks the warps of a warpgroup.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "oracle/gate/drawn.h"

namespace vl::gate {

/// Why a text is none of its family's for this tensor; empty if it is one, nothing if that is not decided.
[[nodiscard]] std::optional<std::string> refusal_of(const use::Family& family, std::string_view text,
                                                    const map::Tensor& tensor);
/// Adds given and given_parts: in half of the cases a text with one number or name changed so that it is refused, else
/// one that is not. False: none was found.
[[nodiscard]] bool add_given(const use::Family& family, Random& random, const Drawn& drawn, Json& request);
/// Passes on requests of which `given`, or what stands beside it, is smaller.
void smaller_given(const Case& of, const std::function<void(Json)>& take);

}  // namespace vl::gate
