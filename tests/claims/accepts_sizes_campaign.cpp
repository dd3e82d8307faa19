// accepts and keeps of tensor maps with names for sizes, against a walk over all sizes up to a bound: each is judged
// with numbers alone. What is proved fails nowhere; what is refuted has no smaller sizes that fail, in the order of
// elements, sum and the first name's size.
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

std::string judged(const CaseRequest& request, question::Answer& out) {
  const question::Case found = judge(request, {engine_options(), {}, false, {}, {}, false, false, nullptr});
  EXPECT_EQ(found.answers.size(), 1U) << (found.diagnostic ? to_string(*found.diagnostic) : "");
  if (found.answers.empty()) return "invalid";
  out = found.answers.front();
  return std::string(question::word(out.verdict));
}

// The word of the answer, held against the walk. `fails`: at sizes that are some.
template <class Fails>
std::string walked(const CaseRequest& request, const use::Descriptor& descriptor, const Fails& fails, bool& minimal) {
  question::Answer answer;
  const std::string word = judged(request, answer);
  std::optional<Key> first;  // of those with a number of elements
  bool any = false;
  for (Index k = 1; k <= kWalked; ++k)
    for (Index m = 1; m <= kWalked; ++m)
      if (fails({{"K", k}, {"M", m}}).value_or(false)) {
        const Key key = key_of(descriptor, k, m);
        any = true;
        if (std::get<0>(key) >= 0 && (!first || key < *first)) first = key;
      }
  if (const auto* proved = std::get_if<question::Proved>(&answer.verdict)) {
    EXPECT_FALSE(any);
    EXPECT_EQ(proved->trust, question::Trust::Checked);
  }
  const auto* refuted = std::get_if<question::Refuted>(&answer.verdict);
  minimal = refuted != nullptr && refuted->counterexample.minimal;
  if (refuted == nullptr) return word;
  const map::Sizes sizes(answer.all_sizes->sizes.begin(), answer.all_sizes->sizes.end());
  EXPECT_EQ(fails(sizes), true);
  const Key found = key_of(descriptor, sizes.at("K"), sizes.contains("M") ? sizes.at("M") : 1);
  EXPECT_TRUE(!first || found <= *first);
  return word;
}

CaseRequest request_of(const Asked& asked) {
  CaseRequest out;
  out.layout = SourceText::option("--transfer", asked.text);
  out.transfer = std::make_shared<const TransferRequest>(
      TransferRequest{{out.layout}, SourceText::option("--target", "tma-sm_90")});
  if (!asked.where.empty()) out.where = SourceText::option("--where", asked.where);
  return out;
}

std::vector<map::Condition> conditions_of(const Asked& asked) {
  return asked.where.empty() ? std::vector<map::Condition>{} : *map::parse_conditions(asked.where);
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
    const auto where = conditions_of(asked);
    bool minimal = false;
    ++count[walked(
        request_of(asked), *descriptor, [&](const map::Sizes& sizes) { return fails(*descriptor, sizes, where); },
        minimal)];
    if (minimal) ++count["minimal"];
    if (HasFailure()) return;
  }
  for (const auto& [word, times] : count) fmt::print("{}: {}\n", word, times);
  const int parts = static_cast<int>(shard.count);
  EXPECT_GE(count["proved"], 2'000 / parts);
  EXPECT_GE(count["refuted"], 20'000 / parts);
  EXPECT_LE(count["unknown"], 400 / parts);
}

// Whether a store writes beyond a row; nothing where there are no such sizes.
std::optional<bool> spills(const use::Descriptor& store, bool padding, const map::Sizes& sizes,
                           const std::vector<map::Condition>& where) {
  for (const map::Condition& condition : where)
    if (const auto held = map::holds(condition, sizes); !held || !*held) return std::nullopt;
  const auto numbers = use::with_sizes(store, sizes);
  if (!numbers) return std::nullopt;
  const auto verdict = claims::decide(*claims::find_claim("keeps"), claims::Stored{*numbers, padding}, {}).verdict;
  return std::holds_alternative<question::Refuted>(verdict);
}

TEST(KeepsForAllSizes, SaysWhatAWalkOverSizesSays) {
  const test::Shard shard = test::shard_of(40);
  std::map<std::string, int> count;
  for (std::uint64_t number = 0; number < 10'000; ++number) {
    if (!shard.has(number)) continue;
    use::Random random(20261130, 51, number);
    const Asked asked{
        fmt::format("store tensormap({}, dim ({},M), stride ({}), box ({},{})) at ({},{}) from 0",
                    one_of(random, std::array{"u8", "f16", "f32"}),
                    one_of(random, std::array{"K", "16*K", "8*K", "K+3", "4*K"}),
                    one_of(random, std::array{"64*K", "16*K", "512"}), one_of(random, std::array{"16", "K", "8"}),
                    one_of(random, std::array{"8", "M"}), one_of(random, std::array{"0", "8", "4*M", "K"}),
                    one_of(random, std::array{"0", "M-1"})),
        one_of(random, std::array{"", "K % 16 = 0", "K <= 64, M <= 64", "K % 8 = 0, K <= 128", "K <= 16, M <= 16",
                                  "M <= 2, K >= 8"})};
    const bool padding = random.chance(40);
    SCOPED_TRACE(asked.text + " where " + asked.where + (padding ? " padding" : ""));
    const auto store = use::parse_descriptor(asked.text);
    ASSERT_TRUE(store.has_value());
    CaseRequest request = request_of(asked);
    ClaimRequest claim;
    claim.claim = claims::find_claim("keeps");
    if (padding) claim.arguments.push_back({"allow", SourceText::option("allow", "padding")});
    request.claims.push_back(claim);
    const auto where = conditions_of(asked);
    bool minimal = false;
    ++count[walked(
        request, *store, [&](const map::Sizes& sizes) { return spills(*store, padding, sizes, where); }, minimal)];
    if (minimal) ++count["minimal"];
    if (HasFailure()) return;
  }
  for (const auto& [word, times] : count) fmt::print("{}: {}\n", word, times);
  const int parts = static_cast<int>(shard.count);
  EXPECT_GE(count["proved"], 1'000 / parts);
  EXPECT_GE(count["refuted"], 1'500 / parts);
}

}  // namespace claims_accepts_sizes_test
}  // namespace vl::session
