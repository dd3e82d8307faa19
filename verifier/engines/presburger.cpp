#include "verifier/engines/presburger.h"

#include <algorithm>
#include <bit>

#include "verifier/engines/integer_sets.h"
#include "verifier/engines/rows.h"
#include "verifier/engines/smt_terms.h"

namespace vl::engines {
namespace {

using smt::Formula;
using Rows = std::vector<Row>;

constexpr std::size_t kMostAlternatives = 1024;
constexpr std::uint64_t kMostOperations = 200'000;

struct BeyondBits {};  // thrown where a coefficient leaves 64 bits, caught in this file
struct TooMany {};     // alternatives

std::uint64_t operations_of(const Options& options) {
  const auto wall = static_cast<std::uint64_t>(std::max<std::int64_t>(options.budget.wall.count(), 1));
  return std::min(kMostOperations, wall < kMostOperations ? 100 * wall : kMostOperations);
}

Row sum_of(const Row& a, const Row& b, Index factor) {
  Row sum = a;
  if (!add(sum, b, factor)) throw BeyondBits{};
  auto sorted = map::canonical(std::move(sum));
  if (!sorted) throw BeyondBits{};
  return std::move(*sorted);
}

Row combine(const Row& row, const Rows& values) {
  Row sum{row.constant, {}};
  for (const map::Term& term : row.terms) sum = sum_of(sum, values[term.input], term.coefficient);
  return sum;
}

// The unknowns so far and what holds of them.
class System {
 public:
  IntegerSets sets;

  Row unknown() { return map::pick(sets.unknowns++); }
  Row unknown(Range range) {
    Row row = unknown();
    bound(row, range);
    return row;
  }
  /// low <= row <= high.
  void bound(const Row& row, Range range) {
    at_least_zero(sum_of(row, Row{1, {}}, minus(range.low)));
    at_least_zero(sum_of(Row{range.high, {}}, row, -1));
  }
  void at_least_zero(Row row) { sets.common.non_negative.push_back(std::move(row)); }

  /// The values after the stages. `map` tells the ranges of values, where they are known.
  Rows run(std::span<const map::Stage> stages, Rows values, const map::Map* map = nullptr) {
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const std::vector<Range>* before = map != nullptr ? &map->ranges(s) : nullptr;
      const std::vector<Range>* after = map != nullptr ? &map->ranges(s + 1) : nullptr;
      if (const auto* affine = std::get_if<map::Affine>(&stages[s])) {
        Rows next;
        for (const Row& row : affine->rows) next.push_back(combine(row, values));
        values = std::move(next);
      } else if (const auto* cut = std::get_if<map::Split>(&stages[s])) {
        const auto at = static_cast<std::ptrdiff_t>(cut->input);
        Rows digits = split(values[cut->input], cut->weights, after != nullptr ? after->data() + at : nullptr);
        values.erase(values.begin() + at);
        values.insert(values.begin() + at, digits.begin(), digits.end());
      } else {
        const auto& swizzle = std::get<map::Swizzle>(stages[s]);
        VL_CHECK(before != nullptr, "a swizzle of values without a range");
        Row& value = values[swizzle.input];
        value = swizzled(value, swizzle, (*before)[swizzle.input].high);
      }
    }
    return values;
  }

 private:
  struct Quotient {
    Row of;
    Index weight = 1;
    Row value;
  };

  static Index minus(Index value) {
    const auto negated = checked_mul(value, -1);
    if (!negated) throw BeyondBits{};
    return *negated;
  }

  Row quotient(const Row& of, Index weight) {
    for (const Quotient& known : quotients_)
      if (known.weight == weight && known.of == of) return known.value;
    Row value = unknown();
    bound(sum_of(of, value, -weight), {0, weight - 1});
    quotients_.push_back({of, weight, value});
    return value;
  }

  Rows split(Row rest, std::span<const Index> weights, const Range* ranges) {
    Rows digits;
    for (std::size_t k = 0; k + 1 < weights.size(); ++k) {
      const bool fixed = rest.terms.empty() || (ranges != nullptr && ranges[k].low == ranges[k].high);
      Row digit;
      if (!fixed) digit = quotient(rest, weights[k]);
      else digit.constant = rest.terms.empty() ? floor_div(rest.constant, weights[k]) : ranges[k].low;
      rest = sum_of(rest, digit, -weights[k]);
      digits.push_back(std::move(digit));
    }
    digits.push_back(std::move(rest));
    return digits;
  }

  Row swizzled(const Row& value, const map::Swizzle& swizzle, Index high) {
    const bool down = swizzle.direction == map::Swizzle::Direction::Down;
    const int from = down ? swizzle.base + swizzle.shift : swizzle.base;
    const int to = down ? swizzle.base : swizzle.base + swizzle.shift;
    const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(high)));
    Row out = value;
    std::vector<Row> bits(63);
    std::vector<bool> known(63, false);
    const auto bit = [&](int position) -> Row {  // floor(value / 2^position) mod 2
      const auto at = static_cast<std::size_t>(position);
      if (position >= width) return Row{};
      if (!known[at]) {
        const Row upper = quotient(value, Index{1} << position);
        const Row above = position + 1 < width ? quotient(value, Index{1} << (position + 1)) : Row{};
        bits[at] = sum_of(upper, above, -2);
        known[at] = true;
      }
      return bits[at];
    };
    for (int i = 0; i < swizzle.bits && from + i < width; ++i) {
      const Row source = bit(from + i);
      const Row target = bit(to + i);
      const Row carry = unknown({0, 1});
      bound(sum_of(sum_of(target, source, 1), carry, -2), {0, 1});
      out = sum_of(out, sum_of(source, carry, -2), Index{1} << (to + i));
    }
    return out;
  }

  std::vector<Quotient> quotients_;
};

Constraints both(Constraints a, const Constraints& b) {
  a.zero.insert(a.zero.end(), b.zero.begin(), b.zero.end());
  a.non_negative.insert(a.non_negative.end(), b.non_negative.begin(), b.non_negative.end());
  return a;
}

// A formula, or its negation, as alternatives: a disjunction of conjunctions of linear constraints.
class Alternatives {
 public:
  explicit Alternatives(const Rows& terms) : terms_(terms) {}

  [[nodiscard]] std::vector<Constraints> of(const Formula& formula, bool holds) const {
    switch (formula.kind) {
      case Formula::Kind::AtMostZero: {
        const Row row = row_of(formula.linear);
        return {holds ? at_least_zero(sum_of({}, row, -1)) : at_least_zero(sum_of(Row{-1, {}}, row, 1))};
      }
      case Formula::Kind::IsZero: {
        const Row row = row_of(formula.linear);
        if (holds) return {Constraints{{row}, {}}};
        return {at_least_zero(sum_of(Row{-1, {}}, row, 1)), at_least_zero(sum_of(Row{-1, {}}, row, -1))};
      }
      case Formula::Kind::Not: return of(formula.operands.at(0), !holds);
      case Formula::Kind::And: return holds ? all(formula.operands, true) : any(formula.operands, false);
      case Formula::Kind::Or: return holds ? any(formula.operands, true) : all(formula.operands, false);
    }
    VL_CHECK(false, "unknown formula");
  }
  [[nodiscard]] std::vector<Constraints> all(const std::vector<Formula>& operands, bool hold) const {
    std::vector<Constraints> out(1);
    for (const Formula& operand : operands) {
      std::vector<Constraints> next;
      for (const Constraints& more : of(operand, hold))
        for (const Constraints& so_far : out) append(next, both(so_far, more));
      out = std::move(next);
    }
    return out;
  }

 private:
  static Constraints at_least_zero(Row row) { return {{}, {std::move(row)}}; }

  // A contradiction between constants is left out at once.
  static void append(std::vector<Constraints>& out, Constraints next) {
    const auto never = [](bool zero) {
      return [zero](const Row& row) { return row.terms.empty() && (zero ? row.constant != 0 : row.constant < 0); };
    };
    if (std::ranges::any_of(next.zero, never(true)) || std::ranges::any_of(next.non_negative, never(false))) return;
    if (out.size() == kMostAlternatives) throw TooMany{};
    out.push_back(std::move(next));
  }

  [[nodiscard]] std::vector<Constraints> any(const std::vector<Formula>& operands, bool hold) const {
    std::vector<Constraints> out;
    for (const Formula& operand : operands)
      for (Constraints& one : of(operand, hold)) append(out, std::move(one));
    return out;
  }

  [[nodiscard]] Row row_of(const smt::Linear& linear) const {
    Row sum{linear.constant, {}};
    for (const auto& [term, coefficient] : linear.terms) sum = sum_of(sum, terms_[term], coefficient);
    return sum;
  }

  const Rows& terms_;
};

Row constant_or(Row row, Range range) { return range.low == range.high ? Row{range.low, {}} : row; }

IntegerSets sets_of(const smt::Obligation& obligation) {
  System system;
  Rows terms(obligation.terms());
  for (const smt::TermId variable : obligation.variables())
    terms[variable] = constant_or(system.unknown(obligation.range(variable)), obligation.range(variable));
  system.sets.shown = system.sets.unknowns;
  for (const smt::Obligation::Application& application : obligation.applications()) {
    Rows arguments;
    for (const smt::TermId argument : application.arguments) arguments.push_back(terms[argument]);
    const Rows outputs = system.run(application.map.stages(), std::move(arguments), &application.map);
    std::ranges::copy(outputs, terms.begin() + static_cast<std::ptrdiff_t>(application.first_output));
  }
  system.sets.alternatives = Alternatives(terms).all(obligation.required(), true);
  return std::move(system.sets);
}

// p and q agree before some coordinate, and p is smaller there.
std::vector<Constraints> precedes(const Rows& p, const Rows& q) {
  std::vector<Constraints> out;
  Constraints equal_so_far;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Row step = sum_of(q[i], p[i], -1);
    out.push_back(both(equal_so_far, {{}, {sum_of(Row{-1, {}}, step, 1)}}));
    equal_so_far.zero.push_back(step);
  }
  return out;
}

IntegerSets collisions(std::span<const map::Stage> stages, const AllSizes& box) {
  System system;
  Rows sizes;
  for (std::size_t i = 0; i < box.sizes; ++i) sizes.push_back(system.unknown());
  for (const Row& condition : box.conditions) system.at_least_zero(combine(condition, sizes));
  const auto point = [&] {
    Rows out;
    for (const Row& extent : box.extents) {
      out.push_back(system.unknown());
      system.at_least_zero(out.back());
      system.at_least_zero(sum_of(sum_of(combine(extent, sizes), out.back(), -1), Row{-1, {}}, 1));
    }
    return out;
  };
  const Rows p = point();
  const Rows q = point();
  system.sets.shown = system.sets.unknowns;
  const Rows a = system.run(stages, p);
  const Rows b = system.run(stages, q);
  for (std::size_t j = 0; j < a.size(); ++j) system.sets.common.zero.push_back(sum_of(a[j], b[j], -1));
  system.sets.alternatives = precedes(p, q);
  return std::move(system.sets);
}

constexpr const char* kBeyond = "a coefficient leaves 64 bits";

}  // namespace

Solved solve_by_sets(const smt::Obligation& obligation, const Options& options) try {
  Emptiness emptiness = point_of(sets_of(obligation), operations_of(options));
  if (auto* sample = std::get_if<Sample>(&emptiness))
    return {smt::Satisfiable{std::move(sample->values)}, sample->smallest};
  if (auto* undecided = std::get_if<smt::Undecided>(&emptiness)) return {std::move(*undecided), false};
  return {smt::Unsatisfiable{}, false};
} catch (const BeyondBits&) {
  return {smt::Undecided{smt::Undecided::Why::Incomplete, kBeyond}, false};
} catch (const TooMany&) {
  return {smt::Undecided{smt::Undecided::Why::Incomplete, "more than 1024 cases"}, false};
}

Answer decide_presburger(const Question& question, const Options& options) {
  return decide_by([&](const smt::Obligation& obligation) { return solve_by_sets(obligation, options); }, question);
}

std::variant<None, SizedCollision, Abstained> injective_for_all(std::span<const map::Stage> stages, const AllSizes& box,
                                                                const Options& options) try {
  if (std::ranges::any_of(stages, [](const map::Stage& stage) { return std::holds_alternative<map::Swizzle>(stage); }))
    return Abstained{Reason::OutOfReach, "a swizzle of numbers without a bound"};
  const Emptiness emptiness = point_of(collisions(stages, box), operations_of(options));
  if (std::holds_alternative<smt::Unsatisfiable>(emptiness)) return None{};
  if (const auto* undecided = std::get_if<smt::Undecided>(&emptiness)) return abstained(*undecided);
  const std::vector<Index>& values = std::get<Sample>(emptiness).values;
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(box.sizes);
  const auto second = first + static_cast<std::ptrdiff_t>(box.extents.size());
  return SizedCollision{{values.begin(), first}, {first, second}, {second, values.end()}};
} catch (const BeyondBits&) {
  return Abstained{Reason::OutOfReach, kBeyond};
}

}  // namespace vl::engines
