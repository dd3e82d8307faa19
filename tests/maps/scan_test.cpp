// Maps in longer texts, and texts that only look like them.
#include <gtest/gtest.h>

#include "tests/support/scan.h"

namespace vl {
namespace maps_scan_test {

using test::Lines;

Lines found(std::string_view text) {
  session::ScanOptions options;
  options.family = "map";
  return test::found_in(text, options);
}

TEST(MapsScan, FindsAMapFromItsDomainToItsBox) {
  EXPECT_EQ(found("of (x0:4, x1:8) -> affine(8*x0 + x1), and"),
            (Lines{"1:4 (x0:4, x1:8) -> affine(8*x0 + x1) | u8[4,8]"}));
  EXPECT_EQ(found("{\"map\": \"(x0:8, r0:2) -> affine(x0) -> split(0; 4, 1) ->\n  affine(x0, x1) -> (m:2, lane:4)\"}"),
            (Lines{"1:10 (x0:8, r0:2) -> affine(x0) -> split(0; 4, 1) ->   affine(x0, x1) -> (m:2, lane:4) | u8[8]"}));
  EXPECT_EQ(found("() -> affine(7) then (x0:2) -> affine(x0) -> f"),
            (Lines{"1:1 () -> affine(7) | u8[]", "1:22 (x0:2) -> affine(x0) | u8[2]"}));
}

TEST(MapsScan, AWrongMapIsFoundSoThatItsReadingSaysSo) {
  EXPECT_EQ(found("(x0:4) -> affine(x1)"), (Lines{"1:1 (x0:4) -> affine(x1) | u8[1]"}));
}

TEST(MapsScan, LooksAlikeAndIsNone) {
  for (const char* text :
       {"affine_map<(d0, d1) -> (d0 * 8 + d1)>", "affine(8*x0 + x1)", "f(x0:4) -> affine(x0)", "(x0:4) -> affine(",
        "-> split(0; 4, 1) -> affine(x0)", "(a + b) -> affine(x0)", "text.split(\",\")"})
    EXPECT_EQ(found(text), Lines{}) << text;
}

}  // namespace maps_scan_test
}  // namespace vl
