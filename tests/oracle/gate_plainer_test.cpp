// Cases that are plainer than a finding: other strides and extents, of which its signature says less.
#include <gtest/gtest.h>

#include <set>

#include "oracle/gate/shrink.h"
#include "oracle/gate/signature.h"
#include "tests/oracle/judged.h"

namespace vl::gate {
namespace oracle_gate_plainer_test {

using namespace test_gate;  // NOLINT(google-build-using-namespace): helpers of these tests

Case divided(const std::string& layout, const std::string& shape, const std::string& tiler) {
  return made(R"("op":"derive.divide","layout":")" + layout + R"(","tensor":{"dtype":"f16","shape":)" + shape +
                  R"(},"tiler":")" + tiler + "\"",
              "cute");
}

// (3,2):(2,1) lies at 0, 2, 4, 1, 3, 5: bijective, going down, with an extent that is no power of two.
TEST(GatePlainer, OtherStridesAndExtentsOfWhichASignatureSaysLess) {
  const Case of = divided("(3,2):(2,1)", "[6]", "2:1");
  ASSERT_EQ(class_of(of), "bijective");
  ASSERT_EQ(features_of(of), (std::vector<std::string_view>{"down", "not-powers"}));
  std::set<std::pair<std::string, std::string>> seen;
  for (const Case& next : plainer_cases(of)) {
    EXPECT_EQ(class_of(next), "bijective") << next.layout;
    EXPECT_LT(features_of(next).size(), 2U) << next.layout;
    seen.emplace(next.layout, *next.request.read().text("tiler"));
  }
  using Seen = std::pair<std::string, std::string>;
  EXPECT_TRUE(seen.contains(Seen("(3,2):(1,3)", "2:1")));  // up
  EXPECT_TRUE(seen.contains(Seen("(4,2):(2,1)", "2:1")));  // powers of two
  EXPECT_TRUE(seen.contains(Seen("(4,2):(2,1)", "3:1")));  // and a tile that divides no mode of 4
  EXPECT_TRUE(seen.contains(Seen("(4,2):(1,4)", "2:1")));
}

// Where a mode of 3 becomes one of 4, what lies behind it keeps its gap: 4 = 3 + 1 becomes 5 = 4 + 1.
TEST(GatePlainer, GapsStay) {
  std::set<std::string> seen;
  for (const Case& next : plainer_cases(divided("(3,2):(1,4)", "[6]", "2:1"))) seen.insert(next.layout);
  EXPECT_TRUE(seen.contains("(4,2):(1,5)"));
  EXPECT_TRUE(seen.contains("(4,2):(1,4)"));
  EXPECT_TRUE(seen.contains("(3,2):(1,3)"));
}

TEST(GatePlainer, NothingIsPlainerThanAPlainCaseAndNoOperandLosesItsNumbers) {
  EXPECT_TRUE(plainer_cases(divided("(4,2):(1,4)", "[8]", "3:1")).empty());
  std::size_t count = 0;
  for (const Case& next : plainer_cases(divided("(3,2):(2,1)", "[6]", "1:1"))) {
    ++count;
    EXPECT_NE(*next.request.read().text("tiler"), "0:1");
  }
  EXPECT_GT(count, 0U);
  // Threads and replicas are not made over, and the last iter of a text of TIRx is its fastest one.
  std::set<std::string> seen;
  for (const Case& next : plainer_cases(made(
           R"("op":"derive.pack","layout":"S[(2,3):(1,2)]","tensor":{"dtype":"f16","shape":[6]},"factor":3)", "tirx")))
    seen.insert(next.layout);
  EXPECT_TRUE(seen.contains("S[(2,3):(3,1)]"));
  EXPECT_TRUE(seen.contains("S[(2,4):(1,2)]"));
}

}  // namespace oracle_gate_plainer_test
}  // namespace vl::gate
