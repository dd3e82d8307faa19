// The engines on every swizzle with M <= 3, B <= 3, 1 <= S <= 3, both directions, over every tile a by b of at most 64
// elements: row-major and column-major, its rows packed or 1 to 3 apart, in the box of its addresses before the swizzle
// and in that of whole blocks of 2^(M+B+S). Each is also compared with the tile under the swizzle with one bit less.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/panel.h"

namespace vl::engines {
namespace exhaustive_swizzles_campaign {

struct Swizzled {
  Index rows = 1;
  Index columns = 1;
  Index pad = 0;
  bool transposed = false;
  bool blocks = false;
  map::Swizzle swizzle;

  [[nodiscard]] std::string show() const {
    return fmt::format("{} by {} {}, pad {}, swizzle ({}, {}, {}, {}), box {}", rows, columns,
                       transposed ? "column-major" : "row-major", pad, swizzle.base, swizzle.bits, swizzle.shift,
                       swizzle.direction == map::Swizzle::Direction::Down ? "down" : "up", box());
  }

  [[nodiscard]] Index row_step() const { return transposed ? 1 : columns + pad; }
  [[nodiscard]] Index column_step() const { return transposed ? rows + pad : 1; }
  [[nodiscard]] Index box() const {
    const Index span = (rows - 1) * row_step() + (columns - 1) * column_step() + 1;
    const Index block = Index{1} << (swizzle.base + swizzle.bits + swizzle.shift);
    return blocks ? (span + block - 1) / block * block : span;
  }

  [[nodiscard]] map::Layout layout(int bits) const {
    map::LayoutParts parts;
    const std::array extents{rows, columns};
    parts.logical = *map::Space::create(map::Space::dims("x", extents));
    parts.physical = *map::Space::create({{"m", box()}});
    map::Swizzle applied = swizzle;
    applied.bits = bits;
    parts.map = {map::Affine{{map::dot(std::array{row_step(), column_step()})}}, applied};
    return *map::Layout::create(std::move(parts));
  }

  // Bit by bit: bit `low` of the address is flipped where the bit S above it is set, or the other way round.
  [[nodiscard]] test::Truth truth(int bits) const {
    std::vector<Index> slots;
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < columns; ++j) {
        const Index address = i * row_step() + j * column_step();
        Index out = address;
        for (int low = swizzle.base; low < swizzle.base + bits; ++low) {
          const bool down = swizzle.direction == map::Swizzle::Direction::Down;
          const int from = down ? low + swizzle.shift : low;
          const int to = down ? low : low + swizzle.shift;
          if (address >> from & 1) out ^= Index{1} << to;
        }
        slots.push_back(out < box() ? out : -1);
      }
    return test::truth_of({rows, columns}, {box()}, std::move(slots));
  }
};

std::vector<Swizzled> tiles() {
  std::vector<Swizzled> out;
  for (Index rows = 1; rows <= 64; ++rows)
    for (Index columns = 1; rows * columns <= 64; ++columns)
      for (Index pad = 0; pad <= 3; ++pad)
        for (const bool transposed : {false, true})
          for (const bool blocks : {false, true}) out.push_back({rows, columns, pad, transposed, blocks, {}});
  return out;
}

std::vector<map::Swizzle> swizzles() {
  std::vector<map::Swizzle> out;
  for (int base = 0; base <= 3; ++base)
    for (int bits = 0; bits <= 3; ++bits)
      for (int shift = 1; shift <= 3; ++shift)
        for (const auto direction : {map::Swizzle::Direction::Down, map::Swizzle::Direction::Up})
          out.push_back({0, base, bits, shift, direction});
  return out;
}

TEST(ExhaustiveSwizzles, EveryEngineSaysWhatLookingAtEveryPointSays) {
  const test::Shard shard = test::shard_of(80);
  test::Panel panel(200);
  std::uint64_t number = 0;
  for (Swizzled made : tiles())
    for (const map::Swizzle& swizzle : swizzles()) {
      if (!shard.has(number++)) continue;
      made.swizzle = swizzle;
      const int less = std::max(0, swizzle.bits - 1);
      const test::Truth truth = made.truth(swizzle.bits);
      const test::Truth other_truth = made.truth(less);
      const map::Layout other = made.layout(less);
      panel.hold(number, {made.layout(swizzle.bits), truth, &other, &other_truth}, [&] { return made.show(); });
    }
  panel.report("swizzled tiles", shard);
  const Index asked = panel.score("enumerate").asked;
  EXPECT_EQ(asked, panel.layouts() * 6);
  EXPECT_EQ(panel.score("enumerate").decided, asked);
  EXPECT_GE(panel.score("strided").decided, asked * 9 / 10);
  EXPECT_GT(panel.score("strided").found, asked / 4);
  if (shard.count <= 800) {
    EXPECT_GT(panel.score("smt").decided, 0);
  }
}

}  // namespace exhaustive_swizzles_campaign
}  // namespace vl::engines
