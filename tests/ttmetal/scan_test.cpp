// tt-metal's specs in sources and logs.
#include <gtest/gtest.h>

#include "tests/support/scan.h"

namespace vl::ttmetal {
namespace ttmetal_scan_test {

using test::found_in;
using test::Lines;

TEST(TtmetalScan, FindsWholeSpecsWithTheirTensors) {
  EXPECT_EQ(
      found_in("import ttnn\nspec = ttnn.TensorSpec(\n    ttnn.Shape([53, 63]),  # 53 rows\n    ttnn.bfloat16,\n    "
               "ttnn.TILE_LAYOUT,\n)\n"),
      (Lines{"2:8 ttnn.TensorSpec( ttnn.Shape([53, 63]), ttnn.bfloat16, ttnn.TILE_LAYOUT, ) | bf16[53,63]"}));
}

TEST(TtmetalScan, BindsNamesThatAreDefined) {
  session::ScanOptions options;
  options.definitions = {{"H", 64}};
  EXPECT_EQ(found_in("x = ttnn.TensorSpec((H, 64), ttnn.float32, ttnn.ROW_MAJOR_LAYOUT)\n", options),
            (Lines{"1:5 ttnn.TensorSpec((64, 64), ttnn.float32, ttnn.ROW_MAJOR_LAYOUT) | f32[64,64]"}));
}

TEST(TtmetalScan, LeavesOutDeclarationsAndCallsWithoutArguments) {
  EXPECT_EQ(
      found_in("class MemoryConfig(Base):\n  def memory_config(self) -> MemoryConfig: ...\n  x = MemoryConfig()\n"),
      Lines{});
  EXPECT_EQ(found_in("MemoryConfig(TensorMemoryLayout memory_layout, BufferType buffer_type);\n"), Lines{});
}

TEST(TtmetalScan, SaysWhyNothingIsDecided) {
  const Lines found =
      found_in("cfg = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, spec)\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("'spec' is a name"), std::string::npos) << found[0];
}

}  // namespace ttmetal_scan_test
}  // namespace vl::ttmetal
