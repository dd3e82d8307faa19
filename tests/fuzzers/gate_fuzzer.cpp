// The gate's reader of adapters on arbitrary bytes: no crash; what is read as JSON prints as itself, what is read as a
// handshake offers something, and what is read as answers has as many as were asked for.
#include <cstdint>
#include <string_view>

#include "encodings/base/check.h"
#include "oracle/gate/cases.h"
#include "oracle/gate/protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = vl::gate::parse_json(text);
  if (parsed) {
    const std::string printed = vl::gate::print_json(*parsed);
    const auto again = vl::gate::parse_json(printed);
    VL_CHECK(again && *again == *parsed, "a value that does not print as itself");
    static_cast<void>(vl::gate::case_of(*parsed));
  } else {
    VL_CHECK(!parsed.error().message.empty() && parsed.error().offset <= size, "an error without a place");
  }
  const auto peer = vl::gate::read_hello(text);
  VL_CHECK(!peer || (parsed && !peer->ops.empty() && !peer->name.empty()), "a handshake that offers nothing");
  const auto answers = vl::gate::read_answers(text, 1, 2);
  VL_CHECK(!answers || answers->all.size() == 2 || (answers->crash && answers->all.size() < 2),
           "answers of another number");
  return 0;
}
