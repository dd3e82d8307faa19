// When a claim holds, in words: what another alternative says already is not said again.
#include <gtest/gtest.h>

#include "verifier/engines/polynomial/prove.h"

namespace vl::engines {
namespace engines_weakest_test {

using Alternatives = std::vector<std::vector<std::string>>;

TEST(Weakest, LeavesOutWhatIsImplied) {
  const struct {
    Alternatives given, left;
  } kTable[] = {
      {{{"P >= N"}, {"P >= N + 1"}}, {{"P >= N"}}},
      {{{"P >= N + 1"}, {"P >= N"}}, {{"P >= N"}}},
      {{{"P + 1 >= N"}, {"P >= N"}, {"P >= N + 3"}}, {{"P + 1 >= N"}}},
      {{{"N <= 6"}, {"N <= 7"}}, {{"N <= 7"}}},
      {{{"N <= 7", "N <= 6", "M = 1"}}, {{"N <= 6", "M = 1"}}},
      {{{"P >= N"}, {"M = 1", "P >= N + 1"}}, {{"P >= N"}}},
      // Not implied: another side, another bound, the other direction, more conditions.
      {{{"P >= N"}, {"P >= M + 1"}}, {{"P >= N"}, {"P >= M + 1"}}},
      {{{"P >= N"}, {"2*P >= N + 1"}}, {{"P >= N"}, {"2*P >= N + 1"}}},
      {{{"N <= 6"}, {"N >= 7"}}, {{"N <= 6"}, {"N >= 7"}}},
      {{{"M = 1", "P >= N"}, {"P >= N + 1"}}, {{"M = 1", "P >= N"}, {"P >= N + 1"}}},
      {{{"P % 64 == 8"}, {"P % 64 == 9"}}, {{"P % 64 == 8"}, {"P % 64 == 9"}}},
  };
  for (const auto& row : kTable) EXPECT_EQ(without_implied(row.given), row.left) << row.given[0][0];
}

}  // namespace engines_weakest_test
}  // namespace vl::engines
