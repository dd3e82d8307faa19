// The question of one operation of a program that reads padding: what neutral::decide() is asked.
#pragma once

#include "verifier/neutral/neutral.h"
#include "verifier/neutral/program/program.h"

namespace vl::neutral::program {

/// The question about a reduction or matmul whose valid elements lie in `contents`, compared as the program says.
[[nodiscard]] Question question_of(const Program& program, const Node& node, const CodeSet& contents);

/// A set with every code that is equal to one of it, as the program compares: a result with its padding may be that.
/// Example: any-nan+zero and {+0}: both zeros.
[[nodiscard]] CodeSet closed(const Program& program, const Format& format, const CodeSet& set);

/// What a mean divides by. Requires: a mean.
[[nodiscard]] Index divisor_of(const Program& program, const Node& node);

}  // namespace vl::neutral::program
