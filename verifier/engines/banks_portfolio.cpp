// The portfolio of bank questions: ranks first, then a walk over few lanes of instances, then the solver, then a longer
// walk. Before the solver is asked about many, it is seen whether one of the first instances will do.
#include <array>

#include "verifier/engines/banks.h"
#include "verifier/engines/panel.h"

namespace vl::engines {
namespace {

constexpr Index kShortBankWalk = Index{1} << 18;
constexpr Index kEarlyLanes = Index{1} << 14;

constexpr std::array<BankEngine, 3> kBankEngines = {{
    {"gf2", "addresses without carries, powers of two; ranks over GF(2), any number of instances", decide_banks_gf2},
    {"enumerate", "any access, up to 2^24 lanes of instances", decide_banks_enumerate},
    {"smt", "any access: is there a conflict at all; bit-vectors, Z3", decide_banks_smt},
}};

Answer decide_early(const BankQuestion& question, const Options&) {
  if (auto early = first_early(question, kEarlyLanes)) return Found{std::move(*early), true};
  return Abstained{Reason::OutOfReach, fmt::format("no witness among the first {} lanes of instances", kEarlyLanes)};
}
constexpr std::array<BankEngine, 4> kLong = {
    {kBankEngines[0], {kWalk, "any access, its first instances", decide_early}, kBankEngines[2], kBankEngines[1]}};

constexpr std::array<BankEngine, 2> kSecondBankOpinions = {{
    {"smt-2", "as smt, in a second encoding: integers where there is no swizzle, swizzles bit by bit; Z3",
     decide_banks_smt_2},
    {"cvc5", "as smt, on the SMT-LIB text; the program cvc5", decide_banks_cvc5},
}};

bool is_short(const BankQuestion& question) { return question.reach->bytes.domain().volume() <= kShortBankWalk; }

}  // namespace

std::span<const BankEngine> bank_engines() { return kBankEngines; }
std::span<const BankEngine> second_bank_opinions() { return kSecondBankOpinions; }

Decision decide(const BankQuestion& question, const Options& options) {
  if (options.dump)
    if (const std::string text = smtlib_of(question); !text.empty()) options.dump(name(question.kind), text);
  if (options.dump && options.cross_check)
    if (const std::string text = smtlib_2_of(question); !text.empty())
      options.dump(fmt::format("{}.smt-2", name(question.kind)), text);
  const bool in_order = options.cross_check || is_short(question);
  const std::vector<BankEngine> panel =
      everybody(in_order ? bank_engines() : std::span<const BankEngine>(kLong), second_bank_opinions(), options);
  Decision decision = options.cross_check ? ask_all<BankEngine>(panel, question, options)
                                          : ask_in_turn<BankEngine>(panel, question, options);
  auto* found = std::get_if<Found>(&decision.answer);
  if (found == nullptr || found->minimal || !is_short(question)) return decision;
  const Answer smallest = decide_banks_enumerate(question, options);
  VL_CHECK(!std::holds_alternative<None>(smallest), "the walk misses a witness that replays");
  if (const auto* better = std::get_if<Found>(&smallest)) *found = *better;  // a walk may run out of time
  return decision;
}

}  // namespace vl::engines
