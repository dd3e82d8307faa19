// Operations on literal layouts, with the assertions of upstream's own tests (tests/python/tirx/test_layout.py).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>

#include "encodings/tirx/operations.h"
#include "tests/tirx/sets.h"

namespace vl::tirx {
namespace tirx_operations_vectors_test {

using List = std::vector<Index>;
using Region = std::vector<use::Interval>;

Layout canonical(const Layout& layout) {
  const auto out = canonicalize(layout);
  VL_CHECK(out.has_value(), "a canonical form");
  return *out;
}
Layout canonical(std::string_view text) { return canonical(layout_of(text)); }

struct Pair {
  const char* before;
  const char* after;
};

TEST(Canonicalize, GivesTheFormsOfUpstreamsTests) {
  const std::vector<Pair> rows = {
      {"S[(8,8,8,4,2):(512,64,8,2,1)]", "S[4096:1]"},
      {"S[(8,8,1,8,4,2):(512,64,160,8,2,1)]", "S[4096:1]"},
      {"S[(8,8,1,1,1,4,1,1):(512,64,1,1,1,2,1,1)]", "S[(64,4):(64,2)]"},
      {"S[(8,2,3,6):(6,18,6,1)]", "S[(8,36):(6,1)]"},
      {"S[(8,2,4,2,3,6):(2,1,4,24,6,1)]", "S[(16,4,2,18):(1,4,24,1)]"},
      {"S[(3,4,5,2):(20,5,1,60)]", "S[(60,2):(1,60)]"},
      {"S[(8,8,8,1,1,2,1):(16,4@laneid,2,1,4@laneid,1,1)] + 0@laneid", "S[(8,8,16):(16,4@laneid,1)]"},
      {"S[(1,1,1,1,1):(1,1,1,1,1)]", "S[1:1]"},
      {"S[(2,2,8,4):(2@warpid,1@warpid,4@laneid,1@laneid)]", "S[128:1@tx]"},
      {"S[(2,2,8,2,2,4):(2@wgid,2@wid_in_wg,4@laneid,1@wgid,1@wid_in_wg,1@laneid)]",
       "S[(2,2,8,2,2,4):(256@tx,64@tx,4@tx,128@tx,32@tx,1@tx)]"},
      {"S[(2,2):(1@wgid,1@wid_in_wg)]", "S[(2,2):(4@warpid,1@warpid)]"},
      {"S[(8,4,2):(4@laneid,1@laneid,1)] + R[2:1@laneid]", "S[(32,2):(1@laneid,1)] + R[2:1@laneid]"},
  };
  for (const auto& [before, after] : rows) EXPECT_EQ(print(canonical(before)), print(layout_of(after))) << before;
}

TEST(Canonicalize, AddsOffsetsThatMeetOnOneAxis) {
  EXPECT_EQ(canonical("S[(4,32):(1@warpid,1@laneid)] + 0@laneid + 2@warpid"), layout_of("S[128:1@tx] + 64@tx"));
  EXPECT_EQ(canonical("S[(4,16):(1@warpid,1@laneid)] + 1@laneid + 2@warpid"),
            layout_of("S[(4,16):(32@tx,1@tx)] + 65@tx"));
}

TEST(Canonicalize, LeavesThreadAxesThatWouldRunIntoEachOther) {
  for (const char* text : {"S[(2,64):(1@warpid,1@laneid)]",                   // laneid reaches 63
                           "S[(2,32):(1@warpid,1@laneid)] + 1@laneid",        // and 32
                           "S[(2,8,2,4):(2@wgid,4@laneid,1@wgid,1@laneid)]",  // no warps between them
                           "S[(2,32):(1@tx,1@laneid)]"})
    EXPECT_EQ(canonical(text), layout_of(text)) << text;
}

TEST(Group, CutsIterations) {
  const auto grouped = group(tile_of_text("S[(8,8,8,8):(512,8,64,1)]"), List{64, 64});
  ASSERT_TRUE(grouped);
  EXPECT_EQ(grouped->first, (std::vector<std::size_t>{0, 2, 4}));
  const auto cut = group(tile_of_text("S[30:1]"), List{6, 5});
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->layout, tile_of_text("S[(6,5):(5,1)]"));
}

TEST(Group, RefinesForManyShapes) {
  const std::vector<List> shapes = {{6, 5}, {2, 15}};
  const auto many = group_many(tile_of_text("S[30:1]"), shapes);
  ASSERT_TRUE(many);
  EXPECT_EQ(many->layout, tile_of_text("S[(2,3,5):(15,5,1)]"));
  EXPECT_EQ(many->first, (std::vector<std::vector<std::size_t>>{{0, 2, 3}, {0, 1, 3}}));
  const std::vector<List> apart = {{3, 4}, {2, 6}};
  const auto refused = group_many(tile_of_text("S[12:1]"), apart);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("incompatible boundaries: 2 does not divide 3"), std::string::npos);
}

struct TileRow {
  const char* inner;
  const char* outer;
  List outer_shape;
  List inner_shape;
  const char* result;
};

const std::vector<TileRow> kTiles = {
    {"S[8:1]", "S[8:1]", {8}, {8}, "S[64:1]"},
    {"S[(8,8):(8,1)]", "S[(8,8):(8,1)]", {8, 8}, {8, 8}, "S[(8,8,8,8):(512,8,64,1)]"},
    {"S[(2,4):(1,2)]", "S[(8,8):(8,1)]", {8, 8}, {2, 4}, "S[(8,2,32):(64,1,2)]"},
    {"S[(4,2,2,4):(16,8,1,2)]", "S[(8,8):(8,1)]", {8, 8}, {8, 8}, "S[(8,8,8,2,4):(512,8,64,1,2)]"},
    {"S[(1,2):(2,1)]", "S[(8,4):(4@laneid,1@laneid)]", {8, 4}, {1, 2}, "S[(32,2):(1@laneid,1)]"},
    {"S[(32,2):(1@laneid,1)]",
     "S[(2,2):(2@warpid,1@warpid)]",
     {2, 2},
     {8, 8},
     "S[(2,8,2,4,2):(2@warpid,4@laneid,1@warpid,1@laneid,1)]"},
    {"ComposeLayout(3, 3, 3, TileLayout(S[(8,64):(64,1)]))",
     "S[(8,4):(1,8)]",
     {8, 4},
     {8, 64},
     "ComposeLayout(3, 3, 3, TileLayout(S[(64,4,64):(64,4096,1)]))"},
};

TEST(Tile, GivesTheLayoutsOfUpstreamsTests) {
  for (const TileRow& row : kTiles) {
    const auto made = tile(layout_of(row.inner), tile_of_text(row.outer), row.outer_shape, row.inner_shape);
    ASSERT_TRUE(made) << row.inner << ": " << made.error().message;
    EXPECT_EQ(print(*made), print(layout_of(row.result)));
  }
}

List product(const List& a, const List& b) {
  List out;
  for (std::size_t k = 0; k < a.size(); ++k) out.push_back(a[k] * b[k]);
  return out;
}

TEST(Tile, BothFactorsComeBack) {
  for (const TileRow& row : kTiles) {
    const Layout tiled = layout_of(row.result);
    const List shape = product(row.outer_shape, row.inner_shape);
    const auto outer = outer_of_tile(layout_of(row.inner), tiled, shape, row.inner_shape);
    ASSERT_TRUE(outer) << row.result << ": " << outer.error().message;
    EXPECT_EQ(canonical(Layout{std::nullopt, *outer}), canonical(row.outer)) << row.result;
    const auto inner = inner_of_tile(tile_of_text(row.outer), tiled, shape, row.outer_shape);
    ASSERT_TRUE(inner) << row.result << ": " << inner.error().message;
    EXPECT_EQ(canonical(*inner), canonical(row.inner)) << row.result;
  }
}

TEST(Tile, AFactorThatIsNoneIsRefused) {
  const Layout tiled = layout_of("S[(8,2,32):(64,1,2)]");
  EXPECT_FALSE(outer_of_tile(layout_of("S[(8,8):(8,1)]"), tiled, List{16, 32}, List{8, 8}));
  EXPECT_FALSE(inner_of_tile(tile_of_text("S[(2,4):(1,2)]"), tiled, List{16, 32}, List{2, 4}));
  const Layout atom = layout_of("ComposeLayout(3, 2, 3, TileLayout(S[256]))");
  const auto outer =
      outer_of_tile(atom, layout_of("ComposeLayout(3, 2, 3, TileLayout(S[2048]))"), List{64, 32}, List{8, 32});
  ASSERT_TRUE(outer) << outer.error().message;
  EXPECT_EQ(*outer, tile_of_text("S[8:1]"));
  EXPECT_FALSE(
      outer_of_tile(atom, layout_of("ComposeLayout(3, 2, 3, TileLayout(S[16384]))"), List{64, 256}, List{8, 32}));
  EXPECT_FALSE(
      outer_of_tile(atom, layout_of("ComposeLayout(3, 3, 3, TileLayout(S[2048]))"), List{64, 32}, List{8, 32}));
}

TEST(Tile, ScalesTheOuterReplicasAndOffset) {
  const auto made = tile(layout_of("S[4:1]"), tile_of_text("S[2:1] + R[2:2] + 3"), List{2}, List{4});
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, layout_of("S[8:1] + R[2:8] + 12"));
  const auto outer = outer_of_tile(layout_of("S[4:1]"), *made, List{8}, List{4});
  ASSERT_TRUE(outer);
  EXPECT_EQ(*outer, tile_of_text("S[2:1] + R[2:2] + 3"));
}

TEST(Tile, CountsTheInnerReplicasForTheWidth) {
  const auto made = tile(layout_of("S[2:1] + R[2:4]"), tile_of_text("S[3:1]"), List{3}, List{2});
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, layout_of("S[(3,2):(6,1)] + R[2:4]"));
}

TEST(DirectSum, AddsWithoutScalingAndComesBack) {
  const auto made = direct_sum(layout_of("S[(2,2):(4,1)]"), tile_of_text("S[(2,2):(8,2)]"), List{2, 2}, List{2, 2});
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, layout_of("S[16:1]"));
  const auto left = left_of_sum(layout_of("S[(2,2):(4,1)]"), *made, List{4, 4}, List{2, 2});
  ASSERT_TRUE(left);
  EXPECT_EQ(*left, tile_of_text("S[(2,2):(8,2)]"));
  const auto right = right_of_sum(tile_of_text("S[(2,2):(8,2)]"), *made, List{4, 4}, List{2, 2});
  ASSERT_TRUE(right);
  EXPECT_EQ(*right, layout_of("S[(2,2):(4,1)]"));
}

struct SliceRow {
  const char* layout;
  List shape;
  Region region;
  const char* result;
};

TEST(Slice, GivesTheLayoutsOfUpstreamsTests) {
  const std::vector<SliceRow> rows = {
      {"S[(4,4,4,4):(64,4,16,1)]", {16, 16}, {{2, 3}, {6, 10}}, "S[(2,2):(14,1)] + 26"},
      {"S[(2,8,3,8):(192,8,64,1)]", {16, 24}, {{2, 6}, {4, 12}}, "S[(4,2,4):(8,60,1)] + 20"},
      {"S[(3,128,128):(16384,128,1)]", {3, 128, 128}, {{2, 3}, {0, 128}, {0, 128}}, "S[16384:1] + 32768"},
      {"S[(4,64)] + 640", {4, 64}, {{2, 4}, {0, 64}}, "S[128:1] + 768"},
  };
  for (const SliceRow& row : rows) {
    const auto made = slice(layout_of(row.layout), row.shape, row.region);
    ASSERT_TRUE(made) << row.layout << ": " << made.error().message;
    EXPECT_EQ(print(*made), print(layout_of(row.result)));
  }
}

TEST(Slice, KeepsTheOneWarpgroupOfUpstreamsTest) {
  const auto made = slice(layout_of("S[(4,2,2,8,4,4,2):(1@wid_in_wg,16,2,4@laneid,4,1@laneid,1)]"), List{128, 32},
                          Region{{0, 128}, {16, 32}});
  ASSERT_TRUE(made) << made.error().message;
  const Layout form = canonical(*made);
  for (const Axis axis : axes_of(*form.tile)) EXPECT_TRUE(axis == Axis::TidInWg || axis == Axis::M) << info(axis).name;
  std::set<Index> threads;
  for (Index flat = 0; flat < 128 * 16; ++flat) threads.insert(on(places_of(form, flat).front(), Axis::TidInWg));
  EXPECT_EQ(threads.size(), 128u);
  EXPECT_EQ(*threads.rbegin(), 127);
}

TEST(Slice, IsRightAcrossACarry) {
  const auto made = slice(layout_of("S[(2,2,2):(1,2,4)]"), List{8}, Region{{3, 5}});
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, layout_of("S[2:-5] + 6"));
}

TEST(Slice, AddsToTheOffsetBeforeTheXor) {
  const auto made =
      slice(layout_of("ComposeLayout(3, 3, 3, TileLayout(S[(8,64):(64,1)]))"), List{8, 64}, Region{{1, 2}, {0, 64}});
  ASSERT_TRUE(made);
  EXPECT_EQ(*made, layout_of("ComposeLayout(3, 3, 3, TileLayout(S[64:1] + 64))"));
  EXPECT_EQ(on(places_of(*made, 0).front(), Axis::M), 72);
}

TEST(Elements, PackAndUnpackChangeOnlyTheMemoryAxis) {
  EXPECT_EQ(canonical(*unpack(layout_of("S[(8,8):(8,1)]"), 2)), canonical("S[(8,16):(16,1)]"));
  EXPECT_EQ(*pack(layout_of("S[(8,16):(16,1)]"), 2), layout_of("S[(8,8):(8,1)]"));
  EXPECT_EQ(*unpack(layout_of("S[(32,4):(1@laneid,1)] + R[2:8] + 3@laneid + 16"), 2),
            layout_of("S[(32,4,2):(1@laneid,2,1)] + R[2:16] + 3@laneid + 32"));
  EXPECT_EQ(*pack(layout_of("S[(32,8):(3@laneid,1)] + R[2:16] + 3@laneid + 32"), 4),
            layout_of("S[(32,2):(3@laneid,1)] + R[2:4] + 3@laneid + 8"));
  EXPECT_EQ(canonical(*unpack(layout_of("ComposeLayout(3, 3, 3, TileLayout(S[64]))"), 2)),
            layout_of("ComposeLayout(4, 3, 3, TileLayout(S[128]))"));
  EXPECT_EQ(*pack(layout_of("ComposeLayout(3, 3, 3, TileLayout(S[64]))"), 2),
            layout_of("ComposeLayout(2, 3, 3, TileLayout(S[32]))"));
}

TEST(Elements, StorageIsWhatOneThreadHas) {
  const Layout layout = layout_of("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid + 3");
  EXPECT_EQ(storage(layout), layout_of("S[2:1] + 3"));
}

TEST(Axes, FuseAndSplitAreInverse) {
  const Layout warps = layout_of("S[(2,32):(1@warpid,1@laneid)] + 1@warpid");
  EXPECT_EQ(canonical(*fuse(warps, Axis::Tx)), layout_of("S[64:1@tx] + 32@tx"));
  EXPECT_EQ(*split(layout_of("S[64:1@tx] + 32@tx"), Axis::Tx), warps);
  EXPECT_EQ(*split(layout_of("S[256:1@tx]"), Axis::Tx, Axis::Wgid), layout_of("S[(2,128):(1@wgid,1@tid_in_wg)]"));
}

}  // namespace tirx_operations_vectors_test
}  // namespace vl::tirx
