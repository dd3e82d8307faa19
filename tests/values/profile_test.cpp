// Profiles: the text form, what alternatives an unknown entry has, and what facts allow.
#include "encodings/values/profile.h"

#include <gtest/gtest.h>

#include "encodings/values/state.h"

namespace vl {
namespace values_profile_test {

using namespace values;  // NOLINT: the folder under test

const Format& format(const char* name) { return *find_format(name); }

CodeSet set(const char* text, const char* type) { return *parse_state(text, format(type), nullptr); }

TEST(Profile, OfATextHasItsEntriesAndTheOthersAsTheyWere) {
  const auto read = parse_profile("accumulate=f32  start=+0|first max=unknown\tflush=both fused=true");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->accumulate, (std::vector<const Format*>{&format("f32")}));
  EXPECT_EQ(read->start, (std::vector{Start::Zero, Start::First}));
  EXPECT_EQ(read->max, (std::vector{MaxRule::NanWins, MaxRule::NanLoses, MaxRule::X86}));
  EXPECT_EQ(read->flush, (std::vector{Flush::Both}));
  EXPECT_EQ(read->products, (std::vector{Products::Fused}));
  EXPECT_EQ(read->order, (std::vector{Tree::Any}));
  EXPECT_EQ(read->rounding, (std::vector{Rounding::NearestEven}));
  EXPECT_EQ(*parse_profile("", *read), *read);
  const auto more = parse_profile("max=x86", *read);
  ASSERT_TRUE(more);
  EXPECT_EQ(more->max, (std::vector{MaxRule::X86}));
  EXPECT_EQ(more->start, read->start);
}

TEST(Profile, ThatIsWrongSaysWhere) {
  struct Row {
    const char *text, *message;
    std::size_t offset;
  };
  const Row rows[] = {{"maxx=x86", "'maxx' is no entry", 0},
                      {"start=+0 max", "expected 'max=' and its value", 9},
                      {"start=0", "'0' is no start", 6},
                      {"start=", "'' is no start", 6},
                      {"start=+0|", "'' is no start", 9},
                      {"start=+0|+0", "'+0' is there twice", 9},
                      {"start=first start=+0", "'start' is there twice", 12},
                      {"order=any start=unknown|+0", "'unknown' is no start", 16},
                      {"accumulate=f33", "'f33' is no accumulate; did you mean 'f32'?", 11},
                      {"=f32", "'' is no entry", 0},
                      {"fused=yes", "'yes' is no fused", 6},
                      {"equal=bits", "'equal' is no entry", 0}};
  for (const Row& row : rows) {
    const auto read = parse_profile(row.text);
    ASSERT_FALSE(read) << row.text;
    EXPECT_TRUE(read.error().message.starts_with(row.message)) << row.text << ": " << read.error().message;
    EXPECT_EQ(read.error().offset, row.offset) << row.text;
  }
}

// Counted by hand: dl16 has all its numbers in dl16, f32 and f64 (f16 ends at 65504, bf16 has 7 bits of fraction).
TEST(Profile, HasEachAlternativeOnce) {
  const Profile open = *parse_profile("accumulate=unknown start=unknown max=unknown rounding=unknown");
  const auto count = [&](const Profile& profile, const char* type, std::vector<Entry> relevant) {
    return alternatives(profile, format(type), relevant).size();
  };
  EXPECT_EQ(count(open, "dl16", {Entry::Accumulate}), 3u);
  EXPECT_EQ(count(open, "f64", {Entry::Accumulate}), 1u);
  EXPECT_EQ(count(open, "i8", {Entry::Accumulate}), 4u);
  EXPECT_EQ(count(open, "u8", {Entry::Accumulate}), 4u);
  EXPECT_EQ(count(open, "f16", {Entry::Accumulate, Entry::Start, Entry::Max}), 27u);
  EXPECT_EQ(count(open, "f16", {}), 1u);
  EXPECT_EQ(alternatives(open, format("f16")).size(), 3u * 3 * 3 * 3 * 3);
  EXPECT_EQ(alternatives(open, format("i32")).size(), 2u * 2 * 3);  // i32 and i64; a start or none; ties
  EXPECT_EQ(alternatives(Profile{}, format("f16")).size(), 3u);
  EXPECT_EQ(count(*parse_profile("accumulate=element|f32"), "f32", {Entry::Accumulate}), 1u);
  EXPECT_EQ(count(*parse_profile("accumulate=bf16"), "f16", {Entry::Accumulate}), 0u);
  const auto two = alternatives(*parse_profile("flush=both|none"), format("bf16"), std::vector{Entry::Flush});
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(value_of(two[0], Entry::Flush), "both");
  EXPECT_EQ(value_of(two[1], Entry::Flush), "none");
  EXPECT_EQ(value_of(two[1], Entry::Accumulate), "bf16");
  EXPECT_EQ(value_of(two[1], Entry::Fused), "false");
}

TEST(Facts, AllowWhatEachOfThemAllows) {
  const std::vector<Fact> facts = {{"exp", "", "-inf", "+0", ""},
                                   {"exp", "", "non-nan", "+0 | [5e-324..inf]", ""},
                                   {"exp", "dl16", "non-nan", "[4.66e-10..8573157376]", ""},
                                   {"log", "", "0", "-inf", ""}};
  const auto image = [&](const char* function, const char* type, const char* of) {
    return stated_image(facts, function, format(type), set(of, type));
  };
  EXPECT_EQ(image("exp", "f16", "-inf"), CodeSet::of(0));
  EXPECT_EQ(image("exp", "f16", "-inf | {1}"), set("+0 | [1e-9..inf]", "f16"));
  EXPECT_EQ(image("exp", "f16", "NaN"), set("any", "f16"));
  EXPECT_EQ(image("exp", "f16", "-inf | NaN"), set("any", "f16"));
  // In dl16 the first fact has no code; of the other two both hold: the least number is 0x0001.
  EXPECT_EQ(image("exp", "dl16", "{-1}"), CodeSet({{1, 0x7FFE}}));
  EXPECT_EQ(image("exp2", "f16", "-inf"), set("any", "f16"));
  EXPECT_EQ(image("log", "bf16", "+0"), set("-inf", "bf16"));
  EXPECT_EQ(contradiction(facts), "");
}

TEST(Facts, ThatAreWrongSayWhy) {
  struct Row {
    Fact fact;
    const char* message;
  };
  const Row rows[] = {{{"exq", "", "0", "{1}", ""}, "'exq' is no function; did you mean 'exp'?"},
                      {{"exp", "f17", "0", "{1}", ""}, "'f17' is no float format"},
                      {{"exp", "i8", "0", "{1}", ""}, "'i8' is no float format"},
                      {{"exp", "", "0", "1", ""}, "'1': expected any"},
                      {{"exp", "", "valid", "{1}", ""}, "'valid': expected any"},
                      {{"exp", "dl16", "-inf", "+0", ""}, "'-inf': dl16 has no infinity"}};
  for (const Row& row : rows) {
    const auto error = wrong_with(row.fact);
    ASSERT_TRUE(error) << row.message;
    EXPECT_TRUE(error->message.starts_with(row.message)) << error->message;
  }
  EXPECT_FALSE(wrong_with({"exp", "", "-inf", "+0", ""}));
  const std::vector<Fact> both = {{"exp", "f16", "0", "{1}", ""}, {"exp", "f16", "-0", "{2}", ""}};
  EXPECT_EQ(contradiction(both), "exp of 0x8000 (-0) of f16 has no result");
}

}  // namespace values_profile_test
}  // namespace vl
