// Every stride_map layout of a small scope: device ranks 1 to 3 with sizes 0 to 4 and strides -1 to 8, over every dense
// host of rank 0 to 2 with extents 0 to 4. The engines agree with the rule, element by element, or abstain; the test
// asserts how often they decided. Of rank 3, a share of the layouts (tests/support/shard.h).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "encodings/spyre/spyre.h"
#include "tests/support/answers.h"
#include "tests/support/shard.h"
#include "tests/support/spyre_brute.h"
#include "verifier/engines/engine.h"

namespace vl::engines {
namespace engines_small_scope_campaign {

using question::Kind;
using test::Said;

constexpr std::array kKinds = {Kind::Escapes, Kind::Collides, Kind::Misses, Kind::Count, Kind::Misdecodes};

constexpr Index kMostSize = 4;
constexpr Index kLeastStride = -1;
constexpr Index kMostStride = 8;

const Options kOptions{};

std::vector<map::Tensor> hosts() {
  std::vector<map::Tensor> all(1);
  for (Index a = 0; a <= kMostSize; ++a) {
    all.emplace_back().size = {a};
    for (Index b = 0; b <= kMostSize; ++b) all.emplace_back().size = {a, b};
  }
  return all;
}

std::string show(const spyre::SpyreTensorLayout& layout, const map::Tensor& tensor) {
  return fmt::format("device_size {} stride_map {} dim_map {} host {}", layout.device_size, layout.stride_map,
                     layout.dim_map, map::print(tensor));
}

struct Tally {
  Index layouts = 0;
  std::array<Index, kKinds.size()> decided{};
  std::array<Index, kKinds.size()> found{};  // of these, with a witness
  Index missed = 0;                          // abstentions on layouts of which every point has a slot
  Index wrong = 0;
};

void count(const Engine& engine, const spyre::SpyreTensorLayout& layout, const map::Tensor& tensor,
           const map::Layout& lowered, const test::Truth& truth, Tally& tally) {
  for (std::size_t k = 0; k < kKinds.size(); ++k) {
    const Answer answer = engine.decide({kKinds[k], &lowered, nullptr}, kOptions);
    const Said said = test::judge(truth, kKinds[k], answer);
    if (said != Said::Abstained) ++tally.decided[k];
    else if (!truth.escapes) ++tally.missed;
    if (std::holds_alternative<Found>(answer)) ++tally.found[k];
    if (said == Said::Wrong && ++tally.wrong <= 5)
      ADD_FAILURE() << engine.name << " on " << show(layout, tensor) << ", " << question::name(kKinds[k]) << ": "
                    << test::describe(answer);
  }
  ++tally.layouts;
}

// Visits the layouts of one rank whose first stride is `first`, or of ranks 1 and 2 if it is absent.
template <class Visit>
void each_layout(std::optional<Index> first, Visit visit) {
  const std::size_t most = first ? 3 : 2;
  for (std::size_t rank = first ? 3 : 1; rank <= most; ++rank) {
    std::vector<Index> size(rank, 0);
    std::vector<Index> stride(rank, kLeastStride);
    if (first) stride[0] = *first;
    const auto step = [&] {
      for (std::size_t j = rank; j-- > 0;) {
        if (++size[j] <= kMostSize) return true;
        size[j] = 0;
        if (first && j == 0) return false;
        if (++stride[j] <= kMostStride) return true;
        stride[j] = kLeastStride;
      }
      return false;
    };
    do visit(test::raw_layout(size, stride));
    while (step());
  }
}

struct Shard {
  std::optional<Index> first_stride;
};
std::string name_of(const testing::TestParamInfo<Shard>& info) {
  if (!info.param.first_stride) return "Ranks1And2";
  return *info.param.first_stride < 0 ? "Rank3FirstStrideNegative"
                                      : fmt::format("Rank3FirstStride{}", *info.param.first_stride);
}
void PrintTo(const Shard&, std::ostream*) {}

class SmallScope : public testing::TestWithParam<Shard> {};

TEST_P(SmallScope, EnumerateAndStridedSayWhatTheRuleSays) {
  const std::vector<map::Tensor> tensors = hosts();
  ASSERT_EQ(tensors.size(), 31U);
  Tally enumerate;
  Tally strided;
  Index seen = 0;
  // The walk is the plainest engine and takes half of the time: of rank 3 it is asked about every fourth layout.
  const Index every = GetParam().first_stride ? 4 : 1;
  const test::Shard shard = GetParam().first_stride ? test::shard_of(6) : test::Shard{};
  std::uint64_t number = 0;
  each_layout(GetParam().first_stride, [&](const spyre::SpyreTensorLayout& layout) {
    if (!shard.has(number++)) return;
    for (const map::Tensor& tensor : tensors) {
      ++seen;
      const auto strides = map::dense_strides(tensor.size);
      const auto lowered = spyre::lower(layout, tensor);
      ASSERT_TRUE(lowered.has_value()) << show(layout, tensor);
      const test::Truth truth = test::truth_of(layout, tensor, *strides);
      if (seen % every == 0) count(find_engine("enumerate"), layout, tensor, *lowered, truth, enumerate);
      count(find_engine("strided"), layout, tensor, *lowered, truth, strided);
    }
  });
  const Index layouts = GetParam().first_stride ? Index{5} * 50 * 50 * 31 : Index{50 + 2500} * 31;
  EXPECT_GE(seen, layouts / static_cast<Index>(shard.count) * 9 / 10);
  EXPECT_EQ(strided.layouts, seen);
  EXPECT_EQ(enumerate.layouts, seen / every);
  EXPECT_EQ(enumerate.wrong + strided.wrong, 0);
  // If some point has no slot, rewriting may not see that decode inverts the map; no claim asks this.
  EXPECT_EQ(strided.missed, 0);
  for (std::size_t k = 0; k < kKinds.size(); ++k) {
    EXPECT_EQ(enumerate.decided[k], enumerate.layouts) << question::name(kKinds[k]);
    const Index floor = kKinds[k] == Kind::Misdecodes ? strided.layouts * 4 / 5 : strided.layouts;
    EXPECT_GE(strided.decided[k], floor) << question::name(kKinds[k]);
  }
  // Both answers occur in every shard, but for collisions: on a dense host, greedy digits never collide.
  for (const Tally* tally : {&enumerate, &strided}) {
    EXPECT_GT(tally->found[0], tally->layouts / 3);
    EXPECT_LT(tally->found[0], tally->layouts * 2 / 3);
    EXPECT_GT(tally->found[2], tally->layouts / 3);
    EXPECT_LT(tally->found[2], tally->layouts * 2 / 3);
    EXPECT_EQ(tally->found[1] + tally->found[4], 0);
  }
}

std::vector<Shard> shards() {
  std::vector<Shard> all{{std::nullopt}};
  for (Index first = kLeastStride; first <= kMostStride; ++first) all.push_back({first});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Exhaustive, SmallScope, testing::ValuesIn(shards()), name_of);

// A fixed sample of the same scope.
Tally sample(const Engine& engine, Index every) {
  const std::vector<map::Tensor> tensors = hosts();
  Tally tally;
  Index seen = 0;
  for (const Shard& shard : shards())
    each_layout(shard.first_stride, [&](const spyre::SpyreTensorLayout& layout) {
      for (const map::Tensor& tensor : tensors) {
        if (seen++ % every != 0) continue;
        const auto lowered = spyre::lower(layout, tensor);
        VL_CHECK(lowered.has_value(), "a layout of the scope");
        count(engine, layout, tensor, *lowered, test::truth_of(layout, tensor, *map::dense_strides(tensor.size)),
              tally);
      }
    });
  EXPECT_GE(seen, 3'954'050);
  EXPECT_EQ(tally.layouts, ceil_div(seen, every));
  EXPECT_EQ(tally.wrong, 0);
  return tally;
}

// Solvers are a thousand times slower. They count only where every point has a slot of its own, which on a dense host
// is where none escapes, and where there are none.
TEST(SmallScopeSolvers, SayWhatTheRuleSaysOnASample) {
  for (const char* engine : {"presburger", "smt"}) {
    const Tally tally = sample(find_engine(engine), test::cases(16'421, 5407));
    for (std::size_t k = 0; k < kKinds.size(); ++k)
      EXPECT_GE(tally.decided[k], kKinds[k] == Kind::Count ? tally.layouts - tally.found[0] : tally.layouts)
          << engine << " " << question::name(kKinds[k]);
  }
}

// Two of five extents are not powers of two, and few sums of strides up to 8 have no carry.
TEST(SmallScopeGf2, SaysWhatTheRuleSaysOnASample) {
  const Tally tally = sample(find_engine("gf2"), 41);
  for (std::size_t k = 0; k < kKinds.size(); ++k)
    EXPECT_GE(tally.decided[k], tally.layouts / 4) << question::name(kKinds[k]);
}

}  // namespace engines_small_scope_campaign
}  // namespace vl::engines
