// Calls of CUDA's driver that encode tensor maps, in C, in CUDA and in Python (ctypes, cuda-python).
#include <fmt/format.h>

#include "encodings/use/code_calls.h"
#include "encodings/use/descriptor_values.h"

namespace vl::use {
namespace {

constexpr std::string_view kEncode = "cuTensorMapEncode";
constexpr std::size_t kNoPlace = std::string_view::npos;

OrWhy<Descriptor> map_of(const CodeValues& values, const std::vector<std::string_view>& parts, std::size_t place) {
  const std::size_t first = values.language() == SourceLanguage::Python && parts.size() == 11 ? 0 : 1;
  const auto rank = values.integer(parts[first + 1], place);
  if (!rank) return fmt::format("the text gives the rank '{}' no value", parts[first + 1]);
  if (*rank < 1 || *rank > 5) return fmt::format("the rank is {}; expected 1 to 5", *rank);
  const auto count = static_cast<std::size_t>(*rank);
  DescriptorFields fields;
  struct Field {
    const char* name;
    std::size_t argument;
  };
  constexpr Field kLists[] = {{"dim", 3}, {"stride", 4}, {"box", 5}, {"step", 6}};
  for (const auto& [name, argument] : kLists) {
    auto numbers = values.numbers(parts[first + argument], place, argument == 4 ? count - 1 : count);
    if (const auto* reason = std::get_if<std::string>(&numbers)) return fmt::format("{}: {}", name, *reason);
    fields[name] = numbers_field(std::move(std::get<std::vector<map::Expression>>(numbers)));
  }
  constexpr std::pair<MapWord, Field> kWords[] = {{MapWord::Type, {"type", 0}},
                                                  {MapWord::Interleave, {"interleave", 7}},
                                                  {MapWord::Swizzle, {"swizzle", 8}},
                                                  {MapWord::Fill, {"fill", 10}}};
  for (const auto& [of, row] : kWords) {
    auto word = values.word(of, parts[first + row.argument], place);
    if (const auto* reason = std::get_if<std::string>(&word)) return *reason;
    fields[row.name] = std::get<DescriptorField>(std::move(word));
  }
  return made("tensormap", std::move(fields));
}

OrWhy<Descriptor> of_encode(const CodeValues& values, const FoundCall& call) {
  if (call.name.find("Im2col") != kNoPlace) return "an im2col tensor map, which is not read";
  if (call.name.find("EncodeTiled") == kNoPlace) return fmt::format("'{}' is not read", call.name);
  const auto& parts = call.arguments;
  const bool python = values.language() == SourceLanguage::Python;
  if (parts.size() != 12 && !(python && parts.size() == 11))
    return fmt::format("'{}' has {} arguments; cuTensorMapEncodeTiled has 12", call.name, parts.size());
  for (const std::string_view each : parts)
    if (python && each.starts_with("*")) return fmt::format("'{}' stands for several arguments", each);
  return map_of(values, parts, call.begin);
}

}  // namespace

void add_map_calls(SourceLanguage language, std::string_view text, std::vector<SeenDescriptor>& out) {
  if (language == SourceLanguage::None || text.find(kEncode) == kNoPlace) return;
  const std::string code = plain_code(language, text);
  const CodeValues values(language, text, code, kEncode);
  for (const FoundCall& call : calls_in(values.brackets(), code, kEncode)) {
    if (call.name.starts_with("PFN") || (call.closed && call.arguments.empty())) continue;  // a type, or a getter
    if (!call.closed) out.push_back({call.begin, call.end, std::string(kOpenCall)});
    else out.push_back({call.begin, call.end, of_encode(values, call)});
  }
}

}  // namespace vl::use
