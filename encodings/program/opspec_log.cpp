// Torch-Spyre's log of operations, where the text has no kernels:
//   [DEBUG] [spyre_kernel] kernel_load: buf0, shape=[1, 3, 1], device_size=[3, 1, 1, 1, 64]
//   [DEBUG] [spyre_kernel] kernel_store: buf3 (type: PointwiseOp), shape=[1, 3, 128], device_size=[1, 2, 3, 64],
//   op_info={} [DEBUG] [spyre_kernel] op_spec: add, is_reduction=False, iteration_space={c0: (3, 3), c1: (128, 2)},
//   op_info={}
// Each kernel has its loads and stores first, and then its operations, in the order of the stores. The lines state no
// types, and not which symbol goes with which size: an operation is named, and what it gives is not known. Source:
// torch-spyre #1303.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/notation/mlir_text.h"
#include "encodings/program/python.h"

namespace vl::program {
namespace {

constexpr std::string_view kLoad = "kernel_load: ", kStore = "kernel_store: ", kSpec = "op_spec: ";

// The word behind another one in a line; empty where that is not in it.
std::string_view word_behind(std::string_view line, std::string_view what) {
  const std::size_t at = line.find(what);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + what.size());
  return rest.substr(0, std::min(rest.find_first_of(", ("), rest.size()));
}

struct Stored {
  std::vector<std::string> loads;
  std::string name;
};

}  // namespace

bool is_log_of_specs(std::string_view text) {
  const std::size_t at = text.find(kSpec);
  if (at == std::string_view::npos || text.find(".sdsc(") != std::string_view::npos) return false;
  return text.substr(at, text.find('\n', at) - at).find(", is_reduction=") != std::string_view::npos;
}

std::vector<mlir::Function> logged_functions_of(const PythonText& text) {
  std::vector<mlir::Function> out;
  std::vector<Stored> stored;  // of the kernel at hand
  std::vector<std::string> loads, read;
  std::size_t next = 0;  // of them, whose operation comes
  for (std::size_t at = 0; at < text.text.size();) {
    const std::size_t end = std::min(text.text.find('\n', at), text.text.size());
    const std::string_view line = text.text.substr(at, end - at);
    at = end + 1;
    const std::string_view load = word_behind(line, kLoad), store = word_behind(line, kStore),
                           name = word_behind(line, kSpec);
    if ((!load.empty() || !store.empty()) && next > 0) stored.clear(), next = 0;
    if (!load.empty()) loads.emplace_back(load);
    if (!store.empty()) stored.push_back({std::exchange(loads, {}), std::string(store)});
    if (name.empty()) continue;
    if (out.empty()) out.push_back(text.function("@op_specs", text.offset(line)));
    mlir::Operation& made = out[0].body.operations.emplace_back();
    made.name = text.kept->keep(fmt::format("OpSpec.{}", name));
    made.offset = text.offset(line), made.length = line.size();
    made.refused = "a log states neither the types of its tensors nor where their elements are: the kernel does";
    if (next >= stored.size()) continue;
    made.operands = stored[next].loads, made.results = {stored[next].name};
    read.insert(read.end(), made.operands.begin(), made.operands.end());
    ++next;
  }
  if (out.empty()) return out;
  mlir::Operation given;
  given.name = "return", given.offset = out[0].body.operations.back().offset;
  for (const mlir::Operation& each : out[0].body.operations)
    for (const std::string& result : each.results)
      if (std::ranges::find(read, result) == read.end()) given.operands.push_back(result);
  out[0].body.operations.push_back(std::move(given));
  return out;
}

}  // namespace vl::program
