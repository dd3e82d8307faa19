// padding: |physical box| - |{map(p) : p ∈ logical × replicas, map(p) a slot}|, the number of slots that are not valid.
//
// A number, so `proved` whatever it is. Never vacuous: without elements every slot is padding.
#include "verifier/claims/claim.h"

namespace vl::claims {

Verdict padding(const Subject& subject, Inquiry& inquiry) {
  const engines::Answer answer = inquiry.ask(Kind::Count, subject);
  if (const auto* abstained = std::get_if<engines::Abstained>(&answer)) return inquiry.unknown(*abstained);
  return inquiry.proved(subject.layout->physical().volume() - std::get<engines::Counted>(answer).count);
}

}  // namespace vl::claims
