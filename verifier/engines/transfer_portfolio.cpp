// The portfolio for transfers: affine sets first, then running the moves when they are few, then the solver, then running
// what can be run at all.
#include <fmt/format.h>

#include <array>

#include "verifier/engines/transfer.h"

namespace vl::engines {
namespace {

constexpr Index kShortRun = Index{1} << 16;

constexpr std::array<TransferEngine, 3> kEngines = {{
    {"strided", decide_transfer_strided},
    {"enumerate", decide_transfer_enumerate},
    {"smt", decide_transfer_smt},
}};

constexpr std::array<TransferEngine, 2> kSecondOpinions = {{
    {"smt-2", decide_transfer_smt_2},
    {"cvc5", decide_transfer_cvc5},
}};

bool is_short(const TransferQuestion& question) {
  for (const map::Memory* memory : {question.source, question.destination})
    if (memory->layout.domain().volume() > kShortRun) return false;
  Index moves = 0;
  for (const map::Nest& nest : question.transfer->nests) {
    const auto count = checked_product(nest.extents);
    if (!count || *count > kShortRun - moves) return false;
    moves += *count;
  }
  return true;
}

Answer ask(const TransferEngine& engine, const TransferQuestion& question, const Options& options, Decision& decision) {
  Answer answer = engine.decide(question, options);
  if (const auto* found = std::get_if<Found>(&answer))
    if (!certificate::replay(question, found->witness)) {
      const bool ours = engine.decide != decide_transfer_cvc5;
      VL_CHECK(!ours || !is_short(question), fmt::format("the {} engine's witness for '{}' does not replay", engine.name, certificate::name(question.kind)));
      answer = Abstained{ours ? Reason::OutOfReach : Reason::SolverFault, "its witness could not be replayed by evaluation"};
    }
  decision.attempts.push_back({engine.name, fmt::format("{}: {}", certificate::name(question.kind), describe(answer))});
  return answer;
}

Decision ask_in_turn(const TransferQuestion& question, const Options& options) {
  Decision decision{Abstained{Reason::OutOfReach, "no engine was asked"}, {}, {}, false, {}};
  const bool run_early = is_short(question);
  for (const std::size_t next : {0U, run_early ? 1U : 2U, run_early ? 2U : 1U}) {
    const TransferEngine& engine = kEngines[next];
    if (!options.only.empty() && options.only != engine.name) continue;
    decision.answer = ask(engine, question, options, decision);
    decision.engine = engine.name;
    if (decided(decision.answer)) break;
  }
  for (const TransferEngine& engine : kSecondOpinions) {
    if (options.only != engine.name) continue;
    decision.answer = ask(engine, question, options, decision);
    decision.engine = engine.name;
  }
  return decision;
}

}  // namespace

std::span<const TransferEngine> transfer_engines() { return kEngines; }
std::span<const TransferEngine> second_transfer_opinions() { return kSecondOpinions; }

Decision cross_examine(const TransferQuestion& question, const Options& options, std::span<const TransferEngine> panel) {
  Decision decision{Abstained{Reason::OutOfReach, "no engine was asked"}, {}, {}, false, {}};
  for (const TransferEngine& engine : panel)
    weigh(decision, certificate::name(question.kind), engine.name, ask(engine, question, options, decision));
  return decision;
}

Decision decide(const TransferQuestion& question, const Options& options) {
  for (const map::Nest& nest : question.transfer->nests) {
    const auto problem = map::problem_of(nest);
    if (!problem) continue;
    if (question.kind != certificate::TransferKind::Leaves) return {Abstained{Reason::OutOfReach, problem->message}, {}, {}, false, {}};
    return cross_examine(question, options, std::span(kEngines).first(1));  // the one that counts in 128 bits
  }
  if (options.dump) dump_smt(question, options);
  std::vector<TransferEngine> everybody(kEngines.begin(), kEngines.end());
  everybody.insert(everybody.end(), kSecondOpinions.begin(), kSecondOpinions.end());
  Decision decision = options.cross_check ? cross_examine(question, options, everybody) : ask_in_turn(question, options);
  auto* found = std::get_if<Found>(&decision.answer);
  if (found == nullptr || found->minimal || !is_short(question)) return decision;
  const Answer smallest = decide_transfer_enumerate(question, options);
  VL_CHECK(!std::holds_alternative<None>(smallest), "running the moves misses a witness that replays");
  if (const auto* better = std::get_if<Found>(&smallest)) *found = *better;
  return decision;
}

}  // namespace vl::engines
