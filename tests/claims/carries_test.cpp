// Boxes of tensor maps against a look at every byte that they move, computed here from the formulas of cuda.h and of
// the PTX document; what is not known of them; and texts that carry nothing.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/claims/tile_boxes.h"
#include "tests/support/property.h"
#include "tests/support/sanitized.h"
#include "verifier/checker/check.h"
#include "verifier/claims/claim.h"
#include "verifier/claims/proofs/certify.h"

namespace vl::claims {
namespace claims_carries_test {

using namespace test::tiles;

// The first element, row-major, that is not carried once with the byte that it has; and whether a byte is moved that is
// no element's.
struct Truth {
  std::optional<Point> wrong;
  bool strays = false;
};
Truth looked_at(const Tiles& right, const Tiles& asked) {
  Truth out;
  std::multimap<Index, Index> want;
  for (const auto& [tensor, byte] : right.moved()) want.emplace(tensor, byte);
  const auto moved = asked.moved();
  for (const auto& [tensor, byte] : moved) out.strays = out.strays || !want.contains(tensor);
  Point x(right.dim.size(), 0);  // outermost first
  const auto next = [&] {
    for (std::size_t k = x.size(); k-- > 0; x[k] = 0)
      if (++x[k] < right.dim[x.size() - 1 - k]) return true;
    return false;
  };
  do {
    const Index tensor = right.offset(Numbers(x.rbegin(), x.rend()));
    if (moved.count(tensor) == 1 && moved.find(tensor)->second == want.find(tensor)->second) continue;
    return out.wrong = x, out;
  } while (next());
  return out;
}

// What a certificate of the answer states.
checker::Statement stated(const Carried& about, const Verdict& verdict) {
  const auto out = statement_of(*find_claim("carries"), about, verdict, {"L", "T", {}});
  RC_ASSERT(out.has_value());
  return *out;
}

// Whether the checker takes the element x for a refutation. It does if x is not carried once to its byte, and otherwise
// only where the claim is wrong: another byte may be moved from or to that of x.
bool is_shown_wrong(const Carried& about, const std::multimap<Index, Index>& moved, const Tiles& right, const Point& x,
                    bool wrong) {
  checker::Evidence shown;
  shown.witness = checker::Showing{checker::Point(x.begin(), x.end()), std::nullopt};
  const bool is_shown = !checker::check(stated(about, question::Refuted{}), shown);
  const Index tensor = right.offset(Numbers(x.rbegin(), x.rend()));
  const bool is_right = moved.count(tensor) == 1 && moved.find(tensor)->second == right.moved().find(tensor)->second;
  RC_ASSERT((is_shown ? wrong : is_right));
  return is_shown;
}

TEST(Carries, IsProvedIffEveryByteGoesWhereTheLayoutHasIt) {
  std::map<std::string, int> count;
  test::for_all(test::fact_or_campaign(500, 20000), [&] {
    test::Engine random = *test::engines();
    const auto pick = [&](Index low, Index high) { return test::roll(random, low, high); };
    Tiles right = drawn(pick);
    const Index start = 1024 * pick(0, 2) + (pick(0, 3) == 0 ? 128 * pick(0, 7) : 0);
    deal_boxes(right, start);
    if (right.boxes.size() > 40) return;
    const map::Layout layout = layout_of(right, 0);
    Tiles asked = right;
    if (pick(0, 2) > 0) spoil(asked, pick);
    if (asked.boxes.empty()) return;
    for (const Box& box : asked.boxes) RC_LOG() << asked.text(box) << "\n";
    const auto read = read_boxes(asked);
    RC_ASSERT(read.size() == asked.boxes.size());
    const auto tiles = use::tile_moves(read);
    RC_ASSERT(tiles.has_value());
    RC_ASSERT(tiles->unknown == "");
    // The swizzle acts on addresses: from a start that is no whole period the layout is another one.
    const map::Layout& placed = start % 1024 == 0 ? layout : layout_of(right, start);
    const Index base = start % 1024 == 0 ? start : 0;
    const Truth truth = looked_at(right, asked);
    const Carried about{placed, *tiles, base};
    const auto verdict = decide(*find_claim("carries"), about, {}).verdict;
    const bool wrong = truth.wrong || truth.strays;
    RC_ASSERT(question::word(verdict) == (wrong ? "refuted" : "proved"));
    ++count[truth.wrong ? "element" : truth.strays ? "stray" : "proved"];
    RC_ASSERT(certify(*find_claim("carries"), stated(about, verdict), verdict).has_value());
    Point x;
    for (const map::Dim& dim : placed.logical().dims()) x.push_back(pick(0, dim.extent - 1));
    ++count[is_shown_wrong(about, asked.moved(), right, x, wrong) ? "shown" : "not shown"];
    if (!truth.wrong) return;
    const auto& shown = std::get<question::Refuted>(verdict).counterexample;
    RC_ASSERT(shown.minimal);
    RC_ASSERT(std::get<Point>(shown.fields[0].second) == *truth.wrong);
  });
  for (const auto& [kind, times] : count) fmt::print("{}: {}\n", kind, times);
  EXPECT_GE(count["proved"], test::fact_or_campaign(100, 4000));
  EXPECT_GE(count["element"], test::fact_or_campaign(100, 4000));
  EXPECT_GE(count["stray"], test::fact_or_campaign(3, 100));
  EXPECT_GE(count["shown"], test::fact_or_campaign(100, 4000));
  EXPECT_GE(count["not shown"], test::fact_or_campaign(100, 4000));
}

// What no document states is not known; what no tensor map can say is wrong.
TEST(Carries, SaysWhatIsNotKnownAndWhatIsWrong) {
  struct Row {
    std::vector<const char*> texts;
    const char* unknown;
    const char* wrong;
  };
  const Row rows[] = {
      {{"load tensormap(f16, dim (64,64), stride (128), box (32,8), swizzle 128B) at (0,0) to 0"}, "narrower", ""},
      {{"load tensormap(f16, dim (256,64), stride (512), box (128,8), swizzle 128B) at (0,0) to 0"}, "wider", ""},
      {{"load tensormap(u4a16, dim (128,64), stride (64), box (128,8)) at (0,0) to 0"}, "packed", ""},
      {{"load tensormap(f16, dim (64,64,4), stride (128,8192), box (8,8,4), interleave 16B) at (0,0,0) to 0"},
       "interleaved",
       ""},
      {{"load tensormap(f16, dim (64,64), stride (128), box (64,8), swizzle 96B) at (0,0) to 0"}, "no name", ""},
      {{"tensormap(f16, dim (64,64), stride (128), box (64,8))"}, "", "coordinates"},
      {{"smemdesc(wgmma, K, f16, start 0, sbo 1024, swizzle 128B)"}, "", "coordinates"},
      {{"load tensormap(f16, dim (64,64), stride (128), box (64,8)) at (0,0) to 3"}, "", "whole number"},
      {{"load tensormap(f16, dim (64,64), stride (129), box (64,8)) at (0,0) to 0"}, "", "whole number"},
      {{"load tensormap(f16, dim (64,64), stride (128), box (64,0)) at (0,0) to 0"}, "", "dimension 1"},
      {{"load tensormap(f16, dim (64,N), stride (128), box (64,8)) at (0,0) to 0"}, "", "names for sizes"},
      {{"load tensormap(f16, dim (64,64), stride (9223372036854775806), box (64,8)) at (0,8) to 0"}, "", "64 bits"},
      {{"load tensormap(f16, dim (64,64), stride (128), box (64,8)) at (0,0) to 0",
        "store tensormap(f16, dim (64,64), stride (128), box (64,8)) at (0,8) from 1024"},
       "",
       "one direction"},
      {{"load tensormap(f16, dim (64,64), stride (128), box (64,8)) at (0,0) to 0",
        "load tensormap(f16, dim (64,64), stride (128), box (64,8), swizzle 128B) at (0,8) to 1024"},
       "",
       "one swizzle"},
  };
  for (const Row& row : rows) {
    std::vector<use::Descriptor> read;
    for (const char* text : row.texts) {
      auto made = use::parse_descriptor(text);
      ASSERT_TRUE(made.has_value()) << text << ": " << made.error().message;
      read.push_back(std::move(*made));
    }
    const auto tiles = use::tile_moves(read);
    if (*row.wrong != '\0') {
      ASSERT_FALSE(tiles.has_value()) << row.texts[0];
      EXPECT_NE(tiles.error().message.find(row.wrong), std::string::npos) << tiles.error().message;
      continue;
    }
    ASSERT_TRUE(tiles.has_value()) << row.texts[0] << ": " << tiles.error().message;
    EXPECT_NE(tiles->unknown.find(row.unknown), std::string::npos) << row.texts[0] << ": " << tiles->unknown;
  }
}

}  // namespace claims_carries_test
}  // namespace vl::claims
