// obeys_law: the result R of an operation, as somebody gives it, and the law E, what the operation's definition says of it,
// are the same set-valued map into named axes:
//   ∀ x: {R(x, r) : r} = {E(x, r') : r'},
// an axis that one of them lacks being 0 there. Coordinates outside a declared box, and negative ones, count as they are.
// Where the places have no names they are compared as equal does: by their numbers in memory.
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
  for (const map::Rule& rule : subject.rules)
    if (rule.have != rule.want)
      return inquiry.refuted({{{"have", rule.have}, {"want", rule.want}}, fmt::format("it does not hold that {}", rule.statement)});
  const auto framed = frame(result, law);
  if (!framed) return inquiry.unknown({Reason::OutOfReach, framed.error().message});
  Subject pair;
  pair.layout = &framed->a;
  pair.other = &framed->b;
  const engines::Answer answer = inquiry.ask(Kind::Differs, pair);
  if (const auto* found = std::get_if<engines::Found>(&answer)) {
    Difference difference = difference_at(*framed, result, law, found->witness.p);
    difference.fields.explanation = fmt::format("element {} of the result lies at {}, the law says {}", show(found->witness.p),
                                                difference.first, difference.second);
    return inquiry.refuted(std::move(difference.fields));
  }
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  return inquiry.proved();
}

}  // namespace vl::claims
