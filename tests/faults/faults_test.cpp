// The self-test by faults: each fault of oracle/plan/faults.h is planted, and a short campaign has to find it. A fault
// that survives means that something is never generated, or never looked at. What is linked here is the oracle once
// more, compiled with the faults in it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "oracle/fuzz/case_file.h"
#include "oracle/fuzz/trial.h"
#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

struct Named {
  Fault fault;
  std::string_view name;
  std::string_view what;
};
constexpr Named kFaults[] = {
#define VL_FAULT_ROW(name, what) {Fault::name, #name, what},
    VL_FAULT_LIST(VL_FAULT_ROW)
#undef VL_FAULT_ROW
};

constexpr std::uint64_t kSeed = 11;
constexpr std::uint64_t kMostGroups = 800;  // of each family, before a fault counts as one that survives

struct Detection {
  std::uint64_t cases = 0;  // until it was found
  std::string family;
  std::uint64_t index = 0;
  Mismatch mismatch;
};

// The families take turns, layout by layout; of each layout the first tensor of each transfer and a few more.
std::optional<Detection> campaign(Fault fault, std::uint64_t groups) {
  Trial trial;
  Detection out;
  for (std::uint64_t turn = 0; turn < groups; ++turn)
    for (const char* family : {"spyre", "tirx"}) {
      // Of large tensors more than a campaign's share: some faults show nowhere else.
      const bool large = turn % 16 == 15;
      const std::uint64_t group = large ? kFirstLarge + turn / 16 * kLargeOf : turn;
      the_planted_fault = Fault::None;
      const Subject subject = subject_of(family, kSeed, group);
      the_planted_fault = fault;
      trial.open(subject, group);
      for (std::uint64_t index = group * kGroup; index < (group + 1) * kGroup; index += kGroup / (large ? 12 : 4) + 1) {
        ++out.cases;
        const TrialOptions how{.definition = true, .all_kernels = true, .audit = false};
        const Outcome outcome = trial.run(tensor_of(family, kSeed, index), how);
        if (!outcome.mismatch) continue;
        the_planted_fault = Fault::None;
        if (fault != Fault::None) {  // it has to be the fault's own doing
          trial.open(subject, group);
          const bool always = trial.run(tensor_of(family, kSeed, index), how).mismatch.has_value();
          the_planted_fault = fault;
          trial.open(subject, group);
          if (always) continue;
          the_planted_fault = Fault::None;
        }
        out.family = family;
        out.index = index;
        out.mismatch = *outcome.mismatch;
        return out;
      }
    }
  the_planted_fault = Fault::None;
  return std::nullopt;
}

TEST(Faults, WithoutOneNothingIsFound) {
  const auto found = campaign(Fault::None, 150);
  if (!found) return;
  FAIL() << found->family << " " << found->index << " " << found->mismatch.kind << ": " << found->mismatch.detail;
}

TEST(Faults, EachIsFound) {
  std::vector<std::uint64_t> cases;
  for (const Named& named : kFaults) {
    if (named.fault == Fault::None) continue;
    const auto found = campaign(named.fault, kMostGroups);
    if (!found) {
      ADD_FAILURE() << named.name << " survives: " << named.what;
      continue;
    }
    fmt::print("{:32} {:>7} cases  {:22} {}\n", named.name, found->cases, found->mismatch.kind, named.what);
    cases.push_back(found->cases);
  }
  ASSERT_FALSE(cases.empty());
  std::ranges::sort(cases);
  fmt::print("{} faults found; cases to detection: median {}, most {}\n", cases.size(), cases[cases.size() / 2],
             cases.back());
}

// What is found is made small, and the file of it says enough to find it again.
TEST(Faults, ATroubleIsMadeSmallAndRepeats) {
  const auto found = campaign(Fault::RowsLastUnitMissing, kMostGroups);
  ASSERT_TRUE(found.has_value());
  the_planted_fault = Fault::RowsLastUnitMissing;
  Trouble trouble = trouble_at(found->family, kSeed, found->index);
  trouble.mismatch = found->mismatch;
  const Trouble small = shrink(trouble);
  const auto again = subject_of_text(found->family, text_of(small.subject), small.subject.tensor);
  ASSERT_TRUE(again.has_value());
  Trial trial;
  const auto mismatch = look_at(trial, *again, small.companion, small.tensor);
  the_planted_fault = Fault::None;
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->kind, found->mismatch.kind);
  const auto layout = lower(small.subject);
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(layout->logical().volume(), 17) << "a segment of more than 16 units: " << text_of(small.subject);
  EXPECT_FALSE(look_at(trial, *again, small.companion,
                       small.tensor).has_value()) << "without the fault nothing is wrong";
}

}  // namespace
}  // namespace vl::oracle
