// Cases of which several numbers change at once.
#include "oracle/gate/paired.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "oracle/gate/shrink_steps.h"
#include "oracle/gate/signature.h"
#include "tests/oracle/judged.h"

namespace vl::gate {
namespace oracle_gate_paired_test {

using namespace test_gate;  // NOLINT(google-build-using-namespace): helpers of these tests

using Bounds = std::pair<Index, Index>;

Case asked(const std::string& op, const std::string& layout, const std::string& shape, const std::string& more) {
  return made(R"("op":")" + op + R"(","layout":")" + layout + R"(","tensor":{"dtype":"f16","shape":)" + shape + "}," +
              more);
}

Case sliced(const std::string& layout, const std::string& shape, const std::string& region) {
  return asked("derive.slice", layout, shape, R"("region":)" + region);
}

// "layout|shape|argument" of the paired cases, each of which says less and has no feature of its own.
std::set<std::string> seen_of(const Case& of, const std::string& argument) {
  std::set<std::string> out;
  const auto features = features_of(of);
  for (const Case& next : paired_cases(of)) {
    const auto here = features_of(next);
    EXPECT_GE(rank_of(class_of(next)), rank_of(class_of(of))) << next.layout;
    EXPECT_LT(said_of(next), said_of(of)) << next.layout;
    for (const std::string_view one : here) EXPECT_NE(std::ranges::find(features, one), features.end()) << one;
    const Json request = next.request.read();
    out.insert(next.layout + "|" + print_json(*request.find("tensor")->find("shape")) + "|" +
               print_json(*request.find(argument)));
  }
  return out;
}

TEST(GatePaired, ARegionStaysWhereItCrosses) {
  const auto moved = moved_bounds({23, 25}, 36, 48);
  EXPECT_EQ(moved, (std::vector<Bounds>{{23, 25}, {35, 37}, {31, 33}}));
  EXPECT_EQ(moved_bounds({2, 3}, 4, 8), (std::vector<Bounds>{{2, 3}, {6, 7}, {4, 5}, {5, 6}, {4, 6}}));
  EXPECT_EQ(moved_bounds({2, 3}, 4, 4), (std::vector<Bounds>{{2, 3}}));
  for (const auto& [begin, end] : moved_bounds({5, 8}, 8, 6)) {
    EXPECT_LE(0, begin);
    EXPECT_LT(begin, end);
    EXPECT_LE(end, 6);
  }
}

// 16777215 times 210 is beyond 2^31, and so are the powers of two beside them; the extent alone is no power of two, and
// in 128 there is no element 210.
TEST(GatePaired, AnExtentAndAStrideBecomePowersOfTwo) {
  const auto seen = seen_of(sliced("S[211:16777215]", "[211]", "[[210,211]]"), "region");
  EXPECT_TRUE(seen.contains("S[256:16777216]|[256]|[[210,211]]"));
  EXPECT_TRUE(seen.contains("S[256:16777215]|[256]|[[255,256]]"));
}

TEST(GatePaired, TheOffsetGoesAndTheStrideGrows) {
  const auto seen = seen_of(sliced("S[8:536870911] + 13", "[8]", "[[4,5]]"), "region");
  EXPECT_TRUE(seen.contains("S[8:536870912]|[8]|[[4,5]]"));
}

TEST(GatePaired, AStrideBelow0IsTurnedAndHalvedWhereTheExtentDoubles) {
  const auto seen = seen_of(sliced("S[4:-2147483648]", "[4]", "[[2,3]]"), "region");
  EXPECT_TRUE(seen.contains("S[8:1073741824]|[8]|[[4,5]]"));
}

TEST(GatePaired, ADimensionGoesWithItsMode) {
  const auto seen = seen_of(sliced("S[(50,7):(134217728,0)]", "[2,5,35]", "[[0,2],[0,1],[0,1]]"), "region");
  EXPECT_TRUE(seen.contains("S[50:134217728]|[2,5,5]|[[0,2],[0,1],[0,1]]"));
}

// Where two digits carry the step is down. In any order of strides without gaps two elements share no place.
TEST(GatePaired, StridesThatMeetBecomeThoseOfAnOrder) {
  const auto seen = seen_of(sliced("S[(2,4,2):(1,1,1)]", "[16]", "[[7,9]]"), "region");
  EXPECT_TRUE(seen.contains("S[(2,4,2):(1,2,8)]|[16]|[[7,9]]"));
  EXPECT_TRUE(seen.contains("S[(2,4,2):(2,4,1)]|[16]|[[7,9]]"));
}

TEST(GatePaired, ReplicasLieBehindTheShard) {
  const auto seen = seen_of(asked("derive.pack", "S[4:1] + R[2:65536]", "[4]", R"("factor":4)"), "factor");
  EXPECT_TRUE(seen.contains("S[4:1] + R[2:4]|[4]|4"));
  EXPECT_TRUE(seen.contains("S[4:1] + R[2:4]|[4]|2"));
}

TEST(GatePaired, AnOffsetStaysWhatMakesUpForAStrideBelow0) {
  const auto seen = seen_of(asked("derive.pack", "S[(7,2):(-2,1)] + 12", "[14]", R"("factor":2)"), "factor");
  EXPECT_TRUE(seen.contains("S[(8,2):(-2,1)] + 14|[16]|2"));
}

// An outer shape loses the dimension that the tensor loses, and keeps its elements.
TEST(GatePaired, AnOperandLosesADimension) {
  const auto seen =
      seen_of(asked("derive.tile", "S[(32,4):(33554432,0)]", "[8,4,4]", R"("outer":"S[12:1]","outer_shape":[3,4,1])"),
              "outer_shape");
  EXPECT_TRUE(seen.contains("S[32:33554432]|[8,4]|[3,4]"));
}

TEST(GatePaired, APlainCaseHasNone) { EXPECT_TRUE(paired_cases(sliced("S[8:1]", "[8]", "[[4,5]]")).empty()); }

TEST(GatePaired, AStepBy1GoesFurther) {
  const Case from = sliced("S[25:134217726]", "[25]", "[[24,25]]"),
             over = sliced("S[24:134217726]", "[24]", "[[23,24]]");
  const auto next = further(from, over, 6);
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->layout, "S[18:134217726]");
  EXPECT_EQ(print_json(*next->request.read().find("region")), "[[17,18]]");
  EXPECT_FALSE(further(from, over, 24).has_value());  // no elements are left
  EXPECT_FALSE(further(from, sliced("S[12:134217726]", "[12]", "[[11,12]]"), 1).has_value());
  EXPECT_FALSE(further(from, sliced("S[25:134217726] + 1", "[25]", "[[24,25]]"), 1).has_value());
}

}  // namespace oracle_gate_paired_test
}  // namespace vl::gate
