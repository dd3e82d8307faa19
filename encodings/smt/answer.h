// Answers of solvers that are programs. child.h asks them; this file reads the answers strictly. A text that is not
// exactly an answer, a surplus line, or an exit status other than 0 is a fault, whatever else the text says.
//
//   the worker   sat, a line of values | unsat | unknown, a line "reason: words"
//   cvc5         sat, then values on (get-value …) | unsat | unknown, then its statistics on (get-info :all-statistics)
//   values       ((v0 (- 1)) (v1 7)) or ((v0 #b1111) (v1 #b0111)), two's complement
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/smt/solver.h"

namespace vl::smt {

/// The values of v0, v1, …, `count` of them, each once and in this order. Nothing for any other text.
[[nodiscard]] std::optional<std::vector<Index>> parse_values(std::string_view text, std::size_t count);

/// Prints and parses a worker's answer. A text that is not an answer is a SolverFault.
[[nodiscard]] std::string print(const Outcome& outcome);
[[nodiscard]] Outcome parse_outcome(std::string_view text, std::size_t count);

/// Runs budget.worker on a script of `count` variables.
[[nodiscard]] Outcome ask_worker(const std::string& script, std::size_t count, const Budget& budget);
/// Runs budget.cvc5 on it.
[[nodiscard]] Outcome ask_cvc5(const std::string& script, std::size_t count, const Budget& budget);

/// The same outcome; marks the budget if it was spent.
[[nodiscard]] Outcome noted(Outcome outcome, const Budget& budget);

}  // namespace vl::smt
