// Progress: one line on stderr about work that takes longer than a second. On a terminal the line changes in place,
// each second, and disappears when the work is done; elsewhere a line is printed every ten seconds. stdout is left
// alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace vl::cli {

class Progress {
 public:
  /// Shows "verify-layout: WHAT, 12 s" until its destruction. Of work that has a number of steps, "verify-layout: WHAT,
  /// 1200 of 6000 UNIT, 310/s, 15 s left".
  explicit Progress(std::string what, std::uint64_t steps = 0, std::string unit = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// So many steps are done; the note stands behind them. From any thread.
  void set(std::uint64_t done, std::string note = {});
  /// Takes the line off the terminal, before something else is printed there; it comes back.
  void hide();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// 1536 is "1.5 KiB".
[[nodiscard]] std::string spelled_bytes(std::size_t bytes);

}  // namespace vl::cli
