// Accesses as text: texts that are read, errors with their places, and expressions with C's values, except that
// division rounds down.
#include <gtest/gtest.h>

#include "encodings/use/access.h"
#include "tests/support/access_brute.h"
#include "tests/support/maps.h"

namespace vl::use {
namespace use_access_test {

Access read(const std::string& text) {
  auto access = parse_access(text);
  EXPECT_TRUE(access.has_value()) << text << ": " << access.error().message;
  return access ? std::move(*access) : Access{};
}

map::Map map_of(const Access& access, const std::vector<map::Stage>& stages) {
  return *map::Map::create(
      *map::concatenate(*map::Space::create({{"lane", access.lanes, map::Unit::Lane}}), access.free), stages);
}

TEST(Access, ReadsLanesWidthAndCoordinates) {
  const Access access = read("lanes=32 width=16 at=[lane % 16, lane / 16 * 8]");
  EXPECT_EQ(access.lanes, 32);
  EXPECT_EQ(access.width, 16);
  EXPECT_EQ(access.instruction, "");
  for (Index lane = 0; lane < 32; ++lane)
    EXPECT_EQ(*evaluate(map_of(access, access.at), Point{lane}), (Point{lane % 16, lane / 16 * 8}));
}

TEST(Access, AMatrixInstructionSaysItsLanesAndBytes) {
  EXPECT_EQ(read("ldmatrix.x1 at=[lane, 0]").lanes, 8);
  EXPECT_EQ(read("stmatrix.x2 at=[lane, 0]").lanes, 16);
  const Access access = read("ldmatrix.x4 lanes=32 width=16 at=[lane, 0]");
  EXPECT_EQ(access.lanes, 32);
  EXPECT_EQ(access.width, 16);
  EXPECT_EQ(access.instruction, "ldmatrix.x4");
}

TEST(Access, VariablesCountFromWhereTheyStart) {
  const Access access = read("lanes=8 width=2 at=[lane, i + 10*j] for i=2:4, j=-1:2");
  EXPECT_EQ(access.first, (std::vector<Index>{2, -1}));
  EXPECT_EQ(extents_of(access.free), (std::vector<Index>{2, 3}));
  EXPECT_EQ(*evaluate(map_of(access, access.at), Point{5, 1, 2}), (Point{5, 13}));
}

TEST(Access, ClausesComeInAnyOrder) {
  const Access access = read("for i=0:4 base=1024 when lane < 20 and i != 1 at=(lane, i) absolute width=4 lanes=32");
  EXPECT_EQ(access.conditions, (std::vector<Comparison>{Comparison::AtMostZero, Comparison::IsNotZero}));
  EXPECT_EQ(access.base, 1024);
  EXPECT_TRUE(access.absolute);
  EXPECT_EQ(*evaluate(map_of(access, access.when), Point{20, 3}), (Point{1, 2}));
}

TEST(Access, ALayoutOfThreadsAndValuesIsLeftToItsFamily) {
  const std::string text = "lanes=32 width=4 tv=S[(8, 4, 2) : (16, 2, 1)] + 4  base=128";
  const Access access = read(text);
  EXPECT_EQ(access.tv, "S[(8, 4, 2) : (16, 2, 1)] + 4");
  EXPECT_EQ(access.tv_offset, text.find("S["));
  EXPECT_EQ(access.base, 128);
}

TEST(Access, MayStartAtAnElementThatHasAName) {
  const std::vector<std::string> sizes{"M", "R", "i"};
  const auto access = parse_access("lanes=8 width=2 at=[lane + R - 1, 8*(i + 2*R) - lane % 2, 3] for i=2:4", sizes);
  ASSERT_TRUE(access.has_value());
  EXPECT_EQ(access->first, (std::vector<Index>{2, 0}));
  EXPECT_EQ(access->names, (std::vector<std::string>{"R"}));  // i is a variable, and M is none of it
  EXPECT_EQ(extents_of(access->free), (std::vector<Index>{2, 1}));
  ASSERT_EQ(access->origin.size(), 3U);
  EXPECT_EQ(print(access->origin[0]), "R");
  EXPECT_EQ(print(access->origin[1]), "16*R");
  EXPECT_EQ(print(access->origin[2]), "0");
  EXPECT_EQ(*evaluate(map_of(*access, access->at), Point{5, 1, 0}), (Point{4, 23, 3}));

  EXPECT_TRUE(parse_access("lanes=8 width=2 at=[lane, 0]", sizes)->origin.empty());
  for (const char* text :
       {"lanes=8 width=2 at=[R / 2 + lane, 0]", "lanes=8 width=2 at=[(lane + R) % 2, 0]",
        "lanes=8 width=2 at=[R * lane, 0]", "lanes=8 width=2 at=[R * M, 0]",
        "lanes=8 width=2 at=[lane, 0] when lane < R", "lanes=8 width=2 at=[lane + R, 0] when lane < R",
        "lanes=8 width=2 at=[lane + R, 0] for R=0:M"}) {
    const auto refused = parse_access(text, sizes);
    ASSERT_FALSE(refused.has_value()) << text;
  }
}

struct Refused {
  std::string name;
  std::string text;
  ErrorCode code;
  std::size_t offset;
};

class AccessRefuses : public ::testing::TestWithParam<Refused> {};

TEST_P(AccessRefuses, WithTheOffsetOfWhatIsWrong) {
  const auto access = parse_access(GetParam().text);
  ASSERT_FALSE(access.has_value()) << GetParam().text;
  EXPECT_EQ(name(access.error().code), name(GetParam().code)) << access.error().message;
  EXPECT_EQ(access.error().offset, GetParam().offset) << access.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Texts, AccessRefuses,
    ::testing::Values(
        Refused{"nothing", "", ErrorCode::Syntax, 0}, Refused{"noise", "hello lanes=2", ErrorCode::Syntax, 0},
        Refused{"no_lanes", "width=4 at=[lane]", ErrorCode::Syntax, 0},
        Refused{"no_width", "lanes=4 at=[lane]", ErrorCode::Syntax, 0},
        Refused{"no_coordinates", "lanes=4 width=4", ErrorCode::Syntax, 0},
        Refused{"too_many_lanes", "lanes=65 width=4 at=[lane]", ErrorCode::Value, 6},
        Refused{"no_lane", "lanes=0 width=4 at=[lane]", ErrorCode::Value, 6},
        Refused{"three_bytes", "lanes=4 width=3 at=[lane]", ErrorCode::Value, 14},
        Refused{"wide", "lanes=4 width=32 at=[lane]", ErrorCode::Value, 14},
        Refused{"huge", "lanes=99999999999999999999 width=4 at=[lane]", ErrorCode::Overflow, 6},
        Refused{"twice", "lanes=4 width=4 lanes=4 at=[lane]", ErrorCode::Syntax, 16},
        Refused{"matrix_lanes", "ldmatrix.x4 lanes=8 at=[lane]", ErrorCode::Value, 18},
        Refused{"matrix_width", "ldmatrix.x1 width=8 at=[lane]", ErrorCode::Value, 18},
        Refused{"matrix_count", "ldmatrix.x3 at=[lane]", ErrorCode::Value, 0},
        Refused{"matrix_alone", "ldmatrix at=[lane]", ErrorCode::Value, 0},
        Refused{"unknown_name", "lanes=4 width=4 at=[lane, k]", ErrorCode::Value, 26},
        Refused{"divisor_0", "lanes=4 width=4 at=[lane / 0]", ErrorCode::Value, 25},
        Refused{"divisor_negative", "lanes=4 width=4 at=[lane % -2]", ErrorCode::Value, 25},
        Refused{"divisor_variable", "lanes=4 width=4 at=[4 / lane]", ErrorCode::Value, 22},
        Refused{"product", "lanes=4 width=4 at=[lane * lane]", ErrorCode::Value, 25},
        Refused{"open", "lanes=4 width=4 at=[lane", ErrorCode::Syntax, 24},
        Refused{"open_before_for", "lanes=4 width=4 at=[lane for i=0:2", ErrorCode::Syntax, 25},
        Refused{"no_value", "lanes=4 width=4 at=[i] for i=3:3", ErrorCode::Value, 27},
        Refused{"taken", "lanes=4 width=4 at=[i] for i=0:3, i=0:2", ErrorCode::Value, 34},
        Refused{"lane_taken", "lanes=4 width=4 at=[lane] for lane=0:3", ErrorCode::Value, 30},
        Refused{"too_many_values", "lanes=4 width=4 at=[i] for i=-9223372036854775807:9223372036854775807",
                ErrorCode::Overflow, 27},
        Refused{"too_many_instances", "lanes=4 width=4 at=[i] for i=0:4294967296, j=0:4294967296", ErrorCode::Overflow,
                23},
        Refused{"overflow", "lanes=4 width=4 at=[lane * 9223372036854775807 * 3]", ErrorCode::Overflow, 47},
        Refused{"overflow_of_a_lane", "lanes=4 width=4 at=[lane * 9223372036854775807]", ErrorCode::Overflow, 16},
        Refused{"base_0", "lanes=4 width=4 at=[lane] base=0", ErrorCode::Value, 31},
        Refused{"absolute_alone", "lanes=4 width=4 at=[lane] absolute", ErrorCode::Value, 26},
        Refused{"no_comparison", "lanes=4 width=4 at=[lane] when lane", ErrorCode::Syntax, 35},
        Refused{"load_of_a_matrix", "load ldmatrix.x4 at=[lane]", ErrorCode::Value, 0},
        Refused{"store_of_a_matrix", "ldmatrix.x4 at=[lane] store", ErrorCode::Value, 22},
        Refused{"load_and_store", "load store lanes=4 width=4 at=[lane]", ErrorCode::Value, 5},
        Refused{"load_twice", "load lanes=4 width=4 at=[lane] load", ErrorCode::Syntax, 31},
        Refused{"at_and_tv", "lanes=4 width=4 at=[lane] tv=S[8]", ErrorCode::Syntax, 16},
        Refused{"for_and_tv", "lanes=4 width=4 tv=S[8] for i=0:2", ErrorCode::Value, 24},
        Refused{"empty_tv", "lanes=4 width=4 tv=", ErrorCode::Syntax, 19},
        Refused{"trailing", "lanes=4 width=4 at=[lane] ]", ErrorCode::Syntax, 26}),
    [](const auto& row) { return row.param.name; });

TEST(Access, RefusesExpressionsThatAreTooDeepOrDivideTooOften) {
  const std::string deep(100000, '(');
  EXPECT_FALSE(parse_access("lanes=4 width=4 at=[" + deep).has_value());
  EXPECT_FALSE(parse_access("lanes=4 width=4 at=[" + std::string(100000, '-') + "lane]").has_value());
  std::string many = "lane";
  for (int i = 2; i < 200; ++i) many += " + lane / " + std::to_string(i);
  EXPECT_FALSE(parse_access("lanes=4 width=4 at=[" + many + "]").has_value());
  std::string wide = "lane";
  for (int i = 0; i < 20000; ++i) wide += "+lane";
  EXPECT_TRUE(parse_access("lanes=4 width=4 at=[" + wide + "]").has_value());
}

// A random expression over lane, i and j.
std::string expression(test::Engine& random, Index depth) {
  const auto below = [&](unsigned n) { return random.below(n); };
  if (depth == 0) {
    const char* leaves[] = {"lane", "i", "j"};
    return below(4) == 0 ? std::to_string(below(20)) : leaves[below(3)];
  }
  const std::string left = expression(random, depth - 1);
  switch (below(7)) {
    case 0: return left + " + " + expression(random, depth - 1);
    case 1: return left + " - " + expression(random, depth - 1);
    case 2: return std::to_string(below(7)) + " * " + (depth == 1 ? left : "(" + left + ")");
    case 3: return "(" + left + ") / " + std::to_string(1 + below(9));
    case 4: return "(" + left + ") % " + std::to_string(1 + below(9));
    case 5: return left + " % " + std::to_string(1 + below(9)) + " * 3 - 1";
    default: return "-(" + left + ")";
  }
}

TEST(Access, ExpressionsHaveTheValueThatCountingGives) {
  test::for_all(2000, [] {
    const std::string text =
        *test::drawn([](test::Engine& engine) { return expression(engine, test::roll(engine, 1, 4)); });
    const auto access = parse_access("lanes=7 width=4 at=[" + text + "] for i=-2:2, j=5:8");
    RC_ASSERT(access.has_value());
    const map::Map map = map_of(*access, access->at);
    for (const Point& p : test::all_points(*map::Space::create(map::Space::dims("x", std::vector<Index>{7, 4, 3}))))
      RC_ASSERT((*evaluate(map, p))[0] ==
                test::Calculator(text, {{"lane", p[0]}, {"i", p[1] - 2}, {"j", p[2] + 5}}).value());
  });
}

}  // namespace use_access_test
}  // namespace vl::use
