// The first law of a verifier: every layout equals itself, and every layout that is wrong on purpose is refuted.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include <set>

#include "tests/support/spyre_brute.h"
#include "tests/support/spyre_random.h"
#include "verifier/session/judge.h"

namespace vl::cli {
namespace claims_known_bad_campaign {

// Those about layouts.
std::vector<session::CaseRequest> cases_of(const std::string& folder) {
  std::vector<session::CaseRequest> all;
  for (const std::string& file : session::case_files(std::string(VL_SOURCE_DIR) + "/corpus/" + folder)) {
    const session::CaseFile read = session::read_cases(file);
    EXPECT_TRUE(read.errors.empty()) << file;
    std::ranges::copy_if(read.cases, std::back_inserter(all),
                         [](const session::CaseRequest& request) { return request.has_layout(); });
  }
  return all;
}

TEST(KnownBad, EveryTwinIsRefutedByOneOfItsClaims) {
  Index refuted = 0;
  Index answers = 0;
  const std::vector<session::CaseRequest> cases = cases_of("known-bad");
  for (const session::CaseRequest& request : cases) {
    if (request.expect_invalid) continue;
    const question::Case judged = session::judge(request, {});
    ASSERT_FALSE(judged.diagnostic.has_value()) << *request.id;
    bool some = false;
    for (const question::Answer& answer : judged.answers) {
      some = some || question::word(answer.verdict) == "refuted";
      EXPECT_TRUE(answer.as_expected) << *request.id << ", " << answer.claim << ": " << answer.mismatch;
      EXPECT_NE(question::word(answer.verdict), "unknown") << *request.id << ", " << answer.claim;
      ++answers;
    }
    EXPECT_TRUE(some) << *request.id;
    refuted += some ? 1 : 0;
  }
  EXPECT_GE(refuted, 40);
  EXPECT_EQ(refuted, static_cast<Index>(cases.size()));
  EXPECT_GE(answers, 3 * refuted);
}

TEST(Identity, EveryLayoutOfTheCorpusEqualsItself) {
  const claims::Claim& equal = *claims::find_claim("equal");
  Index proved = 0;
  Index vacuous = 0;
  Index invalid = 0;
  Index undecidable = 0;
  const std::vector<session::CaseRequest> cases = cases_of("");
  for (const session::CaseRequest& request : cases) {
    const auto read = session::read_tensor(request);
    const auto* subject = std::get_if<session::TensorReading>(&read);
    if (subject != nullptr && subject->reading.layout() == nullptr) {  // as one that is invalid at all sizes alone
      ++undecidable;
      continue;
    }
    if (subject == nullptr || request.expect_invalid) {
      EXPECT_TRUE(subject == nullptr && request.expect_invalid) << request.layout.text;
      ++invalid;
      continue;
    }
    const map::Layout& layout = *subject->reading.layout();
    const std::string_view word = question::word(claims::decide(equal, claims::Pair{layout, layout}, {}).verdict);
    const bool empty = layout.logical().volume() == 0;
    EXPECT_EQ(word, empty ? "vacuous" : "proved") << request.layout.text;
    ++(empty ? vacuous : proved);
  }
  EXPECT_GT(proved, 150);
  EXPECT_EQ(proved + vacuous + invalid + undecidable, static_cast<Index>(cases.size()));
}

TEST(Identity, EveryRandomLayoutEqualsItselfAndWhatItDiffersFromIsFound) {
  test::RandomSpyre random(20261121);
  const claims::Claim& equal = *claims::find_claim("equal");
  Index proved = 0;
  Index vacuous = 0;
  Index same = 0;
  Index different = 0;
  for (int n = 0; n < 2000; ++n) {
    const test::RandomCase made = random.next(40);
    const auto layout = spyre::lower(made.layout, made.tensor);
    ASSERT_TRUE(layout.has_value());
    const std::string_view word = question::word(claims::decide(equal, claims::Pair{*layout, *layout}, {}).verdict);
    const bool empty = layout->logical().volume() == 0;
    ASSERT_EQ(word, empty ? "vacuous" : "proved") << made.show();
    ++(empty ? vacuous : proved);
    if (empty || made.layout.stride_map.empty()) continue;
    // The same layout with one stride changed.
    test::RandomCase changed = made;
    const auto j = static_cast<std::size_t>(random.between(0, static_cast<Index>(made.layout.stride_map.size()) - 1));
    changed.layout.stride_map[j] = std::max<Index>(1, changed.layout.stride_map[j]) + 1;
    const auto twin = spyre::lower(changed.layout, changed.tensor);
    ASSERT_TRUE(twin.has_value());
    const test::Truth a = test::truth_of(made.layout, made.tensor, made.strides);
    const test::Truth b = test::truth_of(changed.layout, changed.tensor, changed.strides);
    const auto memory = [&](const test::Truth& truth) {
      std::vector<std::set<Index>> out(static_cast<std::size_t>(test::product(made.tensor.size)));
      const std::size_t copies = truth.slots.size() / out.size();
      for (std::size_t p = 0; p < truth.slots.size(); ++p)
        if (truth.slots[p] >= 0) out[p / copies].insert(truth.slots[p]);
      return out;
    };
    const bool equal_memory = memory(a) == memory(b);
    const std::string_view twin_word = question::word(claims::decide(equal, claims::Pair{*layout, *twin}, {}).verdict);
    ASSERT_EQ(twin_word, equal_memory ? "proved" : "refuted") << made.show() << " and " << changed.show();
    ++(equal_memory ? same : different);
  }
  EXPECT_EQ(proved + vacuous, 2000);
  EXPECT_GT(proved, 1700);
  EXPECT_GT(same, 100);
  EXPECT_GT(different, 500);
  std::cout << fmt::format("{} identities proved, {} vacuous; twins: {} the same, {} different\n", proved, vacuous,
                           same, different);
}

}  // namespace claims_known_bad_campaign
}  // namespace vl::cli
