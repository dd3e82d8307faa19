// Forged certificates of partition: shifts and blocks, which are evidence, make the last coordinate's line depend on a
// dimension on which the coordinate does not depend. Both statements are false by the definition.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "verifier/checker/check.h"
#include "verifier/checker/kernel.h"

namespace vl {
namespace checker_divisions_test {

using Json = nlohmann::json;

struct Forgery {
  const char* name;
  const char* map;
  const char* physical;
  const char* steps;  // before the last one
  Json splits;
  std::int64_t stick;
  std::set<std::size_t> moves;  // the dimensions along which the last coordinate changes
};

void PrintTo(const Forgery& forgery, std::ostream* out) { *out << forgery.name; }

class ForgedDivision : public testing::TestWithParam<Forgery> {};

// Empty if the checker accepts it.
std::string refusal(const Forgery& forgery, const Json& splits, const std::string& last = "[\"sweep\"]",
                    const Json& slices = {}) {
  const checker::Map map = checker::parse_map(forgery.map);
  Json scales = Json::array();
  for (std::size_t i = 0; i < map.domain.rank(); ++i) scales.push_back(i);
  Json statement{{"layout", "forged"},
                 {"tensor", "f16"},
                 {"claim", "partition"},
                 {"verdict", "proved"},
                 {"bits", 16},
                 {"map", {{"map", forgery.map}, {"logical", map.domain.rank()}, {"physical", forgery.physical}}},
                 {"division",
                  {{"splits", splits},
                   {"scales", scales},
                   {"order", scales},
                   {"cores", 4},
                   {"span", 1 << 20},
                   {"stick", forgery.stick},
                   {"sticks", Json::array()}}}};
  if (!slices.is_null()) {
    statement["division"]["splits"] = statement["division"]["scales"] = statement["division"]["order"] = Json::array();
    statement["division"]["slices"] = slices;
  }
  const Json sticks = Json::parse("[" + std::string(forgery.steps) + last + "]");
  return checker::check(Json{{"schema", "verify-layout-certificate/2"},
                             {"statement", statement},
                             {"digest", checker::digest(statement)},
                             {"evidence", {{"escapes", Json::parse(R"([["sweep"]])")}, {"sticks", sticks}}}})
      .value_or("");
}

TEST_P(ForgedDivision, IsRefused) {
  const Forgery& forgery = GetParam();
  const checker::Map map = checker::parse_map(forgery.map);
  std::set<std::size_t> moves;
  const std::size_t last = map.outputs - 1;
  checker::for_each(map.domain, [&](const checker::Point& p) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      checker::Point next = p;
      next[i] += 1;
      if (next[i] < map.domain.extents[i] && evaluate(map, next)[last] != evaluate(map, p)[last]) moves.insert(i);
    }
  });
  EXPECT_EQ(moves, forgery.moves);
  EXPECT_EQ(refusal(forgery, forgery.splits), "a dimension along which the last coordinate is not seen to change");
}

TEST(Division, OfTheSameTensorIsAcceptedWhereItsSticksAreDivided) {
  const Forgery honest{"Honest",
                       "(x0:2, x1:256) -> split(1; 64, 1) -> affine(x0, x1, x2)",
                       "(a:2, b:4, c:64)",
                       R"(["block",1,64],["run",0],["run",1],)",
                       {1, 2},
                       128,
                       {1}};
  const std::string known = R"(["large",0,0],["large",1,1],["sticks"])";
  for (const std::string& last : {std::string(R"(["sweep"])"), known}) {
    EXPECT_EQ(refusal(honest, {1, 2}, last), "");
    EXPECT_EQ(refusal(honest, {2, 2}, last), "");
    EXPECT_NE(refusal(honest, {1, 4}, last), "");
  }
  // What is not shown of the stick's number, a part of the domain, and steps of other goals.
  for (const char* last : {R"(["sticks"])", R"(["large",0,0],["sticks"])", R"(["large",0,0],["large",1,1],["apart"])",
                           R"(["sweep"],["sweep"])", R"(["cut",0,1],["sweep"],["sweep"])", R"(["sticks",1])"})
    EXPECT_NE(refusal(honest, {1, 2}, last), "") << last;
}

// Slices at column 32 or 96 cut sticks of 64, whatever the evidence says; at 64 they do not.
TEST(Division, ThatCutsSticksIsRefused) {
  const std::string known = R"(["large",0,0],["large",1,1],["sticks"])";
  for (const char* steps :
       {R"(["block",1,64],["run",0],["run",1],)", R"(["block",1,64],["block",2,32],["run",0],["run",1],)",
        R"(["block",1,32],["block",1,2],["run",0],["run",1],)"})
    for (const int column : {32, 64, 65, 96}) {
      const Forgery one{"", "(x0:2, x1:128) -> split(1; 64, 1) -> affine(x0, x1, x2)", "(a:2, b:2, c:64)", steps, {}, 1,
                        {}};
      const Json slices{{{0, 2}, {0, column}}, {{0, 2}, {column, 128}}};
      EXPECT_EQ(refusal(one, {}, known, slices).empty(), column == 64) << steps << column;
      EXPECT_EQ(refusal(one, {}, R"(["sweep"])", slices).empty(), column == 64) << steps << column;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Checker, ForgedDivision,
    testing::Values(
        // x1 alone moves along the stick; it has 256/128 = 2 sticks, and 4 does not divide 2.
        Forgery{"ASecondDimensionThatCancelsOut",
                "(x0:2, x1:256) -> affine(149+x0, x1) -> split(0; 150, 1) -> split(2; 64, 1) -> "
                "affine(x0, x2, -149+149*x0+x1+x3)",
                "(a:2, b:4, c:64)",
                R"(["shift",0,149],["block",0,150],["block",1,64],["run",0],["run",1],)",
                {1, 4},
                128,
                {1}},
        // Nothing moves along the stick, so x0 is counted in elements, and 2 does not divide 3.
        Forgery{"TheOnlyDimensionCancelsOut",
                "(x0:3) -> affine(148+x0) -> split(0; 150, 149, 1) -> "
                "affine(-148+150*x0+149*x1+x2, -148+148*x0+148*x1+x2)",
                "(a:3, c:2)",
                R"(["shift",0,148],["block",0,150],["block",1,149],["run",0,[1,0,[[2,1]]]],["run",1,[1,0,[[2,1]]]],)",
                {2},
                0,
                {}}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace checker_divisions_test
}  // namespace vl
