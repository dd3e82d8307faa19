#include "encodings/ttmetal/scan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/ttmetal/tree.h"
#include "encodings/ttmetal/ttmetal.h"

namespace vl::ttmetal {
namespace {

using use::Found;
using use::Passage;

constexpr std::array<use::Anchor, 4> kAnchors = {{{"TensorSpec", '(', false},
                                                  {"MemoryConfig", '(', false},
                                                  {"NdShardSpec", '(', false},
                                                  {"create_sharded_memory_config", '(', false}}};

constexpr std::size_t kLongest = 8U * 1024;  // a printed TensorSpec of twenty core ranges has 2000

// The place behind the bracket that closes the passage's; npos if there is none.
std::size_t behind_bracket(std::string_view text, std::size_t bracket) {
  std::size_t depth = 0;
  const std::size_t end = std::min(text.size(), bracket + kLongest);
  for (std::size_t at = bracket; at < end; ++at) {
    const char c = text[at];
    if (c == '(') ++depth;
    if (c == ')' && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

// The tensor in the words of --tensor; nothing if the text does not say it.
std::optional<std::string> tensor_of(const Spec& spec) {
  if (!spec.shape) return std::nullopt;
  const std::string_view type = spec.dtype == "bfloat8_b"   ? "bfp8"
                                : spec.dtype == "bfloat4_b" ? "bfp4"
                                                            : std::string_view(spec.dtype);
  const auto known = map::element_type_of(type);
  if (!known) return std::nullopt;
  return fmt::format("{}[{}]", map::name(*known), fmt::join(*spec.shape, ","));
}

std::vector<Found> found_at(const Passage& passage, const use::Anchor&) {
  const std::string_view text = passage.text;
  std::size_t start = passage.word;  // with the modules in front: ttnn.MemoryConfig
  while (start > 0 && (use::is_word(text[start - 1]) || text[start - 1] == '.' || text[start - 1] == ':')) --start;
  if (use::is_declared(text, start)) return {};
  const std::size_t end = behind_bracket(text, passage.bracket);
  if (end == std::string_view::npos) return {};
  while (start < passage.word && !use::is_word(text[start])) ++start;
  const std::string_view call = text.substr(start, end - start);
  if (call.find_first_not_of(" \t\r\n", passage.bracket + 1 - start) == call.size() - 1) return {};  // no argument
  Found found{start, end - start, use::bound(in_one_line(call), passage.definitions), {}, {}, 0, {}};
  const auto parsed = parse(found.layout);
  if (!parsed) {
    if (parsed.error().code == ErrorCode::Syntax) {
      if (use::has_parameters(in_one_line(call))) return {};
      if (use::is_abbreviated(call))
        use::leave_unread(found, use::kAbbreviated, "the text is abbreviated: '...' stands for a part of it");
      else
        use::leave_unread(found, use::kOtherNotation,
                          fmt::format("it is code, and no spec: {}", parsed.error().message));
    } else {
      found.tensor = "u8[1]";  // its reading gives the error
    }
    return {std::move(found)};
  }
  if (!parsed->unknown.empty()) use::leave_unread(found, use::kUnboundNames, parsed->unknown);
  else found.tensor = tensor_of(parsed->spec);
  return {std::move(found)};
}

}  // namespace

const use::Scan kScan{kAnchors, found_at, {}, {}};

}  // namespace vl::ttmetal
