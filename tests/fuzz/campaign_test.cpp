// Campaigns: what a case is depends on its index alone, so shards, threads and a campaign that was killed give the
// bytes of one that ran through; and a case file says all that it takes to run a case again.
#include <gtest/gtest.h>

#include <filesystem>

#include "oracle/fuzz/campaign.h"
#include "oracle/fuzz/case_file.h"
#include "oracle/fuzz/census.h"
#include "tests/support/process.h"
#include "tests/support/sanitized.h"

namespace vl::test {
namespace {

using namespace oracle;

constexpr std::uint64_t kCases = 150 * kGroup + 5;  // the last group is cut off

class Campaign : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static CampaignOptions options() {
    CampaignOptions out;
    out.family = GetParam();
    out.seed = 7;
    out.count = kCases;
    return out;
  }
  Folder folder_;
};

TEST_P(Campaign, FindsNoMismatchAndHasBothVerdictsInNumbers) {
  CampaignOptions asked = options();
  asked.definition = Thoroughness::Always;
  const auto result = run_campaign(asked);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  const Totals& totals = result->record.totals;
  for (const Trouble& trouble : result->troubles)
    ADD_FAILURE() << trouble.mismatch.kind << ": " << trouble.mismatch.detail << "\n" << case_text(trouble, asked.seed);
  EXPECT_EQ(totals.cases, kCases);
  EXPECT_EQ(totals.unknown, 0U);
  EXPECT_GE(totals.proved, totals.cases / 10);
  EXPECT_GE(totals.refuted, totals.cases / 10);
  EXPECT_LE(totals.unplanned * 5, totals.proved);
  EXPECT_GT(totals.elements, 100 * totals.cases);
}

TEST_P(Campaign, ShardsThreadsAndTheDefinitionChangeNoByte) {
  CampaignOptions whole = options();
  whole.folder = folder_.at("whole");
  ASSERT_TRUE(run_campaign(whole).has_value());
  CampaignOptions part = options();
  part.folder = folder_.at("parts");
  part.shards = 3;
  std::vector<Record> records;
  for (part.shard = 0; part.shard < part.shards; ++part.shard) {
    part.threads = part.shard + 1;
    part.definition = part.shard == 1 ? Thoroughness::Always : Thoroughness::Sometimes;
    ASSERT_TRUE(run_campaign(part).has_value());
    auto record = record_of(read_text(part.folder + "/" + file_name(part)));
    ASSERT_TRUE(record.has_value()) << record.error().message;
    records.insert(records.begin(), std::move(*record));  // in no order
  }
  const auto merged = merge(records);
  ASSERT_TRUE(merged.has_value());
  ASSERT_EQ(merged->size(), 1U);
  EXPECT_EQ(to_text(merged->front()), read_text(whole.folder + "/" + file_name(whole)));
  EXPECT_FALSE(merge({records[0], records[0]}).has_value()) << "a shard twice";
}

TEST_P(Campaign, GoesOnFromWhateverWasWritten) {
  CampaignOptions whole = options();
  const auto want = run_campaign(whole);
  ASSERT_TRUE(want.has_value());
  CampaignOptions stopped = options();
  stopped.folder = folder_.path();
  stopped.count = 3 * kGroup + 1;  // as if it had been stopped within a group
  ASSERT_TRUE(run_campaign(stopped).has_value());
  write_text(folder_.at(file_name(stopped) + ".part"), "{\"kind\":\"sha");  // killed while writing
  stopped.count = kCases;
  const auto have = run_campaign(stopped);
  ASSERT_TRUE(have.has_value());
  EXPECT_EQ(to_text(have->record), to_text(want->record));
}

TEST_P(Campaign, KilledAtAnyMomentItEndsInTheSameBytes) {
  if (kSanitized) GTEST_SKIP() << "about files, not about memory";
  CampaignOptions whole = options();
  whole.count = 1500 * kGroup;
  const std::vector<std::string> words = {"fuzz", "--family", GetParam(), "--seed", "7", "--count",
                                          std::to_string(whole.count),
                                          "--format", "jsonl", "--out", folder_.path()};
  for (const char* delay : {"0.1", "0.25"}) {
    std::vector<std::string> killed = {"-s", "KILL", delay, program("verify-layout")};  // nothing of it runs after that
    killed.insert(killed.end(), words.begin(), words.end());
    (void)run("/usr/bin/timeout", killed);
  }
  const Ran last = verify_layout(words);
  EXPECT_EQ(last.code, 0) << last.out << last.err;
  const auto want = run_campaign(whole);
  ASSERT_TRUE(want.has_value());
  EXPECT_EQ(read_text(folder_.at(file_name(whole))), to_text(want->record));
}

TEST_P(Campaign, RefusesAnotherCampaignsFile) {
  CampaignOptions one = options();
  one.count = kGroup;
  one.folder = folder_.path();
  ASSERT_TRUE(run_campaign(one).has_value());
  const std::string other = read_text(folder_.at(file_name(one)));
  one.seed = 8;
  write_text(folder_.at(file_name(one)), other);
  EXPECT_FALSE(run_campaign(one).has_value());
  write_text(folder_.at(file_name(one)), "{}");
  EXPECT_FALSE(run_campaign(one).has_value());
}

TEST_P(Campaign, ACaseFileIsReplayed) {
  std::vector<std::string> replay{"replay"};
  std::vector<std::string> check{"check"};
  for (std::uint64_t index = 3; index < 30 * kGroup; index += kGroup + 7) {
    Trouble trouble = trouble_at(GetParam(), 7, index);
    trouble.mismatch = {"none", "nothing is wrong with it: \"quoted\""};
    const std::string path = folder_.file(std::to_string(index) + ".toml", case_text(trouble, 7));
    replay.push_back(path);
    check.push_back(path);
  }
  const Ran replayed = verify_layout(replay);
  EXPECT_EQ(replayed.code, 0) << replayed.out << replayed.err;
  const Ran checked = verify_layout(check);  // it is a case of the corpus, too
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
}

INSTANTIATE_TEST_SUITE_P(Families, Campaign, ::testing::Values("spyre", "tirx"));

TEST(Subjects, AreReadAgainAsTheyArePrinted) {
  for (const char* family : {"spyre", "tirx"})
    for (std::uint64_t group = 0; group < 300; ++group) {
      const Subject subject = subject_of(family, 3, group);
      const auto again = subject_of_text(family, text_of(subject), subject.tensor);
      ASSERT_TRUE(again.has_value()) << text_of(subject) << ": " << again.error().message;
      EXPECT_EQ(text_of(*again), text_of(subject));
    }
}

// By hand: f16[3] on two slots of stride 1, and on three slots of which two elements share one.
TEST(Census, CountsWhatHasNoSlotAndWhatSharesOne) {
  Subject subject;
  subject.tensor.size = {3};
  spyre::SpyreTensorLayout layout;
  layout.device_size = {2};
  layout.stride_map = {1};
  layout.device_dtype = {"SEN169_FP16", 64};
  subject.notation = layout;
  Census is = census_of(*lower(subject));
  EXPECT_EQ(is.missing, 1);
  EXPECT_EQ(is.landed, 2);
  subject.tensor.strides = std::vector<Index>{0};
  is = census_of(*lower(subject));
  EXPECT_EQ(is.collisions, 2);
}

}  // namespace
}  // namespace vl::test
