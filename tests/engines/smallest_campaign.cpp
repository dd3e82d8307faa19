// The smallest witness, from any other: against a look at every point of small layouts, of two families and of random
// maps; and the large layouts at which a witness was given that was not the smallest.
#include "verifier/engines/smallest/smallest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "tests/support/maps.h"
#include "tests/support/spyre_brute.h"
#include "tests/support/spyre_random.h"
#include "tests/support/tirx_random.h"
#include "verifier/engines/engine.h"
#include "verifier/engines/smallest/restricted.h"

namespace vl::engines {
namespace engines_smallest_campaign {

using test::roll;

// All witnesses of a question, ascending: found by evaluating the map at every point.
class Look {
 public:
  explicit Look(const Question& question) : question_(question) {
    places_ = places_of(*question.layout);
    if (question.other != nullptr) others_ = places_of(*question.other);
  }

  [[nodiscard]] std::vector<Witness> all() const {
    switch (question_.kind) {
      case Kind::Escapes: return points([](const Place& place) { return !place.slot; });
      case Kind::Lands: return points([](const Place& place) { return place.slot.has_value(); });
      case Kind::Breaks:
        return points([&](const Place& place) {
          return place.slot && question::breaks_identity(*question_.layout, place.point, *place.slot);
        });
      case Kind::Collides: return pairs();
      case Kind::Misses: return empty_slots();
      case Kind::Differs: return moved();
      case Kind::Misdecodes:
      case Kind::Count:
      case Kind::Crowds: break;
    }
    VL_CHECK(false, "not asked here");
  }

 private:
  struct Place {
    Point point;
    std::optional<Point> slot;
  };

  static std::vector<Place> places_of(const map::Layout& layout) {
    std::vector<Place> out;
    for (Point& p : test::all_points(layout.domain())) {
      auto outputs = *map::evaluate(layout.map(), p);
      bool slot = true;
      for (std::size_t j = 0; j < outputs.size(); ++j)
        slot = slot && outputs[j] >= 0 && outputs[j] < (j < layout.physical().rank() ? layout.physical().extent(j) : 1);
      outputs.resize(layout.physical().rank());
      out.push_back({std::move(p), slot ? std::optional(std::move(outputs)) : std::nullopt});
    }
    return out;
  }

  [[nodiscard]] std::vector<Witness> points(const std::function<bool(const Place&)>& holds) const {
    std::vector<Witness> out;
    for (const Place& place : places_)
      if (holds(place)) out.push_back({place.point, {}, {}});
    return out;
  }

  [[nodiscard]] std::vector<Witness> pairs() const {
    std::vector<Witness> out;
    const bool two = question_.other != nullptr;
    for (const Place& a : places_)
      for (const Place& b : two ? others_ : places_)
        if (a.slot && a.slot == b.slot && (two || a.point < b.point)) out.push_back({a.point, b.point, {}});
    return out;
  }

  [[nodiscard]] std::vector<Witness> empty_slots() const {
    std::set<Point> taken;
    for (const Place& place : places_)
      if (place.slot) taken.insert(*place.slot);
    std::vector<Witness> out;
    for (const Point& slot : test::all_points(question_.layout->physical()))
      if (!taken.contains(slot)) out.push_back({{}, {}, slot});
    return out;
  }

  [[nodiscard]] std::vector<Witness> moved() const {
    const std::size_t rank = question_.layout->logical().rank();
    std::map<Point, std::array<std::set<Index>, 2>> memory;
    for (const bool second : {false, true})
      for (const Place& place : second ? others_ : places_) {
        const map::Space& physical = (second ? question_.other : question_.layout)->physical();
        auto& here = memory[Point(place.point.begin(), place.point.begin() + static_cast<std::ptrdiff_t>(rank))];
        if (place.slot) here[second ? 1 : 0].insert(physical.linear(*place.slot));
      }
    std::vector<Witness> out;
    for (const auto& [x, both] : memory)
      if (both[0] != both[1]) out.push_back({x, {}, {}});
    return out;
  }

  const Question& question_;
  std::vector<Place> places_;
  std::vector<Place> others_;
};

struct Score {
  Index asked = 0;
  Index bisected = 0;
};
using Scores = std::map<std::string_view, Score>;

// Takes a random witness of the question down to the smallest, by bisection alone and with walks.
void hold(const Question& question, test::Engine& engine, Scores& scores, const std::function<std::string()>& show) {
  const std::vector<Witness> all = Look(question).all();
  if (all.empty()) return;
  const Witness& known = all[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(all.size()) - 1))];
  Score& score = scores[question::name(question.kind)];
  ++score.asked;
  if (const auto found = bisected(question, known, {})) {
    ++score.bisected;
    EXPECT_TRUE(*found == all.front()) << question::name(question.kind) << " of " << show();
  }
  const auto found = smallest(question, known, {});
  ASSERT_TRUE(found.has_value()) << question::name(question.kind) << " of " << show();
  EXPECT_TRUE(*found == all.front()) << question::name(question.kind) << " of " << show();
}

void hold_all(const map::Layout& layout, const map::Layout* other, test::Engine& engine, Scores& scores,
              const std::function<std::string()>& show) {
  for (const Kind kind : {Kind::Escapes, Kind::Lands, Kind::Collides, Kind::Misses, Kind::Breaks})
    if (kind != Kind::Breaks || layout.identity()) hold({kind, &layout, nullptr}, engine, scores, show);
  if (other == nullptr) return;
  if (map::extents_of(layout.logical()) == map::extents_of(other->logical()))
    hold({Kind::Differs, &layout, other}, engine, scores, show);
  if (map::extents_of(layout.physical()) == map::extents_of(other->physical()))
    hold({Kind::Collides, &layout, other}, engine, scores, show);
}

// Elements and no replicas: the smallest pair of two points that share a slot, from the first two points that do.
Index hold_elements(const Question& question, const std::function<std::string()>& show) {
  const std::vector<Witness> all = Look(question).all();
  if (all.empty()) return 0;
  const auto elements = [&](const Witness& w) {
    const auto element = [](const map::Layout& layout, const Point& p) {
      return Point(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(layout.logical().rank()));
    };
    const map::Layout& other = question.other != nullptr ? *question.other : *question.layout;
    return std::pair(element(*question.layout, w.p), element(other, w.q));
  };
  auto least = elements(all.front());
  for (const Witness& witness : all) least = std::min(least, elements(witness));
  const auto pair = bisected_elements(question, all.front(), {});
  EXPECT_TRUE(!pair || elements(*pair) == least) << show();
  const auto found = first_elements(question, all.front(), {});
  EXPECT_TRUE(found && elements(*found) == least && question::replay(question, *found)) << show();
  return least == elements(all.front()) ? 0 : 1;
}

// At least so many of a hundred are found by bisection alone.
void expect_shares(const Scores& scores, const std::map<std::string_view, Index>& least) {
  for (const auto& [kind, score] : scores)
    std::cout << fmt::format("{:9} asked {:5} bisected {:5}\n", kind, score.asked, score.bisected);
  for (const auto& [kind, share] : least) {
    const Score& score = scores.at(kind);
    EXPECT_GE(score.asked, 100) << kind;
    EXPECT_GE(score.bisected * 100, score.asked * share) << kind;
  }
}

TEST(Smallest, OfRandomSpyreLayoutsIsTheFirstOfAll) {
  test::RandomSpyre random(16);
  test::Engine engine(16);
  Scores scores;
  std::map<std::vector<Index>, map::Layout> last;  // by the tensor's sizes
  for (int made = 0; made < 1500; ++made) {
    const test::RandomCase drawn = random.next(60);
    const auto layout = spyre::lower(drawn.layout, drawn.tensor);
    ASSERT_TRUE(layout.has_value());
    if (layout->domain().volume() == 0 || layout->domain().volume() > 400 || layout->physical().volume() > 4000)
      continue;
    const auto other = last.find(drawn.tensor.size);
    hold_all(*layout, other == last.end() ? nullptr : &other->second, engine, scores, [&] { return drawn.show(); });
    last.insert_or_assign(drawn.tensor.size, *layout);
  }
  expect_shares(scores, {{"escapes", 60}, {"lands", 60}, {"collides", 40}, {"misses", 60}});
}

TEST(Smallest, OfRandomTirxLayoutsIsTheFirstOfAll) {
  test::RandomTirx random(16);
  test::Engine engine(17);
  Scores scores;
  std::map<std::vector<Index>, map::Layout> last;
  Index of_later_replicas = 0;
  for (int made = 0; made < 3000; ++made) {
    const test::RandomTirxCase drawn = random.next(48);
    const auto layout = tirx::lower(drawn.layout, drawn.tensor);
    if (!layout || layout->domain().volume() == 0 || layout->domain().volume() > 300 ||
        layout->physical().volume() > 4000)
      continue;
    const auto other = last.find(drawn.tensor.size);
    hold_all(*layout, other == last.end() ? nullptr : &other->second, engine, scores, [&] { return drawn.show(); });
    of_later_replicas += hold_elements({Kind::Collides, &*layout, nullptr}, [&] { return drawn.show(); });
    if (other != last.end() && map::extents_of(other->second.physical()) == map::extents_of(layout->physical()))
      of_later_replicas += hold_elements({Kind::Collides, &*layout, &other->second}, [&] { return drawn.show(); });
    last.insert_or_assign(drawn.tensor.size, *layout);
  }
  EXPECT_GE(of_later_replicas, 10);
  expect_shares(scores, {{"escapes", 60}, {"lands", 60}, {"collides", 60}, {"misses", 60}});
}

map::Layout random_layout(test::Engine& engine, const map::Space& logical, const std::vector<Index>& physical) {
  for (;;) {
    map::LayoutParts parts;
    parts.logical = logical;
    if (roll(engine, 0, 3) == 0) parts.replicas = *map::Space::create({{"r", roll(engine, 1, 3)}});
    const auto domain = *map::concatenate(parts.logical, parts.replicas);
    const map::Map made = test::random_map(engine, domain, {true, 3, 40, 1, 3});
    if (made.outputs() < physical.size()) continue;
    parts.map = made.stages();
    map::Affine keep;
    for (std::size_t j = 0; j < physical.size(); ++j) keep.rows.push_back(map::pick(j));
    parts.map.emplace_back(std::move(keep));
    parts.physical = *map::Space::create(map::Space::dims("d", physical));
    if (auto layout = map::Layout::create(std::move(parts))) return std::move(*layout);
  }
}

TEST(Smallest, OfRandomMapsIsTheFirstOfAll) {
  test::Engine engine(18);
  Scores scores;
  for (int made = 0; made < 800; ++made) {
    const map::Space logical = test::random_space(engine, {true, 3, 40, 1, 3});
    const std::vector<Index> physical = roll(engine, 0, 1) == 0
                                            ? std::vector<Index>{roll(engine, 1, 90)}
                                            : std::vector<Index>{roll(engine, 1, 9), roll(engine, 1, 12)};
    const map::Layout a = random_layout(engine, logical, physical);
    const map::Layout b = random_layout(engine, logical, physical);
    hold_all(a, &b, engine, scores, [&] { return fmt::format("random map {}", made); });
  }
  for (const auto& [kind, score] : scores) EXPECT_GE(score.asked, kind == "breaks" ? 0 : 100) << kind;
}

map::Layout spyre_layout(std::vector<Index> device, std::vector<Index> stride_map, std::vector<Index> size,
                         std::vector<Index> strides) {
  map::Tensor tensor;
  tensor.size = std::move(size);
  tensor.strides = std::move(strides);
  auto layout = spyre::lower(test::raw_layout(std::move(device), std::move(stride_map)), tensor);
  VL_CHECK(layout.has_value(), "a layout of the test");
  return std::move(*layout);
}

Found first_of(const Query& query) {
  const Decision decision = decide(query, {});
  const auto* found = std::get_if<Found>(&decision.answer);
  VL_CHECK(found != nullptr, "a witness is there");
  return *found;
}

// 16464 · 64 = 1053696 = 1029 · 1024: row 1029 is the first beyond, from its first element on.
TEST(Smallest, OfAHostWithGapsIsTheFirstElementBeyondTheBox) {
  const map::Layout layout = spyre_layout({16464, 64}, {64, 1}, {1030, 1023}, {1024, 1});
  const Found found = first_of({Kind::Escapes, &layout, nullptr});
  EXPECT_EQ(found.witness.p, (Point{1029, 0}));
  EXPECT_TRUE(found.minimal);
}

// Offset 245 is digit 1 by the weights (307, 245, 1), and digit 245 by (307, 246, 1), which the box of 245 lacks.
TEST(Smallest, OfADifferenceLateInTheTensor) {
  const map::Layout a = spyre_layout({4096, 2, 245}, {307, 245, 1}, {300, 4097}, {1, 307});
  const map::Layout b = spyre_layout({4096, 2, 245}, {307, 246, 1}, {300, 4097}, {1, 307});
  const Found found = first_of({Kind::Differs, &a, &b});
  EXPECT_EQ(found.witness.p, (Point{245, 0}));
  EXPECT_TRUE(found.minimal);
}

map::Layout tile(const std::string& text, std::vector<Index> size) {
  const auto read = tirx::parse(text);
  VL_CHECK(read.has_value(), "a text of the test");
  map::Tensor tensor;
  tensor.size = std::move(size);
  auto layout = tirx::lower(read->layout, tensor);
  VL_CHECK(layout.has_value(), "a layout of the test");
  return std::move(*layout);
}

// Found by a walk over all of its elements in another program.
TEST(Smallest, OfOddStridesIsTheFirstPair) {
  const map::Layout layout = tile("S[(23,43,46,28):(293,922,1917,-526)]", {7, 181976});
  const Found found = first_of({Kind::Collides, &layout, nullptr});
  EXPECT_EQ(found.witness.p, (Point{0, 0}));
  EXPECT_EQ(found.witness.q, (Point{4, 102896}));
  EXPECT_TRUE(found.minimal);
}

// The same strides over 1000 times the elements, which nobody walks over: still a pair with element 0.
TEST(Smallest, OfManyElementsIsFoundByBisection) {
  const map::Layout layout = tile("S[(1000,23,43,46,28):(100000,293,922,1917,-526)]", {7000, 181976});
  const Found found = first_of({Kind::Collides, &layout, nullptr});
  EXPECT_EQ(found.witness.p, (Point{0, 0}));
  EXPECT_EQ(found.witness.q, (Point{4, 102896}));
  EXPECT_TRUE(found.minimal);
}

// A warp has 32 lanes, so of the lanes 0, 13, 20 and 33 the last is no slot's; the replicas are at m 0 and 100000000.
TEST(Smallest, FewPointsInManySlotsAreCountedByAList) {
  const map::Layout layout = tile("S[(2,2):(20@laneid,13@laneid)] + R[2:100000000]", {4});
  EXPECT_EQ(std::get<Counted>(decide({Kind::Count, &layout, nullptr}, {}).answer).count, 3 * 2);
  EXPECT_EQ(first_of({Kind::Misses, &layout, nullptr}).witness.slot, (Point{0, 1}));
}

// A loop that stands still on both sides repeats the very first move in its next one, however odd the other strides.
TEST(Smallest, OfALoopThatStandsStillIsTheFirstMove) {
  const map::Layout layout = tile("S[(100,6432):(6432,1)]", {100, 6432});
  const use::Memory memory{layout, 0};
  const use::Nest nest{{1000003, 77, 991, 5}, {{7, 13, 101, 0}, 0}, {{7, 11, 101, 0}, 0}};
  const use::Transfer transfer{use::Direction::HostToDevice, {nest}};
  const Found found = first_of({Kind::Collides, &transfer, &memory, &memory});
  EXPECT_EQ(found.witness.p, (Point{0, 0, 0, 0, 0}));
  EXPECT_EQ(found.witness.q, (Point{0, 0, 0, 0, 1}));
  EXPECT_TRUE(found.minimal);
}

TEST(Smallest, NothingIsSaidWhenTheAnswerIsToEnd) {
  const map::Layout layout = tile("S[(23,43,46,28):(293,922,1917,-526)]", {7, 181976});
  Options options;
  options.budget.end = Budget::Clock::now();
  const Witness known{{0, 47656}, {6, 127109}, {}};
  ASSERT_TRUE(question::replay({Kind::Collides, &layout, nullptr}, known));
  EXPECT_FALSE(smallest({Kind::Collides, &layout, nullptr}, known, options).has_value());
}

// A point of the restriction is box.low + p of the layout.
TEST(Restricted, IsTheSameMapOverAPart) {
  test::Engine engine(19);
  for (int made = 0; made < 300; ++made) {
    const map::Space logical = test::random_space(engine, {true, 3, 40, 1, 3});
    const map::Layout layout = random_layout(engine, logical, {50});
    Box box;
    for (const map::Dim& dim : layout.domain().dims()) {
      const Index low = roll(engine, 0, dim.extent - 1);
      box.push_back({low, roll(engine, low, dim.extent - 1)});
    }
    const auto part = restricted(layout, box);
    ASSERT_TRUE(part.has_value());
    for (const Point& p : test::all_points(part->domain())) {
      Point whole = p;
      for (std::size_t i = 0; i < p.size(); ++i) whole[i] += box[i].low;
      EXPECT_EQ(*map::evaluate(part->map(), p), *map::evaluate(layout.map(), whole));
    }
  }
}

TEST(Points, CoordinatesKeepOrderAndPlaces) {
  test::RandomTirx random(20);
  Index over_digits = 0;
  for (int made = 0; made < 400; ++made) {
    const test::RandomTirxCase drawn = random.next(48);
    const auto layout = tirx::lower(drawn.layout, drawn.tensor);
    if (!layout || layout->domain().volume() == 0) continue;
    const Points points = Points::of(*layout);
    const auto on = points.on(points.box());
    ASSERT_TRUE(on.has_value());
    ASSERT_EQ(on->domain().volume(), layout->domain().volume());
    over_digits += on->domain().rank() != layout->domain().rank() ? 1 : 0;
    const auto all = test::all_points(layout->domain());
    const auto coordinates = test::all_points(on->domain());
    for (std::size_t k = 0; k < all.size(); ++k) {
      EXPECT_EQ(points.point(coordinates[k]), all[k]);
      EXPECT_EQ(points.coordinates(all[k]), coordinates[k]);
      EXPECT_EQ(*map::evaluate(on->map(), coordinates[k]), *map::evaluate(layout->map(), all[k])) << drawn.show();
    }
  }
  EXPECT_GE(over_digits, 50);
}

}  // namespace engines_smallest_campaign
}  // namespace vl::engines
