// Certificates for claims about accesses: every proved claim of the corpus gets one that the checker accepts. For any
// evidence, the checker accepts no statement that a count word by word finds false.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "encodings/map/text.h"
#include "tests/support/access_brute.h"
#include "verifier/checker/accesses.h"
#include "verifier/claims/proofs/certify_accesses.h"
#include "verifier/session/comparison.h"

namespace vl {
namespace checker_accesses_test {

using engines::Reach;
using Json = nlohmann::json;
namespace checker = checker;

const int kRandomCases = 1000;

/// Why the certificate is refused; empty if it is accepted.
std::string refusal(const std::string& claim, const Json& statement, const Json& evidence) {
  try {
    checker::Fields said(statement), given(evidence);
    checker::check_access(claim, said, given);
    said.end();
    given.end();
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

Json stated(const Reach& reach, const std::string& key = {}, Index number = 0) {
  Json out{{"access", claims::access_statement(reach)}};
  if (!key.empty()) out[key] = number;
  return out;
}

Json evidence_of(const std::string& form, const std::vector<bool>& free) { return {{"form", form}, {"free", free}}; }

map::Map map_of(const std::string& text) {
  auto out = map::parse(text);
  EXPECT_TRUE(out.has_value()) << text << ": " << (out ? "" : out.error().message);
  return std::move(*out);
}

std::vector<std::vector<Index>> consecutive(Index lanes, Index phase) {
  std::vector<std::vector<Index>> out;
  for (Index lane = 0; lane < lanes; ++lane) {
    if (lane % phase == 0) out.emplace_back();
    out.back().push_back(lane);
  }
  return out;
}

Reach reach_of(const std::string& bytes, const std::string& coordinates, const std::vector<Index>& logical,
               Index width) {
  map::Map byte = map_of(bytes);
  auto phases = consecutive(byte.domain().extent(0), byte.domain().extent(0));
  return {std::move(byte),
          map_of(coordinates),
          *map::Space::create(map::Space::dims("x", logical)),
          {},
          {},
          width,
          std::move(phases),
          32,
          4,
          true,
          {},
          {}};
}

TEST(AccessCertificates, CoverEveryProvedClaimOfTheCorpus) {
  std::map<std::string, int> by_claim, by_form;
  int refuted = 0;
  for (const std::string& file : session::case_files(VL_SOURCE_DIR "/corpus")) {
    const auto cases = session::read_cases(file);
    for (const session::CaseRequest& request : std::get<std::vector<session::CaseRequest>>(cases))
      for (const session::ClaimRequest& asked : request.claims) {
        if (!claims::is_about<claims::Accessed>(*asked.claim) || request.expect_invalid) continue;
        const auto read = session::read_subject(request);
        const auto& subject = std::get<session::Subject>(read);
        const auto compared = session::comparison_of(asked, request, subject, {});
        const claims::Accessed about{*std::get<session::Comparison>(compared).reach, asked.at_most};
        const claims::Answer answer = claims::decide(*asked.claim, about, {});
        const auto* proved = std::get_if<question::Proved>(&answer.verdict);
        if (proved == nullptr) {
          ++refuted;
          continue;
        }
        const std::string name(asked.claim->name);
        const std::string key = asked.at_most ? "at_most" : proved->value ? "value" : "";
        const Json statement = stated(about.reach, key, asked.at_most ? *asked.at_most : proved->value.value_or(0));
        std::string form;
        for (const Json& evidence : claims::access_evidence(statement["access"]))
          if (form.empty() && refusal(name, statement, evidence).empty()) form = evidence["form"];
        EXPECT_FALSE(form.empty()) << *request.id << " " << name;
        ++by_claim[asked.at_most ? name + " with a limit" : name];
        ++by_form[form];
      }
  }
  int total = 0;
  for (const auto& [name, count] : by_claim) {
    fmt::print("{}: {} certificates\n", name, count);
    total += count;
  }
  for (const auto& [name, count] : by_form) fmt::print("{}: {}\n", name, count);
  fmt::print("{} certificates, {} claims not proved\n", total, refuted);
  EXPECT_GE(total, 417);
  EXPECT_GE(by_claim["wavefronts"], 340);
  EXPECT_GE(by_claim["conflict-free"], 55);
  EXPECT_GE(by_form["gf2"], 15);
}

// 2^30 tiles of 8 rows of 128 bytes: one column of 16 bytes of each, the lane's number xored into the column's.
Reach tiles() {
  return reach_of("(lane:8, t:1073741824, j:8) -> affine(1024*x1 + 128*x0 + 16*x2) -> swizzle(0; 4, 3, 3, down)",
                  "(lane:8, t:1073741824, j:8) -> affine(x0 + 8*x1, 8*x2)", {Index{1} << 33, 64}, 16);
}

TEST(AccessCertificates, OfExclusiveOrsDoNotDependOnHowManyInstancesThereAre) {
  const auto evidence = claims::access_evidence(claims::access_statement(tiles()));
  ASSERT_EQ(evidence.size(), 1U);
  EXPECT_EQ(evidence[0], evidence_of("gf2", {false, true, true}));
  EXPECT_EQ(refusal("wavefronts", stated(tiles(), "value", 1), evidence[0]), "");
  EXPECT_EQ(refusal("conflict-free", stated(tiles()), evidence[0]), "");
  for (const Index wrong : {0, 2}) EXPECT_NE(refusal("wavefronts", stated(tiles(), "value", wrong), evidence[0]), "");
  EXPECT_NE(refusal("conflicts", stated(tiles(), "value", 1), evidence[0]), "");
  EXPECT_NE(refusal("conflict-free", stated(tiles(), "value", 0), evidence[0]), "");  // nothing takes the value
}

// Rows of 100 words: 4 banks apart. Rows of 96 words: all in one bank.
TEST(AccessCertificates, OfLinearFormsDoNotDependOnHowManyInstancesThereAre) {
  for (const auto& [pitch, wavefronts] : std::map<Index, Index>{{400, 1}, {384, 8}}) {
    const std::string domain = "(lane:8, t:3000000000, j:24) -> ";
    const Reach reach = reach_of(fmt::format("{}affine({}*x0 + {}*x1 + 16*x2)", domain, pitch, 8 * pitch),
                                 domain + "affine(x0 + 8*x1, 4*x2)", {Index{24'000'000'000}, 100}, 4);
    const auto evidence = claims::access_evidence(claims::access_statement(reach));
    ASSERT_EQ(evidence.size(), 1U);
    EXPECT_EQ(evidence[0], evidence_of("digits", {false, true, true}));
    EXPECT_EQ(refusal("wavefronts", stated(reach, "value", wavefronts), evidence[0]), "");
    EXPECT_NE(refusal("wavefronts", stated(reach, "value", wavefronts + 1), evidence[0]), "");
    EXPECT_NE(refusal("conflicts", stated(reach, "at_most", wavefronts - 2), evidence[0]), "");
  }
}

// Column j starts at byte j of a row: words are shared by 4 columns, so that j is walked over and the row is free.
TEST(AccessCertificates, WalkOverTheVariablesThatMatter) {
  const std::string domain = "(lane:8, row:1000000007, j:96) -> ";
  const Reach reach =
      reach_of(domain + "affine(x0 + 100*x1 + x2)", domain + "affine(x1, x0 + x2)", {1'000'000'007, 104}, 2);
  const auto evidence = claims::access_evidence(claims::access_statement(reach));
  ASSERT_EQ(evidence.size(), 1U);
  EXPECT_EQ(evidence[0], evidence_of("digits", {false, true, false}));
  EXPECT_EQ(refusal("wavefronts", stated(reach, "value", 1), evidence[0]), "");
}

TEST(AccessCertificates, SayNothingOfAccessesThatLeaveTheTensorOrAreNeverActive) {
  Reach reach = tiles();
  const Json evidence = evidence_of("gf2", {false, true, true});
  reach.logical = *map::Space::create(map::Space::dims("x", std::vector<Index>{(Index{1} << 33) - 1, 64}));
  EXPECT_EQ(refusal("conflict-free", stated(reach), evidence), "a lane outside of the tensor");
  reach.when = map_of("(lane:8, t:1073741824, j:8) -> affine(x0 - 6)");
  reach.conditions = {use::Comparison::AtMostZero};
  EXPECT_EQ(refusal("conflict-free", stated(reach), evidence), "");
  reach.when = map_of("(lane:8, t:1073741824, j:8) -> affine(x0 + 1)");
  EXPECT_EQ(refusal("conflict-free", stated(reach), evidence), "the claim says nothing: no lane is ever active");
  reach.when = map_of("(lane:8, t:1073741824, j:8) -> affine(x0 - x1)");
  EXPECT_EQ(refusal("conflict-free", stated(reach), evidence), "a lane that is active at times");
}

// Lane by lane, word by word.
struct Truth {
  bool outside = false;
  bool active = false;
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
  use::Hardware chip;
  chip.banks = reach.banks;
  chip.bytes_per_bank = reach.bytes_per_bank;
  chip.broadcasts = reach.broadcasts;
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
    instance[p[0]] =
        (*map::evaluate(reach.bytes, p))[0] + (Index{1} << 20) * reach.banks * reach.bytes_per_bank;  // no sign
  } while (map::advance(reach.bytes.domain(), p));
  for (const auto& [instance, lanes] : bytes) {
    const test::BruteCost cost = test::brute_cost(chip, reach.phases, reach.width, lanes);
    out.worst = std::max(out.worst, cost.wavefronts);
    out.excess = std::max(out.excess, cost.wavefronts - cost.ideal);
  }
  return out;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  Index below(Index n) { return static_cast<Index>(engine_() % static_cast<std::uint64_t>(n)); }
  bool one_in(Index n) { return below(n) == 0; }
  Index of(const std::vector<Index>& values) { return values[at(values.size())]; }
  std::size_t at(std::size_t n) { return static_cast<std::size_t>(below(static_cast<Index>(n))); }

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
  std::mt19937_64 engine_;
};

/// Every form with every choice of free variables.
std::vector<Json> evidences(std::size_t rank) {
  std::vector<Json> out;
  for (std::size_t chosen = 0; chosen < std::size_t{1} << (rank - 1); ++chosen)
    for (const char* form : {"gf2", "digits", "exhaustion"}) {
      std::vector<bool> free(rank, false);
      for (std::size_t i = 1; i < rank; ++i) free[i] = (chosen >> (i - 1) & 1) != 0;
      out.push_back(evidence_of(form, free));
    }
  return out;
}

struct Said {
  std::string claim, key;
  Index number = 0;
};

// The true numbers, and numbers that differ by one.
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
  Random random(20261121);
  std::map<std::string, Tally> tallies;
  int judged = 0, true_of_mutants = 0;
  for (int n = 0; n < kRandomCases || judged < kRandomCases; ++n) {
    const auto reach = random.reach();
    if (!reach) continue;
    ++judged;
    const Reach mutant = random.mutant(*reach);
    const Truth truth = truth_of(*reach), changed = truth_of(mutant);
    for (const Said& said : sayings(truth)) {
      if (random.one_in(2)) continue;
      const Json statement = stated(*reach, said.key, said.number), other = stated(mutant, said.key, said.number);
      for (const Json& evidence : evidences(reach->bytes.domain().rank())) {
        const bool holds = truth.says(said.claim, said.key, said.number);
        const bool accepted = refusal(said.claim, statement, evidence).empty();
        const std::vector<bool> none(evidence["free"].size(), false);
        const bool nothing_free = evidence == evidence_of("exhaustion", none);
        ASSERT_TRUE(holds || !accepted) << statement << " " << evidence << " " << said.claim;
        ASSERT_TRUE(!nothing_free || accepted == holds) << statement << " " << said.claim;
        Tally& tally = tallies[evidence["form"]];
        ++(accepted ? tally.accepted : holds ? tally.refused_true : tally.refused_false);
        if (!refusal(said.claim, other, evidence).empty()) continue;
        ASSERT_TRUE(changed.says(said.claim, said.key, said.number)) << other << " " << evidence << " " << said.claim;
        ++true_of_mutants;
      }
    }
  }
  for (const auto& [form, tally] : tallies)
    fmt::print("{}: {} accepted, all true; refused: {} false, {} true\n", form, tally.accepted, tally.refused_false,
               tally.refused_true);
  fmt::print("{} accesses; {} of their certificates hold of the mutant as well, and it is true of it\n", judged,
             true_of_mutants);
  EXPECT_GE(tallies["exhaustion"].accepted, kRandomCases);
  EXPECT_GE(tallies["gf2"].accepted, kRandomCases / 4);
  EXPECT_GE(tallies["digits"].accepted, kRandomCases / 4);
}

TEST(AccessCertificates, WithAFieldMissingAddedOrOfAnotherKindAreRefused) {
  const Json statement = stated(tiles(), "value", 1), evidence = evidence_of("gf2", {false, true, true});
  ASSERT_EQ(refusal("wavefronts", statement, evidence), "");
  int refused = 0;
  const auto expect_refused = [&](const Json& said, const Json& given, const std::string& what) {
    EXPECT_NE(refusal("wavefronts", said, given), "") << what;
    ++refused;
  };
  for (const auto& [name, value] : statement["access"].items()) {
    Json changed = statement;
    changed["access"].erase(name);
    expect_refused(changed, evidence, name + " missing");
    for (const Json& other : {Json(nullptr), Json("x"), Json(-1), Json::object(), Json({{0}}), Json({true})}) {
      changed["access"][name] = other;
      expect_refused(changed, evidence, name + " = " + other.dump());
    }
  }
  Json more = statement;
  more["access"]["name"] = "x";
  expect_refused(more, evidence, "a field more");
  for (const char* text : {"[[0,1,2,3,4,5,6]]", "[[0,1,2,3,4,5,6,6]]", "[[0,1,2,3,4,5,6,8]]", "[[0,1,2,3,4,5,6,7.0]]",
                           "[[0,1,2,3,4,5,6,7],[0]]", "[]"}) {
    const Json phases = Json::parse(text);
    Json changed = statement;
    changed["access"]["phases"] = phases;
    expect_refused(changed, evidence, phases.dump());
  }
  for (const char* text :
       {R"({"form":"gf2","free":[true,true,true]})", R"({"form":"gf2","free":[false,true]})",
        R"({"form":"digits","free":[false,true,true]})", R"({"form":"gf2","free":[false,false,true]})",
        R"({"form":"exhaustion","free":[false,true,true]})", R"({"form":"gf2","free":[0,1,1]})",
        R"({"form":"exhaustion","free":[false,false,false]})", R"({"form":"gf2","free":"all"})",
        R"({"form":"none","free":[false,true,true]})", R"({"form":"gf2"})", "{}", "null",
        R"({"form":"gf2","free":[false,true,true],"more":1})"})
    expect_refused(statement, Json::parse(text), text);
  for (const char* claim : {"conflict-free", "conflicts", "wavefronts of", ""})
    EXPECT_NE(refusal(claim, statement, evidence), "") << claim;
  EXPECT_EQ(refused, 10 * 7 + 1 + 6 + 13);
}

}  // namespace checker_accesses_test
}  // namespace vl
