// Texts as the functions that importers make of them, and the lines of one operation of MLIR.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/program/translator.h"
#include "tests/support/sanitized.h"

namespace vl::program::programs_test {

// Functions are pieces of a text, which is kept here.
inline const std::string& kept(std::string text) {
  static std::deque<std::string> all;
  return all.emplace_back(std::move(text));
}

inline std::vector<Function> read(const std::string& text) {
  static std::deque<std::vector<mlir::Function>> all;
  const auto& functions = all.emplace_back(functions_of(kept(text)));
  Options options;
  const Modules modules(functions);
  options.modules = &modules;
  std::vector<Function> out;
  for (const mlir::Function& function : functions) out.push_back(function_of(function, options));
  return out;
}

// Reads a text that is cut anywhere, and with letters that are changed to some of `letters`, or gone: each line of a
// program has a step and a result.
inline void ends_on_changed(const std::string& whole, std::string_view letters) {
  for (std::size_t cut = 0; cut <= whole.size(); cut += 3) (void)read(whole.substr(0, cut));
  std::mt19937 random(11);
  for (int k = 0; k < test::fact_or_campaign(2000, 20000); ++k) {
    std::string changed = whole;
    for (int j = 0; j < 3; ++j) {
      const std::size_t at = random() % changed.size();
      if (random() % 3 == 0) changed.erase(at, 1 + random() % 8);
      else changed[at] = letters[random() % letters.size()];
    }
    for (const Function& function : read(changed)) {
      if (!function.dataflow) continue;
      const auto lines = static_cast<std::size_t>(std::ranges::count(function.dataflow->text, '\n'));
      ASSERT_EQ(function.dataflow->steps.size(), lines) << changed;
      ASSERT_EQ(function.dataflow->results.size(), lines) << changed;
    }
  }
}

// The lines of one operation on %a, %b of these types, without tiles; or why it is not known.
inline std::string lines_of(const std::string& operation, const std::string& a, const std::string& b) {
  const auto all =
      read(fmt::format("func.func @f(%a: {}, %b: {}) -> f32 {{\n  {}\n  return %0 : f32\n}}\n", a, b, operation));
  if (all.size() != 1 || !all[0].dataflow || all[0].steps.empty()) return "no dataflow";
  const Step& step = all[0].steps[all[0].steps.size() - 2];
  if (step.known != Known::Judged) return "? " + step.why;
  std::string text = all[0].dataflow->text;
  const std::size_t begin = text.find('\n', text.find("b = input")) + 1, end = text.find("equal ");
  return text.substr(begin, end - begin);
}

struct Row {
  std::string operation, a, b, lines;
};

// Tenstorrent's tensors lie in tiles, which are not repeated here.
inline std::string tiled_lines_of(const std::string& operation, const std::string& a, const std::string& b) {
  std::string out = lines_of(operation, a, b);
  for (std::size_t at = out.find(" tile("); at != std::string::npos; at = out.find(" tile("))
    out.erase(at, out.find(')', at) + 1 - at);
  return out;
}

}  // namespace vl::program::programs_test
