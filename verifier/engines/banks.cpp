// Placeholder of the bank engines.
#include "verifier/engines/banks.h"

namespace vl::engines {

Decision decide(const BankQuestion&, const Options&) {
  return {Abstained{Reason::Unsupported, "no engine for banks yet"}, {}, {}, false};
}

Result<Reach> reach_of(const map::Access&, const map::Layout&, const map::Layout*, int, const map::Hardware&) {
  return Error{ErrorCode::Value, "accesses are not judged yet", 0};
}

}  // namespace vl::engines
