// An answer about a program as a certificate. Of a proof: its steps, the sets that states.h finds, and up to what each
// may differ from the reference. The checker looks at them with images, folds and laws of its own
// (verifier/values_kernel/chains.h). Of a refutation: the steps up to the output that differs and the run's codes,
// which the checker executes.
#pragma once

#include "verifier/checker/certificate.h"
#include "verifier/neutral/program/judge.h"

namespace vl::neutral::program {

/// Nothing if the checker does not accept it, or the program is not proved without further masks.
[[nodiscard]] std::optional<checker::Certificate> certify(const Program& program, const ProgramAnswer& answer);

}  // namespace vl::neutral::program
