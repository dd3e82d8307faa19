#include "verifier/claims/proofs/certify_rules.h"

#include <algorithm>
#include <exception>

#include "verifier/checker/check.h"
#include "verifier/checker/rules.h"
#include "verifier/claims/proofs/certify_accesses.h"
#include "verifier/claims/proofs/evidence.h"
#include "verifier/engines/cells/named_moves.h"

namespace vl::claims {
namespace {

using checker::CaseStep;
using checker::ExpressionText;
using checker::RuleText;
using map::Expression;

ExpressionText text_for_rule(const Expression& expression) {
  using Part = Expression::Kind;
  ExpressionText out;
  switch (expression.kind()) {
    case Part::Integer: return {{}, expression.value()};
    case Part::Name: return {expression.name(), 0};
    case Part::Sum: out.word = "+"; break;
    case Part::Difference: out.word = "-"; break;
    case Part::Product: out.word = "*"; break;
    case Part::Quotient: out.word = "//"; break;
    case Part::Ceil: out.word = "ceil"; break;
    case Part::Remainder: out.word = "%"; break;
    case Part::Min: out.word = "min"; break;
    case Part::Max: out.word = "max"; break;
    case Part::Chosen: out.word = "?"; break;
  }
  for (const Expression& part : expression.parts()) out.parts.push_back(text_for_rule(part));
  return out;
}

RuleText::Expressions texts_for_rule(const std::vector<Expression>& expressions) {
  RuleText::Expressions out;
  for (const Expression& expression : expressions) out.push_back(text_for_rule(expression));
  return out;
}

const char* word_of(map::Condition::Relation relation) {
  using Relation = map::Condition::Relation;
  switch (relation) {
    case Relation::Less: return "<";
    case Relation::AtMost: return "<=";
    case Relation::AtLeast: return ">=";
    case Relation::Greater: return ">";
    case Relation::Equal: return "==";
  }
  VL_CHECK(false, "a relation of no kind");
}

std::vector<RuleText::Condition> texts_for_rule(const std::vector<map::Condition>& conditions) {
  std::vector<RuleText::Condition> out;
  out.reserve(conditions.size());
  for (const map::Condition& condition : conditions)
    out.push_back({text_for_rule(condition.left), word_of(condition.relation), text_for_rule(condition.right)});
  return out;
}

template <class Ask>
auto unless_open(Ask ask) {
  try {
    return ask();
  } catch (const checker::Undecided&) {
    throw engines::cells::Open{std::current_exception()};
  }
}

// What the checker's set of sizes answers the search.
class KnownSizes : public engines::cells::Sizes {
 public:
  KnownSizes(const checker::SizeSet& sizes, const std::vector<checker::Polynomial>& given)
      : sizes_(sizes), given_(given) {}
  [[nodiscard]] bool shows(const checker::Polynomial& p) const override { return sizes_.shows(p); }
  [[nodiscard]] bool decides(const checker::Polynomial& p) const override {
    return unless_open([&] { return sizes_.decides(p); });
  }
  [[nodiscard]] checker::Polynomial quotient(const checker::Polynomial& p,
                                             const checker::Polynomial& by) const override {
    return unless_open([&] { return sizes_.quotient(p, by); });
  }
  [[nodiscard]] checker::Wide rest(const checker::Polynomial& p, const checker::Wide& m) const override {
    return unless_open([&] { return sizes_.rest(p, m); });
  }
  [[nodiscard]] std::vector<checker::Polynomial> given() const override { return given_; }

 private:
  const checker::SizeSet& sizes_;
  const std::vector<checker::Polynomial>& given_;
};

engines::cells::NamedTask layouts_task(const checker::LeafGoal& goal, const KnownSizes& sizes) {
  using Kind = checker::LeafGoal::Kind;
  using engines::cells::Goal;
  engines::cells::NamedTask out{Goal::In, goal.layout, sizes, goal.other, goal.box, {}};
  if (goal.kind == Kind::Apart) out.goal = Goal::Apart;
  if (goal.kind == Kind::Occupied) out.goal = Goal::Count;
  if (goal.kind == Kind::Equal) out.goal = Goal::Equal;
  for (const RuleText::Level& level : goal.rule.levels) out.ends.push_back(goal.sizes.value(level.extent));
  return out;
}

engines::cells::NamedMovesTask moves_task(const checker::LeafGoal& goal, const KnownSizes& sizes) {
  using Kind = checker::LeafGoal::Kind;
  using engines::cells::NamedMovesGoal;
  const auto& [source, nests, hosts, strides] = *goal.nests;
  const NamedMovesGoal asked = goal.kind == Kind::Inside ? NamedMovesGoal::Inside
                               : goal.kind == Kind::Held ? NamedMovesGoal::Held
                                                         : NamedMovesGoal::Implement;
  return {asked, source, goal.layout, nests, hosts, strides, sizes};
}

// The steps of a leaf's goal. Rejected where none are found; Undecided where sizes have to be parted first.
engines::cells::NamedSteps steps_for(const checker::LeafGoal& goal) {
  const KnownSizes sizes(goal.sizes, goal.given);
  try {
    auto found = goal.nests == nullptr ? engines::cells::find(layouts_task(goal, sizes))
                                       : engines::cells::find(moves_task(goal, sizes));
    checker::require(found.has_value(), "a goal without steps");
    return std::move(*found);
  } catch (const engines::cells::Open& open) {
    std::rethrow_exception(open.step);
  }
}

// Instead of a quotient by names that is a variable of its own: a size of which it is taken is divided, v = by·v' + r.
// Both hold; the first has few cases, and the second one tells how two quotients by one name lie to each other.
std::optional<CaseStep> divided(const CaseStep& quotient, const checker::SizeSet& sizes) {
  if (quotient.step != "quotient") return std::nullopt;
  const checker::Polynomial p = checker::read_polynomial(*quotient.polynomial);
  const checker::Polynomial by = checker::read_polynomial(*quotient.divisor);
  for (std::size_t v = 0; !by.number() && v < checker::Polynomial::kVariables; ++v) {
    const auto variable = checker::Polynomial::variable(v);
    if (p.linear(v) != 1 || (p - variable).degree(v) > 0 || by.degree(v) > 0) continue;
    if (sizes.shows(by - 1 - variable)) continue;
    return CaseStep{"divide", {}, static_cast<std::int64_t>(v), {}, quotient.divisor};
  }
  return std::nullopt;
}

// The tree of steps; nothing when it grows too large. Rejected where a case does not hold. `divides`: sizes are, where
// they can be; `could_divide` says whether there is such a step.
std::optional<std::vector<CaseStep>> steps_of(const checker::Statement& statement, bool divides, bool& could_divide,
                                              const Effort& effort) {
  std::vector<CaseStep> out;
  std::vector<checker::SizeSet> open{checker::SizeSet(statement.rule->symbols)};
  while (!open.empty()) {
    if (out.size() > checker::kMostCases || effort.is_spent()) return std::nullopt;
    const checker::SizeSet sizes = std::move(open.back());
    open.pop_back();
    try {
      out.push_back(holding(statement, sizes));
    } catch (const checker::Undecided& no) {
      const auto other = divided(no.step, sizes);
      could_divide = could_divide || other;
      const CaseStep& step = divides && other ? *other : no.step;
      auto branches = sizes.branches(step);
      std::ranges::move(branches.rbegin(), branches.rend(), std::back_inserter(open));
      out.push_back(step);
    }
  }
  return out;
}

std::optional<std::vector<CaseStep>> any_steps(const checker::Statement& statement, const Effort& effort) {
  bool could_divide = false;
  auto steps = unless_rejected([&] { return steps_of(statement, false, could_divide, effort); });
  if (steps || !could_divide) return steps;
  return unless_rejected([&] { return steps_of(statement, true, could_divide, effort); });
}

}  // namespace

CaseStep holding(const checker::Statement& statement, const checker::SizeSet& sizes) {
  CaseStep out{"holds"};
  checker::check_sizes(statement, sizes, [&](const checker::LeafGoal& goal) {
    if (!out.goals) out.goals.emplace();
    return out.goals->emplace_back(steps_for(goal));
  });
  return out;
}

RuleText text_of(const map::Rule& rule) {
  RuleText out;
  for (const map::Symbol& symbol : rule.symbols) out.symbols.push_back({symbol.name, symbol.low});
  out.where = texts_for_rule(rule.where);
  out.logical = texts_for_rule(rule.logical), out.strides = texts_for_rule(rule.strides);
  if (rule.start.number() != 0) out.start = text_for_rule(rule.start);
  if (rule.offset.number() != 0) out.offset = text_for_rule(rule.offset);
  out.replicas = texts_for_rule(rule.replicas);
  for (const map::RuleLevel& level : rule.levels)
    out.levels.push_back({text_for_rule(level.weight), text_for_rule(level.extent)});
  for (const map::RulePlace& place : rule.places) {
    RuleText::Place& said = out.places.emplace_back();
    said.name = place.name, said.extent = text_for_rule(place.extent), said.constant = text_for_rule(place.constant);
    if (rule.fills_axes()) said.filled = text_for_rule(place.filled);
    for (const map::RuleTerm& term : place.terms) said.terms.push_back({term.input, text_for_rule(term.coefficient)});
  }
  if (const auto& swizzle = rule.swizzle)
    out.swizzle = {swizzle->input, swizzle->base, swizzle->bits, swizzle->shift,
                   swizzle->direction == map::Swizzle::Direction::Up};
  out.decodes = rule.decodes, out.named = rule.named_axes;
  for (const map::RuleNumber& number : rule.numbers) {
    if (!out.numbers) out.numbers.emplace();
    out.numbers->push_back({number.dims, number.levels});
    if (!number.of.empty()) out.joins.emplace();
  }
  for (const map::RuleNumber& number : out.joins ? rule.numbers : std::vector<map::RuleNumber>{}) {
    auto& terms = out.joins->emplace_back();
    for (const map::RuleTerm& term : number.of) terms.push_back({term.input, text_for_rule(term.coefficient)});
  }
  if (!rule.laws.empty()) out.laws = texts_for_rule(rule.laws);
  return out;
}

checker::Statement all_sizes_statement(const Claim& claim, const map::Rule& rule, std::span<const use::Rule> rules,
                                       const std::optional<Expression>& value, const Texts& texts) {
  checker::Statement out;
  state_texts(texts, out);
  out.claim = claim.name, out.verdict = "proved";
  out.rule = text_of(rule);
  if (value) out.value_expression = text_for_rule(*value);
  if (claim.lifted != Lifted::Rules) return out;
  out.rules.emplace();
  for (const use::Rule& one : rules) out.rules->push_back({one.statement, one.have, one.want});
  return out;
}

checker::AccessText rule_access_statement(const engines::Reach& lanes, const std::vector<Expression>& origin) {
  checker::AccessText out = access_statement(lanes);
  out.logical.clear();  // the tensor is the rule's
  if (!origin.empty()) out.origin = texts_for_rule(origin);
  return out;
}

checker::Statement with_nests(checker::Statement statement, const use::RuleTransfer& transfer, const map::Rule* from) {
  const auto walk = [](const use::RuleWalk& one) {
    RuleText::Expressions out{text_for_rule(one.offset)};
    for (const Expression& stride : one.strides) out.push_back(text_for_rule(stride));
    return out;
  };
  statement.rule_nests.emplace();
  for (const use::RuleNest& nest : transfer.nests)
    statement.rule_nests->push_back({texts_for_rule(nest.extents), walk(nest.host), walk(nest.device),
                                     from != nullptr ? std::optional(walk(nest.from)) : std::nullopt});
  return from != nullptr ? with_rule(std::move(statement), *from) : statement;
}

checker::Statement with_rule(checker::Statement statement, const map::Rule& other) {
  statement.from_rule = text_of(other);
  return statement;
}

std::optional<checker::Evidence> all_sizes_evidence(const checker::Statement& statement,
                                                    std::span<const map::Sizes> instances, const Effort& effort) {
  const checker::Metered metered(effort.most(), 4 * checker::kMostBytes);
  checker::Evidence out;
  const bool with_element = !statement.rules && statement.claim != "padding" && statement.claim != "bytes";
  for (const map::Sizes& sizes : instances) {
    checker::Integers numbers;
    for (const RuleText::Symbol& symbol : statement.rule->symbols) numbers.push_back(sizes.find(symbol.name)->second);
    const auto exist = [&] {
      checker::check_instance(*statement.rule, numbers, with_element);
      if (statement.from_rule) checker::check_instance(*statement.from_rule, numbers, false);
      return std::optional(true);
    };
    if (unless_rejected(exist)) {
      out.cases = {numbers, {}};
      break;
    }
  }
  if (!out.cases) return std::nullopt;
  if (!statement.rules || statement.rule->laws) {
    auto steps = any_steps(statement, effort);
    if (!steps) return std::nullopt;
    out.cases->steps = std::move(*steps);
  }
  const checker::Certificate made = certificate_of(statement, out);
  if (!checker::is_writable(made) || checker::check(made)) return std::nullopt;
  return out;
}

bool holds_for_all_sizes(const checker::Statement& statement, const Effort& effort) {
  const checker::Metered metered(effort.most(), 4 * checker::kMostBytes);
  return any_steps(statement, effort).has_value();
}

}  // namespace vl::claims
