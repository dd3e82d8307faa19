// The gate as a program, and adapters of tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace vl::gate::test_gate {

using nlohmann::json;

inline const char* const kPython = "/usr/bin/python3";
inline const std::string kAdapters = std::string(VL_SOURCE_DIR) + "/oracle/adapters/";

inline bool no_python() { return ::access(kPython, X_OK) != 0; }
#define NEEDS_PYTHON \
  if (::vl::gate::test_gate::no_python()) GTEST_SKIP() << "there is no " << ::vl::gate::test_gate::kPython

struct Gated {
  int code = -1;
  std::vector<json> lines;
  std::string err;

  [[nodiscard]] std::vector<json> of(const std::string& kind) const {
    std::vector<json> out;
    for (const json& line : lines)
      if (line.at("kind") == kind) out.push_back(line);
    return out;
  }
};

/// An adapter that is slow because the machine is busy does not hang: where a test says no other time, it has ten
/// minutes.
inline const std::vector<std::string> kPatience{"--timeout", "600", "--start-timeout", "600"};

inline Gated gated(std::vector<std::string> options, std::vector<std::string> adapter) {
  options.insert(options.begin(), "gate");
  if (std::ranges::find(options, kPatience[0]) == options.end())
    options.insert(options.end(), kPatience.begin(), kPatience.end());
  for (const char* word : {"--format", "jsonl", "--"}) options.emplace_back(word);
  options.insert(options.end(), adapter.begin(), adapter.end());
  const test::Ran ran = test::verify_layout(options);
  Gated out{ran.code, {}, ran.err};
  std::istringstream in(ran.out);
  for (std::string line; std::getline(in, line);) out.lines.push_back(json::parse(line));
  return out;
}

inline std::vector<std::string> reference(const std::string& fault = "") {
  std::vector<std::string> out{kPython, kAdapters + "reference/adapter.py"};
  if (!fault.empty()) out.insert(out.end(), {"--plant", fault});
  return out;
}

// An adapter for the functions in `body`, in a folder that the cage's user can read.
inline std::vector<std::string> adapter_of(const test::Folder& folder, const std::string& body) {
  ::chmod(folder.path().c_str(), 0755);
  const std::string path =
      folder.file("adapter.py", "import sys\nsys.path.insert(0, \"" + kAdapters + "\")\nimport layout_gate\n" + body +
                                    "layout_gate.serve('small', '1', parts=['tirx'])\n");
  ::chmod(path.c_str(), 0644);
  return {kPython, path};
}

}  // namespace vl::gate::test_gate
