// Random Spyre layouts, with host strides, view offsets and broken digits: a certificate is made and checked of
// statements that are true or false; and the evidence of one statement, whole and with numbers changed, is offered for
// others. What is accepted is true by a look at every point.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/flips.h"
#include "tests/support/looking.h"
#include "tests/support/spyre_random.h"
#include "tests/support/subjects.h"
#include "verifier/checker/check.h"
#include "verifier/claims/proofs/certify.h"

namespace vl {
namespace mutation_spyre_layouts_campaign {

using question::Proved;
using Json = nlohmann::json;

constexpr const char* kClaims[] = {"in-bounds", "injective", "bijective", "offset-identity", "padding", "onto"};

struct Case {
  map::Layout layout;
  std::string shown;
};

std::optional<Case> next_case(test::RandomSpyre& random) {
  test::RandomCase made = random.next(160);
  if (random.chance(50)) made.tensor.view_offset = random.between(0, 7);
  auto layout = spyre::lower(made.layout, made.tensor);
  if (!layout || layout->domain().volume() == 0 || !test::can_look(*layout)) return std::nullopt;
  return Case{std::move(*layout), made.show()};
}

// The statement that the claim is proved, with this value, whether it is true or not.
checker::Statement stated(const claims::Claim& claim, const map::Layout& layout, std::optional<Index> value) {
  const question::Verdict proved = Proved{"a test", question::Trust::Trusted, value};
  return *claims::statement_of(claim, test::about(claim, layout, {}), proved, {"", "", {}});
}

struct Truth {
  bool holds = false;
  std::optional<Index> value;
};

Truth truth_of(const claims::Claim& claim, const map::Layout& layout) {
  const auto looked = test::look(claim.name, test::about(claim, layout, {}));
  VL_CHECK(looked.has_value(), "a claim that nobody looks at");
  return {looked->word == "proved", looked->value};
}

TEST(SpyreLayouts, FalseStatementsAreNeverAcceptedAndTrueOnesMostlyShown) {
  test::RandomSpyre random(20261123);
  std::map<std::string, std::map<std::string, int>> forms;
  int held = 0, found = 0, refused = 0;
  for (int i = 0; i < 1200; ++i) {
    const auto made = next_case(random);
    if (!made) continue;
    for (const char* name : kClaims) {
      const claims::Claim& claim = *claims::find_claim(name);
      const Truth truth = truth_of(claim, made->layout);
      std::vector<std::optional<Index>> values{truth.value};
      if (truth.value) values = {truth.value, *truth.value + 1, *truth.value - 1};
      for (const auto& value : values) {
        const bool is_true = truth.holds && value == truth.value;
        const auto certificate = claims::certify(claim, stated(claim, made->layout, value),
                                                 Proved{"a test", question::Trust::Trusted, value});
        held += is_true ? 1 : 0;
        refused += !is_true && !certificate ? 1 : 0;
        if (!certificate) continue;
        ASSERT_TRUE(is_true) << made->shown << " " << name << " " << checker::write(*certificate).dump();
        ++found;
        ++forms[name][claims::forms_of(certificate->evidence)];
      }
    }
  }
  for (const auto& [name, count] : forms)
    for (const auto& [form, times] : count) fmt::print("  {} by {}: {}\n", name, form, times);
  fmt::print("{} of {} true statements have a certificate, {} false ones have none\n", found, held, refused);
  EXPECT_GT(held, 2000);
  EXPECT_GT(refused, 2000);
  EXPECT_GE(found * 1000, held * 999);
}

TEST(SpyreLayouts, EvidenceOfOneStatementProvesAnotherOneOnlyWhereItIsTrue) {
  test::RandomSpyre random(11);
  std::map<std::string, Json> last;  // the evidence of each claim
  Index flips = 0, accepted = 0, others = 0;
  for (int i = 0; i < 150; ++i) {
    const auto made = next_case(random);
    if (!made) continue;
    for (const char* name : kClaims) {
      const claims::Claim& claim = *claims::find_claim(name);
      const Truth truth = truth_of(claim, made->layout);
      checker::Certificate certificate;
      certificate.statement = stated(claim, made->layout, truth.value);
      certificate.digest = checker::digest(certificate.statement);
      Json json = checker::write(certificate);
      const auto try_evidence = [&](const Json& evidence) {
        json["evidence"] = evidence;
        const bool good = !checker::check(json).has_value();
        EXPECT_TRUE(!good || truth.holds) << made->shown << " " << json.dump();
        return good;
      };
      if (const auto before = last.find(name); before != last.end()) {
        others += try_evidence(before->second) ? 1 : 0;
        for (const test::Flip& flip : test::all_flips(before->second, 4)) {
          ++flips;
          accepted += try_evidence(flip.of(before->second)) ? 1 : 0;
        }
      }
      const auto own =
          claims::certify(claim, certificate.statement, Proved{"a test", question::Trust::Trusted, truth.value});
      if (!own) continue;
      last[name] = checker::write(own->evidence);
      if (!truth.value) continue;  // the same evidence with a number changed, for another number
      json["statement"]["value"] = *truth.value + 1;
      json["digest"] = checker::digest(json["statement"]);
      for (const test::Flip& flip : test::all_flips(last[name], 4)) {
        json["evidence"] = flip.of(last[name]);
        ASSERT_TRUE(checker::check(json).has_value()) << made->shown << " " << json.dump();
        ++flips;
      }
    }
  }
  fmt::print("{} flips, {} of them and {} pieces of evidence of others prove a true statement\n", flips, accepted,
             others);
  EXPECT_GT(flips, 20000);
  EXPECT_GT(others, 20);
}

}  // namespace mutation_spyre_layouts_campaign
}  // namespace vl
