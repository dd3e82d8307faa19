// How often the transcribed generator is right, refuses, dies and is silently wrong, on samples that are the same in every
// run. The judge is execution, move by move. The expected counts come from a separate model (Python: the generator of
// the samples, the transcription and the layout's rule written again), not from this program.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/peer/samples.h"
#include "tests/peer/verdicts.h"

namespace vl::test::s2 {
namespace {

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
  else ++(Judge(copy).tally(std::get<map::Transfer>(outcome)).implements() ? classes.right : classes.wrong);
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
  // Where the stick count stands where upstream's constructor puts it, nothing crashes; it is still not always right.
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

/// What the tool says of the transfers that the generator made.
struct Said {
  Index proved = 0;
  Index refuted = 0;
  Index undecided = 0;

  bool operator==(const Said&) const = default;
};

// Every verdict is compared with execution, counterexamples included: theirs is the smallest.
void judge(const Copy& copy, std::string_view claim, Said& said) {
  const Outcome outcome = generate(copy);
  const auto* transfer = std::get_if<map::Transfer>(&outcome);
  if (transfer == nullptr) return;
  const map::Layout layout = layout_of(copy);
  const claims::Verdict verdict = ask(claim, layout, *transfer);
  const Fields expected = expected_fields(claim, *transfer, Judge(copy).look(*transfer));
  EXPECT_EQ(difference(verdict, expected), "") << "of " << spyre::print(raw_layout(copy.device_size, copy.stride_map)) << fmt::format(" host {} strides {} offset {}", copy.size, copy.dma_strides, copy.storage_offset);
  if (std::holds_alternative<claims::Proved>(verdict)) ++said.proved;
  else if (std::holds_alternative<claims::Refuted>(verdict)) ++said.refuted;
  else ++said.undecided;
}

TEST(ToolOnS2, ProvesTheTransfersThatAreRightAndRefutesTheOthers) {
  Random random(20261121);
  Said said;
  for (int n = 0; n < 4000; ++n) judge(random_valid_copy(random), "implements", said);
  EXPECT_EQ(said, (Said{1747, 530, 0}));
}

TEST(ToolOnS2, ProvesAndRefutesTheTransfersOfHostsThatAreStridedOtherwise) {
  Random random(1893);
  Said said;
  for (int n = 0; n < 4000; ++n) {
    Copy copy = random_valid_copy(random);
    restride(random, copy);
    judge(copy, "implements", said);
  }
  EXPECT_EQ(said, (Said{1122, 1178, 0}));
}

}  // namespace
}  // namespace vl::test::s2
