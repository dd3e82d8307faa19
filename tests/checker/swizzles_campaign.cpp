// Certificates that no swizzle will do: the checker takes those of tiles without one, and nothing for any other tile.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/access_brute.h"
#include "tests/support/tiles.h"
#include "verifier/checker/check.h"
#include "verifier/claims/proofs/certify_swizzles.h"

namespace vl {
namespace checker_swizzles_campaign {

using checker::Certificate;
using test::tile_on_m;

struct Search {
  map::Layout tile;
  engines::SwizzleTask task;
  engines::SwizzleAnswer answer = engines::SwizzleNone{};

  Search(map::Layout layout, const std::vector<std::string>& accesses, int bits)
      : tile(std::move(layout)), task{&tile, {}, bits, test::nvidia()} {
    for (const std::string& text : accesses) task.accesses.push_back({*use::parse_access(text), nullptr});
    auto found = engines::find_swizzle(task, {});
    answer = std::get<engines::SwizzleAnswer>(std::move(found));
  }
};

bool accepted(Certificate certificate) {
  certificate.digest = checker::digest(certificate.statement);
  return !checker::check(std::move(certificate)).has_value();
}

// Rows of a tile, 8 at a time, in columns of `width` bytes; the start of the tile is free where `base` is given.
std::vector<std::string> columns_of(Index rows, Index columns, Index width, Index base) {
  return {fmt::format("lanes=8 width={} at=[8*t + lane, {}*j] for j=0:{}, t=0:{}{}", width, width / 2,
                      columns / (width / 2), rows / 8, base > 0 ? fmt::format(" base={}", base) : "")};
}

TEST(SwizzleCertificates, AreMadeForEveryTileWithoutASwizzleAndForNoOther) {
  int none = 0, some = 0, forged = 0;
  for (const Index columns : {8, 24, 64, 128})
    for (const Index rows : {8, 32})
      for (const Index width : {4, 8, 16})
        for (const Index base : {0, 16}) {
          const map::Layout tile = layout_of(tile_on_m({rows, columns}, {{rows, columns}, {columns, 1}}));
          auto accesses = columns_of(rows, columns, width, base);
          // Runs of `width` bytes stay whole, so a column of 32 rows of 128 bytes meets few groups of banks.
          if (rows == 32) accesses.push_back("lanes=32 width=2 at=[lane, 0]");
          const Search search(tile, accesses, 16);
          if (const auto* no = std::get_if<engines::SwizzleNone>(&search.answer)) {
            ++none;
            const auto made = claims::certify_no_swizzle(search.task, *no, {});
            ASSERT_TRUE(made.has_value()) << rows << "x" << columns << " of " << width;
            EXPECT_TRUE(accepted(*made));
            continue;
          }
          ++some;
          const auto& found = std::get<engines::SwizzleFound>(search.answer);
          // What is true of the swizzles before the right one, and whatever may be said of it and of those behind it.
          Certificate lie;
          lie.statement = *claims::no_swizzle_statement(search.task, {});
          auto& refused = lie.evidence.refused.emplace();
          for (const engines::SwizzleRefusal& refusal : found.rejected)
            refused.push_back({refusal.access ? static_cast<std::int64_t>(*refusal.access) : -1,
                               {refusal.at.begin(), refusal.at.end()}});
          EXPECT_FALSE(accepted(lie));
          const auto variables = checker::parse_map((*lie.statement.accesses)[0].bytes).domain;
          auto instances = variables;
          instances.extents.erase(instances.extents.begin()), instances.names.erase(instances.names.begin());
          const auto forge = [&](std::int64_t access, const checker::Space& points) {
            const checker::Wide step = points.volume() / 8 + 1;
            checker::Wide seen = 0;
            checker::for_each(points, [&](const checker::Point& at) {
              seen += 1;
              if (seen % step != 0) return;
              refused.push_back({access, at});
              EXPECT_FALSE(accepted(lie));
              ++forged, refused.pop_back();
            });
          };
          forge(0, instances);
          forge(-1, checker::parse_map(lie.statement.map->map).domain);
        }
  fmt::print("{} tiles without a swizzle, {} with one, {} forged refusals\n", none, some, forged);
  EXPECT_GE(none, 8);
  EXPECT_GE(some, 10);
  EXPECT_GE(forged, 200);
}

Certificate without_one() {
  const map::Layout tile = layout_of(tile_on_m({32, 64}, {{32, 64}, {64, 1}}));
  const Search search(tile, {"lanes=8 width=16 at=[lane, 0]", "lanes=32 width=2 at=[lane, 0]"}, 16);
  return *claims::certify_no_swizzle(search.task, std::get<engines::SwizzleNone>(search.answer), {});
}

TEST(SwizzleCertificates, NeedARefusalOfEverySwizzleAndOfNothingElse) {
  const Certificate whole = without_one();
  ASSERT_TRUE(accepted(whole));
  const auto& refused = *whole.evidence.refused;
  ASSERT_EQ(refused.size(), 51U);  // M >= 3, S >= B and M + S + B <= 11, and the tile as it is
  for (std::size_t i = 0; i < refused.size(); ++i) {
    Certificate less = whole;
    less.evidence.refused->erase(less.evidence.refused->begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(accepted(less)) << i;
    Certificate more = whole;
    more.evidence.refused->push_back(refused[i]);
    EXPECT_FALSE(accepted(more)) << i;
    Certificate beyond = whole;
    (*beyond.evidence.refused)[i].access = 2;
    EXPECT_FALSE(accepted(beyond)) << i;
    (*beyond.evidence.refused)[i].access = -2;
    EXPECT_FALSE(accepted(beyond)) << i;
    (*beyond.evidence.refused)[i] = {-1, {0, 0}};  // the first element stays where it is
    EXPECT_FALSE(accepted(beyond)) << i;
    (*beyond.evidence.refused)[i] = {0, {5}};  // the access has no variable
    EXPECT_FALSE(accepted(beyond)) << i;
  }
}

TEST(SwizzleCertificates, StateTheTileTheAccessesAndTheWidth) {
  const Certificate whole = without_one();
  const auto refused = [&](auto change) {
    Certificate other = whole;
    change(other.statement);
    return !accepted(other);
  };
  EXPECT_TRUE(refused([](checker::Statement& said) { said.bits = 12; }));
  EXPECT_TRUE(refused([](checker::Statement& said) { said.bits = 8; }));  // then M >= 4
  EXPECT_TRUE(refused([](checker::Statement& said) { said.bits.reset(); }));
  EXPECT_TRUE(refused([](checker::Statement& said) { said.verdict = "refuted"; }));
  EXPECT_TRUE(refused([](checker::Statement& said) { said.accesses->pop_back(); }));
  EXPECT_TRUE(refused([](checker::Statement& said) { said.accesses->clear(); }));
  EXPECT_TRUE(refused([](checker::Statement& said) { said.accesses.reset(); }));
  EXPECT_TRUE(refused([](checker::Statement& said) { said.value = 1; }));
  EXPECT_TRUE(refused([](checker::Statement& said) { (*said.accesses)[0].banks = 1 << 20; }));
  EXPECT_TRUE(refused([](checker::Statement& said) { said.map->map += " -> swizzle(0; 3, 3, 3, down)"; }));
  const map::Layout larger = layout_of(tile_on_m({64, 64}, {{64, 64}, {64, 1}}));  // has swizzles that nothing refuses
  EXPECT_TRUE(refused([&](checker::Statement& said) { said.map = claims::text_of(larger); }));
}

}  // namespace checker_swizzles_campaign
}  // namespace vl
