// What is about nothing is answered without an engine, as a walk over every point answers it.
#include <gtest/gtest.h>

#include "tests/support/maps.h"
#include "tests/support/transfers.h"
#include "verifier/engines/engine.h"

namespace vl::engines {
namespace engines_empty_test {

map::Layout box(Index logical, Index replicas, Index physical) {
  map::LayoutParts parts;
  parts.logical = *map::Space::create({{"x", logical}});
  parts.replicas = *map::Space::create({{"r", replicas}});
  parts.physical = *map::Space::create({{"d", physical}});
  parts.map = {map::Affine{{map::pick(0)}}};
  parts.decode = {map::Affine{{map::pick(0), {}}}};
  parts.identity = map::OffsetIdentity{map::pick(0), map::pick(0)};
  return *map::Layout::create(std::move(parts));
}

TEST(Empty, LayoutsAreAnsweredAsByAWalk) {
  int answered = 0;
  for (Index logical = 0; logical <= 2; ++logical)
    for (Index replicas = 0; replicas <= 2; ++replicas)
      for (Index physical = 0; physical <= 2; ++physical)
        for (const Index other_replicas : {0, 1}) {
          const map::Layout a = box(logical, replicas, physical);
          const map::Layout b = box(logical, other_replicas, physical);
          for (const Query& query :
               {Query(Kind::Escapes, &a, nullptr), Query(Kind::Lands, &a, nullptr), Query(Kind::Collides, &a, nullptr),
                Query(Kind::Collides, &a, &b), Query(Kind::Misdecodes, &a, nullptr), Query(Kind::Breaks, &a, nullptr),
                Query(Kind::Misses, &a, nullptr), Query(Kind::Differs, &a, &b), Query(Kind::Count, &a, nullptr)}) {
            const auto answer = decide_empty(query);
            if (!answer || !decided(*answer)) continue;
            EXPECT_TRUE(agree(*answer, decide_enumerate(query, {})))
                << question::name(query.kind()) << " " << logical << " " << replicas << " " << physical;
            ++answered;
          }
        }
  EXPECT_GE(answered, 300);
}

TEST(Empty, NestsAreAnsweredAsByAWalk) {
  int answered = 0;
  for (Index elements = 0; elements <= 2; ++elements)
    for (Index replicas = 0; replicas <= 1; ++replicas)
      for (Index moves = 0; moves <= 2; ++moves) {
        const use::Memory source{box(elements, replicas, 2), 0};
        const use::Memory destination{box(elements, 1, 2), 0};
        const use::Transfer transfer{use::Direction::DeviceToDevice, {{{moves}, {{1}, 0}, {{1}, 0}}}};
        for (const Kind kind : {Kind::Escapes, Kind::Collides, Kind::Misses, Kind::Differs}) {
          const Query query(kind, &transfer, &source, &destination);
          const auto answer = decide_empty(query);
          if (!answer) continue;
          EXPECT_TRUE(agree(*answer, decide_enumerate(query, {})))
              << question::name(kind) << " " << elements << " " << replicas << " " << moves;
          ++answered;
        }
      }
  EXPECT_GE(answered, 30);
}

TEST(Empty, AnEngineOfThePanelIsNotAsked) {
  const map::Layout nothing = box(0, 1, 4);
  const map::Layout something = box(4, 1, 4);
  EXPECT_TRUE(decide_empty({Kind::Misses, &nothing, nullptr}).has_value());
  EXPECT_FALSE(decide_empty({Kind::Misses, &something, nullptr}).has_value());
  for (const Engine& engine : engines())
    EXPECT_EQ(std::get<Found>(engine.decide({Kind::Misses, &nothing, nullptr}, {})).witness.slot, Point{0})
        << engine.name;
}

}  // namespace engines_empty_test
}  // namespace vl::engines
