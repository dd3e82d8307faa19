// row-aligned against every row of small layouts of both families, by the naive meaning of their maps and the bits of
// their elements alone.
#include <gtest/gtest.h>

#include "tests/support/looking.h"
#include "tests/support/spyre_brute.h"
#include "tests/support/subjects.h"
#include "tests/support/tiles.h"
#include "verifier/checker/check.h"
#include "verifier/claims/proofs/certify.h"

namespace vl {
namespace claims_row_aligned_test {

using question::Refuted;

struct Count {
  Index proved = 0, refuted = 0, vacuous = 0, certified = 0;
};

// The places of the first elements of the rows, in the order of the points: those that have one.
std::vector<std::pair<Point, Index>> row_starts(const map::Layout& layout) {
  const std::vector<Index> box = map::extents_of(layout.physical());
  const auto memory = map::memory_axis(layout);
  std::vector<std::pair<Point, Index>> out;
  for (const Point& p : test::all_points(layout.domain())) {
    const std::size_t rank = layout.logical().rank();
    if (rank > 0 && p[rank - 1] != 0) continue;
    const Point outputs = test::naive(layout.map(), p);
    const Point element(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(rank));
    if (memory) out.emplace_back(element, outputs[*memory]);
    else if (test::naive_slot(layout, outputs))
      out.emplace_back(element, test::number_of(test::slot_part(layout, outputs), box));
  }
  return out;
}

// A proof has a certificate where every row begins in a slot; one of twice the alignment, or of bits that are no
// multiple of it, is rejected wherever a row begins elsewhere.
void expect_certified(const map::Layout& layout, int bits, Index bytes,
                      const std::vector<std::pair<Point, Index>>& starts) {
  const claims::Claim& claim = *claims::find_claim("row-aligned");
  const claims::RowsOfBytes about{layout, bits, bytes};
  const question::Verdict proved = question::Proved{};
  const auto statement = claims::statement_of(claim, about, proved, {"a layout", "a tensor", {}});
  ASSERT_TRUE(statement.has_value());
  const auto made = claims::certify(claim, *statement, proved);
  ASSERT_TRUE(made.has_value()) << statement->map->map;
  ASSERT_EQ(checker::check(*made), std::nullopt);
  for (const auto& change : {std::pair(2 * bytes, bits), std::pair(3 * bytes, bits), std::pair(bytes, bits + 1)}) {
    const Index base = change.first, width = change.second;  // clang captures no names of a pair
    checker::Certificate other = *made;
    other.statement.base = base, other.statement.bits = width;
    other.digest = checker::digest(other.statement);
    const bool holds =
        std::ranges::all_of(starts, [&](const auto& row) { return row.second * width % (8 * base) == 0; });
    ASSERT_TRUE(holds || checker::check(other)) << statement->map->map << ", " << base << " bytes of " << width;
  }
}

void expect_as_looked(const map::Layout& layout, int bits, Index bytes, Count& count) {
  const question::Verdict verdict = test::ask("row-aligned", layout, {.element_bits = bits, .base = bytes}).verdict;
  const auto starts = row_starts(layout);
  const auto astray =
      std::ranges::find_if(starts, [&](const auto& row) { return row.second * bits % (8 * bytes) != 0; });
  const bool proved = std::holds_alternative<question::Proved>(verdict);
  const auto* refuted = std::get_if<Refuted>(&verdict);
  if (astray != starts.end()) {
    ASSERT_NE(refuted, nullptr) << question::word(verdict);
    const Point* a = test::looking::point_field(refuted->counterexample, "a");
    ASSERT_NE(a, nullptr);
    ASSERT_EQ(*a, astray->first);
    ++count.refuted;
  } else if (!starts.empty()) {
    ASSERT_TRUE(proved) << question::word(verdict);
    ++count.proved;
    Point rows = map::extents_of(layout.domain());
    if (const std::size_t rank = layout.logical().rank(); rank > 0) rows[rank - 1] = 1;
    Index points = 1;
    for (const Index extent : rows) points *= extent;
    if (static_cast<Index>(starts.size()) != points) return;
    ++count.certified;
    expect_certified(layout, bits, bytes, starts);
  } else {
    ASSERT_TRUE(question::word(verdict) == "vacuous" || proved) << question::word(verdict);
    ++count.vacuous;
  }
}

TEST(RowAligned, IsWhatEveryRowOfASpyreLayoutSays) {
  Count count;
  for (const Index rows : {0, 1, 3})
    for (const Index columns : {0, 1, 5})
      for (const Index outer : {1, 2, 3})
        for (const Index inner : {1, 4})
          for (const Index weight : {-1, 1, 4, 6})
            for (const auto& [bits, bytes] : {std::pair(16, 4), std::pair(16, 6), std::pair(4, 1), std::pair(32, 2)}) {
              map::Tensor tensor;
              tensor.size = {rows, columns};
              const auto layout = spyre::lower(test::raw_layout({outer, 2, inner}, {weight, columns, 1}), tensor);
              if (layout) expect_as_looked(*layout, bits, bytes, count);
              if (HasFatalFailure()) return;
            }
  EXPECT_GT(count.proved, 100);
  EXPECT_GT(count.refuted, 80);
  EXPECT_GT(count.vacuous, 100);
  EXPECT_GT(count.certified, 50);
}

TEST(RowAligned, IsWhatEveryRowOfATileSays) {
  Count count;
  const std::vector<std::vector<test::Iter>> replicas = {{}, {{2, 1, 0}}, {{2, 4, 0}}, {{2, 1, 1}}};
  for (const Index rows : {1, 3})
    for (const Index columns : {1, 4})
      for (const Index far : {-4, 3, 8})
        for (const Index near : {-1, 1})
          for (const std::size_t axis : {0U, 1U})
            for (const auto& replica : replicas)
              for (const bool swizzles : {false, true})
                for (const auto& [bits, bytes] : {std::pair(16, 8), std::pair(8, 3), std::pair(4, 2)}) {
                  test::Tile tile{{rows, columns}, {{rows, far, axis}, {columns, near, 0}}, replica, {16, 0}, {},
                                  {64, 8}};
                  if (swizzles) tile.swizzle = test::Bits{1, 1, 1, true};
                  expect_as_looked(test::layout_of(tile), bits, bytes, count);
                  if (HasFatalFailure()) return;
                }
  EXPECT_GT(count.proved, 100);
  EXPECT_EQ(count.certified, count.proved);
  EXPECT_GT(count.refuted, 100);
}

// 2^40 rows of 64 elements, of 128 bytes; of elements of 15 bits the second row begins within a byte.
TEST(RowAligned, IsDecidedAtAnySize) {
  map::Tensor tensor;
  tensor.size = {Index{1} << 40, 64};
  const auto layout = spyre::lower(test::raw_layout({Index{1} << 40, 64}, {64, 1}), tensor);
  ASSERT_TRUE(layout);
  const auto word = [&](int bits, Index bytes) {
    return question::word(test::ask("row-aligned", *layout, {.element_bits = bits, .base = bytes}).verdict);
  };
  EXPECT_EQ(word(16, 128), "proved");
  EXPECT_EQ(word(16, 256), "refuted");
  EXPECT_EQ(word(15, 8), "proved");
  EXPECT_EQ(word(15, 16), "refuted");
  EXPECT_EQ(word(0, 1), "unsupported");
}

}  // namespace claims_row_aligned_test
}  // namespace vl
