#include "verifier/certificate/checker/propositional.h"

namespace vl::certificate::checker {

void check_propositional(const Obligation&, Fields&) { throw Rejected("no propositional proof is understood yet"); }

}  // namespace vl::certificate::checker
