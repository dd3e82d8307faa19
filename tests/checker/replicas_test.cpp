// Replicas of a rule whose places are the digits: an element without a replica has no slot.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "verifier/checker/check.h"

namespace vl::checker {
namespace checker_replicas_test {

using Json = nlohmann::json;

// f16[N,64] on N rows of sticks, and K copies of them; K is at least `low`.
std::optional<std::string> refused(const char* claim, int low, const char* goals) {
  const auto digit = [](int input, const Json& extent, const char* name) {
    return Json{{"constant", 0}, {"extent", extent}, {"name", name}, {"terms", Json::array({Json::array({input, 1})})}};
  };
  const Json rule{{"decodes", true},
                  {"levels", Json::parse(R"([[0,"K"],[64,"N"],[1,64]])")},
                  {"logical", {"N", 64}},
                  {"named", false},
                  {"places", {digit(3, "K", "d0"), digit(1, "N", "d1"), digit(2, 64, "d2")}},
                  {"replicas", {"K"}},
                  {"strides", {64, 1}},
                  {"symbols", Json::array({Json::array({"K", low}), Json::array({"N", 1})})},
                  {"where", Json::array()}};
  const Json statement{{"arguments", Json::object()}, {"claim", claim},     {"layout", "x"}, {"rule", rule},
                       {"tensor", "f16[N,64]"},       {"verdict", "proved"}};
  const Json steps = Json::parse(R"([["split","v1-1"],["lift",1,1],["holds",0],["pin",1,0],["holds",0]])");  // N - 2
  return check(Json{{"schema", "verify-layout-certificate/2"},
                    {"digest", digest(statement)},
                    {"statement", statement},
                    {"evidence", {{"cases", {{"sizes", {1, 1}}, {"steps", steps}, {"goals", Json::parse(goals)}}}}}});
}

TEST(Replicas, OfNoNumberLeaveElementsWithoutASlot) {
  const char* const in = R"([[["run",0],["in"]]])";
  EXPECT_EQ(refused("in-bounds", 1, in), std::nullopt);
  EXPECT_NE(refused("in-bounds", 0, in), std::nullopt);  // N = 1, K = 0: element [0,0] has no slot
  const char* const count = R"([[["run",0],["large",0,2],["large",1,0],["large",2,1],["count"]]])";
  EXPECT_EQ(refused("bijective", 1, count), std::nullopt);
  EXPECT_NE(refused("bijective", 0, count), std::nullopt);
}

}  // namespace checker_replicas_test
}  // namespace vl::checker
