// parse_explore_request on arbitrary bytes: no crash, and nothing but a request or one of its statuses.
#include <cstdint>
#include <string_view>

#include "encodings/base/check.h"
#include "verifier/cli/explore_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = vl::cli::parse_explore_request(text, 8000);
  if (const auto* status = std::get_if<int>(&read))
    VL_CHECK(*status == 400 || *status == 403 || *status == 404 || *status == 405, "another status");
  else VL_CHECK(text.size() <= vl::cli::kMostOfRequest, "a request that is too long");
  return 0;
}
