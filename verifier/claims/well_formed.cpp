// well-formed: for every rule r of the layout's family, have(r) = want(r).
//
// The family states its rules as pairs of integers when it reads the text, in the document's words. A text that cannot
// be a layout at all (lengths that differ, negative sizes) is an input error and is never asked. A text that says no
// layout is refuted if a rule does not hold, and unsupported otherwise.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict well_formed(const TextRules& about, Inquiry& inquiry) {
  for (const use::Rule& rule : about.rules)
    if (rule.have != rule.want)
      return inquiry.refuted({{{"have", rule.have}, {"want", rule.want}},
                              fmt::format("{}; here it is {} and should be {}", rule.statement, rule.have, rule.want),
                              is_least(rule, about.rules)});
  return inquiry.proved();
}

}  // namespace

std::optional<TextRules> TextRules::bind(Offer& offer) {
  const bool broken = std::ranges::any_of(offer.reading.rules, [](const use::Rule& r) { return r.have != r.want; });
  return broken || offer.first() != nullptr ? std::optional(TextRules{offer.reading.rules}) : std::nullopt;
}

extern const Claim kWellFormed = {.name = "well-formed",
                                  .statement = "the family's own rules for a layout hold",
                                  .witness = "have, want",
                                  .decide = well_formed,
                                  .proof = {Part::Stated},
                                  .lifted = Lifted::Rules};

}  // namespace vl::claims
