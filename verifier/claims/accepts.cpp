// accepts: a target takes the fields of a descriptor: for every rule of the target,
//   its `if` does not hold, or its `then` does
// of every entry (encodings/use/target.h). No layout has a part in it.
//
// A rule about a field that the text does not state is not judged: the proof says which these are. Rules that are
// disputed, or a compiler's own, do not refute it; the session makes warnings of them.
//
// Where names for sizes decide rules, their laws are asked for all sizes, as those of a layout's text are
// (`well-formed`), and a refutation is one at the smallest sizes. Nothing else is assumed of names than that they are
// at least 1: stride (2*K) breaks stride-alignment at K = 1, and under K % 8 = 0 dim (K) breaks global-dim, which is at
// most 2^32, at K = 2^32 + 8.
//
// Example: tensormap(bf16, dim (511,128), stride (1022), box (64,64), swizzle 128B) on tma-sm_90 is refuted, by
// stride-alignment[0]: 1022 % 16 is 14, and should be 0.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "encodings/base/words.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

using use::RuleFinding;
using Outcome = RuleFinding::Outcome;

// A number, where the text is one.
Counterexample::Value value_of(const std::string& text) {
  Index number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) return number;
  return text;
}

Counterexample broken_rules(const std::vector<const RuleFinding*>& broken) {
  std::vector<std::string_view> names;
  names.reserve(broken.size());
  for (const RuleFinding* each : broken) names.push_back(each->rule);
  const RuleFinding& first = *broken.front();
  return {{{"rule", first.rule},
           {"have", value_of(first.have)},
           {"want", value_of(first.want)},
           {"rules", fmt::format("{}", fmt::join(names, ", "))}},
          use::in_words(first),
          true};
}

Verdict accepts(const Described& about, Inquiry& inquiry) {
  std::vector<const RuleFinding*> broken;
  Index held = 0;
  for (const RuleFinding& each : about.findings) {
    if (each.outcome == Outcome::Fails && use::counts(each.level)) broken.push_back(&each);
    if (each.outcome == Outcome::Holds) ++held;
  }
  if (!broken.empty()) return inquiry.refuted(broken_rules(broken));
  for (const RuleFinding& each : about.findings)
    if (each.outcome == Outcome::Sized)
      return inquiry.out_of_reach(fmt::format("{}: {} depends on sizes that have no numbers", each.rule, each.text));
  const std::string open = not_stated(about.findings);
  if (held == 0) return inquiry.out_of_reach(open.empty() ? "no rule is about it" : "not stated: " + open);
  Verdict out = inquiry.proved();
  std::get<Proved>(out).note =
      fmt::format("{} of {} hold{}", plural(held, "rule"), about.target, open.empty() ? "" : "; not stated: " + open);
  return out;
}

}  // namespace

std::string not_stated(std::span<const RuleFinding> findings) {
  std::map<std::string, std::vector<std::string>> rules;
  for (const RuleFinding& each : findings)
    if (!each.field.empty()) rules[each.field].push_back(each.rule);
  std::string out;
  for (const auto& [field, names] : rules)
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", field, fmt::join(names, ", "));
  return out;
}

std::vector<use::Rule> judged_rules(std::span<const RuleFinding> findings) {
  std::vector<use::Rule> out;
  for (const RuleFinding& each : findings)
    if (use::counts(each.level) && (each.outcome == Outcome::Holds || each.outcome == Outcome::Fails))
      out.push_back({each.rule, each.outcome == Outcome::Holds ? 1 : 0, 1});
  return out;
}

std::optional<Described> Described::bind(Offer& offer) {
  return offer.wrong({}, {ErrorCode::Value,
                          "'accepts' is asked of a transfer: --transfer TEXT --target NAME, or a case "
                          "with the keys 'transfer' and 'target'",
                          0});
}

extern const Claim kAccepts = {.name = "accepts",
                               .statement = "a target takes the fields of a descriptor: its rules for them hold",
                               .witness = "rule, have, want, rules",
                               .decide = accepts,
                               .proof = {Part::Stated},
                               .lifted = Lifted::Rules};

}  // namespace vl::claims
