#include "verifier/claims/proofs/certify_rules.h"

#include <algorithm>
#include <map>

#include "verifier/checker/check.h"
#include "verifier/checker/rules.h"
#include "verifier/claims/proofs/certify_accesses.h"
#include "verifier/claims/proofs/evidence.h"
#include "verifier/engines/cells/named_moves.h"
#include "verifier/kernel/reader/steps.h"

namespace vl::claims {
namespace {

using kernel::Polynomial;
namespace cells = engines::cells;
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

// What is asked at a leaf, with what is found there.
class FoundSizes final : public checker::SizeSet {
 public:
  FoundSizes(const std::vector<RuleText::Symbol>& symbols, cells::Place& place)
      : SizeSet(symbols, place.sizes()), place_(place) {}
  [[nodiscard]] bool shows(const Polynomial& p) const override { return place_.show(p); }
  [[nodiscard]] bool decides(const Polynomial& p) const override { return place_.decide(p); }
  [[nodiscard]] Polynomial quotient(const Polynomial& p, const Polynomial& by) const override {
    return place_.quotient(p, by);
  }
  [[nodiscard]] checker::Wide rest(const Polynomial& p, const checker::Wide& m) const override {
    return place_.rest(p, m);
  }

 private:
  cells::Place& place_;
};

cells::NamedTask layouts_task(const checker::LeafGoal& goal, const cells::SizeSearch& sizes) {
  using Kind = checker::LeafGoal::Kind;
  cells::NamedTask out{cells::Goal::In, goal.layout, sizes, goal.other, goal.box, {}};
  out.starts = goal.kind == Kind::Starts;
  if (goal.kind == Kind::Apart) out.goal = cells::Goal::Apart;
  if (goal.kind == Kind::Occupied) out.goal = cells::Goal::Count;
  if (goal.kind == Kind::Identity) out.goal = cells::Goal::Identity;
  if (goal.kind == Kind::Equal) out.goal = cells::Goal::Equal;
  for (const RuleText::Level& level : goal.rule.levels) out.ends.push_back(goal.sizes.value(level.extent));
  return out;
}

cells::NamedMovesTask moves_task(const checker::LeafGoal& goal, const cells::SizeSearch& sizes) {
  using Kind = checker::LeafGoal::Kind;
  using cells::NamedMovesGoal;
  const auto& [source, nests, hosts, strides] = *goal.nests;
  const NamedMovesGoal asked = goal.kind == Kind::Inside ? NamedMovesGoal::Inside
                               : goal.kind == Kind::Held ? NamedMovesGoal::Held
                                                         : NamedMovesGoal::Implement;
  return {asked, source, goal.layout, nests, hosts, strides, sizes};
}

// The steps of a leaf's goal. Rejected where none are found; Open where sizes have to be parted first.
cells::NamedSteps steps_for(const checker::LeafGoal& goal, const kernel::Sizes& known) {
  const cells::SizeSearch sizes(known, goal.given);
  auto found = goal.nests == nullptr ? cells::find(layouts_task(goal, sizes)) : cells::find(moves_task(goal, sizes));
  checker::require(found.has_value(), "a goal without steps");
  return std::move(*found);
}

// Instead of a quotient by names that is a variable of its own: a size of which it is taken is divided, v = by·v' + r.
// Both hold; the first has few cases, and the second one tells how two quotients by one name lie to each other.
std::optional<cells::NamedStep> divided(const cells::NamedStep& quotient, const kernel::Sizes& sizes) {
  if (quotient.name != "quotient") return std::nullopt;
  const Polynomial &p = quotient.numbers[0], &by = quotient.numbers[1];
  const cells::SizeSearch known(sizes, sizes.facts());
  for (std::size_t v = 0; !by.number() && v < Polynomial::kVariables; ++v) {
    const auto variable = Polynomial::variable(v);
    if (p.linear(v) != 1 || (p - variable).degree(v) > 0 || by.degree(v) > 0) continue;
    if (known.shows(by - 1 - variable)) continue;
    return cells::NamedStep{"divide", {cells::number(v), by}, {}};
  }
  return std::nullopt;
}

constexpr std::size_t kMostDepth = 100;  // of a tree, which is walked by recursion

// The tree of steps. `divides`: sizes are, where they can be; `could_divide` says whether there is such a step.
class CaseTree {
 public:
  CaseTree(const checker::Statement& statement, const Effort& effort, bool divides)
      : statement_(statement), effort_(effort), divides_(divides) {}

  // Rejected where a case does not hold; nothing when it grows too large.
  std::optional<checker::CasesProof> made() {
    cells::Place root(checker::sizes_of(statement_.rule->symbols), out_.steps);
    walk(root);
    return ended_ ? std::nullopt : std::optional(std::move(out_));
  }
  [[nodiscard]] bool could_divide() const { return could_divide_; }

 private:
  void walk(cells::Place& place) {
    ended_ = ended_ || ++places_ > checker::kMostCases || depth_ > kMostDepth || effort_.is_spent();
    if (ended_) return;
    std::optional<cells::NamedStep> next;
    try {
      holds(place);
    } catch (cells::Open& open) {
      next = std::move(open.step);
    } catch (const checker::OverBudget&) {
      throw;
    } catch (const checker::Rejected&) {
      if (!place.refute()) throw;  // else it holds of nothing
    }
    if (!next) return;
    const auto other = divided(*next, place.sizes());
    could_divide_ = could_divide_ || other;
    ++depth_;
    place.part(divides_ && other ? *other : *next, [&](cells::Place& part) { walk(part); });
    --depth_;
  }

  void holds(cells::Place& place) {
    std::vector<cells::NamedSteps> goals = claims::goals_of(statement_, place);
    cells::NamedStep leaf{"holds", {}, {}};
    for (cells::NamedSteps& goal : goals) leaf.numbers.push_back(cells::number(number_of(std::move(goal))));
    out_.steps.push_back(std::move(leaf));
  }

  // Of a goal among all, each of which is there once.
  std::size_t number_of(cells::NamedSteps goal) {
    std::string text;
    for (const cells::NamedStep& step : goal) text += kernel::print(step);
    if (!out_.goals) out_.goals.emplace();
    const auto [known, fresh] = goals_.try_emplace(std::move(text), out_.goals->size());
    if (fresh) out_.goals->push_back(std::move(goal));
    return known->second;
  }

  const checker::Statement& statement_;
  const Effort& effort_;
  bool divides_, could_divide_ = false, ended_ = false;
  std::size_t places_ = 0, depth_ = 0;
  checker::CasesProof out_;
  std::map<std::string, std::size_t> goals_;  // by their texts
};

}  // namespace

std::vector<cells::NamedSteps> goals_of(const checker::Statement& statement, cells::Place& place) {
  struct Again {};  // goals rest on all that is shown of the sizes
  for (;;) {
    const std::size_t before = place.written();
    std::vector<cells::NamedSteps> out;
    try {
      checker::check_sizes(statement, FoundSizes(statement.rule->symbols, place), [&](const checker::LeafGoal& goal) {
        if (place.written() != before) throw Again{};
        return out.emplace_back(steps_for(goal, place.sizes()));
      });
    } catch (const Again&) {
      continue;
    }
    if (place.written() == before) return out;
  }
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

std::optional<checker::CasesProof> all_sizes_cases(const checker::Statement& statement, const Effort& effort) {
  const checker::Metered metered(effort.most(), 4 * checker::kMostBytes);
  bool could_divide = false;
  for (const bool divides : {false, true}) {
    if (divides && !could_divide) break;
    CaseTree tree(statement, effort, divides);
    if (auto made = unless_rejected([&] { return tree.made(); })) return made;
    could_divide = tree.could_divide();
  }
  return std::nullopt;
}

std::optional<checker::Evidence> all_sizes_evidence(const checker::Statement& statement,
                                                    std::span<const map::Sizes> instances, const Effort& effort,
                                                    std::optional<checker::CasesProof> cases) {
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
      out.cases = {numbers, {}, {}};
      break;
    }
  }
  if (!out.cases) return std::nullopt;
  if (!statement.rules || statement.rule->laws) {
    if (!cases) cases = all_sizes_cases(statement, effort);
    if (!cases) return std::nullopt;
    out.cases->steps = std::move(cases->steps), out.cases->goals = std::move(cases->goals);
  }
  const checker::Certificate made = certificate_of(statement, out);
  if (!checker::is_writable(made) || checker::check(made)) return std::nullopt;
  return out;
}

}  // namespace vl::claims
