// accepts of tensor maps with names for sizes, against a walk over all sizes up to a bound: each is judged with numbers
// alone. What is proved fails nowhere; what is refuted has no smaller sizes that fail, in the order of elements, sum
// and the first name's size.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "encodings/use/random.h"
#include "tests/support/shard.h"
#include "verifier/session/judge.h"
#include "verifier/session/targets.h"

namespace vl::session {
namespace claims_accepts_sizes_test {

using Key = std::tuple<Index, Index, Index, Index>;  // elements, sum, K, M

constexpr Index kWalked = 24;

const use::Target& target_of(const char* name) {
  static const auto read = read_target(SourceText::option("--target", name));
  return std::get<use::Target>(read);
}

template <std::size_t N>
std::string one_of(use::Random& random, const std::array<const char*, N>& all) {
  return all[random.below(N)];
}

struct Asked {
  std::string text, where;
};

Asked drawn(use::Random& random) {
  const std::string dim = one_of(random, std::array{"K", "K", "2*K", "K+7", "K-3", "8*K"});
  const std::string stride = one_of(random, std::array{"2*K", "K", "16*K", "2*K+8", "K*M", "(K//8)*16", "16"});
  const std::string box = one_of(random, std::array{"64", "8", "K", "4*K", "min(K,64)"});
  const std::string high = one_of(random, std::array{"64", "M", "8", "2*M"});
  const std::string swizzle = one_of(random, std::array{"none", "32B", "128B"});
  const std::string wheres = one_of(
      random, std::array{"", "K % 8 = 0", "K % 8 = 0, K <= 4096, M <= 256", "K <= 256, M <= 256", "K >= 8", "K % 4 = 0",
                         "K % 8 = 0, K <= 64, M <= 128", "K = 8*M, M <= 8", "K % 8 = 0, K <= 4096, M <= 128"});
  return {fmt::format("tensormap({}, dim ({},M), stride ({}), box ({},{}), swizzle {})",
                      one_of(random, std::array{"f16", "u8", "f32"}), dim, stride, box, high, swizzle),
          wheres};
}

// Whether a rule that counts fails at these sizes; nothing where they are none.
std::optional<bool> fails(const use::Descriptor& descriptor, const map::Sizes& sizes,
                          const std::vector<map::Condition>& where) {
  for (const map::Condition& condition : where)
    if (const auto held = map::holds(condition, sizes); !held || !*held) return std::nullopt;
  const auto numbers = use::with_sizes(descriptor, sizes);
  if (!numbers) return std::nullopt;
  const auto found = use::judge(target_of("tma-sm_90"), *numbers);
  if (!found) return std::nullopt;
  return std::ranges::any_of(*found, [](const use::RuleFinding& each) {
    return each.outcome == use::RuleFinding::Outcome::Fails && use::counts(each.level);
  });
}

Key key_of(const use::Descriptor& descriptor, Index k, Index m) {
  Index elements = 1;
  for (const use::FieldValue& size : descriptor.fields.at("dim").values)
    elements *= *map::evaluate(std::get<map::Expression>(size), {{"K", k}, {"M", m}});
  return {elements, k + m, k, m};
}

TEST(AcceptsForAllSizes, SaysWhatAWalkOverSizesSays) {
  const test::Shard shard = test::shard_of(80);
  std::map<std::string, int> count;
  for (std::uint64_t number = 0; number < 40'000; ++number) {
    if (!shard.has(number)) continue;
    use::Random random(20261130, 50, number);
    const Asked asked = drawn(random);
    SCOPED_TRACE(asked.text + " where " + asked.where);
    const auto descriptor = use::parse_descriptor(asked.text);
    ASSERT_TRUE(descriptor.has_value());
    const auto where = asked.where.empty() ? std::vector<map::Condition>{} : *map::parse_conditions(asked.where);
    CaseRequest request;
    request.layout = SourceText::option("--transfer", asked.text);
    request.transfer = std::make_shared<const TransferRequest>(
        TransferRequest{{request.layout}, SourceText::option("--target", "tma-sm_90")});
    if (!asked.where.empty()) request.where = SourceText::option("--where", asked.where);
    const question::Case judged = judge(request, {engine_options(), {}, false, {}, {}, false, false, nullptr});
    ASSERT_EQ(judged.answers.size(), 1U) << to_string(*judged.diagnostic);
    const question::Answer& answer = judged.answers.front();
    ++count[std::string(question::word(answer.verdict))];
    std::optional<Key> first;  // of those with a number of elements
    bool any = false;
    for (Index k = 1; k <= kWalked; ++k)
      for (Index m = 1; m <= kWalked; ++m)
        if (fails(*descriptor, {{"K", k}, {"M", m}}, where).value_or(false)) {
          const Key key = key_of(*descriptor, k, m);
          any = true;
          if (std::get<0>(key) >= 0 && (!first || key < *first)) first = key;
        }
    if (std::holds_alternative<question::Proved>(answer.verdict)) {
      ASSERT_FALSE(any);
      ASSERT_EQ(std::get<question::Proved>(answer.verdict).trust, question::Trust::Checked);
    }
    const auto* refuted = std::get_if<question::Refuted>(&answer.verdict);
    if (refuted == nullptr) continue;
    map::Sizes sizes(answer.all_sizes->sizes.begin(), answer.all_sizes->sizes.end());
    ASSERT_EQ(fails(*descriptor, sizes, where), true);
    if (refuted->counterexample.minimal) ++count["minimal"];
    if (first) ASSERT_LE(key_of(*descriptor, sizes.at("K"), sizes.contains("M") ? sizes.at("M") : 1), *first);
  }
  for (const auto& [word, times] : count) fmt::print("{}: {}\n", word, times);
  const int parts = static_cast<int>(shard.count);
  EXPECT_GE(count["proved"], 2'000 / parts);
  EXPECT_GE(count["refuted"], 20'000 / parts);
  EXPECT_LE(count["unknown"], 400 / parts);
}

}  // namespace claims_accepts_sizes_test
}  // namespace vl::session
