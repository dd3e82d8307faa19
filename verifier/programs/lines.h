// The lines of a function's program, as its text has them, with the nodes that they are.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "verifier/programs/outputs.h"

namespace vl::programs {

/// A line that gives a tensor.
struct Line {
  std::vector<std::string> words;                // behind "="; what is between quotes is a part of one
  const neutral::program::Node* node = nullptr;  // null: no output depends on it
  std::string beside;                            // what its operation says besides
};

/// Example: "v1 = exp a0" is all["v1"] with the words "exp" and "a0".
struct Lines {
  /// Requires: a program, which outlives them.
  explicit Lines(const ReadProgram& read);
  [[nodiscard]] bool has(const std::string& name) const { return all.contains(name); }

  std::map<std::string, Line> all;           // by the name of the tensor
  std::vector<std::string> inputs, outputs;  // the function's arguments, and what it returns
  std::string equality;                      // "equal any-nan+zero"
};

}  // namespace vl::programs
