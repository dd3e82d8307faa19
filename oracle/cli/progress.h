// Progress: a line on a terminal about work that takes longer than a second, gone when the work is done. Where stderr
// is no terminal nothing is ever printed.
#pragma once

#include <memory>
#include <string>

namespace vl::cli {

class Progress {
 public:
  /// Says "verify-layout: WHAT, 12 s" from a second after its start until it goes away.
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;  // none without a terminal
};

/// 1536 is "1.5 KiB".
[[nodiscard]] std::string spelled_bytes(std::size_t bytes);

}  // namespace vl::cli
