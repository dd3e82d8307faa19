// parse_profile on arbitrary bytes: no crash, no hang, errors within the text, and alternatives in every type that has
// an accumulator.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "encodings/base/check.h"
#include "encodings/values/profile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vl::values;  // NOLINT: the folder under test
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto profile = parse_profile(text);
  if (!profile) {
    VL_CHECK(profile.error().offset <= text.size(), "an error behind the text of a profile");
    return 0;
  }
  const std::span<const Entry> few = entries().first(4);
  for (const Format& format : formats()) {
    const bool own = std::ranges::find(profile->accumulate, nullptr) != profile->accumulate.end();
    VL_CHECK(!own || !alternatives(*profile, format, few).empty(), "a profile without alternatives");
  }
  return 0;
}
