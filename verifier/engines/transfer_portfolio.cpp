// The portfolio for transfers: affine sets first, then running the moves when they are few, then the solver, then
// running what can be run at all.
#include <array>

#include "verifier/engines/panel.h"
#include "verifier/engines/transfer.h"

namespace vl::engines {
namespace {

constexpr Index kShortRun = Index{1} << 16;

constexpr std::array<TransferEngine, 3> kTransferEngines = {{
    {"strided", "nests and layouts of affine pieces; products of progressions, any size", decide_transfer_strided},
    {"enumerate", "any nests, up to 2^22 moves and elements; every move", decide_transfer_enumerate},
    {"smt", "nests whose strides nest; linear arithmetic over digits, bit-vectors with swizzles; Z3",
     decide_transfer_smt},
}};

constexpr std::array<TransferEngine, 2> kSecondTransferOpinions = {{
    {"smt-2", "as smt, in a second encoding: the other theory, div and mod, swizzles bit by bit; Z3",
     decide_transfer_smt_2},
    {"cvc5", "as smt, on the SMT-LIB text; the program cvc5", decide_transfer_cvc5},
}};

bool is_short(const TransferQuestion& question) {
  for (const use::Memory* memory : {question.source, question.destination})
    if (memory->layout.domain().volume() > kShortRun) return false;
  Index moves = 0;
  for (const use::Nest& nest : question.transfer->nests) {
    const auto count = checked_product(nest.extents);
    if (!count || *count > kShortRun - moves) return false;
    moves += *count;
  }
  return true;
}

}  // namespace

std::span<const TransferEngine> transfer_engines() { return kTransferEngines; }
std::span<const TransferEngine> second_transfer_opinions() { return kSecondTransferOpinions; }

Decision cross_examine(const TransferQuestion& question, const Options& options,
                       std::span<const TransferEngine> panel) {
  return ask_all(panel, question, options, is_short(question));
}

Decision decide(const TransferQuestion& question, const Options& options) {
  for (const use::Nest& nest : question.transfer->nests) {
    const auto problem = use::problem_of(nest);
    if (!problem) continue;
    if (question.kind != question::TransferKind::Leaves)
      return {Abstained{Reason::OutOfReach, problem->message}, {}, {}, false, {}};
    return cross_examine(question, options, std::span(kTransferEngines).first(1));  // the one that counts in 128 bits
  }
  if (options.dump) dump_smt(question, options);
  const bool run_early = is_short(question);
  const std::vector<TransferEngine> panel = everybody(transfer_engines(), second_transfer_opinions(), options);
  const bool late = !options.cross_check && !run_early;
  Decision decision = options.cross_check ? cross_examine(question, options, panel)
                                          : ask_in_turn<TransferEngine>(late ? walk_last<TransferEngine>(panel) : panel,
                                                                        question, options, run_early);
  auto* found = std::get_if<Found>(&decision.answer);
  if (found == nullptr || found->minimal || !run_early) return decision;
  const Answer smallest = decide_transfer_enumerate(question, options);
  VL_CHECK(!std::holds_alternative<None>(smallest), "running the moves misses a witness that replays");
  if (const auto* better = std::get_if<Found>(&smallest)) *found = *better;
  return decision;
}

}  // namespace vl::engines
