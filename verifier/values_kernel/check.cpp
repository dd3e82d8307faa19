#include "verifier/values_kernel/check.h"

#include <utility>

#include "verifier/checker/operands.h"
#include "verifier/values_kernel/chains.h"
#include "verifier/values_kernel/images.h"
#include "verifier/values_kernel/lemmas/book.h"
#include "verifier/values_kernel/padded.h"
#include "verifier/values_kernel/reductions.h"
#include "verifier/values_kernel/row_states.h"

namespace vl::values_kernel {
namespace {

// A padded run: the reductions are neutral. An operand of which two indices may share a slot has pads that hold
// whatever an element may.
void check_padded_run(const std::vector<LayoutText>& operands, const std::optional<std::vector<HeldText>>& held,
                      const std::vector<ReductionText>& reductions, Evidence& evidence) {
  require(!held || held->size() == operands.size(), "operands without a proof");
  check_padded(operands, evidence, [&](std::size_t i) {
    bool all = true;
    for (const ReductionText& reduction : reductions)
      all = holds_elements(reduction, i, held ? (*held)[i] : HeldText{reduction.contents, {}}) && all;
    return all;
  });
}

// The book was checked when it was made: whatever rests on it rests on the code that did.
void take_book(Statement& statement) {
  enter("verifier/values_kernel/lemmas/book.cpp");
  require(take(statement.book) == kBookDigest, "another book of lemmas");
}

// Each kind of statement has the claims that may say it.
void check_values(const std::string& claim, bool refuted, Statement& statement, Evidence& evidence) {
  enter("verifier/values_kernel/values.cpp");
  if (statement.images) {
    require(claim == "transfer" ? statement.images->size() == 1 : claim == "padding-state" && !refuted,
            "images that nothing asks of");
    if (claim == "padding-state") check_padded_result(statement, evidence);
    const auto images = take(statement.images);
    return check_images(refuted, images, evidence);
  }
  if (statement.row_states) {
    require(claim == "padding-state" && !refuted, "rows that nothing asks of");
    check_padded_result(statement, evidence);
    return check_row_states(take(statement.row_states));
  }
  if (statement.storing) {
    require(claim == "storeable" && !refuted, "values that nothing asks of");
    return check_storing(take(statement.storing));
  }
  if (statement.chain) {
    require(claim == "chain-neutral" || claim == "equal", "a chain that nothing asks of");
    if (refuted) {
      const Showing shown = take(evidence.witness);
      require(!shown.b, "a second element");
      return check_chain_run(take(statement.chain), take(evidence.elements), shown.a);
    }
    take_book(statement);
    return check_chain(take(statement.chain), take(evidence.chain));
  }
  const auto reductions = take(statement.reductions);
  require(!reductions.empty() && (reductions.size() == 1 || (claim == "neutral" && !refuted)),
          "no reduction, or more than one");
  if (claim == "fills" && !refuted) {
    take_book(statement);
    return check_fills(reductions.front(), evidence);
  }
  require(claim == "neutral", "a reduction that nothing asks of");
  if (!refuted) take_book(statement);
  if (statement.operands) {
    require(!refuted, "a refutation of operands");
    checker::check_rules(statement);
    check_padded_run(take(statement.operands), std::exchange(statement.held, {}), reductions, evidence);
  }
  for (const ReductionText& reduction : reductions) check_neutral(refuted, reduction, evidence);
}

}  // namespace

const char* lemma_book() { return kBookDigest; }

void show_claim(Statement& statement, Evidence& evidence) {
  if (!checker::is_about_values(statement)) return checker::show_relation(statement, evidence);
  check_values(statement.claim, statement.verdict == "refuted", statement, evidence);
}

}  // namespace vl::values_kernel
