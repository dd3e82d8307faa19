// parse_descriptor and parse_rule_condition on arbitrary bytes: no crash, no hang, errors within the text; what is read
// is printed, and read again as the same, and places of its tile are followed. What descriptors_in finds stands in the
// text.
#include <cstdint>
#include <string_view>

#include "encodings/base/check.h"
#include "encodings/use/descriptor_scan.h"
#include "encodings/use/descriptor_way.h"
#include "encodings/use/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto descriptor = vl::use::parse_descriptor(text); !descriptor) {
    VL_CHECK(descriptor.error().offset <= size, "an error behind the text of a descriptor");
  } else {
    const auto again = vl::use::parse_descriptor(vl::use::print(*descriptor));
    VL_CHECK(again && vl::use::print(*again) == vl::use::print(*descriptor),
             "a descriptor that is not read as printed");
    // The first and the last place of its tile go somewhere, or it is said why not.
    if (const auto tile = vl::use::tile_of(*descriptor)) {
      std::vector<vl::Index> last;
      for (const vl::Index extent : tile->extents) last.push_back(extent - 1);
      for (const auto& t : {std::vector<vl::Index>(last.size(), 0), last})
        if (const auto way = vl::use::way_of(*descriptor, t); !way)
          VL_CHECK(!way.error().message.empty(), "a place without a way, and no reason");
    }
  }
  for (const vl::use::DescriptorKind& kind : vl::use::descriptor_kinds())
    if (const auto condition = vl::use::parse_rule_condition(text, kind); !condition)
      VL_CHECK(condition.error().offset <= size, "an error behind the text of a condition");
  for (const vl::use::SeenDescriptor& seen : vl::use::descriptors_in({}, text))
    VL_CHECK(seen.begin <= seen.end && seen.end <= size, "a descriptor that is seen behind the text");
  return 0;
}
