// Alternatives: what is proved, refuted or unknown where an arithmetic is not fully known, by hand and against each
// alternative alone.
#include "verifier/neutral/alternatives.h"

#include <gtest/gtest.h>

#include "encodings/values/state.h"
#include "verifier/neutral/certify.h"

namespace vl {
namespace neutral_alternatives_campaign {

using namespace neutral;  // NOLINT: the folder under test

const Format& of(std::string_view name) { return *values::find_format(name); }

std::vector<Alternative> all_of(Operation operation, const char* type, const char* contents, const char* profile) {
  Question question;
  question.operation = operation;
  question.type = of(type);
  question.accumulate = of(type);
  question.contents = *values::parse_state(contents, of(type), nullptr);
  return alternatives(question, *values::parse_profile(profile));
}

Answers ask(Operation operation, const char* type, const char* contents, const char* profile, const char* fill,
            const char* other = nullptr) {
  const auto a = *values::parse_state(fill, of(type), nullptr);
  const auto b = other == nullptr ? CodeSet() : *values::parse_state(other, of(type), nullptr);
  return decide(all_of(operation, type, contents, profile), a, other == nullptr ? nullptr : &b);
}

char letter(const Answers& answers) {
  if (std::holds_alternative<Proved>(answers.verdict)) return 'p';
  return std::holds_alternative<Refuted>(answers.verdict) ? 'r' : 'u';
}

TEST(Alternatives, AgreeOrNameTheEntryThatDecides) {
  struct Row {
    Operation operation;
    const char *type, *contents, *profile, *fill, *other;
    char verdict;
    const char* decides;
  };
  const Row rows[] = {
      {Operation::Max, "f16", "any", "max=unknown", "-inf", nullptr, 'u', "max"},
      {Operation::Max, "f16", "non-nan", "max=unknown", "-inf", nullptr, 'p', ""},
      {Operation::Max, "f16", "any", "max=unknown", "{1}", nullptr, 'r', ""},
      {Operation::Max, "f16", "any", "max=nan-loses", "NaN", nullptr, 'p', ""},
      {Operation::Sum, "f16", "any", "start=unknown", "-0", nullptr, 'p', ""},
      {Operation::Sum, "f16", "any", "start=unknown", "+0", nullptr, 'u', "start"},
      {Operation::Sum, "f16", "any", "start=first|-0", "+0", nullptr, 'r', ""},
      // Nothing is known: every number of dl16 is normal in f32 and f64, so -0 stays neutral.
      {Operation::Sum, "dl16", "any",
       "accumulate=unknown start=unknown order=unknown flush=unknown fused=unknown rounding=unknown", "-0", nullptr,
       'p', ""},
      {Operation::Sum, "dl16", "any", "accumulate=unknown start=+0", "+0", nullptr, 'u', "accumulate"},
      // c + -0 is flushed before a normal number is added: (2^-149 + -0) + 2^-126.
      {Operation::Sum, "f32", "any", "flush=results start=+0", "-0", nullptr, 'r', ""},
      {Operation::Sum, "f32", "any", "flush=results start=+0 order=seq", "-0", nullptr, 'p', ""},
      {Operation::Sum, "f32", "any", "flush=both start=+0", "-0 | [-1e-40..-1e-44]", nullptr, 'p', ""},
      {Operation::Sum, "f32", "any", "flush=both start=+0", "+0", nullptr, 'r', ""},  // a sum underflows to -0
      {Operation::Sum, "f32", "[0..inf]", "flush=both start=+0", "0 | [-1e-40..1e-40]", nullptr, 'p', ""},
      {Operation::Sum, "f32", "any", "flush=both", "-0", nullptr, 'r', ""},  // 2^-149 alone stays
      {Operation::Sum, "f32", "any", "flush=unknown start=+0", "-0", nullptr, 'u', "flush"},
      {Operation::Prod, "f16", "any", "flush=unknown rounding=unknown", "{1}", nullptr, 'u', "flush"},
      {Operation::Prod, "f16", "{0, 1, 2}", "flush=unknown rounding=unknown", "{1}", nullptr, 'p', ""},
      {Operation::Sum, "i8", "any", "integers=unknown", "0", nullptr, 'p', ""},
      {Operation::SumOfSquares, "i8", "any", "integers=unknown", "{16}", nullptr, 'u', "integers"},
      {Operation::Dot, "f16", "any", "accumulate=f32 start=+0 fused=unknown", "0", "finite", 'p', ""},
      {Operation::Dot, "f32", "any", "start=+0 fused=unknown", "0", "finite", 'u', "fused"},
      {Operation::Dot, "f32", "any", "start=+0 fused=true", "0", "finite", 'r', ""},
      {Operation::Dot, "f16", "any", "accumulate=f32 start=+0", "0", "any", 'r', ""}};
  for (const Row& row : rows) {
    const Answers answers = ask(row.operation, row.type, row.contents, row.profile, row.fill, row.other);
    EXPECT_EQ(letter(answers), row.verdict) << name(row.operation) << " " << row.profile << " " << row.fill;
    EXPECT_EQ(answers.decides, row.decides) << name(row.operation) << " " << row.profile << " " << row.fill;
  }
}

TEST(Alternatives, CountWhatMattersOnce) {
  const char* unknown =
      "accumulate=unknown start=unknown order=unknown max=unknown flush=unknown fused=unknown "
      "rounding=unknown integers=unknown ties=unknown";
  EXPECT_EQ(all_of(Operation::Max, "f16", "any", "max=unknown start=unknown").size(), 3u);
  EXPECT_EQ(all_of(Operation::Any, "f16", "any", unknown).size(), 2u * 3);                     // order, flush
  EXPECT_EQ(all_of(Operation::Sum, "i8", "any", unknown).size(), 4u * 2 * 2 * 2);              // +0 and -0 are one
  EXPECT_EQ(all_of(Operation::Sum, "dl16", "any", unknown).size(), (1u + 3 + 3) * 3 * 2 * 3);  // dl16 flushes nothing
  EXPECT_EQ(all_of(Operation::Sum, "f16", "any", "accumulate=bf16").size(), 0u);
  EXPECT_EQ(in_words(all_of(Operation::Sum, "f16", "any", "start=+0").front()),
            "accumulate=f16 start=+0 order=any flush=none rounding=nearest-even");
}

// Each answer follows from those of decide() under each alternative alone, and each refutation is the alternative's
// own.
TEST(Alternatives, AnswerAsEachOneAloneDoes) {
  int proved = 0, refuted = 0, unknown = 0;
  const char* profiles[] = {"max=unknown flush=results|none", "start=unknown order=unknown", "flush=unknown start=+0",
                            "flush=both|results rounding=unknown order=unknown", "fused=unknown start=+0|first"};
  for (const Operation operation : {Operation::Sum, Operation::Prod, Operation::Max, Operation::SumOfSquares})
    for (const char* profile : profiles)
      for (const char* contents : {"any", "{0, 1, -1}", "[1..8]"})
        for (const char* fill : {"-0", "0", "{1}", "-inf", "bits:0x01"}) {
          const auto all = all_of(operation, "f8e5m2", contents, profile);
          const CodeSet codes = *values::parse_state(fill, of("f8e5m2"), nullptr);
          const Answers answers = decide(all, codes);
          std::size_t yes = 0, no = 0;
          for (std::size_t i = 0; i < all.size(); ++i) {
            const Verdict alone = decide(all[i].question, codes);
            yes += std::holds_alternative<Proved>(alone) ? 1 : 0;
            no += std::holds_alternative<Refuted>(alone) ? 1 : 0;
            if (letter(answers) != 'r') continue;
            const auto& shown = std::get<Refuted>(answers.each[i]);
            EXPECT_EQ(result(all[i].question, shown.evaluation, true), shown.got);
            EXPECT_EQ(result(all[i].question, shown.evaluation, false), shown.want);
            EXPECT_FALSE(equals(all[i].question, shown.got, shown.want));
          }
          const char want = yes == all.size() ? 'p' : no == all.size() ? 'r' : 'u';
          ASSERT_EQ(letter(answers), want) << name(operation) << " " << profile << " " << contents << " " << fill;
          (want == 'p' ? proved : want == 'r' ? refuted : unknown) += 1;
        }
  EXPECT_GT(proved, 30);
  EXPECT_GT(refuted, 100);
  EXPECT_GT(unknown, 10);
}

TEST(Alternatives, HaveTheFillsThatEachOneHas) {
  const auto fills = [&](Operation operation, const char* type, const char* contents, const char* profile) {
    return std::get<LargestOfAll>(largest(all_of(operation, type, contents, profile))).largest;
  };
  const Largest max = fills(Operation::Max, "f16", "non-nan", "max=unknown");
  EXPECT_EQ(max.codes, CodeSet::of(0xFC00));
  EXPECT_EQ(max.open, values::nans(of("f16")));  // neutral if they lose
  const Largest sum = fills(Operation::Sum, "f16", "any", "start=unknown order=unknown");
  EXPECT_EQ(sum.codes, CodeSet::of(0x8000));
  EXPECT_EQ(sum.open, CodeSet::of(0));
  EXPECT_FALSE(sum.outside.empty());
  EXPECT_TRUE(std::holds_alternative<Unknown>(largest(all_of(Operation::Max, "f16", "any", "flush=unknown"))));
}

}  // namespace neutral_alternatives_campaign
}  // namespace vl
