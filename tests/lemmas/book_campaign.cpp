// The book of lemmas that is built in, and what its checker rejects. `./dev lemmas` proves all of it; here are all
// laws, and a share of the rest.
#include "verifier/values_kernel/lemmas/book.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/shard.h"
#include "verifier/lemmas/prove.h"

namespace vl {
namespace lemmas_book_campaign {

using values_kernel::Lemma;
using values_kernel::LemmaEvidence;

const std::vector<Lemma>& book() {
  static const std::vector<Lemma> made = values_kernel::make_book();
  return made;
}

const Lemma& lemma(const std::string& name) {
  const auto found = std::ranges::find(book(), name, &Lemma::name);
  EXPECT_NE(found, book().end()) << name;
  return *found;
}

bool rejects(const Lemma& said, const LemmaEvidence& evidence, const std::vector<Lemma>& before) {
  try {
    values_kernel::check_lemma(said, evidence, before);
    return false;
  } catch (const checker::Rejected&) {
    return true;
  }
}

TEST(Book, HasTheDigestThatIsBuiltIn) {
  EXPECT_EQ(values_kernel::digest_of(book()), values_kernel::kBookDigest) << "run ./dev lemmas; it says what to do";
}

TEST(Book, NamesEachLemmaOnceAndStatesEachOnce) {
  std::set<std::string> names, statements;
  std::map<Lemma::Kind, std::size_t> kinds;
  for (const Lemma& one : book()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    if (one.kind != Lemma::OfLaw) {
      EXPECT_TRUE(statements.insert(one.type + ">" + one.wide + one.text).second) << one.name;
    }
    ++kinds[one.kind];
  }
  EXPECT_GE(kinds[Lemma::Witness], 150U);
  EXPECT_GE(kinds[Lemma::Sweep], 800U);
  EXPECT_EQ(kinds[Lemma::Count], 5U);
  EXPECT_GE(kinds[Lemma::Rup], 1000U);
  EXPECT_GE(kinds[Lemma::OfLaw], 500U);
}

TEST(Book, EveryLawFollowsFromLemmasBeforeIt) {
  std::vector<Lemma> before;
  std::size_t laws = 0, premises = 0;
  for (const Lemma& one : book()) {
    if (one.kind == Lemma::OfLaw) {
      EXPECT_NO_THROW(values_kernel::check_lemma(one, {}, before)) << one.name;
      ++laws, premises += one.from.size();
    } else before.push_back(one);
  }
  EXPECT_GE(laws, 500U);
  EXPECT_GE(premises, 4000U);
}

// Without any one of its premises, or with one that says something else, a law is none.
TEST(Book, NoLawFollowsWithoutOneOfItsPremises) {
  std::size_t rejected = 0;
  for (const char* name : {"f32 sum/0/start/any-nan", "f64 sum/0/start/bits", "bf16 max/x86/any-nan", "f16 prod/1/bits",
                           "f16>f32 fused/start/0/exact/any-nan", "i8 sum/saturating/0/bits", "u8 all/bits",
                           "f32 fused/first/0/negative/any-nan", "f16 only/sum", "dl16 sum/0/nonneg/any-nan"}) {
    const Lemma& law = lemma(name);
    std::vector<Lemma> premises;
    for (const Lemma& one : book())
      if (std::ranges::find(law.from, one.name) != law.from.end()) premises.push_back(one);
    ASSERT_FALSE(rejects(law, {}, premises)) << name;
    for (std::size_t i = 0; i < premises.size(); ++i) {
      auto fewer = premises, other = premises;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      other[i].text = "not " + other[i].text;
      EXPECT_TRUE(rejects(law, {}, fewer)) << name << " without " << premises[i].name;
      EXPECT_TRUE(rejects(law, {}, other)) << name << " with another " << premises[i].name;
      other = premises, other[i].wide = other[i].wide == "f16" ? "bf16" : "f16";
      EXPECT_TRUE(rejects(law, {}, other)) << name << " with one of another format: " << premises[i].name;
      rejected += 3;
    }
    Lemma other = law;
    other.from.pop_back();
    EXPECT_TRUE(rejects(other, {}, premises));
    other = law, other.law->equal = other.law->equal == "=" ? "~" : "=";
    EXPECT_TRUE(rejects(other, {}, premises)) << name << " up to something else";
  }
  EXPECT_GE(rejected, 180U);
}

// Every part-th lemma without a proof, and of those with one the formats of few bits.
TEST(Book, AShareOfItIsProved) {
  const test::Shard shard = test::shard_of(24);
  std::size_t proved = 0, number = 0;
  for (const Lemma& one : book()) {
    const bool small = values_kernel::format_of(one.wide).bits <= 16;
    if (one.kind == Lemma::OfLaw || !shard.has(number++) || (!small && shard.count > 1 && one.kind == Lemma::Rup))
      continue;
    const auto answer = lemmas::prove(one, {});
    EXPECT_TRUE(std::holds_alternative<LemmaEvidence>(answer)) << one.name << ": " << one.text;
    ++proved;
  }
  EXPECT_GE(proved, 70U);
}

TEST(Book, SomeOfTheWidestFormatsAreProved) {
  for (const char* name :
       {"f32 sum/0/no-minus-zero/bits: partial results stay", "f64 sum/0/no-minus-zero/bits: partial results stay",
        "f32 sum/-0/bits: the pad -0 on the right", "f32 prod/1/bits: the pad 1 on the right",
        "f32 squares are not negative", "f64 squares are not negative", "f64 products of what is negative",
        "f64 max/nan-wins/any-nan: a pad on the right"})
    EXPECT_TRUE(std::holds_alternative<LemmaEvidence>(lemmas::prove(lemma(name), {}))) << name;
}

TEST(Checker, RejectsEvidenceThatIsNone) {
  const Lemma& one = lemma("f16 sum/0/no-minus-zero/bits: partial results stay");
  const auto answer = lemmas::prove(one, {});
  const auto* evidence = std::get_if<LemmaEvidence>(&answer);
  ASSERT_NE(evidence, nullptr);
  EXPECT_FALSE(rejects(one, *evidence, {}));
  LemmaEvidence other = *evidence;
  other.refutation.clear();
  EXPECT_TRUE(rejects(one, other, {})) << "no proof";
  other.refutation = "0\n";
  EXPECT_TRUE(rejects(one, other, {})) << "a proof that begins at its end";
  other.refutation = evidence->refutation.substr(0, evidence->refutation.size() - 2);
  EXPECT_TRUE(rejects(one, other, {})) << "a proof without its end";
  other.refutation = "-1 0\n" + evidence->refutation;
  EXPECT_TRUE(rejects(one, other, {})) << "a clause that does not follow";
  other = *evidence, other.example.clear();
  EXPECT_TRUE(rejects(one, other, {})) << "no example";
  other.example = evidence->example, other.example[0] = 0x8000;
  EXPECT_TRUE(rejects(one, other, {})) << "an example that is -0";
  Lemma said = one;
  said.kind = Lemma::Sweep;
  EXPECT_TRUE(rejects(said, {}, {})) << "2^32 codes";
  said.kind = Lemma::Witness;
  EXPECT_TRUE(rejects(said, {}, {})) << "a witness with variables";
  said = one, said.text = "not x = +0 => not add(x, y) = -0";
  EXPECT_TRUE(rejects(said, *evidence, {})) << "the proof of another statement";
  said = one, said.wide = said.type = "dl16";
  EXPECT_TRUE(rejects(said, *evidence, {})) << "the proof of another format";
}

// Clause by clause: a literal turned round makes a clause that does not follow, unless the proof does not need it.
TEST(Checker, RejectsProofsThatWereChanged) {
  const Lemma& one = lemma("f16 sum/0/no-minus-zero/bits: partial results stay");
  const auto answer = lemmas::prove(one, {});
  const auto& evidence = std::get<LemmaEvidence>(answer);
  std::size_t changed = 0, rejected = 0;
  for (std::size_t at = 0; at + 2 < evidence.refutation.size(); at += 97) {
    const std::size_t line = evidence.refutation.rfind('\n', at) + 1;  // of the first line npos + 1, which is 0
    LemmaEvidence other = evidence;
    if (other.refutation[line] == '-') other.refutation.erase(line, 1);
    else other.refutation.insert(line, 1, '-');
    ++changed;
    rejected += rejects(one, other, {}) ? 1U : 0U;
  }
  EXPECT_GE(changed, 60U);
  EXPECT_GE(rejected * 10, changed * 6);
}

TEST(Checker, RejectsTextsThatAreNoStatements) {
  for (const char* text : {"",
                           "x",
                           "x =",
                           "= x",
                           "add(x) = x",
                           "add(x, y = x",
                           "add(x, y, z) = x",
                           "not",
                           "x = y &",
                           "x = y => ",
                           "=> x = y",
                           "x = y => x = y => x = y",
                           "nan()",
                           "nan(x",
                           "nan x",
                           "x == y",
                           "x = q",
                           "x = 0x",
                           "x = 0x10000",
                           "x = 0xg",
                           "x < a",
                           "widen(x) = x",
                           "narrow(a) = a",
                           "x = y x = y",
                           "not not x = y",
                           "sqrt(x) = x",
                           "x = -1",
                           "fma(x, y) = x"})
    EXPECT_THROW(static_cast<void>(values_kernel::parse_statement(values_kernel::format_of("f16"),
                                                                  values_kernel::format_of("f8e5m2"), text)),
                 checker::Rejected)
        << text;
  for (const char* format : {"f8e4m3fnuz", "i8"})
    EXPECT_THROW(static_cast<void>(values_kernel::parse_statement(values_kernel::format_of(format),
                                                                  values_kernel::format_of(format), "x = -0")),
                 checker::Rejected)
        << format;
}

TEST(Checker, RejectsALemmaAboutNoCodes) {
  EXPECT_TRUE(rejects({"x", Lemma::Sweep, "f16", "f16", "nan(x) & finite(x) => x = +0"}, {}, {}));
  EXPECT_TRUE(rejects({"x", Lemma::Count, "f16", "f16", "nan(x)", 2047}, {}, {}));
  EXPECT_FALSE(rejects({"x", Lemma::Count, "f16", "f16", "nan(x)", 2046}, {}, {}));
}

}  // namespace lemmas_book_campaign
}  // namespace vl
