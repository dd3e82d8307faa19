// Codes and sets of codes, drawn near the places where a rounding, a sign or a kind of number changes.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "encodings/values/arithmetic.h"
#include "encodings/values/code_set.h"
#include "tests/support/property.h"

namespace vl::test {

inline values::Code drawn_code(const values::Format& format, WideEngine& random) {
  using values::Code;
  const Code any = random() & format.mask();
  if (!format.is_float()) return random.below(4) == 0 ? (Code{0} - random.below(3)) & format.mask() : any;
  const Code one = values::one(format), most = largest(format, false), quantum = Code{1} << format.fraction_bits;
  const Code edge = one_of(random, {Code{0}, Code{1}, Code{2}, one, one + 1, most, most - 1, quantum, quantum - 1,
                                    values::default_nan(format)}) ^
                    (random.below(2) == 0 ? 0 : format.sign());
  switch (random.below(6)) {
    case 0: return edge;
    case 1: return (edge + random.below(6) - 1) & format.mask();
    case 2: return (any & (format.sign() | most)) ^ (random.below(2) << format.fraction_bits);
    case 3: return ((any & ~(quantum - 1)) | random.below(3)) & format.mask();
    default: return any;
  }
}

/// That many codes.
template <std::size_t count>
rc::Gen<std::array<values::Code, count>> some_codes(const values::Format& format) {
  return drawn<WideEngine>([&format](WideEngine& random) {
    std::array<values::Code, count> out;
    for (values::Code& code : out) code = drawn_code(format, random);
    return out;
  });
}

/// A code and another one, a few codes from it or from its negation, or anywhere.
inline rc::Gen<std::array<values::Code, 2>> near_codes(const values::Format& format) {
  return drawn<WideEngine>([&format](WideEngine& random) {
    const values::Code a = drawn_code(format, random);
    switch (random.below(4)) {
      case 0: return std::array{a, (a + random.below(16) - 8) & format.mask()};
      case 1: return std::array{a, ((a ^ format.sign()) + random.below(1200) - 600) & format.mask()};
      default: return std::array{a, drawn_code(format, random)};
    }
  });
}

/// Of that many ranges, or fewer where they meet.
inline values::CodeSet drawn_codes(const values::Format& format, WideEngine& random, std::uint64_t ranges) {
  std::vector<values::CodeRange> out;
  for (std::uint64_t i = 0; i < ranges; ++i) {
    const values::Code first = drawn_code(format, random);
    const values::Code width = random.below(3) == 0 ? 0 : (random() & format.mask()) >> random.below(format.bits);
    out.push_back({first, first + std::min(width, format.mask() - first)});
  }
  return values::CodeSet(std::move(out));
}

/// One code of a set that is not empty, its ends above all.
inline values::Code one_of(WideEngine& random, const values::CodeSet& set) {
  const values::CodeRange range = one_of(random, set.ranges());
  const values::Code width = range.last - range.first;
  switch (random.below(4)) {
    case 0: return range.first;
    case 1: return range.last;
    default: return width == ~values::Code{0} ? random() : range.first + random.below(width + 1);
  }
}

}  // namespace vl::test
