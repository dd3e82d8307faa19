// One transfer, the documented example, for the tests of the program: its layout, its tensor, its nests as JSON.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/process.h"

namespace vl::test::nests {

inline const std::string kLayout =
    "SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], "
    "device_dtype=DataFormats.SEN169_FP16)";
inline const std::string kTensor = "f16[5,100,150]";

// The documented JSON, letter by letter.
inline const std::string kExample =
    R"({"direction":"h2d","nests":[{"extents":[2,100,5,64],"host_strides":[64,150,15000,1],)"
    R"("device_strides":[320,960,64,1],"host_offset":0,"device_offset":0},)"
    "\n                            "
    R"({"extents":[1,100,5,22],"host_strides":[64,150,15000,1],)"
    R"("device_strides":[320,960,64,1],"host_offset":128,"device_offset":640}]})"
    "\n";

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("nothing to replace: " + std::string(from));
  return text.replace(at, from.size(), to);
}

// "claim verdict" of each answer, in order.
inline std::vector<std::string> answers(const Ran& ran) {
  std::vector<std::string> out;
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json record = nlohmann::json::parse(line);
    if (record["kind"] == "verdict")
      out.push_back(fmt::format("{} {}", record["claim"].get<std::string>(), record["verdict"].get<std::string>()));
  }
  return out;
}

}  // namespace vl::test::nests
