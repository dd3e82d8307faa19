// Functions: pointwise operations on codes of one format. The kernel says what each result may be
// (values_kernel/functions.h), of codes and of sets; here are their words, and its answers as sets of codes.
//
// Of most functions a result is one code. It is more than one where implementations differ:
// - a NaN result is every quiet NaN of the format, because payload and sign are the implementation's;
// - exp, log, tanh and the like are rounded as the implementation does it. By `assumption` they are faithful:
//   a result never lies beyond a code that the exact value does not lie beyond;
// - where a formula and a limit disagree, both are allowed: gelu(-inf) is -inf·0 = NaN, or 0.
// So what is absent from a set is impossible under the assumption, and a set may hold more than a device ever gives.
//
// Example: f16 exp(0x0000) is {1}; exp(0x3C00) is [2 .. 4], because 2 < e < 4; log(-1) is NaN.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "encodings/values/arithmetic.h"
#include "encodings/values/code_set.h"
#include "verifier/values_kernel/images.h"

namespace vl::neutral {

using Function = values_kernel::Pointwise;

[[nodiscard]] std::string_view name(Function function);
[[nodiscard]] std::optional<Function> find_function(std::string_view name);
/// 1, 2 or 3.
[[nodiscard]] unsigned arity(Function function);
/// What is taken for granted of an implementation, in words; empty if only IEEE 754's own rules are.
[[nodiscard]] std::string_view assumption(Function function);
/// Whether the function has a meaning here for codes of that format. Integers have no reciprocal, root or exponential,
/// and floats no bitwise and.
[[nodiscard]] bool is_defined(Function function, const values::Format& format);

/// Every quiet NaN; in formats that know no signalling ones, every NaN.
[[nodiscard]] values::CodeSet quiet_nans(const values::Format& format);

/// The results of these operands. Requires: is_defined(), and one code of the format per operand.
/// Example: f16 div(1, 3) is {0x3555}.
[[nodiscard]] values::CodeSet results_of(Function function, const values::Format& format, values::MaxRule rule,
                                         std::span<const values::Code> operands);

// --- What the kernel is asked in its own words.

[[nodiscard]] const values_kernel::Format& in_kernel(const values::Format& format);
[[nodiscard]] values_kernel::CodeRanges in_kernel(const values::CodeSet& set);
[[nodiscard]] values::CodeSet set_of(const values_kernel::CodeRanges& ranges);
[[nodiscard]] const char* word_of(values::MaxRule rule);

}  // namespace vl::neutral
