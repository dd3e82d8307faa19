#include "verifier/engines/solvers/propositional.h"

#include <optional>

#include "verifier/checker/questions.h"
#include "verifier/engines/engine.h"
#include "verifier/statements/layout_text.h"

namespace vl::engines {
namespace {

std::optional<clauses::Obligation::Kind> kind_of(const Question& question) {
  using Stated = clauses::Obligation;
  switch (question.kind) {
    case Kind::Escapes: return Stated::Escapes;
    case Kind::Collides: return question.other == nullptr ? std::optional(Stated::Collides) : std::nullopt;
    case Kind::Misdecodes: return Stated::Misdecodes;
    case Kind::Breaks: return Stated::Breaks;
    case Kind::Differs: return Stated::Differs;
    case Kind::Lands:
    case Kind::Misses:
    case Kind::Count:
    case Kind::Crowds: break;
  }
  return std::nullopt;
}

}  // namespace

PropositionalAnswer solve_propositional(const clauses::Obligation& obligation, const PropositionalBudget& budget) {
  try {
    return solve_propositional(clauses::encode(obligation), budget);
  } catch (const checker::Rejected& why) {
    PropositionalAnswer undecided;
    undecided.why = why.what();
    return undecided;
  }
}

// The checker's statements are stronger than two of the questions: of an element that decodes to another one that lives
// in the same slot, and of one that has no slot in both layouts. So what is found has to replay.
Answer decide_propositional(const Question& question, const Options& options) {
  const auto kind = kind_of(question);
  if (!kind) return Abstained{Reason::OutOfReach, "not one of the questions about points that have clauses"};
  const auto read = [](const map::Layout& said) {
    checker::LayoutText text = statements::text_for_checker(said);
    text.named.reset();
    return checker::parse_layout(text);
  };
  checker::Layout layout = read(*question.layout), other;
  if (question.other != nullptr) other = read(*question.other);
  const PropositionalBudget budget{PropositionalBudget{}.conflicts, options.budget};
  const PropositionalAnswer answer = solve_propositional({*kind, &layout, &other, &layout.physical}, budget);
  switch (answer.outcome) {
    case PropositionalAnswer::Outcome::None: return None{};
    case PropositionalAnswer::Outcome::Undecided: return Abstained{answer.reason, answer.why};
    case PropositionalAnswer::Outcome::Found: break;
  }
  Witness witness{answer.points[0], answer.points.size() > 1 ? answer.points[1] : Point{}, {}};
  if (question.kind == Kind::Differs) witness.p.resize(question.layout->logical().rank());
  if (!question::replay(question, witness))
    return Abstained{Reason::OutOfReach, "the checker's obligation asks for more"};
  return Found{std::move(witness), false};
}

}  // namespace vl::engines
