// read_padding on arbitrary bytes, in the type that the first byte names: no crash, no hang, errors within the text,
// and for each region of three dimensions some codes of the type.
#include <cstdint>
#include <string_view>
#include <vector>

#include "encodings/base/check.h"
#include "encodings/values/state.h"
#include "verifier/claims/padded_run.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto formats = vl::values::formats();
  const vl::values::Format& format = formats[data[0] % formats.size()];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<vl::use::OperationDim> dims{{"M", 55}, {"K", 67}, {"d0", 1}};
  const auto states = vl::claims::read_padding(text, dims, format, vl::values::finite_codes(format));
  if (!states) {
    VL_CHECK(states.error().offset <= text.size(), "an error behind the text");
    return 0;
  }
  const auto all = vl::values::CodeSet::all(format);
  VL_CHECK(states->said.size() <= 8, "more regions than there are");
  for (vl::use::Region region = 0; region < 8; ++region) {
    const auto codes = states->of(region, format);
    VL_CHECK(!codes.empty() && codes.is_subset_of(all), "a region without codes of the type");
    for (const auto& said : states->said)
      VL_CHECK(said.dims != region || codes == said.codes, "a region that holds something else than is said of it");
  }
  VL_CHECK(!states->of_holes(format).empty(), "holes without codes");
  return 0;
}
