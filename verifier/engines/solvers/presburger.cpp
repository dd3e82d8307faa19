#include "verifier/engines/solvers/presburger.h"

#include <algorithm>
#include <functional>
#include <map>

#include "verifier/engines/forms/rows.h"
#include "verifier/engines/forms/symbolic.h"
#include "verifier/engines/solvers/integer_sets.h"
#include "verifier/engines/solvers/smt_terms.h"

namespace vl::engines {
namespace {

using smt::Formula;
using Rows = std::vector<Row>;

constexpr std::size_t kMostAlternatives = 1024;
constexpr std::int64_t kMostOperations = 50'000;

constexpr const char* kNotLinear = "a swizzle, or a number beyond 64 bits";
constexpr const char* kBeyond = "a coefficient leaves 64 bits";
constexpr const char* kTooMany = "more than 1024 cases";

std::uint64_t operations_of(const Budget& budget) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(budget.work(kMostOperations), 1));
}

// With a larger budget isl may answer otherwise: it may decide, or find the smallest point.
void note(const Emptiness& emptiness, const Budget& budget) {
  const auto* undecided = std::get_if<smt::Undecided>(&emptiness);
  const auto* sample = std::get_if<Sample>(&emptiness);
  const bool limited = (undecided != nullptr && undecided->why == smt::Undecided::Why::ResourceLimit) ||
                       (sample != nullptr && !sample->smallest);
  if (limited && operations_of(budget) < static_cast<std::uint64_t>(kMostOperations)) budget.mark_spent();
}

// RowSums of rows. Once one of them is not known, `undone` says why, and what was made of them means nothing.
class RowSums {
 public:
  const char* undone = nullptr;

  Row known(std::optional<Row> row, const char* otherwise = kBeyond) {
    if (!row) undone = otherwise;
    return std::move(row).value_or(Row{});
  }
  Row combine(const Row& row, const Rows& values) { return known(map::combined(row, values)); }
  // a + factor·b
  Row sum(const Row& a, const Row& b, Index factor) { return combine({0, {{0, 1}, {1, factor}}}, {a, b}); }
  Row above(const Row& row, Index low) { return sum(row, Row{low, {}}, -1); }  // row - low
  // low <= row <= high.
  void bound(Constraints& constraints, const Row& row, Range range) {
    constraints.non_negative.push_back(above(row, range.low));
    constraints.non_negative.push_back(sum(Row{range.high, {}}, row, -1));
  }
};

Constraints both(Constraints a, const Constraints& b) {
  a.zero.insert(a.zero.end(), b.zero.begin(), b.zero.end());
  a.non_negative.insert(a.non_negative.end(), b.non_negative.begin(), b.non_negative.end());
  return a;
}

// A formula, or its negation, as alternatives: a disjunction of conjunctions of linear constraints.
class Alternatives {
 public:
  Alternatives(RowSums& sums, const Symbolic& symbolic, const Rows& terms)
      : sums_(sums), symbolic_(symbolic), terms_(terms) {}

  [[nodiscard]] std::vector<Constraints> of(const Formula& formula, bool holds) const {
    switch (formula.kind) {
      case Formula::Kind::AtMostZero: {
        const Row row = row_of(formula.linear);
        return {at_least_zero(holds ? sums_.sum({}, row, -1) : sums_.above(row, 1))};
      }
      case Formula::Kind::IsZero: {
        const Row row = row_of(formula.linear);
        if (holds) return {Constraints{{row}, {}}};
        return {at_least_zero(sums_.above(row, 1)), at_least_zero(sums_.sum(Row{-1, {}}, row, -1))};
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
        for (const Constraints& so_far : out)
          if (sums_.undone == nullptr) append(next, both(so_far, more));
      out = std::move(next);
    }
    return out;
  }

 private:
  static Constraints at_least_zero(Row row) { return {{}, {std::move(row)}}; }

  // A contradiction between constants is left out at once.
  void append(std::vector<Constraints>& out, Constraints next) const {
    const auto never = [](bool zero) {
      return [zero](const Row& row) { return row.terms.empty() && (zero ? row.constant != 0 : row.constant < 0); };
    };
    if (std::ranges::any_of(next.zero, never(true)) || std::ranges::any_of(next.non_negative, never(false))) return;
    if (out.size() < kMostAlternatives) out.push_back(std::move(next));
    else sums_.undone = kTooMany;
  }

  [[nodiscard]] std::vector<Constraints> any(const std::vector<Formula>& operands, bool hold) const {
    std::vector<Constraints> out;
    for (const Formula& operand : operands)
      for (Constraints& one : of(operand, hold)) append(out, std::move(one));
    return out;
  }

  [[nodiscard]] Row row_of(const smt::Linear& linear) const {
    Row sum{linear.constant, {}};
    for (const auto& [term, coefficient] : linear.terms) sum = sums_.sum(sum, terms_[term], coefficient);
    return sums_.known(symbolic_.simplify(std::move(sum)));
  }

  RowSums& sums_;
  const Symbolic& symbolic_;
  const Rows& terms_;
};

// Outputs that variables have to equal wherever the obligation holds.
std::map<smt::TermId, smt::TermId> outputs_of_variables(const smt::Obligation& obligation) {
  std::map<smt::TermId, smt::TermId> out;
  const auto is_variable = [&](smt::TermId term) { return std::ranges::binary_search(obligation.variables(), term); };
  const std::function<void(const Formula&)> look = [&](const Formula& formula) {
    if (formula.kind == Formula::Kind::And) std::ranges::for_each(formula.operands, look);
    if (formula.kind != Formula::Kind::IsZero || formula.linear.constant != 0 || formula.linear.terms.size() != 2)
      return;
    const auto& [a, b] = std::pair(formula.linear.terms[0], formula.linear.terms[1]);
    if (a.second == 1 && b.second == -1 && is_variable(a.first) && !is_variable(b.first)) out.emplace(a.first, b.first);
  };
  std::ranges::for_each(obligation.required(), look);
  return out;
}

// The atoms of a symbolic map and what holds of them.
void describe_atoms(RowSums& sums, const Symbolic& symbolic, IntegerSets& sets) {
  sets.unknowns = symbolic.atoms().size();
  for (std::size_t i = 0; i < symbolic.atoms().size(); ++i) sums.bound(sets.common, map::pick(i), symbolic.atoms()[i]);
  for (const Node& node : symbolic.nodes()) {
    Row rest = node.source;
    for (std::size_t k = 0; k < node.weights.size(); ++k) {
      rest = sums.sum(rest, map::pick(node.digits[k]), -node.weights[k]);
      if (node.weights[k] == 1) sets.common.zero.push_back(rest);
      else sums.bound(sets.common, rest, {0, node.weights[k] - 1});
    }
  }
}

IntegerSets sets_of(RowSums& sums, const smt::Obligation& obligation) {
  Box box;
  for (const smt::TermId variable : obligation.variables()) box.push_back(obligation.range(variable));
  Symbolic symbolic(std::move(box));
  Rows terms(obligation.terms());
  const Rows inputs = symbolic.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) terms[obligation.variables()[i]] = inputs[i];
  const auto outputs_of = outputs_of_variables(obligation);
  for (const smt::Obligation::Application& application : obligation.applications()) {
    Rows values;
    for (const smt::TermId argument : application.arguments) {
      const auto output = outputs_of.find(argument);  // known by now if it comes before
      const bool known = output != outputs_of.end() && output->second < application.first_output;
      values.push_back(terms[known ? output->second : argument]);
    }
    if (!symbolic.run(application.map.stages(), values)) {
      sums.undone = kNotLinear;
      return {};
    }
    std::ranges::copy(values, terms.begin() + static_cast<std::ptrdiff_t>(application.first_output));
  }
  IntegerSets sets;
  sets.shown = inputs.size();
  describe_atoms(sums, symbolic, sets);
  sets.alternatives = Alternatives(sums, symbolic, terms).all(obligation.required(), true);
  return sets;
}

}  // namespace

Solved solve_by_sets(const smt::Obligation& obligation, const Budget& budget) {
  RowSums sums;
  const IntegerSets sets = sets_of(sums, obligation);
  if (sums.undone != nullptr) return {smt::Undecided{smt::Undecided::Why::Incomplete, sums.undone}, false};
  if (budget.stopped()) return {smt::stopped_by(budget), false};
  Emptiness emptiness = point_of(sets, operations_of(budget));
  note(emptiness, budget);
  if (auto* sample = std::get_if<Sample>(&emptiness))
    return {smt::Satisfiable{std::move(sample->values)}, sample->smallest};
  if (auto* undecided = std::get_if<smt::Undecided>(&emptiness)) return {std::move(*undecided), false};
  return {smt::Unsatisfiable{}, false};
}

Answer decide_presburger(const Query& query, const Options& options) {
  if (std::holds_alternative<BankQuestion>(query.of)) return abstain("words modulo banks are left to bit-vectors");
  return decide_by([](const smt::Obligation& obligation, const Budget& left,
                      smt::Theory) { return solve_by_sets(obligation, left); },
                   query, options);
}

}  // namespace vl::engines
