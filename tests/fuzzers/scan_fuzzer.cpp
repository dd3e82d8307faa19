// Every family's scan on arbitrary text, read in blocks of two sizes: no crash, the same findings, each with a place in
// the text; what is found is read, or refused with an error inside the layout. The first byte selects the smaller
// block.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "encodings/base/check.h"
#include "verifier/session/reading.h"
#include "verifier/session/scan.h"

namespace {

vl::session::Scanned scanned(std::string_view text, std::size_t block) {
  vl::session::ScanOptions options;
  options.block = block;
  options.definitions = {{"BM", 128}, {"N", -1}};
  std::size_t at = 0;
  return vl::session::scan(
      "fuzz",
      [&](char* buffer, std::size_t most) {
        const std::size_t size = text.copy(buffer, most, at);
        at += size;
        return size;
      },
      options);
}

const vl::session::Occurrences& occurrences(const std::variant<vl::session::Sighting, vl::session::SkippedText>& item) {
  return std::visit([](const auto& found) -> const vl::session::Occurrences& { return found.at; }, item);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = scanned(text, std::size_t{1} << 20);
  const auto parts = scanned(text, data[0] + std::size_t{1});
  VL_CHECK(whole.all.size() == parts.all.size(), "the block changes what is found");
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  for (std::size_t i = 0; i < whole.all.size(); ++i) {
    const auto& at = occurrences(whole.all[i]);
    VL_CHECK(at == occurrences(parts.all[i]), "the block changes where it is found");
    VL_CHECK(at.place.line >= 1 && at.place.line <= lines && at.place.column >= 1, "a place outside the text");
    VL_CHECK(!at.lines.empty() && at.occurrences >= at.lines.size(), "a finding that is nowhere");
    if (const auto* skipped = std::get_if<vl::session::SkippedText>(&whole.all[i])) {
      VL_CHECK(!skipped->reason.empty(), "a layout is skipped without a reason");
      continue;
    }
    const auto& request = std::get<vl::session::Sighting>(whole.all[i]).request;
    const auto read = vl::session::read_unproved(request);
    if (const auto* error = std::get_if<vl::session::TextError>(&read))
      VL_CHECK(!error->error.message.empty(), "an error without a message");
  }
  return 0;
}
