// An answer about a program as a certificate. Of a proof: its steps, the sets that states.h finds, and up to what each
// may differ from the reference. The checker looks at them with images, folds and laws of its own
// (verifier/values_kernel/chains.h). Of a refutation: the steps up to the output that differs and the run's codes,
// which the checker executes.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "verifier/checker/certificate.h"
#include "verifier/neutral/program/judge.h"

namespace vl::neutral::program {

/// What a statement says of the program besides its text, by key: the output that it is about, and the user's text.
using Texts = std::map<std::string, std::string>;

/// What is stated: the program's text, and its steps; of a refutation those up to the node that is put out.
[[nodiscard]] checker::Statement statement_of(const Program& program, const Texts& texts,
                                              std::optional<std::size_t> refuted = {});

/// Nothing if the checker does not accept it, or the program is not proved without further masks. `memory`: as for a
/// Judge.
[[nodiscard]] std::optional<checker::Certificate> certify(
    const Program& program, const ProgramAnswer& answer, const Texts& texts = {},
    const std::shared_ptr<Memory>& memory = std::make_shared<Memory>());

}  // namespace vl::neutral::program
