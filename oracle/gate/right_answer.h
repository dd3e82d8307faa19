// A right answer of a derived layout, where the verifier has one. That it has none says nothing: the law may have an
// answer that it does not find.
#pragma once

#include <string>

#include "oracle/gate/cases.h"

namespace vl::gate {

/// In the family's notation, by the law of the operation; empty where there is none to be had.
[[nodiscard]] std::string right_answer(const Case& of);

}  // namespace vl::gate
