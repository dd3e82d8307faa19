// Division and square roots: the two operations of means and norms, as total functions on codes in integers alone. Both
// are the exact result rounded once, to nearest, ties to even, with the choices of arithmetic.h.
//
// Requires (of every function): a float format, and codes that lie in its mask.
#pragma once

#include "encodings/values/number.h"

namespace vl::values {

/// a / b. 0/0 and inf/inf are default_nan(); x/0 is an infinity, or in a format without infinity what is too large.
/// Example: f16 0x3C00 / 0x4200 (1 / 3) is 0x3555.
[[nodiscard]] Code div(const Format& format, Code a, Code b);

/// The square root. That of -0 is -0, of what is below it default_nan().
/// Example: f16 root(0x4000) (of 2) is 0x3DA8.
[[nodiscard]] Code root(const Format& format, Code a);

/// a - b: the sum of a and the number of the opposite sign.
[[nodiscard]] Code sub(const Format& format, Code a, Code b);

/// The code nearest to a count, as convert() gives it. Example: f16 8191 is 0x7000, 8192.
[[nodiscard]] Code count_code(const Format& format, std::uint64_t count);

}  // namespace vl::values
