// The engines on the layouts of modes_test's scope: rank 0 to 4, extents 1 to 4, strides 0 to 13, each in four boxes:
// the needed one, one slot less, one more, and as many slots as elements. These are 40 million layouts; a run sees its
// shard of them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tests/support/panel.h"

namespace vl::engines {
namespace exhaustive_strided_campaign {

constexpr std::uint64_t kLists = 10'013'305;
constexpr std::uint64_t kBoxes = 4;

struct Strided {
  std::vector<Index> extents;
  std::vector<Index> strides;
  Index box = 0;

  [[nodiscard]] std::string show() const {
    return fmt::format("({}):({}) in [0, {})", fmt::join(extents, ","), fmt::join(strides, ","), box);
  }

  [[nodiscard]] map::Layout layout() const {
    map::LayoutParts parts;
    parts.logical = *map::Space::create(map::Space::dims("x", extents));
    parts.physical = *map::Space::create({{"m", box}});
    parts.map = {map::Affine{{map::dot(strides)}}};
    return *map::Layout::create(std::move(parts));
  }

  [[nodiscard]] std::vector<Index> offsets() const {
    std::vector<Index> all{0};
    for (std::size_t i = 0; i < extents.size(); ++i) {
      std::vector<Index> more;
      for (const Index offset : all)
        for (Index x = 0; x < extents[i]; ++x) more.push_back(offset + x * strides[i]);
      all = std::move(more);
    }
    return all;
  }
};

// The list numbered `number`, ranks ascending.
Strided list(std::uint64_t number) {
  std::size_t rank = 0;
  std::uint64_t lists = 1;
  for (; number >= lists; ++rank, lists *= 56) number -= lists;
  Strided out;
  for (std::size_t i = 0; i < rank; ++i, number /= 56) {
    out.extents.push_back(static_cast<Index>(number % 4 + 1));
    out.strides.push_back(static_cast<Index>(number % 56 / 4));
  }
  return out;
}

TEST(ExhaustiveStrided, EveryEngineSaysWhatLookingAtEveryPointSays) {
  const test::Shard shard = test::shard_of(8'000);
  test::Panel panel(100);
  for (std::uint64_t number = 0; number < kBoxes * kLists; ++number) {
    if (!shard.has(number)) continue;
    Strided made = list(number / kBoxes);
    std::vector<Index> slots = made.offsets();
    const Index span = *std::ranges::max_element(slots) + 1;
    const auto points = static_cast<Index>(slots.size());
    made.box = std::array{span, span - 1, span + 1, points}[number % kBoxes];
    for (Index& slot : slots) slot = slot < made.box ? slot : -1;
    const test::Truth truth = test::truth_of(made.extents, {made.box}, std::move(slots));
    panel.hold(number, {made.layout(), truth}, [&] { return made.show(); });
  }
  panel.report("strided layouts", shard);
  const Index asked = panel.score("enumerate").asked;
  EXPECT_EQ(asked, panel.layouts() * 5);
  EXPECT_EQ(panel.score("enumerate").decided, asked);
  EXPECT_GE(panel.score("strided").decided, asked * 4 / 5);
  EXPECT_GT(panel.score("strided").found, asked / 4);
  if (shard.count <= 80'000) {
    EXPECT_GT(panel.score("smt").decided, 0);
  }
}

}  // namespace exhaustive_strided_campaign
}  // namespace vl::engines
