// Certificates of claims about loop nests. Every claim that the corpus proves has one. For a claim that does not hold,
// no candidate is accepted, and no changed one either.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "encodings/use/campaign.h"
#include "encodings/use/family.h"
#include "tests/support/transfers.h"
#include "verifier/checker/check.h"
#include "verifier/claims/proofs/certify_nests.h"
#include "verifier/claims/transfers.h"
#include "verifier/session/cases.h"
#include "verifier/session/judge.h"

namespace vl {
namespace checker_nests_campaign {

using question::Kind;
using question::TransferQuestion;
using Json = nlohmann::json;

/// Why the checker rejects; nothing if it accepts.
std::optional<std::string> objection(const std::string& claim, const Json& transfer, const Json& evidence) {
  const Json statement{{"layout", ""}, {"tensor", ""}, {"claim", claim}, {"verdict", "proved"}, {"transfer", transfer}};
  const Json certificate{{"schema", "verify-layout-certificate/2"},
                         {"statement", statement},
                         {"digest", checker::digest(statement)},
                         {"evidence", evidence}};
  return checker::check(certificate);
}

Json json_of(const checker::TransferText& transfer) {
  checker::Statement statement;
  statement.transfer = transfer;
  return checker::write(statement).at("transfer");
}

/// The evidence that is made, if it is accepted; else why it is not.
struct Tried {
  std::optional<Json> certificate;
  std::string objection = "none is made";
};
Tried tried(const std::string& claim, const use::Transfer& transfer, const use::Memory& source,
            const use::Memory& destination) {
  const checker::TransferText statement = claims::transfer_statement(transfer, source, destination);
  const auto made = claims::transfer_evidence(claims::find_claim(claim, true)->proof.front(), statement);
  if (!made) return {};
  Json evidence = checker::write(*made);
  const auto why = objection(claim, json_of(statement), evidence);
  return why ? Tried{std::nullopt, *why} : Tried{std::move(evidence), {}};
}

struct Counts {
  int asked = 0, holds = 0, accepted = 0;
};
void print(const std::map<std::string, Counts>& counts) {
  for (const auto& [claim, count] : counts)
    fmt::print("{}: {} asked, {} hold, {} accepted\n", claim, count.asked, count.holds, count.accepted);
}

/// Asks for the certificate of one claim of a case, which has to be there exactly where the claim is proved.
void certify(const session::CaseRequest& request, const session::ClaimRequest& asked,
             std::map<std::string, Counts>& counts) {
  const auto read = session::read_tensor(request);
  const auto& subject = std::get<session::TensorReading>(read);
  std::optional<map::Layout> other;
  if (const auto* with = asked.text("with"))
    other = *std::get<use::Reading>(session::read_layout(*with, "", subject.tensor)).layout();
  const claims::Transferred about{*subject.reading.layout(), *asked.nests, other ? &*other : nullptr};
  const bool proved = question::word(claims::decide(*asked.claim, about, {}).verdict) == "proved";
  const auto ends = claims::ends_of(about);
  ASSERT_TRUE(ends.has_value());
  const std::string claim(asked.claim->name);
  const Tried found = tried(claim, *asked.nests, ends->source, ends->destination);
  EXPECT_EQ(found.certificate.has_value(), proved) << *request.id << " " << claim << ": " << found.objection;
  Counts& count = counts[claim];
  ++count.asked;
  count.holds += proved ? 1 : 0;
  count.accepted += found.certificate ? 1 : 0;
}

TEST(NestCertificates, OfTheCorpusAreAcceptedExactlyWhereTheClaimIsProved) {
  std::map<std::string, Counts> counts;
  for (const std::string& file : session::case_files(VL_SOURCE_DIR "/corpus")) {
    const session::CaseFile read = session::read_cases(file);
    for (const session::CaseRequest& request : read.cases)
      for (const session::ClaimRequest& asked : request.claims)
        if (asked.nests != nullptr && claims::is_about<claims::Transferred>(*asked.claim) && !request.expect_invalid)
          certify(request, asked, counts);
  }
  print(counts);
  EXPECT_GE(counts["covers-once"].accepted, 118);
  EXPECT_GE(counts["implements"].accepted, 68);
  EXPECT_GE(counts["in-bounds"].accepted, 117);
  EXPECT_GE(counts["no-overlap"].accepted, 14);
  EXPECT_GE(counts["symmetric"].accepted, 1);
}

// What is one by the layouts' maps alone: every element, from one of its places to each place that it has. Moves in a
// row of equal steps are one nest.
use::Transfer transfer_of(const use::Memory& source, const use::Memory& destination) {
  use::Transfer out;
  out.direction = use::Direction::DeviceToDevice;
  std::map<Index, Index> from;  // element -> a place
  for (const test::BrutePlace& at : test::places_of(source)) from.emplace(at.element, at.place.value());
  std::set<Index> written;
  for (const test::BrutePlace& at : test::places_of(destination)) {
    const Index s = from.at(at.element), d = at.place.value();
    if (!written.insert(d).second) continue;
    if (!out.nests.empty()) {
      auto& [extents, read, write] = out.nests.back();
      const Index next = extents.empty() ? 1 : extents[0];
      if (extents.empty()) extents = {1}, read.strides = {s - read.offset}, write.strides = {d - write.offset};
      if (s == read.offset + next * read.strides[0] && d == write.offset + next * write.strides[0]) {
        ++extents[0];
        continue;
      }
    }
    out.nests.push_back({{}, {{}, s}, {{}, d}});
  }
  return out;
}

// Of layouts with replicas, swizzles and several axes, most of which have no decode map: with the host, or with another
// layout of the tensor. Nothing where an element has no slot.
std::optional<test::Scenario> scenario_of(const use::Family& family, use::Random& random, test::RandomSpyre& faults) {
  use::Sample sample = family.campaign->draw(random, 0, false);
  sample.tensor.strides.reset(), sample.tensor.offset = sample.tensor.view_offset = 0;
  const auto layout = family.campaign->lower(sample);
  if (!layout || layout->domain().volume() > 300 || layout->physical().volume() > 1 << 20) return std::nullopt;
  auto host = use::host_memory(*layout);
  if (!host) return std::nullopt;
  test::Scenario out{family.campaign->print(sample), {*layout, 0}, std::move(*host), {}};
  if (random.chance(40)) {
    const auto other = family.campaign->lower(family.campaign->companion(sample.tensor, random));
    if (!other) return std::nullopt;
    out.destination = {*other, 0};
  }
  if (random.chance(50)) std::swap(out.source, out.destination);
  for (const use::Memory* memory : {&out.source, &out.destination})
    for (const test::BrutePlace& at : test::places_of(*memory))
      if (!at.place) return std::nullopt;
  out.transfer = transfer_of(out.source, out.destination);
  for (Index count = random.chance(50) ? 0 : random.between(1, 2); count > 0; --count)
    test::break_somewhere(out.transfer, faults);
  return out;
}

constexpr std::pair<const char*, Kind> kClaims[] = {{"in-bounds", Kind::Escapes},
                                                    {"implements", Kind::Differs},
                                                    {"covers-once", Kind::Misses},
                                                    {"no-overlap", Kind::Collides}};

bool moves_nothing(const use::Transfer& transfer) {
  return std::ranges::all_of(transfer.nests, [](const use::Nest& nest) { return *checked_product(nest.extents) == 0; });
}

// Whether the claim holds of at least one thing.
bool holds(const TransferQuestion& question) {
  const bool of_moves = question.kind == Kind::Escapes || question.kind == Kind::Collides;
  const bool vacuous =
      of_moves ? moves_nothing(*question.transfer) : question.destination->layout.domain().volume() == 0;
  return !vacuous && !test::brute(question);
}

TEST(NestCertificates, OfRandomNestsAreAcceptedOnlyWhereTheClaimHolds) {
  test::RandomSpyre random(20261122);
  std::map<std::string, Counts> counts;
  const int kScenarios = 700;
  for (int made = 0; made < kScenarios;) {
    const auto scenario = test::random_scenario(random);
    if (!scenario) continue;
    ++made;
    const auto& [text, source, destination, transfer] = *scenario;
    for (const auto& [claim, kind] : kClaims) {
      const bool truth = holds({kind, &transfer, &source, &destination});
      const Tried found = tried(claim, transfer, source, destination);
      ASSERT_TRUE(truth || !found.certificate) << claim << "\n"
                                               << text << test::show(transfer) << found.certificate->dump();
      Counts& count = counts[claim];
      ++count.asked;
      count.holds += truth ? 1 : 0;
      count.accepted += found.certificate ? 1 : 0;
    }
  }
  print(counts);
  for (const auto& [claim, count] : counts) {
    SCOPED_TRACE(claim);
    EXPECT_GE(count.asked - count.holds, kScenarios / 4);
    EXPECT_GE(count.accepted, kScenarios / 5);
    EXPECT_GE(count.accepted * 100, count.holds * 98);
  }
}

// Where all is walked over, the checker itself decides: it accepts what holds, and only that. And whatever holds has a
// certificate.
TEST(NestCertificates, OfAnyLayoutAreAcceptedExactlyWhereTheClaimHolds) {
  test::RandomSpyre faults(20261127);
  const Json walk{{"moves", Json::array({Json::array({"sweep"})})}};
  for (const char* name : {"tirx", "cute"}) {
    const use::Family* family = use::family_of({}, name);
    if (family == nullptr) continue;
    SCOPED_TRACE(name);
    std::map<std::string, Counts> counts;
    int walked = 0;
    const int kScenarios = 250;
    for (int made = 0, tries = 0; made < kScenarios; ++tries) {
      use::Random random(20261127, 0, static_cast<std::uint64_t>(tries));
      const auto scenario = scenario_of(*family, random, faults);
      if (!scenario) continue;
      ++made;
      const auto& [text, source, destination, transfer] = *scenario;
      const Json statement = json_of(claims::transfer_statement(transfer, source, destination));
      for (const auto& [claim, kind] : kClaims) {
        const bool truth = holds({kind, &transfer, &source, &destination});
        const auto why = objection(claim, statement, walk);
        ASSERT_EQ(!why, truth) << claim << " " << why.value_or("") << "\n" << text << test::show(transfer);
        const Tried found = tried(claim, transfer, source, destination);
        ASSERT_EQ(found.certificate.has_value(), truth) << claim << " " << found.objection << "\n" << text;
        Counts& count = counts[claim];
        ++count.asked;
        count.holds += truth ? 1 : 0;
        if (!found.certificate) continue;
        ++count.accepted;
        walked += *found.certificate == walk ? 1 : 0;
      }
    }
    print(counts);
    fmt::print("{}: {} by a sweep\n", name, walked);
    EXPECT_GE(walked, kScenarios / 8);
    for (const auto& [claim, count] : counts) {
      SCOPED_TRACE(claim);
      EXPECT_GE(count.asked - count.holds, kScenarios / 8);
      EXPECT_GE(count.accepted, kScenarios / 4);
    }
  }
}

/// Every number one more or one less, every step another one, left out, or twice.
template <class Visit>
void for_each_change(const Json& evidence, Visit visit) {
  const Json fields = evidence.flatten();  // path -> value
  for (const auto& [path, value] : fields.items()) {
    Json changed = evidence;
    Json& field = changed[Json::json_pointer(path)];
    if (value.is_string()) {
      for (const char* name : {"large", "mod", "moves", "idle", "serves", "inside", "sweep", "run"})
        if (value != name) field = name, visit(changed);
    } else if (value.is_number_integer()) {
      for (const int step : {-1, 1}) {
        field = value.template get<Index>() + step;
        visit(changed);
      }
    }
  }
  const Json& steps = evidence.at("moves");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Json without = evidence, twice = evidence;
    without["moves"].erase(i), visit(without);
    twice["moves"].insert(twice["moves"].begin() + static_cast<std::ptrdiff_t>(i), steps[i]), visit(twice);
  }
}

// Of the claim about these nests that the evidence was made for, and about nests with one fault, of which it may be
// false.
TEST(NestCertificates, ThatAreChangedOrOfOtherNestsShowNothingFalse) {
  test::RandomSpyre random(20261123);
  Counts same, others;
  const int kScenarios = 120;
  for (int made = 0; made < kScenarios;) {
    const auto scenario = test::random_scenario(random);
    if (!scenario || scenario->transfer.nests.empty()) continue;
    ++made;
    const auto& [text, source, destination, transfer] = *scenario;
    const Json statement = json_of(claims::transfer_statement(transfer, source, destination));
    use::Transfer faulty = transfer;
    test::break_somewhere(faulty, random);
    const Json false_statement = json_of(claims::transfer_statement(faulty, source, destination));
    for (const auto& [claim, kind] : kClaims) {
      const auto certificate = tried(claim, transfer, source, destination).certificate;
      if (!certificate) continue;
      const bool truth = holds({kind, &faulty, &source, &destination});
      const auto ask_other = [&](const Json& evidence) {
        const bool accepted = !objection(claim, false_statement, evidence);
        ASSERT_TRUE(truth || !accepted) << claim << "\n" << text << test::show(faulty) << evidence.dump();
        ++others.asked;
        others.holds += truth ? 1 : 0;
        others.accepted += accepted ? 1 : 0;
      };
      ask_other(*certificate);
      for_each_change(*certificate, [&](const Json& changed) {
        ++same.asked;
        same.accepted += objection(claim, statement, changed) ? 0 : 1;
        ask_other(changed);
      });
      if (HasFatalFailure()) return;
    }
  }
  fmt::print("changed: {}, {} of them still proofs; of other nests: {}, true of {}, accepted {}\n", same.asked,
             same.accepted, others.asked, others.holds, others.accepted);
  EXPECT_GE(same.asked, kScenarios * 50);
  EXPECT_LE(same.accepted * 2, same.asked);
  EXPECT_GE(others.asked - others.holds, kScenarios * 20);
  EXPECT_GE(others.accepted, 1);
}

// One element in a memory of one slot, moved by the nests given.
Json one_element(const Json& nests) {
  const Json layout{{"map", "(x0:1) -> affine(x0)"}, {"logical", 1}, {"physical", "(d0:1)"}};
  return {
      {"source", layout}, {"destination", layout}, {"bases", {{"source", 0}, {"destination", 0}}}, {"nests", nests}};
}

TEST(NestCertificates, SayNothingOfNoMovesAndReadNumbersAsTheyStand) {
  const auto steps = [](const char* text) { return Json{{"moves", Json::parse(text)}}; };
  const Json evidence = steps(R"([["keys", 1], ["run", 0], ["moves", 0, 0]])");
  const auto nest = [](const Json& extent, const Json& offset) {
    return Json{{"extents", Json::array({extent})}, {"source", {0, 5}}, {"destination", Json::array({offset, 5})}};
  };
  EXPECT_EQ(objection("implements", one_element(Json::array({nest(1, 0)})), evidence), std::nullopt);
  for (const char* claim : {"in-bounds", "no-overlap", "covers-once", "implements", "symmetric"}) {
    SCOPED_TRACE(claim);
    for (const char* none : {"[]", R"([["keys", 1]])"})
      for (const Json& nests : {Json::array(), Json::array({nest(0, 0)})})
        EXPECT_TRUE(objection(claim, one_element(nests), steps(none)));
    EXPECT_TRUE(objection(claim, one_element(Json::array({nest(1, 0.5)})), evidence));
    EXPECT_TRUE(objection(claim, one_element(Json::array({nest(-1, 0)})), evidence));
    EXPECT_TRUE(objection(claim, one_element(Json::array({nest(1, 18446744073709551615ULL)})), evidence));
    EXPECT_TRUE(objection(claim, one_element(Json::array({nest(9223372036854775807, 0)})), evidence));
  }
  const Json right = one_element(Json::array({nest(1, 0)})), walk = steps(R"([["sweep"]])");
  for (const char* claim : {"in-bounds", "no-overlap", "covers-once", "implements", "symmetric"}) {
    SCOPED_TRACE(claim);
    EXPECT_EQ(objection(claim, right, walk), std::nullopt);
    for (const char* other : {R"([["sweep"], ["sweep"]])", R"([["sweep", 0]])", R"([["keys", 1], ["sweep"]])"})
      EXPECT_TRUE(objection(claim, right, steps(other)));
    for (const Json& nests : {Json::array(), Json::array({nest(0, 0)}), Json::array({nest(-1, 0)})})
      EXPECT_TRUE(objection(claim, one_element(nests), walk));
    EXPECT_TRUE(objection(claim, one_element(Json::array({nest(9223372036854775807, 0)})), walk));
  }
  EXPECT_TRUE(objection("implements", one_element(Json::array({nest(1, 0), nest(1, 0)})), evidence));
  EXPECT_TRUE(objection("implements", one_element(Json::array({nest(1, 0), nest(1, 0)})), walk));
  EXPECT_TRUE(objection("injective", one_element(Json::array({nest(1, 0)})), evidence));
}

}  // namespace checker_nests_campaign
}  // namespace vl
