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
#include <numeric>
#include <string>

#include "encodings/map/text.h"
#include "tests/support/corpus_claims.h"
#include "tests/support/flips.h"
#include "tests/support/looking.h"
#include "tests/support/shard.h"
#include "tests/support/subjects.h"
#include "verifier/checker/check.h"
#include "verifier/claims/proofs/certify.h"
#include "verifier/neutral/neutral.h"

namespace vl {
namespace mutation_certificates_test {

using question::Proved;
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
    // Certificates of accesses, of loop nests and of divisions are tampered with in tests of their own.
    if (std::holds_alternative<claims::Transferred>(about) || std::holds_alternative<claims::AlignedMoves>(about) ||
        std::holds_alternative<claims::Accessed>(about) || std::holds_alternative<claims::Divided>(about))
      continue;
    const auto statement = claims::statement_of(claim.claim(), about, verdict,
                                                {request.layout.text, map::print(claim.subject.tensor), {}});
    const auto made = statement ? claims::certify(claim.claim(), *statement, verdict) : std::nullopt;
    if (made) out.push_back({*request.id, checker::write(*made), claims::forms_of(made->evidence)});
  }
  return out;
}

std::optional<map::Row> row_of(const std::string& text, const map::Space& space) {
  const auto map = map::parse(map::print(space) + " -> affine(" + text + ")");
  if (!map) return std::nullopt;
  return std::get<map::Affine>(map->stages().front()).rows.front();
}

// The layout that a statement names, in the program's IR; nothing if the IR has no such layout.
std::optional<map::Layout> layout_of(const Json& json) {
  const auto map = map::parse(json.at("map").get<std::string>());
  const auto physical = map::parse(json.at("physical").get<std::string>());
  if (!map || !physical) return std::nullopt;
  const auto logical = json.at("logical").get<std::size_t>();
  if (logical > map->domain().rank() || map->outputs() < physical->domain().rank()) return std::nullopt;
  map::LayoutParts parts;
  const std::vector<Index> extents = map::extents_of(map->domain());  // what a logical dimension is called says nothing
  parts.logical = *map::Space::create(map::Space::dims("x", std::span(extents).first(logical)));
  parts.replicas = *map::Space::create(map::Space::dims("r", std::span(extents).subspan(logical)));
  parts.physical = physical->domain();
  parts.map = map->stages();
  parts.guards = map->outputs() - parts.physical.rank();
  parts.named_axes = json.value("named", false);
  if (json.contains("decode")) {
    const auto decode = map::parse(json.at("decode").get<std::string>());
    if (!decode || decode->outputs() < map->domain().rank()) return std::nullopt;
    parts.decode = decode->stages();
    parts.decode_guards = decode->outputs() - map->domain().rank();
  }
  if (json.contains("filled")) {
    const auto filled = map::parse(json.at("filled").get<std::string>());
    if (!filled) return std::nullopt;
    parts.filled = filled->domain();
  }
  if (json.contains("identity")) {
    const auto slot = row_of(json.at("identity").at(0), parts.physical);
    const auto element = row_of(json.at("identity").at(1), parts.logical);
    if (!slot || !element) return std::nullopt;
    parts.identity = map::OffsetIdentity{*slot, *element};
  }
  auto layout = map::Layout::create(std::move(parts));
  return layout ? std::optional(std::move(*layout)) : std::nullopt;
}

enum class Truth { True, False, NoLayout, NotSeen };

// The greatest common divisor of all positions, from the beginning of a row of blocks, where the next place is not one
// more, and of the number of positions, is the length that is stated; and `runs` counts up from each block's beginning,
// but where blocks have one element, of which `runs` says nothing.
Truth truth_of_runs(const Json& statement, const map::Layout& layout, const map::Layout* other) {
  const map::Space& points = layout.domain();
  if (other == nullptr || other->domain().dims() != points.dims() || points.rank() < 2 || points.volume() == 0)
    return Truth::False;
  if (points.volume() > 1 << 16) return Truth::NotSeen;
  const auto axis = map::memory_axis(layout);
  const Index length = points.extent(points.rank() - 1), blocks = points.extent(points.rank() - 2);
  const auto said = statement.value("value", Index{0});
  if (!axis || said != length) return Truth::False;
  Index divisor = length * blocks;
  Point before, begin;
  for (Index number = 0; number < points.volume(); ++number) {
    const Point p = points.point(number), place = map::outputs_at(layout, p, {});
    const Index position = number % (length * blocks);
    Point next = before;
    if (position > 0 && (++next[*axis], next != place)) divisor = std::gcd(divisor, position);
    if (position % length == 0) begin = place;
    Point counted = begin;
    counted[*axis] += position % length;
    if (length > 1 && map::outputs_at(*other, p, {}) != counted) return Truth::False;
    before = place;
  }
  return divisor == length ? Truth::True : Truth::False;
}

// Claims that are made of other ones, of the layouts that the statement names.
//   occupied     every place of the box is hit
//   complement   the pair is one-to-one, its rules hold, and the complement's steps are in their box
//   mask-exact   the elements fill the box that is kept
//   remap        two layouts are the same, and a third is in bounds
//   contiguous   places of blocks go up by one and, between the blocks, do not; the second layout says the same
std::optional<Truth> truth_of_parts(const Json& statement, const map::Layout& layout, const map::Layout* other) {
  const auto name = statement.at("claim").get<std::string>();
  if (name == "contiguous") return truth_of_runs(statement, layout, other);
  const claims::Claim& stated = *claims::find_claim(name);
  const bool numbers = claims::is_about<claims::NumberLaw>(stated);
  const bool pairs = claims::is_about<claims::Complemented>(stated);
  if (!numbers && !pairs && name != "mask-exact" && name != "remap" && name != "occupied") return std::nullopt;
  engines::Options options;
  options.only = "enumerate";
  bool holds = true, seen = true;
  const auto ask = [&](const char* claim, const map::Layout& of, const map::Layout* with) {
    const auto word = question::word(test::ask(claim, of, {.other = with}, options).verdict);
    seen = seen && word != "unknown";
    holds = holds && word == "proved";
  };
  if (name == "occupied") {
    ask("onto", layout, nullptr);
  } else if (name == "mask-exact") {
    ask("in-bounds", layout, nullptr);
    ask("onto", layout, nullptr);
  } else {
    if (!pairs && (other == nullptr || layout.logical() != other->logical())) return Truth::False;
    if (pairs) ask("in-bounds", layout, nullptr), ask("injective", layout, nullptr);
    else ask("equal", layout, other);
    for (const Json& rule : statement.value("rules", Json::array()))
      holds = holds && rule.at("have") == rule.at("want");
    for (const Json& operand : statement.value("operands", Json::array())) {
      const auto reads = layout_of(operand);
      if (!reads) return Truth::NoLayout;
      ask("in-bounds", *reads, nullptr);
    }
  }
  if (!seen) return Truth::NotSeen;
  return holds == (statement.at("verdict") == "proved") ? Truth::True : Truth::False;
}

values::CodeSet codes_of(const Json& ranges) {
  std::vector<values::CodeRange> out;
  for (const Json& range : ranges)
    out.push_back({std::stoull(range.at(0).get<std::string>(), nullptr, 16),
                   std::stoull(range.at(1).get<std::string>(), nullptr, 16)});
  return values::CodeSet(std::move(out));
}

// Whether the program's own laws say that a reduction is neutral.
Truth truth_of_reduction(const Json& said) {
  neutral::Question question;
  const auto* type = values::find_format(said.at("type").get<std::string>());
  const auto* wide = values::find_format(said.at("accumulate").get<std::string>());
  const auto operation = neutral::find_operation(said.at("operation").get<std::string>());
  if (type == nullptr || wide == nullptr || !operation) return Truth::False;
  question.operation = *operation, question.type = *type, question.accumulate = *wide;
  question.start = said.at("start") == "+0" ? values::Start::Zero : values::Start::First;
  question.tree = said.at("order") == "seq" ? values::Tree::Sequential : values::Tree::Any;
  question.max = said.at("max") == "x86"         ? values::MaxRule::X86
                 : said.at("max") == "nan-loses" ? values::MaxRule::NanLoses
                                                 : values::MaxRule::NanWins;
  question.fused = said.at("fused").get<bool>();
  question.equal = said.at("equal") == "bits"      ? neutral::Equality::Bits
                   : said.at("equal") == "any-nan" ? neutral::Equality::AnyNan
                                                   : neutral::Equality::AnyNanAndZero;
  question.contents = codes_of(said.at("contents"));
  if (!neutral::misfit(question).empty()) return Truth::False;
  const values::CodeSet fill = codes_of(said.at("fill"));
  const auto other = said.contains("other") ? std::optional(codes_of(said.at("other"))) : std::nullopt;
  const auto verdict = neutral::decide(question, fill, other ? &*other : nullptr);
  if (std::holds_alternative<neutral::Proved>(verdict)) return Truth::True;
  return std::holds_alternative<neutral::Refuted>(verdict) ? Truth::False : Truth::NotSeen;
}

// A padded run: every index of every operand has a slot, no two have one unless the fill has all contents, and each
// reduction is neutral.
Truth truth_of_padded(const Json& statement) {
  if (statement.at("verdict") != "proved") return Truth::False;
  const Json reductions = statement.value("reductions", Json::array());
  const Json operands = statement.value("operands", Json::array());
  Truth out = Truth::True;
  for (const Json& reduction : reductions)
    if (const Truth one = truth_of_reduction(reduction); one != Truth::True) out = one;
  engines::Options options;
  options.only = "enumerate";
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto layout = layout_of(operands[i]);
    if (!layout) return Truth::NoLayout;
    if (question::word(test::ask("in-bounds", *layout, {}, options).verdict) != "proved") return Truth::False;
    const bool apart = question::word(test::ask("injective", *layout, {}, options).verdict) == "proved";
    for (const Json& reduction : reductions) {
      const Json& fill = i == 0 ? reduction.at("fill") : reduction.at("other");
      if (!apart && !codes_of(reduction.at("contents")).is_subset_of(codes_of(fill))) return Truth::False;
    }
  }
  return out;
}

// Whether a statement is true, by looking at every point or, of claims that looking.h does not know, by the walk of
// `enumerate`.
Truth truth_of(const Json& statement) {
  const auto name = statement.at("claim").get<std::string>();
  const claims::Claim* claim = claims::find_claim(name);
  if (claim == nullptr) return Truth::False;
  if (statement.contains("rules") && !statement.contains("map")) {
    const bool hold =
        std::ranges::all_of(statement.at("rules"), [](const Json& rule) { return rule.at("have") == rule.at("want"); });
    if (hold && name == "neutral") return truth_of_padded(statement);
    return hold == (statement.at("verdict") == "proved") ? Truth::True : Truth::False;
  }
  const auto layout = layout_of(statement.at("map"));
  const auto other = statement.contains("other") ? layout_of(statement.at("other")) : std::nullopt;
  if (!layout || (statement.contains("other") && !other)) return Truth::NoLayout;
  if (const auto truth = truth_of_parts(statement, *layout, other ? &*other : nullptr)) return *truth;
  std::vector<use::Rule> rules;
  if (claims::is_about<claims::LawResult>(*claim))
    for (const Json& rule : statement.at("rules"))
      rules.push_back({rule.at("statement"), rule.at("have"), rule.at("want")});
  const bool of_one_tensor = claims::is_about<claims::LawResult>(*claim) || claims::is_about<claims::Pair>(*claim);
  if (claim->keys.has("with") && !other) return Truth::False;
  if (of_one_tensor && layout->logical() != other->logical()) return Truth::False;
  const test::Given given{.other = other ? &*other : nullptr,
                          .element_bits = statement.value("bits", 0),
                          .base = statement.value("base", Index{0}),
                          .at = statement.value("at", Index{0}),
                          .rules = rules};
  const claims::Subject about = test::about(*claim, *layout, given);
  std::optional<test::Looked> looked = test::look(name, about);
  if (!looked) {
    engines::Options options;
    if (name != "bytes") options.only = "enumerate";
    const question::Verdict verdict = claims::decide(*claim, about, options).verdict;
    if (question::word(verdict) == "unknown") return Truth::NotSeen;
    if (question::word(verdict) == "unsupported") return Truth::NoLayout;
    const auto* proved = std::get_if<Proved>(&verdict);
    looked = test::Looked{question::word(verdict), proved != nullptr ? proved->value : std::nullopt};
  }
  const std::optional<Index> value =
      statement.contains("value") ? std::optional(statement.at("value").get<Index>()) : std::nullopt;
  return looked->word == statement.at("verdict") && looked->value == value ? Truth::True : Truth::False;
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
  if (checker::check(changed)) {
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
      left.rejected += checker::check(changed).has_value();
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
      ASSERT_FALSE(checker::check(made.certificate)) << made.id;
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

}  // namespace mutation_certificates_test
}  // namespace vl
