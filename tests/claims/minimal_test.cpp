// `minimal` of counterexamples: a promise where no smaller one exists, and none where a smaller one may.
#include <gtest/gtest.h>

#include "encodings/tirx/tirx.h"
#include "tests/support/spyre_brute.h"
#include "tests/support/subjects.h"

namespace vl::claims {
namespace claims_minimal_test {

map::Layout spyre_layout(std::vector<Index> device, std::vector<Index> stride_map, std::vector<Index> size) {
  map::Tensor tensor;
  tensor.size = std::move(size);
  auto layout = spyre::lower(test::raw_layout(std::move(device), std::move(stride_map)), tensor);
  VL_CHECK(layout.has_value(), "a layout of the test");
  return std::move(*layout);
}

map::Layout tile(const std::string& text, std::vector<Index> size) {
  const auto parsed = tirx::parse(text);
  VL_CHECK(parsed.has_value(), "a text of the test");
  map::Tensor tensor;
  tensor.size = std::move(size);
  auto layout = tirx::lower(parsed->layout, tensor);
  VL_CHECK(layout.has_value(), "a layout of the test");
  return std::move(*layout);
}

Counterexample refuted(std::string_view claim, const map::Layout& layout, const test::Given& given = {},
                       const engines::Options& options = {}) {
  const Judged judged = test::ask(claim, layout, given, options);
  const auto* refuted = std::get_if<Refuted>(&judged.verdict);
  VL_CHECK(refuted != nullptr, "a claim of the test is refuted");
  return refuted->counterexample;
}

Counterexample::Value field(const Counterexample& counter, std::string_view name) {
  const auto found = std::ranges::find(counter.fields, name, &std::pair<std::string, Counterexample::Value>::first);
  VL_CHECK(found != counter.fields.end(), "a field of the counterexample");
  return found->second;
}

// By (63, 1) element 63 is the first of the second stick, by (64, 1) the last of the first one.
TEST(Minimal, SizesRefuteEqualOnlyWhereNoElementMoves) {
  const map::Layout a = spyre_layout({3, 64}, {64, 1}, {150});
  const map::Layout longer = spyre_layout({4, 64}, {64, 1}, {150});
  const map::Layout moved = spyre_layout({4, 64}, {63, 1}, {150});
  const Counterexample sizes = refuted("equal", a, {.other = &longer});
  EXPECT_EQ(field(sizes, "size"), Counterexample::Value(Index{192}));
  EXPECT_TRUE(sizes.minimal);
  const Counterexample element = refuted("equal", a, {.other = &moved});
  EXPECT_EQ(field(element, "a"), Counterexample::Value(Point{63}));
  EXPECT_TRUE(element.minimal);
  engines::Options alone;
  alone.only = "gf2";  // it knows powers of two only, and 150 is none
  const Counterexample undecided = refuted("equal", a, {.other = &moved}, alone);
  EXPECT_EQ(field(undecided, "other_size"), Counterexample::Value(Index{256}));
  EXPECT_FALSE(undecided.minimal);
  EXPECT_NE(undecided.explanation.find("not known"), std::string::npos);
}

// The swizzle (0, 1, 1) takes 0 1 2 3 to 0 1 3 2. From start 1, element 1 has address 2 and goes to 3, not to 1 + 1;
// element 0 stays. From start 2 element 0 moves. So the first start moves a later element than the second one.
TEST(Minimal, AStartThatMovesALaterElementIsNoPromise) {
  const map::Layout layout = tile("ComposeLayout(0, 1, 1, S[4:1])", {4});
  const Counterexample later = refuted("aligned", layout, {.element_bits = 16, .base = 2});
  EXPECT_EQ(field(later, "a"), Counterexample::Value(Point{1}));
  EXPECT_EQ(field(later, "base"), Counterexample::Value(Index{2}));
  EXPECT_FALSE(later.minimal);
  const Counterexample first = refuted("aligned", layout, {.element_bits = 16, .base = 4});
  EXPECT_EQ(field(first, "a"), Counterexample::Value(Point{0}));
  EXPECT_TRUE(first.minimal);
}

// Elements at 0 3 9 12 0 3 …, replicas 3 apart: the first replica of element 0 meets element 4, its second one
// element 1.
TEST(Minimal, ElementsAreTheSmallestWhateverTheirReplicas) {
  const map::Layout layout = tile("S[(2,2,2):(0,9,3)] + R[2:3]", {8});
  const Counterexample pair = refuted("injective", layout);
  EXPECT_EQ(field(pair, "a"), Counterexample::Value(Point{0}));
  EXPECT_EQ(field(pair, "b"), Counterexample::Value(Point{1}));
  EXPECT_TRUE(pair.minimal);
}

// Both elements have replicas at 1 and 0, in this order.
TEST(Minimal, TheSlotIsTheSmallestWhateverTheReplicas) {
  const Counterexample pair = refuted("injective", tile("S[2:0] + R[2:-1] + 1", {2}));
  EXPECT_EQ(field(pair, "physical"), Counterexample::Value(Point{0}));
  EXPECT_TRUE(pair.minimal);
}

// Without a second answer a refutation by an engine that gives any witness is minimal all the same: a walk is short.
TEST(Minimal, AnyEnginesWitnessIsTakenToTheSmallest) {
  const map::Layout layout = tile("S[(5,7,3):(2,9,4)]", {105});
  const Counterexample all = refuted("injective", layout);
  for (const char* name : {"linear", "sums", "smt", "enumerate"}) {
    engines::Options alone;
    alone.only = name;
    const Counterexample one = refuted("injective", layout, {}, alone);
    EXPECT_TRUE(one.minimal) << name;
    EXPECT_EQ(one.fields, all.fields) << name;
  }
}

}  // namespace claims_minimal_test
}  // namespace vl::claims
