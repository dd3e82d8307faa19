#include "verifier/claims/digits.h"

#include <algorithm>

namespace vl::claims {
namespace {

using map::Digit;
using map::DigitSum;

constexpr Index kMostSteps = Index{1} << 20;

// Whether floor((x + offset) / by) has one value over the range.
bool stays(const Digit& digit, Range x, Index by) {
  return floor_div(x.low + digit.offset, by) == floor_div(x.high + digit.offset, by);
}

// The x with the smallest and with the largest digit. If the digit wraps within the range: the two sides of the last
// carry.
Range extreme_inputs(const Digit& digit, Range x) {
  if (digit.modulus == 0 || stays(digit, x, digit.modulus)) return x;
  const Index carry = floor_div(x.high + digit.offset, digit.modulus) * digit.modulus - digit.offset;
  return {carry, carry - 1};
}

// Whether the value of a coordinate determines each of its digits: every coefficient exceeds the reach of the smaller
// ones.
bool reveals(const DigitSum& coordinate, const Box& box) {
  std::vector<Digit> digits = coordinate.digits;
  std::ranges::sort(digits, {}, &Digit::coefficient);
  Index reach = 0;
  for (const Digit& digit : digits) {
    if (digit.coefficient <= reach) return false;
    const Range x = extreme_inputs(digit, box[digit.input]);
    if (!accumulate(reach, digit.coefficient, map::value(digit, x.high) - map::value(digit, x.low))) return false;
  }
  return true;
}

// The logical dimensions along which the last physical coordinate changes.
std::optional<std::vector<std::size_t>> moving_last(const map::Layout& layout,
                                                    const std::vector<map::Coordinate>& all) {
  std::vector<std::size_t> out;
  if (layout.physical().rank() == 0) return out;
  const std::size_t last = layout.physical().rank() - 1;
  Index steps = kMostSteps;
  for (std::size_t i = 0; i < layout.logical().rank(); ++i) {
    const auto moves = map::depends(layout.map(), all[last], last, i, steps);
    if (!moves) return std::nullopt;
    if (*moves) out.push_back(i);
  }
  return out;
}

}  // namespace

std::optional<Structure> structure_of(const map::Layout& layout) {
  const auto is_swizzle = [](const map::Stage& stage) { return std::holds_alternative<map::Swizzle>(stage); };
  if (std::ranges::any_of(layout.map().stages(), is_swizzle)) return std::nullopt;
  const std::vector<map::Coordinate> all = map::shifted_digits_of(layout.map());
  Structure out;
  for (std::size_t j = 0; j < layout.physical().rank(); ++j) {
    const auto* sum = std::get_if<DigitSum>(&all[j]);
    const bool apart = sum != nullptr && map::inputs_of(all[j]).size() == sum->digits.size();
    out.coordinates.push_back(apart ? std::optional(*sum) : std::nullopt);
  }
  out.moves_last = moving_last(layout, all);
  return out;
}

std::optional<Extremes> extremes_of(const DigitSum& coordinate, const Box& box) {
  Extremes out{{coordinate.constant, coordinate.constant}, {}, {}};
  for (const Range& range : box) out.low.push_back(range.low);
  out.high = out.low;
  for (const Digit& digit : coordinate.digits) {
    const Range x = extreme_inputs(digit, box[digit.input]);
    out.low[digit.input] = x.low;
    out.high[digit.input] = x.high;
    if (!accumulate(out.values.low, digit.coefficient, map::value(digit, x.low)) ||
        !accumulate(out.values.high, digit.coefficient, map::value(digit, x.high)))
      return std::nullopt;
  }
  return out;
}

std::optional<Quotient> known_quotient(const Structure& structure, std::size_t known, std::size_t input,
                                       const Box& box) {
  std::vector<Digit> digits;
  for (std::size_t j = 0; j < known; ++j)
    if (structure.coordinates[j] && reveals(*structure.coordinates[j], box))
      std::ranges::copy_if(structure.coordinates[j]->digits, std::back_inserter(digits),
                           [&](const Digit& digit) { return digit.input == input; });
  // Downwards from the top: a digit continues the known part if it starts at its end.
  std::ranges::sort(digits, std::ranges::greater{}, &Digit::divisor);
  std::optional<Quotient> out;
  for (const Digit& digit : digits) {
    if (out && digit.offset != out->offset) return std::nullopt;
    if (const Index above = digit.modulus; above != 0) {
      const bool is_topmost = stays(digit, box[input], above);  // nothing above it varies
      if (!is_topmost && !(out && out->weight <= above && above % out->weight == 0)) break;
    }
    if (!out || digit.divisor < out->weight) out = Quotient{digit.offset, digit.divisor};
  }
  return out;
}

}  // namespace vl::claims
