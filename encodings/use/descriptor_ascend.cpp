// DataCopyPad of Ascend C: DataCopyPad(destination, source, {blockCount, blockLen, srcStride, dstStride, rsv}, …). With
// a fourth argument, how to pad, it goes from global memory to the unified buffer; without one the other way.
#include <fmt/format.h>

#include "encodings/use/code_calls.h"
#include "encodings/use/descriptor_values.h"

namespace vl::use {
namespace {

constexpr std::string_view kDataCopy = "DataCopyPad";

OrWhy<Descriptor> of_copy(const CodeValues& values, const std::vector<std::string_view>& parts, std::size_t place) {
  if (parts.size() != 3 && parts.size() != 4)
    return fmt::format("a call with {} arguments; expected 3 or 4", parts.size());
  const auto numbers = values.numbers(parts[2], place, 4);
  if (const auto* reason = std::get_if<std::string>(&numbers)) return *reason;
  const auto& all = std::get<std::vector<map::Expression>>(numbers);
  return made("datacopypad", {{"direction", word_field(parts.size() == 4 ? "load" : "store")},
                              {"count", number_field(all[0])},
                              {"length", number_field(all[1])},
                              {"source_gap", number_field(all[2])},
                              {"target_gap", number_field(all[3])}});
}

}  // namespace

void add_data_copies(SourceLanguage language, std::string_view text, std::vector<SeenDescriptor>& out) {
  if (language != SourceLanguage::C || text.find(kDataCopy) == std::string_view::npos) return;
  const std::string code = plain_code(language, text);
  const CodeValues values(language, text, code, kDataCopy);
  for (const FoundCall& call : calls_in(values.brackets(), code, kDataCopy)) {
    if (call.name != kDataCopy) continue;  // DataCopyPadExtParams
    if (!call.closed) out.push_back({call.begin, call.end, std::string(kOpenCall)});
    else out.push_back({call.begin, call.end, of_copy(values, call.arguments, call.begin)});
  }
}

}  // namespace vl::use
