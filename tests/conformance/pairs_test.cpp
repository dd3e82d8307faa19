// Bugs as pairs (bugs.toml of Spyre, known-bad.toml of TIRx and tt-mlir): …/bad is refuted or rejected, …/fixed is
// decided and never refuted. A pair whose halves get the same answers would not show the bug.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "verifier/session/cases.h"
#include "verifier/session/judge.h"

namespace vl {
namespace conformance_pairs_test {

struct Answered {
  int proved = 0;
  int refuted = 0;
  bool rejected = false;

  auto operator<=>(const Answered&) const = default;
};

struct File {
  const char* family;
  const char* path;
  std::size_t bugs;  // at least
};

class BugsOf : public testing::TestWithParam<File> {};
INSTANTIATE_TEST_SUITE_P(All, BugsOf,
                         testing::Values(File{"spyre", "spyre/bugs.toml", 27}, File{"tirx", "tirx/known-bad.toml", 26},
                                         File{"metal", "metal/known-bad.toml", 7},
                                         File{"ttnn", "ttnn/known-bad.toml", 2}),
                         [](const auto& each) { return std::string(each.param.family); });

TEST_P(BugsOf, ComeInPairsOfWhichOnlyTheBadHalfIsRefuted) {
  const session::CaseFile read = session::read_cases(std::string(VL_SOURCE_DIR "/corpus/") + GetParam().path);
  ASSERT_TRUE(read.errors.empty()) << to_string(read.errors.front().diagnostic);
  std::map<std::string, std::map<std::string, Answered>> bugs;
  for (const session::CaseRequest& request : read.cases) {
    const std::string& id = *request.id;
    const std::size_t slash = id.rfind('/');
    ASSERT_NE(slash, std::string::npos) << id;
    Answered& answered = bugs[id.substr(0, slash)][id.substr(slash + 1)];
    const question::Case judged = session::judge(request, {});
    answered.rejected = judged.diagnostic.has_value();
    for (const question::Answer& answer : judged.answers) {
      const std::string_view word = question::word(answer.verdict);
      EXPECT_TRUE(answer.as_expected) << id << " " << answer.claim << ": " << answer.mismatch;
      EXPECT_TRUE(word == "proved" || word == "refuted") << id << " " << answer.claim << " is " << word;
      answered.proved += word == "proved" ? 1 : 0;
      answered.refuted += word == "refuted" ? 1 : 0;
    }
  }
  for (const auto& [bug, halves] : bugs) {
    ASSERT_EQ(halves.size(), 2U) << bug;
    ASSERT_TRUE(halves.contains("bad") && halves.contains("fixed")) << bug;
    const Answered& bad = halves.at("bad");
    const Answered& fixed = halves.at("fixed");
    EXPECT_TRUE(bad.rejected || bad.refuted > 0) << bug;
    EXPECT_FALSE(fixed.rejected) << bug;
    EXPECT_GT(fixed.proved, 0) << bug;
    EXPECT_EQ(fixed.refuted, 0) << bug;
  }
  fmt::print("{} bugs\n", bugs.size());
  EXPECT_GE(bugs.size(), GetParam().bugs);
}

}  // namespace conformance_pairs_test
}  // namespace vl
