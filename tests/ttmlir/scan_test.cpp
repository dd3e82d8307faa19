// tt-mlir's layouts in MLIR as it stands in files: aliases, aliases of aliases, several modules, lines of FileCheck.
#include <gtest/gtest.h>

#include "tests/support/scan.h"

namespace vl::ttmlir {
namespace ttmlir_scan_test {

using test::found_in;
using test::Lines;

constexpr std::string_view kModule = R"mlir(
#l1 = #ttcore.memory_space<l1>
#layout = #tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x2>, memref<8x150xf32, #l1>>
#again = #layout
module {
  func.func @f(%a: tensor<8x300xf32, #layout>) -> tensor<8x300xf32, #again> {
    %0 = tensor.empty() : tensor<8x300xf32>
    %1 = "x.y"(%a) <{k = #other.thing<1>}> : (tensor<8x300xf32, #layout>) -> tensor<8x300xf32, #csr>
    return %1 : tensor<8x300xf32, #again>
  }
}
)mlir";

const std::string kFound =
    "tensor<8x300xf32, #tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x2>, memref<8x150xf32, "
    "#ttcore.memory_space<l1>>>> | f32[8,300]";

TEST(TtmlirScan, FindsTheUsesOfAliasesAndOfAliasesOfAliases) {
  EXPECT_EQ(found_in(kModule), (Lines{"6:20,6,8,9 " + kFound}));
}

// A view says only its rank, or a map: where its memory lies, the operation says that makes it.
TEST(TtmlirScan, MemrefsOfViewsAreSeen) {
  EXPECT_EQ(
      found_in("#l1 = #ttcore.memory_space<l1>\n%0 = f(%a) : (memref<1x2x32x32xf32, #ttcore.view<4>, #l1>)\n"
               "// CHECK: memref<1x2x32x32xf32, #ttcore.view<4>, #l1>\n"),
      (Lines{"2:15 memref<1x2x32x32xf32, #ttcore.view<4>, #ttcore.memory_space<l1>> ! its places are those of the "
             "memref that it views, which a type does not name"}));
}

TEST(TtmlirScan, DoesNotDependOnBlocks) {
  for (const std::size_t block : {std::size_t{1}, std::size_t{7}, std::size_t{100}}) {
    session::ScanOptions options;
    options.block = block;
    EXPECT_EQ(found_in(kModule, options), (Lines{"6:20,6,8,9 " + kFound})) << block;
  }
}

TEST(TtmlirScan, TakesThePresentLayoutWithItsDeviceShape) {
  EXPECT_EQ(found_in("#l = #ttcore.metal_layout<logical_shape = 33x128, dim_alignments = 32x32,\n"
                     "     collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>\n"
                     "%0 = d2m.empty() : tensor<2x4x1x1x!ttcore.tile<32x32, bf16>, #l>\n"),
            (Lines{"3:20 tensor<2x4x1x1x!ttcore.tile<32x32, bf16>, #ttcore.metal_layout<logical_shape = 33x128, "
                   "dim_alignments = 32x32, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, "
                   "sharded>> | bf16[33,128]"}));
}

TEST(TtmlirScan, LetsEachModuleOfADumpDefineItsOwnNames) {
  const std::string one = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x4xf32, #ttnn.buffer_type<dram>>>";
  const std::string two = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<8x8xf32, #ttnn.buffer_type<dram>>>";
  EXPECT_EQ(found_in("// -----// IR Dump After One //----- //\n#l = " + one + "\n%0 : tensor<4x4xf32, #l>\n" +
                     "// -----// IR Dump After Two //----- //\n#l = " + two + "\n%0 : tensor<8x8xf32, #l>\n"),
            (Lines{"3:6 tensor<4x4xf32, " + one + "> | f32[4,4]", "6:6 tensor<8x8xf32, " + two + "> | f32[8,8]"}));
}

// A layout that stands in several dumps is named with the first pass after which it is there; a name of one module is
// none of the next one's.
TEST(TtmlirScan, NamesThePassOfADumpWhateverTheBlocks) {
  const std::string layout = "#ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<4x4xf32, #ttnn.buffer_type<dram>>>";
  const std::string use = "%0 : tensor<4x4xf32, #layout>\n", blanks(200'000, ' ');
  const std::string text =
      "%0 : tensor<2x2xf32, #tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<2x2xf32>>>\n" + blanks +
      "\n// -----// IR Dump After One (one) //----- //\n#layout = " + layout + "\n" + use + blanks +
      "// -----// IR Dump Before Two //----- //\n" + use + "// -----// IR Dump After //-----\n#layout = " + layout +
      "\n" + use;
  for (const std::size_t block : {std::size_t{997}, std::size_t{4096}, std::size_t{1} << 20}) {
    session::ScanOptions options;
    options.block = block;
    std::size_t at = 0;
    const auto found = session::scan(
        "dump",
        [&](char* buffer, std::size_t most) {
          const std::size_t size = text.copy(buffer, most, at);
          at += size;
          return size;
        },
        options);
    ASSERT_EQ(found.all.size(), 3U) << block;
    EXPECT_EQ(std::get<session::Sighting>(found.all[0]).at.pass, "");
    EXPECT_EQ(std::get<session::Sighting>(found.all[1]).at.pass, "After One (one)");
    EXPECT_EQ(std::get<session::Sighting>(found.all[1]).at.occurrences, 2U);
    const auto& undefined = std::get<session::SkippedText>(found.all[2]);
    EXPECT_EQ(undefined.at.pass, "Before Two");
    EXPECT_EQ(undefined.reason, "'#layout' is not defined in front of it");
  }
}

TEST(TtmlirScan, TakesTheRuleInFrontOfALayout) {
  const std::string layout = "tensor<2x2xf32, #tt.metal_layout<(d0, d1) -> (d0, d1), undef, <1x1>, memref<2x2xf32>>>";
  EXPECT_EQ(found_in("so by rule C: " + layout + "\n"), (Lines{"1:7 rule C: " + layout + " | f32[2,2]"}));
  EXPECT_EQ(found_in("misrule C: " + layout + "\n"), (Lines{"1:12 " + layout + " | f32[2,2]"}));
}

TEST(TtmlirScan, WritesOutTypesAndCores) {
  EXPECT_EQ(
      found_in("!t = !ttcore.tile<32x32, f32>\n#r = #ttnn.core_range<(0,0), (0,0)>\n"
               "#s = #ttnn.core_range_set<[#r]>\n"
               "#l = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!t>, <block_sharded>, core_ranges "
               "= #s>\n%0 : tensor<32x32xsi32, #l>\n"),
      (Lines{"5:6 tensor<32x32xsi32, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, "
             "f32>>, <block_sharded>, core_ranges = #ttnn.core_range_set<[#ttnn.core_range<(0,0), (0,0)>]>>> | "
             "i32[32,32]"}));
}

TEST(TtmlirScan, LeavesOutFileCheckAndSaysWhatIsNotDefined) {
  EXPECT_EQ(found_in("// CHECK: #l = #tt.metal_layout<(d0) -> (d0), undef, <1>, memref<4xf32>>\n"
                     "// CHECK: tensor<4xf32, #tt.metal_layout<(d0) -> (d0), undef, <1>, memref<4xf32>>>\n"
                     "// L1-DAG: #ttnn.ttnn_layout<(d0) -> (d0), <{{.*}}>, memref<4xf32>>\n"
                     "%0 : tensor<4xf32, #[[L]]>\n%1 : tensor<4xf32, #layout_7>\n"),
            (Lines{"5:6 tensor<4xf32, #layout_7> ! '#layout_7' is not defined in front of it"}));
}

TEST(TtmlirScan, FindsABareLayoutWithoutATensor) {
  EXPECT_EQ(found_in("see #tt.metal_layout<(d0) -> (d0), undef, <1>, memref<4xf32>> there"),
            (Lines{"1:5 #tt.metal_layout<(d0) -> (d0), undef, <1>, memref<4xf32>> ! the text states no tensor for it, "
                   "and no --tensor is given"}));
}

TEST(TtmlirScan, ReadsDocumentsThatEscapeABracket) {
  EXPECT_EQ(found_in("#l = #ttnn.ttnn_layout<(d0) -> (d0), <1>, memref<4xf32, #dram>, &lt;interleaved>>\n"
                     "%0 : tensor<4xf32, #l>"),
            (Lines{"2:6 tensor<4xf32, #ttnn.ttnn_layout<(d0) -> (d0), <1>, memref<4xf32, #dram>, <interleaved>>> | "
                   "f32[4]"}));
}

TEST(TtmlirScan, LooksOnlyAtLayouts) {
  EXPECT_EQ(found_in("std::tensor<int, 3> x; tensor<4x4xf32>; tensor<4x4xf32, #CSR>; vector<3x!tt.tile<32x32, f32>>; "
                     "a < b, #ttnn.layout<tile>, #ttcore.grid<8x8>, tensor<"),
            Lines{});
}

TEST(TtmlirScan, EndsForAliasesThatGoInCircles) {
  EXPECT_EQ(found_in("#x = #ttcore.memory_space<l1>\n#a = #b\n#b = #a\n%0 : tensor<4xf32, #a>\n"), Lines{});
}

}  // namespace ttmlir_scan_test
}  // namespace vl::ttmlir
