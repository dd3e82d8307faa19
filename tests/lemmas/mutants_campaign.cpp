// Seeded mutants of lemmas: a statement that is negated, loses a hypothesis, speaks of another constant, a finer
// equality, or another operation. Each has to be found out: codes of which it is false, as the checker evaluates them.
// A mutant that is true all the same is proved, and its proof checked; it counts as no mutant, and there are few.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/shard.h"
#include "verifier/lemmas/prove.h"

namespace vl {
namespace lemmas_mutants_campaign {

using values_kernel::Lemma;

struct Mutant {
  std::string how, text;
};

std::vector<std::string> split(const std::string& text, const std::string& by) {
  std::vector<std::string> out;
  std::size_t from = 0;
  for (std::size_t at; (at = text.find(by, from)) != std::string::npos; from = at + by.size())
    out.push_back(text.substr(from, at - from));
  out.push_back(text.substr(from));
  return out;
}

std::string joined(const std::vector<std::string>& hypotheses, const std::string& conclusion) {
  std::string out;
  for (const std::string& one : hypotheses) out += (out.empty() ? "" : " & ") + one;
  return out.empty() ? conclusion : out + " => " + conclusion;
}

// Each word once replaced in the conclusion. A word is delimited by what is not of it.
void replace_words(const std::vector<std::string>& hypotheses, const std::string& conclusion,
                   std::vector<Mutant>& out) {
  static const std::vector<std::pair<std::string, std::string>> kWords = {
      {"+0", "-0"},       {"-0", "+0"},      {"1", "+0"},     {"highest", "lowest"}, {"lowest", "highest"},
      {"~", "="},         {"~~", "~"},       {"=0", "="},     {"add", "mul"},        {"mul", "add"},
      {"max", "min"},     {"min", "max"},    {"maxn", "max"}, {"minn", "min"},       {"maxx", "max"},
      {"minx", "min"},    {"satadd", "max"}, {"or", "and"},   {"and", "or"},         {"nonneg", "zero"},
      {"zero", "finite"}, {"nan", "1"},      {"<=", "<"}};
  for (const auto& [word, by] : kWords)
    for (std::size_t at = 0; (at = conclusion.find(word, at)) != std::string::npos; at += word.size()) {
      const auto is_inside = [&](std::size_t i) {
        return i < conclusion.size() && std::string(" (),").find(conclusion[i]) == std::string::npos;
      };
      if ((at > 0 && is_inside(at - 1)) || is_inside(at + word.size())) continue;
      std::string other = conclusion;
      out.push_back({word + " becomes " + by, joined(hypotheses, other.replace(at, word.size(), by))});
    }
}

std::vector<Mutant> mutants_of(const std::string& text) {
  const auto parts = split(text, " => ");
  const std::string conclusion = parts.back();
  const auto hypotheses = parts.size() == 1 ? std::vector<std::string>{} : split(parts.front(), " & ");
  std::vector<Mutant> out;
  out.push_back(
      {"negated", joined(hypotheses, conclusion.starts_with("not ") ? conclusion.substr(4) : "not " + conclusion)});
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    auto fewer = hypotheses, other = hypotheses;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    out.push_back({"without a hypothesis", joined(fewer, conclusion)});
    other[i] = other[i].starts_with("not ") ? other[i].substr(4) : "not " + other[i];
    out.push_back({"with a negated hypothesis", joined(other, conclusion)});
  }
  replace_words(hypotheses, conclusion, out);
  return out;
}

// The mutant as a lemma of the kind that its variables allow; nothing if it is no statement.
std::optional<Lemma> stated(const Lemma& from, const std::string& text) {
  try {
    const auto& wide = values_kernel::format_of(from.wide);
    const auto statement = values_kernel::parse_statement(wide, values_kernel::format_of(from.type), text);
    Lemma out{"mutant", Lemma::Rup, from.wide, from.type, text};
    if (statement.bits() <= 16) out.kind = statement.bits() == 0 ? Lemma::Witness : Lemma::Sweep;
    return out;
  } catch (const checker::Rejected&) {
    return std::nullopt;
  }
}

TEST(Mutants, OfLemmasAreFoundOut) {
  const test::Shard shard = test::shard_of(12);
  std::map<std::string, std::pair<std::size_t, std::size_t>> by_kind;  // found, true
  std::size_t found = 0, as_true = 0, empty = 0, number = 0;
  std::vector<std::string> missed;
  for (const Lemma& lemma : values_kernel::make_book()) {
    const bool wide = values_kernel::format_of(lemma.wide).bits > 16;
    if (lemma.kind == Lemma::OfLaw || lemma.kind == Lemma::Count || !shard.has(number++)) continue;
    if (wide && shard.count > 1) continue;
    for (const Mutant& mutant : mutants_of(lemma.text)) {
      const auto said = stated(lemma, mutant.text);
      if (!said || said->text == lemma.text) continue;
      const auto answer = lemmas::prove(*said, {});
      auto& [is_found, is_true] = by_kind[mutant.how.substr(0, mutant.how.find(" becomes"))];
      if (const auto* codes = std::get_if<lemmas::False>(&answer)) {
        const auto statement = values_kernel::parse_statement(values_kernel::format_of(said->wide),
                                                              values_kernel::format_of(said->type), said->text);
        EXPECT_FALSE(values_kernel::is_true(statement, codes->codes)) << said->text;
        ++found, ++is_found;
      } else if (std::holds_alternative<values_kernel::LemmaEvidence>(answer)) {
        ++as_true, ++is_true;
        EXPECT_NE(mutant.how, "negated") << "a lemma and its opposite are true: " << lemma.name << " | " << lemma.text;
      } else {
        const auto& why = std::get<lemmas::Open>(answer).why;
        const bool about_nothing = why == "a statement about no codes" || why.starts_with("no codes of the hypotheses");
        if (about_nothing) ++empty;
        else missed.push_back(lemma.name + " | " + said->text + " | " + why);
      }
    }
  }
  for (const auto& [how, counts] : by_kind)
    fmt::print("{:<28} {:>5} found out, {:>4} true as well\n", how, counts.first, counts.second);
  fmt::print("{} found out, {} true as well, {} about nothing, {} missed\n", found, as_true, empty, missed.size());
  for (const std::string& one : missed) fmt::print("missed: {}\n", one);
  EXPECT_TRUE(missed.empty());
  EXPECT_GE(found, shard.count > 1 ? 500U : 5000U);
  EXPECT_LE(as_true * 2, found);
}

// The proof of a lemma is none of a mutant that is false.
TEST(Mutants, AreNotProvedByTheProofOfTheLemma) {
  std::size_t tried = 0;
  const test::Shard shard = test::shard_of(60);
  std::size_t number = 0;
  for (const Lemma& lemma : values_kernel::make_book()) {
    if (lemma.kind != Lemma::Rup || values_kernel::format_of(lemma.wide).bits > 16 || !shard.has(number++)) continue;
    const auto answer = lemmas::prove(lemma, {});
    const auto* evidence = std::get_if<values_kernel::LemmaEvidence>(&answer);
    ASSERT_NE(evidence, nullptr) << lemma.text;
    for (const Mutant& mutant : mutants_of(lemma.text)) {
      const auto said = stated(lemma, mutant.text);
      if (!said || said->kind != Lemma::Rup || !std::holds_alternative<lemmas::False>(lemmas::prove(*said, {})))
        continue;
      ++tried;
      EXPECT_THROW(values_kernel::check_lemma(*said, *evidence, {}), checker::Rejected) << said->text;
    }
  }
  EXPECT_GE(tried, 20U);
}

}  // namespace lemmas_mutants_campaign
}  // namespace vl
