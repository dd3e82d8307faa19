// Certificates of programs: each change of a step, of a set or of an equality that makes them wrong is rejected.
#include "verifier/values_kernel/chains.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/flips.h"
#include "verifier/neutral/program/certify.h"
#include "verifier/values_kernel/check.h"

namespace vl {
namespace values_kernel_chains_campaign {

namespace chain = neutral::program;
using checker::Certificate;
using checker::StepText;

// A column sum of exp A, masked; its product with B; the rows turned round and cut, joined and spread.
constexpr const char* kProgram =
    "A = input f32[M=5,K=6] tile(8,8) padding 0 contents finite\n"
    "B = input f32[K=6,N=3] tile(8,4) padding finite contents finite\n"
    "a = exp A\n"
    "m = mask a K with 0\n"
    "C = matmul m B accumulate f32 from +0\n"
    "T = transpose C (1,0)\n"
    "S = slice T over 0 at 1..3\n"
    "J = concat S S over 0\n"
    "r = relu J\n"
    "s = sum m over 1 from +0\n"
    "x = max A over 1 keep\n"
    "output r s\n"
    "equal any-nan+zero\n";
// max reads the zeros behind K: it is not neutral, so that line goes, which no output reads.
std::string proved_text() {
  std::string text = kProgram;
  const std::size_t at = text.find("x = max");
  return text.erase(at, text.find('\n', at) + 1 - at);
}

Certificate certificate_of(const std::string& text) {
  const auto program = chain::parse_program(text);
  EXPECT_TRUE(program) << (program ? "" : program.error().message);
  chain::Judge judge(*program);
  const auto made = certify(*program, judge.answer());
  EXPECT_TRUE(made) << text;
  return made.value_or(Certificate());
}

bool accepts(Certificate changed) {
  changed.digest = checker::digest(changed.statement);
  return !values_kernel::check(changed).has_value();
}

TEST(CheckersChains, AcceptAProvedProgram) {
  const Certificate made = certificate_of(proved_text());
  EXPECT_TRUE(accepts(made));
  EXPECT_EQ(made.statement.chain->steps.size(), 10U);
  std::string read = kProgram;
  read.insert(read.find("r s\nequal"), "x ");
  const auto whole = chain::parse_program(read);
  ASSERT_TRUE(whole);
  chain::Judge judge(*whole);
  const auto shown = certify(*whole, judge.answer());
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->statement.verdict, "refuted");
}

// x - x is 0; x - y is not, and neither is x + x.
TEST(CheckersChains, RejectOperandsThatAreTwoValues) {
  const Certificate made = certificate_of(
      "x = input f32[3,5] tile(4,4) padding finite contents finite\n"
      "y = input f32[3,5] tile(4,4) padding finite contents finite\n"
      "d = sub x x\ns = sum d over 1\noutput s y\n");
  ASSERT_EQ(made.statement.chain->steps.at(2).kind, "pointwise");
  EXPECT_TRUE(accepts(made));
  Certificate other = made;
  other.statement.chain->steps.at(2).operands = {1, 1};
  EXPECT_TRUE(accepts(other));
  other.statement.chain->steps.at(2).operands = {0, 1};
  EXPECT_FALSE(accepts(other));
  other = made;
  other.statement.chain->steps.at(2).function = "add";
  EXPECT_FALSE(accepts(other));
}

TEST(CheckersChains, RejectWhatIsNoProof) {
  const Certificate made = certificate_of(proved_text());
  struct Row {
    const char* what;
    std::function<void(Certificate&)> change;
  };
  const auto step = [](Certificate& c, std::size_t at) -> StepText& { return c.statement.chain->steps.at(at); };
  const auto set = [](Certificate& c, std::size_t at, std::size_t region) -> checker::ReductionText::Ranges& {
    return c.evidence.chain->sets.at(at).at(region);
  };
  const checker::ReductionText::Ranges all{{"0x0", "0xFFFFFFFF"}}, one{{"0x3F800000", "0x3F800000"}};
  const Row rows[] = {
      {"an input whose padding holds more", [&](Certificate& c) { (*step(c, 0).holds)[2] = all; }},
      {"elements that are any", [&](Certificate& c) { (*step(c, 1).holds)[0] = all; }},
      {"a set without zero behind the mask", [&](Certificate& c) { set(c, 3, 2) = one; }},
      {"no mask", [&](Certificate& c) { step(c, 3).masked->clear(); }},
      {"a mask of elements", [&](Certificate& c) { step(c, 3).masked->push_back(0); }},
      {"a mask with 1", [&](Certificate& c) { step(c, 3).value = "0x3F800000"; }},
      {"another function", [&](Certificate& c) { step(c, 2).function = "log"; }},
      {"a function of two operands", [&](Certificate& c) { step(c, 2).function = "add"; }},
      {"another operand", [&](Certificate& c) { step(c, 4).operands[0] = 2; }},
      {"an operand that comes later", [&](Certificate& c) { step(c, 4).operands[0] = 5; }},
      {"a matmul of other sizes", [&](Certificate& c) { step(c, 4).sizes[1] = 4; }},
      {"a matmul without a start",
       [&](Certificate& c) { step(c, 4).start = "first", c.statement.chain->equal = "bits"; }},
      {"a transpose of the same axis",
       [&](Certificate& c) {
         step(c, 5).axes = {{0, 0}};
       }},
      {"a transpose that turns nothing",
       [&](Certificate& c) {
         step(c, 5).axes = {{0, 1}};
       }},
      {"a longer slice", [&](Certificate& c) { step(c, 6).sizes[0] = 7; }},
      {"a slice that reads the padding of its operand", [&](Certificate& c) { step(c, 6).first = 2; }},
      {"a slice before the first element", [&](Certificate& c) { step(c, 6).first = -1; }},
      {"a slice from nowhere", [&](Certificate& c) { step(c, 6).first.reset(); }},
      {"a slice whose end overflows", [&](Certificate& c) { step(c, 6).first = INT64_MAX; }},
      {"a shorter concatenation", [&](Certificate& c) { step(c, 7).sizes[0] = 3; }},
      {"a sum of the other axis", [&](Certificate& c) { step(c, 9).axes = {{0}}; }},
      {"a product", [&](Certificate& c) { step(c, 9).operation = "prod"; }},
      {"an equality that is none", [&](Certificate& c) { c.statement.chain->equal = "nearly"; }},
      {"a set left out", [&](Certificate& c) { c.evidence.chain->sets.back().pop_back(); }},
      {"an equality left out", [&](Certificate& c) { c.evidence.chain->differ.pop_back(); }},
      {"an empty set", [&](Certificate& c) { set(c, 2, 0).clear(); }},
      {"a step of size 0", [&](Certificate& c) { step(c, 0).sizes[0] = 0; }},
      {"a granule of 0", [&](Certificate& c) { step(c, 0).granules[0] = 0; }},
      {"sizes that overflow", [&](Certificate& c) { step(c, 0).sizes[0] = INT64_MAX, step(c, 0).granules[0] = 2; }},
      {"another book", [&](Certificate& c) { c.statement.book = "sha256:0"; }},
      {"no book", [&](Certificate& c) { c.statement.book.reset(); }},
      {"no proof", [&](Certificate& c) { c.evidence.chain.reset(); }},
      {"another verdict", [&](Certificate& c) { c.statement.verdict = "refuted"; }},
      {"another claim", [&](Certificate& c) { c.statement.claim = "neutral"; }},
  };
  for (const Row& row : rows) {
    Certificate changed = made;
    row.change(changed);
    EXPECT_FALSE(accepts(changed)) << row.what;
  }
}

// A product of 1 is 1, unless it starts with 0; nothing reads padding here, so no question of neutrality says so.
TEST(CheckersChains, RejectAStartOfWhatAddsNothing) {
  for (const char* operation : {"prod", "max", "min", "any", "all"}) {
    const Certificate made =
        certificate_of(fmt::format("A = input f16[2,4] contents {{0, 1}}\ns = {} A over 1\noutput s\n", operation));
    EXPECT_TRUE(accepts(made)) << operation;
    Certificate changed = made;
    changed.statement.chain->steps.at(1).start = "+0";
    EXPECT_FALSE(accepts(changed)) << operation;
  }
}

// 0x7C01 is a signalling NaN of f16: a cast may leave it or make it quiet, so a proof has both.
TEST(CheckersChains, RejectACastThatLeavesEveryNaNAsItIs) {
  const Certificate made =
      certificate_of("A = input f16[2,4] contents bits:0x7c01\nb = cast A f16\noutput b\nequal bits\n");
  EXPECT_TRUE(accepts(made));
  for (const checker::ReductionText::Ranges& set :
       {checker::ReductionText::Ranges{{"0x7C01", "0x7C01"}}, {{"0x7E00", "0x7FFF"}, {"0xFE00", "0xFFFF"}}}) {
    Certificate changed = made;
    changed.evidence.chain->sets.at(1).at(0) = set;
    EXPECT_FALSE(accepts(changed)) << set.front().first;
  }
}

TEST(CheckersChains, RejectASliceWithAnotherStepAndAnotherReverse) {
  const Certificate made = certificate_of(
      "A = input f16[7] tile(8) contents {2} padding {3}\nb = slice A over 0 at 1..7 step 3\nc = reverse b (0)\noutput "
      "c\n");
  EXPECT_TRUE(accepts(made));
  const auto rejects = [&](const char* what, const std::function<void(std::vector<StepText>&)>& change) {
    Certificate changed = made;
    change(changed.statement.chain->steps);
    EXPECT_FALSE(accepts(changed)) << what;
  };
  rejects("a step that goes too far", [](auto& steps) { steps[1].step = 6; });
  rejects("no step", [](auto& steps) { steps[1].step = 0; });
  rejects("a step back", [](auto& steps) { steps[1].step = -1; });
  rejects("a step that overflows", [](auto& steps) { steps[1].step = INT64_MAX; });
  rejects("a later start", [](auto& steps) { steps[1].first = 4; });
  rejects("a reverse of nothing", [](auto& steps) { steps[2].axes.reset(); });
  rejects("a reverse of what is not there", [](auto& steps) { steps[2].axes = {{1}}; });
  rejects("a longer reverse", [](auto& steps) { steps[2].sizes[0] = 3; });
  for (const std::size_t step : {1U, 2U}) {
    Certificate smaller = made;
    smaller.evidence.chain->sets.at(step)[1] = {{"0x4000", "0x4400"}};
    EXPECT_FALSE(accepts(smaller)) << "nobody writes behind " << step;
  }
}

// A sum of zeros may be either zero, which `numbers` may not tell apart, and the pads behind A may be anything.
TEST(CheckersChains, RejectAnUnknownOperationThatMayReadMore) {
  const Certificate made = certificate_of(
      "A = input f16[2,3] tile(2,4) padding 0\nb = sum A over 1\nc = unknown numbers \"f\" b A -> f16[3] tile(2)\n"
      "output c\nequal any-nan+zero\n");
  EXPECT_TRUE(accepts(made));
  const auto rejects = [&](const char* what, const std::function<void(Certificate&)>& change) {
    Certificate changed = made;
    change(changed);
    EXPECT_FALSE(accepts(changed)) << what;
  };
  const auto said = [](Certificate& c) -> std::optional<std::string>& { return c.statement.chain->steps[2].function; };
  rejects("it sees bits", [&](Certificate& c) { said(c) = "elements"; });
  rejects("it reads padding", [&](Certificate& c) { said(c).reset(); });
  rejects("it is of elements at the same place", [&](Certificate& c) { said(c) = "pointwise"; });
  rejects("it reads what has no word", [&](Certificate& c) { said(c) = "numbers+padding"; });
  rejects("its padding is written", [](Certificate& c) { c.evidence.chain->sets[2][1] = {{"0x0", "0x7FFF"}}; });
  rejects("it makes fewer codes", [](Certificate& c) { c.evidence.chain->sets[2][0] = {{"0x0", "0x7FFF"}}; });
  rejects("it makes equal bits", [](Certificate& c) { c.evidence.chain->differ[2] = "bits"; });
}

// The operand's row is that of each row; its elements are 2, and behind them is 3.
TEST(CheckersChains, RejectABroadcastOfAnotherShape) {
  const Certificate made = certificate_of(
      "A = input f16[4] tile(3) contents {2} padding {3}\nb = broadcast A to [2,4] tile(3,1)\noutput b\n");
  EXPECT_TRUE(accepts(made));
  const auto rejects = [&](const char* what, const std::function<void(StepText&)>& change) {
    Certificate changed = made;
    change(changed.statement.chain->steps.at(1));
    EXPECT_FALSE(accepts(changed)) << what;
  };
  rejects("the other dimension", [](StepText& step) { step.axes = {{0}}; });
  rejects("no dimension", [](StepText& step) { step.axes = {{-1}}; });
  rejects("a dimension that is not there", [](StepText& step) { step.axes = {{2}}; });
  rejects("a negative one", [](StepText& step) { step.axes = {{-2}}; });
  rejects("too many", [](StepText& step) { step.axes = {{1, 0}}; });
  rejects("none", [](StepText& step) { step.axes.reset(); });
  rejects("a longer one", [](StepText& step) { step.sizes[1] = 5; });
  rejects("padded otherwise", [](StepText& step) { step.granules[1] = 5; });
  Certificate smaller = made;
  smaller.evidence.chain->sets.at(1)[3] = {{"0x4000", "0x4000"}};
  EXPECT_FALSE(accepts(smaller));
}

// A function of its elements, if its operand has no padding and their bits are the reference's.
TEST(CheckersChains, RejectAnUnknownStepThatMayReadPadding) {
  const Certificate made = certificate_of("A = input f16[2,4]\nu = unknown \"d.thing\" A -> f16[3]\noutput u\n");
  EXPECT_TRUE(accepts(made));
  Certificate padded = made, finer = made, smaller = made;
  padded.statement.chain->steps.at(0).granules[1] = 3;
  (*padded.statement.chain->steps.at(0).holds)[2] = {{"0x0", "0xFFFF"}};
  padded.evidence.chain->sets.at(0)[2] = {{"0x0", "0xFFFF"}};
  EXPECT_FALSE(accepts(padded));
  finer.evidence.chain->differ = {"any-nan", "any-nan"};
  EXPECT_FALSE(accepts(finer));
  smaller.evidence.chain->sets.at(1)[0] = {{"0x0", "0xFFFE"}};
  EXPECT_FALSE(accepts(smaller));
}

// Two zeros and two pads of 1 from +0: 2, and 0 without the pads.
constexpr const char* kSumOfZeros =
    "A = input f16[3,2] tile(1,4) padding {0, 1} contents {0}\n"
    "s = sum A over 1 from +0\n"
    "output s\n"
    "equal any-nan\n";
StepText& step_of(Certificate& c, std::size_t at) { return c.statement.chain->steps.at(at); }

TEST(CheckersChains, RejectARunThatShowsNothing) {
  const Certificate made = certificate_of(kSumOfZeros);
  EXPECT_TRUE(accepts(made));
  EXPECT_EQ(made.statement.verdict, "refuted");
  ASSERT_EQ(made.evidence.elements->size(), 3U) << "of the elements, of the padding behind K, and unwritten";
  EXPECT_EQ(made.evidence.elements->at(1), "0x3C00");
  struct Row {
    const char* what;
    std::function<void(Certificate&)> change;
  };
  const Row rows[] = {
      {"pads that change nothing", [&](Certificate& c) { c.evidence.elements->at(1) = "0x0"; }},
      {"pads that are not held", [&](Certificate& c) { c.evidence.elements->at(1) = "0x4000"; }},
      {"elements that are not held", [&](Certificate& c) { c.evidence.elements->at(0) = "0x3C00"; }},
      {"a code of another type", [&](Certificate& c) { c.evidence.elements->at(1) = "0x13C00"; }},
      {"no code of what nobody writes", [&](Certificate& c) { c.evidence.elements->pop_back(); }},
      {"a code too many", [&](Certificate& c) { c.evidence.elements->push_back("0x0"); }},
      {"no codes", [&](Certificate& c) { c.evidence.elements->clear(); }},
      {"nothing", [&](Certificate& c) { c.evidence.elements.reset(); }},
      {"an element behind the last", [&](Certificate& c) { c.evidence.witness->a = {3}; }},
      {"an element before the first", [&](Certificate& c) { c.evidence.witness->a = {-1}; }},
      {"an element of another rank",
       [&](Certificate& c) {
         c.evidence.witness->a = {0, 0};
       }},
      {"no element", [&](Certificate& c) { c.evidence.witness.reset(); }},
      {"two elements", [&](Certificate& c) { c.evidence.witness->b = checker::Point{0}; }},
      {"no padding", [&](Certificate& c) { step_of(c, 0).granules[1] = 2; }},
      {"a sum of the other axis", [&](Certificate& c) { step_of(c, 1).axes = {{0}}; }},
      {"another function", [&](Certificate& c) { step_of(c, 1).operation = "nothing"; }},
      {"a start that is none", [&](Certificate& c) { step_of(c, 1).start = "1"; }},
      {"a maximum with a start", [&](Certificate& c) { step_of(c, 1).operation = "max"; }},
      {"fused sums", [&](Certificate& c) { step_of(c, 1).fused = true; }},
      {"the input alone", [&](Certificate& c) { c.statement.chain->steps.pop_back(); }},
      {"no steps", [&](Certificate& c) { c.statement.chain->steps.clear(); }},
      {"a row without an end",
       [&](Certificate& c) { step_of(c, 0).sizes[1] = 1LL << 40, step_of(c, 0).granules[1] = 1LL << 41; }},
      {"an operand that comes later", [&](Certificate& c) { step_of(c, 1).operands[0] = 1; }},
      {"an equality that is none", [&](Certificate& c) { c.statement.chain->equal = "nearly"; }},
      {"a proof", [&](Certificate& c) { c.statement.verdict = "proved"; }},
      {"another claim", [&](Certificate& c) { c.statement.claim = "neutral"; }},
  };
  for (const Row& row : rows) {
    Certificate changed = made;
    row.change(changed);
    EXPECT_FALSE(accepts(changed)) << row.what;
  }
}

// All of them are equal up to the sign of zero, and by any NaN.
TEST(CheckersChains, RejectARunOfEqualResults) {
  const Certificate made = certificate_of(kSumOfZeros);
  for (const auto& [padding, equal] : {std::pair{"-0", "any-nan+zero"}, {"NaN", "any-nan"}}) {
    const bool nan = std::string_view(padding) == "NaN";
    Certificate same = made;
    step_of(same, 0).holds = {{{{nan ? "0x7E00" : "0x8000", nan ? "0x7E00" : "0x8000"}}, {}, {{"0x0", "0xFFFF"}}, {}}};
    same.evidence.elements = {{nan ? "0x7E00" : "0x8000", nan ? "0xFE01" : "0x0", "0x0"}};
    step_of(same, 1).start = "first", same.statement.chain->equal = equal;
    EXPECT_FALSE(accepts(same)) << equal;
    same.statement.chain->equal = "bits";
    EXPECT_EQ(accepts(same), !nan) << "-0 + -0 + 0 + 0 is +0; of two NaNs the first is the result";
  }
}

// Every field of a certificate changed: what is still accepted has the statement's chain as it was (a larger set is a
// proof, too), or larger granules, or it is about numbers that the proof does not need.
TEST(CheckersChains, RejectMostChangesOfEveryField) {
  const Certificate made = certificate_of(
      "A = input f16[M=2,K=5] tile(1,8) padding 0 contents finite\n"
      "s = sum A over 1 accumulate f32 from +0\n"
      "output s\n"
      "equal any-nan\n");
  const nlohmann::json json = checker::write(made);
  std::size_t flips = 0, rejected = 0, other = 0;
  for (const test::Flip& flip : test::all_flips(json, 64)) {
    nlohmann::json changed = flip.of(json);
    if (changed.contains("statement") && changed.at("statement").is_object())
      changed["digest"] = checker::digest(changed.at("statement"));
    ++flips;
    if (values_kernel::check(changed)) {
      ++rejected;
      continue;
    }
    if (changed.at("statement").value("chain", nlohmann::json()) == json.at("statement").at("chain")) continue;
    // Other numbers of elements and of pads, or fewer codes in either.
    const std::string place = flip.at.to_string();
    EXPECT_TRUE(place.find("/sizes") != std::string::npos || place.find("/granules") != std::string::npos ||
                place.find("/holds/") != std::string::npos || place.find("/order") != std::string::npos)
        << place << " " << flip.what;
    ++other;
  }
  EXPECT_GT(flips, 150U);
  EXPECT_GT(rejected * 2, flips);
  EXPECT_LT(other, 20U);
}

}  // namespace values_kernel_chains_campaign
}  // namespace vl
