// Known numbers of wavefronts: columns of half-precision tiles under the three swizzles, widths and their phases,
// broadcasts, predicates, matrices. Every engine that decides has to give them.
#include <gtest/gtest.h>

#include "tests/support/access_brute.h"
#include "tests/support/tiles.h"
#include "verifier/engines/banks.h"

namespace vl::engines {
namespace engines_banks_facts_test {

test::Tile row_major(Index rows, Index columns, int swizzle_len = 0, int per_element = 3) {
  return test::tile_on_m({rows, columns}, {{rows, columns}, {columns, 1}}, 0, {per_element, swizzle_len, 3});
}

Reach reach(const test::Tile& layout, const std::string& text, int bits = 16) {
  const auto access = use::parse_access(text);
  EXPECT_TRUE(access.has_value()) << text << ": " << access.error().message;
  auto made = reach_of(*access, layout_of(layout), nullptr, bits, test::nvidia());
  EXPECT_TRUE(made.has_value()) << text << ": " << made.error().message;
  return std::move(*made);
}

struct Numbers {
  Index wavefronts = 0;
  Index excess = 0;
  bool operator==(const Numbers&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Numbers& n) {
    return out << n.wavefronts << " and " << n.excess;
  }
};

// The common answer of all engines that decide; at least two must decide.
Numbers numbers(const Reach& reach) {
  Options options;
  options.cross_check = true;
  const Decision worst = decide({Kind::Count, &reach, 0, question::Measure::Wavefronts}, options);
  const Decision excess = decide({Kind::Count, &reach, 0}, options);
  const Decision exceeds = decide({Kind::Crowds, &reach, 0}, options);
  EXPECT_FALSE(worst.disagreement || excess.disagreement || exceeds.disagreement);
  const Numbers out{std::get<Counted>(worst.answer).count, std::get<Counted>(excess.answer).count};
  EXPECT_EQ(std::holds_alternative<Found>(exceeds.answer), out.excess > 0);
  EXPECT_EQ(std::holds_alternative<None>(exceeds.answer), out.excess == 0);
  return out;
}

Numbers numbers(const test::Tile& layout, const std::string& access, int bits = 16) {
  return numbers(reach(layout, access, bits));
}

TEST(BankFacts, AColumnOf8RowsCosts8WavefrontsAndFewerUnderEachWiderSwizzle) {
  const Index expected[] = {8, 4, 2, 1};
  for (int bits = 0; bits <= 3; ++bits)
    for (const char* width : {"2", "16"}) {
      const std::string access = std::string("lanes=8 width=") + width + " at=[lane, 0]";
      EXPECT_EQ(numbers(row_major(8, 64, bits), access), (Numbers{expected[bits], expected[bits] - 1}))
          << access << bits;
    }
}

TEST(BankFacts, AColumnOf32RowsCosts32WavefrontsAndStill4UnderTheWidestSwizzle) {
  const Index expected[] = {32, 16, 8, 4};
  for (int bits = 0; bits <= 3; ++bits)
    EXPECT_EQ(numbers(row_major(32, 64, bits), "lanes=32 width=2 at=[lane, 0]"),
              (Numbers{expected[bits], expected[bits] - 1}));
}

TEST(BankFacts, ARowPitchOf256BytesLeavesTheWidestSwizzle2Wavefronts) {
  EXPECT_EQ(numbers(row_major(8, 128, 3), "lanes=8 width=16 at=[lane, 0]"), (Numbers{2, 1}));
}

TEST(BankFacts, AColumnOf8By16BytesIsFreeOfConflictsWhenThePitchIsTheSwizzlesWidth) {
  const Index columns[] = {16, 32, 64};
  const Index without[] = {2, 4, 8};
  for (int bits = 1; bits <= 3; ++bits) {
    const auto at = static_cast<std::size_t>(bits - 1);
    EXPECT_EQ(numbers(row_major(8, columns[at]), "lanes=8 width=16 at=[lane, 0]").wavefronts, without[at]);
    EXPECT_EQ(numbers(row_major(8, columns[at], bits), "lanes=8 width=16 at=[lane, 0]").wavefronts, 1);
  }
}

TEST(BankFacts, ConsecutiveLanesCostOneWavefrontAPhaseAtEveryWidth) {
  const std::map<Index, Index> phases{{1, 1}, {2, 1}, {4, 1}, {8, 2}, {16, 4}};
  for (const auto& [width, wavefronts] : phases) {
    const std::string access =
        "lanes=32 width=" + std::to_string(width) + " at=[0, lane*" + std::to_string(width) + "]";
    EXPECT_EQ(numbers(row_major(1, 512), access, 8), (Numbers{wavefronts, 0})) << access;
  }
}

TEST(BankFacts, LanesThatShareAWordAreServedOnce) {
  EXPECT_EQ(numbers(row_major(1, 64), "lanes=32 width=2 at=[0, 7]"), (Numbers{1, 0}));
  EXPECT_EQ(numbers(row_major(1, 64), "lanes=32 width=2 at=[0, lane % 2]"), (Numbers{1, 0}));  // two halves of one word
  EXPECT_EQ(numbers(row_major(1, 64), "lanes=32 width=16 at=[0, 8]"), (Numbers{4, 0}));
}

TEST(BankFacts, LanesOfDifferentPhasesNeverConflict) {
  EXPECT_EQ(numbers(row_major(4, 64), "lanes=32 width=16 at=[lane / 8, lane % 8 * 8]"), (Numbers{4, 0}));
  EXPECT_EQ(numbers(row_major(4, 64), "lanes=32 width=4 at=[lane / 8, lane % 8 * 2]"), (Numbers{4, 3}));
}

TEST(BankFacts, InactiveLanesDropOut) {
  EXPECT_EQ(numbers(row_major(8, 64), "lanes=8 width=2 at=[lane, 0] when lane < 3"), (Numbers{3, 2}));
  EXPECT_EQ(numbers(row_major(8, 64), "lanes=16 width=2 at=[lane, 0] when lane < 8 and lane % 4 == 1"),
            (Numbers{2, 1}));
}

TEST(BankFacts, MatricesAreOnePhaseOf8RowsEach) {
  const std::string rows = " at=[lane % 16, lane / 16 * 8]";
  EXPECT_EQ(numbers(row_major(16, 64), "ldmatrix.x4" + rows), (Numbers{32, 28}));
  EXPECT_EQ(numbers(row_major(16, 64, 3), "ldmatrix.x4" + rows), (Numbers{4, 0}));
  EXPECT_EQ(numbers(row_major(16, 64, 3), "stmatrix.x2 at=[lane, 0]"), (Numbers{2, 0}));
  EXPECT_EQ(numbers(row_major(16, 64, 3), "ldmatrix.x1 at=[lane, 0]"), (Numbers{1, 0}));
}

// Counted by an H200: corpus/tirx/measured.toml has such accesses.
TEST(BankFacts, LoadsOfPairsTakeHalfThePhasesAndStoresDoNot) {
  const std::string next = "lanes=32 width=16 at=[0, lane / 2 * 8]", beyond = "lanes=32 width=16 at=[0, lane / 4 * 16]";
  for (const std::string& pairs :
       {next, beyond, std::string("lanes=32 width=16 at=[0, lane % 2 * 8 + lane / 4 * 16]")}) {
    EXPECT_EQ(numbers(row_major(1, 256), "load " + pairs).wavefronts, 2) << pairs;
    EXPECT_EQ(numbers(row_major(1, 256), "store " + pairs).wavefronts, 4) << pairs;
    EXPECT_EQ(numbers(row_major(1, 256), pairs).wavefronts, 4) << pairs;
  }
  EXPECT_EQ(numbers(row_major(1, 256), "load lanes=32 width=8 at=[0, lane / 2 * 4]"), (Numbers{1, 0}));
  EXPECT_EQ(numbers(row_major(1, 256), "load lanes=32 width=8 at=[0, lane / 8 * 4]"), (Numbers{1, 0}));
  EXPECT_EQ(numbers(row_major(1, 256), "load lanes=32 width=8 at=[0, lane % 16 * 4]"), (Numbers{2, 0}));
  // Pairs in all of the warp, or none; an inactive lane agrees.
  EXPECT_EQ(numbers(row_major(1, 256), "load lanes=32 width=16 at=[0, lane / 2 * 8 + lane / 31 * 8]").wavefronts, 4);
  EXPECT_EQ(numbers(row_major(1, 256), "load lanes=32 width=16 at=[0, lane / 2 * 8 + lane / 31 * 8] when lane < 31")
                .wavefronts,
            2);
  EXPECT_EQ(numbers(row_major(1, 256), "load lanes=32 width=16 at=[0, lane / 2 * 8] when lane % 2 == 0").wavefronts, 2);
  // Rows of 512 bytes, i = 0: lanes 2j and 2j + 1 agree, 2 phases; i = 1: they are rows apart, 4 phases of 2.
  EXPECT_EQ(numbers(row_major(2, 256), "load lanes=32 width=16 at=[lane % 2 * 1, lane / 2 * 8]").wavefronts, 8);
  EXPECT_EQ(numbers(row_major(4, 256), "load lanes=32 width=16 at=[(i + 1) / 2, lane / 2 * 8] for i=0:2"),
            (Numbers{2, 0}));
  EXPECT_EQ(numbers(row_major(4, 256), "load lanes=32 width=16 at=[(i + lane % 2) / 2, lane / 2 * 8] for i=0:2"),
            (Numbers{8, 4}));
}

TEST(BankFacts, AMisalignedLaneIsCountedByTheWordsThatItTouches) {
  EXPECT_EQ(numbers(row_major(1, 4096), "lanes=2 width=4 at=[0, lane*126 + 1]"),
            (Numbers{2, 1}));  // words 0,1 and 63,64: bank 0
  EXPECT_EQ(numbers(row_major(1, 4096), "lanes=2 width=4 at=[0, lane*126]"), (Numbers{1, 0}));  // words 0 and 63
}

TEST(BankFacts, EveryColumnOfTheWidestSwizzleIsFreeForEveryBase) {
  EXPECT_EQ(numbers(row_major(8, 64, 3), "lanes=8 width=16 at=[lane, 8*j] for j=0:8"), (Numbers{1, 0}));
  EXPECT_EQ(numbers(row_major(8, 64, 3), "lanes=8 width=16 at=[lane, 8*j] for j=0:8 base=16"), (Numbers{1, 0}));
}

TEST(BankFacts, AbsoluteSwizzlesOfAMisplacedBufferReadOtherBanksAndStayFreeHere) {
  EXPECT_EQ(numbers(row_major(8, 64, 3), "lanes=8 width=16 at=[lane, 8*j] for j=0:8 base=128 absolute"),
            (Numbers{1, 0}));
  EXPECT_EQ(numbers(row_major(8, 64, 3), "lanes=8 width=2 at=[lane, j] for j=0:64 base=1024 absolute"),
            (Numbers{1, 0}));
}

TEST(BankFacts, TilesBeyondEveryWalkAreDecidedByRanksAndBySolver) {
  // 2^30 tiles of 8x64: one column of each.
  const test::Tile layout = row_major(Index{1} << 33, 64, 3);
  const Reach free = reach(layout, "lanes=8 width=16 at=[8*t + lane, 8*j] for t=0:1073741824, j=0:8 base=16");
  EXPECT_TRUE(std::holds_alternative<None>(decide_smt({Kind::Crowds, &free, 0}, {})));
  EXPECT_TRUE(std::holds_alternative<None>(decide_smt({Kind::Escapes, &free, 0}, {})));
  const Reach aligned = reach(layout, "lanes=8 width=16 at=[8*t + lane, 8*j] for t=0:1073741824, j=0:8");
  EXPECT_EQ(numbers(aligned), (Numbers{1, 0}));
  const Reach two_apart = reach(layout, "lanes=8 width=16 at=[16*t + 2*lane, 8*j] for t=0:536870912, j=0:8");
  EXPECT_EQ(numbers(two_apart), (Numbers{2, 1}));
  EXPECT_TRUE(std::holds_alternative<Found>(decide_smt({Kind::Crowds, &two_apart, 0}, {})));
}

TEST(BankFacts, TheWitnessNamesTwoLanesOfOneBankAndTheirWords) {
  const Reach column = reach(row_major(8, 64), "lanes=8 width=16 at=[lane, 8]");
  const Cost cost = cost_of(column, {});
  EXPECT_EQ(cost.wavefronts, 8);
  EXPECT_EQ(cost.ideal, 1);
  ASSERT_TRUE(cost.conflict.has_value());
  EXPECT_EQ(cost.conflict->lane, 0);
  EXPECT_EQ(cost.conflict->other_lane, 1);
  EXPECT_EQ(cost.conflict->bank, 4);
  EXPECT_EQ(cost.conflict->word, 4);
  EXPECT_EQ(cost.conflict->other_word, 36);
}

}  // namespace engines_banks_facts_test
}  // namespace vl::engines
