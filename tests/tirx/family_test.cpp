// The registry's entry: the parts of a reading besides the map.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "encodings/tirx/tirx.h"

namespace vl::tirx {
namespace tirx_family_test {

map::Tensor tensor_of(std::string_view text) { return *map::parse_tensor(text); }

TEST(TirxFamily, IsInTheRegistryAndAloneRecognisesItsTexts) {
  for (const char* text : {"S[8:1]", "T.TileLayout(T.S[8])", "SwizzleLayout(3, 3, 3)", "64 + S[8:1]"}) {
    std::string names;
    for (const use::Family* each : use::families())
      if (each->recognises(text)) names += each->name;
    EXPECT_EQ(names, "tirx") << text;
  }
}

TEST(TirxFamily, GivesThePlainNotationTheRulesAndTheElementsBits) {
  const auto reading = family().read("T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(8, 32 * 2)]), swizzle_inner = True)",
                                     tensor_of("bf16[8,64]"));
  ASSERT_TRUE(reading.has_value());
  EXPECT_EQ(reading->normal, "ComposeLayout(3, 3, 3, TileLayout(S[(8,64):(64,1)]))");
  EXPECT_EQ(reading->device_bits, 16);
  EXPECT_NE(reading->layout(), nullptr);
  ASSERT_EQ(reading->rules.size(), 1U);
  EXPECT_EQ(reading->rules[0].have, reading->rules[0].want);
  EXPECT_EQ(family().read("S[8:1]", tensor_of("i4[8]"))->device_bits, 4);
  EXPECT_EQ(family().read("S[8:1]", tensor_of("f64[8]"))->device_bits, 64);
}

TEST(TirxFamily, TakesTheHostsStridesAndOffsetAsTheTensorHasThem) {
  map::Tensor tensor = tensor_of("f16[2,4]");
  tensor.strides = std::vector<Index>{1, 2};
  tensor.offset = 7;
  const auto reading = family().read("S[8:1]", tensor);
  ASSERT_TRUE(reading.has_value());
  EXPECT_EQ(map::value(reading->layout()->host_offset(), Point{1, 3}), 14);
  EXPECT_EQ(map::outputs_at(*reading->layout(), Point{1, 3}, {}), (Point{7}));  // the layout itself numbers row-major
  tensor.view_offset = 1;
  EXPECT_FALSE(family().read("S[8:1]", tensor).has_value());
}

TEST(TirxFamily, RefusesMoreDimensionsThanASpaceHas) {
  std::string ones = "1", zeros = "0";
  for (int k = 0; k < 300; ++k) {
    ones += ",1";
    zeros += ",0";
  }
  EXPECT_TRUE(family().read("S[(" + ones + "):(" + zeros + ")]", tensor_of("f16[1]")).has_value());
  EXPECT_FALSE(family().read("S[1:1] + R[(" + ones + "):(" + zeros + ")]", tensor_of("f16[1]")).has_value());
}

}  // namespace tirx_family_test
}  // namespace vl::tirx
