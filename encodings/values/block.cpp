#include "encodings/values/block.h"

#include <algorithm>

#include "encodings/base/check.h"

namespace vl::values {
namespace {

constexpr auto kBlockFormats = std::to_array<BlockFormat>({{"bfp8", 7}, {"bfp4", 3}, {"bfp2", 1}});

const Format& single() { return *find_format("f32"); }

Code as_single(const Format& type, Code code) { return type == single() ? code : convert(type, single(), code); }

}  // namespace

std::span<const BlockFormat> block_formats() { return kBlockFormats; }

const BlockFormat* find_block_format(std::string_view name) {
  const auto found = std::ranges::find(kBlockFormats, name, &BlockFormat::name);
  return found == kBlockFormats.end() ? nullptr : &*found;
}

bool is_packable(const Format& type) { return has_negative_zero(type) && is_exact(type, single()); }

unsigned exponent_of(const Format& type, Code code) {
  return static_cast<unsigned>(as_single(type, code) >> 23 & 0xFF);
}

std::uint8_t packed(const BlockFormat& format, const Format& type, Code code, unsigned shared) {
  const Code bits = as_single(type, code);
  const auto exponent = static_cast<unsigned>(bits >> 23 & 0xFF);
  VL_CHECK(shared >= exponent && shared < 256, "an exponent that is not shared");
  if (exponent == 0) return 0;
  const Code significand = Code{1} << 23 | (bits & 0x7FFFFF);
  const Code shifted = shared - exponent > 24 ? 0 : significand >> (shared - exponent);
  const unsigned cut = 24 - format.bits;
  const Code half = Code{1} << (cut - 1), rest = shifted & ((Code{1} << cut) - 1);
  Code magnitude = shifted >> cut;
  if (rest > half || (rest == half && (magnitude & 1) != 0)) ++magnitude;
  magnitude = std::min(magnitude, (Code{1} << format.bits) - 1);
  const Code sign = magnitude == 0 ? 0 : bits >> 31;
  return static_cast<std::uint8_t>(sign << format.bits | magnitude);
}

Code unpacked(const BlockFormat& format, std::uint8_t lane, unsigned shared) {
  const Code sign = static_cast<Code>(lane >> format.bits & 1) << 31;
  Code magnitude = lane & ((Code{1} << format.bits) - 1);
  if (magnitude == 0) return sign;
  // The highest bit of the magnitude is that of the exponent; each place below it is one less.
  Code significand = magnitude << (24 - format.bits);
  unsigned exponent = shared;
  while ((significand & Code{1} << 23) == 0 && exponent > 1) significand <<= 1, --exponent;
  if ((significand & Code{1} << 23) == 0 || exponent == 0) return sign | significand;  // subnormal
  return sign | static_cast<Code>(exponent) << 23 | (significand & 0x7FFFFF);
}

Block pack_block(const BlockFormat& format, const Format& type, std::span<const Code> codes) {
  VL_CHECK(codes.size() == kBlockLanes, "a group of another size");
  Block out;
  for (const Code code : codes) out.exponent = std::max(out.exponent, exponent_of(type, code));
  for (std::size_t i = 0; i < kBlockLanes; ++i) out.lanes[i] = packed(format, type, codes[i], out.exponent);
  return out;
}

std::array<Code, kBlockLanes> unpack_block(const BlockFormat& format, const Block& block) {
  std::array<Code, kBlockLanes> out{};
  for (std::size_t i = 0; i < kBlockLanes; ++i) out[i] = unpacked(format, block.lanes[i], block.exponent);
  return out;
}

}  // namespace vl::values
