// What the values kernel takes from the relations' checker: the texts of certificates, numbers that never wrap, and the
// budget. What it asks about layouts is in checker/operands.h.
#pragma once

#include "verifier/checker/certificate.h"

namespace vl::values_kernel {
using checker::ChainProof;
using checker::ChainText;
using checker::EvaluationText;
using checker::Evidence;
using checker::FactText;
using checker::HeldText;
using checker::ImageText;
using checker::Integers;
using checker::LayoutText;
using checker::ReductionText;
using checker::RowStateText;
using checker::RowText;
using checker::Showing;
using checker::Statement;
using checker::StepText;
using checker::StoringText;
using checker::take;
using kernel::charge;
using kernel::charge_sorting;
using kernel::enter;
using kernel::gcd;
using kernel::Held;
using kernel::hold;
using kernel::keep;
using kernel::Point;
using kernel::Rejected;
using kernel::release;
using kernel::require;
using kernel::Wide;
}  // namespace vl::values_kernel
