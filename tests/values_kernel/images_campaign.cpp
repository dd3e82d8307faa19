// The kernel's word on images of sets: all that the program proves or refutes is accepted, and what is accepted is true
// for every choice of codes.
#include "verifier/values_kernel/images.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "encodings/values/state.h"
#include "tests/support/drawn_codes.h"
#include "verifier/neutral/certify.h"
#include "verifier/values_kernel/check.h"
#include "verifier/values_kernel/functions.h"

namespace vl {
namespace values_kernel_images_campaign {

using neutral::Function;
using test::drawn_codes;
using values::Code;
using values::CodeRange;
using values::CodeSet;
using values::Format;
using values::MaxRule;

constexpr MaxRule kRules[] = {MaxRule::NanWins, MaxRule::NanLoses, MaxRule::X86};
constexpr values_kernel::MaxRule kIts[] = {values_kernel::MaxRule::NanWins, values_kernel::MaxRule::NanLoses,
                                           values_kernel::MaxRule::X86};

std::vector<Function> functions_of(const Format& format) {
  std::vector<Function> out;
  for (int i = 0; i <= static_cast<int>(Function::Where); ++i)
    if (neutral::is_defined(static_cast<Function>(i), format)) out.push_back(static_cast<Function>(i));
  return out;
}

std::vector<CodeSet> drawn_operands(Function function, const Format& format, test::WideEngine& random) {
  std::vector<CodeSet> out;
  for (unsigned k = 0; k < neutral::arity(function); ++k)
    out.push_back(drawn_codes(format, random, 1 + random.below(3)));
  return out;
}

// What the program says of sets is certified, unless sets are cut into more pieces than the checker looks at.
TEST(CheckersImages, AcceptWhatTheProgramProvesAndRefutes) {
  std::size_t proved = 0, refuted = 0, accepted = 0, rejected = 0;
  for (const char* type : {"f16", "f32", "f64", "dl16", "f8e4m3", "f8e4m3fnuz", "i8", "i32", "i64"}) {
    const Format& format = *values::find_format(type);
    for (const Function function : functions_of(format)) {
      test::for_all(3, fmt::format("{} of {}", neutral::name(function), type), [&] {
        test::WideEngine random = *test::engines<test::WideEngine>();
        const auto sets = drawn_operands(function, format, random);
        const MaxRule rule = test::one_of(random, kRules);
        const auto image = neutral::image(function, format, rule, sets);
        for (const CodeSet& claimed : {image.codes, drawn_codes(format, random, 1 + random.below(3))}) {
          const auto verdict = neutral::decide_transfer(function, format, rule, sets, claimed);
          if (std::holds_alternative<neutral::TransferUnknown>(verdict)) continue;
          const bool no = std::holds_alternative<neutral::TransferRefuted>(verdict);
          (no ? refuted : proved) += 1;
          const auto text = neutral::text_of(function, format, rule, sets, claimed);
          const auto made = neutral::certify(text, verdict);
          if (made) ++accepted;
          RC_ASSERT((made || !no));
          if (!made) continue;
          auto changed = *made;  // the other verdict, with what was there
          changed.statement.verdict = no ? "proved" : "refuted";
          changed.digest = checker::digest(changed.statement);
          rejected += values_kernel::check(changed).has_value() ? 1 : 0;
        }
      });
    }
  }
  fmt::print("{} proved, {} refuted, {} accepted\n", proved, refuted, accepted);
  EXPECT_GT(proved, 1000U);
  EXPECT_GT(refuted, 500U);
  EXPECT_GE(accepted, (proved + refuted) * 98 / 100);
  EXPECT_EQ(rejected, accepted);
}

bool is_accepted(Function function, const Format& format, const std::vector<CodeSet>& sets, const CodeSet& results) {
  try {
    checker::Evidence none;
    values_kernel::check_images(false, {neutral::text_of(function, format, MaxRule::NanWins, sets, results)}, none);
    return true;
  } catch (const checker::Rejected&) {
    return false;
  }
}

// Of 8-bit formats, against every choice: sets of results that are the image, or lack one of its codes.
TEST(CheckersImages, AcceptedOnesHoldForEveryChoice) {
  std::size_t accepted = 0, rejected = 0;
  for (const char* type : {"f8e4m3", "f8e5m2", "f8e5m2fnuz", "i8", "u8"}) {
    const Format& format = *values::find_format(type);
    for (const Function function : functions_of(format)) {
      test::for_all(1, fmt::format("{} of {}", neutral::name(function), type), [&] {
        test::WideEngine random = *test::engines<test::WideEngine>();
        const auto sets = drawn_operands(function, format, random);
        const auto image = neutral::image(function, format, MaxRule::NanWins, sets);
        RC_ASSERT(is_accepted(function, format, sets, image.codes));
        accepted += 1;
        for (const Code code : {image.codes.ranges().front().first, image.codes.ranges().back().last}) {
          RC_ASSERT(!is_accepted(function, format, sets, image.codes.without(CodeSet::of(code), format)));
          rejected += 1;
        }
      });
    }
  }
  EXPECT_GE(accepted, 200U);
  EXPECT_GE(rejected, 400U);
}

// Boxes of f32, whose choices are too many: no code that is drawn has a result outside of what is accepted.
TEST(CheckersImages, OfBoxesMissNothing) {
  std::size_t looked = 0;
  for (const char* type : {"f32", "dl16", "i32"}) {
    const Format& format = *values::find_format(type);
    const values_kernel::Format& own = values_kernel::format_of(type);
    for (const Function function : functions_of(format)) {
      if (neutral::arity(function) > 2) continue;
      const auto its = values_kernel::pointwise_of(std::string(neutral::name(function)), own);
      test::for_all(6, fmt::format("{} of {}", neutral::name(function), type), [&] {
        test::WideEngine random = *test::engines<test::WideEngine>();
        const auto sets = drawn_operands(function, format, random);
        // The least set that is accepted is not asked for: what the program calls the image, and it less one code
        // that is drawn from the results.
        for (int j = 0; j < 20; ++j) {
          std::vector<Code> codes;
          for (const CodeSet& set : sets) codes.push_back(test::one_of(random, set));
          const auto found =
              codes.size() == 1 ? results(its, own, kIts[0], codes[0]) : results(its, own, kIts[0], codes[0], codes[1]);
          if (!found.has_numbers() || found.low != found.high) continue;
          const CodeSet missing = CodeSet::of(*values::at_order(format, found.low)).complement(format);
          RC_ASSERT(!is_accepted(function, format, sets, missing));
          ++looked;
        }
      });
    }
  }
  EXPECT_GT(looked, 4'000U);
}

TEST(CheckersImages, StoreWhatAFormatHas) {
  using Ranges = checker::ReductionText::Ranges;
  struct Row {
    checker::StoringText said;
    bool accepted;
  };
  const std::string one = "0x3FF0000000000000", inf = "0xFFF0000000000000", minus_zero = "0x8000000000000000";
  const Row rows[] = {
      {{"f16", Ranges{{one, one}}, {}}, true},
      {{"f16", Ranges{{inf, inf}}, {}}, true},
      {{"dl16", Ranges{{inf, inf}}, {}}, false},                                     // no infinity
      {{"f16", Ranges{{"0x40F0000000000000", "0x40F0000000000000"}}, {}}, false},    // 65536
      {{"dl16", Ranges{{"0x3E00000000000000", "0x3E00000000000000"}}, {}}, false},   // 2^-31
      {{"f8e4m3", Ranges{{"0x7FF8000000000000", "0x7FF8000000000000"}}, {}}, true},  // NaN
      {{"bfp8", Ranges{{"0x0", "0x0"}, {minus_zero, minus_zero}}, {}}, true},
      {{"bfp8", Ranges{{one, one}}, {}}, false},
      {{"i8", Ranges{{one, one}}, {}}, false},
      {{"i8", {}, Ranges{{"0x7F", "0x80"}}}, true},
      {{"i8", {}, Ranges{{"0x7F", "0x100"}}}, false},
      {{"f16", {}, Ranges{}}, false},
      {{"f16", {}, {}}, false},
      {{"f16", Ranges{{one, one}}, Ranges{{"0x3C00", "0x3C00"}}}, false},
      {{"f17", Ranges{{one, one}}, {}}, false},
      {{"f16", Ranges{{"0x0", one}}, {}}, false},  // too many
  };
  for (const Row& row : rows) {
    checker::Statement statement;
    statement.claim = "storeable", statement.verdict = "proved", statement.storing = row.said;
    EXPECT_EQ(!values_kernel::check(statement, {}).has_value(), row.accepted) << row.said.type;
    statement.claim = "injective";
    EXPECT_TRUE(values_kernel::check(statement, {}).has_value());
  }
}

// Images for padding-state: the index 1 of the operand is beyond, and has a slot of its own or that of the element.
struct PaddedImage {
  checker::Statement statement;
  checker::Evidence evidence;

  PaddedImage(const checker::ImageText& image, bool apart, const checker::ReductionText::Ranges& elements) {
    statement.claim = "padding-state", statement.verdict = "proved", statement.images = {image};
    statement.operands = {{apart ? "(x0:2) -> affine(x0)" : "(x0:2) -> affine(0)", 1, "(m:2)", {}, {}, {}, {}}};
    statement.held.emplace().push_back({elements, {}});
    checker::Evidence& operand = evidence.operands.emplace().emplace_back();
    operand.escapes = kernel::Steps{{"run", {0}}, {"in"}};
    if (apart) operand.collides = kernel::Steps{{"run", {0}}, {"large", {0, 0}}, {"apart"}};
  }
  [[nodiscard]] bool accepted() const { return !values_kernel::check(statement, evidence).has_value(); }
};

// Whoever answered that no index beyond has the slot of an element need not be believed.
TEST(CheckersImages, OfPaddingAreOfOperandsWhosePlacesAreShown) {
  const std::string zero = "0x0", one = "0x3C00";
  const checker::ImageText good{"exp", "f16", "nan-wins", {{{zero, zero}}}, {{one, one}}};
  EXPECT_TRUE(PaddedImage(good, true, {{zero, "0x7BFF"}}).accepted());
  // The index 1 has the slot of element 0, and reads any of its codes.
  EXPECT_FALSE(PaddedImage(good, false, {{zero, "0x7BFF"}}).accepted());
  EXPECT_TRUE(PaddedImage(good, false, {{zero, zero}}).accepted());
  EXPECT_FALSE(PaddedImage(good, true, {}).accepted());
  using Damage = std::function<void(PaddedImage&)>;
  const std::vector<Damage> damages = {
      [](auto& x) { x.statement.operands.reset(); },
      [](auto& x) { x.statement.held.reset(); },
      [](auto& x) { x.statement.operands->clear(), x.evidence.operands->clear(); },
      [](auto& x) { x.statement.operands->front().physical = "(m:1)"; },
      [](auto& x) { x.statement.operands->front().map = "(x0:0) -> affine(x0)"; },
      [](auto& x) { x.statement.operands->push_back(x.statement.operands->front()); },
      [](auto& x) { x.statement.held->push_back(x.statement.held->front()); },
      [](auto& x) { x.statement.held->front().blocks = "bfp8"; },
      [](auto& x) { x.evidence.operands.reset(); },
      [](auto& x) { x.evidence.operands->front().escapes.reset(); },
      [](auto& x) { x.evidence.operands->front().collides.reset(); },
  };
  for (std::size_t i = 0; i < damages.size(); ++i) {
    PaddedImage changed(good, true, {{zero, "0x7BFF"}});
    damages[i](changed);
    EXPECT_FALSE(changed.accepted()) << i;
  }
}

TEST(CheckersImages, RejectStatementsThatSayNoImage) {
  const checker::ImageText good{"exp", "f16", "nan-wins", {{{"0x0", "0x0"}}}, {{"0x3C00", "0x3C00"}}};
  const auto accepts = [](const checker::ImageText& image, const char* claim = "transfer",
                          const char* verdict = "proved", std::vector<std::string> elements = {}) {
    checker::Statement statement;
    statement.claim = claim, statement.verdict = verdict, statement.images = {image};
    checker::Evidence evidence;
    if (!elements.empty()) evidence.elements = std::move(elements);
    return !values_kernel::check(statement, evidence).has_value();
  };
  EXPECT_TRUE(accepts(good));
  EXPECT_FALSE(accepts(good, "padding-state"));  // of no operands
  EXPECT_FALSE(accepts(good, "neutral"));
  EXPECT_FALSE(accepts(good, "padding-state", "refuted", {"0x0"}));
  EXPECT_FALSE(accepts(good, "transfer", "proved", {"0x0"}));  // evidence that nothing is shown by
  EXPECT_FALSE(accepts(good, "transfer", "refuted", {"0x0"}));
  auto other = good;
  other.results = {{"0x3C01", "0x3C01"}};
  EXPECT_TRUE(accepts(other, "transfer", "refuted", {"0x0"}));
  EXPECT_FALSE(accepts(other, "transfer", "refuted", {"0x1"}));         // of another set
  EXPECT_FALSE(accepts(other, "transfer", "refuted", {"0x0", "0x0"}));  // one operand too many
  EXPECT_FALSE(accepts(other, "transfer", "refuted"));
  other = good, other.function = "expo";
  EXPECT_FALSE(accepts(other));
  other = good, other.type = "i8";
  EXPECT_FALSE(accepts(other));
  other = good, other.max = "loudest";
  EXPECT_FALSE(accepts(other));
  other = good, other.operands = {{}};
  EXPECT_FALSE(accepts(other));
  other = good, other.operands = {};
  EXPECT_FALSE(accepts(other));
  other = good, other.operands[0][0].second = "0x10000";
  EXPECT_FALSE(accepts(other));
}

}  // namespace values_kernel_images_campaign
}  // namespace vl
