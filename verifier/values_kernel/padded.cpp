#include "verifier/values_kernel/padded.h"

#include <algorithm>

#include "verifier/checker/operands.h"
#include "verifier/values_kernel/code_ranges.h"

namespace vl::values_kernel {

void check_padded(const std::vector<LayoutText>& operands, Evidence& evidence,
                  const std::function<bool(std::size_t operand)>& pads_hold_elements) {
  auto proofs = take(evidence.operands);
  require(!operands.empty() && operands.size() == proofs.size(), "operands without a proof");
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool apart = proofs[i].collides.has_value();
    apart ? checker::all_have_slots_of_their_own(operands[i], proofs[i])
          : checker::all_have_slots(operands[i], proofs[i]);
    require(pads_hold_elements(i) || apart, "pads that may be elements");
  }
}

bool sets_hold_elements(const Statement& statement, std::size_t operand) {
  require(statement.operands && statement.held && statement.held->size() == statement.operands->size(),
          "operands that nothing is known of");
  const auto& elements = statement.held->at(operand);
  require(!elements.blocks, "blocks of a result");
  bool all = true;
  const auto look_at = [&](const std::string& type, const std::vector<ReductionText::Ranges>& sets) {
    require(sets.size() == statement.operands->size(), "sets of other operands");
    const Codes held(format_of(type), elements.elements), set(format_of(type), sets[operand]);
    require(!held.empty(), "an operand that holds nothing");
    for (const auto& [first, last] : held.ranges()) all = set.covers(first, last) && all;
  };
  if (statement.images)
    for (const ImageText& image : *statement.images) look_at(image.type, image.operands);
  if (statement.row_states)
    for (const RowStateText& row : *statement.row_states)
      for (const auto& part : row.holds)
        if (!part.empty()) look_at(row.about.type, part);
  return all;
}

void check_padded_result(Statement& statement, Evidence& evidence) {
  require(statement.operands.has_value(), "operands that nothing is known of");
  check_padded(*statement.operands, evidence, [&](std::size_t i) { return sets_hold_elements(statement, i); });
  statement.operands.reset(), statement.held.reset();
}

}  // namespace vl::values_kernel
