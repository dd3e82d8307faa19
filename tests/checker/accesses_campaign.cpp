// Certificates for claims about accesses: every claim of the corpus that is proved gets one that the checker accepts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/access_certificates.h"
#include "verifier/session/all_sizes.h"
#include "verifier/session/binding.h"

namespace vl {
namespace checker_accesses_campaign {

using engines::Reach;
using test::accesses::evidence_for;
using test::accesses::evidence_of;
using test::accesses::Json;
using test::accesses::map_of;
using test::accesses::reach_of;
using test::accesses::refusal;
using test::accesses::stated;

TEST(AccessCertificates, CoverEveryProvedClaimOfTheCorpus) {
  std::map<std::string, int> by_claim;
  int refuted = 0;
  for (const std::string& file : session::case_files(VL_SOURCE_DIR "/corpus")) {
    const session::CaseFile cases = session::read_cases(file);
    for (const session::CaseRequest& request : cases.cases)
      for (const session::ClaimRequest& asked : request.claims) {
        if (!claims::is_about<claims::Accessed>(*asked.claim) || request.expect_invalid) continue;
        if (session::has_names(request)) continue;  // rule_accesses.h is about these
        const auto read = session::read_tensor(request);
        const auto& subject = std::get<session::TensorReading>(read);
        const auto bound = session::bind(asked, request, subject, {});
        const auto& about = std::get<claims::Accessed>(*std::get<session::Bound>(bound).about);
        const claims::Judged answer = claims::decide(*asked.claim, about, {});
        const auto* proved = std::get_if<question::Proved>(&answer.verdict);
        if (proved == nullptr) {
          ++refuted;
          continue;
        }
        const std::string name(asked.claim->name);
        const std::string key = asked.at_most ? "at_most" : proved->value ? "value" : "";
        const Json statement = stated(about.reach, key, asked.at_most ? *asked.at_most : proved->value.value_or(0));
        const std::vector<Json> made = evidence_for(about.reach);
        EXPECT_TRUE(
            std::ranges::any_of(made, [&](const Json& evidence) { return refusal(name, statement, evidence).empty(); }))
            << *request.id << " " << name;
        ++by_claim[asked.at_most ? name + " with a limit" : name];
      }
  }
  int total = 0;
  for (const auto& [name, count] : by_claim) {
    fmt::print("{}: {} certificates\n", name, count);
    total += count;
  }
  fmt::print("{} certificates, {} claims not proved\n", total, refuted);
  EXPECT_GE(total, 417);
  EXPECT_GE(by_claim["wavefronts"], 340);
  EXPECT_GE(by_claim["conflict-free"], 55);
}

// 2^30 tiles of 8 rows of 128 bytes: one column of 16 bytes of each, the lane's number xored into the column's. The
// swizzle does not see which tile it is.
Reach tiles() {
  return reach_of("(lane:8, t:1073741824, j:8) -> affine(1024*x1 + 128*x0 + 16*x2) -> swizzle(0; 4, 3, 3, down)",
                  "(lane:8, t:1073741824, j:8) -> affine(x0 + 8*x1, 8*x2)", {Index{1} << 33, 64}, 16);
}

TEST(AccessCertificates, OfSwizzledTilesDoNotDependOnHowManyTilesThereAre) {
  const auto evidence = evidence_for(tiles());
  ASSERT_EQ(evidence.size(), 1U);
  EXPECT_EQ(evidence[0], evidence_of({false, true, false}));
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
    const auto evidence = evidence_for(reach);
    ASSERT_EQ(evidence.size(), 1U);
    EXPECT_EQ(evidence[0], evidence_of({false, true, true}));
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
  const auto evidence = evidence_for(reach);
  ASSERT_EQ(evidence.size(), 1U);
  EXPECT_EQ(evidence[0], evidence_of({false, true, false}));
  EXPECT_EQ(refusal("wavefronts", stated(reach, "value", 1), evidence[0]), "");
}

TEST(AccessCertificates, SayNothingOfAccessesThatLeaveTheTensorOrAreNeverActive) {
  Reach reach = tiles();
  const Json evidence = evidence_of({false, true, false});
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

TEST(AccessCertificates, WithAFieldMissingAddedOrOfAnotherKindAreRefused) {
  const Json statement = stated(tiles(), "value", 1), evidence = evidence_of({false, true, false});
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
  for (const char* text : {R"({"free":[true,true,false]})", R"({"free":[false,true]})", R"({"free":[false,true,true]})",
                           R"({"free":[false,false,true]})", R"({"free":[false,false,false]})", R"({"free":[0,1,0]})",
                           R"({"free":"all"})", R"({"free":[]})", R"({"form":"exhaustion","free":[false,true,false]})",
                           "{}", "null", R"({"free":[false,true,false],"more":1})"})
    expect_refused(statement, Json::parse(text), text);
  for (const char* claim : {"conflict-free", "conflicts", "wavefronts of", ""})
    EXPECT_NE(refusal(claim, statement, evidence), "") << claim;
  EXPECT_EQ(refused, 10 * 7 + 1 + 6 + 12);
}

}  // namespace checker_accesses_campaign
}  // namespace vl
