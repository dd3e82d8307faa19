// How often the transcribed generator is right, refuses, dies and is silently wrong, on samples that are the same in every
// run. The judge is execution, move by move. The expected counts come from a separate model (Python: the generator of
// the samples, the transcription and the layout's rule written again), not from this program.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/peer/samples.h"

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

TEST(S2OnSamples, IsRightOnEveryLayoutOfTheConstructor) {
  Classes classes;
  shapes(20, [&](const std::vector<Index>& size) {
    constructed_copies(size, [&](const Copy& copy) { count(copy, classes); });
  });
  EXPECT_EQ(classes, (Classes{}));
}

TEST(S2OnSamples, IsRightOnFewerThanHalfOfTheRandomLayoutsAndSilentlyWrongOnASeventh) {
  Random random(20261121);
  Classes classes;
  for (int n = 0; n < 4000; ++n) count(random_valid_copy(random), classes);
  EXPECT_EQ(classes, (Classes{}));
}

TEST(S2OnSamples, IsSilentlyWrongOnHalfOfTheHostsThatAreStridedOtherwise) {
  Random random(1893);
  Classes classes;
  for (int n = 0; n < 4000; ++n) {
    Copy copy = random_valid_copy(random);
    restride(random, copy);
    count(copy, classes);
  }
  EXPECT_EQ(classes, (Classes{}));
}

}  // namespace
}  // namespace vl::test::s2
