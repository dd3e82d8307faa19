#include "verifier/claims/proofs/maker.h"

#include <algorithm>

#include "verifier/claims/proofs/pieces.h"
#include "verifier/engines/linear/linear_equations.h"
#include "verifier/engines/solvers/propositional.h"

namespace vl::claims {
namespace {

using checker::ByWalking;
using checker::Evidence;
using checker::Proof;
using checker::Questions;

constexpr long long kWalk = 1 << 20;       // points that are walked over where no other form shows a statement
constexpr long long kWalkPairs = 1 << 16;  // places of two layouts that are compared by walking

std::vector<Index> narrowed(const std::vector<checker::Wide>& row) {
  std::vector<Index> out;
  out.reserve(row.size());
  for (const checker::Wide& number : row) out.push_back(number.narrow());
  return out;
}
std::vector<std::vector<Index>> narrowed(const std::vector<std::vector<checker::Wide>>& rows) {
  std::vector<std::vector<Index>> out;
  out.reserve(rows.size());
  for (const auto& row : rows) out.push_back(narrowed(row));
  return out;
}

bool is_over_digits(const Proof& proof) {
  return std::holds_alternative<checker::ByDigits>(proof) || std::holds_alternative<checker::BySteps>(proof) ||
         std::holds_alternative<checker::ByCount>(proof) || std::holds_alternative<checker::ByEquations>(proof) ||
         std::holds_alternative<checker::ByCover>(proof);
}

}  // namespace

Maker::Maker(const checker::Layout& a, const checker::Layout* b, Effort& effort) : a_(a), b_(b), effort_(effort) {
  Evidence none;
  box_ = Questions(a, b, none).box();
  parts_ = {a_.logical, a_.map.domain.rank() - a_.logical, box_.rank() - a_.map.domain.rank()};
}

void Maker::find_digits(const Show& look) {
  digits_ = digits_for(box_, parts_, [&](const Groups& groups) {
    checker::require(!effort_.is_spent(), "no more work");
    over(groups, look);
  });
}

void Maker::find_digits_of_places() {
  const PieceTask task{a_,    b_, parts_, &Evidence::collides, [](Questions& q) { static_cast<void>(q.outputs(0)); },
                       false, 1};
  if (digits_) return;
  if (auto whole = pieces_for(task, effort_)) digits_ = whole->digits.front();
}

// One walk is enough: the whole is checked in the end.
bool Maker::settle(Field field, std::vector<Candidate> candidates, const Show& show) {
  for (Candidate& candidate : candidates) {
    if (!candidate || (is_over_digits(*candidate) && !digits_)) continue;
    const auto digits = is_over_digits(*candidate) ? digits_ : evidence_.digits;
    const bool shows = std::holds_alternative<ByWalking>(*candidate) || unless_rejected([&] {
                         Evidence alone;
                         alone.*field = candidate, alone.digits = digits;
                         Questions questions(a_, b_, alone);
                         return show(questions), true;
                       });
    if (!shows) continue;
    evidence_.*field = std::move(candidate), evidence_.digits = digits;
    return true;
  }
  return false;
}

bool Maker::settle_by_pieces(Field field, bool slots_only, const Show& show) {
  auto found = pieces_for({a_, b_, parts_, field, show, slots_only}, effort_);
  return found && settle(field, {std::move(*found)}, show);
}

bool Maker::settle_by_clauses(Field field, checker::Obligation::Kind kind, const checker::Space& box,
                              const Show& show) {
  if (effort_.is_spent()) return false;
  auto found = engines::solve_propositional({kind, &a_, b_, &box}, {effort_.conflicts(), effort_.budget()});
  if (found.outcome != engines::PropositionalAnswer::Outcome::None) return false;
  return settle(field, {checker::ByClauses{found.variables, found.clauses, std::move(found.drat)}}, show);
}

Candidate Maker::walk() const {
  return !effort_.is_spent() && box_.volume() <= kWalk ? Candidate(ByWalking{}) : std::nullopt;
}

bool Maker::show_no_meeting(std::int64_t at) {
  const bool solved =
      take_digits() && unless_rejected([&] {
        const auto made = over(*digits_, [&](Questions& asked) { return asked.meeting(at); });
        engines::LinearEffort effort;
        const auto answer = engines::solve({narrowed(made.rows), narrowed(made.right), narrowed(made.extents)}, effort);
        const auto* none = std::get_if<engines::Unsolvable>(&answer);
        if (none != nullptr) evidence_.overlaps = checker::ByNoSolution{none->proof};
        return none != nullptr;
      });
  if (solved) return true;
  const bool is_small = a_.map.domain.volume() + b_->map.domain.volume() <= kWalkPairs;
  if (is_small) evidence_.overlaps = ByWalking{}, evidence_.digits.reset();
  return is_small;
}

bool Maker::show_whole_sticks() {
  find_digits_of_places();
  if (!take_digits()) return false;
  over(*digits_, [&](Questions& asked) {
    std::vector<checker::Form> rows = asked.outputs(0);
    const std::size_t rank = a_.physical.rank();
    if (rank > 0) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(rank - 1));
    evidence_.sticks = checker::BySteps{peel_steps(asked.forms(), std::move(rows), {})};
  });
  return true;
}

Candidate Maker::one_to_one() const {
  if (!digits_) return {};
  return unless_rejected([&]() -> Candidate {
    const auto made = over(*digits_, [](Questions& asked) { return asked.telling(); });
    engines::LinearEffort effort;
    engines::OneToOne proved = engines::one_to_one(narrowed(made.rows), narrowed(made.extents), effort);
    if (!std::holds_alternative<engines::Unsolvable>(proved.answer)) return {};
    return checker::ByEquations{{std::move(proved.order), std::move(proved.first)}};
  });
}

}  // namespace vl::claims
