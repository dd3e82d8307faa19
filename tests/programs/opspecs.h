// Kernels of Torch-Spyre as texts.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "encodings/program/function.h"

namespace vl::program::programs_test {

// A tensor of fp16 at an offset of hbm or of another space.
inline std::string tensor(bool input, int argument, const std::string& size, const std::string& coordinates,
                          long offset, const std::string& more = "", const std::string& space = "hbm") {
  std::string said;
  for (std::size_t at = 0; at < coordinates.size();) {
    const std::size_t end = std::min(coordinates.find(';', at), coordinates.size());
    said += fmt::format("{}sympify('{}')", said.empty() ? "" : ", ", coordinates.substr(at, end - at));
    at = end + 1;
  }
  return fmt::format(
      "TensorArg(is_input={}, arg_index={}, device_dtype=DataFormats.SEN169_FP16, device_size={}, "
      "device_coordinates=[{}], allocation={{'{}': {}}}{}), ",
      input ? "True" : "False", argument, size, said, space, offset, more);
}

inline std::string spec(const std::string& op, bool reduces, const std::string& space, const std::string& arguments,
                        const std::string& info = "{}", const std::string& more = "") {
  return fmt::format("OpSpec(op='{}', is_reduction={}, iteration_space={{{}}}, op_info={}, args=[{}]{}),\n", op,
                     reduces ? "True" : "False", space, info, arguments, more);
}

inline std::string kernel(const std::string& specs, const std::string& comment = "") {
  return fmt::format("{}k = async_compile.sdsc('k', [\n{}])\n", comment, specs);
}

// The lines of a function's program, without inputs; or why one of its operations is not known.
inline std::string lines_in(const Function& function) {
  if (!function.dataflow) return "no dataflow";
  for (const Step& step : function.steps)
    if (step.known == Known::Unknown) return "? " + step.why;
  std::string text = function.dataflow->text, out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::string line = text.substr(at, end - at);
    if (line.find(" = input ") == std::string::npos && !line.starts_with("equal")) out += line;
    at = end;
  }
  return out;
}

}  // namespace vl::program::programs_test
