#include "encodings/cute/pointer.h"

#include <charconv>
#include <cstdint>

namespace vl::cute {

int reach_of(const Swizzle& swizzle) {
  return swizzle.bits + swizzle.base + (swizzle.shift < 0 ? -swizzle.shift : swizzle.shift);
}

bool is_aligned_address(std::string_view address, int bits) {
  if (address == "unset") return true;
  if (!address.starts_with("0x")) return false;
  std::uint64_t number = 0;
  const char* end = address.data() + address.size();
  const auto [stop, code] = std::from_chars(address.data() + 2, end, number, 16);
  return code == std::errc{} && stop == end && number % (std::uint64_t{1} << bits) == 0;
}

}  // namespace vl::cute
