// Claims that are declared and not decided yet.
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict pending(Inquiry& inquiry) { return inquiry.unknown({Reason::Unsupported, "this claim is not decided yet"}); }

}  // namespace

Verdict replicas_disjoint(const Subject&, Inquiry& inquiry) { return pending(inquiry); }
Verdict inverse(const Subject&, Inquiry& inquiry) { return pending(inquiry); }
Verdict aligned(const Subject&, Inquiry& inquiry) { return pending(inquiry); }
Verdict obeys_law(const Subject&, Inquiry& inquiry) { return pending(inquiry); }

}  // namespace vl::claims
