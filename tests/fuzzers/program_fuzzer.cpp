// parse_program on arbitrary bytes: no crash, no hang, errors within the text; what is read can be printed and read
// again.
#include <cstdint>
#include <string_view>

#include "encodings/base/check.h"
#include "verifier/neutral/program/place.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace chain = vl::neutral::program;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto program = chain::parse_program(text);
  if (!program) {
    VL_CHECK(program.error().offset <= text.size(), "an error behind the text of a program");
    return 0;
  }
  std::vector<chain::Mask> masks;
  for (std::size_t at = 0; at < program->nodes.size(); ++at)
    for (chain::Region region = 1; region < program->nodes[at].regions(); ++region)
      if (exists(program->nodes[at], region)) masks.push_back({at, {}, region, 0});
  const auto again = chain::parse_program(text_with(*program, masks));
  VL_CHECK(again.has_value() || program->nodes.size() * 2 > chain::kMostNodes, "a printed program that is none");
  return 0;
}
