// Maps as text: one spelling for each map, which is read back as the same map, and errors with their places.
#include "encodings/map/text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tests/support/maps.h"

namespace vl::map {
namespace map_text_test {

struct Spelling {
  const char* name;
  const char* canonical;
  std::vector<const char*> others;
};

void PrintTo(const Spelling& row, std::ostream* out) { *out << row.name; }

class Canonical : public testing::TestWithParam<Spelling> {};

TEST_P(Canonical, TextIsWhatItsOtherSpellingsPrint) {
  const auto map = parse(GetParam().canonical);
  ASSERT_TRUE(map.has_value()) << map.error().message;
  EXPECT_EQ(print(*map), GetParam().canonical);
  for (const char* other : GetParam().others) {
    const auto same = parse(other);
    ASSERT_TRUE(same.has_value()) << other << ": " << same.error().message;
    EXPECT_EQ(*same, *map) << other;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, Canonical,
    testing::Values(
        Spelling{"RankZero", "()", {" ( ) ", "\t(\n)\r"}},
        Spelling{"Identity", "(a:2, b_1:0)", {"(a:2,b_1:0)", "( a : +2 , b_1 : 00 @ element )"}},
        Spelling{"Units",
                 "(c:32@core, l:64@lane, w:2@word, s:3@stick, b:4@byte)",
                 {"(c:32 @ core,l:64@lane,w:2@word,s:3@stick,b:4@byte)"}},
        Spelling{"WorkedExample",
                 "(x0:5, x1:100, x2:150) -> affine(15000*x0 + 150*x1 + x2) -> split(0; 15000, 150, 64, 1) -> "
                 "affine(x1, x2, x0, x3)",
                 {"(x0:5,x1:100,x2:150)->affine(x2+150*x1+15000*x0)->split(0;15000,150,64,1)->affine(x1,x2,1*"
                  "x0,x3)"}},
        Spelling{"NoOutputs", "(x:3) -> affine()", {"(x:3) -> affine ( )"}},
        Spelling{"Constants",
                 "(x:3) -> affine(0, 7, -7, x0 + 1, -x0 - 1)",
                 {"(x:3) -> affine(x0 - x0, 3 + 4, -3 - 4, 1 + x0, -1 - x0)",
                  "(x:3) -> affine(0*x0, 7, --7 - 14, 1*x0 + 1, -1*x0 + -1)"}},
        Spelling{"NegativeCoefficients",
                 "(x:3, y:3) -> affine(-2*x0 + 3*x1 - 4)",
                 {"(x:3, y:3) -> affine(-4 + x1 - 2*x0 + 2*x1)"}},
        Spelling{"SwizzleDown", "(x:512) -> swizzle(0; 3, 3, 3, down)", {"(x:512)->swizzle(0;3,3,3,down)"}},
        Spelling{"SwizzleUp", "(x:9) -> swizzle(0; 0, 4, 1, up)", {"(x:9) -> swizzle ( 0 ; 0 , 4 , 1 , up )"}},
        Spelling{"SplitTies", "(x:9) -> split(0; 4, 4, 1)", {"(x:9)->split(0;4,4,1)"}},
        Spelling{"LargestNumbers", "(x:1) -> affine(9223372036854775807*x0 - 9223372036854775807)", {}}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(PrintRow, WritesTheLeastIntegerWithoutNegatingIt) {
  EXPECT_EQ(print(Row{std::numeric_limits<Index>::min(), {{0, std::numeric_limits<Index>::min()}}}),
            "-9223372036854775808*x0 - 9223372036854775808");
}

struct Reject {
  const char* name;
  const char* text;
  std::size_t offset;
  ErrorCode code = ErrorCode::Syntax;
};

void PrintTo(const Reject& row, std::ostream* out) { *out << row.name; }

class ParseReject : public testing::TestWithParam<Reject> {};

TEST_P(ParseReject, SaysWhere) {
  const auto map = parse(GetParam().text);
  ASSERT_FALSE(map.has_value()) << print(*map);
  EXPECT_EQ(map.error().code, GetParam().code) << map.error().message;
  EXPECT_EQ(map.error().offset, GetParam().offset) << map.error().message;
  EXPECT_FALSE(map.error().message.empty());
}

constexpr ErrorCode kValue = ErrorCode::Value;
constexpr ErrorCode kShape = ErrorCode::Shape;
constexpr ErrorCode kOverflow = ErrorCode::Overflow;

INSTANTIATE_TEST_SUITE_P(
    Space, ParseReject,
    testing::Values(Reject{"Nothing", "", 0}, Reject{"OnlySpace", "  ", 2}, Reject{"NoBracket", "x:2", 0},
                    Reject{"OpenBracket", "(", 1}, Reject{"OpenDimension", "(x:2", 4}, Reject{"NoColon", "(x 2)", 3},
                    Reject{"NoExtent", "(x:)", 3}, Reject{"NoName", "(:2)", 1}, Reject{"NumberForName", "(2:2)", 1},
                    Reject{"SymbolicExtent", "(x:n)", 3}, Reject{"FractionalExtent", "(x:1.5)", 4},
                    Reject{"ExtentTooLarge", "(x:9223372036854775808)", 3, kOverflow},
                    Reject{"NoComma", "(x:2 y:3)", 5}, Reject{"TrailingComma", "(x:2,)", 5},
                    Reject{"LeadingComma", "(,x:2)", 1}, Reject{"NoUnit", "(x:2@)", 5},
                    Reject{"UnknownUnit", "(x:2@bit)", 5}, Reject{"UnknownUnitAfterSpace", "(x:2@ bit)", 6},
                    Reject{"WrongBracket", "[x:2]", 0}, Reject{"MoreBehind", "(x:2) y", 6},
                    Reject{"ZeroByte", "(x:2)\x01", 5}, Reject{"NegativeExtent", "(x:-1)", 0, kValue},
                    Reject{"NameTwice", "(x:2, x:3)", 0, kValue},
                    Reject{"VolumeTooLarge", "(x:4294967296, y:4294967296)", 0, kOverflow}),
    [](const auto& row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Stage, ParseReject,
    testing::Values(
        Reject{"HalfArrow", "(x:2) - affine(x0)", 6}, Reject{"NoStage", "(x:2) ->", 8},
        Reject{"UnknownStage", "(x:2) -> permute(x0)", 9}, Reject{"NumberForStage", "(x:2) -> 7", 9},
        Reject{"StageWithoutBracket", "(x:2) -> affine", 15}, Reject{"CapitalStage", "(x:2) -> Affine(x0)", 9},
        Reject{"OpenAffine", "(x:2) -> affine(x0", 18}, Reject{"AffineTrailingComma", "(x:2) -> affine(x0,)", 19},
        Reject{"AffineEmptyRow", "(x:2) -> affine(,)", 16}, Reject{"AffineOpenSum", "(x:2) -> affine(x0 +)", 20},
        Reject{"AffineNoOperator", "(x:2) -> affine(x0 x0)", 19},
        Reject{"AffineUnknownInput", "(x:2) -> affine(2*y0)", 18},
        Reject{"AffineUnknownInputAfterSpace", "(x:2) -> affine(2* y0)", 19},
        Reject{"AffineBareX", "(x:2) -> affine(x)", 16}, Reject{"AffineInputNotANumber", "(x:2) -> affine(xy)", 16},
        Reject{"AffineInputTooLong", "(x:2) -> affine(x1234567)", 16},
        Reject{"AffineCoefficientBehind", "(x:2) -> affine(x0*2)", 18},
        Reject{"AffineJuxtaposed", "(x:2) -> affine(2x0)", 17},
        Reject{"AffineCoefficientTooLarge", "(x:2) -> affine(9223372036854775808*x0)", 16, kOverflow},
        Reject{"AffineConstantTooLarge", "(x:2) -> affine(1 + 9223372036854775807)", 20, kOverflow},
        Reject{"AffineCoefficientsTooLarge", "(x:1) -> affine(1, x0 + 9223372036854775807*x0)", 19, kOverflow},
        Reject{"AffineLeastIntegerNegated", "(x:1) -> affine(--9223372036854775808)", 17, kOverflow},
        Reject{"AffineLeastCoefficientNegated", "(x:1) -> affine(x0 - -9223372036854775808*x0)", 21, kOverflow},
        Reject{"AffineLeastInteger", "(x:1) -> affine(0 + -9223372036854775808)", 0, kOverflow},
        Reject{"AffineInputMissing", "(x:2) -> affine(x1)", 0, kShape},
        Reject{"AffineRangeTooLarge", "(x:3) -> affine(9223372036854775807*x0)", 0, kOverflow},
        Reject{"SplitNoSemicolon", "(x:2) -> split(0, 1)", 16}, Reject{"SplitNoInput", "(x:2) -> split(; 1)", 15},
        Reject{"SplitVariable", "(x:2) -> split(x0; 1)", 15}, Reject{"SplitNegativeInput", "(x:2) -> split(-1; 1)", 15},
        Reject{"SplitNegativeInputAfterSpace", "(x:2) -> split( -1; 1)", 16},
        Reject{"SplitNoWeights", "(x:2) -> split(0;)", 17}, Reject{"SplitTrailingComma", "(x:2) -> split(0; 1,)", 20},
        Reject{"OpenSplit", "(x:2) -> split(0; 1", 19}, Reject{"SplitAscends", "(x:2) -> split(0; 1, 2, 1)", 0, kValue},
        Reject{"SplitEndsInTwo", "(x:2) -> split(0; 2)", 0, kValue},
        Reject{"SplitInputMissing", "(x:2) -> split(1; 1)", 0, kShape}),
    [](const auto& row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Swizzle, ParseReject,
    testing::Values(Reject{"NoInput", "(x:2) -> swizzle(; 0, 1, 1, up)", 17},
                    Reject{"TooFewNumbers", "(x:2) -> swizzle(0; 0, 1, up)", 26},
                    Reject{"TooManyNumbers", "(x:2) -> swizzle(0; 0, 1, 1, 1, up)", 29},
                    Reject{"NoDirection", "(x:2) -> swizzle(0; 0, 1, 1)", 27},
                    Reject{"UnknownDirection", "(x:2) -> swizzle(0; 0, 1, 1, left)", 29},
                    Reject{"LongerDirection", "(x:2) -> swizzle(0; 0, 1, 1, upper)", 29},
                    Reject{"Open", "(x:2) -> swizzle(0; 0, 1, 1, up", 31},
                    Reject{"NegativeBase", "(x:2) -> swizzle(0; -1, 1, 1, up)", 20, kValue},
                    Reject{"BitsTooLarge", "(x:2) -> swizzle(0; 0, 65, 1, up)", 23, kValue},
                    Reject{"ShiftTooLarge", "(x:2) -> swizzle(0; 0, 1, 4294967297, up)", 26, kValue},
                    Reject{"ShiftZero", "(x:2) -> swizzle(0; 0, 1, 0, up)", 0, kValue},
                    Reject{"SumTooLarge", "(x:2) -> swizzle(0; 21, 21, 21, up)", 0, kValue},
                    Reject{"InputMissing", "(x:2) -> swizzle(1; 0, 1, 1, up)", 0, kShape},
                    Reject{"OfNegative", "(x:2) -> affine(x0 - 1) -> swizzle(0; 0, 1, 1, up)", 0, kValue}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Parse, ReadsBackEveryMapOfASmallFamily) {
  std::size_t maps = 0;
  const auto check = [&](const Map& map) {
    const auto again = parse(print(map));
    ASSERT_TRUE(again.has_value()) << print(map) << ": " << again.error().message;
    ASSERT_EQ(*again, map) << print(map);
    ++maps;
  };
  for (Index a = 0; a <= 2; ++a)
    for (Index b = 0; b <= 2; ++b) {
      const Space box = *Space::create({{"a", a, Unit::Core}, {"b", b}});
      for (Index c = -2; c <= 2; ++c)
        for (Index d = -2; d <= 2; ++d)
          for (Index e = -2; e <= 2; ++e)
            check(*Map::create(box, {Stage{Affine{{dot(std::vector<Index>{c, d}, e), pick(1)}}}}));
      for (std::size_t input = 0; input < 2; ++input) {
        for (Index u = 1; u <= 4; ++u)
          for (Index v = 1; v <= u; ++v) check(*Map::create(box, {Stage{Split{input, {u, v, 1}}}}));
        for (int base = 0; base <= 2; ++base)
          for (int bits = 0; bits <= 2; ++bits)
            for (int shift = 1; shift <= 3; ++shift)
              for (const auto direction : {Swizzle::Direction::Down, Swizzle::Direction::Up})
                check(*Map::create(box, {Stage{Swizzle{input, base, bits, shift, direction}}}));
      }
    }
  EXPECT_EQ(maps, 9U * (125 + 2 * (10 + 54)));
}

RC_GTEST_PROP(TextLaws, AMapIsReadBackAsItWasPrinted, ()) {
  const Map map = *test::maps();
  RC_CLASSIFY(map.stages().size() >= 2, "two stages or more");
  const std::string text = print(map);
  const auto again = parse(text);
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == map);
  RC_ASSERT(print(*again) == text);
}

// One byte deleted, doubled or replaced: the answer is an error within the text, or a map with a spelling of
// its own. Returns whether it was accepted.
bool expect_sound(const std::string& text) {
  const auto map = parse(text);
  if (!map) {
    EXPECT_LE(map.error().offset, text.size()) << text;
    EXPECT_FALSE(map.error().message.empty()) << text;
    return false;
  }
  const auto again = parse(print(*map));
  EXPECT_TRUE(again.has_value() && *again == *map) << text;
  return true;
}

RC_GTEST_PROP(TextLaws, MutatedTextIsRefusedWithAPlaceOrHasASpellingOfItsOwn, ()) {
  std::string text = print(*test::maps());
  for (auto edits = *rc::gen::inRange(1, 4); edits > 0 && !text.empty(); --edits) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 3)) {
      case 0: text.erase(at, 1); break;
      case 1: text.insert(at, 1, text[at]); break;
      default:
        text[at] =
            *rc::gen::oneOf(rc::gen::elementOf(std::string("0123456789x-+*,;:@()> ")), rc::gen::character<char>());
    }
  }
  const bool accepted = expect_sound(text);
  RC_CLASSIFY(accepted, "accepted");
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(Parse, IsSoundOnEveryByteOfMutatedExamples) {
  std::size_t accepted = 0;
  std::size_t refused = 0;
  const auto count = [&](const std::string& text) { ++(expect_sound(text) ? accepted : refused); };
  for (const std::string text : {"(x0:5, x1:10@core) -> affine(15*x0 - x1 + 9) -> split(0; 15, 4, 1) -> affine(x2, x0)",
                                 "(a:64) -> swizzle(0; 0, 2, 3, down) -> affine(-3*x0 - 1)"})
    for (std::size_t at = 0; at < text.size(); ++at) {
      std::string edited = text;
      count(edited.erase(at, 1));
      edited = text;
      count(edited.insert(at, 1, text[at]));
      count(text.substr(0, at));
      for (const char c : std::string("09x-+*,;:@()> a\0\xff", 17)) {
        edited = text;
        edited[at] = c;
        count(edited);
      }
    }
  EXPECT_GT(accepted, 200U);
  EXPECT_GT(refused, 1000U);
}

}  // namespace map_text_test
}  // namespace vl::map
