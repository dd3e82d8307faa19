// The naive interpreter of transfers, on nests written by hand against offsets written by hand.
#include "oracle/reference/transfer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "encodings/spyre/spyre.h"
#include "oracle/reference/executor.h"

namespace vl::oracle {
namespace oracle_transfer_test {

using use::Direction;
using use::Nest;
using use::Transfer;
using Image = std::vector<std::byte>;
using Pair = std::pair<Index, Index>;

Transfer h2d(std::vector<Nest> nests) { return {Direction::HostToDevice, std::move(nests)}; }

// f16[120] on device_size [2,64], the example of transfer.h.
const Transfer kSticks = h2d({{{1, 64}, {{64, 1}, 0}, {{64, 1}, 0}}, {{1, 56}, {{64, 1}, 64}, {{64, 1}, 64}}});

// The example of the README: f16[5,100,150] on [100,3,5,64].
const Transfer kExample = h2d({{{2, 100, 5, 64}, {{64, 150, 15000, 1}, 0}, {{320, 960, 64, 1}, 0}},
                               {{1, 100, 5, 22}, {{64, 150, 15000, 1}, 128}, {{320, 960, 64, 1}, 640}}});

std::vector<Pair> moves(const Transfer& transfer) {
  std::vector<Pair> out;
  const auto error = for_each_move(transfer, [&](const Move& move) {
    out.emplace_back(move.source, move.destination);
    return true;
  });
  EXPECT_FALSE(error) << error->message;
  return out;
}

std::string error_of(const Transfer& transfer, Index most = kMostMoves) {
  const auto error = for_each_move(
      transfer, [](const Move&) { return true; }, most);
  return error ? error->message : "no error";
}

// Units of 2 bytes with these values.
Image units(const std::vector<int>& values) {
  Image out;
  for (const int value : values)
    for (const int byte : {value & 0xff, value >> 8}) out.push_back(static_cast<std::byte>(byte));
  return out;
}

Image counting(Index count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 1);
  return units(values);
}

std::string error_of(const Result<Image>& result) { return result ? "no error" : result.error().message; }

TEST(Transfers, MoveTheInnermostLoopFastest) {
  EXPECT_EQ(moves(h2d({{{2, 3}, {{10, 1}, 5}, {{1, 4}, 100}}})),
            (std::vector<Pair>{{5, 100}, {6, 104}, {7, 108}, {15, 101}, {16, 105}, {17, 109}}));
}

TEST(Transfers, NameNestAndIterationOfEachMove) {
  std::vector<std::string> names;
  ASSERT_FALSE(for_each_move(kSticks, [&](const Move& move) {
    if (move.source == 0 || move.source == 67) names.push_back(fmt::format("{}: {}", name(move), move.destination));
    return true;
  }));
  EXPECT_EQ(names, (std::vector<std::string>{"nest 0, iteration [0, 0]: 0", "nest 1, iteration [0, 3]: 67"}));
}

TEST(Transfers, OfANestWithoutLoopsMoveOneElement) {
  EXPECT_EQ(moves(h2d({{{}, {{}, 7}, {{}, 9}}})), (std::vector<Pair>{{7, 9}}));
}

TEST(Transfers, OfAnExtentOfZeroMoveNothing) {
  EXPECT_EQ(moves(h2d({{{3, 0}, {{1, 1}, 0}, {{1, 1}, 0}}, {{0}, {{1}, 0}, {{1}, 0}}})), std::vector<Pair>());
  EXPECT_EQ(moves_of({{3, 0}, {}, {}}), 0);
  EXPECT_EQ(moves(h2d({})), std::vector<Pair>());
}

TEST(Transfers, TakeZeroAndNegativeStrides) {
  EXPECT_EQ(moves(h2d({{{2, 2}, {{0, -1}, 1}, {{2, 1}, 0}}})), (std::vector<Pair>{{1, 0}, {0, 1}, {1, 2}, {0, 3}}));
}

TEST(Transfers, StopWhenTheVisitorSaysSo) {
  int seen = 0;
  ASSERT_FALSE(for_each_move(kSticks, [&](const Move& move) { return ++seen, move.source < 64; }));
  EXPECT_EQ(seen, 65);
}

TEST(Transfers, ThatCannotBeWalkedOverAreErrors) {
  const Index big = Index{1} << 40;
  EXPECT_EQ(error_of(h2d({{{2}, {{1, 1}, 0}, {{1}, 0}}})), "nest 0 has 1 loops, 2 source and 1 destination strides");
  EXPECT_EQ(error_of(h2d({{{}, {{}, 0}, {{}, 0}}, {{-1}, {{1}, 0}, {{1}, 0}}})), "nest 1 has a loop of extent -1");
  EXPECT_EQ(error_of(h2d({{{2}, {{INT64_MAX}, 1}, {{1}, 0}}})),
            "nest 0, iteration [1]: the source offset leaves 64 bits");
  EXPECT_EQ(error_of(h2d({{{3}, {{1}, 0}, {{INT64_MIN}, 0}}})),
            "nest 0, iteration [2]: the destination offset leaves 64 bits");
  EXPECT_EQ(error_of(h2d({{{big, big}, {{1, 1}, 0}, {{1, 1}, 0}}})),
            "the nests up to nest 0 have more than 4294967296 moves; they are not walked over");
  EXPECT_EQ(error_of(kSticks, 119), "the nests up to nest 1 have more than 119 moves; they are not walked over");
  EXPECT_EQ(error_of(kSticks, 120), "no error");
}

TEST(Execute, MovesEachUnitOfTheExampleToItsSlot) {
  const Image host = counting(5 * 100 * 150);
  const auto device = execute(kExample, host, Image(96000 * 2, std::byte{0xee}), 2);
  ASSERT_TRUE(device.has_value()) << device.error().message;
  std::size_t padding = 0;
  for (std::size_t d0 = 0; d0 < 100; ++d0)
    for (std::size_t d1 = 0; d1 < 3; ++d1)
      for (std::size_t d2 = 0; d2 < 5; ++d2)
        for (std::size_t d3 = 0; d3 < 64; ++d3) {
          const std::size_t slot = ((d0 * 3 + d1) * 5 + d2) * 64 + d3;
          const bool pad = d1 * 64 + d3 >= 150;
          const std::size_t from = d2 * 15000 + d0 * 150 + d1 * 64 + d3;
          padding += pad ? 1 : 0;
          for (const std::size_t byte : {std::size_t{0}, std::size_t{1}})
            ASSERT_EQ((*device)[slot * 2 + byte], pad ? std::byte{0xee} : host[from * 2 + byte]) << slot;
        }
  EXPECT_EQ(padding, 21000U);
}

TEST(Execute, RunsBothWaysAndKeepsWhatNoNestWrites) {
  const auto device = execute(kSticks, counting(120), Image(256, std::byte{0}), 2);
  ASSERT_TRUE(device.has_value());
  const auto host = execute(use::reversed(kSticks), *device, Image(240), 2);
  ASSERT_TRUE(host.has_value());
  EXPECT_EQ(*host, counting(120));
  EXPECT_TRUE(std::all_of(device->begin() + 240, device->end(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST(Execute, NamesTheFirstAccessOutside) {
  EXPECT_EQ(error_of(execute(kSticks, counting(119), Image(256), 2)),
            "nest 1, iteration [0, 55] reads unit 119; the source has 119");
  EXPECT_EQ(error_of(execute(kSticks, counting(120), Image(238), 2)),
            "nest 1, iteration [0, 55] writes unit 119; the destination has 119");
  EXPECT_EQ(error_of(execute(h2d({{{2}, {{-1}, 0}, {{1}, 0}}}), counting(2), Image(4), 2)),
            "nest 0, iteration [1] reads unit -1; the source has 2");
}

TEST(Execute, RefusesAResultThatDependsOnTheOrder) {
  const Transfer twice = h2d({{{2}, {{1}, 0}, {{1}, 0}}, {{2}, {{1}, 1}, {{1}, 1}}});
  EXPECT_EQ(error_of(execute(h2d({{{2}, {{1}, 0}, {{0}, 1}}}), counting(2), Image(4), 2)),
            "nest 0, iteration [0] and nest 0, iteration [1] write different bits to unit 1");
  EXPECT_EQ(*execute(twice, counting(3), Image(6), 2), counting(3));  // the same bits twice
}

TEST(Execute, RefusesUnitsAndBuffersThatAreNone) {
  EXPECT_EQ(error_of(execute(kSticks, counting(120), Image(256), 3)), "a unit of 3 bytes; expected 1, 2, 4, 8 or 16");
  EXPECT_EQ(error_of(execute(kSticks, counting(120), Image(255), 2)), "240 and 255 bytes are not whole units of 2");
}

map::Layout layout_of(const std::string& text, const map::Tensor& tensor) {
  auto reading = spyre::family().read(text, tensor);
  VL_CHECK(reading.has_value(), reading.error().message);
  return *reading->layout();
}

TEST(Carry, OfADenseTensorIsWhatPackDoes) {
  const map::Layout layout =
      layout_of("SpyreTensorLayout((5, 100, 150), torch.float16)", *map::parse_tensor("f16[5,100,150]"));
  const Image fill(2, std::byte{0xee});
  const Image host = counting(75000);
  const auto device = carry(kExample, layout, host, 2, fill);
  ASSERT_TRUE(device.has_value()) << device.error().message;
  EXPECT_EQ(*device, *pack(layout, host, 2, fill));
  EXPECT_EQ(*carry(use::reversed(kExample), layout, *device, 2, fill), host);
}

// x[i, j] lies at host offset 100 + 1·i + 4·j: a column-major view with a storage offset.
TEST(Carry, FindsTheElementsOfAViewAtTheirHostOffsets) {
  map::Tensor tensor = *map::parse_tensor("f16[3,2]");
  tensor.strides = {{1, 4}};
  tensor.offset = 100;
  const map::Layout layout = layout_of("SpyreTensorLayout([3, 64], [1, 4], SEN169_FP16)", tensor);
  const Transfer nests = h2d({{{3, 2}, {{1, 4}, 100}, {{64, 1}, 0}}});
  const auto device = carry(nests, layout, units({11, 12, 21, 22, 31, 32}), 2, Image(2));
  ASSERT_TRUE(device.has_value()) << device.error().message;
  EXPECT_EQ(Image(device->begin() + 128, device->begin() + 132), units({21, 22}));
  EXPECT_EQ(*carry(use::reversed(nests), layout, *device, 2, Image(2)), units({11, 12, 21, 22, 31, 32}));
}

TEST(Carry, OfAnExpandedTensorNeedsEqualElements) {
  map::Tensor tensor = *map::parse_tensor("f16[2,3]");
  tensor.strides = {{0, 1}};
  const map::Layout layout = layout_of("SpyreTensorLayout([1, 64], [64, 1], SEN169_FP16)", tensor);
  const Transfer nests = h2d({{{1, 3}, {{3, 1}, 0}, {{64, 1}, 0}}});
  EXPECT_TRUE(carry(nests, layout, units({1, 2, 3, 1, 2, 3}), 2, Image(2)).has_value());
  EXPECT_EQ(error_of(carry(nests, layout, units({1, 2, 3, 1, 9, 3}), 2, Image(2))),
            "element [1, 1] is not the same as another one that has its host offset 1");
}

TEST(Carry, RefusesDataOfAnotherSizeAndHugeMemories) {
  map::Tensor tensor = *map::parse_tensor("f16[3]");
  tensor.strides = {{Index{1} << 40}};
  const map::Layout layout = layout_of("SpyreTensorLayout([3, 64], [1099511627776, 1], SEN169_FP16)", tensor);
  EXPECT_EQ(error_of(carry(h2d({}), layout, units({1, 2}), 2, Image(2))), "4 bytes; expected 3 units of 2");
  EXPECT_EQ(error_of(carry(h2d({}), layout, units({1, 2, 3}), 2, Image(2))),
            "the host memory would have more than 2^36 bytes");
}

}  // namespace oracle_transfer_test
}  // namespace vl::oracle
