// Archives of arbitrary bytes: no crash, no more memory than the archive can inflate to, and content of the stated
// length.
#include <cstdint>

#include "encodings/base/check.h"
#include "oracle/files/npy.h"
#include "oracle/files/zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto entries = vl::oracle::zip_entries(std::as_bytes(std::span(data, size)));
  if (!entries) return 0;
  for (const vl::oracle::ZipEntry& entry : *entries) {
    const auto content = vl::oracle::zip_content(entry);
    if (!content) continue;
    VL_CHECK(content->bytes.size() == entry.bytes && vl::oracle::crc32_of(content->bytes) == entry.crc,
             "content that is not what the directory says");
    static_cast<void>(vl::oracle::parse_npy(content->bytes));
  }
  return 0;
}
