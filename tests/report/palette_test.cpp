// Colours: lightness alone distinguishes them, and text is readable on each.
#include "verifier/report/palette.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace vl::report {
namespace report_palette_test {

TEST(Palette, EachColourIsLighterThanTheOneBefore) {
  std::size_t compared = 0;
  for (std::size_t count = 2; count <= 64; ++count)
    for (std::size_t i = 1; i < count; ++i, ++compared)
      EXPECT_GT(luminance(palette(i, count)), luminance(palette(i - 1, count))) << i << " of " << count;
  EXPECT_EQ(compared, 63U * 64U / 2U);
}

TEST(Palette, TextHasTheContrastThatWcagAsksForOnEveryColour) {
  const auto contrast = [](Rgb a, Rgb b) {
    const double light = std::max(luminance(a), luminance(b)) + 0.05;
    return light / (std::min(luminance(a), luminance(b)) + 0.05);
  };
  for (int red = 0; red < 256; red += 5)
    for (int green = 0; green < 256; green += 5)
      for (int blue = 0; blue < 256; blue += 5) {
        const Rgb ground{red, green, blue};
        ASSERT_GE(contrast(ground, text_on(ground)), 4.5) << hex(ground);
      }
}

TEST(Palette, KnowsTheLuminanceOfWhiteAndGreenAndWritesHex) {
  EXPECT_NEAR(luminance({255, 255, 255}), 1.0, 1e-9);
  EXPECT_NEAR(luminance({0, 255, 0}), 0.7152, 1e-9);
  EXPECT_EQ(luminance({0, 0, 0}), 0.0);
  EXPECT_EQ(hex({0, 10, 255}), "#000aff");
  EXPECT_EQ(hex(faded({0, 100, 255})), "#bfd8ff");  // (0 + 765)/4, (100 + 765)/4, 255
  EXPECT_EQ(text_on({255, 255, 255}), (Rgb{0, 0, 0}));
  EXPECT_EQ(text_on({0, 0, 0}), (Rgb{255, 255, 255}));
}

TEST(Palette, OneColourAloneIsNeitherBlackNorWhite) {
  const double light = luminance(palette(0, 1));
  EXPECT_GT(light, 0.1);
  EXPECT_LT(light, 0.9);
}

}  // namespace report_palette_test
}  // namespace vl::report
