// Ranks over GF(2) against a walk over every point: random layouts of powers of two whose additions do not carry, with
// swizzles anywhere, holes, lost bits, boxes around their images, replicas, decode rules and identities right and
// wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "encodings/map/text.h"
#include "tests/support/maps.h"
#include "verifier/engines/engine.h"

namespace vl::engines {
namespace engines_gf2_campaign {

using question::Kind;
using test::roll;

std::vector<Index> powers(test::Engine& engine, int bits, std::size_t rank) {
  std::vector<Index> out(rank, 1);
  for (; bits > 0 && rank > 0; --bits)
    out[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(rank) - 1))] *= 2;
  return out;
}

map::Split bits_of(std::size_t input, Index extent) {
  map::Split split{input, {}};
  for (Index weight = std::max<Index>(extent / 2, 1); weight > 1; weight /= 2) split.weights.push_back(weight);
  split.weights.push_back(1);
  return split;
}

map::Swizzle small_swizzle(test::Engine& engine, std::size_t input) {
  return {input, static_cast<int>(roll(engine, 0, 1)), static_cast<int>(roll(engine, 0, 2)),
          static_cast<int>(roll(engine, 1, 2)),
          roll(engine, 0, 1) == 0 ? map::Swizzle::Direction::Down : map::Swizzle::Direction::Up};
}

// Every bit of the inputs goes to a place of its own in some output, or, now and then, nowhere; some offsets above
// them.
std::vector<map::Stage> scattered(test::Engine& engine, const std::vector<Index>& extents, std::size_t outputs,
                                  bool loses) {
  std::vector<map::Stage> stages;
  std::vector<Index> values = extents;  // extents of the values so far
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] <= 2) continue;
    const map::Split split = bits_of(i, values[i]);
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(i));
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(i), split.weights.size(), 2);
    stages.emplace_back(split);
  }
  map::Affine affine;
  std::vector<Index> next(outputs, 1);
  affine.rows.resize(outputs);
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(i) - 1))]);
  for (const std::size_t input : order) {
    if (outputs == 0 || values[input] < 2 || (loses && roll(engine, 0, 7) == 0)) continue;
    const auto to = static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(outputs) - 1));
    if (loses && roll(engine, 0, 9) == 0) next[to] *= 2;
    affine.rows[to].terms.push_back({input, next[to]});
    next[to] *= 2;
  }
  for (std::size_t j = 0; j < outputs; ++j) {
    affine.rows[j] = *map::canonical(affine.rows[j]);
    if (loses && roll(engine, 0, 3) == 0) affine.rows[j].constant = next[j] * roll(engine, 1, 2);
  }
  stages.emplace_back(std::move(affine));
  for (std::size_t j = 0; j < outputs; ++j)
    if (roll(engine, 0, 1) == 0) stages.emplace_back(small_swizzle(engine, j));
  return stages;
}

// The box that the largest values need, rounded up to powers of two; sometimes half, twice or one more of it.
std::vector<Index> boxes(test::Engine& engine, const map::Map& map, std::size_t count) {
  std::vector<Index> out;
  for (std::size_t j = 0; j < count; ++j) {
    Index extent = 1;
    while (extent <= map.ranges(map.stages().size())[j].high) extent *= 2;
    const Index how = roll(engine, 0, 11);
    out.push_back(how == 0 ? std::max<Index>(extent / 2, 1) : how == 1 ? 2 * extent : how == 2 ? extent + 1 : extent);
  }
  return out;
}

std::optional<map::Layout> random_layout(test::Engine& engine, const std::vector<Index>& logical, bool whole) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", logical));
  const std::vector<Index> replicas =
      roll(engine, 0, 3) == 0 ? std::vector<Index>{Index{1} << roll(engine, 0, 2)} : std::vector<Index>{};
  parts.replicas = *map::Space::create(map::Space::dims("r", replicas));
  std::vector<Index> inputs = logical;
  inputs.insert(inputs.end(), replicas.begin(), replicas.end());
  parts.guards = !whole && roll(engine, 0, 3) == 0 ? 1 : 0;
  const auto physical = static_cast<std::size_t>(roll(engine, 1, 3));
  parts.map = scattered(engine, inputs, physical + parts.guards, roll(engine, 0, 1) == 0);
  const auto domain = map::concatenate(parts.logical, parts.replicas);
  const auto map = map::Map::create(*domain, parts.map);
  if (!map) return std::nullopt;
  const std::vector<Index> box = boxes(engine, *map, physical);
  parts.physical = *map::Space::create(map::Space::dims("d", box));
  if (roll(engine, 0, 1) == 0) parts.decode = scattered(engine, box, inputs.size(), roll(engine, 0, 1) == 0);
  if (roll(engine, 0, 1) == 0)
    parts.identity = map::OffsetIdentity{map::dot(map::row_major_weights(parts.physical)),
                                         map::dot(map::row_major_weights(parts.logical))};
  auto layout = map::Layout::create(std::move(parts));
  return layout ? std::optional(std::move(*layout)) : std::nullopt;
}

struct Tally {
  Index asked = 0, decided = 0, found = 0;
};

void compare(const Question& question, Tally& tally) {
  const Answer answer = decide_gf2(question, {});
  const Answer right = decide_enumerate(question, {});
  ASSERT_TRUE(decided(right));
  ++tally.asked;
  if (!decided(answer)) return;
  ++tally.decided;
  tally.found += std::holds_alternative<Found>(right) ? 1 : 0;
  ASSERT_TRUE(agree(answer, right)) << question::name(question.kind) << " of " << map::print(question.layout->map())
                                    << "\nbox " << map::print(question.layout->physical()) << ": " << describe(answer)
                                    << ", but " << describe(right);
  if (const auto* found = std::get_if<Found>(&answer)) {
    EXPECT_TRUE(found->minimal);
    EXPECT_TRUE(replay(question, found->witness));
  }
}

TEST(Gf2, SaysOfEveryQuestionWhatEveryPointSays) {
  test::Engine random(20261122);
  std::map<Kind, Tally> tallies;
  const Index layouts = 6000;
  for (Index n = 0; n < layouts;) {
    const std::vector<Index> logical =
        powers(random, static_cast<int>(roll(random, 0, 6)), static_cast<std::size_t>(roll(random, 0, 3)));
    const auto layout = random_layout(random, logical, n % 2 == 0);
    const auto other = random_layout(random, logical, true);
    if (!layout || !other) continue;
    ++n;
    for (const Kind kind :
         {Kind::Escapes, Kind::Lands, Kind::Collides, Kind::Misses, Kind::Count, Kind::Misdecodes, Kind::Breaks}) {
      if ((kind == Kind::Misdecodes && !layout->decode()) || (kind == Kind::Breaks && !layout->identity())) continue;
      ASSERT_NO_FATAL_FAILURE(compare({kind, &*layout, nullptr}, tallies[kind]));
    }
    ASSERT_NO_FATAL_FAILURE(compare({Kind::Differs, &*layout, &*other}, tallies[Kind::Differs]));
    ASSERT_NO_FATAL_FAILURE(compare({Kind::Differs, &*layout, &*layout}, tallies[Kind::Differs]));
  }
  for (const auto& [kind, tally] : tallies) {
    std::cout << fmt::format("{:10} asked {:6} decided {:6} found {:6}\n", question::name(kind), tally.asked,
                             tally.decided, tally.found);
    EXPECT_GE(tally.asked, layouts / 3) << question::name(kind);
    EXPECT_GE(tally.decided, tally.asked / 3) << question::name(kind);
    EXPECT_GE(tally.found, kind == Kind::Count ? 0 : layouts / 60) << question::name(kind);
    EXPECT_LT(tally.found, tally.decided) << question::name(kind);
  }
}

map::Layout line(Index extent, Index stride, Index box) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{extent}));
  parts.physical = *map::Space::create(map::Space::dims("d", std::vector<Index>{box}));
  parts.map = {map::Affine{{map::dot(std::vector<Index>{stride})}}};
  return *map::Layout::create(std::move(parts));
}

// 3·3 = 9, but 3 ^ 6 = 5: an addition that carries is not an exclusive-or, for any extents.
TEST(Gf2, AbstainsWhereAnAdditionCarriesOrABoxIsNoPowerOfTwo) {
  const map::Layout carries = line(4, 3, 10);
  const map::Layout three = line(3, 1, 4);
  for (const Kind kind : {Kind::Escapes, Kind::Lands, Kind::Collides, Kind::Misses, Kind::Count})
    for (const map::Layout* layout : {&carries, &three})
      EXPECT_FALSE(decided(decide_gf2({kind, layout, nullptr}, {}))) << question::name(kind);
}

TEST(Gf2, CountsSlotsOfLayoutsThatNobodyCouldWalkOver) {
  const map::Layout layout = line(Index{1} << 40, 2, Index{1} << 41);
  EXPECT_EQ(std::get<Counted>(decide_gf2({Kind::Count, &layout, nullptr}, {})).count, Index{1} << 40);
  EXPECT_TRUE(std::holds_alternative<None>(decide_gf2({Kind::Escapes, &layout, nullptr}, {})));
  EXPECT_TRUE(std::holds_alternative<None>(decide_gf2({Kind::Collides, &layout, nullptr}, {})));
  const map::Layout tight = line(Index{1} << 40, 2, (Index{1} << 41) - 2);  // the last element is one slot too far
  EXPECT_EQ(std::get<Found>(decide_gf2({Kind::Escapes, &tight, nullptr}, {})).witness.p, Point{(Index{1} << 40) - 1});
}

}  // namespace engines_gf2_campaign
}  // namespace vl::engines
