// Mutants: wrong statements about padding, each made by one mistake in a lemma or in the image of a function. The
// dynamic check, which knows no lemma, has to find at least 99 of 100 of them.
//
// A lemma's mutant says of a question that a fill is neutral which the laws give for another question (another start,
// rule of NaN, flush, rounding, accumulator, equality, contents, fused products), or which has one code too many. It is
// counted if it is wrong: decide() has a counterexample, which the evaluator replays.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "oracle/fuzz/neutral/trial.h"
#include "tests/support/shard.h"
#include "verifier/neutral/laws.h"
#include "verifier/neutral/transfer.h"

namespace vl::test {
namespace fuzz_neutral_mutants_campaign {

using namespace oracle;  // NOLINT: the folder under test
using neutral::Question;
using values::CodeSet;

enum Mistake { kBorder, kStart, kMaxRule, kFlush, kRounding, kFormat, kEquality, kContents, kFused, kMistakes };
constexpr const char* kMistakeNames[] = {"one code too many", "start",    "NaN rule", "flush", "rounding",
                                         "accumulator",       "equality", "contents", "fused"};

CodeSet claimed(const Question& question) {
  if (!neutral::misfit(question).empty()) return {};
  const auto found = neutral::neutral_codes(question);
  return found ? found->codes : CodeSet();
}

// A code next to an end of the neutral fill.
CodeSet one_more(const Question& question, Random& random) {
  const CodeSet right = claimed(question);
  const auto ends = ends_of(right);
  if (ends.empty()) return {};
  const auto beside = neighbours_of(question.type, ends[random.below(ends.size())]);
  return right.united(CodeSet::of(beside[random.below(beside.size())]));
}

// The fill that the laws give for a question with one mistake.
CodeSet mistaken(Question question, Mistake mistake, Random& random) {
  using values::Flush;
  using values::MaxRule;
  const Question right = question;
  switch (mistake) {
    case kBorder: return one_more(question, random);
    case kStart:
      question.start = static_cast<neutral::Start>((static_cast<int>(right.start) + random.between(1, 2)) % 3);
      break;
    case kMaxRule: question.max = static_cast<MaxRule>((static_cast<int>(right.max) + random.between(1, 2)) % 3); break;
    case kFlush:
      question.mode.flush = static_cast<Flush>((static_cast<int>(right.mode.flush) + random.between(1, 2)) % 3);
      break;
    case kRounding:
      question.mode.rounding =
          static_cast<values::Rounding>((static_cast<int>(right.mode.rounding) + random.between(1, 2)) % 3);
      break;
    case kFormat: question.accumulate = values::formats()[random.below(values::formats().size())]; break;
    case kEquality:
      question.equal = static_cast<neutral::Equality>((static_cast<int>(right.equal) + random.between(1, 2)) % 3);
      break;
    case kContents:
      question.contents = question.contents.intersected(
          random.chance(50) ? finite_codes(question.type)
                            : CodeSet::of(1).united(CodeSet::of(values::one(question.type))));
      break;
    case kFused: question.fused = !question.fused; break;
    case kMistakes: break;
  }
  if (question.contents.empty()) return {};
  return claimed(question);
}

struct Tally {
  int made = 0, found = 0;
  std::uint64_t cases = 0, most = 0;
};

// The number of cases until some evaluation differs; nothing after `most`.
std::optional<std::uint64_t> cases_until_found(const NeutralQuestion& asked, std::uint64_t most) {
  const NeutralTrial trial(asked, neutral::Proved{"law", "a mutant"});
  for (std::uint64_t index = 0; index < most; ++index)
    if (trial.run(row_of(asked, trial.sources(), 31, index)).mismatch) return index + 1;
  return std::nullopt;
}

TEST(NeutralMutants, OfLemmasAreFound) {
  constexpr std::uint64_t kMost = 20000;
  constexpr int kMostOfOne = 250;
  Tally tallies[kMistakes], all;
  std::set<std::string> seen;
  const Shard shard = shard_of(24);
  for (std::uint64_t k = 0; k < 8000; ++k) {
    if (!shard.has(k)) continue;
    Random random(20261124, 31, k);
    NeutralQuestion asked = question_of(31, k);
    if (asked.second || !is_tree(asked.question.operation)) continue;
    const auto mistake = static_cast<Mistake>(k % kMistakes);
    asked.fill = mistaken(asked.question, mistake, random);
    if (tallies[mistake].made >= kMostOfOne || asked.fill.is_subset_of(claimed(asked.question))) continue;
    // A mutant is wrong because a row of it was evaluated. Of others nobody knows.
    if (!std::holds_alternative<neutral::Refuted>(neutral::decide(asked.question, asked.fill))) continue;
    Tally& tally = tallies[mistake];
    ++tally.made, ++all.made;
    const auto found = cases_until_found(asked, kMost);
    all.cases += found.value_or(kMost);
    tally.cases += found.value_or(kMost);
    if (found) ++tally.found, ++all.found, tally.most = std::max(tally.most, *found);
    else
      fmt::print("not found: {} {} of {}, {}\n", kMistakeNames[mistake], name(asked.question.operation),
                 asked.question.type.name, k);
  }
  for (int m = 0; m < kMistakes; ++m)
    fmt::print("{:18} {:4} of {:4} found, after at most {:4} cases, {} in all\n", kMistakeNames[m], tallies[m].found,
               tallies[m].made, tallies[m].most, tallies[m].cases);
  EXPECT_GE(all.made, is_campaign() ? 500 : 15);
  EXPECT_GE(all.found, is_campaign() ? all.made - all.made / 100 : all.made - 1);
  EXPECT_LE(all.cases, 1000000U) << "of all mutants";
}

struct Imaged {
  neutral::Function function;
  ops::Operation operation;
};
// Without relu, whose image has both zeros for -0: implementations differ.
constexpr Imaged kImaged[] = {
    {neutral::Function::Neg, ops::Operation::Neg},     {neutral::Function::Abs, ops::Operation::Abs},
    {neutral::Function::Add, ops::Operation::Add},     {neutral::Function::Sub, ops::Operation::Sub},
    {neutral::Function::Mul, ops::Operation::Mul},     {neutral::Function::Max, ops::Operation::Maximum},
    {neutral::Function::Min, ops::Operation::Minimum},
};

// Some codes that pads hold: a few telling ones, or an interval.
CodeSet drawn_state(const values::Format& format, Random& random) {
  const auto telling = telling_codes_of(format);
  const auto some = [&] { return telling[random.below(telling.size())]; };
  if (random.chance(60)) return CodeSet::of(some()).united(CodeSet::of(some()));
  const Code a = some(), b = some();
  return CodeSet({{std::min(a, b), std::min(std::max(a, b), std::min(a, b) + 40)}});
}

// The image of a function without one of its codes: some operands have to give that code.
TEST(NeutralMutants, OfImagesAreFound) {
  int made = 0, found = 0, inside = 0;
  std::uint64_t cases = 0;
  for (std::uint64_t k = 0; k < 1200; ++k) {
    Random random(20261124, 32, k);
    constexpr const char* kTypes[] = {"f16", "bf16", "f8e4m3", "f8e5m2", "dl16", "f32"};
    const values::Format& format = *values::find_format(kTypes[random.below(6)]);
    const Imaged& what = kImaged[random.below(std::size(kImaged))];
    if (!neutral::is_defined(what.function, format)) continue;
    std::vector<CodeSet> states;
    for (unsigned i = 0; i < neutral::arity(what.function); ++i) states.push_back(drawn_state(format, random));
    constexpr auto kRule = values::MaxRule::NanWins;
    const neutral::Image image = neutral::image(what.function, format, kRule, states);
    if (!image.exact) continue;
    const auto ends = ends_of(image.codes);
    const Code missing = ends[random.below(ends.size())];
    if (is_nan(format, missing)) continue;  // which NaN it is, is the implementation's
    ++made;
    ops::Arithmetic arithmetic{format};
    arithmetic.max = kRule;
    const ops::Scalar scalar(what.operation, arithmetic, format);
    std::vector<Codes> sources;
    for (const CodeSet& state : states) sources.emplace_back(format, state);
    bool seen = false;
    for (int i = 0; i < 4000 && !seen; ++i, ++cases) {
      const Code a = sources[0].draw(random), b = sources.size() > 1 ? sources[1].draw(random) : 0;
      const Code got = scalar.leaf({a, b});
      ASSERT_TRUE(image.codes.contains(got))
          << fmt::format("{} of {:x}, {:x} in {}", neutral::name(what.function), a, b, format.name);
      ++inside;
      seen = got == missing;
    }
    found += seen ? 1 : 0;
    if (!seen) fmt::print("not found: {} in {}, {:x}\n", neutral::name(what.function), format.name, missing);
  }
  fmt::print("{} of {} found in {} cases\n", found, made, cases);
  EXPECT_GE(made, 300);
  EXPECT_GE(found * 100, made * 99);
  EXPECT_GT(inside, 1000);
}

}  // namespace fuzz_neutral_mutants_campaign
}  // namespace vl::test
