// Laws from texts: arguments, and given results compared with the laws. The test decides by a look at every element
// whether a given layout obeys the law.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/tirx/laws.h"
#include "encodings/tirx/operations.h"
#include "tests/tirx/sets.h"

namespace vl::tirx {
namespace tirx_laws_test {

using Arguments = std::vector<use::LawArgument>;
using List = std::vector<Index>;

struct Row {
  const char* operation;
  const char* layout;
  List size;
  Arguments arguments;
  const char* with;
};

use::Law law_of_row(const Row& row) {
  Arguments arguments = row.arguments;
  arguments.push_back({"with", row.with});
  const auto answer = law(row.operation, row.layout, tensor_of(row.size), arguments);
  const auto* error = std::get_if<use::LawError>(&answer);
  VL_CHECK(error == nullptr, fmt::format("{} {}: {}: {}", row.operation, row.layout, error->key, error->error.message));
  return std::get<use::Law>(answer);
}

// The first element at which `with` is not what the law says.
std::optional<Point> broken_at(const Row& row) {
  const use::Law expected = law_of_row(row);
  const auto lowered = lower(layout_of(row.with), expected.tensor);
  VL_CHECK(lowered.has_value(), std::string(row.with));
  EXPECT_TRUE(expected.expected.named_axes());
  EXPECT_FALSE(expected.expected.decode().has_value());
  return first_difference(expected.expected, *lowered);
}

TEST(Laws, HoldOfTheResultsOfUpstreamsTests) {
  const std::vector<Row> rows = {
      {"slice", "S[(4,4,4,4):(64,4,16,1)]", {16, 16}, {{"region", "2:3, 6:10"}}, "S[(2,2):(14,1)] + 26"},
      {"slice", "S[(4,4,4,4):(64,4,16,1)]", {16, 16}, {{"region", "((2, 3), (6, 10))"}}, "S[(2,2):(14,1)] + 26"},
      {"slice", "S[(2,8,3,8):(192,8,64,1)]", {16, 24}, {{"region", "[2:6, 4:12]"}}, "S[(4,2,4):(8,60,1)] + 20"},
      {"slice", "S[(4,64)] + 64", {4, 64}, {{"region", "2:4, 0:64"}}, "S[128:1] + 192"},
      {"slice",
       "ComposeLayout(3, 3, 3, TileLayout(S[(8,64):(64,1)]))",
       {8, 64},
       {{"region", "1:2, 0:64"}},
       "ComposeLayout(3, 3, 3, TileLayout(S[64:1] + 64))"},
      {"tile",
       "S[(2,4):(1,2)]",
       {2, 4},
       {{"outer", "S[(8,8):(8,1)]"}, {"outer_shape", "8,8"}, {"inner_shape", "2,4"}},
       "S[(8,2,32):(64,1,2)]"},
      {"tile",
       "S[(32,2):(1@laneid,1)]",
       {8, 8},
       {{"outer", "S[(2,2):(2@warpid,1@warpid)]"}, {"outer_shape", "(2, 2)"}},
       "S[(2,8,2,4,2):(2@warpid,4@laneid,1@warpid,1@laneid,1)]"},
      {"direct-sum", "S[(2,2):(4,1)]", {2, 2}, {{"left", "S[(2,2):(8,2)]"}, {"left_shape", "2,2"}}, "S[16:1]"},
      {"canonical", "S[(2,2,8,4):(2@warpid,1@warpid,4@laneid,1@laneid)]", {128}, {}, "S[128:1@tx]"},
      {"canonical", "S[(2,2,8,4):(2@warpid,1@warpid,4@laneid,1@laneid)]", {128}, {}, "S[(4,32):(1@warpid,1@laneid)]"},
      {"canonical", "S[(2,2,8,4):(2@warpid,1@warpid,4@laneid,1@laneid)]", {128}, {}, "S[128:1@tid_in_wg] + 0@wgid"},
      {"canonical", "S[128:1@tx]", {128}, {}, "S[(4,32):(1@warpid,1@laneid)]"},
      {"canonical", "S[(1,32):(1@warpid,1@laneid)]", {32}, {}, "S[32:1@laneid]"},
      {"canonical", "S[(1,32):(1@warpid,1@laneid)]", {32}, {}, "S[32:1@tx]"},
      {"canonical", "S[(8,8,8,4,2):(512,64,8,2,1)]", {4096}, {}, "S[4096:1]"},
      {"group", "S[30:1]", {30}, {{"shape", "6,5"}}, "S[(6,5):(5,1)]"},
      {"permute", "S[(2,3):(3,1)]", {2, 3}, {{"order", "1,0"}}, "S[(3,2):(1,3)]"},
      {"broadcast", "S[(2,3):(3,1)]", {2, 3}, {{"extent", "4"}, {"at", "1"}}, "S[(2,4,3):(3,0,1)]"},
      {"unpack", "S[(8,8):(8,1)]", {8, 8}, {{"factor", "2"}}, "S[(8,16):(16,1)]"},
      {"pack", "S[(8,16):(16,1)]", {8, 16}, {{"factor", "2"}}, "S[(8,8):(8,1)]"},
      {"unpack",
       "ComposeLayout(3, 3, 3, TileLayout(S[512]))",
       {512},
       {{"factor", "2"}},
       "ComposeLayout(4, 3, 3, TileLayout(S[1024]))"},
      {"pack",
       "ComposeLayout(3, 3, 3, TileLayout(S[512]))",
       {512},
       {{"factor", "2"}},
       "ComposeLayout(2, 3, 3, TileLayout(S[256]))"},
      {"fuse", "S[(4,32):(1@warpid,1@laneid)]", {128}, {{"axis", "tx"}}, "S[128:1@tx]"},
      {"split", "S[128:1@tx]", {128}, {{"axis", "tx"}}, "S[(4,32):(1@warpid,1@laneid)]"},
      {"split", "S[256:1@tx]", {256}, {{"axis", "tx"}}, "S[(2,128):(1@wgid,1@tid_in_wg)]"},
      {"split", "S[256:1@tx]", {256}, {{"axis", "\"tx\", \"wgid\""}}, "S[(2,128):(1@wgid,1@tid_in_wg)]"},
      {"swizzle", "S[512]", {8, 64}, {{"swizzle", "3,3,3"}}, "ComposeLayout(3, 3, 3, TileLayout(S[512]))"},
      {"swizzle",
       "S[512]",
       {8, 64},
       {{"swizzle", "(0, 3, 3, swizzle_inner=False)"}},
       "ComposeLayout(0, 3, 3, TileLayout(S[512]), swizzle_inner=False)"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(broken_at(row), std::nullopt) << row.operation << " " << row.layout << " " << row.with;
}

TEST(Laws, AreBrokenByWhatTheReleasedSoftwareAnswers) {
  struct Broken {
    Row row;
    Point at;
  };
  const std::vector<Broken> rows = {
      // a slice across a carry: 6, 4 for 6, 1
      {{"slice", "S[(2,2,2):(1,2,4)]", {8}, {{"region", "3:5"}}, "S[(2,1):(-2,4)] + 6"}, {1}},
      // the outer replicas of a tile, not scaled
      {{"tile", "S[4:1]", {4}, {{"outer", "S[2:1] + R[2:2]"}, {"outer_shape", "2"}}, "S[8:1] + R[2:2]"}, {0}},
      {{"tile", "S[4:1]", {4}, {{"outer", "S[2:1] + 1"}, {"outer_shape", "2"}}, "S[8:1] + 1"}, {0}},
      // offsets that meet on tx: one of the two survives
      {{"canonical", "S[(4,16):(1@warpid,1@laneid)] + 1@laneid + 2@warpid", {64}, {}, "S[(4,16):(32@tx,1@tx)] + 64@tx"},
       {0}},
      {{"canonical", "S[(4,16):(1@warpid,1@laneid)] + 1@laneid + 2@warpid", {64}, {}, "S[(4,16):(32@tx,1@tx)] + 1@tx"},
       {0}},
      // an offset that is not divided, and a sum that carries
      {{"split", "S[32:1@tx] + 32@tx", {32}, {{"axis", "tx"}}, "S[32:1@laneid] + 32@warpid"}, {0}},
      {{"split", "S[32:1@tx] + 16@tx", {32}, {{"axis", "tx"}}, "S[32:1@laneid] + 16@laneid"}, {16}},
      // thread axes scaled with the elements; replicas and offset not scaled; a stride rounded down
      {{"unpack", "S[(32,4):(1@laneid,1)]", {32, 4}, {{"factor", "2"}}, "S[(32,4,2):(2@laneid,2,1)]"}, {1, 0}},
      {{"unpack", "S[4:1] + R[2:4]", {4}, {{"factor", "2"}}, "S[8:1] + R[2:4]"}, {0}},
      {{"pack", "S[(32,4):(3@laneid,1)]", {32, 4}, {{"factor", "2"}}, "S[(32,2):(1@laneid,1)]"}, {1, 0}},
      // the stages of a scale-factor layout: the outer K steps by as much as the stage does
      {{"direct-sum",
        "S[(4,32,2,4):(4@TCol,1@TLane,16@TCol,1@TCol)] + R[4:32@TLane]",
        {1, 1024},
        {{"left", "S[2:32@TCol]"}, {"left_shape", "2,1"}},
        "S[(2,4,32,2,4):(16@TCol,4@TCol,1@TLane,16@TCol,1@TCol)] + R[4:32@TLane]"},
       {1, 0}},
  };
  for (const auto& [row, at] : rows)
    EXPECT_EQ(broken_at(row), std::optional<Point>(at)) << row.operation << " " << row.with;
}

TEST(Laws, FusingNeverMakesOneThreadOfTwo) {
  // laneid reaches 63: fused, (0, 32) and (1, 0) would be one thread.
  const Row fused{"canonical", "S[(2,64):(1@warpid,1@laneid)]", {128}, {}, "S[(2,64):(32@tx,1@tx)]"};
  EXPECT_NE(broken_at(fused), std::nullopt);
  const Row itself{"canonical", "S[(2,64):(1@warpid,1@laneid)]", {128}, {}, "S[(2,64):(1@warpid,1@laneid)]"};
  EXPECT_EQ(broken_at(itself), std::nullopt);
}

TEST(Laws, TheTensorIsTheResults) {
  const auto size = [](const char* operation, const char* layout, const List& of, const Arguments& arguments) {
    return law_of_row({operation, layout, of, arguments, layout}).tensor.size;
  };
  EXPECT_EQ(size("slice", "S[24]", {4, 6}, {{"region", "1:3, 0:5"}}), (List{2, 5}));
  EXPECT_EQ(size("tile", "S[24]", {4, 6}, {{"outer", "S[6]"}, {"outer_shape", "3,2"}}), (List{12, 12}));
  EXPECT_EQ(size("unpack", "S[1]", {}, {{"factor", "4"}}), (List{4}));
  EXPECT_EQ(size("pack", "S[24]", {4, 6}, {{"factor", "3"}}), (List{4, 2}));
  EXPECT_EQ(size("pack", "S[24]", {6, 4}, {{"factor", "3"}}), (List{8}));
  EXPECT_EQ(size("broadcast", "S[24]", {6, 4}, {{"extent", "3"}, {"at", "-1"}}), (List{6, 4, 3}));
}

TEST(Laws, LargeLayoutsCostNothing) {
  const Row row{
      "slice", "S[(1048576,1048576):(1048576,1)]", {1048576, 1048576}, {{"region", "7:1000007, 3:1000000"}}, "S[1:1]"};
  const use::Law made = law_of_row(row);
  EXPECT_EQ(made.tensor.size, (List{1000000, 999997}));
  EXPECT_EQ(map::outputs_at(made.expected, List{1, 1}, List{}), (Point{8 * Index{1048576} + 4}));
}

struct Wrong {
  const char* operation;
  const char* layout;
  List size;
  Arguments arguments;
  const char* key;
  const char* message;
};

const std::vector<Wrong> kWrong = {
    {"slice", "S[8]", {8}, {}, "region", "expected an argument region"},
    {"slice", "S[8]", {8}, {{"region", "0:4"}, {"regoin", "0:4"}}, "regoin", "expected one of region"},
    {"slice", "S[8]", {8}, {{"region", "0:4"}, {"region", "0:4"}}, "region", "twice"},
    {"slice", "S[8]", {8}, {{"region", "0:4 and"}}, "region", "expected the end"},
    {"slice", "S[8]", {8}, {{"region", "0:99999999999999999999"}}, "region", "64 bits"},
    {"slice", "S[8]", {8}, {{"region", "0:9"}}, "region", "dimension 0: 0:9 is not a part of the extent 8"},
    {"slice", "S[8]", {8}, {{"region", "4:4"}}, "region", "dimension 0: 4:4 is not a part of the extent 8"},
    {"slice", "S[8]", {8}, {{"region", "0:4, 0:4"}}, "region", "a region of 2 dimensions in a tensor of 1"},
    {"slice", "S[8]", {4}, {{"region", "0:4"}}, "", "the layout has 8 elements, the tensor [4] has 4"},
    {"slice", "S[8", {8}, {{"region", "0:4"}}, "", ""},
    {"slice", "S[n]", {8}, {{"region", "0:4"}}, "", "n"},
    {"canonical", "S[8]", {8}, {{"region", "0:4"}}, "region", "the operation has no arguments"},
    {"tile", "S[8]", {8}, {{"outer_shape", "2"}}, "outer", "expected an argument outer, a layout"},
    {"tile", "S[8]", {8}, {{"outer", "S[2"}, {"outer_shape", "2"}}, "outer", ""},
    {"tile", "S[8]", {8}, {{"outer", "SwizzleLayout(3, 3, 3)"}, {"outer_shape", "2"}}, "outer", "without a swizzle"},
    {"tile", "S[8]", {8}, {{"outer", "S[2]"}, {"outer_shape", "2,2"}}, "", "different ranks"},
    {"tile", "S[8]", {8}, {{"outer", "S[2]"}, {"outer_shape", "3"}}, "", "outer: the layout has 2 elements"},
    {"tile",
     "S[8]",
     {8},
     {{"outer", "S[2]"}, {"outer_shape", "2"}, {"inner_shape", "4"}},
     "inner_shape",
     "not the tensor's size"},
    {"permute", "S[8]", {2, 4}, {{"order", "0,0"}}, "order", "[0, 0] is not an order of 2 dimensions"},
    {"broadcast", "S[8]", {8}, {{"extent", "0"}, {"at", "0"}}, "extent", "extent 0"},
    {"broadcast", "S[8]", {8}, {{"extent", "2"}, {"at", "2"}}, "extent", "no place 2 among 1"},
    {"pack", "ComposeLayout(0, 3, 3, TileLayout(S[64]))", {64}, {{"factor", "2"}}, "", "the swizzle moves parts"},
    {"unpack", "S[(4,2):(1@TLane,1@TCol)]", {8}, {{"factor", "2"}}, "", "only on m is it known"},
    {"unpack", "S[8]", {8}, {{"factor", "0"}}, "", "a factor of 0"},
    {"fuse", "S[8:1@laneid]", {8}, {{"axis", "lane"}}, "axis", "'lane' is not an axis"},
    {"fuse", "S[8]", {8}, {{"axis", "tx"}}, "", "no axis of the layout lies within tx"},
    {"fuse", "S[(2,8):(1@tx,1@laneid)]", {16}, {{"axis", "tx"}}, "", "has tx already"},
    {"split", "S[8:1@laneid]", {8}, {{"axis", "laneid"}}, "", "does not split"},
    {"split", "S[8]", {8}, {{"axis", "tx"}}, "", "the layout has no tx"},
    {"swizzle", "S[8]", {8}, {{"swizzle", "3,3"}}, "swizzle", "expected ','"},
    {"swizzle", "S[8]", {8}, {{"swizzle", "3,3,0"}}, "", "expected M >= 0, B >= 0, S >= 1"},
    {"swizzle", "S[8:-1]", {8}, {{"swizzle", "3,3,3"}}, "", ""},
    {"reshape", "S[8]", {8}, {}, "", "no operation 'reshape'"},
    {"tile",
     "S[4294967296:1]",
     {4294967296},
     {{"outer", "S[4294967296:1]"}, {"outer_shape", "4294967296"}},
     "",
     "64 bits"},
};

TEST(Laws, WrongArgumentsAreErrorsOfTheirKey) {
  for (const Wrong& row : kWrong) {
    const auto answer = law(row.operation, row.layout, tensor_of(row.size), row.arguments);
    const auto* error = std::get_if<use::LawError>(&answer);
    ASSERT_NE(error, nullptr) << row.operation << " " << row.layout << " " << row.message;
    EXPECT_EQ(error->key, row.key) << error->error.message;
    EXPECT_NE(error->error.message.find(row.message), std::string::npos)
        << error->error.message << " for " << row.message;
    EXPECT_FALSE(error->error.message.empty());
  }
}

// The layouts on which an operation has no result: what is given is wrong, and nothing is wrong with the texts.
TEST(Laws, SayWhichOperationsAreImpossible) {
  struct No {
    const char* operation;
    const char* layout;
    List size;
    Arguments arguments;
    const char* message;
    Index have, want;
  };
  const std::vector<No> rows = {
      {"pack", "S[8:2]", {8}, {{"factor", "2"}}, "the number of elements that lie one behind the other on m, 1,", 1, 0},
      {"pack", "S[9:1]", {9}, {{"factor", "2"}}, "one behind the other on m, 9, is a multiple of 2", 1, 0},
      {"pack", "S[(4,2):(3,1)]", {8}, {{"factor", "2"}}, "the stride 3 is a multiple of 2", 1, 0},
      {"pack", "S[8] + 3", {8}, {{"factor", "2"}}, "the offset 3 is a multiple of 2", 1, 0},
      {"pack", "S[8] + R[2:9]", {8}, {{"factor", "2"}}, "the stride 9 of a replica", 1, 0},
      {"fuse", "S[(2,8):(1@warpid,8@laneid)]", {16}, {{"axis", "tx"}}, "laneid reaches 56, and it counts 32", 0, 1},
  };
  for (const No& row : rows) {
    const auto answer = law(row.operation, row.layout, tensor_of(row.size), row.arguments);
    const auto* no = std::get_if<use::Impossible>(&answer);
    ASSERT_NE(no, nullptr) << row.message;
    EXPECT_NE(no->rule.statement.find(row.message), std::string::npos) << no->rule.statement;
    EXPECT_EQ(no->rule.have, row.have) << row.message;
    EXPECT_EQ(no->rule.want, row.want) << row.message;
  }
  // A wrong key comes first.
  const auto wrong = law("pack", "S[8:2]", tensor_of({8}), Arguments{{"factor", "2"}, {"facotr", "2"}});
  EXPECT_NE(std::get_if<use::LawError>(&wrong), nullptr);
}

}  // namespace tirx_laws_test
}  // namespace vl::tirx
