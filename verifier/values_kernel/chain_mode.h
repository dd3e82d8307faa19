// The arithmetic of a chain: how its operations round and flush, whether integers saturate, and facts about functions.
//
// Images of images.h are of rounding to nearest even. Under another rounding a result is that one or a neighbour of the
// same sign; where a result may be too large it is the largest number, too, or an infinity or NaN. With an operand that
// is a zero, an infinity or NaN a sum, product or quotient is exact. Where results are flushed, a set with numbers up
// to the least normal one has the zeros of their signs; where operands are, the sets of operands have. Integers that
// saturate are also the ends of their range. If facts are stated, they are all that is known of functions which
// approximate, of reciprocals and of roots.
//
// Example: f16, 1 + [2^-12 .. 2^-11] toward zero: [1 - 2^-11 .. 1 + 2^-10], where the image to nearest is {1}.
#pragma once

#include "verifier/values_kernel/images.h"

namespace vl::values_kernel {

class ChainMode {
 public:
  /// Rejects words that are not known.
  explicit ChainMode(const ChainText& said);

  /// Rounding to nearest even, nothing flushed or saturated: of operations, and of conversions, too.
  [[nodiscard]] bool is_plain() const { return plain_; }
  [[nodiscard]] bool converts_plainly() const { return to_nearest_; }
  [[nodiscard]] bool has_facts() const { return said_.facts.has_value(); }
  [[nodiscard]] const Mode& mode() const { return mode_; }
  [[nodiscard]] bool flushes() const { return mode_.flush_results; }

  /// One set of a function of two operands: they are one value (twice.h). Requires: no set is empty.
  [[nodiscard]] CodeRanges image(const std::string& function, const Format& format, const std::string& max,
                                 const std::vector<CodeRanges>& operands) const;
  [[nodiscard]] CodeRanges conversion(const Format& from, const Format& to, const CodeRanges& set) const;
  [[nodiscard]] CodeRanges flushed(const Format& format, CodeRanges set) const;

  /// Whether facts alone say what a function gives.
  [[nodiscard]] bool is_stated(const std::string& function, const Format& format) const;
  /// Whether a stated function gives NaN of NaN, and one zero or the other of zeros.
  [[nodiscard]] bool keeps_nan(const std::string& function, const Format& format) const;
  [[nodiscard]] bool keeps_zeros(const std::string& function, const Format& format) const;

 private:
  [[nodiscard]] CodeRanges stated(const std::string& function, const Format& format, const CodeRanges& of,
                                  std::size_t from = 0) const;

  const ChainText& said_;
  Mode mode_;
  bool plain_ = true, to_nearest_ = true;
};

}  // namespace vl::values_kernel
