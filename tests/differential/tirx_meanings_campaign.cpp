// The meanings of random TIRx layouts, compared with each other on every element: the map, the reference's reading of
// another spelling of the same layout, and the terms that the solver sees.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "encodings/smt/solver.h"
#include "encodings/use/reference.h"
#include "tests/support/shard.h"
#include "tests/support/tirx_random.h"

namespace vl {
namespace differential_tirx_meanings_campaign {

const Index kLayouts = test::cases(20'000, 40'000);
const Index kSolved = 600;

use::Slots reference_of(const std::string& text, const map::Tensor& tensor) {
  const auto references = use::references();
  const auto tirx = std::ranges::find(references, "tirx", &use::Reference::family);
  VL_CHECK(tirx != references.end(), "the tirx reference");
  auto slots = (*tirx)->slots(text, tensor);
  VL_CHECK(slots.has_value(), "the reference refuses " + text + ": " + (slots ? "" : slots.error().message));
  return *slots;
}

/// Every slot of an element by the map, ascending, each once; how many of its replicas have none is added to `without`.
std::vector<Point> slots_by_map(const map::Layout& layout, const Point& x, Index& without) {
  std::vector<Point> out;
  Point replica(layout.replicas().rank(), 0);
  do {
    Point at = map::outputs_at(layout, x, replica);
    if (layout.is_slot(at)) out.push_back(std::move(at));
    else ++without;
  } while (map::advance(layout.replicas(), replica));
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

struct Seen {
  Index elements = 0, slots = 0, without = 0, swizzled = 0, outwards = 0, alone = 0, replicated = 0, offset = 0,
        declared = 0, negative = 0, no_shard = 0, named = 0, shared = 0;

  void count(const test::RandomTirxCase& made) {
    const tirx::Layout& layout = made.layout;
    swizzled += layout.swizzle && layout.swizzle->swizzle_len > 0;
    outwards += layout.swizzle && !layout.swizzle->swizzle_inner;
    alone += !layout.tile;
    declared += !made.tensor.box.empty();
    if (!layout.tile) return;
    replicated += !layout.tile->replica.empty();
    offset += !layout.tile->offset.empty();
    no_shard += layout.tile->shard.empty();
    named += tirx::axes_of(*layout.tile).size() > 1;
    negative += std::ranges::any_of(layout.tile->shard, [](const tirx::Iter& iter) { return iter.stride < 0; });
  }
};

TEST(TirxMeanings, AgreeOnEveryElementOfRandomLayouts) {
  test::RandomTirx random(20261121);
  Seen seen;
  for (Index n = 0; n < kLayouts; ++n) {
    const test::RandomTirxCase made = random.next(100);
    const std::string text = random.spelled(made.layout);
    const auto parsed = tirx::parse(text);
    ASSERT_TRUE(parsed.has_value()) << text << ": " << parsed.error().message;
    ASSERT_EQ(parsed->layout, made.layout) << text;
    ASSERT_TRUE(parsed->symbolic.empty()) << text;
    const auto layout = tirx::lower(parsed->layout, made.tensor);
    ASSERT_TRUE(layout.has_value()) << made.show() << ": " << layout.error().message;
    const use::Slots reference = reference_of(random.chance(50) ? text : random.spelled(made.layout), made.tensor);
    seen.count(made);
    Point x(layout->logical().rank(), 0);
    do {
      const Index before = seen.without;
      const std::vector<Point> slots = slots_by_map(*layout, x, seen.without);
      ASSERT_EQ(slots, reference(x)) << made.show() << fmt::format(" [{}]", fmt::join(x, ","));
      ++seen.elements;
      seen.slots += static_cast<Index>(slots.size());
      seen.shared += static_cast<Index>(slots.size()) + seen.without - before < layout->replicas().volume();
    } while (map::advance(layout->logical(), x));
  }
  std::cout << fmt::format(
      "{} layouts, {} elements, {} slots, {} outside the box, {} elements with replicas that meet; {} swizzled ({} "
      "outwards, {} "
      "alone), {} replicated, {} with an offset, {} declared, {} with negative strides, {} without shard, {} on "
      "several axes\n",
      kLayouts, seen.elements, seen.slots, seen.without, seen.shared, seen.swizzled, seen.outwards, seen.alone,
      seen.replicated, seen.offset, seen.declared, seen.negative, seen.no_shard, seen.named);
  EXPECT_GT(seen.elements, kLayouts * 10);
  EXPECT_GT(seen.slots, kLayouts * 10);
  for (const Index some : {seen.without, seen.shared, seen.swizzled, seen.outwards, seen.alone, seen.replicated,
                           seen.offset, seen.declared, seen.negative, seen.no_shard, seen.named})
    EXPECT_GT(some, kLayouts / 50);
}

TEST(TirxMeanings, AgreeOnNumbersThatAreWrittenAsExpressions) {
  for (const auto& [text, value] : std::vector<std::pair<std::string, Index>>{{"2**3", 8},
                                                                              {"2 ** 3 ** 2", 512},
                                                                              {"5 - 2**2", 1},
                                                                              {"-2**2 + 5", 1},
                                                                              {"(-3)**2", 9},
                                                                              {"3*2**2", 12},
                                                                              {"2**-0", 1},
                                                                              {"0**0", 1},
                                                                              {"0x10", 16},
                                                                              {"0XfF // 2**4", 15},
                                                                              {"7**20 % 1000", 1}}) {
    map::Tensor one;
    one.size = {1};
    const std::string layout = "S[1:1] + (" + text + ")";
    const auto parsed = tirx::parse(layout);
    ASSERT_TRUE(parsed.has_value()) << text << ": " << parsed.error().message;
    Index without = 0;
    EXPECT_EQ(slots_by_map(*tirx::lower(parsed->layout, one), {0}, without), (std::vector<Point>{{value}})) << text;
    EXPECT_EQ(reference_of(layout, one)(Point{0}), (std::vector<Point>{{value}})) << text;
  }
}

TEST(TirxMeanings, OfTheSolversTermsAreTheMaps) {
  test::RandomTirx random(3);
  Index layouts = 0, points = 0, swizzled = 0;
  for (; layouts < kSolved; ++layouts) {
    const test::RandomTirxCase made = random.next(40);
    const auto layout = tirx::lower(made.layout, made.tensor);
    ASSERT_TRUE(layout.has_value()) << made.show();
    std::vector<Point> sample;
    const Index volume = layout->domain().volume();
    for (Index k = 0; k < std::min<Index>(volume, 6); ++k)
      sample.push_back(layout->domain().point(volume <= 6 ? k : random.between(0, volume - 1)));
    const auto terms = smt::lowered_outputs(layout->map(), sample);
    ASSERT_TRUE(terms.has_value()) << made.show() << (terms ? "" : terms.error().message);
    ASSERT_EQ(terms->size(), sample.size());
    for (std::size_t k = 0; k < sample.size(); ++k)
      ASSERT_EQ((*terms)[k], *map::evaluate(layout->map(), sample[k])) << made.show();
    points += static_cast<Index>(sample.size());
    swizzled += made.layout.swizzle.has_value();
  }
  EXPECT_EQ(layouts, kSolved);
  EXPECT_GT(points, kSolved * 3);
  EXPECT_GT(swizzled, kSolved / 5);
}

// Large layouts cannot be held everywhere: upstream's largest, and its kin, on random elements.
TEST(TirxMeanings, AgreeOnSamplesOfLargeLayouts) {
  struct Large {
    const char* text;
    std::vector<Index> size;
  };
  const std::vector<Large> rows = {
      {"TileLayout(S[(4, 6144, 7168) : (44040192, 7168, 1)])", {4, 6144, 7168}},
      {"TileLayout(S[(4, 6144, 7168) : (44040192, 7168, 1)])", {24576, 7168}},
      {"ComposeLayout(3, 3, 3, TileLayout(S[(5, 32, 2, 64) : (20992, 64, 2048, 1)]))", {5, 32, 128}},
      {"ComposeLayout(3, 3, 3, TileLayout(S[(16 * 1024, 128, 8, 64) : (128 * 512, 512, 64, 1)]), swizzle_inner=False)",
       {16384, 65536}},
      {"T.TileLayout(T.S[(4, 128, 8, 128) : (1024@F, 1@F, 1@F, 1@P)])", {512, 1024}},
      {"SwizzleLayout(20, 10, 12)", {1 << 20, 1 << 20}},
  };
  test::RandomTirx random(7);
  Index compared = 0;
  for (const Large& row : rows) {
    map::Tensor tensor;
    tensor.size = row.size;
    const auto parsed = tirx::parse(row.text);
    ASSERT_TRUE(parsed.has_value()) << row.text;
    const auto layout = tirx::lower(parsed->layout, tensor);
    ASSERT_TRUE(layout.has_value()) << row.text << ": " << layout.error().message;
    const use::Slots reference = reference_of(row.text, tensor);
    for (int k = 0; k < 500; ++k, ++compared) {
      Point x;
      for (const Index extent : row.size) x.push_back(random.chance(10) ? extent - 1 : random.between(0, extent - 1));
      Index without = 0;
      ASSERT_EQ(slots_by_map(*layout, x, without), reference(x)) << row.text;
    }
  }
  EXPECT_GE(compared, 3000);
}

}  // namespace differential_tirx_meanings_campaign
}  // namespace vl
