// Claims for all sizes whose leaves the kernel replays: each with a proof, and without one of its conditions.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "verifier/checker/check.h"

namespace vl::checker {
namespace checker_rule_goals_test {

using Json = nlohmann::json;

// Why a proof is refused; "" where it is none. `rule`: what it has besides, or else.
std::string why(const char* claim, const char* rule, const char* steps, const char* goals) {
  Json made{{"decodes", false},
            {"logical", {"N"}},
            {"named", false},
            {"replicas", Json::array()},
            {"strides", {1}},
            {"where", Json::array()},
            {"symbols", Json::parse(R"([["N",2]])")},
            {"levels", Json::array()}};
  made.update(Json::parse(rule));
  const Json statement{{"arguments", Json::object()}, {"claim", claim},     {"layout", "x"}, {"rule", made},
                       {"tensor", "f32[N]"},          {"verdict", "proved"}};
  return check(Json{{"schema", "verify-layout-certificate/2"},
                    {"digest", digest(statement)},
                    {"statement", statement},
                    {"evidence",
                     {{"cases", {{"sizes", {2}}, {"steps", Json::parse(steps)}, {"goals", Json::parse(goals)}}}}}})
      .value_or("");
}

// Shards of 4 elements, N = 4·v0 + v1 + 2 of them.
TEST(RuleGoals, EveryCoreHoldsAnElement) {
  const auto cores = [](const std::string& extent, const std::string& more = "") {
    return why("occupied",
               (R"({"named":true,"numbers":[[[0],2]],"levels":[[4,["ceil","N",4]],[1,4]],"places":[{"constant":0,)"
                R"("extent":)" +
                extent + R"(,"name":"c0","terms":[[0,1]]}])" + more + "}")
                   .c_str(),
               R"([["divide",0,4],["split","v1-3"],["lift",1,3],["pin",1,0],["holds",0],["holds",0]])",
               R"([[["moves",0,4]]])");
  };
  EXPECT_EQ(cores(R"(["ceil","N",4])"), "");
  EXPECT_EQ(cores(R"(["+",["ceil","N",4],1])"), "an element that may not exist");
  EXPECT_EQ(cores("0"), "a box without a slot");
  EXPECT_EQ(cores(R"(["ceil","N",4])", R"(,"laws":[["N","<=",1]])"), "a law that does not hold");
}

TEST(RuleGoals, AMaskKeepsTheElementsAndNothingElse) {
  const auto kept = [](const std::string& extent, const std::string& more = "") {
    return why("mask-exact",
               (R"({"numbers":[[[0],1]],"levels":[[1,"N"]],"places":[{"constant":0,"extent":)" + extent +
                R"(,"name":"p0","terms":[[0,1]]}])" + more + "}")
                   .c_str(),
               R"([["holds",0,1]])", R"([[["run",0],["in"]],[["moves",0,1]]])");
  };
  EXPECT_EQ(kept(R"("N")"), "");
  EXPECT_EQ(kept(R"(["-","N",1])"), "a place that may be no slot");
  EXPECT_EQ(kept(R"(["+","N",1])"), "an element that may not exist");
  EXPECT_EQ(kept(R"("N")", R"(,"laws":[["N","<=",1]])"), "a law that does not hold");
}

}  // namespace checker_rule_goals_test
}  // namespace vl::checker
