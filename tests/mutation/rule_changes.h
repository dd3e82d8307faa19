// Changes of statements about all sizes, at one place of a rule: an expression, a level, a number, a condition. Most of
// them make the statement false; change() does not know which.
#pragma once

#include <utility>
#include <vector>

#include "encodings/use/random.h"
#include "verifier/checker/certificate.h"

namespace vl::mutation {

using checker::ExpressionText;
using checker::Statement;

inline void collect(ExpressionText& node, std::vector<ExpressionText*>& out) {
  out.push_back(&node);
  for (ExpressionText& part : node.parts) collect(part, out);
}

inline void collect(checker::RuleText& rule, std::vector<ExpressionText*>& out) {
  for (auto& condition : rule.where) collect(condition.left, out), collect(condition.right, out);
  for (auto* list : {&rule.logical, &rule.strides, &rule.replicas})
    for (ExpressionText& one : *list) collect(one, out);
  for (auto& level : rule.levels) collect(level.weight, out), collect(level.extent, out);
  for (auto& place : rule.places) {
    collect(place.extent, out), collect(place.constant, out);
    if (place.filled) collect(*place.filled, out);
    for (auto& term : place.terms) collect(term.coefficient, out);
  }
  if (rule.joins)
    for (auto& terms : *rule.joins)
      for (auto& term : terms) collect(term.coefficient, out);
  for (auto* one : {&rule.start, &rule.offset})
    if (*one) collect(**one, out);
  if (rule.laws)
    for (auto& law : *rule.laws) collect(law.left, out), collect(law.right, out);
}

inline std::vector<ExpressionText*> expressions_of(Statement& statement) {
  std::vector<ExpressionText*> out;
  collect(*statement.rule, out);
  if (statement.from_rule) collect(*statement.from_rule, out);
  if (statement.value_expression) collect(*statement.value_expression, out);
  return out;
}

inline void change(Statement& statement, use::Random& random) {
  checker::RuleText& rule = statement.from_rule && random.chance(50) ? *statement.from_rule : *statement.rule;
  const auto some = [&](auto& list) -> auto& { return list[random.below(list.size())]; };
  const auto nodes = expressions_of(statement);
  ExpressionText& node = *some(nodes);
  if (random.chance(rule.decodes ? 10 : 4)) {
    rule.start =
        rule.start && random.chance(30) ? ExpressionText(*some(nodes)) : ExpressionText{{}, random.between(0, 130)};
    return;
  }
  if (rule.joins && random.chance(15)) {
    auto& terms = some(*rule.joins);
    if (terms.empty()) terms.push_back({random.below(rule.levels.size()), ExpressionText(node)});
    else if (random.chance(70)) some(terms).input = random.below(rule.levels.size());
    else terms.pop_back();
    return;
  }
  if (rule.numbers && random.chance(15)) {
    auto& number = some(*rule.numbers);
    if (random.chance(50))
      number.levels += random.chance(50) ? 1 : number.levels == 0 ? 0 : static_cast<std::size_t>(-1);
    else std::swap(some(*rule.numbers), some(*rule.numbers));
    return;
  }
  switch (random.below(12)) {
    case 0: node = ExpressionText{"+", 0, {node, {{}, 1}}}; return;
    case 1: node = ExpressionText{"-", 0, {node, {{}, 1}}}; return;
    case 2: node = ExpressionText{"*", 0, {node, {{}, 2}}}; return;
    case 3: node = ExpressionText{random.chance(50) ? "ceil" : "//", 0, {node, {{}, 2}}}; return;
    case 4: node = ExpressionText(*some(nodes)); return;
    case 5: node = {{}, random.between(0, 3)}; return;
    case 6: node = ExpressionText{random.chance(50) ? "min" : "max", 0, {node, *some(nodes)}}; return;
    case 7:
      if (!rule.symbols.empty()) node = {some(rule.symbols).name, 0};
      return;
    case 8:
      if (!rule.where.empty()) some(rule.where).relation = random.chance(50) ? ">" : "<=";
      else rule.where.push_back({ExpressionText(node), ">=", ExpressionText(*some(nodes))});
      return;
    case 9:
      if (rule.levels.size() > 1) std::swap(some(rule.levels), some(rule.levels));
      return;
    case 10:
      if (rule.swizzle) (random.chance(50) ? rule.swizzle->base : rule.swizzle->bits) = random.between(0, 3);
      else if (!rule.symbols.empty()) some(rule.symbols).low = random.between(0, 2);
      return;
    default:
      for (auto& place : rule.places)
        if (place.terms.size() > 1 && random.chance(50)) place.terms.pop_back();
      if (!rule.where.empty()) rule.where.pop_back();
  }
}

}  // namespace vl::mutation
