// Steps in JSON. A step is a list: its name, its numbers, then its notes, each a list of its own:
//
//   [stage, digit, above, below]             multiples of facts, [[fact, multiple], …], that show where a rest lies
//   [stage, digit, k, above, below]          the same, and the constant of the quotient
//   [stage, digit, "div", from, extent, above, below]     a quotient without a form
//   [stage, digit, "use", [[record, multiple], …]]        equations that are added to the line
//
// `below` may be left out, and then `above` too. Stage -1 is before the first one: the digit is a dimension.
// A polynomial that is no number is a text, "64*v0*v1^2-v3+1": terms by descending powers.
// Example: ["run", 0, [1, 0, [[0, 1]]]] runs side 0 and shows the upper end of digit 0 of stage 1 by fact 0, once.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "verifier/kernel/core/step.h"

namespace vl::kernel {

/// Rejects whatever is no step; numbers have 64 bits. S: Wide or Polynomial.
template <class S>
[[nodiscard]] BasicStep<S> read_step(const nlohmann::json& json);
/// The same step again, as short as it can be said. Rejects numbers beyond 64 bits.
template <class S>
[[nodiscard]] nlohmann::json write_step(const BasicStep<S>& step);
/// The text of that.
template <class S>
[[nodiscard]] std::string print(const BasicStep<S>& step);
/// Whether it has none of these.
template <class S>
[[nodiscard]] bool is_writable(const BasicStep<S>& step);

/// Reads the text of a polynomial, and writes it. Rejects any other text than that which is written.
[[nodiscard]] Polynomial parse_polynomial(std::string_view text);
[[nodiscard]] std::string print(const Polynomial& polynomial);

}  // namespace vl::kernel
