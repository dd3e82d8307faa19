// Progress: one line on a terminal about work that takes longer than a second; it disappears when the work is done. If
// stderr is not a terminal, nothing is printed.
#pragma once

#include <memory>
#include <string>

namespace vl::cli {

class Progress {
 public:
  /// Shows "verify-layout: WHAT, 12 s" from one second after its construction until its destruction.
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;  // null without a terminal
};

/// 1536 is "1.5 KiB".
[[nodiscard]] std::string spelled_bytes(std::size_t bytes);

}  // namespace vl::cli
