// The engines on layouts of no family: random maps with random boxes, guards, replicas, decode rules and identities.
// Layouts that no family makes must also be answered rightly, or not at all.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "encodings/map/text.h"
#include "tests/support/answers.h"
#include "tests/support/looking.h"
#include "tests/support/maps.h"
#include "tests/support/shard.h"

namespace vl::engines {
namespace engines_random_maps_campaign {

using question::Kind;
using test::roll;
using test::Said;

struct Made {
  map::Layout layout;
  test::Truth truth;
  std::vector<Point> points;   // of the domain, in order
  std::vector<Point> outputs;  // of the map there, by its definition
};

// Boxes that most elements reach, guards now and then; nothing if it gets too large.
std::optional<Made> random_layout(test::Engine& engine, bool swizzles) {
  const map::Map map = test::random_map(engine, {swizzles, 3, 80, 0, 4});
  map::LayoutParts parts;
  const std::size_t rank = map.domain().rank();
  const std::size_t replicas = rank > 0 && roll(engine, 0, 4) == 0 ? 1 : 0;
  const std::vector<map::Dim>& dims = map.domain().dims();
  const auto cut = dims.begin() + static_cast<std::ptrdiff_t>(rank - replicas);
  parts.logical = *map::Space::create({dims.begin(), cut});
  parts.replicas = *map::Space::create({cut, dims.end()});
  parts.map = map.stages();
  parts.guards = map.outputs() > 0 && roll(engine, 0, 3) == 0 ? 1 : 0;
  std::vector<Index> extents;
  Index volume = 1;
  for (std::size_t j = 0; j + parts.guards < map.outputs(); ++j) {
    const Index most = std::clamp<Index>(map.ranges(map.stages().size())[j].high + 1, 0, 60);
    extents.push_back(roll(engine, 0, 3) == 0 ? roll(engine, 0, most + 2) : most);
    volume *= std::max<Index>(extents.back(), 1);
  }
  if (volume > 5000) return std::nullopt;
  parts.physical = *map::Space::create(map::Space::dims("d", extents));
  if (roll(engine, 0, 2) == 0) {  // a decode rule: digits and sums of the slot's coordinates, right only by luck
    map::Affine decode;
    for (std::size_t i = 0; i < rank; ++i)
      decode.rows.push_back(extents.empty() ? map::Row{}
                                            : map::pick(static_cast<std::size_t>(
                                                  roll(engine, 0, static_cast<Index>(extents.size()) - 1))));
    parts.decode = {std::move(decode)};
  }
  if (roll(engine, 0, 1) == 0) {
    const auto row = [&](std::size_t inputs) {
      std::vector<Index> coefficients;
      for (std::size_t i = 0; i < inputs; ++i) coefficients.push_back(roll(engine, 0, 2));
      return map::dot(coefficients, roll(engine, 0, 3) == 0 ? 1 : 0);
    };
    parts.identity = map::OffsetIdentity{row(extents.size()), row(rank - replicas)};
  }
  auto layout = map::Layout::create(std::move(parts));
  VL_CHECK(layout.has_value(), "a random layout");
  Made made{*layout, test::look_at(*layout), test::all_points(map.domain()), {}};
  for (const Point& p : made.points) made.outputs.push_back(test::naive(map, p));
  return made;
}

// The smallest point of the domain that breaks the identity, or whose slot the decode rule gives away.
std::optional<Point> first_point(const Made& made, Kind kind) {
  for (std::size_t n = 0; n < made.points.size(); ++n) {
    if (made.truth.slots[n] < 0) continue;
    const Point slot(made.outputs[n].begin(),
                     made.outputs[n].begin() + static_cast<std::ptrdiff_t>(made.truth.physical.size()));
    if (kind == Kind::Breaks) {
      const auto& identity = *made.layout.identity();
      if (test::naive(map::Affine{{identity.slot}}, slot) !=
          test::naive(map::Affine{{identity.element}}, made.points[n]))
        return made.points[n];
      continue;
    }
    const Point decoded = test::naive(*made.layout.decode(), slot);
    const bool lives_here =
        test::inside(decoded, made.truth.domain) &&
        made.truth.slots[static_cast<std::size_t>(test::number_of(decoded, made.truth.domain))] == made.truth.slots[n];
    if (!lives_here) return made.points[n];
  }
  return std::nullopt;
}

Said judge_rule(const Made& made, Kind kind, const Answer& answer) {
  if (std::holds_alternative<Abstained>(answer)) return Said::Abstained;
  const auto first = first_point(made, kind);
  const auto* found = std::get_if<Found>(&answer);
  if (found == nullptr) return std::holds_alternative<None>(answer) && !first ? Said::Right : Said::Wrong;
  const bool right = first && question::replay({kind, &made.layout, nullptr}, found->witness) &&
                     (!found->minimal || found->witness.p == *first);
  return right ? Said::Right : Said::Wrong;
}

struct Tally {
  Index asked = 0, decided = 0, found = 0, wrong = 0;
};
using Tallies = std::map<std::pair<std::string_view, Kind>, Tally>;

void ask(const Engine& engine, const Made& made, Tallies& tallies) {
  for (const Kind kind :
       {Kind::Escapes, Kind::Lands, Kind::Collides, Kind::Misses, Kind::Count, Kind::Misdecodes, Kind::Breaks}) {
    const bool rule = kind == Kind::Misdecodes || kind == Kind::Breaks;
    if ((kind == Kind::Misdecodes && !made.layout.decode()) || (kind == Kind::Breaks && !made.layout.identity()))
      continue;
    const Answer answer = engine.decide({kind, &made.layout, nullptr}, {});
    const Said said = rule ? judge_rule(made, kind, answer) : test::judge(made.truth, kind, answer);
    Tally& tally = tallies[{engine.name, kind}];
    ++tally.asked;
    tally.decided += said == Said::Abstained ? 0 : 1;
    tally.found += std::holds_alternative<Found>(answer) ? 1 : 0;
    if (said != Said::Wrong || ++tally.wrong > 5) continue;
    ADD_FAILURE() << engine.name << ", " << question::name(kind) << " of " << map::print(made.layout.map()) << "\nbox "
                  << map::print(made.layout.physical()) << ": " << test::describe(answer);
  }
}

Tallies campaign(std::uint32_t seed, Index layouts, std::initializer_list<std::string_view> asked) {
  test::Engine random(seed);
  Tallies tallies;
  for (Index n = 0; n < layouts;) {
    const auto made = random_layout(random, n % 4 == 0);
    if (!made) continue;
    ++n;
    for (const std::string_view e : asked) ask(find_engine(e), *made, tallies);
  }
  for (const auto& [who, tally] : tallies)
    std::cout << fmt::format("{:9} {:10} asked {:6} decided {:6} found {:6}\n", who.first, question::name(who.second),
                             tally.asked, tally.decided, tally.found);
  return tallies;
}

Tallies::key_type key(std::string_view engine, Kind kind) { return {engine, kind}; }

TEST(RandomMaps, AreNeverJudgedWronglyInClosedFormOrByWalking) {
  const Tallies tallies = campaign(20261121, 20000, {"strided", "gf2", "linear", "sums", "enumerate"});
  for (const auto& [who, tally] : tallies) {
    EXPECT_EQ(tally.wrong, 0) << who.first << " " << question::name(who.second);
    EXPECT_TRUE(tally.decided == tally.asked || who.first != "enumerate") << question::name(who.second);
  }
  for (const Kind kind : {Kind::Escapes, Kind::Lands, Kind::Collides, Kind::Misses, Kind::Count}) {
    const Tally& strided = tallies.at(key("strided", kind));
    EXPECT_GE(strided.asked, 20000);
    EXPECT_GT(strided.decided, 4000) << question::name(kind);
  }
  for (const Kind kind : {Kind::Misdecodes, Kind::Breaks}) {
    EXPECT_GT(tallies.at(key("strided", kind)).decided, 500) << question::name(kind);
    EXPECT_GT(tallies.at(key("enumerate", kind)).found, 1000) << question::name(kind);
  }
}

TEST(RandomMaps, AreNeverJudgedWronglyBySolvers) {
  for (const auto& [who, tally] : campaign(5, test::cases(120, 300), {"presburger", "smt"})) {
    EXPECT_EQ(tally.wrong, 0) << question::name(who.second);
    EXPECT_GE(tally.decided, tally.asked / 8) << question::name(who.second);
  }
}

}  // namespace engines_random_maps_campaign
}  // namespace vl::engines
