// Calls of CUDA's driver that encode tensor maps, in C, in CUDA and in Python (ctypes, cuda-python).
#include <fmt/format.h>

#include "encodings/use/descriptor_values.h"
#include "encodings/use/scan.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

constexpr std::string_view kEncode = "cuTensorMapEncode";
constexpr std::size_t kNoPlace = std::string_view::npos;

// One place where the name of the function stands.
struct EncodeCall {
  std::string_view name;
  std::size_t begin = 0, open = kNoPlace;  // its bracket; none where it is not called
};

EncodeCall encode_call(std::string_view code, std::size_t at) {
  EncodeCall out;
  std::size_t begin = at, end = at;
  while (begin > 0 && is_word(code[begin - 1])) --begin;
  while (end < code.size() && is_word(code[end])) ++end;
  out.begin = begin, out.name = code.substr(begin, end - begin);
  end = std::min(code.find_first_not_of(" \t\r\n", end), code.size());
  // CHECKED(cuTensorMapEncodeTiled)(&map, …): the macro's bracket is closed in between.
  if (end < code.size() && code[end] == ')') {
    end = std::min(code.find_first_not_of(" \t\r\n", end + 1), code.size());
    const std::size_t front = code.substr(0, begin).find_last_not_of(" \t\r\n");
    if (front == kNoPlace || code[front] != '(') return out;
  }
  if (end < code.size() && code[end] == '(' && !out.name.starts_with("PFN")) out.open = end;
  return out;
}

// Whether a name is declared or defined there: a type or `def` stands in front of it.
bool is_declaration(std::string_view code, const EncodeCall& call) {
  const std::string_view front =
      trimmed(code.substr(code.substr(0, call.begin).find_last_of(";{}(\n=") + 1,
                          call.begin - code.substr(0, call.begin).find_last_of(";{}(\n=") - 1));
  if (front.empty()) return false;
  const char last = front.back();
  for (const std::string_view word : {"return", "else", "throw", "await", "not", "in", "and", "or", "do"})
    if (front.ends_with(word)) return false;
  return is_word(last) || last == '*';
}

Or<Descriptor> map_of(const CodeValues& values, const std::vector<std::string_view>& parts, std::size_t place) {
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
  auto made = descriptor_of("tensormap", std::move(fields));
  if (!made) return made.error().message;
  return std::move(*made);
}

Or<Descriptor> of_encode(const CodeValues& values, const EncodeCall& call) {
  if (call.name.find("Im2col") != kNoPlace) return "an im2col tensor map, which is not read";
  if (call.name.find("EncodeTiled") == kNoPlace) return fmt::format("'{}' is not read", call.name);
  const auto parts = values.brackets().parts(call.open);
  const bool python = values.language() == SourceLanguage::Python;
  if (parts.size() != 12 && !(python && parts.size() == 11))
    return fmt::format("'{}' has {} arguments; cuTensorMapEncodeTiled has 12", call.name, parts.size());
  for (const std::string_view each : parts)
    if (python && each.starts_with("*")) return fmt::format("'{}' stands for several arguments", each);
  return map_of(values, parts, call.begin);
}

}  // namespace

void add_map_calls(SourceLanguage language, std::string_view text, std::vector<SeenDescriptor>& out) {
  if (text.find(kEncode) == kNoPlace) return;
  const std::string code = plain_code(language, text);
  const CodeValues values(language, text, code, kEncode);
  const std::string_view view = code;
  for (std::size_t at = view.find(kEncode); at != kNoPlace; at = view.find(kEncode, at + 1)) {
    const EncodeCall call = encode_call(view, at);
    at = std::max(at, call.begin + call.name.size() - 1);
    if (call.open == kNoPlace || is_declaration(view, call)) continue;
    const std::size_t end = values.brackets().closing(call.open);
    if (end == kNoPlace) out.push_back({call.begin, call.open, "a call whose bracket is not closed"});
    else if (!values.brackets().parts(call.open).empty()) out.push_back({call.begin, end + 1, of_encode(values, call)});
  }
}

}  // namespace vl::use
