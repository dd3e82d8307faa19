// The move of a derived layout: nests from the device image before to the device image after, run loop by loop. Each
// element must be read from where the old layout has it, written once where the new one has it, and nothing else touched.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "encodings/map/synthesis.h"
#include "encodings/spyre/expression.h"

namespace vl::spyre {
namespace {

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
void run(const map::Nest& nest, const List& from, List& to, std::vector<int>& writes) {
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

TEST(Moves, CarryEachElementToItsSlotOnceAndTouchNoPadding) {
  Index elements = 0;
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
    const auto transfer = map::synthesise(*from, *to);
    ASSERT_TRUE(transfer.has_value()) << row.before << row.derivation << ": " << transfer.error().message;
    EXPECT_EQ(transfer->direction, map::Direction::DeviceToDevice);
    const List source = image_of(*from);
    const List expected = image_of(*to);
    List moved(expected.size(), kPadding);
    std::vector<int> writes(expected.size(), 0);
    for (const map::Nest& nest : transfer->nests) run(nest, source, moved, writes);
    EXPECT_EQ(moved, expected) << row.before << row.derivation;
    for (std::size_t s = 0; s < writes.size(); ++s)
      ASSERT_EQ(writes[s], expected[s] == kPadding ? 0 : 1) << row.before << row.derivation << ", slot " << s;
    elements += from->logical().volume();
    most_nests = std::max(most_nests, transfer->nests.size());
  }
  EXPECT_GT(elements, 200'000);
  EXPECT_LE(most_nests, 8U);  // two ragged sticks: one factor 2 each, and where a shorter stick cuts a longer one
}

}  // namespace
}  // namespace vl::spyre
