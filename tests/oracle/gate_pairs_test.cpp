// Pairs of features: every pair that a family can wish for is wished for equally often, samples take what is wished,
// and what was seen together is counted.
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "encodings/use/family.h"
#include "oracle/gate/drawn.h"
#include "oracle/gate/pairs.h"

namespace vl::gate {
namespace oracle_gate_pairs_test {

using Of = PairCounts::Of;

const Operation& place() { return *find_operation("place"); }

TEST(GatePairs, EachIsWishedForInTurn) {
  std::size_t families = 0;
  for (const use::Family* family : use::families()) {
    if (family->campaign == nullptr || family->campaign->wishes.size() < 2) continue;
    ++families;
    const std::size_t count = family->campaign->wishes.size(), pairs = count * (count - 1) / 2;
    std::map<use::Features, std::size_t> wished;
    for (std::uint64_t number = 0; number < 4 * 16 * pairs; ++number) {
      const use::Wishes wishes = wishes_of(*family, place(), 1, number);
      ASSERT_EQ(wishes.on & wishes.off, 0U);
      ASSERT_EQ(wishes.on, wishes_of(*family, place(), 2, number).on);
      if (wishes.on != 0) ++wished[wishes.on];
    }
    EXPECT_EQ(wished.size(), pairs) << family->name;
    for (const auto& [on, times] : wished) {
      EXPECT_EQ(std::popcount(on), 2);
      EXPECT_EQ(times, 3U * 16U) << family->name;
    }
  }
  EXPECT_GE(families, 3U);
}

TEST(GatePairs, OperationsThatNeedMemoryAreNotAskedFarApart) {
  const use::Family& family = *use::family_of({}, "tirx");
  for (std::uint64_t number = 0; number < 4096; ++number)
    ASSERT_FALSE(wishes_of(family, *find_operation("image.pack"), 1, number).has(use::Feature::Far));
}

// As cases are drawn.
use::Sample drawn(const use::Family& family, use::Random& random) {
  if (family.campaign->draw_small == nullptr) return family.campaign->draw(random, 0, false);
  use::Sample out;
  EXPECT_TRUE(family.campaign->draw_small(random, 0, 64, 400, out));
  return out;
}

TEST(GatePairs, SamplesTakeWhatIsWished) {
  std::map<std::string, std::size_t> taken;
  std::size_t far = 0;
  for (const std::string name : {"tirx", "cute", "spyre"}) {
    const use::Family& family = *use::family_of({}, name);
    for (const use::Feature feature : family.campaign->wishes)
      for (std::uint64_t number = 0; number < 40; ++number) {
        use::Random with(5, 1, number), without(5, 1, number);
        with.wishes.on = use::bit(feature), without.wishes.off = use::bit(feature);
        const use::Sample sample = drawn(family, with);
        taken[name + "/" + std::string(use::name(feature))] += sample.has(feature) ? 1 : 0;
        if (feature == use::Feature::Swizzled || feature == use::Feature::Replicated || feature == use::Feature::Far) {
          EXPECT_FALSE(drawn(family, without).has(feature));
        }
        const auto layout = family.campaign->lower(sample);
        ASSERT_TRUE(layout.has_value()) << family.campaign->print(sample);
        if (feature != use::Feature::Far || layout->physical().rank() != 1) continue;
        far += layout->physical().volume() > 0xffff ? 1 : 0;
      }
  }
  for (const auto& [feature, times] : taken) EXPECT_GE(times, 5U) << feature;
  EXPECT_GE(taken.size(), 18U);
  EXPECT_GE(far, 20U);
}

TEST(GatePairs, AreCountedAndAddUp) {
  oracle::Subject subject;
  subject.set(use::Feature::Swizzled);
  subject.set(use::Feature::Far);
  subject.tensor.type = map::ElementType::F16;
  subject.tensor.size = {2, 3, 1};
  const Traits traits = traits_of(subject);
  EXPECT_EQ(std::popcount(traits), 4);  // and many dimensions, and an extent of 1
  PairCounts one, other;
  one.add(traits, Of::Asked, 2);
  EXPECT_EQ(one.seen(Of::Asked), 6U);
  EXPECT_EQ(one.seen(Of::Answered), 0U);
  EXPECT_EQ(one.unanswered(2), (std::vector<std::string>{"swizzled+far", "swizzled+many-dims"}));
  other.add(traits, Of::Answered, 1);
  one.add(other);
  EXPECT_TRUE(one.unanswered(8).empty());
  PairCounts again;
  ASSERT_TRUE(again.read(one.numbers()));
  EXPECT_EQ(again.numbers(), one.numbers());
  EXPECT_FALSE(again.read({1}));
  EXPECT_FALSE(again.read({PairCounts::kOf * PairCounts::kPairs, 1}));
}

}  // namespace oracle_gate_pairs_test
}  // namespace vl::gate
