// The checker's own values against encodings/values, and its word on neutral fills against the answers of
// verifier/neutral, which tests/neutral holds against executed rows.
#include "verifier/values_kernel/reductions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/values/arithmetic.h"
#include "encodings/values/block.h"
#include "tests/support/drawn_codes.h"
#include "tests/support/neutral_questions.h"
#include "verifier/neutral/certify.h"
#include "verifier/values_kernel/check.h"
#include "verifier/values_kernel/values.h"

namespace vl {
namespace values_kernel_reductions_campaign {

using namespace neutral;  // NOLINT: whose answers are certified
using test::drawn_code;
using test::named;
using values::MaxRule;

TEST(CheckersValues, AreThoseOfEveryPairOfTheSmallFormats) {
  std::size_t pairs = 0;
  for (const Format& format : values::formats()) {
    if (format.bits > 8) continue;
    const values_kernel::Format& own = values_kernel::format_of(std::string(format.name));
    for (Code a = 0; a <= format.mask(); ++a)
      for (Code b = 0; b <= format.mask(); ++b, ++pairs) {
        ASSERT_EQ(values_kernel::added(own, a, b), values::add(format, a, b)) << format.name << " " << a << " " << b;
        ASSERT_EQ(values_kernel::multiplied(own, a, b), values::mul(format, a, b))
            << format.name << " " << a << " " << b;
      }
  }
  EXPECT_EQ(pairs, 6 * 65536U);
}

TEST(CheckersValues, AreThoseOfRandomCodesOfEveryFormat) {
  for (const Format& format : values::formats()) {
    const values_kernel::Format& own = values_kernel::format_of(std::string(format.name));
    test::for_all(40'000, std::string(format.name), [&] {
      const auto [a, b, c] = *test::some_codes<3>(format);
      RC_ASSERT(values_kernel::added(own, a, b) == values::add(format, a, b));
      RC_ASSERT(values_kernel::multiplied(own, a, b) == values::mul(format, a, b));
      RC_ASSERT(values_kernel::fused(own, a, b, c) == values::fma(format, a, b, c));
      // Near what cancels, where one rounding and two differ.
      const Code back = format.is_float() ? values::negated(format, values::mul(format, a, b)) : c;
      RC_ASSERT(values_kernel::fused(own, a, b, back) == values::fma(format, a, b, back));
    });
  }
}

TEST(CheckersValues, AreThoseOfEveryMode) {
  std::size_t decided = 0, other = 0;
  for (const Format& format : values::formats()) {
    const values_kernel::Format& own = values_kernel::format_of(std::string(format.name));
    test::for_all(24'000, std::string(format.name), [&] {
      const auto which = *test::numbers(0, 17);
      const values::Mode mode{static_cast<values::Rounding>(which % 3), static_cast<values::Flush>(which / 3 % 3),
                              static_cast<values::Integers>(which / 9)};
      const values_kernel::Mode its{static_cast<values_kernel::Mode::Rounding>(mode.rounding),
                                    mode.flush != values::Flush::None, mode.flush == values::Flush::Both,
                                    mode.integers == values::Integers::Saturate};
      const auto [a, b, c] = *test::some_codes<3>(format);
      RC_ASSERT(values_kernel::added(own, a, b, its) == values::add(format, a, b, mode));
      RC_ASSERT(values_kernel::multiplied(own, a, b, its) == values::mul(format, a, b, mode));
      RC_ASSERT(values_kernel::fused(own, a, b, c, its) == values::fma(format, a, b, c, mode));
      other += values::add(format, a, b) != values::add(format, a, b, mode) ? 1 : 0;
      ++decided;
    });
  }
  EXPECT_EQ(decided, 14 * 24000U);
  EXPECT_GT(other, 10'000U);
}

TEST(CheckersValues, PackLanesOfBlockFloats) {
  std::size_t lanes = 0;
  for (const char* name : {"bf16", "f32"})
    for (const auto& block : values::block_formats())
      test::for_all(20'000, fmt::format("{} of {}", block.name, name), [&] {
        const Format& format = *values::find_format(name);
        Code code = (*test::some_codes<1>(format))[0];
        if (values::is_signalling(format, code)) code = values::quieted(format, code);  // values widens, which quiets
        const unsigned field = values::exponent_of(format, code);
        const unsigned shared = std::min(255U, field + static_cast<unsigned>(*test::numbers(0, 11)));
        const values_kernel::Format& own = values_kernel::format_of(name);
        RC_ASSERT(values_kernel::exponent_of(own, code) == field);
        RC_ASSERT(values_kernel::packed(own, block.bits, code, shared) == values::packed(block, format, code, shared));
        ++lanes;
      });
  EXPECT_EQ(lanes, 2 * 3 * 20000U);
}

TEST(CheckersValues, WidenWhereEveryNumberHasAPlace) {
  std::size_t exact = 0, refused = 0;
  for (const Format& from : values::formats())
    for (const Format& to : values::formats()) {
      if (from.is_float() != to.is_float() || from == to) continue;  // of itself it is no conversion
      const values_kernel::Format &own = values_kernel::format_of(std::string(from.name)),
                                  &other = values_kernel::format_of(std::string(to.name));
      try {
        static_cast<void>(values_kernel::widened(own, other, 0));
      } catch (const checker::Rejected&) {
        ++refused;
        // dl16 has no subnormals: the checker widens into no such format.
        EXPECT_TRUE(to.name == "dl16" || !values::is_exact(from, to)) << from.name << " " << to.name;
        continue;
      }
      EXPECT_TRUE(values::is_exact(from, to)) << from.name << " " << to.name;
      ++exact;
      test::for_all(5000, fmt::format("{} in {}", from.name, to.name), [&] {
        const Code code = (*test::some_codes<1>(from))[0];
        RC_ASSERT(values_kernel::widened(own, other, code) == values::convert(from, to, code));
      });
    }
  EXPECT_GE(exact, 30U);
  EXPECT_GE(refused, 30U);
}

Question random_question(test::WideEngine& random, const std::vector<const char*>& types) {
  const auto of = [&](const char* name) { return *values::find_format(name); };
  for (;;) {
    Question q;
    q.operation = static_cast<Operation>(random.below(8));
    q.type = of(test::one_of(random, types));
    q.accumulate = random.below(3) == 0 ? of(q.type.is_float() ? "f32" : "i32") : q.type;
    q.start = random.below(2) == 0 ? Start::First : Start::Zero;
    q.tree = random.below(2) == 0 ? Tree::Any : Tree::Sequential;
    q.fused = random.below(4) == 3;
    if (q.fused) q.tree = Tree::Sequential;  // proofs about fused trees are not checked
    q.max = static_cast<MaxRule>(random.below(3));
    q.equal = static_cast<Equality>(random.below(3));
    switch (random.below(5)) {
      case 0: q.contents = CodeSet::all(q.type); break;
      case 1: q.contents = finite_codes(q.type); break;
      case 2: q.contents = nans(q.type).complement(q.type); break;
      case 3: q.contents = numbers_between(q.type, 0, highest_order(q.type)); break;
      default: {
        const Code a = drawn_code(q.type, random), b = drawn_code(q.type, random);
        q.contents = CodeSet({{std::min(a, b), std::max(a, b)}});
      }
    }
    const bool certified = !q.fused || q.tree == Tree::Sequential;  // the checker knows fused products in order
    if (!q.contents.empty() && misfit(q).empty() && certified) return q;
  }
}

CodeSet random_fill(test::WideEngine& random, const Format& type) {
  switch (random.below(4)) {
    case 0: return CodeSet::of(0);
    case 1: return zeros(type);
    case 2: return CodeSet::of(drawn_code(type, random));
    default: {
      const Code a = drawn_code(type, random);
      return CodeSet({{a, a + std::min(random.below(4), type.mask() - a)}});
    }
  }
}

const std::vector<const char*> kTypes = {"f16",        "bf16", "f32", "f64", "dl16",       "f8e4m3", "f8e5m2",
                                         "f8e4m3fnuz", "i8",   "u8",  "i32", "f8e5m2fnuz", "i16",    "i64"};

TEST(CertificatesOfNeutral, AreAcceptedForEveryProofAndEveryRefutation) {
  std::size_t proved = 0, refuted = 0, checked = 0, unnoticed = 0;
  test::for_all(1200, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const Question q = random_question(random, kTypes);
    const CodeSet a = random_fill(random, q.type), b = random_fill(random, q.type);
    const CodeSet* second = q.operation == Operation::Dot ? &b : nullptr;
    const Verdict verdict = decide(q, a, second);
    if (std::holds_alternative<Unknown>(verdict)) return;
    // A closure goes through all partial results, which the checker does not.
    if (const auto* by = std::get_if<Proved>(&verdict); by != nullptr && by->engine == "closure") return;
    const bool is_refuted = std::holds_alternative<Refuted>(verdict);
    ++(is_refuted ? refuted : proved);
    const bool certified = certify(q, a, second, verdict).has_value();
    // The one law that the checker does not know.
    const bool unknown_law =
        !is_refuted && q.fused && std::get<Proved>(verdict).reason.find("less than half") != std::string::npos;
    RC_LOG() << (is_refuted ? "refuted " : "proved ") << named(q, a);
    RC_ASSERT((certified || unknown_law));
    ++(certified ? checked : unnoticed);
  });
  EXPECT_GE(proved, 100U);
  EXPECT_GE(refuted, 400U);
  EXPECT_LE(unnoticed * 200, proved + refuted);
  EXPECT_EQ(checked + unnoticed, proved + refuted);
}

// A proof that the checker accepts by mistake is the one thing it must not have.
TEST(CertificatesOfNeutral, AreRejectedWhereARowIsChanged) {
  std::size_t accepted = 0, rejected = 0;
  test::for_all(250, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const Question q = random_question(random, kTypes);
    const CodeSet a = random_fill(random, q.type), b = random_fill(random, q.type);
    const CodeSet* second = q.operation == Operation::Dot ? &b : nullptr;
    if (!certify(q, a, second, Proved{})) {
      ++rejected;
      return;
    }
    ++accepted;
    RC_LOG() << named(q, a);
    RC_ASSERT(!refute(q, a, second));
  });
  EXPECT_GE(accepted, 25U);
  EXPECT_GE(rejected, 60U);
}

// Under other modes each refutation is checked, and most proofs. Nothing is accepted that a row refutes.
TEST(CertificatesOfNeutral, UnderOtherModes) {
  std::size_t proved = 0, checked = 0, refuted = 0, lies = 0, believed = 0;
  test::for_all(450, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    Question q = random_question(random, {"f16", "f32", "bf16", "f8e5m2", "f8e4m3fnuz", "i8", "u8"});
    if (!is_additive(q.operation) && q.operation != Operation::Prod) return;
    if (q.start == Start::Zero && has_negative_zero(q.accumulate) && random.below(2) == 0) q.start = Start::MinusZero;
    q.mode = {static_cast<values::Rounding>(random.below(3)), static_cast<values::Flush>(random.below(3)),
              static_cast<values::Integers>(random.below(2))};
    q.fused =
        q.fused || (random.below(5) == 0 && (q.operation == Operation::Dot || q.operation == Operation::SumOfSquares));
    const bool integers = !q.type.is_float();
    const bool other = integers
                           ? q.mode.integers == values::Integers::Saturate
                           : q.mode.rounding != values::Rounding::NearestEven || q.mode.flush != values::Flush::None;
    if (!other) return;
    const CodeSet a = random_fill(random, q.type), b = random_fill(random, q.type);
    const CodeSet* second = q.operation == Operation::Dot ? &b : nullptr;
    const Verdict verdict = decide(q, a, second);
    const auto certificate = certify(q, a, second, verdict);
    if (std::holds_alternative<Proved>(verdict)) ++proved, checked += certificate ? 1 : 0;
    // The same statement without any reason to believe it, also with fills near those that are neutral.
    for (const CodeSet& fill : {a, CodeSet::of(0), CodeSet::of(q.type.sign()), values::zeros(q.type)}) {
      ++lies;
      if (!certify(q, fill, second, Proved{})) continue;
      if (++believed % 96 != 0) continue;  // a search that finds nothing takes long
      RC_LOG() << named(q, fill);
      RC_ASSERT(!refute(q, fill, second));
    }
    if (!std::holds_alternative<Refuted>(verdict)) return;
    ++refuted;
    RC_LOG() << named(q, a);
    RC_ASSERT(certificate.has_value());
    checker::Certificate changed = *certificate;
    changed.statement.reductions->front().rounding = "up";
    changed.digest = checker::digest(changed.statement);
    RC_ASSERT(values_kernel::check(changed).has_value());
  });
  fmt::print("{} of {} proofs checked, {} refuted; {} of {} statements believed\n", checked, proved, refuted, believed,
             lies);
  EXPECT_GE(proved, 20U);
  EXPECT_GE(checked * 2, proved);
  EXPECT_GE(refuted, 100U);
  EXPECT_GE(believed, 200U);
}

TEST(CertificatesOfFills, AreAcceptedForTheLargestFillAndNoOther) {
  std::size_t checked = 0, whole = 0, others = 0;
  test::for_all(60, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const Question q =
        random_question(random, {"f16", "bf16", "dl16", "f8e4m3", "f8e5m2", "i8", "u8", "f8e4m3fnuz", "i16"});
    const auto answer = largest(q);
    const auto* found = std::get_if<Largest>(&answer);
    if (found == nullptr || !found->open.empty()) return;
    ++whole;
    if (!certify(q, *found)) return;
    ++checked;
    for (int j = 0; j < 4; ++j) {
      const CodeSet one = CodeSet::of(drawn_code(q.type, random));
      Largest other = *found;
      other.codes =
          found->codes.contains(one.ranges()[0].first) ? found->codes.without(one, q.type) : found->codes.united(one);
      RC_LOG() << named(q, one);
      RC_ASSERT(!certify(q, other));
      ++others;
    }
  });
  EXPECT_GE(whole, 25U);
  EXPECT_GE(checked * 10, whole * 9);
  EXPECT_GE(others, 80U);
}

TEST(CertificatesOfNeutral, NameTheBookOfLemmasThatTheyRestOn) {
  Question q;
  q.type = q.accumulate = *values::find_format("f32");
  q.contents = CodeSet::all(q.type);
  const CodeSet fill = CodeSet::of(0x80000000);
  const auto proved = certify(q, fill, nullptr, decide(q, fill, nullptr));
  ASSERT_TRUE(proved);
  EXPECT_EQ(proved->statement.book, values_kernel::lemma_book());
  const auto rejected = [&](const std::optional<std::string>& book) {
    checker::Certificate out = *proved;
    out.statement.book = book;
    out.digest = checker::digest(out.statement);
    return values_kernel::check(out).has_value();
  };
  EXPECT_FALSE(rejected(values_kernel::lemma_book()));
  EXPECT_TRUE(rejected(std::nullopt));
  EXPECT_TRUE(rejected(""));
  std::string other = values_kernel::lemma_book();
  other.back() = other.back() == '0' ? '1' : '0';
  EXPECT_TRUE(rejected(other));
  const CodeSet plus = CodeSet::of(0);
  auto refuted = certify(q, plus, nullptr, decide(q, plus, nullptr));
  ASSERT_TRUE(refuted);
  EXPECT_FALSE(refuted->statement.book) << "a row that is replayed needs no lemma";
  refuted->statement.book = values_kernel::lemma_book();
  refuted->digest = checker::digest(refuted->statement);
  EXPECT_TRUE(values_kernel::check(*refuted));
}

TEST(CertificatesOfNeutral, AreRejectedWhereAFieldIsMissingOrOneTooMany) {
  Question q;
  q.type = q.accumulate = *values::find_format("f16");
  q.contents = CodeSet::all(q.type);
  const CodeSet fill = CodeSet::of(0);
  const auto refuted = certify(q, fill, nullptr, decide(q, fill, nullptr));
  ASSERT_TRUE(refuted);
  EXPECT_FALSE(values_kernel::check(*refuted));
  const auto broken = [&](auto change) {
    checker::Certificate out = *refuted;
    change(out);
    out.digest = checker::digest(out.statement);
    return values_kernel::check(out).has_value();
  };
  EXPECT_TRUE(broken([](auto& c) { c.statement.verdict = "proved"; }));
  EXPECT_TRUE(broken([](auto& c) { c.statement.claim = "fills"; }));
  EXPECT_TRUE(broken([](auto& c) { c.statement.claim = "bijective"; }));
  EXPECT_TRUE(broken([](auto& c) { c.statement.reductions->front().type = "f17"; }));
  EXPECT_TRUE(broken([](auto& c) { c.statement.reductions->front().contents.clear(); }));
  EXPECT_TRUE(broken([](auto& c) { c.statement.reductions->front().contents = {{"0x3", "0x1"}}; }));
  EXPECT_TRUE(broken([](auto& c) { c.statement.reductions->front().equal = "any-nan+zero"; }));
  EXPECT_TRUE(broken([](auto& c) { c.statement.value = 1; }));
  EXPECT_TRUE(broken([](auto& c) { c.statement.reductions->clear(); }));
  EXPECT_TRUE(broken([](auto& c) { c.statement.reductions->push_back(c.statement.reductions->front()); }));
  EXPECT_TRUE(broken([](auto& c) { c.evidence.evaluation.reset(); }));
  EXPECT_TRUE(broken([](auto& c) { c.evidence.evaluation->shape = "c"; }));
  EXPECT_TRUE(broken([](auto& c) { c.evidence.evaluation->shape = "cp"; }));
  EXPECT_TRUE(broken([](auto& c) { c.evidence.evaluation->shape = "cpp++"; }));
  EXPECT_TRUE(broken([](auto& c) { c.evidence.evaluation->got = "0x8000"; }));
  EXPECT_TRUE(broken([](auto& c) { c.evidence.evaluation->pads[0].first = "0x8000"; }));
  EXPECT_TRUE(broken([](auto& c) { c.evidence.elements.emplace(); }));
}

}  // namespace values_kernel_reductions_campaign
}  // namespace vl
