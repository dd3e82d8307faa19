// Tampering: changes every field of the corpus' certificates, one at a time (flips.h), and exchanges whole parts. If
// the statement changed and the digest did not, the certificate is rejected. With a new digest it is one of these:
//
//   - rejected;
//   - a proof of the same statement (a finer list of digits, a step that was not needed);
//   - a proof of another statement, which a look at every point finds true;
//   - the same maps under another text of the layout: for the checker the text is a name. The command reads the text
//     again and compares statements, and then finds another one.
//
// An accepted false statement is a hole in the checker.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "encodings/map/text.h"
#include "tests/mutation/truth.h"
#include "tests/support/corpus_claims.h"
#include "tests/support/flips.h"
#include "tests/support/shard.h"
#include "verifier/claims/proofs/certify.h"
#include "verifier/values_kernel/check.h"

namespace vl {
namespace mutation_certificates_campaign {

using mutation::Truth;
using mutation::truth_of;
using Json = nlohmann::json;

constexpr Index kMostPoints =
    256;  // of the layouts whose certificates are flipped: each flip is a check, and may need looking

struct Made {
  std::string id;
  Json certificate;
  std::string forms;
};

// The certificates of one case.
std::vector<Made> certificates_of(const session::CaseRequest& request) {
  std::vector<Made> out;
  const test::ReadCase read = test::read_case(request);
  for (const test::CorpusClaim& claim : read.claims) {
    const claims::Subject about = claim.about();
    const map::Layout* layout = claim.subject.reading.layout();
    const bool large = layout != nullptr && (layout->domain().volume() > kMostPoints ||
                                             layout->physical().volume() > test::kMostLookedSlots);
    if (large) continue;
    const question::Verdict verdict = claims::decide(claim.claim(), about, {}).verdict;
    // Certificates of accesses, loop nests, boxes and divisions are tampered with in tests of their own.
    if (std::holds_alternative<claims::Transferred>(about) || std::holds_alternative<claims::AlignedMoves>(about) ||
        std::holds_alternative<claims::Accessed>(about) || std::holds_alternative<claims::Divided>(about) ||
        std::holds_alternative<claims::Carried>(about) || std::holds_alternative<claims::FilledTiles>(about))
      continue;
    const auto statement = claims::statement_of(claim.claim(), about, verdict,
                                                {request.layout.text, map::print(claim.subject.tensor), {}});
    const auto made = statement ? claims::certify(claim.claim(), *statement, verdict) : std::nullopt;
    if (made) out.push_back({*request.id, checker::write(*made), claims::forms_of(made->evidence)});
  }
  return out;
}

struct Count {
  Index flips = 0;
  Index rejected = 0;
  Index same = 0;       // still a proof of the same statement
  Index other = 0;      // a proof of another statement, which is true
  Index text = 0;       // of the same maps under another text
  Index no_layout = 0;  // of something that the IR cannot be, or the program does not claim (an inverse over lanes)
  Index not_seen = 0;   // not checked
  Index holes = 0;
};

struct Tally {
  std::map<std::string, Count> classes;  // by what was changed
  std::map<std::string, Index> forms;
  std::map<std::string, Index> claims;
  Index certificates = 0;
};

bool same_but_for_texts(Json a, Json b) {
  for (const char* text : {"layout", "tensor", "arguments"}) a.erase(text), b.erase(text);
  return a == b;
}

// Judges a certificate with something changed. Its digest is made anew unless the change left the statement alone.
void judge(const std::string& kind, const Made& original, const Json& changed, Tally& tally) {
  Count& count = tally.classes[kind];
  ++count.flips;
  if (values_kernel::check(changed)) {
    ++count.rejected;
    return;
  }
  const Json& statement = changed.at("statement");
  const Json& before = original.certificate.at("statement");
  if (statement == before) {
    ++count.same;
    return;
  }
  if (same_but_for_texts(statement, before)) {
    ++count.text;
    return;
  }
  switch (truth_of(statement)) {
    case Truth::True: ++count.other; return;
    case Truth::NoLayout: ++count.no_layout; return;
    case Truth::NotSeen: ++count.not_seen; return;
    case Truth::False: break;
  }
  if (++count.holes <= 3)
    ADD_FAILURE() << original.id << ", " << kind << ": a false statement is accepted: " << changed.dump();
}

Json with_digest(Json certificate) {
  certificate["digest"] = checker::digest(certificate.at("statement"));
  return certificate;
}

void flip_everything(const Made& made, Tally& tally) {
  for (const test::Flip& flip : test::all_flips(made.certificate, test::is_campaign() ? 64 : 12)) {
    const Json changed = flip.of(made.certificate);
    const std::string place = flip.at.empty() ? "top"
                              : made.certificate.at(flip.at).is_null()
                                  ? "?"
                                  : flip.at.to_string().substr(1, flip.at.to_string().find('/', 1) - 1);
    judge(fmt::format("{}, {}", place, flip.what), made, changed, tally);
    if (place == "statement" && changed.at("statement").is_object()) {
      Count& left = tally.classes["statement, digest left"];
      ++left.flips;
      left.rejected += values_kernel::check(changed).has_value();
      judge(fmt::format("statement, {}, new digest", flip.what), made, with_digest(changed), tally);
    }
  }
}

// The same evidence for the other verdict and for every other claim.
void exchange_claims(const Made& made, Tally& tally) {
  Json changed = made.certificate;
  Json& statement = changed["statement"];
  statement["verdict"] = statement["verdict"] == "proved" ? "refuted" : "proved";
  judge("the other verdict", made, with_digest(changed), tally);
  for (const claims::Claim& claim : claims::claims()) {
    changed = made.certificate;
    changed["statement"]["claim"] = claim.name;
    if (claim.name != made.certificate["statement"]["claim"]) judge("another claim", made, with_digest(changed), tally);
  }
}

// Steps that are left out, each and all.
void drop_steps(const Made& made, Tally& tally) {
  for (const auto& [field, part] : made.certificate.at("evidence").items()) {
    if (!part.is_object() || !part.contains("steps")) continue;
    for (std::size_t i = 0; i < part.at("steps").size(); ++i) {
      Json changed = made.certificate;
      changed["evidence"][field]["steps"].erase(i);
      judge("a step left out", made, changed, tally);
    }
  }
}

TEST(Tampering, IsRejectedOrLeavesAProofOfATrueStatement) {
  const test::Shard shard = test::shard_of_about(400, test::corpus().size());
  Tally tally;
  std::map<std::string, Made> last;  // by claim
  std::map<std::pair<std::string, std::string>, int> sorts;
  for (std::uint64_t number = 0; number < test::corpus().size(); ++number) {
    for (const Made& made : certificates_of(test::corpus()[number].request)) {
      const auto claim = made.certificate["statement"]["claim"].get<std::string>();
      if (++sorts[{claim, made.forms}] > 2 && !shard.has(number)) continue;  // two of each sort, and the share
      ++tally.certificates;
      ++tally.forms[made.forms];
      ++tally.claims[claim];
      ASSERT_FALSE(values_kernel::check(made.certificate)) << made.id;
      flip_everything(made, tally);
      exchange_claims(made, tally);
      drop_steps(made, tally);
      if (const auto before = last.find(claim); before != last.end()) {  // the evidence of another layout
        Json changed = made.certificate;
        changed["evidence"] = before->second.certificate["evidence"];
        judge("evidence of another layout", made, changed, tally);
        if (before->second.certificate["statement"] == made.certificate["statement"]) continue;
        changed = made.certificate;
        changed["statement"] = before->second.certificate["statement"];
        judge("statement of another layout", made, changed, tally);
        EXPECT_NE(before->second.certificate["statement"], made.certificate["statement"]);  // what the command compares
      }
      last.insert_or_assign(claim, made);
    }
  }
  fmt::print("shard {}/{}: {} certificates\n", shard.index, shard.count, tally.certificates);
  for (const auto& [form, times] : tally.forms) fmt::print("  by {}: {}\n", form, times);
  for (const auto& [claim, times] : tally.claims) fmt::print("  of {}: {}\n", claim, times);
  Count all;
  for (const auto& [kind, count] : tally.classes) {
    fmt::print(
        "  {}: {} flips, {} rejected, {} prove the same, {} prove another true statement, {} are another text, {} no "
        "layout, {} not seen, {} holes\n",
        kind, count.flips, count.rejected, count.same, count.other, count.text, count.no_layout, count.not_seen,
        count.holes);
    all.flips += count.flips;
    all.rejected += count.rejected;
    all.not_seen += count.not_seen;
    all.holes += count.holes;
  }
  fmt::print("{} flips, {} rejected\n", all.flips, all.rejected);
  EXPECT_EQ(all.holes, 0);
  EXPECT_EQ(all.not_seen, 0);
  EXPECT_GE(tally.certificates, static_cast<Index>(test::corpus().size() / shard.count / 3));
  if (!test::is_campaign()) {
    EXPECT_GE(tally.certificates, 300);
  }
  EXPECT_GE(all.flips, tally.certificates * 100);
  const Count& left = tally.classes["statement, digest left"];
  EXPECT_EQ(left.rejected, left.flips);
  const Count& steps = tally.classes["a step left out"];
  EXPECT_GE(steps.rejected, steps.flips * 9 / 10);
}

}  // namespace mutation_certificates_campaign
}  // namespace vl
