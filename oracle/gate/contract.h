// Contracts: what a peer's own document requires of the input of an operation, as a closed list of words. A case is
// within the contract if it has every property, else outside; without words the contract is unstated. Only what a peer
// does within its contract can be a defect of its refusals; outside, an answer is no finding.
//
//   any                no requirement
//   injective          no two elements, or replicas of them, share a slot
//   bijective          injective, and every slot of the layout's box holds an element
//   no-replicas        every element has one place
//   no-swizzle, no-offset
//   memory-only        no thread axes
//   positive-strides   no step of an element leads to a lower address
//   powers-of-two      all extents of the tensor are powers of two
//
// Cases of place.at with more than 2^16 elements are outside of injective, bijective and positive-strides, which say
// something about every element.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/gate/cases.h"

namespace vl::gate {

enum class Standing : unsigned char { Within, Outside, Unstated };
[[nodiscard]] std::string_view name(Standing standing);

[[nodiscard]] const std::vector<std::string_view>& contract_words();
[[nodiscard]] bool is_contract(std::string_view word);

/// No two elements or replicas share a place.
[[nodiscard]] bool is_injective(const map::Layout& layout);
/// Requires: is_contract(word).
[[nodiscard]] bool has_property(const Case& of, std::string_view word);
/// Requires: every word is_contract().
[[nodiscard]] Standing standing_of(const Case& of, std::span<const std::string> contract);

}  // namespace vl::gate
