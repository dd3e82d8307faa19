// disjoint: two layouts in one buffer against the sets of their places, by the portfolio and by each engine alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>
#include <limits>
#include <map>

#include "tests/support/tiles.h"
#include "verifier/claims/proofs/certify.h"

namespace vl::claims {
namespace claims_disjoint_campaign {

using test::roll;
using test::Tile;

// The places of a tile: element numbers by place, the second one's moved by `at`, in buffer coordinates.
std::map<Point, Index> first_elements(const Tile& tile, bool named, Index at) {
  std::map<Point, Index> out;
  for (Index n = 0; n < test::product(tile.shape); ++n)
    for (Point place : test::places_of(tile, n)) {
      if (!test::inside(place, tile.box)) continue;
      if (!named) place = {test::number_of(place, tile.box)};
      place.resize(3, 0);
      place[0] += at;
      out.emplace(place, n);  // the first element stays
    }
  return out;
}

struct Buffers {
  Tile a;
  Tile b;
  Index at = 0;
  bool named = true;

  [[nodiscard]] map::Layout layout(const Tile& tile) const {
    map::LayoutParts parts = test::parts_of(tile);
    parts.named_axes = named;
    return *map::Layout::create(std::move(parts));
  }
  [[nodiscard]] std::string show() const { return fmt::format("{}\n{}\nat {}, {}", a.show(), b.show(), at, named); }
};

Buffers random_pair(test::Engine& random, Index elements) {
  Buffers out{test::random_tile(random, {elements}), test::random_tile(random, {elements}), 0, roll(random, 0, 1) == 0};
  if (roll(random, 0, 3) > 0) out.at = roll(random, -40, 60);
  return out;
}

struct Expected {
  std::string_view word;
  Index a = 0;  // the first element with a place in common
};

Expected expected(const Buffers& pair) {
  const auto a = first_elements(pair.a, pair.named, 0);
  const auto b = first_elements(pair.b, pair.named, pair.at);
  if (a.empty() || b.empty()) return {"vacuous", 0};
  Expected out{"proved", test::product(pair.a.shape)};
  for (const auto& [place, element] : a)
    if (b.contains(place)) out = {"refuted", std::min(out.a, element)};
  return out;
}

Verdict verdict(const Buffers& pair, const engines::Options& options) {
  const map::Layout a = pair.layout(pair.a);
  const map::Layout b = pair.layout(pair.b);
  return decide(*find_claim("disjoint"), SharedBuffer{a, b, pair.at}, options).verdict;
}

// Whether the checker accepts a certificate of the statement that the two are disjoint.
bool is_certified(const Buffers& pair) {
  const map::Layout a = pair.layout(pair.a);
  const map::Layout b = pair.layout(pair.b);
  const Claim& claim = *find_claim("disjoint");
  const Verdict proved = Proved{"a test", question::Trust::Trusted, {}};
  const auto statement = statement_of(claim, SharedBuffer{a, b, pair.at}, proved, {"", "", {}});
  return certify(claim, *statement, proved).has_value();
}

void expect_witness(const Buffers& pair, const Counterexample& found, Index first) {
  const auto& a = std::get<Point>(found.fields[0].second);
  const auto& b = std::get<Point>(found.fields[1].second);
  EXPECT_EQ(found.fields[2].first, "physical");
  EXPECT_EQ(test::number_of(a, pair.a.shape), first) << pair.show();
  const auto places = first_elements(pair.a, pair.named, 0);
  const auto others = first_elements(pair.b, pair.named, pair.at);
  // b is the first element on some place of a.
  bool shared = false;
  for (const auto& [place, element] : others)
    shared =
        shared || (element == test::number_of(b, pair.b.shape) && places.contains(place) && places.at(place) == first);
  EXPECT_TRUE(shared) << pair.show();
}

TEST(Disjoint, OfRandomTilesIsWhatTheSetsOfTheirPlacesSay) {
  test::Engine random(6);
  std::map<std::string_view, Index> words;
  const Index pairs = 2500;
  for (Index n = 0; n < pairs; ++n) {
    const Buffers pair = random_pair(random, 48);
    const Expected right = expected(pair);
    const Verdict said = verdict(pair, {});
    ++words[question::word(said)];
    ASSERT_EQ(question::word(said), right.word) << pair.show();
    if (const auto* refuted = std::get_if<Refuted>(&said)) expect_witness(pair, refuted->counterexample, right.a);
    const bool certified = is_certified(pair);
    ASSERT_TRUE(!certified || right.word == "proved") << pair.show();
    ASSERT_TRUE(certified || right.word != "proved") << pair.show();
  }
  for (const auto& [word, count] : words) std::cout << fmt::format("{}: {}\n", word, count);
  EXPECT_EQ(words["unknown"], 0);
  for (const std::string_view word : {"proved", "refuted", "vacuous"}) EXPECT_GT(words[word], pairs / 50) << word;
}

TEST(Disjoint, IsNeverDecidedWronglyByAnyEngine) {
  test::Engine random(7);
  std::map<std::string_view, Index> decided;
  for (Index n = 0; n < 300; ++n) {
    const Buffers pair = random_pair(random, 24);
    const std::string_view right = expected(pair).word;
    for (const engines::Engine& engine : engines::engines()) {
      engines::Options options;
      options.only = engine.name;
      const std::string_view word = question::word(verdict(pair, options));
      if (word == "unknown") continue;
      ASSERT_EQ(word, right) << engine.name << "\n" << pair.show();
      decided[engine.name] += word == "vacuous" ? 0 : 1;
    }
  }
  const Index least = 100;
  EXPECT_GT(decided["linear"], least);
  EXPECT_GT(decided["enumerate"], 2 * least);
  EXPECT_GT(decided["smt"], 2 * least);
}

TEST(Disjoint, IsDecidedAtAnySize) {
  // Columns of a matrix of 2^20 by 2^20, even ones and odd ones; then columns that meet.
  const auto columns = [](Index first, Index step) {
    const Index n = Index{1} << 19;
    return Tile{{n, n}, {{n, Index{1} << 20, 0}, {n, step, 0}}, {}, {first}, std::nullopt, {Index{1} << 40}};
  };
  EXPECT_EQ(question::word(verdict({columns(0, 2), columns(1, 2)}, {})), "proved");
  EXPECT_EQ(question::word(verdict({columns(0, 2), columns(0, 2), 1}, {})), "proved");
  EXPECT_EQ(question::word(verdict({columns(0, 2), columns(1, 1)}, {})), "refuted");
  EXPECT_EQ(question::word(verdict({columns(0, 1), columns(Index{1} << 19, 1)}, {})), "proved");
  EXPECT_EQ(question::word(verdict({columns(0, 1), columns((Index{1} << 19) - 1, 1)}, {})), "refuted");
}

TEST(Disjoint, IsNeverProvedOrRefutedWhenNumbersLeave64Bits) {
  const Tile tile{{4}, {{4, 1, 0}}, {}, {0}, std::nullopt, {4}};
  for (const Index at : {std::numeric_limits<Index>::max(), std::numeric_limits<Index>::min()})
    for (const bool named : {true, false}) {
      const std::string_view word = question::word(verdict({tile, tile, at, named}, {}));
      EXPECT_TRUE(word == "unknown" || word == "proved") << at;  // nothing meets there, but it need not be seen
    }
}

TEST(Disjoint, OfNamedAxesAndOfMemorySaysNothing) {
  const Tile tile{{4}, {{4, 1, 0}}, {}, {0}, std::nullopt, {4}};
  const map::Layout named = Buffers{tile, tile}.layout(tile);
  const map::Layout memory = Buffers{tile, tile, 0, false}.layout(tile);
  const SharedBuffer about{named, memory};
  EXPECT_EQ(question::word(decide(*find_claim("disjoint"), about, {}).verdict), "unsupported");
}

}  // namespace claims_disjoint_campaign
}  // namespace vl::claims
