// Upstream's rules for well-formed layouts: scopes that connect, and S >= B.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "encodings/tirx/tirx.h"

namespace vl::tirx {
namespace tirx_rules_test {

bool holds(const Layout& layout) {
  return std::ranges::all_of(rules_of(layout), [](const use::Rule& rule) { return rule.have == rule.want; });
}

struct Judged {
  const char* text;
  bool well_formed;
};

// Those marked (t) are what upstream's own test of verify_well_formed and of canonicalize assert.
const std::vector<Judged> kJudged = {
    {"S[(2, 8, 2, 4, 2) : (2 @ warpid, 4 @ laneid, 1 @ warpid, 1 @ laneid, 1)]", true},          // (t)
    {"S[(2, 8, 2, 4, 2) : (2 @ wid_in_wg, 4 @ laneid, 1 @ wid_in_wg, 1 @ laneid, 1)]", true},    // (t)
    {"S[(2,2,8,2,2,4):(2@wgid,2@wid_in_wg,4@laneid,1@wgid,1@wid_in_wg,1@laneid)]", true},        // (t)
    {"S[(2, 2, 4, 32) : (2 @ wgid, 1 @ wgid, 32 @ tid_in_wg, 1 @ tid_in_wg)]", true},            // (t)
    {"S[(2, 8, 2, 4, 2) : (64 @ tx, 4 @ tx, 32 @ tx, 1 @ tx, 1)]", true},                        // (t)
    {"S[(2, 8, 2, 4) : (64 @ tid_in_wg, 4 @ tid_in_wg, 32 @ tid_in_wg, 1 @ tid_in_wg)]", true},  // (t)
    {"S[(2, 8, 2, 4, 2) : (2 @ wgid, 4 @ laneid, 1 @ wgid, 1 @ laneid, 1)]", false},             // (t)
    {"S[(8, 8) : (1 @ tx, 1 @ laneid)]", false},  // threads of a block beside threads of a warp
    {"S[(8, 8) : (1 @ tx, 1 @ tid_in_wg)]", false},
    {"S[(8, 4) : (1 @ warpid, 1 @ wid_in_wg)]", false},
    {"S[(8, 8) : (1 @ bx, 1 @ cbx)]", false},  // blocks of the kernel beside blocks of a cluster
    {"S[(8, 8) : (1 @ bx, 1 @ by)]", true},
    {"S[(8, 8) : (1 @ bx, 1 @ tx)]", true},  // upstream does not end on this one, see the family's README
    {"S[(2, 8, 8) : (1 @ cbx, 1 @ warpid, 1 @ laneid)]", true},
    {"S[(2, 8) : (1 @ bx, 1 @ warpid)]", true},
    {"S[(2, 8) : (1 @ bx, 1 @ laneid)]", false},
    {"S[8 : 1 @ wgid]", true},
    // replicas and offsets count once the shard names a thread axis
    {"S[8 : 1 @ laneid] + R[2 : 1 @ wgid]", false},
    {"S[8 : 1 @ laneid] + 1 @ wgid", false},
    {"S[8 : 1 @ laneid] + R[2 : 1 @ warpid] + 1 @ bx", true},
    {"S[8 : 1] + R[2 : 1 @ laneid] + 1 @ wgid", true},
    {"R[(8, 8) : (1 @ tx, 1 @ laneid)]", true},
    // no thread axes at all
    {"S[(2,128,112):(112@TCol,1@TLane,1@TCol)]", true},
    {"S[8:1]", true},
    // swizzles
    {"ComposeLayout(3, 3, 3, S[64:1])", true},
    {"ComposeLayout(3, 2, 3, S[64:1])", true},
    {"ComposeLayout(3, 3, 2, S[64:1])", false},
    {"SwizzleLayout(3, 3, 2, False)", false},
    {"SwizzleLayout(0, 0, 0)", true},
};

TEST(TirxRules, JudgeTheScopesAndTheSwizzleAsUpstreamDoes) {
  for (const Judged& row : kJudged) {
    const auto parsed = parse(row.text);
    ASSERT_TRUE(parsed.has_value()) << row.text;
    EXPECT_EQ(holds(parsed->layout), row.well_formed) << row.text;
  }
}

// The rule in other words: the axes' steps (from level, to level) are the edges of one path, each level entered once.
bool is_one_path(const std::vector<Axis>& axes) {
  std::set<std::pair<Scope, Scope>> steps;
  for (const Axis axis : axes)
    if (is_thread(axis)) steps.insert({info(axis).outer, info(axis).inner});
  auto at = steps.begin();  // sorted by the outer level
  for (auto next = at; at != steps.end() && ++next != steps.end(); at = next)
    if (at->second != next->first) return false;
  return true;
}

TEST(TirxRules, HoldForASetOfAxesIffTheirStepsMakeOnePath) {
  Index well_formed = 0, sets = 0;
  std::vector<Axis> threads;
  for (const AxisInfo& row : axes())
    if (is_thread(row.axis)) threads.push_back(row.axis);
  ASSERT_EQ(threads.size(), 12U);
  for (unsigned chosen = 1; chosen < 1U << threads.size(); ++chosen) {
    TileLayout tile;
    std::vector<Axis> some;
    for (std::size_t k = 0; k < threads.size(); ++k)
      if ((chosen >> k & 1U) != 0) some.push_back(threads[k]);
    for (const Axis axis : some) tile.shard.push_back({2, 1, axis});
    ASSERT_EQ(holds({std::nullopt, tile}), is_one_path(some)) << print(tile);
    well_formed += is_one_path(some);
    ++sets;
  }
  EXPECT_EQ(sets, 4095);
  EXPECT_GT(well_formed, 100);
  EXPECT_LT(well_formed, 1000);
}

}  // namespace tirx_rules_test
}  // namespace vl::tirx
