// Text of nests: arbitrary bytes give a transfer, or an error with an offset inside the text. A transfer is printed as
// JSON and, with a host side, in compact form and as the runtimes' logs; each of these is read back as the same
// transfer.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "encodings/use/family.h"
#include "verifier/report/nests.h"
#include "verifier/session/nests_file.h"
#include "verifier/session/rule_nests_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vl;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto rule = session::parse_rule_nests(text)) {
    VL_CHECK(!report::nests_to_text(*rule, {}).empty(), "nests with names have a listing");
    const std::string printed = report::nests_to_json(*rule, {});
    const auto again = session::parse_rule_nests(printed);
    VL_CHECK(again && report::nests_to_json(*again, {}) == printed, "what is printed is what was read: " + printed);
  } else {
    VL_CHECK(rule.error().offset <= size, "an error stands in the text");
  }
  const auto transfer = session::parse_nests(text);
  if (!transfer) {
    VL_CHECK(transfer.error().offset <= size, "an error stands in the text");
    return 0;
  }
  const auto same = [&](const std::string& printed) {
    const auto again = session::parse_nests(printed, transfer->direction);
    VL_CHECK(again.has_value() && *again == *transfer, "what is printed is what was read: " + printed);
  };
  same(report::nests_to_json(*transfer));
  VL_CHECK(!report::nests_to_text(*transfer).empty(), "a transfer has a listing");
  if (transfer->direction == use::Direction::DeviceToDevice) return 0;
  for (const use::Family* family : use::families())
    if (family->nests_log != nullptr) same(family->nests_log->print(*transfer, {}, {}));
  if (!transfer->nests.empty()) same(report::nests_to_compact(*transfer));
  return 0;
}
