// Claims for all sizes whose leaves the kernel replays: each with a proof, and without one of its conditions.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "verifier/checker/check.h"

namespace vl::checker {
namespace checker_rule_goals_test {

using Json = nlohmann::json;

// Why a proof is refused; "" where it is accepted. `rule`: what it has besides, or else.
std::string why(const char* claim, const char* rule, const char* steps, const char* goals, const char* besides = "{}") {
  Json made{{"decodes", false},
            {"logical", {"N"}},
            {"named", false},
            {"replicas", Json::array()},
            {"strides", {1}},
            {"where", Json::array()},
            {"symbols", Json::parse(R"([["N",2]])")},
            {"levels", Json::array()}};
  made.update(Json::parse(rule));
  Json statement{{"arguments", Json::object()}, {"claim", claim},     {"layout", "x"}, {"rule", made},
                 {"tensor", "f32[N]"},          {"verdict", "proved"}};
  statement.update(Json::parse(besides));
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

// 4·N elements in sticks of 4, as digits of one number; and as a coordinate's.
TEST(RuleGoals, WeightsTimesDigitsAreTheNumber) {
  const auto sticks = [](const std::string& first, const std::string& second, const std::string& more = "") {
    return why(
        "offset-identity",
        (R"({"decodes":true,"logical":[["*",4,"N"]],"levels":[[4,"N"],[1,4]],"places":[{"constant":0,"extent":"N",)"
         R"("name":"d0","terms":[)" +
         first + R"(]},{"constant":0,"extent":4,"name":"d1","terms":[)" + second + "]}]" + more + "}")
            .c_str(),
        R"([["holds",0]])", R"([[["block",0,4],["run",0],["id"]]])");
  };
  for (const char* numbers : {"", R"(,"decodes":false,"numbers":[[[0],2]])"}) {
    EXPECT_EQ(sticks("[0,1]", "[1,1]", numbers), "");
    EXPECT_EQ(sticks("[1,1]", "[0,1]", numbers), "");  // each weight goes with its digit
    EXPECT_EQ(sticks("[0,1]", "", numbers), "two sides of an identity that differ");
    EXPECT_EQ(sticks("[0,1]", "[1,2]", numbers), "a digit in two places");
    EXPECT_EQ(sticks("[0,1]", "[0,1]", numbers), "a digit in two places");
    EXPECT_EQ(sticks("[0,1],[1,1]", "[1,1]", numbers), "a place that is no digit");
    EXPECT_EQ(sticks("[0,1]", "[1,1]", std::string(numbers) + R"(,"named":true)"), "a slot without a number");
  }
  const std::string numbers = R"(,"decodes":false,"numbers":[[[0],2]])";
  EXPECT_EQ(sticks("[0,1]", "[1,1]", numbers + R"(,"strides":[4])"), "two sides of an identity that differ");
  EXPECT_EQ(sticks("[0,1]", "[1,1]",
                   R"(,"decodes":false,"logical":[["*",4,"N"],1],"strides":[1,1],)"
                   R"("numbers":[[[0,1],2]])"),
            "a number that is no coordinate");
  EXPECT_EQ(sticks("[0,1]", "[1,1]", R"(,"start":3)"), "a value that has no form");
}

// Rows of 4 elements of 16 bits, each at a multiple of 8·N: of 16 bytes.
TEST(RuleGoals, RowsBeginAtMultiplesOfTheStep) {
  const auto rows = [](const std::string& place, const char* besides, const std::string& more = "") {
    return why("row-aligned",
               (R"({"named":true,"logical":["N",4],"strides":[4,1],"levels":[[4,"N"],[1,4]],"places":[{"extent":64,)" +
                place + "}]" + more + "}")
                   .c_str(),
               R"([["holds",0]])", R"([[["run",0],["in"]]])", besides);
  };
  const std::string place = R"("constant":0,"name":"m","terms":[[0,["*",8,"N"]],[1,1]])";
  const char* const besides = R"({"base":16,"bits":16})";
  EXPECT_EQ(rows(place, besides), "");
  EXPECT_EQ(rows(R"("constant":0,"name":"m","terms":[[0,["*",4,"N"]],[1,1]])", besides), "a value that has no form");
  EXPECT_EQ(rows(R"("constant":4,"name":"m","terms":[[0,["*",8,"N"]],[1,1]])", besides), "a place that may be no slot");
  EXPECT_EQ(rows(R"("constant":0,"name":"c","terms":[[0,["*",8,"N"]],[1,1]])", besides), "a layout without a memory");
  EXPECT_EQ(rows(place, R"({"base":32,"bits":16})"), "a value that has no form");
  EXPECT_EQ(rows(place, R"({"base":16,"bits":8})"), "a value that has no form");
  EXPECT_EQ(rows(place, besides, R"(,"swizzle":[0,3,1,1,false])"), "");
  EXPECT_EQ(rows(place, besides, R"(,"swizzle":[0,2,1,1,false])"), "a swizzle that moves less than what is asked");
}

}  // namespace checker_rule_goals_test
}  // namespace vl::checker
