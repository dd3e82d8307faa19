// The campaign `neutral`: a case depends only on its seed and index, wrong verdicts are found and made smaller, and a
// case file states everything that is needed to run a case again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "oracle/fuzz/neutral/campaign.h"
#include "tests/hostile/attack.h"
#include "tests/support/process.h"

namespace vl::test {
namespace fuzz_neutral_campaign {

using namespace oracle;  // NOLINT: the folder under test
using values::CodeSet;

const values::Format& of(std::string_view name) { return *values::find_format(name); }

constexpr std::uint64_t kNeutralCases = 96 * kNeutralGroup + 5;  // the last group is cut off

NeutralOptions options() {
  NeutralOptions out;
  out.seed = 7;
  out.count = kNeutralCases;
  return out;
}

TEST(NeutralCampaign, FindsNoMismatchAndHasBothVerdictsInNumbers) {
  const auto result = run_campaign(options());
  ASSERT_TRUE(result.has_value()) << result.error().message;
  const NeutralTotals& totals = result->record.totals;
  for (const NeutralTrouble& trouble : result->troubles) ADD_FAILURE() << case_text(trouble);
  EXPECT_EQ(totals.cases, kNeutralCases);
  EXPECT_EQ(totals.mismatches, 0U);
  EXPECT_GE(totals.proved, totals.cases / 5);
  EXPECT_GE(totals.refuted, totals.cases / 5);
  EXPECT_LE(totals.unknown, totals.cases / 10);
  EXPECT_GE(totals.images, totals.cases / 16);
  EXPECT_GE(totals.detected_groups, totals.refuted_groups * 3 / 4);
  EXPECT_GE(totals.counts.at("state-images"), totals.cases / 50);
  EXPECT_GE(totals.counts.at("state-results"), totals.cases);
}

// A state that holds nothing is false wherever a run stores something.
TEST(NeutralCampaign, FindsAStateThatHoldsNothing) {
  int planted = 0, found = 0, regions = 0;
  for (std::uint64_t group = 3; group < 400; group += 4) {
    const NeutralQuestion asked = question_of(7, group);
    const auto image = image_of(asked, 7, group);
    const auto ready = image ? ops::Prepared::create(image->task) : Result<ops::Prepared>(Error{});
    if (!ready) continue;
    NeutralStates states = states_of(asked, *ready);
    regions += static_cast<int>(states.regions.size());
    if (states.regions.empty()) continue;
    const NeutralTrial trial(asked, neutral::Unknown{"planted"});
    for (auto& [region, codes] : states.regions) codes = CodeSet();
    ++planted;
    for (std::uint64_t k = 24; k < kNeutralGroup; ++k) {
      const NeutralOutcome outcome = trial.run(*ready, states, 7, group * kNeutralGroup + k);
      if (!outcome.mismatch) continue;
      EXPECT_EQ(outcome.mismatch->kind, "state");
      ++found;
      break;
    }
  }
  EXPECT_GE(planted, 15);
  EXPECT_EQ(found, planted);
  EXPECT_GE(regions, 20);
}

TEST(NeutralCampaign, ShardsAndThreadsChangeNoByte) {
  const Folder folder;
  NeutralOptions whole = options();
  whole.count = 40 * kNeutralGroup;
  const auto want = run_campaign(whole);
  ASSERT_TRUE(want.has_value());
  std::vector<NeutralRecord> records;
  NeutralOptions part = whole;
  part.folder = folder.at("parts");
  part.shards = 3;
  for (part.shard = 0; part.shard < part.shards; ++part.shard) {
    part.threads = part.shard + 1;
    const auto result = run_campaign(part);
    ASSERT_TRUE(result.has_value()) << result.error().message;
    auto record = neutral_record_of(read_text(fmt::format("{}/neutral-7-{}-of-3.json", part.folder, part.shard)));
    ASSERT_TRUE(record.has_value()) << record.error().message;
    EXPECT_EQ(*record, result->record);
    records.insert(records.begin(), std::move(*record));  // in no order
  }
  const auto merged = merge(records);
  ASSERT_TRUE(merged.has_value());
  ASSERT_EQ(merged->size(), 1U);
  EXPECT_EQ(to_text(merged->front()), to_text(want->record));
  EXPECT_FALSE(merge({records[0], records[0]}).has_value()) << "a shard twice";
}

TEST(NeutralCampaign, GoesOnFromItsRecordAndRefusesAnAlteredOne) {
  const Folder folder;
  NeutralOptions stopped = options();
  stopped.folder = folder.path();
  stopped.count = 8 * kNeutralGroup;
  ASSERT_TRUE(run_campaign(stopped).has_value());
  stopped.count = 24 * kNeutralGroup;
  const auto result = run_campaign(stopped);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  NeutralOptions whole = stopped;
  whole.folder.clear();
  EXPECT_EQ(to_text(result->record), to_text(run_campaign(whole)->record));
  std::string text = to_text(result->record);
  text.replace(text.find("\"proved\":") + 9, 1, "9");
  EXPECT_FALSE(neutral_record_of(text).has_value());
  EXPECT_FALSE(neutral_record_of("{}").has_value());
  EXPECT_FALSE(neutral_record_of("").has_value());
  EXPECT_TRUE(is_neutral_record(to_text(result->record)));
}

NeutralQuestion sum_of_f16(CodeSet fill) {
  NeutralQuestion out;
  out.question.operation = neutral::Operation::Sum;
  out.question.type = out.question.accumulate = of("f16");
  out.question.contents = CodeSet::all(of("f16"));
  out.fill = std::move(fill);
  return out;
}

TEST(NeutralTrial, FindsAFalseProofAndMakesItSmaller) {
  const NeutralQuestion asked = sum_of_f16(CodeSet::of(0));  // +0 is not neutral: -0 + +0 is +0
  const NeutralTrial trial(asked, neutral::Proved{"law", "planted"});
  const auto differs = [&](const NeutralRow& row) {
    const NeutralResults results = results_of(asked.question, row);
    return !are_equal(asked.question, results.with_pads, results.without);
  };
  int found = 0;
  for (std::uint64_t index = 0; index < 1000; ++index) {
    NeutralOutcome outcome = trial.run(row_of(asked, trial.sources(), 3, index));
    if (!outcome.mismatch) continue;
    ++found;
    EXPECT_EQ(outcome.mismatch->kind, "false-proved");
    const NeutralRow small = smaller_row(asked, *outcome.row, differs);
    EXPECT_TRUE(fits(asked, small));
    ASSERT_EQ(small.terms.size(), 2U);
    EXPECT_EQ(small.terms[0].pad ? small.terms[1].a : small.terms[0].a, Code{0x8000});
  }
  EXPECT_GT(found, 5);
}

TEST(NeutralTrial, FindsACounterexampleThatIsNone) {
  const NeutralQuestion asked = sum_of_f16(CodeSet::of(0));
  const neutral::Verdict right = neutral::decide(asked.question, asked.fill);
  ASSERT_TRUE(std::holds_alternative<neutral::Refuted>(right));
  EXPECT_FALSE(NeutralTrial(asked, right).counterexample().has_value());
  const auto refuses = [&](auto change) {
    auto wrong = std::get<neutral::Refuted>(right);
    change(wrong);
    const NeutralTrial trial(asked, wrong);
    ASSERT_TRUE(trial.counterexample().has_value());
    EXPECT_EQ(trial.counterexample()->kind, "false-refuted");
  };
  refuses([](neutral::Refuted& r) { r.got ^= 1; });
  refuses([](neutral::Refuted& r) { r.want ^= 1; });
  refuses([](neutral::Refuted& r) { r.evaluation.pads[0].a = 0x8000; });  // no code of the fill
  refuses([](neutral::Refuted& r) {                                       // equal results
    r.evaluation.valid[0].a = 0x3c00;
    r.got = r.want = 0x3c00;
  });
}

// Wrong verdicts about rows: a finite pad counts in softmax, and +inf comes first.
TEST(NeutralTrial, FindsFalseProofsOfRows) {
  struct Planted {
    neutral::Operation operation;
    values::Code fill;
    neutral::Ties ties = neutral::Ties::First;
  };
  for (const Planted& one :
       {Planted{neutral::Operation::Softmax, 0x0000}, Planted{neutral::Operation::LayerNorm, 0x3C00},
        Planted{neutral::Operation::ArgMax, 0x7C00, neutral::Ties::Last}, Planted{neutral::Operation::Sort, 0xFC00},
        Planted{neutral::Operation::CumSum, 0x3C00}, Planted{neutral::Operation::Mean, 0x3C00},
        Planted{neutral::Operation::Variance, 0x0000}}) {
    NeutralQuestion asked = sum_of_f16(CodeSet::of(one.fill));
    asked.question.operation = one.operation;
    asked.question.ties = one.ties;
    ASSERT_EQ(neutral::misfit(asked.question), "");
    const NeutralTrial trial(asked, neutral::Proved{"law", "planted"});
    int found = 0;
    for (std::uint64_t index = 0; index < 128; ++index)
      if (const auto outcome = trial.run(row_of(asked, trial.sources(), 3, index)); outcome.mismatch) {
        EXPECT_EQ(outcome.mismatch->kind, "false-proved");
        const NeutralTrouble trouble{asked, *outcome.row, *outcome.mismatch, 3, index};
        const auto again = neutral_case_of(case_text(trouble));
        ASSERT_TRUE(again.has_value()) << again.error().message;
        EXPECT_EQ(case_text(*again), case_text(trouble));
        ++found;
      }
    EXPECT_GT(found, 5) << neutral::name(one.operation);
    // A counterexample that is none.
    const neutral::Verdict right = neutral::decide(asked.question, asked.fill);
    ASSERT_TRUE(std::holds_alternative<neutral::Refuted>(right)) << neutral::name(one.operation);
    EXPECT_FALSE(NeutralTrial(asked, right).counterexample().has_value()) << neutral::name(one.operation);
    auto wrong = std::get<neutral::Refuted>(right);
    wrong.got ^= 2;
    EXPECT_TRUE(NeutralTrial(asked, wrong).counterexample().has_value()) << neutral::name(one.operation);
  }
}

NeutralTrouble planted_trouble() {
  const NeutralQuestion asked = sum_of_f16(CodeSet::of(0));
  NeutralTrouble out{asked, {}, {"false-proved", "planted"}, 3, 17};
  out.row.terms = {{0x8000, 0, false}, {0x0000, 0, true}, {0x3c00, 0, false}};
  out.row.tree = ops::tree_of({ops::Order::Kind::Descending}, 3, false);
  return out;
}

TEST(NeutralCase, IsReadAsItWasWritten) {
  const NeutralTrouble trouble = planted_trouble();
  const auto again = neutral_case_of(case_text(trouble));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(case_text(*again), case_text(trouble));
  EXPECT_EQ(again->row.tree, trouble.row.tree);
  EXPECT_TRUE(is_neutral_case_file(case_file_name(trouble)));
  EXPECT_FALSE(run_again(*again).mismatch.has_value()) << "today's verdict is right";
  int read = 0;
  for (std::uint64_t index = 0; index < 60 * kNeutralGroup; index += kNeutralGroup / 2 + 1) {  // of every operation
    const NeutralQuestion asked = question_of(11, index / kNeutralGroup);
    const NeutralTrouble one{asked, row_of(asked, NeutralSources(asked), 11, index), {"false-proved", ""}, 11, index};
    const auto back = neutral_case_of(case_text(one));
    ASSERT_TRUE(back.has_value()) << back.error().message << case_text(one);
    EXPECT_EQ(case_text(*back), case_text(one));
    ++read;
  }
  EXPECT_GT(read, 100);
}

TEST(NeutralCase, RejectsWhatIsNone) {
  const std::string right = case_text(planted_trouble());
  const std::pair<const char*, const char*> changes[] = {
      {"neutral-case", "neutral"},
      {"\"seed\":3", "\"seed\":-3"},
      {"\"sum\"", "\"gcd\""},
      {"\"sum\"", "\"softmax\""},  // whose rules are missing
      {"\"type\":\"f16\"", "\"type\":7"},
      {"\"first\"", "\"last\""},
      {"\"any\"", "\"all\""},
      {"\"fused\":false", "\"fused\":0"},
      {"\"fused\":false", "\"fused\":true"},  // a misfit
      {"\"none\"", "\"some\""},
      {"\"wrap\"", "\"bounce\""},
      {"nearest-even", "nearest-odd"},
      {"[\"0x0000\",\"0xffff\"]", "[]"},
      {"\"0xffff\"", "\"0x10000\""},
      {"\"0xffff\"", "\"ffff\""},
      {"\"0xffff\"", "\"\""},
      {"[\"0x0000\",\"0xffff\"]", "[\"0x0001\",\"0x0000\"]"},
      {"[[\"0x0000\",\"0xffff\"]]", "[]"},
      {"\"p0x0000\"", "\"p0x0001\""},
      {"\"p0x0000\"", "\"p\""},
      {"\"p0x0000\"", "\"p0x0000*0x0000\""},
      {"\"0x8000\"", "3"},
      {"2 1 + 0 +", "2 1 +"},
      {"2 1 + 0 +", "2 1 + +"},
      {"2 1 + 0 +", "2 2 + 0 +"},
      {"2 1 + 0 +", "3 1 + 0 +"},
      {"2 1 + 0 +", "s 1 + 0 +"},
      {"2 1 + 0 +", ""},
      {"2 1 + 0 +", "2  1 + 0 +"},
      {"\"tree\"", "\"trees\""},
      {"\"fill\"", "\"fills\""},
      {"{", "["},
  };
  for (const auto& [from, to] : changes) {
    std::string text = right;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, std::string_view(from).size(), to);
    EXPECT_FALSE(neutral_case_of(text).has_value()) << text;
  }
  EXPECT_FALSE(neutral_case_of("").has_value());
  EXPECT_FALSE(neutral_case_of(std::string(100000, '[')).has_value());
}

}  // namespace fuzz_neutral_campaign
}  // namespace vl::test
