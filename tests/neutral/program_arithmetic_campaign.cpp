// Programs under an arithmetic: sets and verdicts against the execution of every slot, with roundings, flushes and
// facts of a profile; several arithmetics against each of them alone.
#include <gtest/gtest.h>

#include "tests/neutral/program_brute.h"
#include "tests/neutral/program_held.h"
#include "tests/neutral/program_texts.h"
#include "tests/support/shard.h"
#include "verifier/neutral/program/certify.h"
#include "verifier/session/arithmetic.h"
#include "verifier/values_kernel/check.h"

namespace vl {
namespace neutral_program_arithmetic_campaign {

namespace chain = neutral::program;
using chain::Instance;
using chain::Program;
using values::Code;

int scaled(int full, int part) { return static_cast<int>(test::cases(part, full)); }

values::Profile profile(const std::string& text) {
  auto read = session::read_arithmetic(session::SourceText::option("--arithmetic", text));
  EXPECT_TRUE(std::holds_alternative<values::Profile>(read)) << text;
  return std::get<values::Profile>(read);
}

std::vector<Instance> instances_of(const std::string& text, const std::string& arithmetic) {
  const auto program = chain::parse_program(text);
  EXPECT_TRUE(program.has_value()) << text;
  auto out = chain::instances(*program, profile(arithmetic));
  EXPECT_TRUE(out.has_value()) << arithmetic;
  return *out;
}

constexpr std::size_t kProved = 0, kRefuted = 1, kUnknown = 2;

std::size_t verdict_of(const std::string& text, const std::string& arithmetic) {
  return chain::answer_of_all(instances_of(text, arithmetic)).answer.verdict.index();
}

bool are_same(const Program& program, const values::Format& format, Code a, Code b) {
  if (a == b || (is_nan(format, a) && is_nan(format, b))) return true;
  return program.equal == neutral::Equality::AnyNanAndZero && values::is_zero(format, a) && values::is_zero(format, b);
}

struct Counts {
  int proved = 0, refuted = 0, unknown = 0, checked = 0, checked_runs = 0, slots = 0;
};

void hold_against_execution(const Program& program, test::WideEngine& random, Counts& counts) {
  const auto same = [&](const values::Format& format, Code a, Code b) { return are_same(program, format, a, b); };
  const auto answer = test::hold_against_execution(program, random, same, counts.slots);
  const std::size_t kind = answer.verdict.index();
  ++(kind == kProved ? counts.proved : kind == kRefuted ? counts.refuted : counts.unknown);
  if (kind != kUnknown && chain::certify(program, answer)) ++(kind == kProved ? counts.checked : counts.checked_runs);
}

std::string drawn_arithmetic(test::WideEngine& random) {
  const auto one_of = [&](std::initializer_list<const char*> words) {
    return std::string(test::one_of(random, words));
  };
  return one_of({"", "", "", "x86 ", "ieee ", "tt-wormhole ", "spyre "}) +
         one_of({"accumulate=element", "accumulate=element", "accumulate=f32"}) + " " +
         one_of({"start=first", "start=+0", "start=-0"}) + " " + one_of({"order=any", "order=seq"}) + " " +
         one_of({"max=nan-wins", "max=nan-loses", "max=x86"}) + " " +
         one_of({"flush=none", "flush=results", "flush=both"}) + " fused=" + one_of({"false", "true"}) +
         " ties=first integers=wrap rounding=" + one_of({"nearest-even", "nearest-away", "toward-zero"}) +
         " conversion=" + one_of({"nearest-even", "nearest-away", "toward-zero"});
}

TEST(ProgramArithmetic, StatesHoldEveryCodeAndProvedOutputsAreTheReference) {
  Counts counts;
  const int count = scaled(20000, 600);
  test::for_all(count, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const Program program = test::drawn_program(random, 7);
    const auto arithmetic = drawn_arithmetic(random);
    RC_LOG() << arithmetic << "\n";
    const auto all = chain::instances(program, profile(arithmetic));
    RC_ASSERT(all.has_value());
    RC_ASSERT(all->size() == 1U);
    hold_against_execution(all->front().program, random, counts);
  });
  std::printf("%d proved (%d checked), %d refuted (%d checked), %d unknown, %d slots\n", counts.proved, counts.checked,
              counts.refuted, counts.checked_runs, counts.unknown, counts.slots);
  EXPECT_GE(counts.proved, count / 4);
  EXPECT_GE(counts.refuted, count / 10);
  EXPECT_GE(counts.checked, counts.proved * 3 / 4);
  EXPECT_GE(counts.checked_runs, counts.refuted / 4);
}

// Integers: 8 bits that wrap or saturate.
TEST(ProgramArithmetic, OfIntegers) {
  Counts counts;
  const char* programs[] = {
      "a = input i8[2,3] tile(2,4) padding 0\nb = add a a\ns = sum b over 1\noutput s\n",
      "a = input i8[2,3] tile(2,4) padding 0 contents [-20..20]\nb = mul a a\ns = sum b over 1\noutput s\n",
      "a = input i8[2,3] tile(2,4) padding {-128}\nb = neg a\ns = max b over 1\noutput s\n",
      "a = input i8[2,3] tile(2,4) padding {1}\nb = sub a a\ns = sum b over 1\noutput s\n",
      "a = input i8[3] tile(4)\nb = input i8[3] tile(4) padding {-128}\nc = sub a b\ns = min c over 0 keep\noutput s\n",
      "a = input u8[2,3] tile(2,4) padding 0\nb = square a\ns = sum b over 1\noutput s\n"};
  for (const char* text : programs)
    for (const char* arithmetic : {"integers=wrap", "integers=saturate", "integers=saturate order=seq"})
      for (const Instance& each : instances_of(text, arithmetic))
        test::for_all(1, std::string(text) + arithmetic, [&] {
          test::WideEngine random = *test::engines<test::WideEngine>();
          hold_against_execution(each.program, random, counts);
        });
  EXPECT_GE(counts.proved, 6);
  EXPECT_EQ(counts.checked, counts.proved);
}

constexpr const char* kSum = "a = input f16[2,3] tile(2,4) padding 0\ns = sum a over 1\noutput s\n";

// Expectations by hand: +0 is neutral from a start +0, and -0 + +0 = +0 shows that it is not without one.
TEST(ProgramArithmetic, AnEntryWithSeveralValuesIsDemonic) {
  EXPECT_EQ(verdict_of(kSum, "start=+0"), kProved);
  EXPECT_EQ(verdict_of(kSum, "start=first"), kRefuted);
  EXPECT_EQ(verdict_of(kSum, "start=+0|first"), kUnknown);
  EXPECT_EQ(verdict_of(kSum, "start=first|-0"), kRefuted);  // 0 is both zeros; a start -0 is one more of them
  EXPECT_EQ(verdict_of(kSum, "start=+0 order=unknown flush=none"), kProved);
  // What a line says, no arithmetic does.
  const std::string said = "a = input f16[2,3] tile(2,4) padding 0\ns = sum a over 1 from +0\noutput s\n";
  EXPECT_EQ(verdict_of(said, "start=first"), kProved);
  EXPECT_EQ(instances_of(said, "start=unknown").size(), 1U);
  EXPECT_EQ(instances_of(kSum, "start=unknown order=unknown").size(), 6U);
  const std::string top = "a = input f16[2,3] tile(2,4) padding -inf\nm = max a over 1\noutput m\n";
  EXPECT_EQ(verdict_of(top, "max=nan-wins"), kProved);
  EXPECT_EQ(verdict_of(top, "max=nan-loses"), kRefuted);  // NaN alone
  EXPECT_EQ(verdict_of(top, "max=nan-wins|nan-loses"), kUnknown);
}

// A device whose exp has a floor leaves no zero behind -inf, so what it leaves counts; IEEE's is +0. torch-spyre #4517.
TEST(ProgramArithmetic, FactsOfAProfileAreAllThatIsKnown) {
  const auto text = [](const std::string& type, const std::string& fill) {
    return "a = input " + type + "[2,3] tile(2,4) padding " + fill +
           " contents [-1..1]\ne = exp a\ns = sum e over 1 from +0\noutput s\n";
  };
  EXPECT_EQ(verdict_of(text("f16", "-inf"), "ieee"), kProved);
  EXPECT_EQ(
      verdict_of(text("dl16", "bits:0xFFFE"), "spyre accumulate=element order=seq flush=none rounding=nearest-even"),
      kUnknown);
  EXPECT_EQ(verdict_of(text("f16", "0"), "ieee"), kRefuted);  // exp(0) = 1
  // x86 says nothing of exp.
  EXPECT_EQ(verdict_of(text("f16", "-inf"), "x86 accumulate=element order=any"), kUnknown);
  const std::string softmax =
      "a = input f16[2,3] tile(2,4) padding -inf contents finite\ns = softmax a over 1\noutput s\n";
  EXPECT_EQ(verdict_of(softmax, "start=first"), kProved);
  EXPECT_EQ(verdict_of(softmax,
                       "tt-wormhole accumulate=element start=first order=any max=nan-wins flush=none "
                       "rounding=nearest-even conversion=nearest-even"),
            kUnknown);
}

// 2^-24 is subnormal: under DAZ it is a zero in the sum, and the pads -0 are then added to +0.
TEST(ProgramArithmetic, FlushingChangesWhatPadsDo) {
  const std::string text = "a = input f16[1,1] tile(1,2) padding -0 contents bits:0x0001\ns = sum a over 1\noutput s\n";
  EXPECT_EQ(verdict_of(text, "flush=none"), kProved);
  EXPECT_EQ(verdict_of(text, "flush=results"), kRefuted);  // 2^-24 + -0 is flushed; alone it is not
}

// No source says whether max and any read a subnormal as zero where operands are flushed: nothing is refuted by that,
// and the checker accepts no such run.
TEST(ProgramArithmetic, WhatAComparisonReadsOfSubnormalsIsNotStatedUnderDaz) {
  for (const char* operation : {"max", "any"}) {
    const std::string text = std::string("A = input f32[1,1] tile(1,2) padding bits:1 contents +0\nm = ") + operation +
                             " A over 1\noutput m\n";
    EXPECT_EQ(verdict_of(text, "flush=none"), kRefuted) << operation;
    EXPECT_EQ(verdict_of(text, "flush=results"), kRefuted) << operation;
    EXPECT_EQ(verdict_of(text, "flush=both"), kUnknown) << operation;
    const auto plain = instances_of(text, "flush=none").front().program;
    auto run = chain::certify(plain, chain::Judge(plain).answer());
    ASSERT_TRUE(run.has_value()) << operation;
    run->statement.chain->flush = "both";
    run->digest = checker::digest(run->statement);
    EXPECT_TRUE(values_kernel::check(*run).has_value()) << operation;
  }
}

TEST(ProgramArithmetic, EveryArithmeticIsAsked) {
  int proved = 0, refuted = 0, open = 0;
  const int count = scaled(4000, 400);
  test::for_all(count, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const Program program = test::drawn_program(random, 5);
    const char* several[] = {"start=unknown order=unknown",
                             "flush=unknown",
                             "max=unknown fused=unknown",
                             "rounding=unknown",
                             "accumulate=element|f32 start=first|+0",
                             "conversion=unknown accumulate=f32"};
    const auto all = chain::instances(program, profile(test::one_of(random, several)));
    RC_ASSERT(all.has_value());
    std::array<std::size_t, 3> kinds{};
    for (const Instance& each : *all) ++kinds.at(chain::Judge(each.program).answer().verdict.index());
    const std::size_t got = chain::answer_of_all(*all).answer.verdict.index();
    const std::size_t want = kinds[kProved] == all->size()    ? kProved
                             : kinds[kRefuted] == all->size() ? kRefuted
                                                              : kUnknown;
    RC_ASSERT(got == want);
    ++(want == kProved ? proved : want == kRefuted ? refuted : open);
  });
  EXPECT_GE(proved, count / 5);
  EXPECT_GE(refuted, count / 10);
  EXPECT_GE(open, count / 100);
}

// A false statement about a chain's arithmetic is not accepted: the same sets under another rounding, flush or facts.
TEST(ProgramArithmetic, TheCheckerLooksAtTheArithmetic) {
  const std::string text =
      "a = input f16[2,3] tile(2,4) padding -inf contents [-1..1]\ne = exp a\ns = sum e over 1 from +0\noutput s\n";
  const auto all = instances_of(text, "ieee");
  const auto answer = chain::Judge(all.front().program).answer();
  auto certificate = chain::certify(all.front().program, answer);
  ASSERT_TRUE(certificate.has_value());
  const auto rejected = [&](const auto& change) {
    auto other = *certificate;
    change(*other.statement.chain);
    other.digest = checker::digest(other.statement);
    return values_kernel::check(other).has_value();
  };
  EXPECT_FALSE(rejected([](auto&) {}));
  EXPECT_TRUE(rejected([](auto& chain) { chain.facts->clear(); }));
  EXPECT_TRUE(rejected([](auto& chain) {
    for (auto& fact : *chain.facts) fact.gives = {{"0x1", "0x1"}};
  }));
  EXPECT_TRUE(rejected([](auto& chain) { chain.flush = "sometimes"; }));
  EXPECT_TRUE(rejected([](auto& chain) { chain.rounding = "nearest-even"; }));  // absent is how that is said
  EXPECT_TRUE(rejected([](auto& chain) { chain.facts->front().of = {{"0x1", "0x0"}}; }));
}

}  // namespace neutral_program_arithmetic_campaign
}  // namespace vl
