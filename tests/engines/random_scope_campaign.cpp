// The engines on layouts and hosts of every known kind: strided, permuted, expanded, reversed, offset; tiled,
// constructed, sparse, replicated, named by dims; right and broken. Every decision must agree with every point.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "tests/support/answers.h"
#include "tests/support/shard.h"
#include "tests/support/spyre_brute.h"
#include "tests/support/spyre_random.h"

namespace vl::engines {
namespace engines_random_scope_campaign {

using question::Kind;
using test::Said;

constexpr std::array kKinds = {Kind::Escapes, Kind::Lands, Kind::Collides, Kind::Misses, Kind::Count, Kind::Misdecodes};

struct Tally {
  Index asked = 0;
  Index decided = 0;
  Index found = 0;
  Index minimal = 0;
  Index wrong = 0;
};

struct Campaign {
  Index layouts = 0;
  Index by_dims = 0;
  std::map<std::pair<std::string_view, Kind>, Tally> tallies;
};

void ask(const Engine& engine, const test::RandomCase& made, const map::Layout& layout, const test::Truth& truth,
         Campaign& campaign) {
  for (const Kind kind : kKinds) {
    if (kind == Kind::Misdecodes && !layout.decode()) continue;
    const Answer answer = engine.decide({kind, &layout, nullptr}, Options{});
    const Said said = test::judge(truth, kind, answer);
    Tally& tally = campaign.tallies[{engine.name, kind}];
    ++tally.asked;
    tally.decided += said == Said::Abstained ? 0 : 1;
    const auto* found = std::get_if<Found>(&answer);
    tally.found += found != nullptr ? 1 : 0;
    tally.minimal += found != nullptr && found->minimal ? 1 : 0;
    if (said == Said::Wrong && ++tally.wrong <= 5)
      ADD_FAILURE() << engine.name << ", " << question::name(kind) << " of " << made.show() << ": "
                    << test::describe(answer);
  }
}

Campaign campaign(std::uint64_t seed, Index layouts, Index most, std::initializer_list<std::string_view> asked) {
  test::RandomSpyre random(seed);
  Campaign out;
  while (out.layouts < layouts) {
    const test::RandomCase made = random.next(most);
    const auto layout = spyre::lower(made.layout, made.tensor);
    EXPECT_TRUE(layout.has_value()) << made.show() << (layout ? "" : layout.error().message);
    if (!layout) return out;
    const test::Truth truth = test::truth_of(made.layout, made.tensor, made.strides);
    for (const std::string_view engine : asked) ask(find_engine(engine), made, *layout, truth, out);
    ++out.layouts;
    out.by_dims += made.layout.stride_map.empty() ? 1 : 0;
  }
  for (const auto& [key, tally] : out.tallies)
    std::cout << fmt::format("{:9} {:10} asked {:6} decided {:6} found {:6} minimal {:6}\n", key.first,
                             question::name(key.second), tally.asked, tally.decided, tally.found, tally.minimal);
  return out;
}

TEST(RandomScope, StridedDecidesMostLayoutsAndNeverWrongly) {
  const Campaign out = campaign(20261121, 24000, 120, {"strided", "gf2", "linear", "sums", "enumerate"});
  EXPECT_GE(out.layouts, 24000);
  EXPECT_GT(out.by_dims, 1500);
  for (const auto& [key, tally] : out.tallies) {
    EXPECT_EQ(tally.wrong, 0);
    EXPECT_TRUE(tally.asked == out.layouts || key.second == Kind::Misdecodes);
    if (key.first == "enumerate") {
      EXPECT_EQ(tally.decided, tally.asked);
      EXPECT_EQ(tally.minimal, tally.found);
      const bool can_be_found = key.second != Kind::Count && key.second != Kind::Misdecodes;
      EXPECT_GE(tally.found, can_be_found ? out.layouts / 20 : 0) << question::name(key.second);
    } else if (key.first == "strided") {
      EXPECT_GE(tally.decided, tally.asked * 3 / 5) << question::name(key.second);
    }
  }
}

TEST(RandomScope, SolversNeverDecideWrongly) {
  const Campaign out = campaign(7, test::cases(60, 160), 40, {"presburger", "smt"});
  for (const auto& [key, tally] : out.tallies) {
    EXPECT_EQ(tally.wrong, 0);
    EXPECT_GE(tally.decided, tally.asked * (key.second == Kind::Count ? 1 : 3) / 5) << question::name(key.second);
  }
}

}  // namespace engines_random_scope_campaign
}  // namespace vl::engines
