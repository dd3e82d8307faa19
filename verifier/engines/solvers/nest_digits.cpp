#include "verifier/engines/solvers/nest_digits.h"

#include <algorithm>
#include <numeric>

namespace vl::engines {
namespace {

using smt::Formula;
using smt::Linear;
using smt::Obligation;
using smt::TermId;
using use::Nest;
using use::Walk;

using Loops = std::vector<std::size_t>;
using Wide = __int128;

Wide magnitude(Index value) { return value < 0 ? -Wide{value} : Wide{value}; }

Loops all_loops(const Nest& nest) {
  Loops loops(nest.extents.size());
  std::iota(loops.begin(), loops.end(), std::size_t{0});
  return loops;
}

// Of `among`, those that move or that stand still under this walk; loops of extent 1 are neither.
Loops select(const Nest& nest, const Walk& walk, const Loops& among, bool moving) {
  Loops out;
  for (const std::size_t k : among)
    if (nest.extents[k] > 1 && (walk.strides[k] != 0) == moving) out.push_back(k);
  return out;
}

// The first loop, by ascending |stride|, that does not exceed what the smaller ones reach.
std::optional<std::size_t> breaks_nesting(const Nest& nest, const Walk& walk, Loops loops) {
  std::ranges::stable_sort(loops, {}, [&](std::size_t k) { return magnitude(walk.strides[k]); });
  Wide reach = 0;
  for (const std::size_t k : loops) {
    if (magnitude(walk.strides[k]) <= reach) return k;
    reach += magnitude(walk.strides[k]) * (nest.extents[k] - 1);
  }
  return std::nullopt;
}

std::optional<std::size_t> breaks_nesting(const Nest& nest, bool reading) {
  const Loops loops = all_loops(nest);
  const auto broken = breaks_nesting(nest, nest.destination, select(nest, nest.destination, loops, true));
  if (broken || !reading) return broken;
  const Loops still = select(nest, nest.destination, loops, false);
  return breaks_nesting(nest, nest.source, select(nest, nest.source, still, true));
}

// The nest with loop k at one value. Its numbers stay within the whole nest's ranges.
Nest slice(const Nest& nest, std::size_t k, Index value) {
  Nest out = nest;
  out.extents[k] = 1;
  for (Walk* walk : {&out.source, &out.destination}) {
    VL_CHECK(accumulate(walk->offset, walk->strides[k], value), "a nest beyond 64 bits");
    walk->strides[k] = 0;
  }
  return out;
}

// The digits that a value has by a walk's nested loops.
struct Digits {
  Terms digits;      // one a loop
  Formula in_range;  // the rest is 0, and each digit is below its extent
};

// The value is variable + shift.
std::optional<Digits> digits_of(Obligation& obligation, TermId variable, Index shift, const Nest& nest,
                                const Walk& walk, const Loops& loops) {
  std::vector<Index> weights;
  for (const std::size_t k : loops) {
    const auto weight = walk.strides[k] < 0 ? checked_mul(walk.strides[k], -1) : walk.strides[k];
    // Backwards: from the lowest offset on.
    if (!weight || (walk.strides[k] < 0 && !accumulate(shift, *weight, nest.extents[k] - 1))) return std::nullopt;
    weights.push_back(*weight);
  }
  if (weights.empty() || weights.back() != 1) weights.push_back(1);
  const auto size = checked_add(obligation.range(variable).high, 1);
  if (!size) return std::nullopt;
  auto space = map::Space::create({{"n", *size}});
  if (!space) return std::nullopt;
  const auto split = map::Map::create(std::move(*space), {map::Affine{{{shift, {{0, 1}}}}}, map::Split{0, weights}});
  if (!split) return std::nullopt;
  Digits out;
  out.digits = obligation.apply(*split, {variable});
  std::vector<Formula> in_range;
  for (std::size_t j = 0; j < out.digits.size(); ++j)
    in_range.push_back(smt::within(out.digits[j], 0, j < loops.size() ? nest.extents[loops[j]] - 1 : 0));
  out.digits.resize(loops.size());
  out.in_range = smt::all_of(std::move(in_range));
  return out;
}

// base - offset, what a number must be added to be a sum of the loops' steps.
std::optional<Index> shift_of(const OffsetTerm& place, const Walk& walk) {
  Index shift = place.memory->base;
  if (!accumulate(shift, walk.offset, -1)) return std::nullopt;
  return shift;
}

// What the loops that stand still in the destination have to add to the source's offset, when the others stand at these
// digits: a variable that is this sum - low.
struct Rest {
  TermId variable = 0;
  Index low = 0;
  Formula digits_are_meant;  // the loops' variables are the digits
};

std::optional<Rest> rest_of(Obligation& obligation, const Nest& nest, const Loops& moving, const Terms& digits,
                            const OffsetTerm& read) {
  const auto shift = shift_of(read, nest.source);
  if (!shift) return std::nullopt;
  Linear sum{*shift, {{read.number, 1}}};
  map::Range range{*shift, *shift};
  if (!accumulate(range.high, obligation.range(read.number).high, 1)) return std::nullopt;
  std::vector<Formula> meant;
  for (std::size_t j = 0; j < moving.size(); ++j) {
    const std::size_t k = moving[j];
    const Index last = nest.extents[k] - 1;
    const TermId at = obligation.variable({0, last});
    meant.push_back(nest.destination.strides[k] > 0 ? smt::equals(at, digits[j])
                                                    : smt::is_zero({-last, {{at, 1}, {digits[j], 1}}}));
    const auto step = checked_mul(nest.source.strides[k], -1);
    if (!step || !accumulate(*step < 0 ? range.low : range.high, *step, last)) return std::nullopt;
    if (*step != 0) sum.terms.emplace_back(at, *step);
  }
  const auto up = checked_mul(range.low, -1);
  const auto width = up ? checked_add(range.high, *up) : std::nullopt;
  const auto constant = up ? checked_add(sum.constant, *up) : std::nullopt;
  if (!width || !constant) return std::nullopt;
  Rest out{obligation.variable({0, *width}), range.low, smt::all_of(std::move(meant))};
  sum.constant = *constant;
  sum.terms.emplace_back(out.variable, -1);
  obligation.require(smt::is_zero(std::move(sum)));
  return out;
}

}  // namespace

std::optional<Loops> nested(const Nest& nest, const Walk& walk, const Loops& among) {
  Loops loops = select(nest, walk, among, true);
  if (breaks_nesting(nest, walk, loops)) return std::nullopt;
  std::ranges::stable_sort(loops, std::greater<>(), [&](std::size_t k) { return magnitude(walk.strides[k]); });
  return loops;
}

bool tells_iterations(const Nest& nest, bool reading) {
  if (breaks_nesting(nest, reading)) return false;
  const Loops still = select(nest, nest.destination, all_loops(nest), false);
  return reading ? select(nest, nest.source, still, false).empty() : still.empty();
}

std::optional<std::vector<Nest>> nested_slices(const Nest& nest, bool reading, std::size_t most) {
  std::vector<Nest> out{nest};
  while (const auto k = breaks_nesting(out.front(), reading)) {
    std::vector<Nest> slices;
    const Index extent = nest.extents[*k];
    if (extent > static_cast<Index>(most / out.size())) return std::nullopt;
    for (const Nest& part : out)
      for (Index value = 0; value < extent; ++value) slices.push_back(slice(part, *k, value));
    out = std::move(slices);
  }
  return out;
}

std::optional<Formula> unmoved(Obligation& obligation, const Nest& nest, const OffsetTerm& written,
                               const std::optional<OffsetTerm>& read) {
  const Loops loops = all_loops(nest);
  const auto moving = nested(nest, nest.destination, loops);
  VL_CHECK(moving.has_value(), "strides that do not nest");
  const auto shift = shift_of(written, nest.destination);
  if (!shift) return std::nullopt;
  const auto digits = digits_of(obligation, written.number, *shift, nest, nest.destination, *moving);
  if (!digits) return std::nullopt;
  if (!read) return smt::negate(digits->in_range);
  const auto rest = rest_of(obligation, nest, *moving, digits->digits, *read);
  if (!rest) return std::nullopt;
  const auto still = nested(nest, nest.source, select(nest, nest.destination, loops, false));
  VL_CHECK(still.has_value(), "strides that do not nest");
  const auto others = digits_of(obligation, rest->variable, rest->low, nest, nest.source, *still);
  if (!others) return std::nullopt;
  return smt::any_of({smt::negate(digits->in_range),
                      smt::all_of({digits->in_range, rest->digits_are_meant, smt::negate(others->in_range)})});
}

}  // namespace vl::engines
