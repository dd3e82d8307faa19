// Run: one interpreter for the three kinds of stages, over any kind of values. A *value domain* defines the values and
// the effect of each stage on them:
//
//   points          the numbers that a stage computes             evaluate, trace, Evaluator    map.h
//   intervals       ranges of values                              Map::create, bounds()         bounds.h
//   digit sums      sums of digits of inputs                      digits_of()                   digits.h
//   linear forms    rows over inputs and the digits of splits     verifier/engines/forms
//   bit matrices    exclusive-or of columns, one per input bit    verifier/engines/bits
//
// A domain may refuse a stage: intervals if 64 bits are left, bit matrices if an addition may carry. It is *sound* if,
// at every point of the map's space, its statement about an output is true of evaluate()'s output.
//
// Code that rewrites stages (undo, text, checks) is not a domain. Neither are affine pieces (pieces.h): they divide the
// space, so that all values at once belong to a part of it. The oracle and the checker have their own loops over
// stages; their heads say why.
//
// Example: intervals through split(0; 64, 1), from [0, 149]: [0, 2] and [0, 63].
#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <vector>

#include "encodings/map/map.h"

namespace vl::map {

/// The functions of a domain. Each one writes the result and returns whether it is known; the first `false` ends the
/// run. `in` has all values before the stage, `x` is the value that the stage splits or swizzles.
template <class Domain>
concept ValueDomain = requires(Domain& domain, std::span<const typename Domain::Value> in,
                               const typename Domain::Value& x, typename Domain::Value& out,
                               std::span<typename Domain::Value> digits, const Row& row, const Split& split,
                               const Swizzle& swizzle) {
  { domain.row(row, in, out) } -> std::same_as<bool>;
  { domain.split(split, x, digits) } -> std::same_as<bool>;  // as many digits as weights
  { domain.swizzle(swizzle, x, out) } -> std::same_as<bool>;
};

/// The number of values after a stage with `inputs` inputs. Split(0; 64, 1) of 3 values: 4.
[[nodiscard]] inline std::size_t values_after(const Stage& stage, std::size_t inputs) {
  if (const auto* affine = std::get_if<Affine>(&stage)) return affine->rows.size();
  const auto* split = std::get_if<Split>(&stage);
  return split != nullptr ? inputs + split->weights.size() - 1 : inputs;
}

/// One stage. False if the domain refuses it; then `out` is unspecified. Requires: the stage fits `in`, as in a checked
/// map; `out` has room for values_after(stage, in.size()) values and does not overlap `in`.
template <ValueDomain Domain>
[[nodiscard]] bool step(Domain& domain, const Stage& stage, std::span<const typename Domain::Value> in,
                        typename Domain::Value* out) {
  if (const auto* affine = std::get_if<Affine>(&stage))
    return std::ranges::all_of(affine->rows, [&](const Row& row) { return domain.row(row, in, *out++); });
  if (const auto* split = std::get_if<Split>(&stage)) {
    const auto at = in.begin() + static_cast<std::ptrdiff_t>(split->input);
    out = std::copy(in.begin(), at, out);
    std::copy(at + 1, in.end(), out + split->weights.size());
    return domain.split(*split, *at, {out, split->weights.size()});
  }
  const auto& swizzle = std::get<Swizzle>(stage);
  std::ranges::copy(in, out);
  return domain.swizzle(swizzle, in[swizzle.input], out[swizzle.input]);
}

/// All stages, from `values` to `values`. False if the domain refuses a stage; then `values` are those before that
/// stage. Requires: as step().
template <ValueDomain Domain>
[[nodiscard]] bool run(Domain& domain, std::span<const Stage> stages, std::vector<typename Domain::Value>& values) {
  for (const Stage& stage : stages) {
    std::vector<typename Domain::Value> next(values_after(stage, values.size()));
    if (!step(domain, stage, values, next.data())) return false;
    values = std::move(next);
  }
  return true;
}

}  // namespace vl::map
