// An operation as certificates state it (checker/texts.h), and back: what an operation asks stands in texts and
// numbers, from which the session makes the operands' maps, the rules and the reductions again.
#pragma once

#include "verifier/checker/certificate.h"
#include "verifier/session/cases.h"

namespace vl::session {

[[nodiscard]] checker::OperationText text_of_operation(const OperationRequest& operation);

/// The request of which that is the text; nothing where its rule is no rule's name, or an offset is negative. The
/// inputs come first, as they do in a request.
[[nodiscard]] std::optional<OperationRequest> operation_of(const checker::OperationText& said);

/// The division as its text: "[4,1,8] scales=[0,1,2] cores=32 order=[0,1,2]" (use::parse_division).
[[nodiscard]] std::string text_of_division(const use::Division& division);

}  // namespace vl::session
