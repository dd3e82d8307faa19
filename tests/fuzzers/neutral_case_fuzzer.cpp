// Case files of the campaign `neutral` on arbitrary bytes: no crash, no hang; what is read is written as it is read
// again, and has results.
#include <cstdint>
#include <string_view>

#include "encodings/base/check.h"
#include "oracle/fuzz/neutral/case.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(vl::oracle::ops::parse_order(text));
  const auto read = vl::oracle::neutral_case_of(text);
  if (!read) return 0;
  const std::string written = vl::oracle::case_text(*read);
  const auto again = vl::oracle::neutral_case_of(written);
  VL_CHECK(again.has_value() && vl::oracle::case_text(*again) == written, "a case that is not what was written");
  static_cast<void>(vl::oracle::results_of(read->asked.question, read->row));
  return 0;
}
