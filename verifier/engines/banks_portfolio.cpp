// The portfolio of bank questions: ranks first, then a walk over few lanes of instances, then the solver, then a longer walk.
// Before the solver is asked about many, it is seen whether one of the first instances will do.
#include <fmt/format.h>

#include <array>

#include "verifier/engines/banks.h"

namespace vl::engines {
namespace {

constexpr Index kShortWalk = Index{1} << 18;
constexpr Index kEarly = Index{1} << 14;

constexpr std::array<BankEngine, 3> kEngines = {{
    {"gf2", "addresses without carries, powers of two; ranks over GF(2), any number of instances", decide_banks_gf2},
    {"enumerate", "any access, up to 2^24 lanes of instances", decide_banks_enumerate},
    {"smt", "any access: is there a conflict at all; bit-vectors, Z3", decide_banks_smt},
}};

constexpr std::array<BankEngine, 2> kSecondOpinions = {{
    {"smt-2", "as smt, in a second encoding: integers where there is no swizzle, swizzles bit by bit; Z3", decide_banks_smt_2},
    {"cvc5", "as smt, on the SMT-LIB text; the program cvc5", decide_banks_cvc5},
}};

bool is_short(const BankQuestion& question) { return question.reach->bytes.domain().volume() <= kShortWalk; }

Answer ask(const BankEngine& engine, const BankQuestion& question, const Options& options, Decision& decision) {
  Answer answer = engine.decide(question, options);
  if (const auto* found = std::get_if<Found>(&answer); found != nullptr && !replay(question, found->witness)) {
    VL_CHECK(engine.decide == decide_banks_cvc5,
             fmt::format("the {} engine's witness for '{}' does not replay", engine.name, name(question.kind)));
    answer = Abstained{Reason::SolverFault, "its witness does not replay"};
  }
  decision.attempts.push_back({engine.name, fmt::format("{}: {}", name(question.kind), describe(answer))});
  return answer;
}

Decision nobody() { return {Abstained{Reason::OutOfReach, "no engine was asked"}, {}, {}, false, {}}; }

Decision ask_in_turn(const BankQuestion& question, const Options& options) {
  Decision decision = nobody();
  const bool walk_early = is_short(question);
  for (const std::size_t next : {0U, walk_early ? 1U : 2U, walk_early ? 2U : 1U}) {
    if (!options.only.empty() && options.only != kEngines[next].name) continue;
    if (next == 2 && !walk_early && options.only.empty())
      if (auto early = first_early(question, kEarly)) {
        VL_CHECK(replay(question, *early), "an early witness does not replay");
        decision.attempts.push_back({kEngines[1].name, fmt::format("{}: found a witness early", name(question.kind))});
        decision.answer = Found{std::move(*early), true};
        decision.engine = kEngines[1].name;
        break;
      }
    decision.answer = ask(kEngines[next], question, options, decision);
    decision.engine = kEngines[next].name;
    if (decided(decision.answer)) break;
  }
  for (const BankEngine& engine : kSecondOpinions) {
    if (options.only != engine.name) continue;
    decision.answer = ask(engine, question, options, decision);
    decision.engine = engine.name;
  }
  return decision;
}

Decision ask_all(const BankQuestion& question, const Options& options) {
  Decision decision = nobody();
  for (const auto panel : {bank_engines(), second_bank_opinions()})
    for (const BankEngine& engine : panel)
      weigh(decision, name(question.kind), engine.name, ask(engine, question, options, decision));
  return decision;
}

}  // namespace

std::span<const BankEngine> bank_engines() { return kEngines; }
std::span<const BankEngine> second_bank_opinions() { return kSecondOpinions; }

Decision decide(const BankQuestion& question, const Options& options) {
  if (options.dump)
    if (const std::string text = smtlib_of(question); !text.empty()) options.dump(name(question.kind), text);
  if (options.dump && options.cross_check)
    if (const std::string text = smtlib_2_of(question); !text.empty())
      options.dump(fmt::format("{}.smt-2", name(question.kind)), text);
  Decision decision = options.cross_check ? ask_all(question, options) : ask_in_turn(question, options);
  auto* found = std::get_if<Found>(&decision.answer);
  if (found == nullptr || found->minimal || !is_short(question)) return decision;
  const Answer smallest = decide_banks_enumerate(question, options);
  VL_CHECK(!std::holds_alternative<None>(smallest), "the walk misses a witness that replays");
  if (const auto* better = std::get_if<Found>(&smallest)) *found = *better;  // a walk may run out of time
  return decision;
}

}  // namespace vl::engines
