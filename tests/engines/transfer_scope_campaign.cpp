// The engines' answers about loop nests against brute force: random Spyre layouts, good and bad, with synthesised
// nests, broken ones and nests of another layout, in both directions and between devices.
#include <gtest/gtest.h>

#include <fmt/ranges.h>

#include "tests/support/transfers.h"
#include "verifier/engines/engine.h"

namespace vl {
namespace engines_transfer_scope_campaign {

using engines::Abstained;
using engines::Found;
using question::Kind;
using question::TransferQuestion;
using use::Direction;

constexpr Kind kKinds[] = {Kind::Escapes, Kind::Differs, Kind::Misses, Kind::Collides};

const int kCases = 12000;

std::string show(const std::optional<question::Witness>& witness) {
  return witness ? fmt::format("{} {}", witness->p, witness->q) : "none";
}

struct Tally {
  int asked = 0;
  int none = 0;
  int found = 0;
  int abstained = 0;
};

void compare(const TransferQuestion& question, const engines::Answer& answer, const std::string& text, Tally& tally) {
  ++tally.asked;
  const auto truth = test::brute(question);
  if (std::holds_alternative<Abstained>(answer)) {
    ++tally.abstained;
    return;
  }
  const auto* found = std::get_if<Found>(&answer);
  ++(found != nullptr ? tally.found : tally.none);
  const std::optional<question::Witness> said = found != nullptr ? std::optional(found->witness) : std::nullopt;
  ASSERT_EQ(said, truth) << question::name(question.kind) << "\n"
                         << text << test::show(*question.transfer) << "\nsaid " << show(said) << ", brute force "
                         << show(truth);
  if (found != nullptr) {
    ASSERT_TRUE(found->minimal);
    ASSERT_TRUE(question::replay(question, found->witness)) << question::name(question.kind) << "\n"
                                                            << text << test::show(*question.transfer) << "\n"
                                                            << show(said);
  }
}

TEST(Transfers, EnginesAgreeWithBruteForceOnRandomNests) {
  test::RandomSpyre random(20261121);
  std::map<std::string, Tally> tallies;
  for (int made = 0; made < kCases;) {
    const auto scenario = test::random_scenario(random);
    if (!scenario) continue;
    ++made;
    for (const Kind kind : kKinds) {
      const TransferQuestion question{kind, &scenario->transfer, &scenario->source, &scenario->destination};
      for (const engines::Engine& engine : engines::engines()) {
        if (engine.name != "strided" && engine.name != "enumerate")
          continue;  // transfer_smt_campaign.cpp asks the others
        compare(question, engine.decide(question, {}), scenario->text,
                tallies[fmt::format("{} {}", engine.name, question::name(kind))]);
        if (HasFatalFailure()) return;
      }
    }
  }
  for (const auto& [name, tally] : tallies) {
    SCOPED_TRACE(fmt::format("{}: {} asked, {} none, {} found, {} abstained", name, tally.asked, tally.none,
                             tally.found, tally.abstained));
    EXPECT_GE(tally.none, kCases / 10);
    EXPECT_GE(tally.found, kCases / 10);
    EXPECT_LE(tally.abstained, name.starts_with("enumerate") ? 0 : kCases / 4);
  }
}

}  // namespace engines_transfer_scope_campaign
}  // namespace vl
