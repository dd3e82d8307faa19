// Which notation a text is in, by what stands in it.
#include <algorithm>
#include <array>

#include "encodings/program/python.h"

namespace vl::program {
namespace {

bool has(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

// torch.fx's tables have a column of targets and none of types. Gives where the head of one stands.
std::size_t table_at(std::string_view text) {
  for (std::size_t at = text.find("opcode"); at != std::string_view::npos; at = text.find("opcode", at + 1)) {
    const std::string_view line = text.substr(at, std::min(text.find('\n', at), text.size()) - at);
    if ((at == 0 || text[at - 1] == '\n') && has(line, "target") && has(line, "kwargs")) return at;
  }
  return std::string_view::npos;
}

bool has_python(std::string_view text) {
  constexpr std::array<std::string_view, 4> kWords{"torch.ops.", "call_function[target=", "def forward(self, ",
                                                   "async_compile.sdsc("};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return has(text, word); });
}

}  // namespace

mlir::Function PythonText::function(std::string_view name, std::size_t offset) const {
  mlir::Function out;
  out.name = name, out.offset = offset;
  out.names = std::shared_ptr<const mlir::Names>(kept, &kept->names);
  out.module = text, out.mark = "#";
  return out;
}

bool has_functions(std::string_view text) {
  return mlir::has_functions(text) || has_python(text) || table_at(text) != std::string_view::npos ||
         is_log_of_specs(text);
}

std::vector<mlir::Function> functions_of(std::string_view text) {
  if (mlir::has_functions(text)) return mlir::functions_of(text);
  PythonText read{text, {}};
  if (const std::size_t table = table_at(text); table != std::string_view::npos) {
    mlir::Function refused = read.function("@graph", table);
    refused.refused = "a table of nodes states no shapes: print_readable() states them";
    refused.refused_at = table;
    return {std::move(refused)};
  }
  if (is_log_of_specs(text)) return logged_functions_of(read);
  if (!has_python(text)) return {};
  read.statements = python::statements_of(text);
  std::vector<mlir::Function> out = fx_functions_of(read);
  std::ranges::move(kernels_of(read), std::back_inserter(out));
  std::ranges::stable_sort(out, {}, &mlir::Function::offset);
  return out;
}

}  // namespace vl::program
