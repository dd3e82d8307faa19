// well-formed: for every rule r of the layout's family, have(r) = want(r).
//
// The family states its rules as pairs of integers when it reads the text, with the document's wording. What can not
// be a layout at all (lengths that differ, negative sizes) never gets here: it is an input error.
#include <fmt/format.h>

#include "verifier/claims/claim.h"

namespace vl::claims {

Verdict well_formed(const Subject& subject, Inquiry& inquiry) {
  for (const use::Rule& rule : subject.rules)
    if (rule.have != rule.want)
      return inquiry.refuted({{{"have", rule.have}, {"want", rule.want}},
                              fmt::format("{}; here it is {} and should be {}", rule.statement, rule.have, rule.want)});
  return inquiry.proved();
}

}  // namespace vl::claims
