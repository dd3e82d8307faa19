// Matrix descriptors of NVIDIA's wgmma and tcgen05: 64 bits that say where an operand in shared memory has element
// (mn, k). PTX ISA 9.0, 9.7.15.5.1 and 9.7.16.10; README.md has the table of their bits.
//
//   smemdesc(wgmma, K, f16, start 1024, sbo 1024, swizzle 128B)     the fields in bytes (encodings/use/descriptor.h)
//   wgmma:0x4000004000010040 MN                                     the 64 bits; K-major where neither K nor MN stands
//
// e bytes an element, c = the 16-byte column of the direction that is contiguous, rest = the byte in it, W the span of
// the swizzle. The byte of (mn, k), before the swizzle of the absolute address:
//   K-major, c of k      none  start + 16·(mn mod 8) + SBO·⌊mn/8⌋ + LBO·c + rest
//                        W     start + W·(mn mod 8) + SBO·⌊mn/8⌋ + 16·c + rest
//   MN-major, c of mn    none  start + SBO·c + 16·(k mod 8) + LBO·⌊k/8⌋ + rest
//                        W     start + 16·(c mod W/16) + LBO·⌊c/(W/16)⌋ + W·(k mod 8) + SBO·⌊k/8⌋ + rest
// and of 128B_ATOM_32B 4 in the place of 8. Swizzles on bytes: 32B is <1,4,3>, 64B <2,4,3>, 128B <3,4,3> and
// 128B_ATOM_32B <2,5,2>.
//
// Example: smemdesc(wgmma, K, f16, start 1024, sbo 1024, swizzle 128B) has (9, 8) at byte 2048 + 128 + 16 = 2192, whose
// bits 7 to 9 are 1, so it lies at 2176: slot 1088, in elements.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "encodings/map/layout.h"
#include "encodings/map/tensor.h"

namespace vl::descriptor {

enum class Unit { Wgmma, Tcgen05 };
enum class Span { None, B32, B64, B128, Atom32 };

struct Operand {
  Unit unit = Unit::Wgmma;
  bool mn_major = false;
  Index start = 0, lbo = 0, sbo = 0;  // bytes
  Span span = Span::None;
  Index base_offset = 0, lbo_mode = 0;
  int bits = 0;          // of an element; 0: the text does not say, and the tensor does
  bool assumed = false;  // that it is K-major: the text says neither K nor MN

  bool operator==(const Operand&) const = default;
};

/// Reads either form. Errors: Syntax, Value (a number that the fields cannot hold, bits that no descriptor has).
[[nodiscard]] Result<Operand> parse(std::string_view text);

/// The 64 bits. Requires: what parse gives. Errors: Value for a field that is no multiple of 16, or has more than 18
/// bits. Example: start 1024, lbo 16, sbo 1024, 128B of wgmma is 0x4000004000010040.
[[nodiscard]] Result<std::uint64_t> encode(const Operand& operand);
/// What the bits say. Errors: Value for a code of the swizzle, or a version, that there is not.
[[nodiscard]] Result<Operand> decode(Unit unit, std::uint64_t bits);

/// "wgmma:0x4000004000010040 MN".
[[nodiscard]] std::string print(const Operand& operand);

/// The layout of a tensor [mn, k], its places in elements on the axis m. Errors: Shape for another rank, or an extent
/// along a swizzled row beyond its span; Value for a type that is no part of 16 bytes, or none of the operand's;
/// Overflow.
[[nodiscard]] Result<map::Layout> lower(const Operand& operand, const map::Tensor& tensor);

}  // namespace vl::descriptor
