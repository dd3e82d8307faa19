// The constructors' rule as a law, on random tensors: against a brute-force placement that uses only device_size and
// stride_map, and against the properties that the rule promises. Sticks of 4 elements keep ranks up to 8 small.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/support/property.h"
#include "tests/support/sanitized.h"
#include "tests/support/spyre_brute.h"
#include "tests/support/subjects.h"
#include "verifier/claims/claim.h"

namespace vl::spyre {
namespace spyre_construct_law_test {

using List = std::vector<Index>;

struct Made {
  map::Tensor tensor;
  List strides;
  List order;
  SpyreTensorLayout layout;
  bool expanded = false;

  [[nodiscard]] std::string show() const {
    return fmt::format("{} of {}, order [{}]", print(layout), map::print(tensor), fmt::join(order, ","));
  }
};

class Maker {
 public:
  explicit Maker(test::WideEngine& random) : random_(random) {}

  Made next() {
    Made made;
    const Index rank = between(0, 8);
    for (Index i = 0; i < rank; ++i)
      made.tensor.size.push_back(chance(3) ? 0 : chance(30) ? 1 : between(1, rank > 5 ? 2 : rank > 3 ? 3 : 9));
    made.order.resize(made.tensor.size.size());
    std::iota(made.order.begin(), made.order.end(), Index{0});
    if (chance(60)) std::shuffle(made.order.begin(), made.order.end(), random_);
    made.strides = host(made);
    if (chance(15)) made.tensor.offset = between(1, 100);
    if (made.order.empty() || chance(20)) made.order.push_back(-1);
    auto layout = construct(made.tensor.size, made.strides, {"SEN169_FP16", 4}, made.order);
    VL_CHECK(layout.has_value(), "the constructor refuses a small tensor");
    made.layout = *layout;
    made.tensor.strides = made.strides;
    return made;
  }
  Index between(Index low, Index high) { return test::roll(random_, low, high); }
  bool chance(Index percent) { return between(1, 100) <= percent; }

 private:
  // Dense in some order of dimensions, with gaps, or with dimensions expanded.
  List host(Made& made) {
    const List& size = made.tensor.size;
    std::vector<std::size_t> order(size.size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    if (chance(40)) std::shuffle(order.begin(), order.end(), random_);
    const bool gaps = chance(25);
    const bool expands = chance(15);
    List strides(size.size());
    Index stride = 1;
    for (const std::size_t i : order) {
      strides[i] = stride;
      stride *= std::max<Index>(size[i], 1);
      if (gaps) stride += between(0, 5);
      if (expands && size[i] > 1 && chance(50)) {
        made.expanded = true;
        stride = strides[i];
        strides[i] = 0;
      }
    }
    return strides;
  }

  test::WideEngine& random_;
};

void showValue(const Made& made, std::ostream& out) { out << made.show(); }
auto hosts() {
  return test::drawn<test::WideEngine>([](test::WideEngine& engine) { return Maker(engine).next(); });
}

TEST(ConstructLaw, PlacesEveryElementOfEveryHostOnceUnlessItIsExpanded) {
  std::size_t dense = 0, expanded = 0, empty = 0, sparse = 0;
  std::set<std::size_t> ranks;
  test::for_all(test::fact_or_campaign(750, 3000), [&] {
    const Made made = *hosts();
    const test::Truth truth = test::truth_of(made.layout, made.tensor, made.strides);
    if (test::product(made.tensor.size) == 0) {
      ++empty;
      return;
    }
    RC_ASSERT(!truth.escapes.has_value());
    RC_ASSERT(truth.collides.has_value() == made.expanded);
    ++(made.expanded ? expanded : dense);
    sparse += made.order.back() == -1 ? 1U : 0U;
    ranks.insert(made.tensor.size.size());
  });
  fmt::print("{} hosts with elements of their own, {} expanded, {} empty; {} sparse\n", dense, expanded, empty, sparse);
  EXPECT_GE(dense, test::fact_or_campaign(375U, 1500U));
  EXPECT_GE(expanded, test::fact_or_campaign(37U, 150U));
  EXPECT_GE(empty, test::fact_or_campaign(25U, 100U));
  EXPECT_GE(sparse, test::fact_or_campaign(75U, 300U));
  EXPECT_EQ(ranks.size(), 9U);
}

TEST(ConstructLaw, TakesAStickForEveryFourElementsOfARow) {
  test::for_all(test::fact_or_campaign(750, 3000), [&] {
    const Made made = *hosts();
    Index sticks = 1;
    for (std::size_t h = 0; h < made.tensor.size.size(); ++h)
      sticks *= made.order.back() == static_cast<Index>(h) ? ceil_div(made.tensor.size[h], 4) : made.tensor.size[h];
    RC_ASSERT(test::product(made.layout.device_size) == 4 * sticks);
    // A stick holds one element when it is sparse, and never a piece of two rows.
    for (std::size_t j = 0; j < made.layout.stride_map.size(); ++j) RC_ASSERT(made.layout.stride_map[j] >= -1);
    RC_ASSERT(made.layout.device_size.size() == (made.order.empty() ? 2 : made.order.size() + 1));
  });
}

// The engines say the same as the walk over every element: verdicts, padding and bytes.
TEST(ConstructLaw, IsDecidedAsTheWalkOverEveryElementSays) {
  std::size_t decided = 0, refuted = 0;
  test::for_all(test::fact_or_campaign(150, 600), [&] {
    const Made made = *hosts();
    const auto layout = lower(made.layout, made.tensor);
    RC_ASSERT(layout.has_value());
    const bool empty = test::product(made.tensor.size) == 0;
    const test::Truth truth = test::truth_of(made.layout, made.tensor, made.strides);
    const auto ask = [&](const std::string& claim) {
      return test::ask(claim, *layout, {.element_bits = 256}).verdict;  // a quarter of a stick
    };
    const question::Verdict bijective = ask("bijective");
    RC_ASSERT(question::word(bijective) == (empty ? "vacuous" : made.expanded ? "refuted" : "proved"));
    const auto padding = std::get<question::Proved>(ask("padding")).value;
    RC_ASSERT(padding == test::product(made.layout.device_size) - truth.occupied);
    RC_ASSERT(std::get<question::Proved>(ask("bytes")).value == 32 * test::product(made.layout.device_size));
    refuted += question::word(bijective) == "refuted" ? 1U : 0U;
    ++decided;
  });
  EXPECT_GE(decided, test::fact_or_campaign(150U, 600U));
  EXPECT_GE(refuted, test::fact_or_campaign(5U, 20U));
}

// A view keeps the allocation's layout: each of its elements lives where the allocation has that offset, whatever rank
// the view has, also a higher one than the layout.
TEST(ConstructLaw, FindsTheElementsOfAViewWhereTheAllocationHasThem) {
  const auto layout = construct(List{6, 20}, List{20, 1}, {"SEN169_FP16", 4}, List{0, 1});
  ASSERT_TRUE(layout.has_value());
  struct View {
    const char* name;
    List size, strides;
    Index start;
  };
  const List dense{20, 1};
  for (const View& view :
       {View{"row 3", {20}, {1}, 60}, View{"a column", {6}, {20}, 7}, View{"every second row", {3, 20}, {40, 1}, 20},
        View{"flat", {120}, {1}, 0}, View{"rank 5", {2, 3, 1, 4, 5}, {60, 20, 20, 5, 1}, 0},
        View{"transposed", {20, 6}, {1, 20}, 0}, View{"reversed rows", {6, 20}, {-20, 1}, 100}}) {
    map::Tensor tensor;
    tensor.size = view.size;
    tensor.strides = view.strides;
    tensor.view_offset = view.start;
    const auto seen = lower(*layout, tensor);
    ASSERT_TRUE(seen.has_value()) << view.name;
    for (Index n = 0; n < seen->logical().volume(); ++n) {
      const Point x = seen->logical().point(n);
      Index offset = view.start;
      for (std::size_t i = 0; i < x.size(); ++i) offset += x[i] * view.strides[i];
      const Point outputs = map::outputs_at(*seen, x, {});
      ASSERT_TRUE(seen->is_slot(outputs)) << view.name;
      // sticks of 4 along rows of 20: stick-major, then the row
      ASSERT_EQ(outputs, (Point{offset % 20 / 4, offset / 20, offset % 4})) << view.name;
    }
  }
  map::Tensor beyond;
  beyond.size = {20};
  beyond.view_offset = 101;  // one row, one element late
  const auto late = lower(*layout, beyond);
  ASSERT_TRUE(late.has_value());
  EXPECT_FALSE(late->is_slot(map::outputs_at(*late, Point{19}, {})));
}

}  // namespace spyre_construct_law_test
}  // namespace vl::spyre
