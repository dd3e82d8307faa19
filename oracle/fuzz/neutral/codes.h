// Codes: what contents and pads are drawn from. A test with normal random numbers misses a quarter of the wrong fills;
// what finds them are the outermost codes of a set and of a format, and the identity of the operation.
#pragma once

#include <vector>

#include "encodings/use/random.h"
#include "encodings/values/code_set.h"

namespace vl::oracle {

using use::Random;
using values::Code;
using values::CodeSet;
using values::Format;

/// Codes that are likely to tell, without repeats: the zeros, ones, the least and greatest numbers, the subnormals' and
/// normals' ends, roots of the least number, infinities, quiet and signalling NaNs with payloads, both signs of each;
/// -42, 0x7FFF, neighbours of 1.
[[nodiscard]] std::vector<Code> telling_codes_of(const Format& format);

/// The neighbours of a code in the order of numbers and of codes, those that there are.
[[nodiscard]] std::vector<Code> neighbours_of(const Format& format, Code code);

/// The first and last codes of some ranges of a set.
[[nodiscard]] std::vector<Code> ends_of(const CodeSet& set);

/// Any code of a set; each range is as likely as any other. Requires: the set is not empty.
[[nodiscard]] Code any_of(const CodeSet& set, Random& random);

/// A source of codes of one set.
class Codes {
 public:
  /// Requires: the set is not empty.
  Codes(const Format& format, CodeSet set);

  [[nodiscard]] const CodeSet& set() const { return set_; }
  /// Telling codes of the set, its ends, any code, numbers near 1, each in a share of its own.
  [[nodiscard]] Code draw(Random& random) const;
  /// As draw, and sometimes a code of `known`, its negation or its neighbour, if the set has it.
  [[nodiscard]] Code draw(Random& random, const std::vector<Code>& known) const;
  /// The ends of the set, then its telling codes: number k of them; nothing if there are no more.
  [[nodiscard]] std::optional<Code> telling(std::size_t k) const;

 private:
  Format format_;
  CodeSet set_;
  std::vector<Code> telling_;
};

}  // namespace vl::oracle
