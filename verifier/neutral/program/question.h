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

/// What a mean may be divided by, as codes of its accumulator: the count of its elements, and of `divide P` also that
/// of all slots, for the reference divides by its own. Requires: a mean. Example: f32, 3 elements padded to 4: {3};
/// with `divide P` {3, 4}.
[[nodiscard]] CodeSet divisors_of(const Program& program, const Node& node);

}  // namespace vl::neutral::program
