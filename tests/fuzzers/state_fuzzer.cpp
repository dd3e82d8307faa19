// parse_state on arbitrary bytes, in the type that the first byte names: no crash, no hang, errors within the text, and
// no empty set.
#include <cstdint>
#include <string_view>

#include "encodings/base/check.h"
#include "encodings/values/state.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto formats = vl::values::formats();
  const vl::values::Format& format = formats[data[0] % formats.size()];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const vl::values::CodeSet valid = vl::values::finite_codes(format);
  for (const vl::values::CodeSet* words : {&valid, static_cast<const vl::values::CodeSet*>(nullptr)}) {
    const auto state = vl::values::parse_state(text, format, words);
    if (!state) {
      VL_CHECK(state.error().offset <= text.size(), "an error behind the text of a state");
      continue;
    }
    VL_CHECK(!state->empty(), "a state without codes");
    VL_CHECK(state->is_subset_of(vl::values::CodeSet::all(format)), "a code that the type does not have");
  }
  return 0;
}
