// Archives of arbitrary bytes: no crash, no more memory than the archive can inflate to, and content of the stated
// length. Beside an entry that is written, all others are kept.
#include <algorithm>
#include <cstdint>
#include <string>

#include "encodings/base/check.h"
#include "oracle/files/npy.h"
#include "oracle/files/zip.h"

namespace {

void check_kept(std::span<const std::byte> archive, const std::vector<vl::oracle::ZipEntry>& entries) {
  const auto kept = vl::oracle::zip_without(archive, "beside");
  if (!kept) return;  // entries overlap
  const vl::oracle::ZipFrame frame = vl::oracle::zip_frame("beside", 0, *kept);
  std::string both;
  for (const auto& part : kept->contents) both.append(reinterpret_cast<const char*>(part.data()), part.size());
  both += frame.before + frame.behind;
  const auto all = vl::oracle::zip_entries(std::as_bytes(std::span(both)));
  VL_CHECK(all.has_value(), "what was written cannot be read");
  for (const auto& entry : entries) {
    const auto found = std::ranges::find(*all, entry.name, &vl::oracle::ZipEntry::name);
    VL_CHECK(found != all->end() && (entry.name == "beside" || std::ranges::equal(found->stored, entry.stored)),
             "an entry that was not kept");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto entries = vl::oracle::zip_entries(std::as_bytes(std::span(data, size)));
  if (!entries) return 0;
  check_kept(std::as_bytes(std::span(data, size)), *entries);
  for (const vl::oracle::ZipEntry& entry : *entries) {
    const auto content = vl::oracle::zip_content(entry);
    if (!content) continue;
    VL_CHECK(content->bytes.size() == entry.bytes && vl::oracle::crc32_of(content->bytes) == entry.crc,
             "content that is not what the directory says");
    static_cast<void>(vl::oracle::parse_npy(content->bytes));
  }
  return 0;
}
