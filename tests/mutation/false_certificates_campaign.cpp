// False certificates made by hand: one for each way in which a checker could accept more than it has checked.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "verifier/values_kernel/check.h"

namespace vl {
namespace mutation_false_certificates_campaign {

using Json = nlohmann::json;

std::optional<std::string> check(Json statement, const Json& evidence) {
  statement["layout"] = statement["tensor"] = "";
  return values_kernel::check({{"schema", "verify-layout-certificate/2"},
                               {"statement", statement},
                               {"digest", checker::digest(statement)},
                               {"evidence", evidence}});
}

Json layout(const std::string& map, std::size_t logical, const std::string& physical) {
  return {{"map", map}, {"logical", logical}, {"physical", physical}};
}

const Json kRunBoth = Json::parse(R"({"differs":[["run",0],["run",1],["eq"]]})");

TEST(FalseCertificates, OfSwizzlesOfShiftedAddressesAreRejected) {
  // Element 1 is at 1, and at 2: the swizzle of x + 1, less 1. Element 0 is at 0 in both.
  Json statement{{"claim", "equal"}, {"verdict", "proved"}};
  statement["map"] = layout("(x0:4) -> affine(x0) -> swizzle(0; 0, 1, 1, down)", 1, "(m:8)");
  statement["other"] = layout("(x0:4) -> affine(x0 + 1) -> swizzle(0; 0, 1, 1, down) -> affine(x0 - 1)", 1, "(m:8)");
  EXPECT_TRUE(check(statement, kRunBoth));
  statement["other"] = statement["map"];
  EXPECT_FALSE(check(statement, kRunBoth));
}

TEST(FalseCertificates, OfRulesThatHoldAreNoRefutations) {
  for (const char* claim : {"well-formed", "compatible"}) {
    Json statement{
        {"claim", claim}, {"verdict", "refuted"}, {"rules", {{{"statement", "1 = 1"}, {"have", 1}, {"want", 1}}}}};
    if (std::string(claim) == "compatible") statement["operands"] = Json::array();
    EXPECT_TRUE(
        check(statement, claim == std::string("compatible") ? Json{{"operands", Json::array()}} : Json::object()))
        << claim;
  }
}

TEST(FalseCertificates, OfASecondLayoutThatNobodyAskedForAreRejected) {
  Json statement{{"claim", "in-bounds"}, {"verdict", "refuted"}};
  statement["map"] = layout("(x0:4) -> affine(x0)", 1, "(m:4)");
  statement["other"] = layout("(x0:4) -> affine(2*x0)", 1, "(m:8)");
  EXPECT_TRUE(check(statement, {{"witness", {{"a", {1}}}}}));
  statement["claim"] = "equal";
  EXPECT_FALSE(check(statement, {{"witness", {{"a", {1}}}}}));
}

TEST(FalseCertificates, OfLayoutsOfOtherTensorsAreRejected) {
  Json statement{{"claim", "equal"}, {"verdict", "refuted"}};
  statement["map"] = layout("(x0:4) -> affine(x0)", 1, "(m:4)");
  for (const char* other : {"(x0:4, x1:4) -> affine(x0 + 7*x1)", "(x0:2) -> affine(x0 + 3)", "() -> affine(1)"}) {
    const std::size_t rank = std::string(other).find("x1") != std::string::npos   ? 2
                             : std::string(other).find("x0") != std::string::npos ? 1
                                                                                  : 0;
    statement["other"] = layout(other, rank, "(m:32)");
    EXPECT_TRUE(check(statement, {{"witness", {{"a", {3}}}}})) << other;
  }
}

TEST(FalseCertificates, OfEmptyReplicasAndOfTooManyAreRejected) {
  Json statement{{"claim", "equal"}, {"verdict", "refuted"}};
  statement["map"] = layout("(x0:4, r0:0) -> affine(x0)", 1, "(m:8)");
  statement["other"] = layout("(x0:4, r0:0) -> affine(x0 + 1)", 1, "(m:8)");
  EXPECT_TRUE(check(statement, {{"witness", {{"a", {3}}}}}));
  statement["map"] = layout("(x0:4, r0:1099511627776) -> affine(x0)", 1, "(m:8)");
  statement["other"] = layout("(x0:4, r0:1099511627776) -> affine(x0 + 1)", 1, "(m:8)");
  EXPECT_TRUE(check(statement, {{"witness", {{"a", {3}}}}}));
}

TEST(FalseCertificates, OfNumbersThatAreNoIntegersAreRejected) {
  Json statement{{"claim", "padding"}, {"verdict", "proved"}, {"value", 4}};
  statement["map"] = layout("(x0:4) -> affine(x0)", 1, "(m:8)");
  const Json walk = Json::parse(R"({"occupied":[["sweep"]]})");
  EXPECT_FALSE(check(statement, walk));
  for (const Json& value : {Json(4.5), Json(4.0), Json("4"), Json(true), Json(nullptr), Json(1e30)}) {
    statement["value"] = value;
    EXPECT_TRUE(check(statement, walk)) << value;
  }
}

TEST(FalseCertificates, OfPlacesThatOnlySomeReplicasShareAreRejected) {
  Json statement{{"claim", "equal"}, {"verdict", "proved"}};
  statement["map"] = layout("(x0:2, r0:2) -> affine(x0 + 2*x1)", 1, "(m:8)");
  statement["other"] = layout("(x0:2, r0:3) -> affine(x0 + 2*x1)", 1, "(m:8)");
  for (const char* steps : {R"([["run",0],["run",1],["eq"]])", R"([["run",0],["run",1],["sets"]])", R"([["sweep"]])"})
    EXPECT_TRUE(check(statement, {{"differs", Json::parse(steps)}})) << steps;
}

// Rows of 8 elements of 16 bits begin at bytes 0, 16, 32, 48.
TEST(FalseCertificates, OfRowsThatBeginElsewhereAreRejected) {
  Json statement{{"claim", "row-aligned"}, {"verdict", "proved"}, {"bits", 16}, {"base", 16}};
  statement["map"] = layout("(x0:4, x1:8) -> affine(8*x0 + x1)", 2, "(m:32)");
  const Json walk = Json::parse(R"({"escapes":[["sweep"]]})");
  EXPECT_FALSE(check(statement, walk));
  for (const auto& [key, value] :
       {std::pair("base", 32), {"base", 12}, {"base", 0}, {"base", -16}, {"bits", 15}, {"bits", 0}}) {
    Json changed = statement;
    changed[key] = value;
    EXPECT_TRUE(check(changed, walk)) << key << " " << value;
  }
  for (const char* field : {"base", "bits"}) {
    Json less = statement;
    less.erase(field);
    EXPECT_TRUE(check(less, walk)) << field;
  }
  Json changed = statement;
  changed["map"] = layout("(x0:4, x1:8) -> affine(8*x0 + x1)", 1, "(m:32)");  // x1 is a replica then
  EXPECT_TRUE(check(changed, walk));
  changed["map"] = layout("(x0:0, x1:8) -> affine(8*x0 + x1)", 2, "(m:32)");  // no row
  EXPECT_TRUE(check(changed, walk));
  changed["map"] = layout("(x0:4, x1:8) -> affine(8*x0 + x1)", 2, "(m:3)");  // of the others no row has a slot
  EXPECT_TRUE(check(changed, walk));
  // With named axes a place is on m, inside the box or not, and there has to be an m.
  for (const auto& [box, holds] : {std::pair("(m:3)", true), {"(n:32)", false}}) {
    changed["map"] = layout("(x0:4, x1:8) -> affine(8*x0 + x1)", 2, box);
    changed["map"]["named"] = true;
    EXPECT_EQ(!check(changed, walk), holds) << box;
  }
}

// n = 0 … 19 is divided by 2, by 5 and by 1: the last digit is n mod 2, so that cores 2, 3 and 4 of 5 have no element.
TEST(FalseCertificates, OfCoresBehindASmallerWeightAreRejected) {
  const Json rule =
      Json::parse(R"({"symbols":[["M",1]],"where":[],"logical":["M",20],"strides":[1,1],"replicas":[],)"
                  R"("numbers":[[[0],1],[[1],3]],"levels":[[1,"M"],[2,10],[5,1],[1,5]],"decodes":false,"named":true,)"
                  R"("places":[{"constant":0,"extent":5,"name":"c0","terms":[[3,1]]}]})");
  Json statement{{"claim", "occupied"}, {"verdict", "proved"}, {"rule", rule}};
  const Json holds = Json::parse(R"({"cases":{"sizes":[1],"steps":[["holds",0]],"goals":[[["moves",0,0,0,1]]]}})");
  EXPECT_TRUE(check(statement, holds));
  statement["rule"]["places"][0]["extent"] = 2;
  EXPECT_EQ(check(statement, holds), std::nullopt);
}

// One row of N elements in sticks of 64, of which the number begins at 29: byte 58. Without that start it is at 0.
TEST(FalseCertificates, OfNumbersThatStartElsewhereAreRejected) {
  const Json rule = Json::parse(
      R"({"symbols":[["N",1],["P",1]],"where":[],"logical":["N"],"strides":[1],"replicas":[],"numbers":[[[0],2]],)"
      R"("levels":[[64,"P"],[1,64]],"decodes":false,"named":false,)"
      R"("places":[{"constant":0,"extent":"P","name":"d0","terms":[[0,1]]},)"
      R"({"constant":0,"extent":64,"name":"d1","terms":[[1,1]]}]})");
  Json statement{{"claim", "row-aligned"}, {"verdict", "proved"}, {"bits", 16}, {"base", 128}, {"rule", rule}};
  const Json holds = Json::parse(R"({"cases":{"sizes":[4,66],"steps":[["holds",0]],"goals":[[["run",0],["in"]]]}})");
  EXPECT_EQ(check(statement, holds), std::nullopt);
  statement["rule"]["start"] = 29;
  EXPECT_TRUE(check(statement, holds));
}

}  // namespace mutation_false_certificates_campaign
}  // namespace vl
