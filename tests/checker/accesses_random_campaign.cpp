// Certificates for claims about random accesses: whatever the evidence says, the checker accepts no statement that
// counting word by word finds false.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/access_brute.h"
#include "tests/support/access_certificates.h"
#include "tests/support/property.h"

namespace vl {
namespace checker_accesses_random_campaign {

using engines::Reach;
using test::accesses::consecutive;
using test::accesses::evidence_of;
using test::accesses::Json;
using test::accesses::map_of;
using test::accesses::refusal;
using test::accesses::stated;

const int kRandomCases = 1000;

// Lane by lane, word by word.
struct Truth {
  bool outside = false;
  bool active = false;
  bool joined = false;  // an instance is a load whose lanes agree in pairs
  Index worst = 0;
  Index excess = 0;

  [[nodiscard]] bool says(const std::string& claim, const std::string& key, Index number) const {
    if (outside || !active) return false;
    if (key == "at_most") return excess <= number;
    if (claim == "conflict-free") return excess == 0;
    return (claim == "wavefronts" ? worst : excess) == number;
  }
};

bool meets(use::Comparison comparison, Index value) {
  switch (comparison) {
    case use::Comparison::AtMostZero: return value <= 0;
    case use::Comparison::IsZero: return value == 0;
    case use::Comparison::IsNotZero: return value != 0;
  }
  return false;
}

Truth truth_of(const Reach& reach) {
  Truth out;
  std::map<Point, std::map<Index, Index>> bytes;  // instance -> lane -> byte
  Point p(reach.bytes.domain().rank(), 0);
  do {
    auto& instance = bytes[Point(p.begin() + 1, p.end())];
    bool active = true;
    for (std::size_t i = 0; i < reach.conditions.size(); ++i)
      active = active && meets(reach.conditions[i], (*map::evaluate(*reach.when, p))[i]);
    if (!active) continue;
    out.active = true;
    out.outside = out.outside || !reach.logical.contains(*map::evaluate(reach.coordinates, p));
    instance[p[0]] = (*map::evaluate(reach.bytes, p))[0];
  } while (map::advance(reach.bytes.domain(), p));
  for (const auto& [instance, lanes] : bytes) {
    const auto distances = reach.pairs ? reach.pairs->distances : std::vector<Index>{};
    const auto phases = test::brute_load_phases(distances, reach.phases, lanes);
    out.joined = out.joined || phases != reach.phases;
    const test::BruteCost cost = test::brute_cost(reach, phases, reach.width, lanes);
    out.worst = std::max(out.worst, cost.wavefronts);
    out.excess = std::max(out.excess, cost.wavefronts - cost.ideal);
  }
  return out;
}

class Random {
 public:
  explicit Random(test::Engine engine) : engine_(std::move(engine)) {}
  Index below(Index n) { return test::roll(engine_, 0, n - 1); }
  bool one_in(Index n) { return below(n) == 0; }
  Index of(std::initializer_list<Index> values) { return test::one_of(engine_, values); }
  std::size_t at(std::size_t n) { return static_cast<std::size_t>(engine_.below(n)); }

  Index factor() { return one_in(5) ? below(50) - 10 : of({0, 1, 2, 4, 8, 16, 32, 64, 128, 256}); }
  std::string sum(std::size_t inputs) {
    std::string out = fmt::format("{}", one_in(3) ? below(40) : 0);
    for (std::size_t i = 0; i < inputs; ++i)
      if (const Index by = factor(); by != 0) out += fmt::format(" {} {}*x{}", by < 0 ? "-" : "+", std::abs(by), i);
    return out;
  }

  /// Weights, sometimes a split, sometimes a swizzle.
  std::optional<map::Map> bytes(const std::string& domain, std::size_t inputs) {
    std::string text = fmt::format("{} -> affine({})", domain, sum(inputs));
    const char* way = one_in(3) ? "up" : "down";
    if (one_in(3))
      text +=
          fmt::format(" -> split(0; {}, 1) -> affine({}*x0 + {}*x1)", of({2, 3, 4, 16}), factor() + 10, of({1, 2, 4}));
    if (one_in(3)) text += fmt::format(" -> swizzle(0; {}, {}, {}, {})", below(5), below(4), 1 + below(4), way);
    auto out = map::parse(text);
    if (!out) return std::nullopt;
    return std::move(*out);
  }

  /// Lanes 2i and 2i + 1, or lanes 4i + j and 4i + j + 2, name one byte; at times only while a variable is 0.
  std::optional<map::Map> bytes_in_pairs(const std::string& domain, std::size_t inputs) {
    const bool next = one_in(2);
    const Index spoilt = one_in(3) ? of({2, 4, 64}) : 0;
    std::string text = fmt::format("{} -> affine(x0, {})", domain, inputs > 1 ? fmt::format("{}*x1", factor()) : "0");
    text +=
        next ? fmt::format(" -> split(0; 2, 1) -> affine({}*x0 + {}*x1 + x2)", factor(), spoilt)
             : fmt::format(" -> split(0; 4, 2, 1) -> affine({}*x0 + {}*x1 + {}*x2 + x3)", factor(), spoilt, factor());
    if (one_in(3)) text += fmt::format(" -> swizzle(0; {}, {}, {}, down)", below(5), below(4), 1 + below(4));
    auto out = map::parse(text);
    if (!out) return std::nullopt;
    return std::move(*out);
  }

  std::optional<Reach> reach() {
    const Index lanes = of({1, 4, 5, 8, 8});
    std::string domain = fmt::format("(lane:{}", lanes);
    std::size_t inputs = 1;
    for (; one_in(4) ? false : inputs < 3; ++inputs) domain += fmt::format(", v{}:{}", inputs, of({1, 2, 3, 4, 4, 6}));
    domain += ")";
    auto byte = bytes(domain, inputs);
    if (!byte) return std::nullopt;
    std::string at;
    for (std::size_t i = 0; i < inputs; ++i) at += fmt::format("{}x{}", i == 0 ? "" : " + ", i);
    Reach out{std::move(*byte),
              map_of(fmt::format("{} -> affine({})", domain, at)),
              {},
              {},
              {},
              of({1, 2, 4, 4, 8, 16}),
              consecutive(lanes, of({lanes, 4, 2})),
              of({32, 8, 4, 2, 6}),
              of({4, 4, 8, 3}),
              !one_in(4),
              {},
              {}};
    if (lanes == 8 && one_in(2)) {  // a load, of lanes that agree in pairs at times
      out.phases = consecutive(lanes, 4);
      out.pairs = question::Pairs{one_in(2) ? std::vector<Index>{1, 2} : std::vector<Index>{1}, consecutive(lanes, 8)};
      if (auto agreeing = bytes_in_pairs(domain, inputs); agreeing && !one_in(3)) out.bytes = std::move(*agreeing);
    }
    out.logical = *map::Space::create({{"x", one_in(8) ? 1 + below(18) : 18}});
    if (one_in(3)) {
      const std::string other = one_in(3) ? fmt::format("x{}", inputs - 1) : "x0 - 1";
      out.when = map_of(fmt::format("{} -> affine(x0 - {}, {})", domain, below(6), other));
      for (int i = 0; i < 2; ++i) out.conditions.push_back(static_cast<use::Comparison>(below(3)));
    }
    return out;
  }

  /// The same with one thing changed.
  Reach mutant(Reach reach) {
    switch (below(6)) {
      case 0: reach.banks = of({2, 4, 5, 16}); break;
      case 1: reach.width = of({1, 2, 4, 16}); break;
      case 2: reach.bytes_per_bank = of({2, 4, 16}); break;
      case 3: reach.broadcasts = !reach.broadcasts; break;
      case 4:
        reach.logical = *map::Space::create({{"x", std::max(Index{0}, reach.logical.extent(0) - 1 - below(12))}});
        break;
      default: {
        std::vector<map::Stage> stages = reach.bytes.stages();
        auto& row = std::get<map::Affine>(stages[0]).rows[0];
        if (!row.terms.empty()) row.terms[at(row.terms.size())].coefficient += 1 + below(4);
        if (auto changed = map::Map::create(reach.bytes.domain(), std::move(stages))) reach.bytes = std::move(*changed);
      }
    }
    return reach;
  }

 private:
  test::Engine engine_;
};

/// Every choice of free variables.
std::vector<Json> evidences(std::size_t rank) {
  std::vector<Json> out;
  for (std::size_t chosen = 0; chosen < std::size_t{1} << (rank - 1); ++chosen) {
    std::vector<bool> free(rank, false);
    for (std::size_t i = 1; i < rank; ++i) free[i] = (chosen >> (i - 1) & 1) != 0;
    out.push_back(evidence_of(free));
  }
  return out;
}

struct Said {
  std::string claim, key;
  Index number = 0;
};

// What is true of it, and what misses by one.
std::vector<Said> sayings(const Truth& truth) {
  std::vector<Said> out{{"conflict-free", "", 0}};
  for (const Index off : {-1, 0, 1}) {
    out.push_back({"wavefronts", "value", truth.worst + off});
    out.push_back({"conflicts", "value", truth.excess + off});
    out.push_back({"conflicts", "at_most", truth.excess + off});
  }
  return out;
}

struct Tally {
  int accepted = 0, refused_true = 0, refused_false = 0;
};

TEST(AccessCertificates, AreAcceptedOnlyWhereCountingWordByWordSaysTheSame) {
  std::map<std::string, Tally> tallies;
  int judged = 0, true_of_mutants = 0, joined = 0;
  test::for_all(kRandomCases, [&] {
    Random random(*test::engines());
    std::optional<Reach> reach;
    while (!reach) reach = random.reach();
    ++judged;
    const Reach mutant = random.mutant(*reach);
    const Truth truth = truth_of(*reach), changed = truth_of(mutant);
    joined += truth.joined ? 1 : 0;
    for (const Said& said : sayings(truth)) {
      if (random.one_in(2)) continue;
      const Json statement = stated(*reach, said.key, said.number), other = stated(mutant, said.key, said.number);
      for (const Json& evidence : evidences(reach->bytes.domain().rank())) {
        const bool holds = truth.says(said.claim, said.key, said.number);
        const bool accepted = refusal(said.claim, statement, evidence).empty();
        const bool nothing_free = evidence == evidence_of(std::vector<bool>(evidence["free"].size(), false));
        if (accepted != holds) RC_LOG() << statement << " " << evidence << " " << said.claim << "\n";
        RC_ASSERT((holds || !accepted));
        RC_ASSERT((!nothing_free || accepted == holds));
        Tally& tally = tallies[nothing_free ? "all walked" : "some free"];
        ++(accepted ? tally.accepted : holds ? tally.refused_true : tally.refused_false);
        if (!refusal(said.claim, other, evidence).empty()) continue;
        const bool true_of_mutant = changed.says(said.claim, said.key, said.number);
        if (!true_of_mutant) RC_LOG() << other << " " << evidence << " " << said.claim;
        RC_ASSERT(true_of_mutant);
        ++true_of_mutants;
      }
    }
  });
  for (const auto& [kind, tally] : tallies)
    fmt::print("{}: {} accepted, all true; refused: {} false, {} true\n", kind, tally.accepted, tally.refused_false,
               tally.refused_true);
  fmt::print("{} accesses; {} of their certificates hold of the mutant as well, and it is true of it\n", judged,
             true_of_mutants);
  EXPECT_GE(tallies["all walked"].accepted, kRandomCases);
  EXPECT_GE(tallies["some free"].accepted, kRandomCases / 4);
  EXPECT_GE(joined, kRandomCases / 20);
}

}  // namespace checker_accesses_random_campaign
}  // namespace vl
