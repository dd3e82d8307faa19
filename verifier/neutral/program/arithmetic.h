// Programs under an arithmetic that is not the one of IEEE 754, or of which not everything is known.
//
// A profile (encodings/values/profile.h) says what lines do not: accumulate, start, order, max, fused, ties; and of all
// operations how they round and flush, whether integers saturate, and how conversions round. An entry with several
// values is demonic: a program is proved if it is under each arithmetic that the profile allows, refuted if it is under
// each, by a run of its own, and otherwise unknown. All lines have the same arithmetic; an accumulator that lacks
// numbers of a line's type is the type itself there.
//
// Images under an arithmetic (states.h) are never too small:
// - what is rounded otherwise than to nearest even is that result or a neighbour of it, of the same sign; with a zero,
//   an infinity or NaN sums, products and quotients are exact; two single codes are computed
// - where subnormals are flushed, a set that has some has the zeros of their signs, too
// - integers that saturate can be the ends of their range
// - rows have any code where operations round, flush or saturate in another way than to nearest even
// If the profile states facts about functions, these are all that is known of functions that approximate, and of
// reciprocals and roots; of one that it does not mention any code is taken.
//
// Example: "flush=unknown": exp of f16 {-inf} is +0 under all three; 2^-24 + 0 is {+0, 2^-24} under `both`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "encodings/values/profile.h"
#include "verifier/neutral/program/program.h"
#include "verifier/neutral/transfer.h"

namespace vl::neutral::program {

/// Whether results are rounded to nearest even, nothing is flushed or saturated, and functions are those of
/// functions.h.
[[nodiscard]] bool is_plain(const Program& program);

/// A set, and the zeros of the signs of its numbers up to the least normal one: what an operation that flushes makes of
/// them. A result that was rounded to the least normal number may have been less than it (values::Flush).
[[nodiscard]] CodeSet with_flushed(const Format& format, const CodeSet& set);

/// The codes that results of a function can be in this program. Requires: as image() of transfer.h.
[[nodiscard]] CodeSet image_in(const Program& program, Function function, const Format& format, values::MaxRule rule,
                               std::span<const CodeSet> operands);
/// Of a conversion or cast (values::cast; any code where the integer has none). Requires: the set is not empty.
[[nodiscard]] CodeSet conversion_in(const Program& program, const Format& from, const Format& to, const CodeSet& set);

/// Whether facts alone say what a function gives in this program.
[[nodiscard]] bool is_by_facts(const Program& program, Function function);

/// The facts about a function and a format.
[[nodiscard]] std::vector<values::Stated> facts_about(const Program& program, Function function, const Format& format);

/// Whether states.h has images of a row in this program: not where operations round, flush or saturate in another way,
/// and of exponentials not beside facts, which may be others.
[[nodiscard]] bool has_row_images(const Program& program, const Node& node);
/// Whether the row takes exponentials of which a profile may know other things than exponential.h.
[[nodiscard]] bool is_of_other_facts(const Program& program, const Node& node);

/// How far operands may differ so that results differ no more (judge.h): nothing, NaNs, zeros.
[[nodiscard]] Equality kept_by(const Program& program, const Node& node);

struct Instance {
  std::vector<std::pair<values::Entry, std::string_view>> said;  // the entries that have a part in it, and their values
  Program program;
};
/// The program under each arithmetic that a profile allows, each once. Error: Value for more than 4096 of them, or of
/// 2^18 lines in all of them together.
/// Example: one matmul of f16 and "start=+0|first flush=unknown" has six.
[[nodiscard]] Result<std::vector<Instance>> instances(const Program& program, const values::Profile& profile);
/// "accumulate=f32 start=+0".
[[nodiscard]] std::string in_words(const Instance& instance);

}  // namespace vl::neutral::program
