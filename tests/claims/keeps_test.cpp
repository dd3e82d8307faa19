// Stores of tensor maps byte by byte: each byte of a tile is written or not, and each that is written is an element's
// or not.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/property.h"
#include "tests/support/sanitized.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace claims_keeps_test {

TEST(Keeps, IsRefutedByEveryByteBeyondARow) {
  std::map<std::string, int> count;
  test::for_all(test::fact_or_campaign(600, 20000), [&] {
    test::Engine random = *test::engines();
    const auto pick = [&](Index low, Index high) { return test::roll(random, low, high); };
    const Index width = pick(0, 2), bytes = Index{1} << width, dim = pick(1, 90), rows = pick(1, 6);
    const Index box = pick(1, 40), high = pick(1, 5), step = pick(1, 2), column = dim - pick(-3, 45),
                row = pick(-2, rows);
    const Index stride = (dim * bytes + 15) / 16 * 16 + 16 * pick(0, 1);
    const std::string text =
        fmt::format("store tensormap({}, dim ({},{}), stride ({}), box ({},{}), step (1,{})) at ({},{}) from 0",
                    std::array{"u8", "f16", "f32"}[static_cast<std::size_t>(width)], dim, rows, stride, box, high, step,
                    column, row);
    RC_LOG() << text;
    const auto read = use::parse_descriptor(text);
    RC_ASSERT(read.has_value());
    // Bytes of one row that are written and no element's, and the rows that have them.
    std::set<Index> beyond, written_rows;
    for (Index t = 0; t * step < high; ++t)
      if (row + t * step >= 0 && row + t * step < rows) written_rows.insert(row + t * step);
    for (Index byte = std::max<Index>(column * bytes, 0); byte < (column + box) * bytes; ++byte)
      if (byte / 16 <= (dim * bytes - 1) / 16 && byte >= dim * bytes) beyond.insert(byte);
    for (const bool padding : {false, true}) {
      const auto verdict = decide(*find_claim("keeps"), Stored{*read, padding}, {}).verdict;
      const std::string word(question::word(verdict));
      const bool late = column >= dim && !beyond.empty();
      const std::string expected = written_rows.empty()                                       ? "vacuous"
                                   : late                                                     ? "unknown"
                                   : beyond.empty() || (padding && stride > *beyond.rbegin()) ? "proved"
                                                                                              : "refuted";
      RC_ASSERT(word == expected);
      ++count[word];
      if (expected != "refuted") continue;
      const auto& fields = std::get<question::Refuted>(verdict).counterexample.fields;
      RC_ASSERT(std::get<Index>(fields[0].second) == *beyond.begin());
      RC_ASSERT(std::get<Index>(fields[1].second) == *beyond.rbegin());
      RC_ASSERT(std::get<Index>(fields[2].second) == static_cast<Index>(written_rows.size()));
    }
  });
  for (const auto& [word, times] : count) fmt::print("{}: {}\n", word, times);
  EXPECT_GE(count["proved"], test::fact_or_campaign(100, 4000));
  EXPECT_GE(count["refuted"], test::fact_or_campaign(50, 1500));
}

TEST(Keeps, IsAskedOfStoresAlone) {
  const auto word = [](const char* text) {
    const auto read = use::parse_descriptor(text);
    EXPECT_TRUE(read.has_value()) << text << ": " << read.error().message;
    const auto verdict = decide(*find_claim("keeps"), Stored{*read, false}, {}).verdict;
    const auto* unknown = std::get_if<question::Unknown>(&verdict);
    return unknown == nullptr ? std::string(question::word(verdict)) : unknown->detail;
  };
  EXPECT_EQ(word("load tensormap(u8, dim (466,32), stride (512), box (128,32)) at (384,0) to 0"),
            "a load writes shared memory");
  EXPECT_EQ(word("tensormap(u8, dim (466,32), stride (512), box (128,32))"), "not stated: direction");
  EXPECT_EQ(word("store tensormap(u8, dim (466,32), stride (512), box (128,32))"), "not stated: at");
  EXPECT_EQ(word("store tensormap(u8, dim (N,32), stride (512), box (128,32)) at (384,0)"),
            "the box has names for sizes, or fields that no tensor map has");
  EXPECT_EQ(word("store tensormap(u8, dim (466,32), stride (512), box (128,32)) at (384,32)"),
            "the store has no row of the tensor");
}

}  // namespace claims_keeps_test
}  // namespace vl::claims
