// The third source of padded.h: device coordinates as sums of digits of one input each, and a map made of them.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "encodings/map/digits.h"
#include "encodings/map/layout.h"

namespace vl::use {

inline constexpr std::string_view kNotAlone =
    "a device dimension mixes dimensions of the tensor, or elements have no slot: state the padded tensor, padded=…";

/// The physical coordinates, each driven by at most one input. Nothing if one mixes inputs, if a guard is not always 0,
/// or if a coordinate that no input drives lies outside of the box.
[[nodiscard]] std::optional<std::vector<map::DigitSum>> digits_alone(const map::Layout& layout, const map::Map& map);

/// The map of these digits over larger inputs. A dimension that is longer than the layout's uses the digits that the
/// layout's own stages give to the longer one where these keep apart, since digits that its own values do not reach are
/// not among the layout's; else its digits over the layout go on. `lane`: a dimension of size 1 that steps along the
/// last coordinate if nothing else moves either.
/// Errors: Value where coordinates mix (kNotAlone) or digits do not divide one another.
/// Example: x0 of [60] on [2,64]: the layout's digits are lane x0. Over 128 values they are stick x0 div 64 and lane x0
/// mod 64.
[[nodiscard]] Result<std::vector<map::Stage>> stages_by_digits(const map::Layout& layout, std::span<const Index> size,
                                                               std::optional<std::size_t> lane);

}  // namespace vl::use
