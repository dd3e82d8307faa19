// Run: one interpreter for the three kinds of stage, over values of any sort. What a value is, and what a stage makes
// of it, says a *value domain*:
//
//   points          what a stage computes                         evaluate, trace, Evaluator    map.h
//   intervals       what a value lies in                          Map::create, bounds()         bounds.h
//   digit sums      which digits of which inputs a value adds     digits_of()                   digits.h
//   linear forms    rows over inputs and the digits of splits     verifier/engines/forms
//   bit matrices    exclusive-or of columns, one an input bit     verifier/engines/bits
//
// A domain may refuse a stage: intervals where 64 bits are left, bit matrices where an addition may carry. It is
// *sound* when, at every point of the map's space, what it says of an output holds of evaluate()'s output there.
//
// Not everything that looks at stages is such a domain. What rewrites stages (undo, text, checks) is none, and neither
// are affine pieces (pieces.h): they take the space apart, so that all values at once belong to a part of it. The
// oracle and the checker have loops over stages of their own, whose heads say why.
//
// Example: intervals through split(0; 64, 1), from [0, 149]: [0, 2] and [0, 63].
#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <vector>

#include "encodings/map/map.h"

namespace vl::map {

/// What run() asks of a domain. Each function writes the result and says whether it is known; the first `false` ends
/// the run. `in` has all values before the stage, `x` is the one that the stage takes apart or changes.
template <class Domain>
concept ValueDomain = requires(Domain& domain, std::span<const typename Domain::Value> in,
                               const typename Domain::Value& x, typename Domain::Value& out,
                               std::span<typename Domain::Value> digits, const Row& row, const Split& split,
                               const Swizzle& swizzle) {
  { domain.row(row, in, out) } -> std::same_as<bool>;
  { domain.split(split, x, digits) } -> std::same_as<bool>;  // as many digits as weights
  { domain.swizzle(swizzle, x, out) } -> std::same_as<bool>;
};

/// How many values there are behind a stage that `inputs` values go into. Split(0; 64, 1) of 3 values: 4.
[[nodiscard]] inline std::size_t values_after(const Stage& stage, std::size_t inputs) {
  if (const auto* affine = std::get_if<Affine>(&stage)) return affine->rows.size();
  const auto* split = std::get_if<Split>(&stage);
  return split != nullptr ? inputs + split->weights.size() - 1 : inputs;
}

/// One stage. Requires: it fits `in`, as in a checked map; `out` has room for values_after(stage, in.size()) values
/// that are none of `in`. False when the domain refuses; what `out` holds is unspecified then.
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

/// All stages, from `values` to `values`. Requires: as step(). False when the domain refuses a stage; `values` are
/// those before it.
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
