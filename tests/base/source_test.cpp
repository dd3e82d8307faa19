// The place of an error in a text: line, column, excerpt and caret.
#include "encodings/base/source.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace vl {
namespace base_source_test {

Diagnostic at(std::string_view text, std::size_t offset) {
  return locate("f", text, Error{ErrorCode::Syntax, "m", offset});
}

struct Place {
  const char* name;
  std::string text;
  std::size_t offset, line, column;
  std::string excerpt;
  std::size_t caret;
};

class Locate : public testing::TestWithParam<Place> {};

TEST_P(Locate, FindsLineColumnExcerptAndCaret) {
  const Place& p = GetParam();
  EXPECT_EQ(at(p.text, p.offset), (Diagnostic{"f", p.line, p.column, "m", p.excerpt, p.caret}));
}

const std::string kLong(300, 'a');

INSTANTIATE_TEST_SUITE_P(
    Table, Locate,
    testing::Values(Place{"Start", "ab\ncd", 0, 1, 1, "ab", 0}, Place{"HeaderExample", "ab\ncd", 4, 2, 2, "cd", 1},
                    Place{"OnTheNewline", "ab\ncd", 2, 1, 3, "ab", 2},
                    Place{"BehindTheNewline", "ab\ncd", 3, 2, 1, "cd", 0},
                    Place{"AtTheEnd", "ab\ncd", 5, 2, 3, "cd", 2}, Place{"BeyondTheEnd", "ab\ncd", 99, 2, 3, "cd", 2},
                    Place{"BehindTheLastNewline", "ab\n", 3, 2, 1, "", 0}, Place{"EmptyText", "", 0, 1, 1, "", 0},
                    Place{"EmptyLine", "a\n\nb", 2, 2, 1, "", 0}, Place{"MiddleLine", "a\nxyz\nb", 3, 2, 2, "xyz", 1},
                    Place{"TabIsOneColumn", "\tx", 1, 1, 2, " x", 1},
                    Place{"CarriageReturn", "ab\r\ncd", 1, 1, 2, "ab ", 1},
                    Place{"Escape", "a\x1b[31mb\x7f", 6, 1, 7, "a [31mb ", 6},
                    Place{"ZeroByte", std::string("a\0b", 3), 2, 1, 3, "a b", 2},
                    Place{"LongLineFromItsStart", kLong, 0, 1, 1, std::string(100, 'a'), 0},
                    Place{"LongLineInTheMiddle", kLong, 150, 1, 151, std::string(200, 'a'), 100},
                    Place{"LongLineAtItsEnd", kLong, 300, 1, 301, std::string(100, 'a'), 100},
                    Place{"WindowStopsAtTheLine", "b\n" + kLong + "\nc", 2, 2, 1, std::string(100, 'a'), 0}),
    [](const auto& row) { return std::string(row.param.name); });

RC_GTEST_PROP(LocateLaws, TheCaretStandsUnderTheByteOfTheOffset, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab \n\t\x01(")));
  const auto offset = *rc::gen::inRange<std::size_t>(0, text.size() + 3);
  const Diagnostic d = at(text, offset);
  const std::size_t place = std::min(offset, text.size());
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t i = 0; i < place; ++i) {
    line += text[i] == '\n' ? 1U : 0U;
    column = text[i] == '\n' ? 1 : column + 1;
  }
  RC_ASSERT(d.line == line);
  RC_ASSERT(d.column == column);
  RC_ASSERT(d.caret <= d.excerpt.size());
  if (place < text.size() && text[place] >= ' ') RC_ASSERT(d.excerpt.at(d.caret) == text[place]);
  for (const char c : d.excerpt) RC_ASSERT(c >= ' ');
}

TEST(ToString, PutsTheCaretUnderTheColumn) {
  EXPECT_EQ(to_string(locate("a.toml", "x = 1\ny = ?", Error{ErrorCode::Syntax, "expected a number", 10})),
            "a.toml:2:5: expected a number\n"
            "  y = ?\n"
            "      ^");
}

TEST(ToString, PutsTheCaretAtTheFirstColumn) { EXPECT_EQ(to_string(at("?", 0)), "f:1:1: m\n  ?\n  ^"); }

TEST(ToString, LeavesOutAnEmptyExcerpt) { EXPECT_EQ(to_string(at("", 0)), "f:1:1: m"); }

TEST(ToString, LeavesOutThePlaceOfAnErrorThatHasNone) {
  EXPECT_EQ(to_string(Diagnostic{"a.npy", 0, 0, "cannot be read", "", 0}), "a.npy: cannot be read");
}

}  // namespace base_source_test
}  // namespace vl
