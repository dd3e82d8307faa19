// The padding plan against every slot of the device box: the reference address function says which slots hold data, and
// which would hold the widened rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "encodings/spyre/operation.h"
#include "encodings/use/reference.h"
#include "tests/support/operations.h"
#include "tests/support/sanitized.h"

namespace vl::spyre {
namespace spyre_padding_plan_test {

using List = std::vector<Index>;
using test::constructed;
using test::make;
using use::Operand;
using use::PaddingMeans;
using use::PaddingNeed;

use::Judgement judged(const std::string& name, std::vector<Operand> inputs, const Operand& result) {
  const auto operation = make(name, std::move(inputs), {result});
  VL_CHECK(operation.has_value(), operation ? "" : operation.error().message);
  return judge(*operation);
}

/// The device elements of every element of a tensor, and how many elements have none.
struct Image {
  std::set<Index> elements;
  Index homeless = 0;
};
Image image(const std::string& text, const map::Tensor& tensor, const map::Space& box) {
  Image out;
  for (const use::Reference* reference : use::references()) {
    if (reference->family != "spyre") continue;
    const auto slots = reference->slots(text, tensor);
    VL_CHECK(slots.has_value(), text);
    const auto space = map::Space::create(map::Space::dims("x", tensor.size));
    Point x(space->rank(), 0);
    if (space->volume() == 0) return out;
    do {
      const auto here = (*slots)(x);
      out.homeless += here.empty() ? 1 : 0;
      for (const Point& slot : here) out.elements.insert(box.linear(slot));
    } while (map::advance(*space, x));
  }
  return out;
}

std::set<Index> listed(const PaddingNeed& need) {
  std::set<Index> out;
  Index last = -2;
  for (const auto& [first, count] : need.ranges) {
    EXPECT_GT(first, last + 1) << "ranges ascend and are joined";
    EXPECT_GT(count, 0);
    last = first + count - 1;
    for (Index i = 0; i < count; ++i) out.insert(first + i);
  }
  return out;
}

const PaddingNeed* find(const use::Judgement& judgement, std::size_t operand) {
  for (const PaddingNeed& need : judgement.padding)
    if (need.operand == operand) return &need;
  return nullptr;
}

TEST(MatmulPlan, FillsExactlyTheRowsOfYThatTheWidenedKReads) {
  Index slots_looked_at = 0;
  int with_room = 0;
  int without = 0;
  std::size_t number = 0;
  for (const Index k : {1, 2, 63, 64, 65, 67, 128})
    for (const Index n : {1, 3, 70})
      for (const Index rows : {k, ceil_div(k, 64) * 64, k + 5})
        for (const bool transposed : {false, true}) {
          if (number++ % test::fact_or_campaign(3, 1) != 0) continue;
          const Index to = ceil_div(k, 64) * 64;
          const Index held = std::max(rows, k);
          map::Tensor y;
          y.size = {k, n};
          y.strides = transposed ? List{1, held} : List{n, 1};
          const std::string text = fmt::format("SpyreTensorLayout([{}, {}], [{}], torch.float16, [0, 1])", held, n,
                                               fmt::join(*y.strides, ", "));
          const auto judgement =
              judged("matmul", {constructed({4, k}, {0, 1}), test::operand(y, text)}, constructed({4, n}, {0, 1}));
          ASSERT_EQ(judgement.no_plan, "");
          const PaddingNeed* need = find(judgement, 1);
          ASSERT_EQ(need != nullptr, k % 64 != 0) << k;
          if (need == nullptr) continue;
          EXPECT_EQ(need->from, k);
          EXPECT_EQ(need->to, to);
          EXPECT_EQ(need->means, PaddingMeans::Fill);
          EXPECT_TRUE(need->complete);
          EXPECT_EQ(need->slots, (std::min(held, to) - k) * n);
          EXPECT_EQ(need->missing, std::max<Index>(to - held, 0) * n);
          ++(need->missing > 0 ? without : with_room);
          const auto read = test::spyre_family().read(text, y);
          const map::Space& box = read->layout()->physical();
          const std::set<Index> named = listed(*need);
          EXPECT_EQ(static_cast<Index>(named.size()), need->slots);
          const Image data = image(text, y, box);
          map::Tensor wide = y;
          wide.size[0] = std::min(held, to);
          const Image widened = image(text, wide, box);
          for (Index slot = 0; slot < box.volume(); ++slot, ++slots_looked_at)
            ASSERT_EQ(named.contains(slot), widened.elements.contains(slot) && !data.elements.contains(slot))
                << text << " of K = " << k << ", device element " << slot;
        }
  EXPECT_GT(slots_looked_at, test::fact_or_campaign(60'000, 200'000));
  EXPECT_GT(with_room, test::fact_or_campaign(5, 20));
  EXPECT_GT(without, test::fact_or_campaign(5, 20));
}

// Row k of y is device row k/4, k%4 of 16 by 4 sticks: rows k to 63 are all that follows the first k.
TEST(MatmulPlan, ReachesTileDigitsThatTheRowsOfYDoNotReachYet) {
  for (const Index k : {1, 2, 3, 4, 5, 7, 33}) {
    map::Tensor y;
    y.size = {k, 64};
    const std::string text =
        "SpyreTensorLayout(device_size=[1, 16, 4, 64], stride_map=[-1, 256, 64, 1], "
        "device_dtype=DataFormats.SEN169_FP16)";
    const auto judgement =
        judged("matmul", {constructed({4, k}, {0, 1}), test::operand(y, text)}, constructed({4, 64}, {0, 1}));
    const PaddingNeed* need = find(judgement, 1);
    ASSERT_NE(need, nullptr) << k;
    EXPECT_EQ(need->missing, 0) << k;
    EXPECT_EQ(need->slots, (64 - k) * 64) << k;
    const std::set<Index> named = listed(*need);
    ASSERT_EQ(static_cast<Index>(named.size()), need->slots);
    EXPECT_EQ(*named.begin(), k * 64);
    EXPECT_EQ(*named.rbegin(), 4095);
  }
}

TEST(MatmulPlan, SaysThatTheHardwareReadsTheLanesOfXBeyondK) {
  const Operand x = constructed({4, 67}, {0, 1});
  const auto judgement = judged("matmul", {x, constructed({67, 256}, {0, 1})}, constructed({4, 256}, {0, 1}));
  const PaddingNeed* need = find(judgement, 0);
  ASSERT_NE(need, nullptr);
  EXPECT_EQ(need->means, PaddingMeans::Hardware);
  EXPECT_EQ(need->slots, 4 * 61);
  const Image data = image(x.text, x.tensor, x.reading.layout()->physical());
  const std::set<Index> named = listed(*need);
  for (Index slot = 0; slot < x.reading.layout()->physical().volume(); ++slot)
    ASSERT_EQ(named.contains(slot), !data.elements.contains(slot)) << slot;
}

// tests/inductor/test_padding.py: K = 67 pads, K = 128 does not.
TEST(MatmulPlan, OfAlignedKIsEmpty) {
  const auto plan = [](Index k) {
    return judged("matmul", {constructed({4, k}, {0, 1}), constructed({k, 256}, {0, 1})}, constructed({4, 256}, {0, 1}))
        .padding.size();
  };
  EXPECT_EQ(plan(67), 2U);
  EXPECT_EQ(plan(128), 0U);
}

TEST(MatmulPlan, CountsTheSticksOfXNotOfY) {
  // fp32 has 32 elements per stick: K = 40 goes to 64, K = 32 needs nothing; at fp16 it goes to 64.
  const auto f32 = [](Index a, Index b) {
    return test::operand(fmt::format("f32[{},{}]", a, b),
                         fmt::format("SpyreTensorLayout(({}, {}), torch.float32)", a, b));
  };
  EXPECT_EQ(judged("matmul", {f32(4, 32), f32(32, 8)}, f32(4, 8)).padding.size(), 0U);
  EXPECT_EQ(find(judged("matmul", {f32(4, 40), f32(40, 8)}, f32(4, 8)), 1)->to, 64);
  EXPECT_EQ(find(judged("matmul", {f32(4, 33), f32(33, 8)}, f32(4, 8)), 1)->to, 64);
  EXPECT_EQ(
      find(judged("matmul", {constructed({4, 32}, {0, 1}), constructed({32, 8}, {0, 1})}, constructed({4, 8}, {0, 1})),
           1)
          ->to,
      64);
}

TEST(ReductionPlan, MasksExactlyTheSlotsOfAStickThatHoldNoData) {
  Index slots_looked_at = 0;
  int masked = 0;
  for (const List& size : {List{3, 70}, List{70, 3}, List{2, 3, 65}, List{65, 2, 3}, List{64, 2}, List{130}})
    for (std::size_t stick = 0; stick < size.size(); ++stick) {
      List order;
      List result;
      List result_order;
      for (std::size_t i = 0; i < size.size(); ++i) {
        if (i == stick) continue;
        order.push_back(static_cast<Index>(i));
        result_order.push_back(static_cast<Index>(result.size()));
        result.push_back(size[i]);
      }
      order.push_back(static_cast<Index>(stick));
      result_order.push_back(-1);
      const Operand input = constructed(size, order);
      const Operand out = constructed(result, result_order);
      for (const char* name : {"sum", "mean", "max", "min"}) {
        use::OperationHints hints;
        hints.reduced = List{static_cast<Index>(stick)};
        const auto operation = make(name, {input}, {out}, use::RuleSet::Upstream, hints);
        ASSERT_TRUE(operation.has_value()) << operation.error().message;
        const auto judgement = judge(*operation);
        ASSERT_EQ(judgement.padding.size(), size[stick] % 64 == 0 ? 0U : 1U);
        if (judgement.padding.empty()) continue;
        const PaddingNeed& need = judgement.padding.front();
        EXPECT_EQ(need.means, PaddingMeans::Mask);
        EXPECT_EQ(need.missing, 0);
        EXPECT_EQ(need.from, size[stick]);
        EXPECT_EQ(need.to, ceil_div(size[stick], 64) * 64);
        const map::Space& box = input.reading.layout()->physical();
        const Image data = image(input.text, input.tensor, box);
        const std::set<Index> named = listed(need);
        for (Index slot = 0; slot < box.volume(); ++slot, ++slots_looked_at)
          ASSERT_EQ(named.contains(slot), !data.elements.contains(slot)) << input.text << " device element " << slot;
        ++masked;
      }
    }
  EXPECT_GT(slots_looked_at, 10000);
  EXPECT_GT(masked, 30);
}

TEST(ReductionPlan, OfADimensionOutsideTheStickIsEmpty) {
  EXPECT_TRUE(judged("sum", {constructed({70, 3}, {0, 1})}, constructed({3}, {0})).padding.empty());
  EXPECT_TRUE(judged("max", {constructed({3, 70}, {1, 0})}, constructed({3}, {0})).padding.empty());
}

TEST(Plans, OfPointwiseLayernormnormAndTopkAreEmpty) {
  const Operand x = constructed({3, 70}, {0, 1});
  EXPECT_TRUE(judged("pointwise", {x, x}, x).padding.empty());
  EXPECT_TRUE(judged("layernormnorm", {x}, x).padding.empty());
  EXPECT_TRUE(judged("topk", {constructed({70, 8}, {1, 0})}, constructed({70, 4}, {1, 0})).padding.empty());
}

TEST(Plans, OfExx2MaskTheStickWithZero) {
  const auto judgement =
      judged("exx2", {constructed({3, 70}, {0, 1})},
             test::operand("f16[3]", "SpyreTensorLayout((3,), (1,), torch.float16, [0,-1], ElementArrangement.EXX2)"));
  ASSERT_EQ(judgement.padding.size(), 1U);
  EXPECT_EQ(judgement.padding.front().slots, 3 * 58);
}

TEST(Plans, OfLargeOperandsCountWithoutListing) {
  // K = 8191 -> 8192: one row of 17408, in a box with room for it.
  map::Tensor y;
  y.size = {8191, 17408};
  y.strides = List{17408, 1};
  const auto judgement =
      judged("matmul",
             {constructed({100000, 8191}, {0, 1}), test::operand(y, "SpyreTensorLayout([8192, 17408], torch.float16)")},
             constructed({100000, 17408}, {0, 1}));
  const PaddingNeed* row = find(judgement, 1);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->slots, 17408);
  EXPECT_TRUE(row->complete);
  EXPECT_EQ(row->ranges.size(), 272U);  // one stick a tile: 17408 / 64
  EXPECT_EQ(row->ranges.front(), (use::SlotRange{8191 * 64, 64}));
  const PaddingNeed* lanes = find(judgement, 0);
  EXPECT_EQ(lanes->slots, 100000);
  EXPECT_FALSE(lanes->complete);
}

TEST(Plans, OfAFoldedStickAreRefusedWithAReason) {
  const Operand folded = test::operand("f16[40,60]", "SpyreTensorLayout([38,64], [64,1], SEN169_FP16)");
  const auto judgement = judged("matmul", {folded, constructed({60, 64}, {0, 1})}, constructed({40, 64}, {0, 1}));
  EXPECT_NE(judgement.no_plan.find("operand 0 (x) mixes dimensions"), std::string::npos);
}

}  // namespace spyre_padding_plan_test
}  // namespace vl::spyre
