// Calls of SPIR-V's 2-D blocks in C: __spirv_Subgroup2DBlockLoadINTEL(bytes, columns, rows, blocks, base, width,
// height, pitch, …). A store has the address of its values before the base.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/use/code_calls.h"
#include "encodings/use/descriptor_values.h"

namespace vl::use {
namespace {

constexpr std::string_view kSpirv = "__spirv_Subgroup2DBlock";

struct BlockCall {
  std::string_view name;  // what follows kSpirv
  const char* direction;
  const char* mode;
  std::size_t base;  // which argument
};
constexpr BlockCall kBlockCalls[] = {{"LoadINTEL", "load", "plain", 4},
                                     {"LoadTransposeINTEL", "load", "transpose", 4},
                                     {"LoadTransformINTEL", "load", "vnni", 4},
                                     {"PrefetchINTEL", "load", "plain", 4},
                                     {"StoreINTEL", "store", "plain", 5}};

OrWhy<Descriptor> of_block_call(const CodeValues& values, const BlockCall& call,
                                const std::vector<std::string_view>& parts, std::size_t place) {
  if (parts.size() < call.base + 4) return fmt::format("a call with {} arguments", parts.size());
  DescriptorFields fields{{"direction", word_field(call.direction)}, {"mode", word_field(call.mode)}};
  constexpr const char* kShape[] = {"bits", "columns", "rows", "blocks"};
  for (std::size_t k = 0; k < 4; ++k) {
    const auto value = values.number(parts[k], place);
    if (const auto* reason = std::get_if<std::string>(&value)) return fmt::format("{}: {}", kShape[k], *reason);
    const auto& number = std::get<map::Expression>(value);
    fields[kShape[k]] = number_field(k == 0 ? number * map::Expression(8) : number);
  }
  constexpr const char* kSurface[] = {"width", "height", "pitch"};
  for (std::size_t k = 0; k < 3; ++k)
    if (const auto value = values.number(parts[call.base + 1 + k], place);
        std::holds_alternative<map::Expression>(value))
      fields[kSurface[k]] = number_field(std::get<map::Expression>(value));
  return made("block2d", std::move(fields));
}

}  // namespace

void add_block_calls(SourceLanguage language, std::string_view text, std::vector<SeenDescriptor>& out) {
  if (language != SourceLanguage::C || text.find(kSpirv) == std::string_view::npos) return;
  const std::string code = plain_code(language, text);
  const CodeValues values(language, text, code, kSpirv);
  for (const FoundCall& call : calls_in(values.brackets(), code, kSpirv)) {
    const auto known =
        std::ranges::find(kBlockCalls, call.name.substr(std::min(kSpirv.size(), call.name.size())), &BlockCall::name);
    if (known == std::end(kBlockCalls) || !call.name.starts_with(kSpirv))
      out.push_back({call.begin, call.end, fmt::format("'{}' is not read", call.name)});
    else if (!call.closed) out.push_back({call.begin, call.end, std::string(kOpenCall)});
    else out.push_back({call.begin, call.end, of_block_call(values, *known, call.arguments, call.begin)});
  }
}

}  // namespace vl::use
