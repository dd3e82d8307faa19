// Derived texts: the operation is performed, and passed on with a law that its result obeys.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/tirx/derive.h"
#include "tests/tirx/sets.h"

namespace vl::tirx {
namespace tirx_derive_test {

using List = std::vector<Index>;

struct Row {
  const char* text;
  const char* result;
  std::size_t steps;
};

TEST(Derive, PerformsEachOperationUnderItsLaw) {
  const std::vector<Row> rows = {
      {"TileLayout(S[(4,4,4,4):(64,4,16,1)]).slice((16,16), ((2,3),(6,10)))", "S[(2,2):(14,1)] + 26", 1},
      {"TileLayout(S[(4,4,4,4):(64,4,16,1)]).slice((16,16), [2:3, 6:10])", "S[(2,2):(14,1)] + 26", 1},
      {"S[(4,4,4,4):(64,4,16,1)].slice(shape=[16, 16], region=[(2, 3), (6, 10)])", "S[(2,2):(14,1)] + 26", 1},
      {"TileLayout(S[(8,8,8,4,2):(512,64,8,2,1)]).canonicalize()", "S[4096:1]", 1},
      {"S[(2,2,8,4):(2@warpid,1@warpid,4@laneid,1@laneid)].canonicalize()", "S[128:1@tx]", 1},
      {"S[16:1].group((4, 4))", "S[(4,4):(4,1)]", 1},
      {"S[(2,4):(1,2)].tile(S[(8,8):(8,1)], (8,8), (2,4))", "S[(8,2,32):(64,1,2)]", 1},
      {"S[(8,8):(8,1)].tile_to((16,16), (8,8))", "S[(2,8,2,8):(128,8,64,1)]", 1},
      {"TileLayout(S[(2,2):(4,1)]).direct_sum(TileLayout(S[(2,2):(8,2)]), left_shape=[2,2], right_shape=[2,2])",
       "S[16:1]", 1},
      {"S[(8,16):(16,1)].pack(2)", "S[(8,8):(8,1)]", 1},
      {"S[(8,8):(8,1)].unpack(num=2)", "S[(8,8,2):(16,2,1)]", 1},
      {"S[(2,3):(3,1)].broadcast(4, 1)", "S[(2,4,3):(3,0,1)]", 1},
      {"S[(2,3):(3,1)].broadcast(4)", "S[(2,3,4):(3,1,0)]", 1},
      {"S[(2,3):(3,1)].permute_dims((1,0))", "S[(3,2):(1,3)]", 1},
      {"S[(2,3):(3,1)].permute([1, 0])", "S[(3,2):(1,3)]", 1},
      {"S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)].storage()", "S[2:1]", 1},
      {"S[(4,32):(1@warpid,1@laneid)].fuse(\"tx\").canonicalize()", "S[128:1@tx]", 2},
      {"S[128:1@tx].split('tx')", "S[(4,32):(1@warpid,1@laneid)]", 1},
      {"S[256:1@tx].split(tx, wgid)", "S[(2,128):(1@wgid,1@tid_in_wg)]", 1},
      {"S[(8,64):(64,1)].swizzle(3, 3, 3)", "ComposeLayout(3, 3, 3, TileLayout(S[(8,64):(64,1)]))", 1},
      {"SwizzleLayout(3, 3, 3).slice((8, 64), [1:2, 0:64])", "ComposeLayout(3, 3, 3, TileLayout(S[64:1] + 64))", 1},
      {"ComposeLayout(3, 3, 3, TileLayout(S[(8,64):(64,1)])).tile_to((16, 64), (8, 64)).slice((16,64), [8:16, 0:64])",
       "ComposeLayout(3, 3, 3, TileLayout(S[512:1] + 512))", 2},
      {"S[(1,2):(2,1)].tile(S[(8,4):(4@laneid,1@laneid)], (8,4), (1,2))"
       ".tile(S[(2,2):(2@warpid,1@warpid)], (2,2), (8,8)).canonicalize()",
       "S[(2,8,2,4,2):(64@tx,4@tx,32@tx,1@tx,1)]", 3},
      {"S[4:1].tile(S[8:1].slice((8,), [2:4]), (2,), (4,))", "S[8:1] + 8", 2},
      {"TileLayout(S[(8, 8) : (8, 1)])", "S[(8,8):(8,1)]", 0},
  };
  for (const Row& row : rows) {
    const auto read = read_derived(row.text, tensor_of({}));
    ASSERT_TRUE(read) << row.text << ": " << read.error().message;
    EXPECT_EQ(print(read->parsed.layout), print(layout_of(row.result))) << row.text;
    ASSERT_EQ(read->steps.size(), row.steps) << row.text;
    EXPECT_EQ(is_derived(row.text), row.steps > 0);
    for (const use::Derivation& step : read->steps)
      EXPECT_EQ(first_difference(step.result, step.expected), std::nullopt) << row.text << ": " << step.operation;
  }
}

TEST(Derive, TheFamilyHandsOnTheOperationAndItsLaw) {
  const auto read = family().read("S[(4,64)].slice((4, 64), [2:4, 0:64])", tensor_of({128}));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->derived.size(), 1u);
  EXPECT_EQ(read->derived[0].operation, "slice((4, 64), [2:4, 0:64])");
  EXPECT_EQ(read->normal, print(layout_of("S[128:1] + 128")));
  ASSERT_NE(family().law, nullptr);
}

struct Wrong {
  const char* text;
  const char* at;       // where the error is: at this part of the text
  const char* message;  // a part of it
};

TEST(Derive, WhatCannotBeDoneIsRefusedWithItsReason) {
  const std::vector<Wrong> rows = {
      {"S[8].reshape(4)", "", ""},
      {"S[(3,4):(1,3)].slice((2,6), [0:1, 0:6])", "slice",
       "dimension 0 of [2, 6] needs 2 more elements of the iter 3:1"},
      {"S[(4,4):(16,1)].slice((16,), [3:6])", "slice", "dimension 0, 3:6: it takes 3 of the iter 4:1 from number 3 on"},
      {"S[(2,2,2):(1@laneid,1,1@warpid)].slice((8,), [3:5])", "slice", "change at once"},
      {"S[8].slice((8,), [2:9])", "slice", "dimension 0: 2:9 is not a part of the extent 8"},
      {"S[8].slice((8,), [2:2])", "slice", "2:2 is not a part"},
      {"S[8].slice((9,), [2:3])", "slice", "the layout has 8 elements, a shape of [9] has 9"},
      {"S[8].slice((8,), [2:3, 0:1])", "slice", "a region of 2 dimensions in a shape of 1"},
      {"S[12].group((5, 2))", "group", "has 12 elements, a shape of [5, 2] has 10"},
      {"S[(3,4):(1,3)].group((2, 6))", "group", "neither divides the other"},
      {"S[8].tile(S[2], (2,), (4,))", "tile", "inner: the layout has 8 elements, a shape of [4] has 4"},
      {"S[8].tile(S[2], (3,), (8,))", "tile", "outer: the layout has 2 elements, a shape of [3] has 3"},
      {"S[8].tile(S[2], (2, 1), (8,))", "tile", "different ranks"},
      {"S[8].tile(SwizzleLayout(3, 3, 3), (2,), (8,))", "SwizzleLayout", "without a swizzle"},
      {"S[8].tile(S[k], (2,), (8,))", "S[k]", "'k' is a name"},
      {"ComposeLayout(3, 3, 3, TileLayout(S[64])).tile(S[2:1@warpid], (2,), (64,))", "tile", "the result has warpid"},
      {"ComposeLayout(3, 3, 3, TileLayout(S[64])).tile(S[2:-1], (2,), (64,))", "tile", "none below 0"},
      {"S[8].tile_to((12,), (8,))", "tile_to", "[12] is not a multiple of [8]"},
      {"S[8:2].pack(2)", "pack", "the innermost iter is 8:2"},
      {"S[(4,2):(3,1)].pack(2)", "pack", "the stride of the iter 4:3 is not a multiple of 2"},
      {"S[8].pack(3)", "pack", "8 elements are not a multiple of 3"},
      {"S[8].pack(0)", "pack", "cannot pack by 0"},
      {"S[8:1@TCol].unpack(2)", "unpack", "only on m"},
      {"ComposeLayout(3, 3, 3, TileLayout(S[64])).unpack(3)", "unpack", "power of two"},
      {"S[(2,4)].permute_dims((0, 0))", "permute_dims", "[0, 0] is not an order of 2 dimensions"},
      {"S[(2,4)].broadcast(2, 5)", "broadcast", "no place 5 among 2"},
      {"S[8].fuse(\"tx\")", "fuse", "no axis of the layout lies within tx"},
      {"S[(2,64):(1@warpid,1@laneid)].fuse(\"tx\")", "fuse", "laneid reaches 63, and it counts 32"},
      {"S[(4,4):(1@tid_in_wg,1@laneid)].fuse(\"tx\")", "fuse", "overlap"},
      {"S[(4,4):(1@tx,1@laneid)].fuse(\"warpid\")", "fuse", "tx, which does not fuse into warpid"},
      {"TileLayout(S[32:1@tx] + 16@tx).split(\"tx\")", "split",
       "laneid would reach 47, so sums of tx carry into warpid"},
      {"S[48:1@tx].split(\"tx\")", "split", "the iter 48:1@tx carries from laneid to warpid unevenly"},
      {"S[8:1@laneid].split(\"laneid\")", "split", "laneid has no such split"},
      {"S[8].swizzle(3, 3, 3).swizzle(3, 3, 3)", "", "has a swizzle already"},
      {"S[8:-1].swizzle(3, 3, 3)", "swizzle", "none below 0"},
      {"S[8:1@laneid].swizzle(3, 3, 3)", "swizzle", "the result has laneid"},
      {"SwizzleLayout(3, 3, 3).unpack(2)", "", "a swizzle alone"},
      {"S[8:1] + 3.slice((8,), [0:4])", "", "behind a sum"},
      {"S[n].slice((8,), [0:4])", "S[n]", "'n' is a name"},
      {"S[(8,8)].slice((8,8), [0:2, 0:8]).permute_dims((1,0))", "permute_dims", "canonicalize"},
      {"S[8].slice((8,), [0:4]", "", "expected"},
      {"S[8].slice", "", ""},
      {"S[4611686018427387904:2].unpack(2)", "unpack", "64 bits"},
  };
  for (const Wrong& row : rows) {
    const std::string text = row.text;
    const auto read = read_derived(text, tensor_of({}));
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find(row.message), std::string::npos) << text << ": " << read.error().message;
    EXPECT_FALSE(read.error().message.empty());
    if (*row.at == '\0') continue;
    EXPECT_EQ(read.error().offset, text.find(row.at)) << text << ": " << read.error().message;
  }
}

TEST(Derive, OperandsWithinOperandsEnd) {
  std::string text = "S[2]";
  for (int k = 0; k < 40; ++k) text = "S[2].tile(" + text + ", (2,), (2,))";
  const auto read = read_derived(text, tensor_of({}));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("operands within operands"), std::string::npos) << read.error().message;
}

TEST(Derive, ManyOperationsEnd) {
  std::string text = "S[2]";
  for (int k = 0; k < 1000; ++k) text += ".canonicalize()";
  const auto read = read_derived(text, tensor_of({}));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("at most 64 operations"), std::string::npos);
}

}  // namespace tirx_derive_test
}  // namespace vl::tirx
