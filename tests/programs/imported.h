// Texts as the functions that importers make of them, and the lines of one operation of MLIR.
#pragma once

#include <fmt/format.h>

#include <deque>
#include <string>
#include <vector>

#include "encodings/program/translator.h"

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
