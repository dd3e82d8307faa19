// The claims about loop nests: the answer of each for right and wrong nests, with its witness and words.
#include <gtest/gtest.h>

#include "encodings/use/family.h"
#include "encodings/use/synthesis.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace claims_transfers_test {

using use::Direction;
using use::Nest;
using use::Transfer;

map::Layout layout_of(const std::string& text, const std::string& tensor) {
  auto parsed = map::parse_tensor(tensor);
  auto reading = use::family_of({}, "spyre")
                     ->read("SpyreTensorLayout(" + text + ", device_dtype=DataFormats.SEN169_FP16)", *parsed);
  VL_CHECK(reading.has_value(), "a test's layout");
  return *reading->layout();
}

// f16[120] on two sticks: 64 elements and 56.
map::Layout two_sticks() { return layout_of("device_size=[2, 64], stride_map=[64, 1]", "f16[120]"); }

Transfer upload() {
  return {Direction::HostToDevice,
          {Nest{{1, 64}, {{64, 1}, 0}, {{64, 1}, 0}}, Nest{{1, 56}, {{64, 1}, 64}, {{64, 1}, 64}}}};
}

Verdict ask(std::string_view claim, const map::Layout& layout, const Transfer& transfer,
            const map::Layout* from = nullptr) {
  return decide(*find_claim(claim, true), Transferred{layout, transfer, from}, {}).verdict;
}

std::string word(std::string_view claim, const map::Layout& layout, const Transfer& transfer) {
  return std::string(question::word(ask(claim, layout, transfer)));
}

Counterexample counterexample(std::string_view claim, const map::Layout& layout, const Transfer& transfer) {
  const Verdict verdict = ask(claim, layout, transfer);
  const auto* refuted = std::get_if<Refuted>(&verdict);
  return refuted != nullptr ? refuted->counterexample : Counterexample{{}, "not refuted"};
}

using Fields = decltype(Counterexample::fields);

TEST(NestClaims, RightNestsAreProvedInEveryClaim) {
  for (const char* claim : {"in-bounds", "covers-once", "implements", "no-overlap", "symmetric"}) {
    EXPECT_EQ(word(claim, two_sticks(), upload()), "proved") << claim;
    EXPECT_EQ(word(claim, two_sticks(), use::reversed(upload())), "proved") << claim;
  }
}

TEST(NestClaims, AreFoundByTheirNamesApartFromThoseAboutLayouts) {
  EXPECT_NE(find_claim("in-bounds", true), nullptr);
  EXPECT_NE(find_claim("in-bounds", true), find_claim("in-bounds"));
  EXPECT_EQ(find_claim("injective", true), nullptr);
  EXPECT_EQ(find_claim("implements"), nullptr);
}

TEST(NestClaims, ALaneTooFewLeavesTheLastElementUnwritten) {
  Transfer transfer = upload();
  transfer.nests[1].extents[1] = 55;
  EXPECT_EQ(word("in-bounds", two_sticks(), transfer), "proved");
  EXPECT_EQ(word("no-overlap", two_sticks(), transfer), "proved");
  for (const char* claim : {"covers-once", "implements"}) {
    const Counterexample found = counterexample(claim, two_sticks(), transfer);
    EXPECT_EQ(found.fields, (Fields{{"a", Point{119}}, {"device", Index{119}}, {"times", Index{0}}})) << claim;
    EXPECT_EQ(found.explanation, std::string_view(claim) == "implements"
                                     ? "element [119] is not moved to device offset 119"
                                     : "element [119] is never written: nothing goes to device offset 119");
  }
}

TEST(NestClaims, ALaneTooManyReadsBehindTheHost) {
  Transfer transfer = upload();
  transfer.nests[1].extents[1] = 57;
  EXPECT_EQ(word("covers-once", two_sticks(), transfer), "proved");
  const Counterexample found = counterexample("in-bounds", two_sticks(), transfer);
  EXPECT_EQ(found.fields,
            (Fields{{"nest", Index{1}}, {"iteration", Point{0, 56}}, {"host", Index{120}}, {"device", Index{120}}}));
  EXPECT_EQ(found.explanation, "nest 1, iteration [0, 56] reads host offset 120, and there is [0, 119]");
  EXPECT_EQ(
      counterexample("implements", two_sticks(), transfer).explanation,
      "nest 1, iteration [0, 56] is not a move of this layout: host offset 120 is outside, device offset 120 holds "
      "no element");
}

TEST(NestClaims, TheWrongPlaceIsAStrayMoveAndStillCoversOnce) {
  // Every slot is written once, with another element's data: the lanes run backwards on the host.
  const Transfer transfer{Direction::HostToDevice, {Nest{{120}, {{-1}, 119}, {{1}, 0}}}};
  EXPECT_EQ(word("covers-once", two_sticks(), transfer), "proved");
  const Counterexample found = counterexample("implements", two_sticks(), transfer);
  EXPECT_EQ(found.fields,
            (Fields{{"nest", Index{0}}, {"iteration", Point{0}}, {"host", Index{119}}, {"device", Index{0}}}));
  EXPECT_EQ(found.explanation,
            "nest 0, iteration [0] is not a move of this layout: host offset 119 holds element [119], device offset 0 "
            "holds element [0]");
}

TEST(NestClaims, ADoubledNestWritesTwice) {
  Transfer transfer = upload();
  transfer.nests.push_back(transfer.nests[1]);
  const Counterexample twice = counterexample("implements", two_sticks(), transfer);
  EXPECT_EQ(twice.fields, (Fields{{"a", Point{64}}, {"device", Index{64}}, {"times", Index{2}}}));
  EXPECT_EQ(
      twice.explanation,
      "element [64] at device offset 64 is written 2 times, by nest 1, iteration [0, 0] and nest 2, iteration [0, 0]");
  const Counterexample overlap = counterexample("no-overlap", two_sticks(), transfer);
  EXPECT_EQ(overlap.explanation, "nest 1, iteration [0, 0] and nest 2, iteration [0, 0] both write device offset 64");
  EXPECT_EQ(overlap.fields.back(), (std::pair<std::string, Counterexample::Value>{"other_iteration", Point{0, 0}}));
}

TEST(NestClaims, WritingPaddingTwiceOverlapsAndStillCoversOnce) {
  Transfer transfer = upload();
  for (int again = 0; again < 2; ++again) transfer.nests.push_back(Nest{{1}, {{1}, 0}, {{1}, 127}});
  EXPECT_EQ(word("covers-once", two_sticks(), transfer), "proved");
  EXPECT_EQ(word("no-overlap", two_sticks(), transfer), "refuted");
  EXPECT_EQ(word("implements", two_sticks(), transfer), "refuted");
}

TEST(NestClaims, OneLoopMayWalkOverSeveralDeviceDimensions) {
  const Transfer transfer{Direction::HostToDevice, {Nest{{120}, {{1}, 0}, {{1}, 0}}}};
  EXPECT_EQ(word("implements", two_sticks(), transfer), "proved");
}

TEST(NestClaims, NothingToMoveIsVacuousAndNotProved) {
  const map::Layout empty = layout_of("device_size=[0, 64], stride_map=[64, 1]", "f16[0]");
  const Transfer nothing{Direction::HostToDevice, {}};
  for (const char* claim : {"in-bounds", "covers-once", "implements", "no-overlap"})
    EXPECT_EQ(word(claim, empty, nothing), "vacuous") << claim;
  EXPECT_EQ(word("covers-once", two_sticks(), nothing), "refuted");
  EXPECT_EQ(word("implements", two_sticks(), nothing), "refuted");
  EXPECT_EQ(word("implements", empty, upload()), "refuted");
  EXPECT_EQ(word("in-bounds", empty, upload()), "refuted");
}

TEST(NestClaims, AnElementWithoutASlotIsNeverServed) {
  const map::Layout small = layout_of("device_size=[1, 64], stride_map=[64, 1]", "f16[120]");
  const Transfer transfer{Direction::HostToDevice, {Nest{{64}, {{1}, 0}, {{1}, 0}}}};
  const Counterexample found = counterexample("implements", small, transfer);
  // A device dimension of size 1 takes no digit.
  EXPECT_EQ(found.explanation, "element [64] has no slot: d1 would be 64, and its extent is 64");
}

TEST(NestClaims, EveryReplicaIsWrittenAndOneIsRead) {
  const map::Layout copies = layout_of("device_size=[3, 1, 64], stride_map=[0, 64, 1]", "f16[60]");
  const auto up = use::synthesise(copies, Direction::HostToDevice);
  const auto down = use::synthesise(copies, Direction::DeviceToHost);
  ASSERT_TRUE(up && down);
  EXPECT_EQ(word("implements", copies, *up), "proved");
  EXPECT_EQ(word("implements", copies, *down), "proved");
  EXPECT_EQ(word("symmetric", copies, *up), "refuted");  // it would write the host three times
}

TEST(NestClaims, BetweenTwoDeviceLayouts) {
  const map::Layout from = layout_of("device_size=[4, 40, 64], stride_map=[64, 240, 1]", "f16[40,240]");
  const map::Layout to = layout_of("device_size=[1, 240, 64], stride_map=[15360, 1, 240]", "f16[40,240]");
  const auto transfer = use::synthesise(from, to);
  ASSERT_TRUE(transfer);
  EXPECT_EQ(question::word(ask("implements", to, *transfer, &from)), "proved");
  EXPECT_EQ(question::word(ask("in-bounds", to, *transfer, &from)), "proved");
  EXPECT_EQ(question::word(ask("implements", from, *transfer, &to)), "refuted");
  Transfer shifted = *transfer;
  shifted.nests[0].source.offset += 1;
  const Verdict verdict = ask("implements", to, shifted, &from);
  ASSERT_TRUE(std::holds_alternative<Refuted>(verdict));
  EXPECT_EQ(std::get<Refuted>(verdict).counterexample.explanation,
            "nest 0, iteration [0, 0, 0, 0] is not a move of this layout: from offset 1 holds element [0, 1], to "
            "offset 0 holds "
            "element [0, 0]");
}

TEST(NestClaims, OfNumbersBeyond64BitsAreOutOfBounds) {
  constexpr Index kFar = Index{1} << 62;
  const Transfer far{Direction::HostToDevice, {Nest{{3, 3}, {{kFar, -kFar}, 0}, {{kFar, kFar}, 0}}}};
  const Counterexample found = counterexample("in-bounds", two_sticks(), far);
  EXPECT_EQ(found.fields, (Fields{{"nest", Index{0}}, {"iteration", Point{0, 1}}, {"host", -kFar}, {"device", kFar}}));
  for (const char* claim : {"implements", "symmetric"})
    EXPECT_EQ(counterexample(claim, two_sticks(), far).fields[1].second, found.fields[1].second) << claim;
  const Transfer farther{Direction::HostToDevice, {Nest{{2}, {{Index{1} << 62}, Index{1} << 62}, {{1}, 0}}}};
  EXPECT_EQ(counterexample("in-bounds", two_sticks(), farther).explanation,
            "nest 0, iteration [0] reads host offset 4611686018427387904, and there is [0, 119]");
  const Transfer wrapping{Direction::HostToDevice,
                          {Nest{{5}, {{Index{1} << 62}, 0}, {{Index{1} << 62}, -(Index{1} << 62)}}}};
  EXPECT_EQ(word("in-bounds", two_sticks(), wrapping), "refuted");
}

TEST(NestClaims, WithoutAMoveThatCanBeNumberedIsToldInWords) {
  // Device offset 0, host offset 2^62 + 2^62: beyond 64 bits, and the first move of all.
  const Transfer far{Direction::HostToDevice,
                     {Nest{{1, 2}, {{0, 0}, 0}, {{0, 0}, 0}}, Nest{{3}, {{(Index{1} << 62) + 1}, 119}, {{0}, 119}}}};
  const Counterexample found = counterexample("in-bounds", two_sticks(), far);
  EXPECT_EQ(found.fields[0].second, Counterexample::Value{Index{1}});
}

TEST(NestClaims, OfNumbersBeyond64BitsAreOtherwiseUndecidedAndSayWhy) {
  constexpr Index kFar = Index{1} << 62;
  const Transfer far{Direction::HostToDevice, {Nest{{3, 3}, {{kFar, -kFar}, 0}, {{kFar, kFar}, 0}}}};
  for (const char* claim : {"covers-once", "no-overlap"})
    for (const char* engine : {"", "strided", "enumerate", "smt"}) {
      engines::Options options;
      options.only = engine;
      const map::Layout layout = two_sticks();
      const Verdict verdict = decide(*find_claim(claim, true), Transferred{layout, far}, options).verdict;
      ASSERT_TRUE(std::holds_alternative<Unknown>(verdict)) << claim << " " << engine;
      EXPECT_EQ(std::get<Unknown>(verdict).detail, "the offsets of a nest leave 64 bits");
    }
}

TEST(NestClaims, OfMoreReplicasThanAreListedAreAnswered) {
  const map::Layout layout = layout_of("device_size=[2000000, 2, 8, 64], stride_map=[0, 64, 128, 1]", "f16[8,128]");
  const Transfer one{Direction::HostToDevice, {Nest{{8, 128}, {{128, 1}, 0}, {{64, 1}, 0}}}};
  EXPECT_EQ(word("in-bounds", layout, one), "proved");
  EXPECT_EQ(word("covers-once", layout, one), "refuted");
  EXPECT_NE(word("implements", layout, one), "proved");
  const auto all = use::synthesise(layout, Direction::HostToDevice);
  ASSERT_TRUE(all);
  EXPECT_EQ(word("implements", layout, *all), "proved");
}

TEST(NestClaims, CostNothingMoreForExtentsAThousandTimesLarger) {
  // 7.5*10^10 elements: nothing here walks over them.
  const map::Layout layout =
      layout_of("device_size=[100000, 3, 5000, 64], stride_map=[150, 64, 15000000, 1]", "f16[5000,100000,150]");
  auto transfer = use::synthesise(layout, Direction::HostToDevice);
  ASSERT_TRUE(transfer);
  EXPECT_EQ(word("implements", layout, *transfer), "proved");
  EXPECT_EQ(word("covers-once", layout, *transfer), "proved");
  EXPECT_EQ(word("no-overlap", layout, *transfer), "proved");
  transfer->nests[1].extents.back() -= 1;
  EXPECT_EQ(counterexample("implements", layout, *transfer).fields.front(),
            (std::pair<std::string, Counterexample::Value>{"a", Point{0, 0, 149}}));
  transfer->nests[1].extents.back() += 1;
  transfer->nests[0].destination.strides.back() += 1;
  EXPECT_EQ(counterexample("implements", layout, *transfer).fields[1],
            (std::pair<std::string, Counterexample::Value>{"iteration", Point{0, 0, 0, 1}}));
  EXPECT_EQ(word("covers-once", layout, *transfer), "refuted");
  EXPECT_EQ(word("no-overlap", layout, *transfer), "refuted");
}

}  // namespace claims_transfers_test
}  // namespace vl::claims
