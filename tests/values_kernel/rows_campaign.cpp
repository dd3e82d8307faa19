// The checker's own quotients, roots and rows against encodings/values and the answers of verifier/neutral, which
// tests/neutral/rows_brute_campaign.cpp holds against executed rows.
#include "verifier/values_kernel/rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/values/division.h"
#include "tests/support/drawn_codes.h"
#include "tests/support/neutral_questions.h"
#include "verifier/neutral/certify.h"
#include "verifier/neutral/rows.h"
#include "verifier/values_kernel/check.h"
#include "verifier/values_kernel/values.h"

namespace vl {
namespace values_kernel_rows_campaign {

using namespace neutral;  // NOLINT: whose answers are certified
using test::named;

TEST(CheckersQuotients, AreThoseOfEveryPairOfTheSmallFormats) {
  std::size_t pairs = 0;
  for (const char* name : {"f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz"}) {
    const Format& format = *values::find_format(name);
    const values_kernel::Format& own = values_kernel::format_of(name);
    for (Code a = 0; a <= format.mask(); ++a) {
      ASSERT_EQ(values_kernel::rooted(own, a), values::root(format, a)) << name << " " << a;
      for (Code b = 0; b <= format.mask(); ++b, ++pairs)
        ASSERT_EQ(values_kernel::divided(own, a, b), values::div(format, a, b)) << name << " " << a << " " << b;
    }
  }
  EXPECT_EQ(pairs, 4 * 65536U);
}

TEST(CheckersQuotients, AreThoseOfRandomCodesAndCounts) {
  std::size_t decided = 0;
  for (const char* name : {"f16", "bf16", "dl16", "f32", "f64"}) {
    const Format& format = *values::find_format(name);
    const values_kernel::Format& own = values_kernel::format_of(name);
    test::for_all(20'000, name, [&] {
      const auto [a, b] = *test::near_codes(format);
      RC_ASSERT(values_kernel::divided(own, a, b) == values::div(format, a, b));
      RC_ASSERT(values_kernel::rooted(own, a) == values::root(format, a));
      ++decided;
    });
    for (std::uint64_t n = 1; n < 3000; ++n)
      ASSERT_EQ(values_kernel::ratio(own, n, 1), values::count_code(format, n)) << name << " " << n;
    // The epsilon of norms: here the nearest code, there by way of the nearest double.
    const Code epsilon = values::convert(*values::find_format("f64"), format, 0x3EE4F8B588E368F1);
    ASSERT_EQ(values_kernel::ratio(own, 1, 100'000), epsilon) << name;
  }
  EXPECT_EQ(decided, 100'000U);
}

Question random_row(test::WideEngine& random, const std::vector<const char*>& types) {
  const auto of = [&](const char* name) { return *values::find_format(name); };
  for (;;) {
    Question q;
    const auto first = static_cast<unsigned>(Operation::Exx2), last = static_cast<unsigned>(Operation::Broadcast);
    q.operation = static_cast<Operation>(first + random.below(last - first + 1));
    q.type = of(test::one_of(random, types));
    q.accumulate = random.below(3) == 0 ? of(q.type.is_float() ? "f32" : "i32") : q.type;
    q.start = random.below(2) == 0 ? Start::First : Start::Zero;
    q.tree = random.below(2) == 0 ? Tree::Any : Tree::Sequential;
    q.max = random.below(3) == 2 ? values::MaxRule::NanLoses : values::MaxRule::NanWins;
    q.equal = static_cast<Equality>(random.below(3));
    q.divide = random.below(4) == 3 ? Divide::Padded : Divide::Logical;
    q.ties = random.below(2) == 0 ? Ties::First : random.below(2) == 0 ? Ties::Last : Ties::Unspecified;
    q.pads = random.below(2) == 0 ? Pads::Anywhere : Pads::After;
    q.blocks = random.below(2) == 0 ? Blocks::Whole : static_cast<Blocks>(random.below(4));
    q.k = random.below(4) == 3 ? 3 : 1;
    const std::int64_t low = lowest_order(q.type), high = highest_order(q.type);
    switch (random.below(6)) {
      case 0: q.contents = finite_codes(q.type); break;
      case 1: q.contents = nans(q.type).complement(q.type); break;
      case 2: q.contents = numbers_between(q.type, 0, order(q.type, values::one(q.type))); break;
      case 3: q.contents = numbers_between(q.type, order(q.type, values::one(q.type)), high); break;
      case 4: q.contents = q.type.is_float() ? nans(q.type) : numbers_between(q.type, low, low + 3); break;
      default: q.contents = CodeSet::all(q.type);
    }
    if (!q.contents.empty() && misfit(q).empty()) return q;
  }
}

CodeSet random_pads(test::WideEngine& random, const Format& type) {
  const auto pick = [&] {
    const std::int64_t low = lowest_order(type), high = highest_order(type);
    const auto at = [&](std::int64_t place) { return values::at_order(type, place).value_or(0); };
    switch (random.below(7)) {
      case 0: return Code{0};
      case 1: return at(low);
      case 2: return at(high);
      case 3: return at(low + static_cast<std::int64_t>(random.below(4)));
      case 4: return type.is_float() ? values::default_nan(type) : values::one(type);
      case 5: return type.is_float() ? values::negated(type, values::one(type)) : Code{1};
      default: return random() & type.mask();
    }
  };
  const Code a = pick();
  if (random.below(3) != 0) return CodeSet::of(a);
  return CodeSet::of(a).united(random.below(2) == 0 ? zeros(type) : CodeSet::of(pick()));
}

const std::vector<const char*> kTypes = {"f16",    "bf16",       "f32", "f64", "dl16", "f8e4m3",
                                         "f8e5m2", "f8e4m3fnuz", "i8",  "u8",  "i32",  "i64"};

TEST(CertificatesOfRows, AreAcceptedForEveryProofAndEveryRefutation) {
  std::size_t proved = 0, refuted = 0, unknown = 0;
  test::for_all(1500, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const Question q = random_row(random, kTypes);
    const CodeSet fill = random_pads(random, q.type);
    const Verdict verdict = decide(q, fill);
    if (std::holds_alternative<Unknown>(verdict)) {
      ++unknown;
      return;
    }
    // A closure goes through all partial results, which the checker does not.
    if (const auto* by = std::get_if<Proved>(&verdict); by != nullptr && by->engine == "closure") return;
    ++(std::holds_alternative<Refuted>(verdict) ? refuted : proved);
    RC_LOG() << verdict.index() << " " << named(q, fill);
    RC_ASSERT(certify(q, fill, nullptr, verdict).has_value());
  });
  EXPECT_GE(proved, 250U);
  EXPECT_GE(refuted, 600U);
  EXPECT_LE(unknown, 400U);
}

// A proof that the checker accepts by mistake is the one thing it must not have.
TEST(CertificatesOfRows, AreRejectedWhereARowIsChanged) {
  std::size_t rejected = 0, accepted = 0;
  test::for_all(1500, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const Question q = random_row(random, kTypes);
    const CodeSet fill = random_pads(random, q.type);
    if (!certify(q, fill, nullptr, Proved{})) {
      ++rejected;
      return;
    }
    ++accepted;
    RC_LOG() << named(q, fill);
    RC_ASSERT(!std::holds_alternative<Refuted>(decide(q, fill)));
  });
  EXPECT_GE(accepted, 250U);
  EXPECT_GE(rejected, 600U);
}

TEST(CertificatesOfRows, AreAcceptedForTheLargestFillAndNoOther) {
  std::size_t whole = 0, checked = 0, others = 0;
  test::for_all(150, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const Question q = random_row(random, {"f8e4m3", "f8e5m2", "f8e4m3fnuz", "i8", "u8"});
    const auto answer = largest(q);
    const auto* found = std::get_if<Largest>(&answer);
    if (found == nullptr || !found->open.empty()) return;
    ++whole;
    if (!certify(q, *found)) return;
    ++checked;
    for (int j = 0; j < 4; ++j, ++others) {
      const CodeSet one = CodeSet::of(random() & q.type.mask());
      Largest other = *found;
      const bool in = found->codes.contains(one.ranges()[0].first);
      other.codes = in ? found->codes.without(one, q.type) : found->codes.united(one);
      RC_LOG() << named(q, one);
      RC_ASSERT(!certify(q, other));
    }
  });
  EXPECT_GE(whole, 60U);
  EXPECT_GE(checked * 10, whole * 9);
  EXPECT_GE(others, 200U);
}

TEST(CertificatesOfRows, AreRejectedWhereAFieldIsMissingOrAnother) {
  Question q;
  q.operation = Operation::ArgMax;
  q.type = q.accumulate = *values::find_format("f16");
  q.contents = CodeSet::all(q.type);
  q.pads = Pads::After;
  const CodeSet zero = CodeSet::of(0), lowest = CodeSet::of(0xFC00);
  const auto refuted = certify(q, zero, nullptr, decide(q, zero)),
             proved = certify(q, lowest, nullptr, decide(q, lowest));
  ASSERT_TRUE(refuted && proved);
  const auto broken = [](checker::Certificate out, auto change) {
    change(out, *out.statement.reductions->front().row);
    out.digest = checker::digest(out.statement);
    return values_kernel::check(out).has_value();
  };
  EXPECT_FALSE(broken(*refuted, [](auto&, auto&) {}));
  EXPECT_FALSE(broken(*proved, [](auto&, auto&) {}));
  EXPECT_TRUE(broken(*proved, [](auto&, auto& row) { row.ties = "last"; }));
  EXPECT_TRUE(broken(*proved, [](auto&, auto& row) { row.ties = "second"; }));
  EXPECT_TRUE(broken(*proved, [](auto&, auto& row) { row.pads = "anywhere"; }));
  EXPECT_TRUE(broken(*proved, [](auto&, auto& row) { row.divide = "P"; }));
  EXPECT_TRUE(broken(*proved, [](auto&, auto& row) { row.blocks = "guarded"; }));
  EXPECT_TRUE(broken(*proved, [](auto&, auto& row) { row.k = 2; }));
  EXPECT_TRUE(broken(*proved, [](auto& c, auto&) { c.statement.reductions->front().row.reset(); }));
  EXPECT_TRUE(broken(*proved, [](auto& c, auto&) { c.statement.reductions->front().max = "x86"; }));
  EXPECT_TRUE(broken(*proved, [](auto& c, auto&) { c.statement.reductions->front().operation = "argmin"; }));
  EXPECT_TRUE(broken(*proved, [](auto& c, auto&) { c.statement.reductions->front().operation = "softmax"; }));
  EXPECT_TRUE(broken(*proved, [](auto& c, auto&) { c.statement.reductions->front().operation = "max"; }));
  EXPECT_TRUE(broken(*refuted, [](auto& c, auto&) { c.statement.verdict = "proved"; }));
  EXPECT_TRUE(broken(*refuted, [](auto& c, auto&) { c.statement.claim = "fills"; }));
  EXPECT_TRUE(broken(*refuted, [](auto& c, auto&) { c.evidence.evaluation->shape = "pc"; }));
  EXPECT_TRUE(broken(*refuted, [](auto& c, auto&) { c.evidence.evaluation->shape = "c|p"; }));
  EXPECT_TRUE(broken(*refuted, [](auto& c, auto&) { c.evidence.evaluation->shape = "c"; }));
  EXPECT_TRUE(broken(*refuted, [](auto& c, auto&) { c.evidence.evaluation->got = "0x7"; }));
  EXPECT_TRUE(broken(*refuted, [](auto& c, auto&) { c.evidence.evaluation->pads[0].first = "0xFC00"; }));
  EXPECT_TRUE(broken(*refuted, [](auto& c, auto&) { c.evidence.evaluation.reset(); }));
}

}  // namespace values_kernel_rows_campaign
}  // namespace vl
