// Campaigns: a case depends only on its index, so shards, threads and a killed campaign give the same bytes as an
// uninterrupted one. A case file states everything that is needed to run a case again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>

#include "encodings/spyre/spyre.h"
#include "oracle/fuzz/campaign.h"
#include "oracle/fuzz/case_file.h"
#include "oracle/fuzz/census.h"
#include "tests/hostile/attack.h"
#include "tests/support/process.h"

namespace vl::test {
namespace fuzz_campaign_campaign {

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
  write_text(folder_.at(".verify-layout-1-0.tmp"), "{\"kind\":\"sha");  // killed while writing
  write_text(folder_.at(file_name(stopped) + ".lock"), "1\n");          // and while it had the lock
  stopped.count = kCases;
  const Ran ran = verify_layout(
      {"fuzz", "--family", GetParam(), "--seed", "7", "--count", std::to_string(kCases), "--out", folder_.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  using Files = std::map<std::string, std::string>;
  EXPECT_EQ(folder_.content(), (Files{{file_name(stopped), to_text(want->record)}}));
}

TEST_P(Campaign, KilledAtAnyMomentItEndsInTheSameBytes) {
  CampaignOptions whole = options();
  whole.count = 1500 * kGroup;
  const std::vector<std::string> words = {
      "fuzz",     "--family", GetParam(), "--seed",      "7", "--count", std::to_string(whole.count),
      "--format", "jsonl",    "--out",    folder_.path()};
  for (const double delay : {0.1, 0.25}) {
    hostile::Surroundings where;
    where.signal = SIGKILL;
    where.after = delay;
    (void)hostile::Attack(program("verify-layout"), words, where).wait();  // nothing of it runs after that
  }
  const Ran last = verify_layout(words);
  EXPECT_EQ(last.code, 0) << last.out << last.err;
  const auto want = run_campaign(whole);
  ASSERT_TRUE(want.has_value());
  EXPECT_EQ(read_text(folder_.at(file_name(whole))), to_text(want->record));
}

// Also if it was stopped before its first case, as the second family of a campaign of all families is by Ctrl-C.
TEST_P(Campaign, GoesOnFromNoCases) {
  const std::atomic<bool> stop = true;
  CampaignOptions options = Campaign::options();
  options.count = 3 * kGroup;
  options.folder = folder_.path();
  options.stop = &stop;
  const auto stopped = run_campaign(options);
  ASSERT_TRUE(stopped.has_value());
  EXPECT_EQ(stopped->record.totals.cases, 0U);
  options.stop = nullptr;
  const auto result = run_campaign(options);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->record.totals.cases, options.count);
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

// The same case with the opposite expectation, with an unknown word, and with a text that must be rejected.
TEST_P(Campaign, AReplayIsHeldAgainstWhatItsCaseSays) {
  Trouble trouble = trouble_at(GetParam(), 7, 2 * kGroup);  // right by construction
  trouble.mismatch = {"plan", "unit 0 of 1 is 00, not 01"};
  const std::string text = case_text(trouble, 7);
  const auto replay_with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const auto at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << text;
    if (at != std::string::npos) changed.replace(at, from.size(), to);
    return verify_layout({"replay", folder_.file("case.toml", changed)});
  };
  EXPECT_EQ(replay_with("schema", "schema").code, 0);
  const Ran refuted = replay_with("\"proved\"", "\"refuted\"");
  EXPECT_EQ(refuted.code, 10);
  EXPECT_NE(refuted.out.find("fails: expect: "), std::string::npos) << refuted.out;
  EXPECT_EQ(replay_with("mismatch = \"plan\"", "mismatch = \"plam\"").code, 2);
  const auto rejected_at = [&](const std::string& from, const std::string& to) {  // where the case says `to`
    const std::string line = text.substr(0, text.find(from));
    const Ran ran = replay_with(from, to);
    EXPECT_EQ(ran.code, 2) << to;
    return ran.err.find(fmt::format("case.toml:{}:", 1 + std::ranges::count(line, '\n'))) != std::string::npos;
  };
  EXPECT_TRUE(rejected_at("unit     = ", "unit     = 1"));
  EXPECT_TRUE(rejected_at("data     = ", "data     = -"));
  EXPECT_TRUE(rejected_at("pattern  = \"", "pattern  = \"no "));
  EXPECT_TRUE(rejected_at("fill     = \"bits:", "fill     = \"beats:"));
  EXPECT_TRUE(rejected_at("to       = \"", "empty    = 0\nto       = \""));
  const auto from = text.find("expect "), to = text.find('\n', from);
  EXPECT_EQ(replay_with(text.substr(from, to - from), "expect = \"invalid\"").code, 2);
}

// A third of all transfers are asked for in a View: without the host's memory, without a plan, refuted, they come down
// to less.
TEST_P(Campaign, CountsWhatWasCarriedOutAndNotWhatWasAsked) {
  const CampaignOptions asked = options();
  Totals totals;
  std::uint64_t carried_out = 0, refused = 0, view = 0, rows = 0, not_run = 0;
  Trial trial;
  for (std::uint64_t index = 0; index < 40 * kGroup; ++index) {
    if (index % kGroup == 0) trial.open(subject_of(asked.family, asked.seed, index / kGroup), index / kGroup);
    const Tensor tensor = tensor_of(asked.family, asked.seed, index);
    const Outcome outcome = trial.run(tensor, {});
    totals.add(index, trial.subject(), tensor, outcome);
    if (outcome.verdict == Answered::Refuted && outcome.ran.way == Way::Refused) {
      EXPECT_EQ(outcome.ran.verb, Verb::Pack) << "that is all that is refused";
    }
    const bool ran = outcome.ran.way == Way::Plan || outcome.ran.way == Way::Rows;
    (ran ? carried_out : outcome.ran.way == Way::Refused ? refused : not_run) += 1;
    rows += outcome.ran.way == Way::Rows ? 1 : 0;
    view += outcome.ran.where == Host::View ? 1 : 0;
    const bool dense = tensor.verb == Verb::RoundTrip || tensor.verb == Verb::Move || tensor.where == Host::Dense;
    if (ran && dense && tensor.verb != Verb::Nests) {
      EXPECT_EQ(outcome.ran.where, Host::Dense);
    }
  }
  const auto sum = [&](std::string_view ending, std::initializer_list<std::string_view> names) {
    std::uint64_t out = 0;
    for (const std::string_view name : names) out += totals.counts[class_of(std::string(name) + std::string(ending))];
    return out;
  };
  const auto of_verbs = [&](std::string_view way) {
    return sum(way, {"pack", "unpack", "round-trip", "move", "nests"});
  };
  const auto of_hosts = [&](std::string_view way) { return sum(way, {"dense", "view"}); };
  EXPECT_EQ(of_verbs("-refused"), refused);
  EXPECT_EQ(of_hosts("-refused"), refused);
  EXPECT_EQ(of_verbs("-by-plan") + of_verbs("-by-rows"), carried_out);
  EXPECT_EQ(of_hosts("-by-rows"), rows);
  EXPECT_EQ(totals.unplanned, rows);
  EXPECT_EQ(of_verbs("-not-run"), not_run);
  EXPECT_EQ(sum("", {"view-by-plan", "view-by-rows", "view-refused"}), view);
  EXPECT_GT(view, 0U);
  EXPECT_GT(carried_out, refused);
}

// A campaign that lacks one verb reports it, for all options.
TEST_P(Campaign, FloorsAreOnWhatWasCarriedOut) {
  Record record{GetParam(), 7, 0, 8192 * kGroup, {}};
  Totals& totals = record.totals;
  totals.cases = record.to;
  totals.counts.assign(classes().size(), totals.cases);
  totals.proved = totals.refuted = totals.cases / 2;
  EXPECT_TRUE(too_rare(record).empty()) << too_rare(record).front();
  for (const char* name :
       {"pack-by-plan", "unpack-by-plan", "round-trip-by-plan", "move-by-plan", "nests-by-plan", "pack-refused",
        "view-by-plan", "view-refused", "dense-by-plan", "dense-by-rows", "dense-refused"}) {
    totals.counts[class_of(name)] = 0;
    ASSERT_EQ(too_rare(record).size(), 1U) << name;
    EXPECT_NE(too_rare(record).front().find(name), std::string::npos);
    totals.counts[class_of(name)] = totals.cases;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Campaign, ::testing::Values("cute", "spyre", "tirx", "metal", "ttnn", "ttmetal"));

// By hand: u8[4] on four slots, moved or packed.
TEST(Replay, TellsBadInputFromFailuresAndFromWhatWasNotRun) {
  const Folder folder;
  const auto replay = [&](std::string_view layout, std::string_view claim, std::string_view verb, std::string_view to) {
    return verify_layout({"replay", folder.file("case.toml", fmt::format(R"(schema = 1
[[case]]
id = "a"
source = "by hand"
layout = "{}"
tensor = "u8[4]"
{}
[case.replay]
verb = "{}"
host = "dense"
unit = 1
pattern = "tags"
data = 3
fill = "bits:0x00"
to = "{}"
)",
                                                                         layout, claim, verb, to))});
  };
  constexpr std::string_view kEqual = "[[case.claim]]\nclaim = \"equal\"\nwith = \"S[4:{}\"\nexpect = \"{}\"";
  const auto equal = [&](std::string_view with, std::string_view expect) {
    return fmt::format(fmt::runtime(kEqual), with, expect);
  };
  EXPECT_EQ(replay("S[4:1]", "", "move", "S[4:1]").code, 0);
  EXPECT_EQ(replay("S[4:1]", equal("1]", "proved"), "move", "S[4:1]").code, 0);
  EXPECT_EQ(replay("S[4:1]", equal("2]", "proved"), "move", "S[4:1]").code, 10);
  EXPECT_EQ(replay("S[4:1]", equal("2", "refuted"), "move", "S[4:1]").code, 2) << "no text that could be compared";
  EXPECT_EQ(replay("S[4:1]", "", "move", "S[4:0]").code, 2) << "nothing can be moved there";
  const Ran none = replay("S[4:1@laneid] + 100@laneid", "box = \"laneid=32\"", "pack", "S[4:1]");
  EXPECT_EQ(none.code, 5) << "no element has a slot";
  EXPECT_NE(none.out.find("not run"), std::string::npos) << none.out;
}

TEST(Subjects, AreReadAgainAsTheyArePrinted) {
  for (const char* family : {"cute", "spyre", "tirx", "metal", "ttnn", "ttmetal"})
    for (std::uint64_t group = 0; group < 300; ++group) {
      const Subject subject = subject_of(family, 3, group);
      const auto again = subject_of_text(family, text_of(subject), subject.tensor);
      ASSERT_TRUE(again.has_value()) << text_of(subject) << ": " << again.error().message;
      EXPECT_EQ(text_of(*again), text_of(subject));
    }
}

// Every family's layout to move to, of shapes with dimensions of 1, of one number and of none.
TEST(Subjects, CompanionsHaveASlotForEachElementOfItsOwn) {
  const std::vector<std::vector<Index>> sizes = {{}, {1}, {7}, {1, 5}, {3, 1, 4}, {2, 3, 5}, {1, 1}, {4, 4, 1, 2}};
  int offered = 0;
  for (const use::Family* family : campaign_families()) {
    if (family->campaign->companion == nullptr) continue;
    ++offered;
    Random random(7, 7, 7);
    for (int turn = 0; turn < 40; ++turn) {
      map::Tensor tensor;
      tensor.size = sizes[static_cast<std::size_t>(turn) % sizes.size()];
      const Subject made = family->campaign->companion(tensor, random);
      const auto layout = lower(made);
      ASSERT_TRUE(layout.has_value()) << text_of(made) << ": " << layout.error().message;
      EXPECT_EQ(map::extents_of(layout->logical()), tensor.size);
      const Census is = census_of(*layout);
      EXPECT_EQ(is.missing + is.collisions, 0) << text_of(made);
      EXPECT_EQ(text_of(*subject_of_text(family->name, text_of(made), tensor)), text_of(made));
    }
  }
  EXPECT_EQ(offered, 6);
}

// By hand: f16[3] on two slots of stride 1, and on three slots of which two elements share one.
TEST(Census, CountsWhatHasNoSlotAndWhatSharesOne) {
  Subject subject;
  subject.tensor.size = {3};
  spyre::SpyreTensorLayout layout;
  layout.device_size = {2};
  layout.stride_map = {1};
  layout.device_dtype = {"SEN169_FP16", 64};
  subject.family = &spyre::family();
  subject.notation = layout;
  Census is = census_of(*lower(subject));
  EXPECT_EQ(is.missing, 1);
  EXPECT_EQ(is.landed, 2);
  subject.tensor.strides = std::vector<Index>{0};
  is = census_of(*lower(subject));
  EXPECT_EQ(is.collisions, 2);
}

}  // namespace fuzz_campaign_campaign
}  // namespace vl::test
