// The move of a derived layout: nests from the device image before to the device image after, run loop by loop. Each
// element must be read from its place in the old layout and written once to its place in the new one, and nothing else
// may be touched.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "encodings/spyre/expression.h"
#include "encodings/use/synthesis.h"
#include "verifier/claims/claim.h"

namespace vl::spyre {
namespace spyre_moves_test {

using List = std::vector<Index>;

constexpr Index kPadding = -1;

// The image of a layout: in each slot the number of the element that lives there.
List image_of(const map::Layout& layout) {
  List image(static_cast<std::size_t>(layout.physical().volume()), kPadding);
  if (layout.logical().volume() == 0) return image;
  Point x(layout.logical().rank(), 0);
  do {
    Point outputs = map::outputs_at(layout, x, {});
    EXPECT_TRUE(layout.is_slot(outputs));
    outputs.resize(layout.physical().rank());
    image[static_cast<std::size_t>(layout.physical().linear(outputs))] = layout.logical().linear(x);
  } while (map::advance(layout.logical(), x));
  return image;
}

// Runs one nest; counts how often each destination is written.
void run(const use::Nest& nest, const List& from, List& to, std::vector<int>& writes) {
  Index iterations = 1;
  for (const Index extent : nest.extents) iterations *= extent;
  for (Index n = 0; n < iterations; ++n) {
    Index source = nest.source.offset, destination = nest.destination.offset, rest = n;
    for (std::size_t k = nest.extents.size(); k-- > 0; rest /= nest.extents[k]) {
      source += rest % nest.extents[k] * nest.source.strides[k];
      destination += rest % nest.extents[k] * nest.destination.strides[k];
    }
    ASSERT_TRUE(source >= 0 && source < static_cast<Index>(from.size())) << source;
    ASSERT_TRUE(destination >= 0 && destination < static_cast<Index>(to.size())) << destination;
    to[static_cast<std::size_t>(destination)] = from[static_cast<std::size_t>(source)];
    ++writes[static_cast<std::size_t>(destination)];
  }
}

struct Row {
  std::string before;
  std::string derivation;
  List size;
};

const std::vector<Row> kRows = {
    {"SpyreTensorLayout([2, 2, 65, 64], torch.float16)", ".restickify(2)", {2, 2, 65, 64}},
    {"SpyreTensorLayout([2, 2, 65, 64], torch.float16)", ".restickify(0)", {2, 2, 65, 64}},
    {"SpyreTensorLayout([65, 65], torch.float16)", ".restickify(0)", {65, 65}},
    {"SpyreTensorLayout([256, 128], torch.float16)", ".restickify(0)", {256, 128}},
    {"SpyreTensorLayout([5, 100, 150], torch.float16)", ".restickify(1)", {5, 100, 150}},
    {"SpyreTensorLayout([5, 100, 150], torch.float16, [1, 0, 2])", ".restickify(0)", {5, 100, 150}},
    {"SpyreTensorLayout([4, 1, 100], torch.float16)", ".restickify(1)", {4, 1, 100}},
    {"SpyreTensorLayout([5, 150], torch.float16)", ".rescale(torch.float32)", {5, 150}},
    {"SpyreTensorLayout([5, 150], torch.float32)", ".rescale(torch.float16)", {5, 150}},
    {"SpyreTensorLayout([5, 150], torch.int8, [1, 0])", ".rescale(torch.float32)", {5, 150}},
    {"SpyreTensorLayout([5, 150], torch.float16, [0, 1, -1])", ".rescale(torch.float32)", {5, 150}},
    {"SpyreTensorLayout([3, 70, 5], torch.float16)", ".restickify(1).rescale(torch.float32).restickify(0)", {3, 70, 5}},
    {"SpyreTensorLayout([70, 70], torch.float16)", ".restickify(0).restickify(1)", {70, 70}},
};

std::string_view word(std::string_view claim, const use::Transfer& transfer, const map::Layout& from,
                      const map::Layout& to) {
  const claims::Transferred about{to, transfer, &from};
  return question::word(claims::decide(*claims::find_claim(claim, true), about, {}).verdict);
}

TEST(Moves, CarryEachElementToItsSlotOnceAndTouchNoPadding) {
  Index elements = 0;
  std::size_t proved = 0;
  std::size_t most_nests = 0;
  for (const Row& row : kRows) {
    map::Tensor tensor;
    tensor.size = row.size;
    const auto before = read_expression(row.before, tensor);
    const auto after = read_expression(row.before + row.derivation, tensor);
    ASSERT_TRUE(before.has_value() && after.has_value()) << row.before << row.derivation;
    const auto from = lower(before->layout, tensor);
    const auto to = lower(after->layout, tensor);
    ASSERT_TRUE(from.has_value() && to.has_value());
    const auto transfer = use::synthesise(*from, *to);
    ASSERT_TRUE(transfer.has_value()) << row.before << row.derivation << ": " << transfer.error().message;
    EXPECT_EQ(transfer->direction, use::Direction::DeviceToDevice);
    const List source = image_of(*from);
    const List expected = image_of(*to);
    List moved(expected.size(), kPadding);
    std::vector<int> writes(expected.size(), 0);
    for (const use::Nest& nest : transfer->nests) run(nest, source, moved, writes);
    EXPECT_EQ(moved, expected) << row.before << row.derivation;
    for (std::size_t s = 0; s < writes.size(); ++s)
      ASSERT_EQ(writes[s], expected[s] == kPadding ? 0 : 1) << row.before << row.derivation << ", slot " << s;
    for (const std::string_view claim : {"in-bounds", "covers-once", "implements", "no-overlap", "symmetric"}) {
      EXPECT_EQ(word(claim, *transfer, *from, *to), "proved") << claim << " of " << row.before << row.derivation;
      ++proved;
    }
    elements += from->logical().volume();
    most_nests = std::max(most_nests, transfer->nests.size());
  }
  EXPECT_EQ(proved, 5 * kRows.size());
  EXPECT_GT(elements, 200'000);
  EXPECT_LE(most_nests, 8U);  // two ragged sticks: one factor 2 each, and where a shorter stick cuts a longer one
}

// What ReStickifyOpHBM does (torch-spyre #2112, #3110): it moves blocks of eps x eps, so its iteration is the tensor
// with the old and the new stick dimension rounded up to whole sticks. Both images must have room for all of it.
struct Box {
  List device_size;
  List stride_map;
};

// The dimensions of a restickify: p has the stick before, q after; `count` and `place` are slots of both images.
struct Blocks {
  List size;
  std::size_t p, q, count, place;
  std::vector<std::pair<std::size_t, std::size_t>> others;  // host dimension and its slot
};

List row_major(const List& extents) {
  List strides(extents.size(), 1);
  for (std::size_t j = extents.size() - 1; j-- > 0;) strides[j] = strides[j + 1] * extents[j + 1];
  return strides;
}

use::Transfer blocks(const Blocks& move, const List& before, const List& after) {
  constexpr Index kEps = 64;
  const List from = row_major(before);
  const List to = row_major(after);
  const Index p_sticks = (move.size[move.p] + kEps - 1) / kEps;
  const Index q_sticks = (move.size[move.q] + kEps - 1) / kEps;
  use::Nest nest{{p_sticks, kEps, q_sticks, kEps},
                 {{from[move.count], 1, kEps * from[move.place], from[move.place]}, 0},
                 {{kEps * to[move.place], to[move.place], to[move.count], 1}, 0}};
  for (const auto& [dim, slot] : move.others) {
    nest.extents.push_back(move.size[dim]);
    nest.source.strides.push_back(from[slot]);
    nest.destination.strides.push_back(to[slot]);
  }
  return {use::Direction::DeviceToDevice, {nest}};
}

std::string_view blocks_in_bounds(const Blocks& move, const Box& before, const Box& after) {
  map::Tensor tensor;
  tensor.size = move.size;
  const auto lowered = [&](const Box& box) {
    SpyreTensorLayout layout;
    layout.device_size = box.device_size;
    layout.stride_map = box.stride_map;
    layout.device_dtype = *device_format("SEN169_FP16");
    auto made = lower(layout, tensor);
    VL_CHECK(made.has_value(), "a box of the test");
    return std::move(*made);
  };
  const map::Layout from = lowered(before);
  const map::Layout to = lowered(after);
  return word("in-bounds", blocks(move, before.device_size, after.device_size), from, to);
}

TEST(Moves, InWholeSticksNeedRoomForWholeSticksOnBothSides) {
  const Blocks planes{{2, 2, 65, 64}, 3, 2, 2, 1, {{1, 0}, {0, 3}}};
  const Box derived{{2, 64, 2, 2, 64}, {4160, 1, 4096, 8320, 64}};
  EXPECT_EQ(blocks_in_bounds(planes, {{2, 65, 1, 2, 64}, {4160, 64, 64, 8320, 1}}, derived),
            "refuted");  // reads rows 65 to 127
  EXPECT_EQ(blocks_in_bounds(planes, {{2, 128, 1, 2, 64}, {4160, 64, 64, 8320, 1}}, derived), "proved");
  EXPECT_EQ(blocks_in_bounds(planes, {{2, 128, 1, 2, 64}, {4160, 64, 64, 8320, 1}},
                             {{2, 64, 1, 2, 64}, {4160, 1, 4096, 8320, 64}}),
            "refuted");  // before #2112: floor(65/64) sticks
  const Blocks square{{65, 65}, 1, 0, 0, 1, {}};
  const Box rows{{2, 65, 64}, {64, 65, 1}}, grown_rows{{2, 128, 64}, {64, 65, 1}};
  const Box columns{{2, 65, 64}, {4160, 1, 65}}, grown_columns{{2, 128, 64}, {4160, 1, 65}};
  EXPECT_EQ(blocks_in_bounds(square, rows, columns), "refuted");
  EXPECT_EQ(blocks_in_bounds(square, grown_rows, columns), "refuted");  // #2679 padded the new stick dimension only
  EXPECT_EQ(blocks_in_bounds(square, rows, grown_columns), "refuted");
  EXPECT_EQ(blocks_in_bounds(square, grown_rows, grown_columns), "proved");
}

}  // namespace spyre_moves_test
}  // namespace vl::spyre
