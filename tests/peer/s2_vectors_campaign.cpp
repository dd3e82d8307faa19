// The transcribed generator against known facts about upstream's: it gives the stated nests of vectors, moves the
// vectors of upstream's tests rightly, and reproduces known failures with their numbers.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "tests/peer/moves.h"
#include "tests/peer/s2_generator.h"
#include "tests/peer/verdicts.h"

namespace vl::test::s2 {
namespace peer_s2_vectors_campaign {

using List = std::vector<Index>;

Copy dense(List size, List device_size, List stride_map) {
  const List strides = *map::dense_strides(size);
  return {use::Direction::HostToDevice, std::move(size),      strides, strides, 0,
          std::move(device_size),       std::move(stride_map)};
}

Copy strided(List size, List strides, List device_size, List stride_map) {
  return {use::Direction::HostToDevice, std::move(size),      strides, strides, 0,
          std::move(device_size),       std::move(stride_map)};
}

use::Transfer transfer_of(const Copy& copy) {
  const Outcome outcome = generate(copy);
  EXPECT_TRUE(std::holds_alternative<use::Transfer>(outcome));
  return std::holds_alternative<use::Transfer>(outcome) ? std::get<use::Transfer>(outcome) : use::Transfer{};
}

/// A nest as the runtime prints it: innermost loop first.
use::Nest printed(List size, List host, List device, Index host_offset, Index device_offset) {
  for (List* list : {&size, &host, &device}) std::ranges::reverse(*list);
  return {std::move(size), {std::move(host), host_offset}, {std::move(device), device_offset}};
}

struct NestRow {
  const char* name;
  Copy copy;
  std::vector<use::Nest> nests;
};

// Sources: 5 the DMA tuple of the document "Tensor Layouts" put in the order of its own table, 30 a log (torch-spyre
// #1303; its size-1 loop has stride 384 there, from the dim_map code), the others computed by an independent model.
const std::vector<NestRow> kNests = {
    {"5 of 1024 rows",
     dense({1024, 256}, {4, 1024, 64}, {64, 256, 1}),
     {printed({64, 1024, 4}, {1, 256, 64}, {1, 64, 65536}, 0, 0)}},
    {"30",
     dense({1, 3, 128}, {3, 2, 1, 64}, {128, 64, -1, 1}),
     {printed({64, 1, 2, 3}, {1, 1, 64, 128}, {1, 64, 64, 128}, 0, 0)}},
    {"2",
     dense({120}, {2, 64}, {64, 1}),
     {printed({64, 1}, {1, 64}, {1, 64}, 0, 0), printed({56, 1}, {1, 64}, {1, 64}, 64, 64)}},
    {"4",
     dense({512, 240}, {4, 512, 64}, {64, 240, 1}),
     {printed({64, 512, 3}, {1, 240, 64}, {1, 64, 32768}, 0, 0),
      printed({48, 512, 1}, {1, 240, 64}, {1, 64, 32768}, 192, 98304)}},
    {"15",
     dense({5, 100, 150}, {100, 3, 5, 64}, {150, 64, 15000, 1}),
     {printed({64, 5, 2, 100}, {1, 15000, 64, 150}, {1, 64, 320, 960}, 0, 0),
      printed({22, 5, 1, 100}, {1, 15000, 64, 150}, {1, 64, 320, 960}, 128, 640)}},
    {"17",
     dense({50, 10, 200}, {10, 4, 50, 64}, {200, 64, 2000, 1}),
     {printed({64, 50, 3, 10}, {1, 2000, 64, 200}, {1, 64, 3200, 12800}, 0, 0),
      printed({8, 50, 1, 10}, {1, 2000, 64, 200}, {1, 64, 3200, 12800}, 192, 9600)}},
    {"14 sparse",
     dense({512, 256}, {256, 1, 512, 64}, {1, -1, 256, -1}),
     {printed({1, 512, 1, 256}, {1, 256, 1, 1}, {1, 64, 32768, 32768}, 0, 0)}},
    {"36 folded",
     dense({40, 60}, {38, 64}, {64, 1}),
     {printed({64, 37}, {1, 64}, {1, 64}, 0, 0), printed({32, 1}, {1, 64}, {1, 64}, 2368, 2368)}},
    {"40",
     dense({4800}, {3, 2, 14, 64}, {120, 64, 360, 1}),
     {printed({64, 13, 1, 3}, {1, 360, 64, 120}, {1, 64, 896, 1792}, 0, 0),
      printed({64, 1, 1, 1}, {1, 360, 64, 120}, {1, 64, 896, 1792}, 4680, 832),
      printed({56, 13, 1, 3}, {1, 360, 64, 120}, {1, 64, 896, 1792}, 64, 896),
      printed({56, 1, 1, 1}, {1, 360, 64, 120}, {1, 64, 896, 1792}, 4744, 1728)}},
    {"43",
     dense({40, 60}, {3, 4, 3, 1, 2, 64}, {600, 180, 60, 64, 1800, 1}),
     {printed({60, 1, 1, 3, 3, 3}, {1, 1800, 64, 60, 180, 600}, {1, 64, 128, 128, 384, 1536}, 0, 0),
      printed({60, 1, 1, 3, 3, 1}, {1, 1800, 64, 60, 180, 600}, {1, 64, 128, 128, 384, 1536}, 1800, 64),
      printed({60, 1, 1, 1, 1, 3}, {1, 1800, 64, 60, 180, 600}, {1, 64, 128, 128, 384, 1536}, 540, 1152),
      printed({60, 1, 1, 1, 1, 1}, {1, 1800, 64, 60, 180, 600}, {1, 64, 128, 128, 384, 1536}, 2340, 1216)}},
};

TEST(S2, MakesTheNestsOfTheStatedVectors) {
  for (const NestRow& row : kNests) {
    SCOPED_TRACE(row.name);
    const use::Transfer made = transfer_of(row.copy);
    EXPECT_EQ(made.nests, row.nests);
    EXPECT_TRUE(Judge(row.copy).tally(made).implements());
  }
  EXPECT_EQ(kNests.size(), 10u);
}

TEST(S2, TurnsTheSameNestsRoundForTheWayBack) {
  for (const NestRow& row : kNests) {
    SCOPED_TRACE(row.name);
    Copy copy = row.copy;
    copy.direction = use::Direction::DeviceToHost;
    copy.storage_offset = 7;
    const use::Transfer made = transfer_of(copy);
    EXPECT_EQ(made.direction, use::Direction::DeviceToHost);
    ASSERT_EQ(made.nests.size(), row.nests.size());
    EXPECT_EQ(made.nests[0].destination.strides, row.nests[0].source.strides);
    EXPECT_EQ(made.nests[0].destination.offset, row.nests[0].source.offset + 7);
    EXPECT_TRUE(Judge(copy).tally(made).implements());
  }
}

struct Row {
  const char* name;
  Copy copy;
};

// Layouts that torch-spyre's tests (test_tensor_layout.py, test_d2h_slice_transfer.py, test_model_utils.py) or
// documents state, extents of 512 and 1000 cut to 128 where nothing depends on them.
const std::vector<Row> kVectors = {
    {"1", dense({}, {1, 64}, {-1, -1})},
    {"2", dense({120}, {2, 64}, {64, 1})},
    {"4", dense({512, 240}, {4, 512, 64}, {64, 240, 1})},
    {"5", dense({512, 256}, {4, 512, 64}, {64, 256, 1})},
    {"7", dense({128, 8, 256}, {8, 4, 128, 64}, {256, 64, 2048, 1})},
    {"8", dense({512, 256}, {8, 256, 64}, {16384, 1, 256})},
    {"10", dense({128, 8, 256}, {128, 4, 8, 64}, {2048, 64, 256, 1})},
    {"11", dense({128, 8, 256}, {256, 2, 8, 64}, {1, 131072, 256, 2048})},
    {"13", dense({128, 8, 256}, {8, 2, 256, 64}, {256, 131072, 1, 2048})},
    {"14", dense({512, 256}, {256, 1, 512, 64}, {1, -1, 256, -1})},
    {"16", dense({5, 100, 150}, {5, 3, 100, 64}, {15000, 64, 150, 1})},
    {"22", dense({4, 64}, {2, 4, 32}, {32, 64, 1})},
    {"23", dense({4, 1}, {1, 4, 32}, {-1, 1, -1})},
    {"25", dense({1, 4, 32}, {32, 1, 4, 32}, {1, -1, 32, -1})},
    {"26", dense({2, 3, 32}, {3, 1, 32, 32}, {32, 3072, 1, 96})},
    {"28 f16", strided({4, 63}, {1, 4}, {1, 63, 64}, {64, 4, 1})},
    {"28 f32", strided({4, 63}, {1, 4}, {1, 63, 32}, {32, 4, 1})},
    {"32", dense({40, 60}, {1, 60, 64}, {3840, 1, 60})},
    {"34", dense({40, 240}, {4, 512, 64}, {64, 240, 1})},
    {"35 replicas", dense({60}, {1, 512, 64}, {64, 0, 1})},
    {"36 folded", dense({40, 60}, {38, 64}, {64, 1})},
    {"37 tie", dense({60}, {1, 60, 64}, {64, 1, 1})},
    {"38", dense({60}, {2, 1, 2, 64}, {15, 64, 30, 1})},
    {"40", dense({4800}, {3, 2, 14, 64}, {120, 64, 360, 1})},
    {"41", dense({40, 60}, {24, 1, 2, 64}, {60, 64, 1440, 1})},
    {"43", dense({40, 60}, {3, 4, 3, 1, 2, 64}, {600, 180, 60, 64, 1800, 1})},
    {"44 a", strided({40, 60}, {1, 40}, {1, 40, 64}, {2560, 1, 40})},
    {"44 b", strided({40, 60}, {1, 40}, {1, 60, 64}, {64, 40, 1})},
    {"46 f16", dense({1, 8, 130}, {8, 3, 1, 64}, {130, 64, -1, 1})},
    {"46 f32", dense({1, 8, 130}, {8, 5, 1, 32}, {130, 32, -1, 1})},
    {"47", dense({2, 8, 128}, {2, 8, 2, 1, 64}, {1024, 128, 64, -1, 1})},
    {"49 heads factored", dense({1, 8, 4096}, {8, 2, 32, 64}, {4096, 64, 128, 1})},
    {"50 embedding", dense({128, 256}, {128, 4, 64}, {256, 64, 1})},
};

TEST(S2, MovesEveryVectorOfUpstreamsTestsRightly) {
  Index right = 0;
  for (const Row& row : kVectors) {
    SCOPED_TRACE(row.name);
    const Judge judge(row.copy);
    EXPECT_TRUE(judge.valid());
    const Tally tally = judge.tally(transfer_of(row.copy));
    EXPECT_TRUE(tally.implements()) << tally.right << " of " << tally.expected << " and " << tally.wrong << " wrong";
    right += tally.implements() ? 1 : 0;
  }
  EXPECT_EQ(right, 33);
}

TEST(S2, ReadsTheSecondStickInTheWrongPlaceWhenTheHostStickIsStrided) {
  Copy rows = dense({40, 128}, {2, 40, 64}, {64, 128, 1});
  rows.cpu_strides = {256, 2};
  const Tally every_other = Judge(rows).tally(transfer_of(rows));
  EXPECT_EQ(every_other.expected, 5120);
  EXPECT_EQ(every_other.expected - every_other.right, 2560);

  Copy transposed = dense({40, 120}, {2, 40, 64}, {64, 120, 1});
  transposed.cpu_strides = {1, 40};
  const Tally turned = Judge(transposed).tally(transfer_of(transposed));
  EXPECT_EQ(turned.expected, 4800);
  EXPECT_EQ(turned.expected - turned.right, 2240);
}

TEST(S2, CutsSilentlyWhatTheDeviceHasNoRoomFor) {
  const Copy copy = dense({2, 128}, {1, 1, 64}, {64, 128, 1});
  Index moves = 0;
  for (const use::Nest& nest : transfer_of(copy).nests)
    run(nest, use::Direction::HostToDevice, [&](const Move&) { return ++moves > 0; });
  EXPECT_EQ(moves, 64);
  EXPECT_FALSE(Judge(copy).valid());  // the layout itself has no slot for the other 192
}

TEST(S2, LosesRowsWhenTheStickCountPlaceHoldsAnotherDim) {
  const Copy lost = dense({8, 1}, {8, 1, 64}, {1, -1, -1});
  EXPECT_TRUE(Judge(lost).valid());
  const Tally tally = Judge(lost).tally(transfer_of(lost));
  EXPECT_EQ(tally.expected, 8);
  EXPECT_EQ(tally.right, 1);
  EXPECT_EQ(tally.wrong, 0);
  const Copy kept = dense({8, 1}, {8, 1, 1, 64}, {1, -1, -1, -1});
  EXPECT_TRUE(Judge(kept).tally(transfer_of(kept)).implements());
}

TEST(S2, MisplacesFourElementsOfASubStickPermutation) {
  const Copy copy = dense({2, 60}, {2, 2, 64}, {60, 64, 1});
  EXPECT_TRUE(Judge(copy).valid());
  const Tally tally = Judge(copy).tally(transfer_of(copy));
  EXPECT_EQ(tally.expected, 120);
  EXPECT_EQ(tally.right, 116);
  EXPECT_EQ(tally.wrong, 4);
}

TEST(S2, DividesByAZeroTileStride) {
  const Copy copy = dense({1, 4, 4096, 128}, {1, 4, 128, 64, 64}, {2097152, 524288, 1, 8192, 128});
  EXPECT_TRUE(Judge(copy).valid());  // 2,097,152 elements, each with a slot of its own
  const Outcome outcome = generate(copy);
  ASSERT_TRUE(std::holds_alternative<Crash>(outcome));
  EXPECT_EQ(std::get<Crash>(outcome).what, "zero tile stride");
}

TEST(S2, DividesByAZeroTileSize) {
  const Outcome outcome = generate(dense({6, 4}, {1, 0, 6, 4}, {6, 2, 4, 1}));
  ASSERT_TRUE(std::holds_alternative<Crash>(outcome));
  EXPECT_EQ(std::get<Crash>(outcome).what, "zero tile size");
}

TEST(S2, RefusesARaggedLastTile) {
  const Outcome outcome = generate(dense({5}, {3}, {2}));
  ASSERT_TRUE(std::holds_alternative<Refused>(outcome));
  EXPECT_EQ(std::get<Refused>(outcome).why, "invalid tiling for dimension");
}

Fields refutation(const Copy& copy) {
  const claims::Verdict verdict = ask("implements", layout_of(copy), transfer_of(copy));
  const auto* refuted = std::get_if<claims::Refuted>(&verdict);
  return refuted == nullptr ? Fields{{std::string(question::word(verdict)), Index{0}}} : refuted->counterexample.fields;
}

TEST(ToolOnS2, ProvesTheNestsOfTheStatedVectors) {
  for (const NestRow& row : kNests)
    for (const std::string_view claim : kClaims)
      EXPECT_EQ(question::word(ask(claim, layout_of(row.copy), transfer_of(row.copy))), "proved") << row.name << claim;
}

TEST(ToolOnS2, ShowsTheFirstElementOfEachKnownFailure) {
  // The second stick of row 0 is read at 64 and lies at 64·2.
  Copy rows = dense({40, 128}, {2, 40, 64}, {64, 128, 1});
  rows.cpu_strides = {256, 2};
  EXPECT_EQ(refutation(rows),
            (Fields{{"nest", Index{0}}, {"iteration", Point{1, 0, 0}}, {"host", Index{64}}, {"device", Index{2560}}}));
  // 64 columns further on in the transposed host is 64·40.
  Copy transposed = dense({40, 120}, {2, 40, 64}, {64, 120, 1});
  transposed.cpu_strides = {1, 40};
  EXPECT_EQ(refutation(transposed),
            (Fields{{"nest", Index{1}}, {"iteration", Point{0, 0, 0}}, {"host", Index{64}}, {"device", Index{2560}}}));
  // Element [0, 64] has no slot: the layout has one stick.
  const Fields cut = refutation(dense({2, 128}, {1, 1, 64}, {64, 128, 1}));
  ASSERT_FALSE(cut.empty());
  EXPECT_EQ(cut[0], (Fields::value_type{"a", Point{0, 64}}));
  // Row 1 is never moved.
  EXPECT_EQ(refutation(dense({8, 1}, {8, 1, 64}, {1, -1, -1})),
            (Fields{{"a", Point{1, 0}}, {"device", Index{64}}, {"times", Index{0}}}));
  // Host 120 is beyond the tensor.
  EXPECT_EQ(refutation(dense({2, 60}, {2, 2, 64}, {60, 64, 1})),
            (Fields{{"nest", Index{0}}, {"iteration", Point{0, 1, 56}}, {"host", Index{120}}, {"device", Index{120}}}));
}

}  // namespace peer_s2_vectors_campaign
}  // namespace vl::test::s2
