// row-contiguous against every pair of neighbours of small layouts of both families, by the naive meaning of their
// maps.
#include <gtest/gtest.h>

#include "tests/support/looking.h"
#include "tests/support/spyre_brute.h"
#include "tests/support/subjects.h"
#include "tests/support/tiles.h"

namespace vl {
namespace claims_row_contiguous_campaign {

using question::Refuted;

struct Count {
  Index proved = 0, refuted = 0, vacuous = 0;
};

const Point& field(const question::Counterexample& shown, std::string_view name) {
  const Point* found = test::looking::point_field(shown, name);
  VL_CHECK(found != nullptr, "a field of the witness");
  return *found;
}

// The answer is what looking says; a refutation names the first element that breaks its row.
void expect_as_looked(const map::Layout& layout, Count& count) {
  const question::Verdict verdict = test::ask("row-contiguous", layout).verdict;
  const auto looked = test::look("row-contiguous", claims::OneLayout{layout});
  ASSERT_TRUE(looked.has_value());
  ASSERT_EQ(question::word(verdict), looked->word);
  count.proved += looked->word == "proved" ? 1 : 0;
  count.vacuous += looked->word == "vacuous" ? 1 : 0;
  const auto* refuted = std::get_if<Refuted>(&verdict);
  if (refuted == nullptr) return;
  ++count.refuted;
  bool met = false;
  Point a = *test::looking::first_row_break(layout, met);
  a.resize(layout.logical().rank());
  ASSERT_EQ(field(refuted->counterexample, "a"), a);
  ++a.back();
  ASSERT_EQ(field(refuted->counterexample, "b"), a);
}

TEST(RowContiguous, IsWhatEveryPairOfNeighboursOfASpyreLayoutSays) {
  Count count;
  for (Index rows = 0; rows <= 3; ++rows)
    for (Index columns = 0; columns <= 6; ++columns)
      for (const Index outer : {1, 2, 3})
        for (const Index inner : {1, 2, 4})
          for (const Index weight : {-1, 1, 2, 4, 6})
            for (const Index step : {-1, 1, 2, 6}) {
              map::Tensor tensor;
              tensor.size = {rows, columns};
              const auto layout = spyre::lower(test::raw_layout({outer, 2, inner}, {weight, columns, step}), tensor);
              if (layout) expect_as_looked(*layout, count);
              if (HasFatalFailure()) return;
            }
  EXPECT_GT(count.proved, 100);
  EXPECT_GT(count.refuted, 1000);
  EXPECT_GT(count.vacuous, 100);
}

TEST(RowContiguous, IsWhatEveryPairOfNeighboursOfATileSays) {
  Count count;
  const std::vector<std::vector<test::Iter>> replicas = {{}, {{2, 1, 0}}, {{2, 4, 0}}, {{2, 1, 1}}};
  for (const Index rows : {1, 2, 3})
    for (const Index columns : {1, 2, 4})
      for (const Index far : {-4, 0, 2, 4})
        for (const Index near : {-1, 0, 1, 2})
          for (const std::size_t axis : {0U, 1U})
            for (const auto& replica : replicas)
              for (const bool swizzles : {false, true}) {
                test::Tile tile{{rows, columns}, {{rows, far, 0}, {columns, near, axis}}, replica, {16, 0}, {},
                                {64, 8}};
                if (swizzles) tile.swizzle = test::Bits{1, 1, 1, true};
                expect_as_looked(test::layout_of(tile), count);
                if (HasFatalFailure()) return;
              }
  EXPECT_GT(count.proved, 20);
  EXPECT_GT(count.refuted, 500);
  EXPECT_GT(count.vacuous, 100);
}

// 2^40 rows of one stick each, and the same in sticks that hold half a row.
TEST(RowContiguous, IsDecidedAtAnySize) {
  map::Tensor tensor;
  tensor.size = {Index{1} << 40, 64};
  const auto whole = spyre::lower(test::raw_layout({Index{1} << 40, 64}, {64, 1}), tensor);
  const auto half = spyre::lower(test::raw_layout({2, Index{1} << 40, 32}, {32, 64, 1}), tensor);
  ASSERT_TRUE(whole && half);
  EXPECT_EQ(question::word(test::ask("row-contiguous", *whole).verdict), "proved");
  const question::Verdict verdict = test::ask("row-contiguous", *half).verdict;
  const auto* refuted = std::get_if<Refuted>(&verdict);
  ASSERT_NE(refuted, nullptr) << question::word(verdict);
  EXPECT_EQ(field(refuted->counterexample, "a"), (Point{0, 31}));
  EXPECT_EQ(field(refuted->counterexample, "other"), (Point{1, 0, 0}));
}

}  // namespace claims_row_contiguous_campaign
}  // namespace vl
