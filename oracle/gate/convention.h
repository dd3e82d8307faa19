// Conventions: what documents leave open, as data. A law that a peer never stated is no defect: with a declared value
// the gate judges under that value, without one under every admissible value, and reports which are consistent with
// all answers. None consistent with all of them: the smallest count of contradictions is reported as disagreement. It
// is never guessed case by case.
//
//   tile.outer-offset   derive.tile: the offset of the outer layout counts spans of the inner one (scaled), as its
//                       strides do, or single steps (unscaled)
//   place.replicas      place, place.at: an element's places are all of them (all), or that of replica 0 (base-only)
//   cosize.swizzle      measure.cosize: one more than the largest address of an element (swizzled), or of the layout
//                       before its swizzle (tile)
//   inverse.outside     derive.left-inverse: what the answer says of numbers beyond its size, where the layout's places
//                       are: its last mode goes on (last-mode), its last mode of more than one number
//                       does (coalesced), or nothing (reject)
//   divide.outside, product.outside
//                       derive.divide, derive.product: what the layout says beyond its size, where tiles that do not
//                       divide it ask: the same three
//   cost.unit           cost: the wavefronts of an access, the greatest number that one phase takes (ways), or those
//                       beyond one a phase (excess)
//   neutral.arithmetic  neutral: in which order a row is combined, and in which type (neutral.h)
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace vl::gate {

struct Convention {
  std::string_view name;
  std::string_view op;  // of which it is one
  std::vector<std::string_view> values;
};

[[nodiscard]] std::span<const Convention> conventions();
/// Null if there is none.
[[nodiscard]] const Convention* find_convention(std::string_view name);
/// That of an operation; null if it has none.
[[nodiscard]] const Convention* convention_of(std::string_view op);
[[nodiscard]] std::vector<std::string_view> convention_names();
/// Whether an operation can be judged under it: a value of its convention, or empty.
[[nodiscard]] bool is_convention_of(std::string_view op, std::string_view value);

}  // namespace vl::gate
