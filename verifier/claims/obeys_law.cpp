// obeys_law: the result R of an operation, as somebody gives it, and the law E, what the operation's definition says of
// it, are the same set-valued map into named axes:
//   ∀ x: {R(x, r) : r} = {E(x, r') : r'},
// an axis that one of them lacks being 0 there. Coordinates outside a declared box, and negative ones, count as they
// are. Rules of the result's text come first (a group's iters are split where its shape's dimensions begin): have =
// want.
//
// Vacuous when the result has no element.
#include <fmt/format.h>

#include "verifier/claims/frame.h"

namespace vl::claims {

Verdict obeys_law(const Subject& subject, Inquiry& inquiry) {
  VL_CHECK(subject.other != nullptr && subject.law != nullptr, "obeys_law() without a result or a law");
  const map::Layout& result = *subject.other;
  const map::Layout& law = *subject.law;
  if (result.logical().volume() == 0) return inquiry.vacuous("the result has no element");
  if (!result.named_axes() || !law.named_axes())
    return Unknown{Reason::Unsupported, "a law is about layouts with named axes", {}};
  for (const use::Rule& rule : subject.rules)
    if (rule.have != rule.want)
      return inquiry.refuted(
          {{{"have", rule.have}, {"want", rule.want}}, fmt::format("it does not hold that {}", rule.statement)});
  return same_over_axes(result, law, "element {} of the result lies at {}, the law says {}", inquiry);
}

}  // namespace vl::claims
