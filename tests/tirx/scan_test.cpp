// TIRx's layouts in the texts in which they really stand, and texts that only look like them. What is expected is what
// a person reads there.
#include <gtest/gtest.h>

#include "tests/support/scan.h"

namespace vl::tirx {
namespace tirx_scan_test {

using test::found_in;
using test::Lines;

Lines with(std::vector<use::Definition> definitions, std::string_view text) {
  session::ScanOptions options;
  options.definitions = std::move(definitions);
  return found_in(text, options);
}

// Verbatim from apache/tvm, tests/python/tirx/test_parser_printer.py, commit 5d4dc8721307 (Apache-2.0).
constexpr std::string_view kSource = R"py(
        return T.TileLayout(T.S[8 : 4 @ laneid] + 1 @ laneid + 2 @ warpid + 64)
        return T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(64, 64, 4) : (64, 1, 64 * 64)]))
        D: T.Buffer((10, 11), "float32", layout=T.TileLayout(T.S[(10, 11) : (1, 10)])),
        _H = T.match_buffer(H_ptr, [10, 11], "float16", layout=T.TileLayout(T.S[(10, 11) : (1, 10)]))  # noqa: E501
        B = A.view(8, 8, layout=A_layout.tile(L_LANE, (8, 4), (1, 2)))
)py";

TEST(TirxScan, FindsTheLayoutsOfASource) {
  EXPECT_EQ(found_in(kSource),
            (Lines{"2:16 TileLayout(T.S[8 : 4 @ laneid] + 1 @ laneid + 2 @ warpid + 64) | u8[8]",
                   "3:16 ComposeLayout(3, 3, 3, T.TileLayout(T.S[(64, 64, 4) : (64, 1, 64 * 64)])) | u8[16384]",
                   "4:49 TileLayout(T.S[(10, 11) : (1, 10)]) | f32[10,11]",
                   "5:64 TileLayout(T.S[(10, 11) : (1, 10)]) | f16[10,11]"}));
}

TEST(TirxScan, TakesASumWithAllItsParts) {
  EXPECT_EQ(found_in("  a ``S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid``, so"),
            (Lines{"1:7 S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid | u8[128]"}));
  EXPECT_EQ(found_in("x = 64 + S[(8, 4) : (4, 1)] + (1 @ laneid + 2 @ warpid)\n + 3"),
            (Lines{"1:5 64 + S[(8, 4) : (4, 1)] + (1 @ laneid + 2 @ warpid) | u8[32]"}));
  EXPECT_EQ(found_in("S[(8, 4) : (4, 1)] + 2 * 64."), (Lines{"1:1 S[(8, 4) : (4, 1)] + 2 * 64 | u8[32]"}));
  EXPECT_EQ(found_in("S[8:1] and S[4096 : 1] - done"), (Lines{"1:1 S[8:1] | u8[8]", "1:12 S[4096 : 1] | u8[4096]"}));
}

TEST(TirxScan, APartOfAnUnreadSumIsNotJudged) {
  const std::string why = " ! it is a part of a longer sum that is not read";
  EXPECT_EQ(found_in("R[4:1@laneid] + S[(8, 2):(2, 1)]"), (Lines{"1:17 S[(8, 2):(2, 1)]" + why}));
  EXPECT_EQ(found_in("2 * 64 + S[(8, 2):(2, 1)]"), (Lines{"1:10 S[(8, 2):(2, 1)]" + why}));
  EXPECT_EQ(found_in("base + S[(8, 2):(2, 1)]"), (Lines{"1:8 S[(8, 2):(2, 1)]" + why}));
}

TEST(TirxScan, JoinsLinesOfSourcesAndLogs) {
  EXPECT_EQ(found_in("[12:00:01.001] DEBUG layout S[(8, 4) :\n[12:00:01.002] DEBUG     (4@laneid, 1)] of A\n"),
            (Lines{"1:29 S[(8, 4) : (4@laneid, 1)] | u8[32]"}));
  EXPECT_EQ(found_in("# layout = ComposeLayout(\n#   3, 3, 3,\n#   TileLayout(S[(8, 64)]),  # rows\n# )\n"),
            (Lines{"1:12 ComposeLayout(3, 3, 3, TileLayout(S[(8, 64)]),) | u8[512]"}));
  EXPECT_EQ(found_in("{\"msg\": \"TileLayout(S[8:\\\"laneid\\\"])\\n\"}"),
            (Lines{"1:10 TileLayout(S[8:\"laneid\"]) | u8[8]"}));
}

TEST(TirxScan, BindsNames) {
  EXPECT_EQ(with({{"BM", 128}, {"m", 7}}, "S[(BM, BM // 2) : (64 @ m, 1)]"),
            (Lines{"1:1 S[(128, 128 // 2) : (64 @ m, 1)] | u8[8192]"}));
  EXPECT_EQ(with({{"cfg.n", -8}}, "TileLayout(S[(8, 8) : (cfg.n, 64)] + 56)"),
            (Lines{"1:1 TileLayout(S[(8, 8) : ((-8), 64)] + 56) | u8[64]"}));
  EXPECT_EQ(with({{"BN", 1}}, "S[(BM, 64) : (64, 1)]"), (Lines{"1:1 S[(BM, 64) : (64, 1)] | u8[64*BM]"}));
}

// A rule of its names, over the buffer as it is stated; the names that no rule has are no sizes.
TEST(TirxScan, ReadsLayoutsWithNames) {
  EXPECT_EQ(found_in("b = T.alloc_buffer((M, N), \"float16\", layout=T.TileLayout(T.S[(M, N) : (P, 1)]))"),
            (Lines{"1:46 TileLayout(T.S[(M, N) : (P, 1)]) | f16[M,N]"}));
  EXPECT_EQ(found_in("b = T.alloc_buffer((M, N), \"float16\", layout=T.TileLayout(T.S[(M, 8) : (P, 1)]))"),
            (Lines{"1:46 TileLayout(T.S[(M, 8) : (P, 1)]) | f16[M,N]"}));
  EXPECT_EQ(found_in("S[(BM, cfg.n) : (1, BM)]"),
            (Lines{"1:1 S[(BM, cfg.n) : (1, BM)] ! 'BM' is a name, not a number, and --define gives it none"}));
  EXPECT_EQ(found_in("TileLayout(S[shape])"),
            (Lines{"1:1 TileLayout(S[shape]) ! 'shape' is a name that may stand for a tuple"}));
  EXPECT_EQ(found_in("TileLayout(S[shape:strides])"),
            (Lines{"1:1 TileLayout(S[shape:strides]) ! 'shape' is a name that may stand for a tuple"}));
  EXPECT_EQ(found_in("b = T.alloc_buffer((M,), \"float16\", layout=T.TileLayout(T.S[M : 2]))"),
            (Lines{"1:44 TileLayout(T.S[M : 2]) | f16[M]"}));
  EXPECT_EQ(found_in("S[(8, 4) : (4, 1)] + R[n : 32]"),
            (Lines{"1:1 S[(8, 4) : (4, 1)] + R[n : 32] ! 'n' is a name, not a number, and --define gives it none"}));
  EXPECT_EQ(found_in("S[(M, 4) : (1@TLane, 1@TCol)]"),
            (Lines{"1:1 S[(M, 4) : (1@TLane, 1@TCol)] ! how many columns TCol has depends on the element type, and the "
                   "text names none"}));
}

TEST(TirxScan, FindsBuildersAndSaysWhichAreNotBuilt) {
  EXPECT_EQ(
      found_in("a = mma_shared_layout(\"float16\", 3, (64, 256))\nb = TileLayout.trainium(\"FPF\", (32, 512, 512))\n"
               "c = tcgen05_atom_layout(\"16x64b\", (64, 64), \"float32\")\nd = a.tile_to((64, 64), (8, 64))\n"),
      (Lines{"1:5 mma_shared_layout(\"float16\", 3, (64, 256)) | u8[16384]",
             "2:5 TileLayout.trainium(\"FPF\", (32, 512, 512)) | u8[8388608]",
             "3:5 tcgen05_atom_layout(\"16x64b\", (64, 64), \"float32\") ! tcgen05_atom_layout is not one of the "
             "builders that are known",
             "4:5 tile_to((64, 64), (8, 64)) ! tile_to is not one of the builders that are known"}));
}

// 2048 bytes in a lane of TCol: 256 columns of 64 bits, 2048 of 8 bits, 4096 of 4 bits.
TEST(TirxScan, JudgesColumnsWithoutATypeOnlyIfTheTypeDoesNotMatter) {
  const std::string why = " ! how many columns TCol has depends on the element type, and the text names none";
  EXPECT_EQ(found_in("S[(128, 256) : (1@TLane, 1@TCol)]"),
            (Lines{"1:1 S[(128, 256) : (1@TLane, 1@TCol)] | u8[32768]"}));
  EXPECT_EQ(found_in("S[(128, 257) : (1@TLane, 1@TCol)]"), (Lines{"1:1 S[(128, 257) : (1@TLane, 1@TCol)]" + why}));
  EXPECT_EQ(found_in("S[(128, 4096) : (1@TLane, 1@TCol)]"), (Lines{"1:1 S[(128, 4096) : (1@TLane, 1@TCol)]" + why}));
  EXPECT_EQ(found_in("S[(128, 4097) : (1@TLane, 1@TCol)]"),
            (Lines{"1:1 S[(128, 4097) : (1@TLane, 1@TCol)] | u8[524416]"}));
  EXPECT_EQ(
      found_in("T.decl_buffer((128, 512), \"float32\", scope=\"tmem\", layout=TileLayout(S[(128, 512) : (1@TLane, "
               "1@TCol)]))"),
      (Lines{"1:59 TileLayout(S[(128, 512) : (1@TLane, 1@TCol)]) | f32[128,512]"}));
}

TEST(TirxScan, SaysWhyALayoutIsNotJudged) {
  EXPECT_EQ(found_in("SwizzleLayout(3, 3, 3)"),
            (Lines{"1:1 SwizzleLayout(3, 3, 3) ! the text states no tensor for it, and no --tensor is given"}));
  EXPECT_EQ(found_in("TileLayout(...)"),
            (Lines{"1:1 TileLayout(...) ! the text is abbreviated: '...' stands for a part of it"}));
  EXPECT_EQ(found_in("TileLayout(S[(rows, 4) : (1 @ tlane, 1)])"),
            (Lines{"1:1 TileLayout(S[(rows, 4) : (1 @ tlane, 1)]) ! 'tlane' is not the name of an axis"}));
  EXPECT_EQ(found_in("TileLayout(S[(8, 4) : (4"),
            (Lines{"1:1 TileLayout(S[(8, 4) : (4 ! its parenthesis is not closed"}));
}

TEST(TirxScan, AWrongLayoutIsFoundSoThatItsReadingSaysSo) {
  EXPECT_EQ(found_in("TileLayout(S[(8, 4, 2) : (4, 1)])"), (Lines{"1:1 TileLayout(S[(8, 4, 2) : (4, 1)]) | u8[1]"}));
}

TEST(TirxScan, LooksAlikeAndIsNone) {
  for (const char* text : {"for (auto e : S[i]) {",
                           "if (S[j][j] == 0)",
                           "S[n, h] = T.log2(s[0]) + s_max[0]",
                           "x = S[0:5] + S[:, 1:2]",
                           "S[(n - 1):(n + 1)]",
                           "S[i:j]",
                           "S[1:]",
                           "S[2:-5]",
                           "S[4:16]",
                           "args[(8, 4):(4, 1)]",
                           "self.S[(8, 4):(4, 1)]",
                           "R.DTensor((128, 128), \"float32\", \"mesh[0]\", \"S[0]\")",
                           "replica ``R[2:4@warpid]``",
                           "S[8, 4]",
                           "S[(8, 4)]",
                           "class TileLayout(Layout):",
                           "def tmem_datapath_layout(datapath: str, rows: int):",
                           "TileLayout()",
                           "ComposeLayout::ComposeLayout(int per_element, int swizzle_len, TileLayout tile) {",
                           "TileLayout(ffi::Array<Iter> shard, ffi::Array<Iter> replica);",
                           "IdentityTileLayout(inner_shape)"})
    EXPECT_EQ(found_in(text), Lines{}) << text;
}

}  // namespace tirx_scan_test
}  // namespace vl::tirx
