// The portfolio: the order of engines, and that layouts of any size get the verdicts of their small twins.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "tests/support/answers.h"
#include "tests/support/shard.h"
#include "tests/support/spyre_brute.h"
#include "tests/support/spyre_random.h"
#include "verifier/claims/claim.h"

namespace vl::engines {
namespace engines_portfolio_campaign {

constexpr std::array kKinds = {Kind::Escapes, Kind::Lands,  Kind::Collides, Kind::Misdecodes,
                               Kind::Misses,  Kind::Breaks, Kind::Count};

const spyre::DeviceFormat kFp16{"SEN169_FP16", 64};

using test::raw_layout;

map::Tensor tensor(std::vector<Index> size) {
  map::Tensor out;
  out.size = std::move(size);
  return out;
}

map::Layout lowered(const spyre::SpyreTensorLayout& layout, const map::Tensor& of) {
  auto out = spyre::lower(layout, of);
  VL_CHECK(out.has_value(), "a layout of the test");
  return std::move(*out);
}

spyre::SpyreTensorLayout default_layout(const std::vector<Index>& size) {
  std::vector<Index> order(size.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  auto layout = spyre::construct(size, *map::dense_strides(size), kFp16, order);
  VL_CHECK(layout.has_value(), "a constructed layout");
  return std::move(*layout);
}

TEST(Portfolio, AnswersTheDocumentsLayoutInClosedForm) {
  const map::Layout layout = lowered(raw_layout({100, 3, 5, 64}, {150, 64, 15000, 1}), tensor({5, 100, 150}));
  for (const Kind kind : kKinds) {
    const Decision decision = decide({kind, &layout, nullptr}, {});
    EXPECT_EQ(decision.engine, "strided") << question::name(kind);
    EXPECT_EQ(decision.attempts.size(), 1U);
    EXPECT_FALSE(decision.disagreement);
  }
  EXPECT_EQ(std::get<Counted>(decide({Kind::Count, &layout, nullptr}, {}).answer).count, 75000);
}

TEST(Portfolio, NeverWalksBeyond2To28) {
  const std::vector<Index> size{4096, 100000, 151};
  const map::Layout layout = lowered(default_layout(size), tensor(size));
  ASSERT_GT(layout.domain().volume(), 10'000'000'000);
  Options options;
  options.only = "enumerate";
  for (const Kind kind : kKinds) {
    const Decision decision = decide({kind, &layout, nullptr}, options);
    ASSERT_TRUE(std::holds_alternative<Abstained>(decision.answer)) << question::name(kind);
    EXPECT_EQ(std::get<Abstained>(decision.answer).reason, Reason::OutOfReach);
    EXPECT_EQ(decision.engine, "enumerate");
  }
}

// Several engines give up for several reasons: the one that more time may help is named, whoever comes after it.
TEST(Portfolio, NamesTheBudgetThatRanOut) {
  const map::Layout layout = lowered(raw_layout({100, 3, 5, 64}, {150, 64, 15000, 1}), tensor({5, 100, 150}));
  std::vector<Engine> instead;
  for (const Engine& engine : engines())
    instead.push_back(
        {engine.name, engine.fragment, [](const Query&, const Options&) -> Answer { return abstain("no"); }});
  for (Engine& engine : instead)
    if (engine.name == "presburger")
      engine.decide = [](const Query&, const Options&) -> Answer { return Abstained{Reason::Timeout, "time"}; };
  Options options;
  options.instead = instead;
  const Decision decision = decide({Kind::Count, &layout, nullptr}, options);
  ASSERT_TRUE(std::holds_alternative<Abstained>(decision.answer));
  EXPECT_EQ(std::get<Abstained>(decision.answer).reason, Reason::Timeout);
  EXPECT_EQ(decision.engine, "presburger");
  EXPECT_EQ(decision.attempts.size(), instead.size());
}

struct Verdicts {
  std::vector<std::string> words;
  std::vector<std::string> engines;
  std::optional<Index> padding;
};

// The default claims but well-formed, each decided; refutations replayed from the counterexample that is printed.
Verdicts verdicts_of(const map::Layout& layout) {
  Verdicts out;
  for (const char* name : {"in-bounds", "injective", "bijective", "offset-identity", "padding"}) {
    const claims::Judged answer = claims::decide(*claims::find_claim(name), claims::OneLayout{layout}, {});
    out.words.emplace_back(question::word(answer.verdict));
    if (const auto* proved = std::get_if<question::Proved>(&answer.verdict)) {
      out.engines.push_back(proved->engine);
      if (proved->value) out.padding = proved->value;
    } else if (const auto* refuted = std::get_if<question::Refuted>(&answer.verdict)) {
      out.engines.push_back(refuted->engine);
      const auto& fields = refuted->counterexample.fields;
      const Point a = std::get<Point>(fields.at(0).second);
      question::Witness witness{a, {}, {}};
      const bool two = fields.at(1).first == "b";
      if (two) witness.q = std::get<Point>(fields[1].second);
      EXPECT_TRUE(question::replay({two ? Kind::Collides : Kind::Escapes, &layout, nullptr}, witness)) << name;
    } else {
      ADD_FAILURE() << name << " is not decided: " << std::get<question::Unknown>(answer.verdict).detail;
    }
  }
  return out;
}

struct Twins {
  std::string name;
  std::vector<Index> big, small;
};

TEST(Portfolio, GivesLayoutsOf10To10ElementsTheVerdictsOfTheirSmallTwins) {
  const std::vector<Twins> pairs = {
      {"rank 3", {4096, 100000, 151}, {4, 10, 151}},
      {"rank 2", {10'000'000, 4100}, {10, 68}},
      {"rank 4", {64, 4096, 512, 130}, {3, 4, 2, 130}},
      {"a multiple of the stick", {1'000'000, 128, 128}, {3, 2, 128}},
  };
  Index decided = 0;
  Index refuted = 0;
  for (const Twins& twins : pairs) {
    const auto big = default_layout(twins.big);
    const auto small = default_layout(twins.small);
    ASSERT_GE(test::product(twins.big), 10'000'000'000) << twins.name;
    // As constructed, then with each device dim one too small, then with each host extent one too large.
    const auto compare = [&](const map::Layout& a, const map::Layout& b, const std::string& what, bool good) {
      const Verdicts large = verdicts_of(a);
      const Verdicts little = verdicts_of(b);
      EXPECT_EQ(large.words, little.words) << twins.name << ", " << what;
      EXPECT_EQ(large.words[0], good ? "proved" : "refuted") << twins.name << ", " << what;
      EXPECT_EQ(large.words[1], "proved");
      EXPECT_EQ(large.words[2], good ? "proved" : "refuted") << twins.name << ", " << what;
      for (const std::string& engine : large.engines) EXPECT_EQ(engine.find("enumerate"), std::string::npos) << engine;
      EXPECT_TRUE(!good || large.padding == a.physical().volume() - a.logical().volume()) << twins.name;
      decided += static_cast<Index>(large.words.size());
      refuted += std::ranges::count(large.words, "refuted");
    };
    compare(lowered(big, tensor(twins.big)), lowered(small, tensor(twins.small)), "as constructed", true);
    for (std::size_t j = 0; j < big.device_size.size(); ++j) {
      auto bad_big = big;
      auto bad_small = small;
      --bad_big.device_size[j];
      --bad_small.device_size[j];
      compare(lowered(bad_big, tensor(twins.big)), lowered(bad_small, tensor(twins.small)),
              fmt::format("device dim {}", j), false);
    }
  }
  EXPECT_EQ(decided, 5 * (4 + 4 + 3 + 5 + 4));
  EXPECT_EQ(refuted, 2 * (4 + 3 + 5 + 4));
}

// Weights 1200, 720, 64, 60 and 1 do not divide each other. Who is right is worked out slot by slot.
TEST(Portfolio, DecidesGreedyWeightsThatDoNotDivideEachOther) {
  const auto layout = raw_layout({2, 12, 1, 2, 64}, {720, 60, 64, 1200, 1});
  const map::Tensor host = tensor({40, 60});
  const test::Truth truth = test::truth_of(layout, host, {60, 1});
  EXPECT_FALSE(truth.escapes.has_value());
  EXPECT_FALSE(truth.collides.has_value());
  EXPECT_EQ(truth.occupied, 2400);
  EXPECT_TRUE(truth.bijective());
  const map::Layout map = lowered(layout, host);
  Index decided = 0;
  for (const Engine& engine : engines())
    for (const Kind kind : {Kind::Escapes, Kind::Collides, Kind::Misdecodes, Kind::Misses, Kind::Count}) {
      if (engine.name == "gf2" || engine.name == "linear" || engine.name == "sums") continue;
      if (engine.name == "propositional" && (kind == Kind::Misses || kind == Kind::Count)) continue;
      const Answer answer = engine.decide({kind, &map, nullptr}, {});
      EXPECT_EQ(test::judge(truth, kind, answer), test::Said::Right)
          << engine.name << ", " << question::name(kind) << ": " << test::describe(answer);
      ++decided;
    }
  EXPECT_EQ(decided, 23);
}

// One stick too few: element [0, 128] of 150 columns has no slot.
TEST(Portfolio, SeesThatTwoEnginesDecideDifferently) {
  const map::Layout layout = lowered(raw_layout({2, 5, 64}, {64, 150, 1}), tensor({5, 150}));
  constexpr Engine kLiar{"liar", "", [](const Query&, const Options&) -> Answer { return None{}; }};
  constexpr Engine kMiscounter{"miscounter", "", [](const Query&, const Options&) -> Answer { return Counted{639}; }};
  constexpr Engine kSilent{"silent", "", [](const Query&, const Options&) -> Answer { return Abstained{}; }};
  constexpr Engine kHonest{"enumerate", "", decide_enumerate};
  const Question escapes{Kind::Escapes, &layout, nullptr};
  const Question occupied{Kind::Count, &layout, nullptr};
  for (const auto& panel : {std::array{kLiar, kHonest}, std::array{kHonest, kLiar}})
    EXPECT_TRUE(cross_examine(escapes, {}, panel).disagreement);
  EXPECT_TRUE(cross_examine(occupied, {}, std::array{kHonest, kMiscounter}).disagreement);
  for (const auto& panel : {std::array{kSilent, kHonest}, std::array{kHonest, kSilent}}) {
    const Decision decision = cross_examine(escapes, {}, panel);
    EXPECT_FALSE(decision.disagreement);
    EXPECT_EQ(decision.engine, "enumerate");
    EXPECT_EQ(std::get<Found>(decision.answer).witness.p, (Point{0, 128}));
  }
  EXPECT_TRUE(std::holds_alternative<Abstained>(cross_examine(escapes, {}, std::array{kSilent, kSilent}).answer));
}

// Honest engines never disagree, all of them are asked, and the smallest witness wins.
TEST(Portfolio, CrossCheckAsksEverybodyAndNobodyDisagrees) {
  test::RandomSpyre random(20261121);
  Options options;
  options.cross_check = true;
  Index questions = 0;
  Index found = 0;
  std::map<std::string_view, Index> decided;
  const Index cases = test::cases(64, 200);
  for (Index n = 0; n < cases; ++n) {
    const bool everybody = n % 16 == 0;  // second opinions are dear
    const test::RandomCase made = random.next(24);
    const map::Layout layout = lowered(made.layout, made.tensor);
    const test::Truth truth = test::truth_of(made.layout, made.tensor, made.strides);
    for (const Kind kind : {Kind::Escapes, Kind::Collides, Kind::Misses, Kind::Count}) {
      const Question question{kind, &layout, nullptr};
      const Decision decision = everybody ? decide(question, options) : cross_examine(question, options, engines());
      EXPECT_FALSE(decision.disagreement) << made.show();
      ASSERT_EQ(decision.attempts.size(), everybody ? 10U : 8U);
      EXPECT_EQ(test::judge(truth, kind, decision.answer), test::Said::Right) << made.show();
      for (const Attempt& attempt : decision.attempts)
        decided[attempt.engine] += attempt.said.find("abstains") == std::string::npos ? 1 : 0;
      if (const auto* witness = std::get_if<Found>(&decision.answer)) {
        ++found;
        EXPECT_TRUE(witness->minimal) << made.show();
      }
      ++questions;
    }
  }
  EXPECT_GE(questions, 4 * cases);
  EXPECT_EQ(decided["enumerate"], questions);
  EXPECT_GT(decided["strided"], questions * 7 / 10);
  EXPECT_GT(decided["presburger"], questions / 2);
  EXPECT_GT(decided["smt"], questions / 2);
  EXPECT_GT(decided["smt-2"], questions / 40);
  EXPECT_EQ(decided["smt-2"], decided["cvc5"]);
  EXPECT_GT(found, questions / 4);
}

}  // namespace engines_portfolio_campaign
}  // namespace vl::engines
