// Counts how often the transcribed generator is right, refuses, crashes and is silently wrong, on the same samples in
// every run. Execution decides, move by move. The expected counts come from a separate model (Python: the
// generator of the samples, the transcription and the layout's rule written again), not from this program.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/peer/samples.h"
#include "tests/peer/verdicts.h"

namespace vl::test::s2 {
namespace peer_s2_random_campaign {

struct Classes {
  Index right = 0;
  Index refused = 0;
  Index crashed = 0;
  Index wrong = 0;  // silently

  bool operator==(const Classes&) const = default;
};

void count(const Copy& copy, Classes& classes) {
  const Outcome outcome = generate(copy);
  if (std::holds_alternative<Refused>(outcome)) ++classes.refused;
  else if (std::holds_alternative<Crash>(outcome)) ++classes.crashed;
  else ++(Judge(copy).tally(std::get<use::Transfer>(outcome)).implements() ? classes.right : classes.wrong);
}

// 1 to 4 dims, volume at most 40; upstream's own (its tests hold for them) and the only layouts that it makes itself.
TEST(S2OnSamples, IsRightOnEveryLayoutOfTheConstructor) {
  Classes classes;
  shapes(40, [&](const std::vector<Index>& size) {
    constructed_copies(size, [&](const Copy& copy) { count(copy, classes); });
  });
  EXPECT_EQ(classes, (Classes{96416, 0, 0, 0}));
}

TEST(S2OnSamples, IsRightOnTwoInFiveRandomLayoutsAndSilentlyWrongOnASeventh) {
  Random random(20261121);
  Classes all;
  Classes with_count_before_the_last_two;
  for (int n = 0; n < 29164; ++n) {
    const Copy copy = random_valid_copy(random);
    count(copy, all);
    const std::vector<Index>& strides = copy.stride_map;
    const std::size_t at = strides.size() > 2 ? strides.size() - 3 : 0;
    if (strides.back() > 0 && strides[at] == 4 * strides.back()) count(copy, with_count_before_the_last_two);
  }
  EXPECT_EQ(all, (Classes{12204, 11198, 1588, 4174}));
  // If the stick count is at the place of upstream's constructor, nothing crashes; it is still not always right.
  EXPECT_EQ(with_count_before_the_last_two, (Classes{5774, 2852, 0, 974}));
}

TEST(S2OnSamples, IsSilentlyWrongMoreOftenThanRightOnHostsThatAreStridedOtherwise) {
  Random random(1893);
  Classes classes;
  for (int n = 0; n < 29164; ++n) {
    Copy copy = random_valid_copy(random);
    restride(random, copy);
    count(copy, classes);
  }
  EXPECT_EQ(classes, (Classes{7851, 11222, 1531, 8560}));
}

/// The program's answers about the generator's transfers.
struct Said {
  Index proved = 0;
  Index refuted = 0;
  Index undecided = 0;

  bool operator==(const Said&) const = default;
};

// Every verdict is compared with execution, counterexamples included: they are the smallest.
Said judge(std::string_view claim, std::uint64_t seed, int copies, bool restrided) {
  Random random(seed);
  Said said;
  for (int n = 0; n < copies; ++n) {
    Copy copy = random_valid_copy(random);
    if (restrided) restride(random, copy);
    const Outcome outcome = generate(copy);
    const auto* transfer = std::get_if<use::Transfer>(&outcome);
    if (transfer == nullptr) continue;
    const claims::Verdict verdict = ask(claim, layout_of(copy), *transfer);
    const Fields expected = expected_fields(claim, *transfer, Judge(copy).look(*transfer));
    EXPECT_EQ(difference(verdict, expected), "")
        << "of " << spyre::print(raw_layout(copy.device_size, copy.stride_map))
        << fmt::format(" host {} strides {} offset {}", copy.size, copy.cpu_strides, copy.storage_offset);
    if (std::holds_alternative<claims::Proved>(verdict)) ++said.proved;
    else if (std::holds_alternative<claims::Refuted>(verdict)) ++said.refuted;
    else ++said.undecided;
  }
  return said;
}

TEST(ToolOnS2, ProvesTheTransfersThatAreRightAndRefutesTheOthers) {
  EXPECT_EQ(judge("implements", 20261121, 4000, false), (Said{1747, 530, 0}));
}

TEST(ToolOnS2, ProvesAndRefutesTheTransfersOfHostsThatAreStridedOtherwise) {
  EXPECT_EQ(judge("implements", 1893, 4000, true), (Said{1122, 1178, 0}));
}

TEST(ToolOnS2, KnowsWhichTransfersStayInBothMemories) {
  EXPECT_EQ(judge("in-bounds", 20261121, 2000, false), (Said{1047, 114, 0}));
  EXPECT_EQ(judge("in-bounds", 1893, 2000, true), (Said{991, 154, 0}));
}

TEST(ToolOnS2, KnowsWhichTransfersWriteEveryElementOnce) {
  EXPECT_EQ(judge("covers-once", 20261121, 2000, false), (Said{942, 219, 0}));
  EXPECT_EQ(judge("covers-once", 1893, 2000, true), (Said{911, 234, 0}));
}

TEST(ToolOnS2, KnowsWhichTransfersOverwriteWhatTheyWrote) {
  EXPECT_EQ(judge("no-overlap", 20261121, 2000, false), (Said{1157, 4, 0}));
  EXPECT_EQ(judge("no-overlap", 1893, 2000, true), (Said{1143, 2, 0}));
}

}  // namespace peer_s2_random_campaign
}  // namespace vl::test::s2
