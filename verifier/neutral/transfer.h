// Transfer: what a pointwise operation makes of sets of codes, and which codes it needs.
//
// The image of sets under a function is every code that a result may be (functions.h) if each operand is any code of
// its set. Where the operands are few codes, or the format has at most 16 bits and the function one operand, each is
// evaluated: `exact`. Otherwise the kernel cuts the sets into boxes (values_kernel/images.h), and what it says may be
// more than the image, and is never less.
//
// Example: f32, add of inf and any: {inf} and every quiet NaN, from -inf and from NaN. f16, exp of 0: {1}.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "verifier/neutral/functions.h"

namespace vl::neutral {

struct Image {
  values::CodeSet codes;
  bool exact = false;
};

/// `most`: up to so many combinations of operands, each is evaluated. One set of a function of two operands: both are
/// one value, as of x - x (values_kernel/twice.h).
/// Requires: is_defined(), and as many sets as the function has operands, or that one; none is empty.
[[nodiscard]] Image image(Function function, const values::Format& format, values::MaxRule rule,
                          std::span<const values::CodeSet> operands, values::Code most = 1 << 16);

/// The image of a conversion, rounded once. One into the same format may do nothing, or make a NaN quiet: of f16
/// {0x7C01} it is that code and every quiet NaN. A float is cut to an integer, or any code where that has none
/// (values::cast).
[[nodiscard]] Image image_of_conversion(const values::Format& from, const values::Format& to,
                                        const values::CodeSet& codes, values::Code most = 1 << 16);

/// Codes of which no result is outside of what is demanded: all of them where the format has at most 16 bits, maybe not
/// all in wider ones. Requires: a function of one operand.
/// Example: f16, recip with a finite result: every x with |x| >= 257·2^-24, the infinities included (1/inf = 0). Of
/// 256·2^-24 it would be 65536, which is inf.
[[nodiscard]] values::CodeSet preimage(Function function, const values::Format& format, values::MaxRule rule,
                                       const values::CodeSet& demanded);

/// Is every result in a set of codes? The claim `transfer`.
struct TransferProved {
  Image image;
};
struct TransferRefuted {
  std::vector<values::Code> operands;
  values::CodeSet results;  // every code that this result may be; none of them was claimed
};
struct TransferUnknown {
  std::string reason;
  Image image;
};
using TransferVerdict = std::variant<TransferProved, TransferRefuted, TransferUnknown>;
/// Requires: as of image().
/// Example: f32, add, {inf} and any, claimed {inf}: refuted by inf + -inf, which is NaN.
[[nodiscard]] TransferVerdict decide_transfer(Function function, const values::Format& format, values::MaxRule rule,
                                              std::span<const values::CodeSet> operands,
                                              const values::CodeSet& claimed);

}  // namespace vl::neutral
