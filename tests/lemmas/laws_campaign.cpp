// The theorems of the book against evaluations: trees and chains of random shape over terms that a law speaks of, with
// their pads and without. And against changed laws: where an evaluation shows that one is false, a premise has to be.
#include "verifier/values_kernel/lemmas/laws.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "verifier/lemmas/prove.h"

namespace vl {
namespace lemmas_laws_campaign {

using values_kernel::Code;
using values_kernel::Codes8;
using values_kernel::Format;
using values_kernel::Law;

// A law with its conditions read.
class Trial {
 public:
  Trial(const Law& law, std::mt19937_64& random)
      : law_(law), format_(values_kernel::format_of(law.wide)), random_(random) {
    for (const auto& one : law.partial) partial_.push_back(read(one.condition));
    for (const auto& one : law.pad) pad_.push_back(read(one));
    for (const auto& one : law.where) where_.push_back(read(one));
    same_ = values_kernel::parse_statement(format_, format_, "x " + law.equal + " y");
    if (law.operation != "fma") {
      node_ = values_kernel::parse_statement(format_, format_, law.operation + "(x, y) = z");
      while (!all(where_, 0, z_)) z_ = any();
      for (int i = 0; i < 4000 && valid_.size() < 24; ++i)
        if (const Code code = any(); all(partial_, code, z_)) valid_.push_back(code);
      for (const auto& one : law.constants) pads_.push_back(constant(one));
      for (int i = 0; i < 4000 && law.constants.empty() && pads_.size() < 24; ++i)
        if (const Code code = any(); all(pad_, code, z_)) pads_.push_back(code);
    }
  }

  [[nodiscard]] bool can() const { return !valid_.empty() && !pads_.empty(); }

  // Whether a random tree has another result with its pads.
  bool differs() {
    const bool starts = law_.theorem == Law::Start;
    std::vector<std::pair<Code, bool>> leaves;  // code, is a pad
    const std::size_t count = 2 + random_() % 5;
    for (std::size_t i = 0; i < count; ++i) {
      const bool pad = i > 0 && random_() % 2 == 0;
      leaves.emplace_back(pad ? pick(pads_) : starts ? any() : pick(valid_), pad);
    }
    if (starts) leaves.emplace_back(0, false);
    std::shuffle(leaves.begin(), leaves.end(), random_);
    std::vector<std::pair<std::optional<Code>, std::optional<Code>>> parts;  // with pads, and without
    for (const auto& [code, pad] : leaves) parts.emplace_back(code, pad ? std::nullopt : std::optional(code));
    while (parts.size() > 1) {
      const std::size_t i = random_() % (parts.size() - 1);
      auto& [with, without] = parts[i];
      with = node(*with, *parts[i + 1].first);
      const auto other = parts[i + 1].second;
      without = without && other ? std::optional(node(*without, *other)) : without ? without : other;
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
    Codes8 codes(8);
    codes[0] = *parts[0].first, codes[1] = *parts[0].second;
    return !values_kernel::is_true(*same_, codes);
  }

 private:
  [[nodiscard]] values_kernel::LemmaStatement read(std::string condition) const {
    for (std::size_t at; (at = condition.find('@')) != std::string::npos;) condition.replace(at, 1, "x");
    return values_kernel::parse_statement(format_, format_, condition);
  }
  [[nodiscard]] static bool all(const std::vector<values_kernel::LemmaStatement>& conditions, Code x, Code z) {
    Codes8 codes(8);
    codes[0] = x, codes[2] = z;
    return std::ranges::all_of(conditions, [&](const auto& one) { return values_kernel::is_true(one, codes); });
  }
  // Zeros, ones, ends, infinities, NaNs; and, in turn, any code.
  Code any() {
    const Code edges[] = {0, 1, format_.one(), format_.first_nan, format_.first_nan - 1, format_.first_nan - 2};
    const Code code = random_() % 2 == 0 ? random_() : edges[random_() % 6] | (random_() % 2 == 0 ? format_.sign() : 0);
    return code & format_.mask();
  }
  Code pick(const std::vector<Code>& from) { return from[random_() % from.size()]; }
  [[nodiscard]] Code constant(const std::string& word) const {
    return values_kernel::parse_statement(format_, format_, "x = " + word).conclusion.of[1].constant;
  }
  // The operation as the book's language has it: the code z with f(x, y) = z.
  [[nodiscard]] Code node(Code x, Code y) const {
    Codes8 codes(8);
    codes[0] = x, codes[1] = y;
    return values_kernel::value(node_->conclusion.of[0], codes);
  }

  const Law& law_;
  const Format& format_;
  std::mt19937_64& random_;
  std::vector<values_kernel::LemmaStatement> partial_, pad_, where_;
  std::optional<values_kernel::LemmaStatement> same_, node_;
  std::vector<Code> valid_, pads_;
  Code z_ = 0;
};

std::vector<Law> laws_about_trees(const std::vector<const char*>& formats) {
  std::vector<Law> out;
  for (const char* format : formats)
    for (Law& law : values_kernel::laws_of(format))
      if (law.theorem == Law::Tree || law.theorem == Law::Start) out.push_back(std::move(law));
  return out;
}

bool is_refuted(const Law& law, std::mt19937_64& random, int parameters, int trees) {
  for (int i = 0; i < parameters; ++i) {
    Trial trial(law, random);
    for (int j = 0; j < trees && trial.can(); ++j)
      if (trial.differs()) return true;
  }
  return false;
}

TEST(Laws, AgreeWithTrees) {
  std::mt19937_64 random(19);
  std::size_t laws = 0;
  for (const Law& law : laws_about_trees({"f16", "f32", "f64", "dl16", "f8e4m3", "f8e5m2", "f8e4m3fnuz", "i8", "u8"})) {
    EXPECT_FALSE(is_refuted(law, random, 3, 25)) << law.wide << " " << law.name << ": " << text_of(law);
    ++laws;
  }
  EXPECT_GE(laws, 200U);
}

std::vector<Law> mutants_of(const Law& law) {
  std::vector<Law> out;
  const auto add = [&](auto change) {
    Law other = law;
    change(other);
    out.push_back(std::move(other));
  };
  for (std::size_t i = 0; i < law.partial.size(); ++i)
    add([&](Law& one) { one.partial.erase(one.partial.begin() + static_cast<std::ptrdiff_t>(i)); });
  for (std::size_t i = 0; i < law.where.size(); ++i)
    add([&](Law& one) { one.where.erase(one.where.begin() + static_cast<std::ptrdiff_t>(i)); });
  for (std::size_t i = 0; i < law.pad.size() && law.constants.empty(); ++i)
    add([&](Law& one) { one.pad[i] = one.pad[i].starts_with("not ") ? one.pad[i].substr(4) : "not " + one.pad[i]; });
  for (const char* pad : {"+0", "-0", "1", "0x1", "nan", "lowest", "highest"})
    if (!law.constants.empty()) add([&](Law& one) { one.constants = {pad}, one.pad = {std::string("@ = ") + pad}; });
  for (const char* operation : {"add", "mul", "max", "maxn", "maxx", "min"})
    if (law.operation != operation) add([&](Law& one) { one.operation = operation; });
  for (const char* equal : {"=", "~"})
    if (law.equal != equal) add([&](Law& one) { one.equal = equal; });
  if (!law.nans) add([](Law& one) { one.nans = true; });
  else add([](Law& one) { one.nans = false; });
  return out;
}

// Whether the checker would find that each premise is a lemma.
bool has_a_false_premise(const Law& law) {
  for (const auto& premise : premises_of(law)) {
    const auto& format = values_kernel::format_of(law.wide);
    const auto statement = values_kernel::parse_statement(format, format, premise.text);
    std::uint64_t applied = 0;
    const values_kernel::Lemma lemma{"premise", values_kernel::Lemma::Rup, law.wide, law.wide, premise.text};
    const bool holds = statement.bits() <= 16 ? !values_kernel::sweep(statement, applied).has_value()
                                              : !std::holds_alternative<lemmas::False>(lemmas::prove(lemma, {}));
    if (!holds) return true;
  }
  return false;
}

TEST(Laws, ThatWereChangedHaveAFalsePremiseWhereATreeRefutesThem) {
  std::mt19937_64 random(23);
  std::size_t refuted = 0, rejected = 0, tried = 0;
  for (const Law& law : laws_about_trees({"f8e5m2", "f8e4m3", "f8e4m3fnuz", "i8"}))
    for (const Law& mutant : mutants_of(law)) {
      if (++tried % 5 != 0) continue;
      try {
        const bool shown = is_refuted(mutant, random, 4, 25), is_rejected = has_a_false_premise(mutant);
        refuted += shown ? 1U : 0U, rejected += is_rejected ? 1U : 0U;
        EXPECT_TRUE(!shown || is_rejected) << mutant.wide << " " << mutant.name << ": " << text_of(mutant);
      } catch (const checker::Rejected&) {
        ++rejected;  // a constant that the format does not have
      }
    }
  fmt::print("{} changed laws: {} refuted by a tree, {} with a false premise\n", tried / 5, refuted, rejected);
  EXPECT_GE(refuted, 100U);
  EXPECT_GE(rejected, refuted);
}

}  // namespace lemmas_laws_campaign
}  // namespace vl
