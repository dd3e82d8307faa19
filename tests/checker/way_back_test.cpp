// What the checker says of a compiler's way back from places to elements. Whether each one reads every place where it
// lies is worked out by hand.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "verifier/checker/check.h"

namespace vl::checker {
namespace checker_way_back_test {

using Json = nlohmann::json;

std::optional<std::string> refused(const Json& logical, const Json& strides, const Json& levels) {
  const Json rule{{"decodes", false},
                  {"levels", levels},
                  {"logical", logical},
                  {"named", true},
                  {"numbers", Json::array({Json::array({Json{0, 1, 2}, levels.size()})})},
                  {"places", Json::array({{{"constant", 0}, {"extent", 64}, {"name", "m"}, {"terms", {{0, 1}}}}})},
                  {"replicas", Json::array()},
                  {"strides", strides},
                  {"symbols", Json::array({Json::array({"L", 1})})},
                  {"where", Json::array()}};
  const Json statement{{"arguments", Json::object()}, {"claim", "remap"},   {"layout", "x"}, {"rule", rule},
                       {"tensor", "f32[L,N,M]"},      {"verdict", "proved"}};
  return check(Json{{"schema", "verify-layout-certificate/2"},
                    {"digest", digest(statement)},
                    {"statement", statement},
                    {"evidence", {{"cases", {{"sizes", {1}}, {"steps", Json::array({Json::array({"holds"})})}}}}}});
}

TEST(WayBack, IsThatOfStridesThatDivideOrOfOneRow) {
  EXPECT_EQ(refused({2, 2, 4}, {8, 4, 1}, Json::parse("[[1,16]]")), std::nullopt);
  // One row of 9: place 8 is read as (8 div 4) mod 2 = 0 and 8 mod 4 = 0, which is a place.
  EXPECT_EQ(refused({1, 2, 4}, {9, 4, 1}, Json::parse("[[1,9]]")), std::nullopt);
  EXPECT_EQ(refused({1, 2, 3}, {8, 3, 1}, Json::parse("[[4,2],[1,4]]")), std::nullopt);
  // Two rows: [1,0,0] lies at 9 and is read at 9 + 9 mod 4.
  EXPECT_NE(refused({2, 2, 4}, {9, 4, 1}, Json::parse("[[1,18]]")), std::nullopt);
  // [0,1,4] lies at 8, too.
  EXPECT_NE(refused({1, 2, 5}, {9, 4, 1}, Json::parse("[[1,9]]")), std::nullopt);
  // Place 10 is a tenth one: it is read as 9 + 0 + 2.
  EXPECT_NE(refused({1, 2, 4}, {9, 4, 1}, Json::parse("[[1,11]]")), std::nullopt);
  // The places (0,0) to (1,5) reach 9, which is read at 8 + 3.
  EXPECT_NE(refused({1, 2, 3}, {8, 3, 1}, Json::parse("[[4,2],[1,6]]")), std::nullopt);
}

}  // namespace checker_way_back_test
}  // namespace vl::checker
