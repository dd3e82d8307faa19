// The self-test by faults: each fault of oracle/plan/faults.h is planted, and a short campaign has to find it. If a
// fault survives, something is never generated or never compared. The oracle in this program is compiled with the
// faults.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "oracle/fuzz/case_file.h"
#include "oracle/fuzz/trial.h"
#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace faults_campaign {

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
// Groups of each family before a fault counts as surviving: three times what the last of them needs. Measured: all that
// show in small tensors are found in 437 groups (TransposeStreamedLine), the others in 32 large ones.
constexpr std::uint64_t kGroups = 1311;
constexpr std::uint64_t kLargeGroups = 96;

struct Detection {
  std::uint64_t cases = 0;                     // until it was found
  std::uint64_t groups = 0, large_groups = 0;  // of each family, looked at until then
  std::string family;
  std::uint64_t index = 0;
  Mismatch mismatch;
};

class Hunt {
 public:
  explicit Hunt(Fault fault) : fault_(fault) {}

  // The families take turns, layout by layout; then large tensors, where some faults show only.
  std::optional<Detection> run(std::uint64_t groups, std::uint64_t large_groups) {
    bool found = false;
    for (std::uint64_t turn = 0; turn < groups && !found; ++turn, ++out_.groups)
      found = look("spyre", turn, kGroup / 4 + 1) || look("tirx", turn, kGroup / 4 + 1);
    for (std::uint64_t turn = 0; turn < large_groups && !found; ++turn, ++out_.large_groups)
      found = look("spyre", kFirstLarge + turn * kLargeOf, 5) || look("tirx", kFirstLarge + turn * kLargeOf, 5);
    if (!found) return std::nullopt;
    return out_;
  }

 private:
  bool look(const char* family, std::uint64_t group, std::uint64_t step) {
    const Subject subject = subject_of(family, kSeed, group);
    for (std::uint64_t index = group * kGroup; index < (group + 1) * kGroup; index += step) {
      ++out_.cases;
      const Tensor tensor = tensor_of(family, kSeed, index);
      auto mismatch = try_with(fault_, subject, group, tensor);
      if (!mismatch) continue;
      // It has to be the fault's own doing.
      if (fault_ != Fault::None && try_with(Fault::None, subject, group, tensor)) continue;
      out_.family = family;
      out_.index = index;
      out_.mismatch = std::move(*mismatch);
      return true;
    }
    return false;
  }

  std::optional<Mismatch> try_with(Fault fault, const Subject& subject, std::uint64_t group, const Tensor& tensor) {
    if (opened_ != std::tuple(subject.family, group, fault)) {
      the_planted_fault = fault;
      trial_.open(subject, group);
      opened_ = {subject.family, group, fault};
    }
    the_planted_fault = fault;
    auto mismatch = trial_.run(tensor, {.definition = !is_large(group), .all_kernels = true, .audit = false}).mismatch;
    the_planted_fault = Fault::None;
    return mismatch;
  }

  Fault fault_;
  Trial trial_;
  std::tuple<const use::Family*, std::uint64_t, Fault> opened_{nullptr, 0, Fault::None};
  Detection out_;
};

std::optional<Detection> campaign(Fault fault, std::uint64_t groups, std::uint64_t large_groups) {
  return Hunt(fault).run(groups, large_groups);
}

TEST(Faults, WithoutOneNothingIsFound) {
  const auto found = campaign(Fault::None, 150, 3);
  if (!found) return;
  FAIL() << found->family << " " << found->index << " " << found->mismatch.kind << ": " << found->mismatch.detail;
}

TEST(Faults, EachIsFound) {
  std::vector<std::uint64_t> cases;
  std::uint64_t groups = 0, large_groups = 0;  // that the last of them needs
  for (const Named& named : kFaults) {
    if (named.fault == Fault::None) continue;
    const auto found = campaign(named.fault, kGroups, kLargeGroups);
    if (!found) {
      ADD_FAILURE() << named.name << " survives: " << named.what;
      continue;
    }
    fmt::print("{:32} {:>7} cases  {:22} {}\n", named.name, found->cases, found->mismatch.kind, named.what);
    EXPECT_TRUE(is_mismatch_kind(found->mismatch.kind)) << found->mismatch.kind;
    cases.push_back(found->cases);
    if (found->large_groups == 0) groups = std::max(groups, found->groups);
    else large_groups = std::max(large_groups, found->large_groups);
  }
  ASSERT_FALSE(cases.empty());
  std::ranges::sort(cases);
  fmt::print("{} faults found; cases to detection: median {}, most {}; {} groups, {} large ones\n", cases.size(),
             cases[cases.size() / 2], cases.back(), groups, large_groups);
  EXPECT_LE(groups * 3, kGroups) << "the scope is less than three times what the faults need";
  EXPECT_LE(large_groups * 3, kLargeGroups);
}

// A finding is made smaller, and its file suffices to find it again.
TEST(Faults, ATroubleIsMadeSmallAndRepeats) {
  const auto found = campaign(Fault::RowsLastUnitMissing, kGroups, 0);
  ASSERT_TRUE(found.has_value());
  the_planted_fault = Fault::RowsLastUnitMissing;
  Trouble trouble = trouble_at(found->family, kSeed, found->index);
  trouble.mismatch = found->mismatch;
  const Trouble small = shrink(trouble);
  const auto again = subject_of_text(found->family, text_of(small.subject), small.subject.tensor);
  ASSERT_TRUE(again.has_value());
  Trial trial;
  const auto mismatch = look_at(trial, *again, small.companion, small.tensor).mismatch;
  the_planted_fault = Fault::None;
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->kind, found->mismatch.kind);
  const auto layout = lower(small.subject);
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(layout->logical().volume(), 17) << "a segment of more than 16 units: " << text_of(small.subject);
  EXPECT_FALSE(look_at(trial, *again, small.companion, small.tensor).mismatch.has_value())
      << "without the fault nothing is wrong";
}

}  // namespace faults_campaign
}  // namespace vl::oracle
