// Sweep: the premises of the theorem in laws.h, evaluated on all codes of a small accumulator.
#pragma once

#include "verifier/neutral/laws.h"

namespace vl::neutral {

enum class Swept { Confirmed, TooMany };

/// Evaluates (N1) for every partial result that is possible by its class and every pad of the terms, and (N2) for all
/// pairs of pads. TooMany: the accumulator has more than 16 bits, or that is more than 2^20 evaluations.
/// A premise that fails is a bug of the laws, and an InternalError. Requires: the laws gave these pads.
[[nodiscard]] Swept sweep(const Question& question, const std::vector<Term>& pads);

/// The terms of pads whose elements are any codes of a set, or of two of dot; nothing if they are more than 2^17.
[[nodiscard]] std::optional<std::vector<Term>> terms_of(const CodeSet& a, const CodeSet* b);

}  // namespace vl::neutral
