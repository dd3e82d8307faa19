#include "encodings/strided/scan.h"

#include <algorithm>
#include <array>

#include "encodings/strided/strided.h"

namespace vl::strided {
namespace {

using use::Found;
using use::Passage;

constexpr auto kAnchors = std::to_array<use::Anchor>({{"size", '(', true},
                                                      {"size", '[', true},
                                                      {"Size", '(', false},
                                                      {"shape", '(', true},
                                                      {"shape", '[', true},
                                                      {"ne", '[', true},
                                                      {"memref", '<', false},
                                                      {"FixedLayout", '(', false},
                                                      {"FlexibleLayout", '(', false},
                                                      {"DLTensor", '(', false},
                                                      {"reinterpret_tensor", '(', false},
                                                      {"assert_size_stride", '(', false},
                                                      {"as_strided", '(', false},
                                                      {"empty_strided", '(', false},
                                                      {"empty_strided_cpu", '(', false},
                                                      {"empty_strided_cuda", '(', false},
                                                      {"empty_strided_xpu", '(', false},
                                                      {"arange", '(', false},
                                                      {"empty", '(', false},
                                                      {"zeros", '(', false},
                                                      {"ones", '(', false},
                                                      {"rand", '(', false},
                                                      {"randn", '(', false}});
constexpr std::size_t kLongest = 4096;

// Calls whose sizes and strides are no tensor's: windows, and tiled layouts that have a host beside them.
bool is_of_another(const Passage& passage, std::size_t start) {
  std::size_t open = start;
  for (int depth = 1; open > 0 && depth > 0; --open) {
    const char c = passage.text[open - 1];
    if (c == '(') --depth;
    if (c == ')') ++depth;
  }
  std::size_t name = open;
  while (name > 0 && use::is_word(passage.text[name - 1])) --name;
  const std::string_view call = passage.text.substr(name, open - name);
  constexpr std::array<std::string_view, 4> kParts = {"Tiled", "ool", "onv", "nfold"};
  return std::ranges::any_of(kParts, [&](std::string_view part) { return call.find(part) != call.npos; });
}
// On the rest of its line is a layout of which these are the host's numbers.
bool is_host(std::string_view after) {
  const std::string_view line = after.substr(0, after.find('\n'));
  return line.find("TensorLayout") != line.npos || line.find("device_") != line.npos;
}

// The word may have a module in front of it, torch.empty, or a quote and a brace, {'shape'.
std::size_t start_of(const Passage& passage) {
  std::size_t start = passage.word;
  const auto before = [&] { return start > 0 ? passage.text[start - 1] : '\0'; };
  while (use::is_word(before()) || before() == '.') --start;
  if (before() == '\'' || before() == '"')
    if (const std::size_t brace = passage.text.substr(0, start - 1).find_last_not_of(' ');
        brace != std::string_view::npos && passage.text[brace] == '{')
      start = brace;
  return start;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

// How much of the text the reader takes; 0: nothing.
std::size_t length_of(std::string_view text) {
  use::Numbers<map::Expression> numbers(text);
  static_cast<void>(take_said(numbers, std::nullopt));
  return numbers.in.failed() ? 0 : numbers.in.offset();
}

std::vector<Found> found_at(const Passage& passage, const use::Anchor& anchor) {
  const std::size_t start = start_of(passage);
  const std::string_view rest = passage.text.substr(start, kLongest);
  const bool first = is_blank(passage.text.substr(0, start));
  if (!recognises(rest)) return {};
  const std::size_t length = length_of(rest);
  if (length == 0) return {};
  Found out{start, length, use::bound(rest.substr(0, length), passage.definitions), {}, {}, 0, {}};
  std::ranges::replace_if(
      out.layout, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  use::Numbers<map::Expression> numbers(out.layout);
  const auto said = take_said(numbers, std::nullopt);
  const bool repeats = std::ranges::any_of(said.view.stride, [](const auto& stride) { return stride.number() == 0; });
  const bool whole = first && is_blank(passage.text.substr(start + length));
  if (!whole && (repeats || !said.strides || said.wrong || !numbers.undecidable.empty())) return {};
  if (!whole && anchor.field && rest.substr(0, length).find('\n') != rest.npos) return {};  // fields of a record
  if (!whole && (is_of_another(passage, start) || is_host(passage.text.substr(start + length)))) return {};
  out.assumed = !said.type;
  const map::ElementType type = said.type.value_or(map::ElementType::U8);
  out.tensor = map::print(map::RuleTensor{type, said.view.size});
  for (const use::NamedSize& named : numbers.named) map::add_names(named.value, out.names);
  return {std::move(out)};
}

}  // namespace

const use::Scan kScan{kAnchors, found_at};

}  // namespace vl::strided
