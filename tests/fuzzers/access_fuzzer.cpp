// parse_access and parse_box on arbitrary bytes: no crash, no hang, errors within the text.
#include <cstdint>
#include <string_view>

#include "encodings/base/check.h"
#include "encodings/map/tensor.h"
#include "encodings/use/access.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto access = vl::use::parse_access(text); !access)
    VL_CHECK(access.error().offset <= size, "an error behind the text of an access");
  if (const auto box = vl::map::parse_box(text); !box)
    VL_CHECK(box.error().offset <= size, "an error behind the text of a box");
  return 0;
}
