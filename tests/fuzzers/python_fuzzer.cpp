// The reader of Python, and the importers of torch.fx and Torch-Spyre, on arbitrary bytes: no crash, no hang, and every
// piece lies in the text.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "encodings/base/check.h"
#include "encodings/notation/python.h"
#include "encodings/program/function.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const vl::python::Statement& statement : vl::python::statements_of(text))
    VL_CHECK(statement.offset + statement.length <= size, "a statement behind the text");
  for (const vl::mlir::Function& function : vl::program::functions_of(text)) {
    VL_CHECK(function.offset <= size && function.refused_at <= size, "a function behind the text");
    const vl::program::Function read = vl::program::function_of(function);
    for (const vl::program::Step& step : read.steps) VL_CHECK(step.offset <= size, "a step behind the text");
    if (!read.dataflow) continue;
    const std::string& program = read.dataflow->text;
    VL_CHECK(read.dataflow->steps.size() == static_cast<std::size_t>(std::ranges::count(program, '\n')),
             "lines of a program without steps");
  }
  return 0;
}
