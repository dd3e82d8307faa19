// Rewriting never changes a value: the rows of a run, evaluated with the digits of each point, are the map's outputs.
#include "verifier/engines/forms/symbolic.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/map/layout.h"
#include "encodings/map/text.h"
#include "tests/support/property.h"

namespace vl::engines {
namespace engines_symbolic_campaign {

using map::Affine;
using map::Split;
using map::Stage;
using test::roll;

map::Row random_row(test::Engine& random, std::size_t inputs) {
  std::vector<Index> coefficients;
  // Multiples of small radices, so that divisions, common factors and recombinations occur.
  const Index unit = test::one_of(random, {1, 1, 2, 4, 6, 12});
  for (std::size_t i = 0; i < inputs; ++i)
    coefficients.push_back(random.below(3) == 0 ? 0 : unit * roll(random, -3, 8));
  return map::dot(coefficients, random.below(3) == 0 ? roll(random, -10, 40) : 0);
}

std::vector<Stage> random_stages(test::Engine& random, std::size_t inputs) {
  std::vector<Stage> stages;
  const auto count = roll(random, 1, 4);
  for (Index n = 0; n < count; ++n) {
    if (inputs == 0 || random.below(3) == 0) {
      Affine affine;
      for (Index rows = roll(random, 1, 3); rows > 0; --rows) affine.rows.push_back(random_row(random, inputs));
      inputs = affine.rows.size();
      stages.emplace_back(std::move(affine));
      continue;
    }
    Split split{static_cast<std::size_t>(random.below(inputs)), {1}};
    for (Index more = roll(random, 0, 3); more > 0; --more)
      split.weights.insert(split.weights.begin(), random.below(3) == 0 ? split.weights.front() + roll(random, 0, 5)
                                                                       : split.weights.front() * roll(random, 1, 4));
    inputs += split.weights.size() - 1;
    stages.emplace_back(std::move(split));
  }
  return stages;
}

// The value of every atom at a point of the domain.
Point atoms_at(const Symbolic& symbolic, const Point& point) {
  Point atoms(symbolic.atoms().size(), 0);
  std::copy(point.begin(), point.end(), atoms.begin());
  for (const Node& node : symbolic.nodes()) {
    Index rest = *map::value(node.source, atoms);
    for (std::size_t k = 0; k < node.digits.size(); ++k) {
      atoms[node.digits[k]] = floor_div(rest, node.weights[k]);
      rest = floor_mod(rest, node.weights[k]);
    }
  }
  return atoms;
}

struct Tally {
  Index points = 0;
  Index with_nodes = 0;
  Index without_nodes = 0;  // of maps that have a split of more than one weight
};

void hold_against_evaluate(test::Engine& random, const map::Map& map, Tally& tally) {
  Symbolic symbolic(map.domain());
  std::vector<Row> rows = symbolic.inputs();
  RC_ASSERT(symbolic.run(map.stages(), rows));
  RC_ASSERT(rows.size() == map.outputs());
  ++(symbolic.nodes().empty() ? tally.without_nodes : tally.with_nodes);
  // A random combination of outputs, which simplify() may fold back into what was split.
  const Row mixed = random_row(random, rows.size());
  const auto folded = symbolic.combine(mixed, rows);
  RC_ASSERT(folded.has_value());
  std::vector<Range> ranges;
  for (const Row& row : rows) ranges.push_back(*symbolic.range(row));
  Point point(map.domain().rank(), 0);
  do {
    const Point atoms = atoms_at(symbolic, point);
    const auto expected = map::evaluate(map, point);
    RC_ASSERT(expected.has_value());
    for (std::size_t a = 0; a < atoms.size(); ++a)
      RC_ASSERT((symbolic.atoms()[a].low <= atoms[a] && atoms[a] <= symbolic.atoms()[a].high));
    for (std::size_t j = 0; j < rows.size(); ++j) {
      RC_ASSERT(map::value(rows[j], atoms) == (*expected)[j]);
      RC_ASSERT((ranges[j].low <= (*expected)[j] && (*expected)[j] <= ranges[j].high));
    }
    RC_ASSERT(map::value(*folded, atoms) == map::value(mixed, *expected));
    ++tally.points;
  } while (map::advance(map.domain(), point));
}

TEST(Symbolic, NeverChangesAValueOfARandomMap) {
  Tally tally;
  test::for_all(20000, [&] {
    test::Engine random = *test::engines();
    std::vector<Index> extents;
    for (Index rank = roll(random, 1, 3); rank > 0; --rank) extents.push_back(roll(random, 1, 6));
    auto domain = map::Space::create(map::Space::dims("x", extents));
    RC_ASSERT(domain.has_value());
    const auto map = map::Map::create(std::move(*domain), random_stages(random, extents.size()));
    RC_ASSERT(map.has_value());
    RC_LOG() << map::print(*map);
    hold_against_evaluate(random, *map, tally);
  });
  EXPECT_GT(tally.points, 200000);
  EXPECT_GT(tally.with_nodes, 4000);
  EXPECT_GT(tally.without_nodes, 4000);
}

TEST(Symbolic, SeesTheRadixStructureOfRowsAndSticks) {
  // 256·x0 + x1, x1 < 200, split by (256, 64, 1): x0 itself, and a node of x1 alone.
  const auto domain = map::Space::create(map::Space::dims("x", std::vector<Index>{7, 200}));
  Symbolic symbolic(*domain);
  std::vector<Row> rows = symbolic.inputs();
  const std::vector<Index> strides{256, 1};
  ASSERT_TRUE(symbolic.run(std::vector<Stage>{Affine{{map::dot(strides)}}, Split{0, {256, 64, 1}}}, rows));
  EXPECT_EQ(rows[0], map::pick(0));
  ASSERT_EQ(symbolic.nodes().size(), 1U);
  EXPECT_EQ(symbolic.nodes()[0].source, map::pick(1));
  EXPECT_EQ(symbolic.nodes()[0].weights, (std::vector<Index>{64, 1}));
}

TEST(Symbolic, RefusesASwizzleInsteadOfGuessing) {
  const auto domain = map::Space::create(map::Space::dims("x", std::vector<Index>{64}));
  Symbolic symbolic(*domain);
  std::vector<Row> rows = symbolic.inputs();
  EXPECT_FALSE(symbolic.run(std::vector<Stage>{map::Swizzle{0, 0, 2, 2}}, rows));
}

// Every point where the row lies in the range stays in the box that is left, and no smaller box would do for a single
// term.
TEST(Symbolic, AssumesOnlyWhatEveryPointInTheRangeSatisfies) {
  Index points = 0;
  Index narrowed = 0;
  test::for_all(3000, [&] {
    test::Engine random = *test::engines();
    const auto space = map::Space::create(
        map::Space::dims("x", std::vector<Index>{roll(random, 1, 5), roll(random, 1, 5), roll(random, 1, 5)}));
    map::Row row{roll(random, -5, 5), {}};
    for (std::size_t i = 0; i < 3; ++i)
      if (const Index coefficient = roll(random, -6, 6); coefficient != 0) row.terms.push_back({i, coefficient});
    const Index low = roll(random, -20, 20);
    const Range range{low, low + roll(random, 0, 8)};
    Symbolic symbolic(*space);
    symbolic.assume(row, range);
    for (std::size_t i = 0; i < 3; ++i) narrowed += symbolic.atoms()[i] != Range{0, space->extent(i) - 1} ? 1 : 0;
    Point p(3, 0);
    do {
      const Index value = *map::value(row, p);
      if (value < range.low || value > range.high) continue;
      for (std::size_t i = 0; i < 3; ++i)
        RC_ASSERT((symbolic.atoms()[i].low <= p[i] && p[i] <= symbolic.atoms()[i].high));
      ++points;
    } while (map::advance(*space, p));
  });
  EXPECT_GE(points, 5'000);
  EXPECT_GE(narrowed, 1000);
}

}  // namespace engines_symbolic_campaign
}  // namespace vl::engines
