// Slots: the host dimension of each device dimension of a layout. The constructor's dim order states it. For a raw
// layout it is found by strides, and refused if more than one reading is possible.
//
// Example: (2,2,65,64) f16 in [2,65,1,2,64], [4160,64,64,8320,1]. The last slot steps by 1: dimension 3, the stick.
// Slot 0 is dimension 1, slot 3 dimension 0. Slots 1 and 2 both step by 64; 64 elements need one stick, so slot 1,
// which has 65 positions, is dimension 2, and slot 2 counts the sticks: {1, 2, 3, 0, 3}.
#pragma once

#include "encodings/spyre/derive.h"

namespace vl::spyre {

constexpr Index kNoDim = -1;  // of a slot without a host dimension: sparse, copies, only one position

[[nodiscard]] constexpr std::size_t at(Index dim) { return static_cast<std::size_t>(dim); }

/// The refusal of a layout that a derivation does not cover.
[[nodiscard]] inline Error refusal(std::string why) { return Error{ErrorCode::Value, std::move(why)}; }

/// The slot that counts sticks in every layout of the constructor: the third from the end, or the first of two.
[[nodiscard]] constexpr std::size_t usual_count_slot(std::size_t slots) { return slots > 2 ? slots - 3 : 0; }

[[nodiscard]] bool same_slots(const SpyreTensorLayout& a, const SpyreTensorLayout& b);

/// The host dimension of each slot, by the constructor's dim order; nothing if the layout has none, was made for
/// another host, or does not follow construct()'s rule.
[[nodiscard]] std::optional<std::vector<Index>> constructed_slots(const SpyreTensorLayout& layout, const Host& host);

/// The same by strides. A slot of one position is kNoDim, except for the one that counts the sticks.
/// Requires: layout.stride_map is not empty.
/// Error: Value if the stick is sparse or replicated, or if a slot with more than one position does not have the step
/// of exactly one host dimension, or has fewer positions than it needs.
[[nodiscard]] Result<std::vector<Index>> inferred_slots(const SpyreTensorLayout& layout, const Host& host);

/// The host dimension of the stick's lanes: the only one with that stride and a size other than 1.
[[nodiscard]] Result<Index> stick_of(const SpyreTensorLayout& layout, const Host& host);

/// The slot that counts the sticks if one stick is enough: it has one position and steps by `count_stride` or by -1.
[[nodiscard]] std::optional<std::size_t> idle_count_slot(const SpyreTensorLayout& layout,
                                                         std::optional<Index> count_stride);

/// The slot before the lanes that belongs to `dim`; for a dimension of size 1 without a slot, the idle slot that is
/// left.
[[nodiscard]] Result<std::size_t> slot_of(const SpyreTensorLayout& layout, std::span<const Index> slots,
                                          const Host& host, Index dim);

}  // namespace vl::spyre
