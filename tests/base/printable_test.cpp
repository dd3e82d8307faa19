// What a terminal acts on is written as JSON writes it; everything else stays.
#include <gtest/gtest.h>

#include "encodings/base/printable.h"
#include "encodings/base/source.h"

namespace vl {
namespace base_printable_test {

TEST(Printable, WritesControlCharactersAsJsonDoes) {
  EXPECT_EQ(printable("S[(8,64):(64,1)]"), "S[(8,64):(64,1)]");
  EXPECT_EQ(printable("a\x1b[2Jb"), "a\\u001b[2Jb");
  EXPECT_EQ(printable("a\nb\tc\rd\x7f"), "a\\nb\\tc\\u000dd\\u007f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\u009b2J");  // a C1 control, which some terminals obey
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "gpj"),
            "\\u202egpj");  // turns the direction of writing
  EXPECT_EQ(printable("größe ≥ 2 \xf0\x9f\x98\x80"), "größe ≥ 2 \xf0\x9f\x98\x80");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\u0000");
}

TEST(Printable, WritesWhatIsNoUtf8AsBytes) {
  EXPECT_EQ(printable("\x9b"), "\\x9b");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // too long a form of '/'
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xe2\x80"), "\\xe2\\x80");
}

TEST(Printable, IsWhatDiagnosticsAre) {
  const Diagnostic found = locate("a\x1b[2J.toml", "x\x1b[31my", {ErrorCode::Syntax, "found '\x1b'", 1});
  EXPECT_EQ(to_string(found), "a\\u001b[2J.toml:1:2: found '\\u001b'\n  x [31my\n   ^");
}

}  // namespace base_printable_test
}  // namespace vl
