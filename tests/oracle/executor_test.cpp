// The naive interpreter on hand-made layouts, against offsets that are computed without the IR.
#include "oracle/reference/executor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace vl::oracle {
namespace oracle_executor_test {

using map::Affine;
using map::Layout;
using map::LayoutParts;
using map::Row;
using map::Space;
using map::Split;
using Image = std::vector<std::byte>;

Space space(std::string_view prefix, const std::vector<Index>& extents) {
  return *Space::create(Space::dims(prefix, extents));
}

Layout layout(const std::vector<Index>& logical, const std::vector<Index>& physical, std::vector<map::Stage> stages,
              const std::vector<Index>& replicas = {}, std::size_t guards = 0) {
  LayoutParts parts;
  parts.logical = space("x", logical);
  parts.replicas = space("r", replicas);
  parts.physical = space("d", physical);
  parts.map = std::move(stages);
  parts.guards = guards;
  auto made = Layout::create(std::move(parts));
  VL_CHECK(made.has_value(), made.error().message);
  return *made;
}

// [a, b, c] on sticks of `tile`: device (b, ceil(c/tile), a, tile), as in layout.h.
Layout sticks(Index a, Index b, Index c, Index tile) {
  return layout({a, b, c}, {b, ceil_div(c, tile), a, tile},
                {Split{2, {tile, 1}}, Affine{{map::pick(1), map::pick(2), map::pick(0), map::pick(3)}}});
}

// The worked example of layout.h with its own stages: host offset, then greedy digits.
Layout example() {
  return layout({5, 100, 150}, {100, 3, 5, 64},
                {Affine{{map::dot(std::vector<Index>{15000, 150, 1})}}, Split{0, {15000, 150, 64, 1}},
                 Affine{{map::pick(1), map::pick(2), map::pick(0), map::pick(3)}}});
}

Image counting(Index units, std::size_t unit) {
  Image image(static_cast<std::size_t>(units) * unit);
  for (std::size_t i = 0; i < image.size(); ++i)
    image[i] = static_cast<std::byte>((i / unit * 31 + i % unit * 7) % 251);
  return image;
}

Image fill_of(std::size_t unit) { return Image(unit, std::byte{0xee}); }

std::size_t at(Index unit_number, std::size_t unit) { return static_cast<std::size_t>(unit_number) * unit; }

/// The required result of pack for sticks(a, b, c, tile), by one formula.
Image expected_sticks(Index a, Index b, Index c, Index tile, std::size_t unit, const Image& host) {
  const Index tiles = ceil_div(c, tile);
  Image device(at(b * tiles * a * tile, unit), std::byte{0xee});
  for (Index i = 0; i < a; ++i)
    for (Index j = 0; j < b; ++j)
      for (Index k = 0; k < c; ++k)
        std::memcpy(&device[at(((j * tiles + k / tile) * a + i) * tile + k % tile, unit)],
                    &host[at((i * b + j) * c + k, unit)], unit);
  return device;
}

std::string error_of(const auto& result) { return result.has_value() ? "no error" : result.error().message; }

TEST(Executor, PacksTheWorkedExampleToItsOffsets) {
  const Image host = counting(75000, 2);
  const auto device = pack(example(), host, 2, fill_of(2));
  ASSERT_TRUE(device.has_value()) << device.error().message;
  ASSERT_EQ(device->size(), 192000U);
  EXPECT_EQ((*device)[at(6888, 2)], host[at(31090, 2)]);       // element [2,7,40]
  EXPECT_EQ((*device)[at(2 * 320 + 22, 2)], std::byte{0xee});  // slot [0,2,0,22] is padding
  EXPECT_EQ(*device, expected_sticks(5, 100, 150, 64, 2, host));
}

TEST(Executor, UnpackUndoesPackAndDoesNotReadPadding) {
  const Image host = counting(75000, 2);
  const Image zeros = *pack(example(), host, 2, Image(2, std::byte{0}));
  const Image ones = *pack(example(), host, 2, Image(2, std::byte{0xff}));
  EXPECT_NE(zeros, ones);
  EXPECT_EQ(*unpack(example(), zeros, 2), host);
  EXPECT_EQ(*unpack(example(), ones, 2), host);
}

TEST(Executor, AgreesWithTheFormulaOnAllSmallStickLayouts) {
  int decided = 0;
  for (Index a = 0; a <= 3; ++a)
    for (Index b = 0; b <= 3; ++b)
      for (Index c = 0; c <= 5; ++c)
        for (Index tile = 1; tile <= 4; ++tile)
          for (const std::size_t unit : {1U, 2U, 4U, 8U}) {
            const Layout map = sticks(a, b, c, tile);
            const Image host = counting(a * b * c, unit);
            const auto device = pack(map, host, unit, fill_of(unit));
            ASSERT_TRUE(device.has_value()) << device.error().message;
            ASSERT_EQ(*device, expected_sticks(a, b, c, tile, unit, host)) << fmt::format("{} {} {} {}", a, b, c, tile);
            ASSERT_EQ(*unpack(map, *device, unit), host);
            ++decided;
          }
  EXPECT_EQ(decided, 4 * 4 * 6 * 4 * 4);
}

RC_GTEST_PROP(Executor, KeepsEveryBitOfEveryUnit, ()) {
  const auto unit = *rc::gen::element<std::size_t>(1, 2, 4, 8);
  const auto bytes = *rc::gen::container<std::vector<std::uint8_t>>(6 * 3 * unit, rc::gen::arbitrary<std::uint8_t>());
  Image host(bytes.size());
  std::memcpy(host.data(), bytes.data(), bytes.size());
  const auto device = pack(sticks(1, 6, 3, 2), host, unit, fill_of(unit));
  RC_ASSERT(device.has_value());
  RC_ASSERT(*unpack(sticks(1, 6, 3, 2), *device, unit) == host);
}

TEST(Executor, NaNPayloadsSurvive) {
  const std::uint32_t nans[] = {0x7f800001, 0x7fa12345, 0xffc00000, 0xffffffff};  // signalling ones first
  Image host(sizeof nans);
  std::memcpy(host.data(), nans, sizeof nans);
  const Layout reversed = layout({4}, {4}, {Affine{{Row{3, {{0, -1}}}}}});
  const Image device = *pack(reversed, host, 4, fill_of(4));
  const std::uint32_t expected[] = {0xffffffff, 0xffc00000, 0x7fa12345, 0x7f800001};
  EXPECT_EQ(std::memcmp(device.data(), expected, sizeof expected), 0);
}

TEST(Executor, ATensorOfRank0HasOneElement) {
  const Layout scalar = layout({}, {1, 64}, {Affine{{Row{}, Row{}}}});
  const auto device = pack(scalar, Image(2, std::byte{5}), 2, fill_of(2));
  ASSERT_TRUE(device.has_value()) << device.error().message;
  EXPECT_EQ(device->size(), 128U);
  EXPECT_EQ(std::ranges::count(*device, std::byte{5}), 2);
  EXPECT_EQ(*unpack(scalar, *device, 2), Image(2, std::byte{5}));
}

TEST(Executor, AnEmptyTensorIsAllPadding) {
  const Layout empty = layout({0, 4}, {2, 4}, {});
  EXPECT_EQ(*pack(empty, {}, 2, fill_of(2)), Image(16, std::byte{0xee}));
  EXPECT_EQ(*unpack(empty, Image(16), 2), Image());
}

// ---- replicas

// [3] with a copy in each of 4 rows of (4, 3).
Layout copied() { return layout({3}, {4, 3}, {Affine{{map::pick(1), map::pick(0)}}}, {4}); }

TEST(Executor, WritesEveryReplica) {
  const Image host = {std::byte{1}, std::byte{2}, std::byte{3}};
  Image rows;
  for (int row = 0; row < 4; ++row) rows.insert(rows.end(), host.begin(), host.end());
  EXPECT_EQ(*pack(copied(), host, 1, fill_of(1)), rows);
  EXPECT_EQ(*unpack(copied(), rows, 1), host);
}

TEST(Executor, NamesReplicasThatDiffer) {
  Image device(12, std::byte{1});
  device[2 * 3 + 1] = std::byte{9};
  const auto host = unpack(copied(), device, 1);
  EXPECT_EQ(error_of(host), "element [1], replica [2] differs from the first: slots [0, 1] and [2, 1]");
}

TEST(Executor, ReplicasThatShareASlotAreWrittenTwice) {
  const Layout shared = layout({3}, {3}, {Affine{{map::pick(0)}}}, {2});
  EXPECT_EQ(error_of(pack(shared, Image(3), 1, fill_of(1))),
            "element [0], replica [0] and element [0], replica [1] share the slot [0]");
}

TEST(Executor, AnElementWithoutReplicasHasNoSlot) {
  const Layout none = layout({3}, {3}, {Affine{{map::pick(0)}}}, {0});
  EXPECT_EQ(error_of(pack(none, Image(3), 1, fill_of(1))), "element [0] has no slot: the layout has no replica of it");
  EXPECT_EQ(error_of(unpack(none, Image(3), 1)), "element [0] has no slot: the layout has no replica of it");
  EXPECT_EQ(error_of(slots(none, std::vector<Index>{0})), "row 0: element [0] has no slot");
}

// ---- layouts that are wrong

TEST(Executor, NamesBothElementsThatShareASlot) {
  const Layout folded = layout({2, 3}, {5}, {Affine{{map::dot(std::vector<Index>{2, 1})}}});
  EXPECT_EQ(error_of(pack(folded, Image(6), 1, fill_of(1))), "element [0, 2] and element [1, 0] share the slot [2]");
}

TEST(Executor, UnpackReadsASharedSlotTwice) {
  const Layout folded = layout({2, 3}, {5}, {Affine{{map::dot(std::vector<Index>{2, 1})}}});
  const Image device = counting(5, 1);
  EXPECT_EQ(*unpack(folded, device, 1), (Image{device[0], device[1], device[2], device[2], device[3], device[4]}));
}

TEST(Executor, NamesTheElementThatHasNoSlot) {
  const Layout small = layout({2, 3}, {4}, {Affine{{map::dot(std::vector<Index>{3, 1})}}});
  const std::string message = "element [1, 1] has no slot: the map gives [4] for the physical space [4]";
  EXPECT_EQ(error_of(pack(small, Image(6), 1, fill_of(1))), message);
  EXPECT_EQ(error_of(unpack(small, Image(4), 1)), message);
}

TEST(Executor, AGuardThatIsNotZeroIsNoSlot) {
  const Layout guarded = layout({6}, {6}, {Split{0, {2, 1}}, Affine{{map::pick(0), map::pick(1)}}}, {}, 1);
  EXPECT_EQ(error_of(pack(guarded, Image(6), 1, fill_of(1))),
            "element [1] has no slot: the map gives [0, 1] for the physical space [6] and 1 guards");
}

// ---- buffers that are wrong

TEST(Executor, RefusesBuffersOfAnotherLength) {
  const Layout map = sticks(1, 2, 3, 2);
  EXPECT_EQ(error_of(pack(map, Image(11), 2, fill_of(2))), "the host tensor has 11 bytes; expected 12: 6 units of 2");
  EXPECT_EQ(error_of(pack(map, Image(12), 2, fill_of(4))), "the fill has 4 bytes; expected 2");
  EXPECT_EQ(error_of(unpack(map, Image(15), 2)), "the device image has 15 bytes; expected 16: 8 units of 2");
}

TEST(Executor, RefusesUnitsOfOtherSizes) {
  for (const std::size_t unit : {0U, 3U, 32U}) {
    EXPECT_EQ(error_of(pack(sticks(1, 2, 3, 2), Image(6 * unit), unit, fill_of(unit))),
              fmt::format("a unit of {} bytes; expected 1, 2, 4, 8 or 16", unit));
    EXPECT_FALSE(unpack(sticks(1, 2, 3, 2), Image(8 * unit), unit).has_value());
  }
}

TEST(Executor, RefusesImagesOfMoreThan2To36Bytes) {
  const Index large = (Index{1} << 35) + 1;
  EXPECT_EQ(error_of(pack(layout({1}, {large}, {}), Image(2), 2, fill_of(2))),
            "34359738369 units of 2 bytes are more than 2^36 bytes");
  EXPECT_EQ(error_of(unpack(layout({large}, {1}, {Affine{{Row{}}}}), Image(2), 2)),
            "34359738369 units of 2 bytes are more than 2^36 bytes");
  const Index most = std::numeric_limits<Index>::max();
  EXPECT_EQ(error_of(pack(layout({1}, {most}, {}), Image(8), 8, fill_of(8))),
            "9223372036854775807 units of 8 bytes are more than 2^36 bytes");
}

// ---- move and slots

TEST(Executor, MoveIsWhatPackingAfreshWouldGive) {
  const Image host = counting(5 * 10 * 15, 4);
  const Layout from = sticks(5, 10, 15, 4);
  const Layout to = layout({5, 10, 15}, {15, 10, 5}, {Affine{{map::pick(2), map::pick(1), map::pick(0)}}});
  const auto moved = move(from, to, *pack(from, host, 4, fill_of(4)), 4, fill_of(4));
  ASSERT_TRUE(moved.has_value()) << moved.error().message;
  ASSERT_EQ(moved->size(), host.size());
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 10; ++j)
      for (Index k = 0; k < 15; ++k)
        ASSERT_EQ(std::memcmp(&(*moved)[at((k * 10 + j) * 5 + i, 4)], &host[at((i * 10 + j) * 15 + k, 4)], 4), 0);
  EXPECT_EQ(error_of(move(from, sticks(5, 15, 10, 4), Image(5 * 10 * 16 * 4), 4, fill_of(4))),
            "the two layouts are of tensors of different shapes");
}

TEST(Executor, SlotsAreDeviceCoordinatesRowByRow) {
  const auto found = slots(example(), std::vector<Index>{2, 7, 40, 0, 0, 0, 4, 99, 149});
  ASSERT_TRUE(found.has_value()) << found.error().message;
  EXPECT_EQ(*found, (std::vector<Index>{7, 0, 2, 40, 0, 0, 0, 0, 99, 2, 4, 21}));
  EXPECT_EQ(*slots(example(), {}), std::vector<Index>());
}

TEST(Executor, SlotsOfAReplicatedElementAreThoseOfAllReplicas) {
  EXPECT_EQ(*slots(copied(), std::vector<Index>{2, 0}),
            (std::vector<Index>{0, 2, 1, 2, 2, 2, 3, 2, 0, 0, 1, 0, 2, 0, 3, 0}));
  EXPECT_EQ(*slots(copied(), {}), std::vector<Index>());
  // 2^40 places of one element are refused before any is written.
  const Layout many =
      layout({3}, {1 << 20, 1 << 20, 3}, {Affine{{map::pick(1), map::pick(2), map::pick(0)}}}, {1 << 20, 1 << 20});
  EXPECT_EQ(error_of(slots(many, std::vector<Index>{2})), "3298534883328 units of 8 bytes are more than 2^36 bytes");
}

TEST(Executor, SlotsOfAScalarAreOneRow) {
  EXPECT_EQ(*slots(layout({}, {1, 64}, {Affine{{Row{}, Row{}}}}), {}), (std::vector<Index>{0, 0}));
}

TEST(Executor, SlotsNameTheRowThatIsWrong) {
  EXPECT_EQ(error_of(slots(example(), std::vector<Index>{0, 0, 0, 0, 0, 150})),
            "row 1: [0, 0, 150] is not an element of the tensor");
  EXPECT_EQ(error_of(slots(example(), std::vector<Index>{-1, 0, 0})),
            "row 0: [-1, 0, 0] is not an element of the tensor");
  EXPECT_EQ(error_of(slots(example(), std::vector<Index>{0, 0})), "2 coordinates are not rows of 3");
  const Layout small = layout({2, 3}, {4}, {Affine{{map::dot(std::vector<Index>{3, 1})}}});
  EXPECT_EQ(error_of(slots(small, std::vector<Index>{0, 0, 1, 2})), "row 1: element [1, 2] has no slot");
}

}  // namespace oracle_executor_test
}  // namespace vl::oracle
