// map::parse on arbitrary bytes: no crash, errors within the text; an accepted map is printed and read back the same.
#include <cstdint>
#include <string_view>

#include "encodings/base/check.h"
#include "encodings/map/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto map = vl::map::parse(text);
  if (!map) {
    VL_CHECK(map.error().offset <= size, "an error behind the text");
    return 0;
  }
  const std::string printed = vl::map::print(*map);
  const auto again = vl::map::parse(printed);
  VL_CHECK(again.has_value(), "what was printed is refused: " + printed);
  VL_CHECK(*again == *map && vl::map::print(*again) == printed, "what was printed is read differently");
  return 0;
}
