// well-formed: for every rule r of the layout's family, have(r) = want(r).
//
// The family states its rules as pairs of integers when it reads the text, in the document's words. A text that cannot
// be a layout at all (lengths that differ, negative sizes) is an input error and is never asked. A text that says no
// layout is refuted if a rule does not hold, and unsupported otherwise.
#include <algorithm>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict well_formed(const TextRules& about, Inquiry& inquiry) {
  if (auto broken = broken_rule(about.rules, "{}; here it is {} and should be {}"))
    return inquiry.refuted(std::move(*broken));
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
