// Every spec of a small scope of tt-metal's rule, on every element and every slot, against the reference: all shapes up
// to 4 in up to 3 dimensions, grids up to 3x3, tiles of 2x2 with faces of 1x1 in place of 32x32 with 16x16; and engines
// against the reference on a share.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "encodings/ttmetal/ttmetal.h"
#include "encodings/use/reference.h"
#include "tests/support/panel.h"

namespace vl {
namespace exhaustive_ttmetal_campaign {

using Sizes = std::vector<Index>;
using TakeSpec = std::function<void(const ttmetal::Spec& spec, const Sizes& size)>;

/// All points of [1, most]^rank.
void for_each_shape(std::size_t rank, Index most, const std::function<void(const Sizes&)>& take) {
  Sizes shape(rank, 1);
  while (true) {
    take(shape);
    std::size_t d = rank;
    while (d > 0 && shape[d - 1] == most) shape[--d] = 1;
    if (d == 0) return;
    ++shape[d - 1];
  }
}

void for_each_tensor(const TakeSpec& take) {
  for (std::size_t rank = 0; rank <= 3; ++rank)
    for_each_shape(rank, 4, [&](const Sizes& size) {
      for (const bool tiled : {false, true}) {
        ttmetal::Spec spec;
        spec.dtype = "float32";
        spec.tiled = tiled;
        if (tiled) spec.tile = {2, 2, 1, 1, rank == 2, rank == 1};
        take(spec, size);
      }
    });
}

/// Interleaved over 1 to 3 banks, with alignments of every dimension from none to (3, 2, 1).
void for_each_interleaved(const TakeSpec& take) {
  for_each_tensor([&](ttmetal::Spec spec, const Sizes& size) {
    for (Index banks = 1; banks <= 3; ++banks)
      for (const Sizes& alignment : {Sizes{}, Sizes{3}, Sizes{3, 2}, Sizes{3, 2, 1}, Sizes{4, 1, 1, 2}}) {
        spec.banks = banks;
        spec.alignment = alignment;
        take(spec, size);
      }
  });
}

/// Height, width and blocks on every grid up to 3x3, with every shard of up to 5x4 elements, fitting or not.
void for_each_sharded(const TakeSpec& take) {
  for_each_tensor([&](ttmetal::Spec spec, const Sizes& size) {
    spec.buffer = "L1";
    for (const ttmetal::Memory memory : {ttmetal::Memory::Height, ttmetal::Memory::Width, ttmetal::Memory::Block})
      for_each_shape(2, 3, [&](const Sizes& grid) {
        for_each_shape(2, 4, [&](const Sizes& shard) {
          if ((shard[0] + shard[1] + grid[0] * grid[1]) % 2 != 0) return;  // half of them
          spec.memory = memory;
          const bool by_column = (shard[0] + grid[1]) % 2 == 0;
          std::vector<ttmetal::CoreRange> cores{{1, 0, grid[1], grid[0] - 1}};
          if (shard[1] == 4) cores.push_back({0, grid[0], 0, grid[0]});  // a core that does not go on in the row
          spec.shard = ttmetal::Shard{cores, {shard[0] + (shard[0] == 4 ? 1 : 0), shard[1]}, by_column};
          take(spec, size);
        });
      });
  });
}

/// Shards of 1 to 3 dimensions and every way to deal them.
void for_each_nd(const TakeSpec& take) {
  for_each_tensor([&](ttmetal::Spec spec, const Sizes& size) {
    spec.memory = ttmetal::Memory::Nd;
    spec.buffer = "L1";
    for (std::size_t rank = 1; rank <= 3; ++rank)
      for_each_shape(rank, 3, [&](const Sizes& shape) {
        for_each_shape(2, 2, [&](const Sizes& grid) {
          for (const ttmetal::Deal deal : {ttmetal::Deal::RoundRobin, ttmetal::Deal::Grid, ttmetal::Deal::Contiguous}) {
            if (deal != ttmetal::Deal::RoundRobin && (shape[0] + grid[0]) % 3 != 0) continue;
            const bool by_column = (shape.back() + grid[1]) % 2 == 0;
            spec.shard = ttmetal::Shard{{{0, 1, grid[1] - 1, grid[0]}}, shape, by_column, deal};
            take(spec, size);
          }
        });
      });
  });
}

const use::Reference& reference() {
  const auto references = use::references();
  const auto found = std::ranges::find(references, "ttmetal", &use::Reference::family);
  VL_CHECK(found != references.end(), "the reference of ttmetal");
  return **found;
}

/// Whether no rule of the reading is broken.
bool is_well_formed(const use::Reading& reading) {
  return std::ranges::all_of(reading.rules, [](const use::Rule& rule) {
    return rule.have == rule.want || rule.statement.starts_with("the hardware") || rule.statement.starts_with("a face");
  });
}

/// Holds each layout; engines see one of `share`, the slow ones one of 40 of these.
void hold(std::string_view scope, Index share, Index least, const std::function<void(const TakeSpec&)>& each) {
  test::Panel panel(40);
  Index layouts = 0, elements = 0, without = 0, well_formed = 0, valid = 0;
  each([&](const ttmetal::Spec& spec, const Sizes& size) {
    if (testing::Test::HasFatalFailure()) return;
    const std::string text = ttmetal::print(spec);
    map::Tensor tensor;
    tensor.size = size;
    const auto reading = ttmetal::read(text, tensor);
    ASSERT_TRUE(reading.has_value()) << text << ": " << reading.error().message;
    if (reading->layout() == nullptr) {
      ASSERT_FALSE(spec.alignment.empty()) << text;  // alignments without a padded shape, of shards of many dimensions
      return;
    }
    const map::Layout& layout = *reading->layout();
    const auto slots_of = reference().slots(text, tensor);
    ASSERT_TRUE(slots_of.has_value()) << text;
    std::vector<Index> slots;
    std::set<Index> image;
    Point x(size.size(), 0);
    bool whole = true;
    do {
      const std::vector<Point> expected = (*slots_of)(x);
      const auto number = layout.slot_number(map::outputs_at(layout, x, {}));
      slots.push_back(expected.empty() ? -1 : layout.physical().linear(expected.front()));
      ASSERT_EQ(number.value_or(-1), slots.back())
          << text << fmt::format(" of [{}] at [{}]", fmt::join(size, ","), fmt::join(x, ","));
      ++elements;
      without += expected.empty() ? 1 : 0;
      whole = whole && !expected.empty() && image.insert(slots.back()).second;
    } while (map::advance(layout.logical(), x));
    // A spec without a broken rule gives every element a slot of its own.
    ASSERT_TRUE(whole || !is_well_formed(*reading)) << text << fmt::format(" of [{}]", fmt::join(size, ","));
    well_formed += is_well_formed(*reading) ? 1 : 0;
    if (layout.decode() && whole) {
      for (Index slot = 0; slot < layout.physical().volume(); ++slot)
        ASSERT_EQ(map::use_of(layout, layout.physical().point(slot)).valid, image.contains(slot))
            << text << fmt::format(" of [{}] slot {}", fmt::join(size, ","), slot);
      valid += static_cast<Index>(image.size());
    }
    if (++layouts % share != 0 || layout.physical().volume() > 4000) return;
    const test::Truth truth = test::truth_of(size, map::extents_of(layout.physical()), std::move(slots));
    panel.hold(static_cast<std::uint64_t>(layouts), {layout, truth}, [&] { return text; });
  });
  fmt::print("{}: {} layouts, {} well-formed, {} elements, {} without a slot, {} valid slots\n", scope, layouts,
             well_formed, elements, without, valid);
  EXPECT_GE(layouts, least);
  EXPECT_GT(well_formed, layouts / 20);
  EXPECT_GT(valid, layouts);
  panel.report(scope, {0, 1});
  EXPECT_GE(panel.score("enumerate").decided, panel.layouts());
}

TEST(TtmetalScope, InterleavedTensorsAreTheReferences) { hold("interleaved", 23, 2'000, for_each_interleaved); }
TEST(TtmetalScope, ShardsOfTwoDimensionsAreTheReferences) { hold("sharded", 101, 25'000, for_each_sharded); }
TEST(TtmetalScope, ShardsOfManyDimensionsAreTheReferences) { hold("nd", 101, 25'000, for_each_nd); }

}  // namespace exhaustive_ttmetal_campaign
}  // namespace vl
