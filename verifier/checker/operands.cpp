#include "verifier/checker/operands.h"

#include "verifier/checker/questions.h"

namespace vl::checker {
namespace {

void show_slots(const LayoutText& text, Evidence& proof, bool apart) {
  const Layout operand = parse_layout(text);
  require(operand.map.domain.volume() > 0, "an operand without elements");
  Questions questions(operand, nullptr, proof);
  questions.all_land(operand.physical);
  if (apart) questions.none_collide();
  end(proof);
}

}  // namespace

void all_have_slots(const LayoutText& operand, Evidence& proof) { show_slots(operand, proof, false); }
void all_have_slots_of_their_own(const LayoutText& operand, Evidence& proof) { show_slots(operand, proof, true); }

void check_rules(Statement& statement) {
  for (const Rule& rule : take(statement.rules)) require(rule.have == rule.want, "a rule that does not hold");
}

}  // namespace vl::checker
