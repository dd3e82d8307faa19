// Blocks of progressions against sets of points.
#include "verifier/engines/forms/progressions.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/maps.h"

namespace vl::engines {
namespace engines_progressions_test {

using test::roll;

std::map<Index, int> numbers(const Progression& p) {
  std::map<Index, int> out;
  for (Index k = 0; k < p.count; ++k) ++out[p.start + k * p.step];
  return out;
}

Progression random_progression(test::Engine& engine) {
  const Index count = roll(engine, 1, 9);
  return {roll(engine, -20, 20), count == 1 ? 1 : roll(engine, 1, 7), count};
}

TEST(Progressions, MeetInExactlyTheNumbersThatBothHave) {
  test::Engine engine(7);
  int met = 0;
  for (int made = 0; made < 20000; ++made) {
    const Progression a = random_progression(engine);
    const Progression b = random_progression(engine);
    std::map<Index, int> expected;
    const auto in_b = numbers(b);
    for (const auto& [number, times] : numbers(a))
      if (in_b.contains(number)) ++expected[number];
    const auto both = intersect(a, b);
    ASSERT_EQ(both ? numbers(*both) : (std::map<Index, int>{}), expected);
    met += both ? 1 : 0;
  }
  EXPECT_GT(met, 5000);
}

TEST(Progressions, OfFarNumbersMeetWithoutOverflow) {
  const Index far = Index{1} << 61;
  const auto both = intersect({-far, 3, far / 3}, {-far + 6, 5, 1000});
  ASSERT_TRUE(both);
  EXPECT_EQ(*both, (Progression{-far + 6, 15, 334}));
}

std::map<Point, Index> points(const std::vector<Block>& blocks) {
  std::map<Point, Index> out;
  for (const Block& block : blocks) {
    std::vector<Index> extents;
    for (const Progression& p : block.dims) extents.push_back(p.count);
    const auto space = *map::Space::create(map::Space::dims("v", extents));
    for (Index number = 0; number < space.volume(); ++number) {
      Point p = space.point(number);
      for (std::size_t k = 0; k < p.size(); ++k) p[k] = block.dims[k].start + p[k] * block.dims[k].step;
      out[p] += block.times;
    }
  }
  return out;
}

// A piece of up to 4 variables and 2 lines.
map::Piece random_piece(test::Engine& engine) {
  map::Piece piece;
  for (Index k = roll(engine, 0, 4); k > 0; --k) piece.extents.push_back(roll(engine, 1, 4));
  for (int line = 0; line < 2; ++line) {
    map::Line made{roll(engine, -5, 5), {}};
    for (std::size_t k = 0; k < piece.extents.size(); ++k)
      made.coefficients.push_back(roll(engine, 0, 2) == 0 ? roll(engine, -6, 6) : 0);
    piece.lines.push_back(std::move(made));
  }
  return piece;
}

std::map<Point, Index> values(const map::Piece& piece) {
  std::map<Point, Index> out;
  const auto space = *map::Space::create(map::Space::dims("v", piece.extents));
  for (Index number = 0; number < space.volume(); ++number) {
    const Point v = space.point(number);
    Point p;
    for (const map::Line& line : piece.lines) {
      p.push_back(line.constant);
      for (std::size_t k = 0; k < v.size(); ++k) p.back() += line.coefficients[k] * v[k];
    }
    ++out[p];
  }
  return out;
}

TEST(Blocks, OfAPieceAreItsValuesWithTheirMultiplicity) {
  test::Engine engine(11);
  std::size_t single = 0;
  for (int made = 0; made < 5000; ++made) {
    const map::Piece piece = random_piece(engine);
    const auto blocks = blocks_of(piece, 0);
    ASSERT_TRUE(blocks);
    ASSERT_EQ(points(*blocks), values(piece));
    single += blocks->size() == 1 ? 1 : 0;
  }
  EXPECT_GT(single, 1000U);
}

TEST(Blocks, CoverAnAreaOnceTwiceOrNotAsTheirPointsDo) {
  test::Engine engine(13);
  int once = 0;
  int twice = 0;
  for (int made = 0; made < 5000; ++made) {
    std::vector<Block> area;
    for (Index blocks = roll(engine, 1, 3); blocks > 0; --blocks) {
      Block block{{random_progression(engine), {roll(engine, 0, 3), 1, roll(engine, 1, 3)}}, 1};
      area.push_back(std::move(block));
      if (!disjoint(area)) area.pop_back();
    }
    std::vector<Block> cover = roll(engine, 0, 2) == 0 ? area : std::vector<Block>{};
    for (Index blocks = roll(engine, 0, 2); blocks > 0; --blocks)
      cover.push_back({{random_progression(engine), {roll(engine, 0, 3), 1, roll(engine, 1, 3)}}, roll(engine, 1, 2)});
    const auto in_cover = points(cover);
    Index covered = 0;
    bool more = false;
    const auto in_area = points(area);
    for (const auto& [point, times] : in_area) {
      ASSERT_EQ(times, 1);
      const auto found = in_cover.find(point);
      if (found == in_cover.end()) continue;
      covered += found->second;
      more = more || found->second > 1;
    }
    const Coverage said = coverage(area, cover);
    ASSERT_EQ(said.twice, more);
    if (!more) {
      ASSERT_EQ(said.covered, covered);
      ASSERT_EQ(said.area, static_cast<Index>(in_area.size()));
      once += covered == said.area ? 1 : 0;
    }
    twice += more ? 1 : 0;
  }
  EXPECT_GT(once, 500);
  EXPECT_GT(twice, 500);
}

}  // namespace engines_progressions_test
}  // namespace vl::engines
