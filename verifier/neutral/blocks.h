// Blocks: whether a fill of padding leaves the valid lanes of its block floats alone. Lanes of a group share the
// greatest exponent (encodings/values/block.h), so a pad of a greater one than every valid lane's takes bits from them.
//
// Law. Let E* be the greatest exponent of the fill. A group whose greatest valid exponent is at least E* has the same
// shared exponent with the pads and without. In any other group the shared exponent rises from M to E*. A lane that is
// unchanged from its own exponent to E* is unchanged from M to E*, since what it lost in between it would not get back.
// So the fill is harmless if and only if no element of the contents with 0 < E < E* changes under E*; elements with
// E = 0 are zero lanes under any exponent. About subnormal numbers versions of packers differ, so contents with them
// are proved for a fill of exponent 0 alone.
//
// Worked example: bfp8 of bf16, contents any finite: a fill {0} is harmless, {1} is not: 2^-20 beside it becomes 0. Of
// contents {1, 1.5} a fill 2 is harmless, and of {1.015625} (0x3F82) it is not: 65·2^-6 becomes 64·2^-6.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "encodings/values/block.h"
#include "encodings/values/code_set.h"

namespace vl::neutral {

struct BlockQuestion {
  values::BlockFormat format;
  values::Format type;       // of the elements before they are packed
  values::CodeSet contents;  // of the valid lanes of a mixed group; not empty
};

/// Why a question has no meaning here; empty if it has one.
[[nodiscard]] std::string misfit(const BlockQuestion& question);

/// A group of one valid lane and pads that changes it. The numbers are f32.
struct BlockChanged {
  values::Code valid = 0, pad = 0;  // codes of the type
  unsigned own = 0, shared = 0;     // exponents without the pads and with them
  values::Code want = 0, got = 0;   // what the lane means
};
struct BlockHarmless {
  std::string reason;
};
struct BlockUnknown {
  std::string reason;
};
using BlockVerdict = std::variant<BlockHarmless, BlockChanged, BlockUnknown>;

/// Does each mixed group keep the values of its valid lanes, whatever these are, if each pad is any code of the fill?
/// Requires: misfit() is empty, and so the fill is not.
[[nodiscard]] BlockVerdict decide_block(const BlockQuestion& question, const values::CodeSet& fill);

/// The codes of which a fill is harmless. A code outside of it is not, or not known to be.
/// Example: of bf16 and contents any, the 256 codes of exponent 0.
[[nodiscard]] values::CodeSet harmless_fills(const BlockQuestion& question);

}  // namespace vl::neutral
