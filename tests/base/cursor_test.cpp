// Cursor: each reader takes its part of the text; the first error stays, and nothing is read after it.
#include "encodings/base/cursor.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <tuple>

namespace vl {
namespace base_cursor_test {

TEST(Cursor, SkipsTheFourKindsOfWhiteSpaceAndNothingElse) {
  Cursor in(" \t\r\n\vx");
  in.skip_space();
  EXPECT_EQ(in.offset(), 4U);
}

TEST(Cursor, IsAtTheEndAfterTrailingWhiteSpace) {
  Cursor in("ab  ");
  EXPECT_FALSE(in.at_end());
  EXPECT_TRUE(in.accept("ab"));
  EXPECT_TRUE(in.at_end());
  in.expect_end();
  EXPECT_FALSE(in.failed());
}

TEST(Cursor, PeeksWithoutTaking) {
  Cursor in("  xy");
  EXPECT_EQ(in.peek(), 'x');
  EXPECT_EQ(in.peek(), 'x');
  EXPECT_EQ(in.identifier("a name"), "xy");
  EXPECT_EQ(in.peek(), '\0');
}

TEST(Cursor, AcceptsATokenOnlyWhenItComesNext) {
  Cursor in(" -> affine(");
  EXPECT_FALSE(in.accept("affine"));
  EXPECT_EQ(in.offset(), 1U);
  EXPECT_TRUE(in.accept("->"));
  EXPECT_TRUE(in.accept("affine"));
  EXPECT_TRUE(in.accept("("));
  EXPECT_FALSE(in.accept("("));
  EXPECT_FALSE(in.failed());
}

TEST(Cursor, DoesNotAcceptAnIdentifierInsideALongerWord) {
  for (const char* text : {"upper", "up_", "up1"}) {
    Cursor in(text);
    EXPECT_FALSE(in.accept("up")) << text;
    EXPECT_EQ(in.offset(), 0U);
  }
  Cursor in("up)");
  EXPECT_TRUE(in.accept("up"));
}

TEST(Cursor, ReadsIdentifiersWithDigitsAndUnderscores) {
  Cursor in("_a1 B2.c");
  EXPECT_EQ(in.identifier("a name"), "_a1");
  EXPECT_EQ(in.identifier("a name"), "B2");
  EXPECT_EQ(in.offset(), 6U);
}

TEST(Cursor, ReadsDottedNamesUpToTheLastPartThatIsAWord) {
  Cursor in(" torch.float16[");
  EXPECT_EQ(in.dotted_name("a type"), "torch.float16");
  EXPECT_EQ(in.offset(), 14U);
  for (const char* text : {"a.", "a..b", "a.1", "a .b"}) {
    Cursor other(text);
    EXPECT_EQ(other.dotted_name("a type"), "a") << text;
    EXPECT_EQ(other.offset(), 1U) << text;
    EXPECT_FALSE(other.failed());
  }
}

struct Number {
  const char* text;
  Index value;
};

TEST(Cursor, ReadsIntegersWithAndWithoutSign) {
  for (const Number& row : {Number{"0", 0},
                            {"-0", 0},
                            {"+5", 5},
                            {" -12", -12},
                            {"007", 7},
                            {"9223372036854775807", std::numeric_limits<Index>::max()},
                            {"+9223372036854775807", std::numeric_limits<Index>::max()},
                            {"-9223372036854775808", std::numeric_limits<Index>::min()},
                            {"00000000000000000000000000000000000001", 1},
                            {"0x10", 16},
                            {"-0Xff", -255},
                            {"+0x7fffFFFFffffFFFF", std::numeric_limits<Index>::max()},
                            {"-0x7fffffffffffffff", -std::numeric_limits<Index>::max()}}) {
    Cursor in(row.text);
    EXPECT_EQ(in.integer("a number"), row.value) << row.text;
    EXPECT_TRUE(in.at_end()) << row.text;
  }
}

TEST(Cursor, ReadsIntegersUpToAnOperator) {
  Cursor in("3*x");
  EXPECT_EQ(in.integer("a number"), 3);
  EXPECT_EQ(in.peek(), '*');
}

TEST(Cursor, ReadsListsInEitherBracketWithATrailingComma) {
  const auto list = [](std::string_view text) {
    Cursor in(text);
    auto values = in.integer_list("a shape");
    EXPECT_TRUE(in.at_end()) << text;
    return values;
  };
  EXPECT_EQ(list("[]"), (std::vector<Index>{}));
  EXPECT_EQ(list("( )"), (std::vector<Index>{}));
  EXPECT_EQ(list("[5,100 , -150]"), (std::vector<Index>{5, 100, -150}));
  EXPECT_EQ(list("(128,)"), (std::vector<Index>{128}));
  EXPECT_EQ(list("[1,2,]"), (std::vector<Index>{1, 2}));
}

struct Reject {
  const char* name;
  const char* text;
  std::function<void(Cursor&)> read;
  ErrorCode code;
  std::size_t offset;
  const char* message;
};

void PrintTo(const Reject& row, std::ostream* out) { *out << row.name; }

const auto kNumber = [](Cursor& in) { in.integer("a number"); };
const auto kName = [](Cursor& in) { in.identifier("a name"); };
const auto kType = [](Cursor& in) { in.dotted_name("a type"); };
const auto kList = [](Cursor& in) { in.integer_list("a shape"); };
const auto kArrow = [](Cursor& in) { in.expect("->"); };
const auto kEnd = [](Cursor& in) { in.expect_end(); };

class CursorReject : public testing::TestWithParam<Reject> {};

TEST_P(CursorReject, SaysWhereAndWhat) {
  const Reject& row = GetParam();
  Cursor in(row.text);
  row.read(in);
  ASSERT_TRUE(in.failed());
  EXPECT_EQ(in.error().code, row.code);
  EXPECT_EQ(in.error().offset, row.offset);
  EXPECT_EQ(in.error().message, row.message);
}

constexpr ErrorCode kSyntax = ErrorCode::Syntax;
constexpr ErrorCode kOverflow = ErrorCode::Overflow;

INSTANTIATE_TEST_SUITE_P(
    Table, CursorReject,
    testing::Values(
        Reject{"NumberAtEnd", "  ", kNumber, kSyntax, 2, "expected a number, found the end"},
        Reject{"NumberIsAWord", " abc", kNumber, kSyntax, 1, "expected a number, found 'abc'"},
        Reject{"NumberIsAMinus", "-", kNumber, kSyntax, 0, "expected a number, found '-'"},
        Reject{"NumberHasTwoSigns", "+-5", kNumber, kSyntax, 0, "expected a number, found '+'"},
        Reject{"NumberHasSpaceBehindTheSign", "- 5", kNumber, kSyntax, 0, "expected a number, found '-'"},
        Reject{"NumberHasAFraction", "1.5", kNumber, kSyntax, 1, "expected a number, found '.' after the digits"},
        Reject{"NumberHasAUnit", " 12kB", kNumber, kSyntax, 3, "expected a number, found 'kB' after the digits"},
        Reject{"NumberIsHexWithoutDigits", "0x", kNumber, kSyntax, 1, "expected a number, found 'x' after the digits"},
        Reject{"NumberIsHexWithAnotherDigit", "0x1g", kNumber, kSyntax, 3,
               "expected a number, found 'g' after the digits"},
        Reject{"NumberIsHexAndTooLarge", "0x8000000000000000", kNumber, kOverflow, 0,
               "a number does not fit in 64 bits"},
        Reject{"NumberTooLarge", " 9223372036854775808", kNumber, kOverflow, 1, "a number does not fit in 64 bits"},
        Reject{"NumberTooLargeWithPlus", "+9223372036854775808", kNumber, kOverflow, 0,
               "a number does not fit in 64 bits"},
        Reject{"NumberTooSmall", "-9223372036854775809", kNumber, kOverflow, 0, "a number does not fit in 64 bits"},
        Reject{"NumberMuchTooLong", "111111111111111111111111111111", kNumber, kOverflow, 0,
               "a number does not fit in 64 bits"},
        Reject{"NameIsANumber", " 1a", kName, kSyntax, 1, "expected a name, found '1a'"},
        Reject{"NameIsAControlCharacter", "\x1b[", kName, kSyntax, 0, "expected a name, found the byte 0x1b"},
        Reject{"NameIsNotAscii", "\xc3\xa9", kName, kSyntax, 0, "expected a name, found the byte 0xc3"},
        Reject{"FoundWordIsCut", "1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", kName, kSyntax, 0,
               "expected a name, found '1aaaaaaaaaaaaaaaaaaaaaaa'"},
        Reject{"TypeStartsWithADot", ".x", kType, kSyntax, 0, "expected a type, found '.'"},
        Reject{"ListWithoutBracket", " 5]", kList, kSyntax, 1, "expected a shape as [..] or (..), found '5'"},
        Reject{"ListWithoutEnd", "[5", kList, kSyntax, 2, "expected ',' or ']' in a shape, found the end"},
        Reject{"ListWithoutAnything", "[", kList, kSyntax, 1, "expected an integer in a shape, found the end"},
        Reject{"ListWithTheOtherBracket", "(5]", kList, kSyntax, 2, "expected ',' or ')' in a shape, found ']'"},
        Reject{"ListOfACommaAlone", "[,]", kList, kSyntax, 1, "expected an integer in a shape, found ','"},
        Reject{"ListWithTwoCommas", "[1,,2]", kList, kSyntax, 3, "expected an integer in a shape, found ','"},
        Reject{"ListWithoutComma", "[1 2]", kList, kSyntax, 3, "expected ',' or ']' in a shape, found '2'"},
        Reject{"ListWithAnOverflow", "[1, 9223372036854775808]", kList, kOverflow, 4,
               "an integer in a shape does not fit in 64 bits"},
        Reject{"TokenAtEnd", "", kArrow, kSyntax, 0, "expected '->', found the end"},
        Reject{"TokenIsOther", " - >", kArrow, kSyntax, 1, "expected '->', found '-'"},
        Reject{"EndIsNotThere", "  x", kEnd, kSyntax, 2, "expected the end, found 'x'"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Cursor, KeepsTheFirstError) {
  Cursor in("x");
  in.fail(ErrorCode::Overflow, "first", 3);
  in.fail(ErrorCode::Value, "second", 1);
  in.fail("third");
  in.expect("y");
  EXPECT_EQ(in.error(), (Error{ErrorCode::Overflow, "first", 3}));
}

TEST(Cursor, RecordsAnErrorWhereItStands) {
  Cursor in("ab cd");
  EXPECT_TRUE(in.accept("ab"));
  in.fail("no");
  EXPECT_EQ(in.error(), (Error{ErrorCode::Syntax, "no", 2}));
}

// After an error each reader answers with its neutral value and moves nothing, white space included.
RC_GTEST_PROP(CursorLaws, NothingMovesAfterAnError, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("a1 .,([])-+\n\t")));
  Cursor in(text);
  static_cast<void>(in.peek());
  if (*rc::gen::arbitrary<bool>()) static_cast<void>(in.integer("a number"));
  in.fail("stop");
  const Error first = in.error();
  const std::size_t place = in.offset();
  RC_CLASSIFY(place < text.size(), "text is left");
  RC_ASSERT(!in.at_end());
  RC_ASSERT(in.peek() == '\0');
  RC_ASSERT(!in.accept("a"));
  RC_ASSERT(!in.accept("("));
  in.expect(",");
  RC_ASSERT(in.identifier("a name").empty());
  RC_ASSERT(in.dotted_name("a type").empty());
  RC_ASSERT(in.integer("a number") == 0);
  RC_ASSERT(in.integer_list("a shape").empty());
  in.expect_end();
  in.skip_space();
  RC_ASSERT(in.offset() == place);
  RC_ASSERT(in.error() == first);
}

RC_GTEST_PROP(CursorLaws, APrintedIntegerIsReadBack, (Index value)) {
  const std::string text = std::to_string(value);
  Cursor in(text);
  RC_ASSERT(in.integer("a number") == value);
  RC_ASSERT(in.at_end());
}

TEST(CursorExpression, EndsBeforeTheCommaOrBracketThatIsNotItsOwn) {
  for (const auto& [text, taken, rest] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"f(a, [b]), c", "f(a, [b])", ", c"},
           {" {\"hbm\": 0, 'x,)': (1)} )", "{\"hbm\": 0, 'x,)': (1)}", ")"},
           {"a // 64]", "a // 64", "]"},
           {"True", "True", ""},
           {"[] , 1", "[]", ", 1"}}) {
    Cursor in(text);
    EXPECT_EQ(in.expression("an expression"), taken) << text;
    EXPECT_FALSE(in.failed()) << text;
    in.skip_space();
    EXPECT_EQ(text.substr(in.offset()), rest) << text;
  }
}

TEST(CursorExpression, RefusesWhatDoesNotPairOrIsNotThere) {
  for (const auto& [text, offset] : std::vector<std::pair<std::string, std::size_t>>{{"", 0},
                                                                                     {"  ", 2},
                                                                                     {",", 0},
                                                                                     {")", 0},
                                                                                     {"f(a", 3},
                                                                                     {"f(a]", 3},
                                                                                     {"[(1])", 3},
                                                                                     {"'abc", 0},
                                                                                     {"{\"a: 1}", 1}}) {
    Cursor in(text);
    EXPECT_TRUE(in.expression("an expression").empty()) << text;
    ASSERT_TRUE(in.failed()) << text;
    EXPECT_EQ(in.error().offset, offset) << text << ": " << in.error().message;
  }
}

}  // namespace base_cursor_test
}  // namespace vl
