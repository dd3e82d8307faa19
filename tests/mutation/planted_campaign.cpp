// A planted fault: an engine `strided` that never finds a counterexample and counts wrongly. In place of the real
// engine it makes refuted claims `proved`, all over the corpus. None of these may pass the certificate checker, neither
// with the evidence of the program nor with forged evidence.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "encodings/map/text.h"
#include "tests/support/corpus_claims.h"
#include "tests/support/shard.h"
#include "verifier/claims/proofs/certify.h"
#include "verifier/values_kernel/check.h"

namespace vl {
namespace mutation_planted_campaign {

using question::Kind;
using question::Proved;
using question::Refuted;
using question::Verdict;
using Json = nlohmann::json;

// The real engine decides whether any element has a slot: without a slot a claim is vacuous and has no certificate.
// The same lie about layouts, loop nests and accesses.
engines::Answer never(const engines::Query& query, const engines::Options& options) {
  if (query.kind() == Kind::Lands) return engines::find_engine("strided").decide(query, options);
  if (query.kind() != Kind::Count) return engines::None{};
  const auto* layouts = std::get_if<engines::Question>(&query.of);
  return engines::Counted{layouts == nullptr ? 1 : std::max<Index>(layouts->layout->physical().volume() / 2, 1)};
}

constexpr std::array kPlanted = {engines::Engine{"strided", "everything, and wrongly", never}};

engines::Options planted() {
  engines::Options options;
  options.instead = kPlanted;
  return options;
}

struct Tally {
  Index refuted = 0;       // claims of the corpus that are refuted, or measures
  Index fooled = 0;        // that the planted engine turns into a proof, or into another number
  Index contradicted = 0;  // noticed by the claim, before any certificate
  Index uncertified = 0;   // of these, no certificate was made
  Index forgeries = 0;     // certificates with forged evidence
  Index accepted = 0;      // by the checker
  std::map<std::string_view, Index> by_claim;
};

constexpr Index kMostWalked = Index{1} << 12;  // points over which the checker is sent by a forgery

// Evidence as a dishonest producer would write it: each way to close a cell for each question, with all steps that a
// peeling would need, in one cell, in blocks and in two cells.
std::vector<Json> forged(const Json& statement) {
  const map::Map map = *map::parse(statement.at("map").at("map").get<std::string>());
  const std::size_t rank = map.domain().rank();
  Json lands = Json::array();
  for (std::size_t i = 0; i < rank; ++i) lands.push_back(0);
  std::vector<Json> peelings{Json::array()};
  for (const char* reason : {"large", "mod"}) {
    Json steps = Json::array();
    for (std::size_t atom = 0; atom < rank; ++atom)
      for (std::size_t row = 0; row < map.outputs(); ++row) steps.push_back(Json::array({reason, row, atom}));
    peelings.push_back(std::move(steps));
  }
  std::vector<Json> parts;
  if (map.domain().volume() <= kMostWalked) parts.push_back(Json::parse(R"([["sweep"]])"));
  for (const Json& peeling : peelings)
    for (const char* last : {"in", "apart", "count", "reach", "back", "id", "eq", "sets"}) {
      Json steps = Json::array({Json::array({"run", 0})});
      if (statement.contains("other")) steps.push_back(Json::array({"run", 1}));
      steps.insert(steps.end(), peeling.begin(), peeling.end());
      steps.push_back(Json::array({last}));
      parts.push_back(steps);
    }
  for (const char* steps :
       {R"([["block",0,2],["run",0],["large",0,0],["apart"]])", R"([["fuse",0],["run",0],["large",0,0],["apart"]])",
        R"([["cut",0,1],["run",0],["large",0,0],["apart"],["run",0],["large",0,0],["apart"]])",
        R"([["cut",0,1],["run",0],["out",0],["run",0],["out",0]])"})
    parts.push_back(Json::parse(steps));
  const bool needs_slot = statement.at("claim") == "injective" || statement.at("claim") == "offset-identity";
  std::vector<Json> out = {Json::object()};
  for (const Json& part : parts)
    for (const char* field : {"escapes", "collides", "misdecodes", "breaks", "differs", "occupied", "filled"}) {
      Json one{{field, part}};
      if (needs_slot) one["lands"] = lands;
      out.push_back(std::move(one));
    }
  for (const Json& part : parts)  // of bijective
    out.push_back({{"escapes", part}, {"collides", part}, {"misdecodes", part}, {"filled", part}});
  return out;
}

bool same(const Verdict& a, const Verdict& b) {
  const auto* p = std::get_if<Proved>(&a);
  const auto* q = std::get_if<Proved>(&b);
  return question::word(a) == question::word(b) && (p == nullptr || p->value == q->value);
}

void attack(const test::CorpusClaim& claim, bool measures, Tally& tally) {
  const claims::Subject about = claim.about();
  const Verdict truth = claims::decide(claim.claim(), about, {}).verdict;
  if (!std::holds_alternative<Refuted>(truth) && !(measures && claim.claim().measures)) return;
  ++tally.refuted;
  Verdict lie;
  try {
    lie = claims::decide(claim.claim(), about, planted()).verdict;
  } catch (const InternalError&) {  // the lie contradicts a count: caught by the claim itself
    ++tally.contradicted;
    return;
  }
  if (!std::holds_alternative<Proved>(lie) || same(truth, lie)) return;
  ++tally.fooled;
  ++tally.by_claim[claim.claim().name];
  const auto statement =
      claims::statement_of(claim.claim(), about, lie, {claim.request.layout.text, claim.request.tensor.text, {}});
  const auto made = statement ? claims::certify(claim.claim(), *statement, lie) : std::nullopt;
  tally.uncertified += !made;
  EXPECT_FALSE(made) << *claim.request.id << " " << claim.claim().name << ": " << checker::write(*made).dump();
  const bool forge = test::is_campaign() || test::Shard{0, 4}.has(static_cast<std::uint64_t>(tally.fooled));
  if (!forge || !statement || !statement->map) return;
  const Json said = checker::write(*statement);
  Json certificate{{"schema", "verify-layout-certificate/2"}, {"statement", said}, {"digest", checker::digest(said)}};
  for (Json& evidence : forged(said)) {
    certificate["evidence"] = std::move(evidence);
    ++tally.forgeries;
    if (values_kernel::check(certificate)) continue;
    ++tally.accepted;
    ADD_FAILURE() << *claim.request.id << ": a false certificate is accepted: " << certificate.dump();
  }
}

TEST(PlantedEngine, IsCaughtByTheCheckerWheneverItLies) {
  const test::Shard shard = test::shard_of_about(2000, test::corpus().size());
  Tally tally;
  for (std::uint64_t number = 0; number < test::corpus().size(); ++number) {
    if (!shard.has(number)) continue;
    const test::ReadCase read = test::read_case(test::corpus()[number].request);
    const bool measures =
        test::is_campaign() || test::Shard{0, 16}.has(~number);  // every refuted claim, and some numbers
    for (const test::CorpusClaim& claim : read.claims) attack(claim, measures, tally);
  }
  fmt::print(
      "shard {}/{}: {} refuted or measured, {} lies ({} more contradict a count): {} without a certificate, {} "
      "forgeries, {} accepted\n",
      shard.index, shard.count, tally.refuted, tally.fooled, tally.contradicted, tally.uncertified, tally.forgeries,
      tally.accepted);
  for (const auto& [claim, times] : tally.by_claim) fmt::print("  {}: {}\n", claim, times);
  EXPECT_EQ(tally.uncertified, tally.fooled);
  EXPECT_EQ(tally.accepted, 0);
  EXPECT_GE(tally.fooled, tally.refuted / 4);
  EXPECT_GE(tally.forgeries, tally.fooled * 25);
}

// In the command's output a lie is never `checked`.
TEST(PlantedEngine, NeverGetsAProofPrintedAsChecked) {
  const test::Shard shard = test::shard_of_about(500, test::corpus().size());
  session::JudgeOptions honest;
  session::JudgeOptions lying;
  lying.engines = planted();
  Index lies = 0;
  for (std::uint64_t number = 0; number < test::corpus().size(); ++number) {
    if (!shard.has(number)) continue;
    const session::CaseRequest& request = test::corpus()[number].request;
    const question::Case right = session::judge(request, honest);
    question::Case wrong;
    try {
      wrong = session::judge(request, lying);
    } catch (const InternalError&) {  // the program reports it and ends with 70
      continue;
    }
    for (std::size_t k = 0; k < right.answers.size() && k < wrong.answers.size(); ++k) {
      const auto* proved = std::get_if<Proved>(&wrong.answers[k].verdict);
      if (proved == nullptr || same(right.answers[k].verdict, wrong.answers[k].verdict)) continue;
      ++lies;
      EXPECT_EQ(proved->trust, question::Trust::Trusted) << *request.id << " " << right.answers[k].claim;
    }
  }
  fmt::print("{} lies\n", lies);
  EXPECT_GE(lies, static_cast<Index>(test::corpus().size() / shard.count / 20));
}

}  // namespace mutation_planted_campaign
}  // namespace vl
