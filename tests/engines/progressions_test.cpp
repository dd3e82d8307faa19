// Blocks of progressions against sets of points.
#include "verifier/engines/forms/progressions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/maps.h"

namespace vl::map {

void showValue(const Piece& piece, std::ostream& out) {
  out << "extents " << rc::toString(piece.extents);
  for (const Line& line : piece.lines) out << " line " << line.constant << " + " << rc::toString(line.coefficients);
}

}  // namespace vl::map

namespace vl::engines {

void showValue(const Progression& p, std::ostream& out) { out << fmt::format("{}+{}k<{}", p.start, p.step, p.count); }
void showValue(const Block& block, std::ostream& out) { out << rc::toString(block.dims) << " times " << block.times; }

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
  int met = 0;
  test::for_all(6000, [&] {
    const Progression a = *test::drawn(random_progression), b = *test::drawn(random_progression);
    std::map<Index, int> expected;
    const auto in_b = numbers(b);
    for (const auto& [number, times] : numbers(a))
      if (in_b.contains(number)) ++expected[number];
    const auto both = intersect(a, b);
    RC_ASSERT((both ? numbers(*both) : std::map<Index, int>{}) == expected);
    met += both ? 1 : 0;
  });
  EXPECT_GT(met, 1500);
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
  std::size_t single = 0;
  test::for_all(5000, [&] {
    const map::Piece piece = *test::drawn(random_piece);
    const auto blocks = blocks_of(piece, 0);
    RC_ASSERT(blocks.has_value());
    RC_ASSERT(points(*blocks) == values(piece));
    single += blocks->size() == 1 ? 1 : 0;
  });
  EXPECT_GT(single, 1000U);
}

struct Covering {
  std::vector<Block> area, cover;
};
void showValue(const Covering& of, std::ostream& out) {
  out << "area " << rc::toString(of.area) << " cover " << rc::toString(of.cover);
}
Covering random_covering(test::Engine& engine) {
  Covering out;
  const auto block = [&] {
    return Block{{random_progression(engine), {roll(engine, 0, 3), 1, roll(engine, 1, 3)}}, 1};
  };
  for (Index blocks = roll(engine, 1, 3); blocks > 0; --blocks) {
    out.area.push_back(block());
    if (!disjoint(out.area)) out.area.pop_back();
  }
  if (roll(engine, 0, 2) == 0) out.cover = out.area;
  for (Index blocks = roll(engine, 0, 2); blocks > 0; --blocks) {
    out.cover.push_back(block());
    out.cover.back().times = roll(engine, 1, 2);
  }
  return out;
}

TEST(Blocks, CoverAnAreaOnceTwiceOrNotAsTheirPointsDo) {
  int once = 0, twice = 0;
  test::for_all(5000, [&] {
    const auto [area, cover] = *test::drawn(random_covering);
    const auto in_area = points(area), in_cover = points(cover);
    Index covered = 0;
    bool more = false;
    for (const auto& [point, times] : in_area) {
      RC_ASSERT(times == 1);
      const auto found = in_cover.find(point);
      if (found == in_cover.end()) continue;
      covered += found->second;
      more = more || found->second > 1;
    }
    const Coverage said = coverage(area, cover);
    RC_ASSERT(said.twice == more);
    if (!more) {
      RC_ASSERT(said.covered == covered);
      RC_ASSERT(said.area == static_cast<Index>(in_area.size()));
      once += covered == said.area ? 1 : 0;
    }
    twice += more ? 1 : 0;
  });
  EXPECT_GT(once, 500);
  EXPECT_GT(twice, 500);
}

}  // namespace engines_progressions_test
}  // namespace vl::engines
