// Claims that are declared and not decided yet.
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict pending(Inquiry& inquiry) { return inquiry.unknown({Reason::Unsupported, "this claim is not decided yet"}); }

}  // namespace

Verdict conflict_free(const Subject&, Inquiry& inquiry) { return pending(inquiry); }
Verdict conflicts(const Subject&, Inquiry& inquiry) { return pending(inquiry); }
Verdict wavefronts(const Subject&, Inquiry& inquiry) { return pending(inquiry); }

}  // namespace vl::claims
