// Certificates of the buffers of a function: the checker's reading of them against that which judges them, over random
// accesses and all refutations that can be named.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "verifier/checker/check.h"
#include "verifier/programs/certificates.h"

namespace vl::programs {
namespace checker_buffers_test {

checker::Statement statement_of(const program::Function& function, bool refuted) {
  checker::Statement out;
  out.claim = "disjoint", out.verdict = refuted ? "refuted" : "proved";
  out.buffers.emplace();
  for (const program::Access& each : function.accesses)
    out.buffers->push_back({each.space, each.begin, each.end, each.argument, each.writes, each.name});
  return out;
}

// The pairs (who reads, who wrote over it) that the checker takes for a refutation.
std::vector<std::pair<std::size_t, std::size_t>> refutations_of(const program::Function& function) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  const auto count = static_cast<long long>(function.accesses.size());
  for (long long reader = 0; reader < count; ++reader)
    for (long long writer = 0; writer < count; ++writer) {
      checker::Evidence evidence;
      evidence.witness = checker::Showing{{reader}, checker::Point{writer}};
      if (!checker::check(statement_of(function, true), evidence))
        out.emplace_back(static_cast<std::size_t>(reader), static_cast<std::size_t>(writer));
    }
  return out;
}

program::Function random_function(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return static_cast<Index>(random() % n); };
  program::Function out;
  const Index count = 2 + below(6);
  for (Index i = 0; i < count; ++i) {
    program::Access each;
    each.step = static_cast<std::size_t>(i), each.writes = below(2) == 0;
    each.space = below(8) == 0 ? "hbm" : "lx";
    each.begin = below(3), each.end = each.begin + 1 + below(3);
    each.argument = below(4) == 0 ? 0 : -1;
    if (below(2) == 0) each.name = below(2) == 0 ? "a" : "b";
    out.accesses.push_back(std::move(each));
  }
  return out;
}

std::string in_words(const program::Function& function) {
  std::string out;
  for (const program::Access& each : function.accesses)
    out += fmt::format("{} {} {}..{} {} '{}'\n", each.writes ? "w" : "r", each.space, each.begin, each.end,
                       each.argument, each.name);
  return out;
}

TEST(CertificatesOfBuffers, AreAcceptedExactlyWhereTheJudgeSaysSo) {
  std::mt19937_64 random(20261130);
  std::map<std::string, int> seen;
  const Source source{"", "text", "@f:1:1"};
  for (int round = 0; round < 10'000; ++round) {
    const program::Function function = random_function(random);
    const auto answer = disjoint(function, [](std::size_t step) { return step + 1; });
    const bool proved = answer && std::holds_alternative<question::Proved>(answer->verdict);
    const bool refuted = answer && std::holds_alternative<question::Refuted>(answer->verdict);
    ++seen[proved ? "proved" : refuted ? "refuted" : "open"];
    ASSERT_EQ(!checker::check(statement_of(function, false), {}), proved) << in_words(function);
    const auto shown = refutations_of(function);
    ASSERT_EQ(!shown.empty(), refuted) << in_words(function);
    ASSERT_TRUE(!refuted || std::ranges::find(shown, answer->shown) != shown.end()) << in_words(function);
    ASSERT_EQ(answer && certificate_of(function, *answer, source), proved || refuted);
  }
  for (const char* each : {"proved", "refuted", "open"}) EXPECT_GT(seen[each], 500) << each;
}

checker::BufferText access(const char* what, std::int64_t begin, std::int64_t end) {
  return {"lx", begin, end, -1, *what == 'w', ""};
}

TEST(CertificatesOfBuffers, AreRefusedWhereTheySayNothing) {
  checker::Statement said;
  said.claim = "disjoint", said.verdict = "proved";
  said.buffers = {access("w", 0, 4), access("w", 4, 8), access("r", 0, 4)};
  EXPECT_EQ(checker::check(said, {}), std::nullopt);
  checker::Statement other = said;
  other.claim = "injective";
  EXPECT_TRUE(checker::check(other, {}));
  other = said, other.buffers->resize(1);
  EXPECT_TRUE(checker::check(other, {})) << "one buffer";
  other = said, other.buffers->at(1).end = 4;
  EXPECT_TRUE(checker::check(other, {})) << "no byte";
  checker::Evidence more;
  more.lands = checker::Point{0};
  EXPECT_TRUE(checker::check(said, more));

  said.verdict = "refuted", said.buffers = {access("w", 0, 4), access("w", 2, 6), access("r", 0, 4)};
  const auto shows = [&](checker::Point a, std::optional<checker::Point> b) {
    checker::Evidence evidence;
    evidence.witness = checker::Showing{std::move(a), std::move(b)};
    return !checker::check(said, evidence).has_value();
  };
  EXPECT_TRUE(shows({2}, checker::Point{1}));
  EXPECT_FALSE(shows({2}, {}));
  EXPECT_FALSE(shows({2}, checker::Point{3}));
  EXPECT_FALSE(shows({2}, checker::Point{-1}));
  EXPECT_FALSE(shows({2, 0}, checker::Point{1}));
  EXPECT_FALSE(shows({2}, checker::Point{}));
}

// Lists that are compared with lists, and long names, count as work.
TEST(CertificatesOfBuffers, OfManyAccessesEndByTheirWork) {
  checker::Statement said;
  said.claim = "disjoint", said.verdict = "proved", said.buffers.emplace();
  for (std::int64_t i = 0; i < 20'000; ++i) said.buffers->push_back(access("w", i, i + 1));
  for (std::int64_t i = 0; i < 20'000; ++i) said.buffers->push_back(access("r", 0, 20'000));
  EXPECT_TRUE(checker::check(said, {}));
  said.buffers->clear();
  for (int i = 0; i < 3'000; ++i) {
    said.buffers->push_back(access(i % 2 == 0 ? "w" : "r", 0, 1));
    said.buffers->back().space = std::string(6'000, 'x') + std::to_string(i);
  }
  EXPECT_TRUE(checker::check(said, {}));
}

}  // namespace checker_buffers_test
}  // namespace vl::programs
