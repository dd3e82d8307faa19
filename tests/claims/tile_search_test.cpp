// Loads that a search finds for a layout: each is held against the layout by `carries`, and is no more boxes than those
// of which the layout was made.
#include "encodings/use/tile_search.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/claims/tile_boxes.h"
#include "tests/support/property.h"
#include "tests/support/sanitized.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace claims_tile_search_test {

using namespace test::tiles;

TEST(TileSearch, FindsNoMoreBoxesThanTheLayoutWasMadeOf) {
  std::map<std::string, int> count;
  test::for_all(test::fact_or_campaign(60, 1000), [&] {
    test::Engine random = *test::engines();
    const auto pick = [&](Index low, Index high) { return test::roll(random, low, high); };
    Tiles made = drawn(pick);
    made.load = true;
    for (std::size_t i = 0; i < made.dim.size(); ++i)
      made.dim[i] = made.box[i] * pick(1, i == 0 ? 4 : 2);  // whole boxes
    for (std::size_t i = 1; i < made.dim.size(); ++i)
      made.stride[i - 1] = ((i == 1 ? made.dim[0] * made.bytes : made.stride[i - 2] * made.dim[i - 1]) + 15) / 16 * 16;
    const Index start = 1024 * pick(0, 2);
    deal_boxes(made, start);
    const map::Layout layout = layout_of(made, 0);
    RC_LOG() << made.text(made.boxes[0]) << "\n";
    bool found = false;
    for (const use::TileCandidate& each :
         use::tile_candidates(layout, made.type, static_cast<int>(made.bytes * 8), start)) {
      if (each.loads.empty()) {
        RC_ASSERT(!each.why.empty());
        continue;
      }
      if (each.swizzle == made.mode) {
        found = true;
        RC_ASSERT(each.loads.size() <= made.boxes.size());
        ++count[each.loads.size() < made.boxes.size() ? "fewer" : "as many"];
      }
      const auto tiles = use::tile_moves(each.loads);
      RC_ASSERT(tiles.has_value());
      RC_ASSERT(tiles->unknown == "");
      RC_ASSERT(question::word(decide(*find_claim("carries"), Carried{layout, *tiles, start}, {}).verdict) == "proved");
    }
    RC_ASSERT(found);
  });
  for (const auto& [kind, times] : count) fmt::print("{}: {}\n", kind, times);
  EXPECT_GE(count["fewer"], test::fact_or_campaign(1, 20));
  EXPECT_GE(count["as many"], test::fact_or_campaign(20, 400));
}

}  // namespace claims_tile_search_test
}  // namespace vl::claims
