// Block floats: 16 lanes share one exponent, and each lane keeps a sign and a few bits. What one lane becomes depends
// on the greatest of the others, padding included.
//
// bfp8, bfp4 and bfp2 have w = 7, 3, 1 bits of magnitude. Packing takes numbers as f32 with exponent fields E:
//   the shared exponent S   the greatest E of the group
//   the magnitude           min(2^w - 1, (2^23 + fraction) >> (S - E), cut to its w highest of 24 bits; ties to even)
//   zero                    where E = 0, or the magnitude is 0: without a sign
// The shift truncates, and only then the lower bits are rounded. A lane of magnitude k means ± k·2^(S - 127 - (w - 1)),
// read as the bits of f32, so that S = 255 and a highest bit are an infinity.
//
// Worked example: bfp8 of 1 and 200 (E = 127 and 134): S = 134, and 2^23 >> 7 is half of the least magnitude, a tie: 0.
//
// Sources: tenstorrent/tt-metal, tt_metal/impl/data_format/blockfloat_common.cpp (the types with 8 bits of exponent,
// which it calls Bfp8_b, Bfp4_b, Bfp2_b). Older versions of it keep something of subnormal numbers; here these are
// zero, as in the version of 2025.
#pragma once

#include <array>

#include "encodings/values/arithmetic.h"

namespace vl::values {

struct BlockFormat {
  std::string_view name;
  unsigned bits = 0;  // of the magnitude

  bool operator==(const BlockFormat&) const = default;
};

inline constexpr std::size_t kBlockLanes = 16;

/// bfp8 bfp4 bfp2.
[[nodiscard]] std::span<const BlockFormat> block_formats();
/// Nothing: there is no block format of that name.
[[nodiscard]] const BlockFormat* find_block_format(std::string_view name);

/// Whether the elements of a type have one f32 each, so that they can be packed. Not f64, the
/// fnuz formats, nor integers.
[[nodiscard]] bool is_packable(const Format& type);

/// E, the exponent field of an element as f32. bf16 0x3F80, 1: 127. Requires (all below): is_packable, codes of the
/// type.
[[nodiscard]] unsigned exponent_of(const Format& type, Code code);

/// One lane under a shared exponent: the sign above w bits of magnitude. Requires: shared >= exponent_of, shared < 256.
/// Example: bfp8 of bf16 1 under 127: 0x40; under 133: 0x01; under 135: 0x00.
[[nodiscard]] std::uint8_t packed(const BlockFormat& format, const Format& type, Code code, unsigned shared);

/// What a lane means, as f32. Requires: shared < 256, a lane of w + 1 bits.
[[nodiscard]] Code unpacked(const BlockFormat& format, std::uint8_t lane, unsigned shared);

struct Block {
  unsigned exponent = 0;
  std::array<std::uint8_t, kBlockLanes> lanes = {};

  bool operator==(const Block&) const = default;
};

/// A whole group. Requires: kBlockLanes codes.
[[nodiscard]] Block pack_block(const BlockFormat& format, const Format& type, std::span<const Code> codes);
/// Its lanes as f32.
[[nodiscard]] std::array<Code, kBlockLanes> unpack_block(const BlockFormat& format, const Block& block);

}  // namespace vl::values
