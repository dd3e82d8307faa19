#include "oracle/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

namespace vl::cli {

struct Progress::State {
  std::string what;
  std::mutex mutex;
  std::condition_variable ends;
  bool ended = false;
  std::thread thread;

  void tell() {
    std::unique_lock lock(mutex);
    int seconds = 0;
    while (!ends.wait_for(lock, std::chrono::seconds(1), [this] { return ended; }))
      fmt::print(stderr, "\r\x1b[Kverify-layout: {}, {} s", what, ++seconds);
    if (seconds > 0) fmt::print(stderr, "\r\x1b[K");
  }
};

Progress::Progress(std::string what) {
  if (::isatty(STDERR_FILENO) == 0) return;
  state_ = std::make_unique<State>();
  state_->what = std::move(what);
  state_->thread = std::thread([state = state_.get()] { state->tell(); });
}

Progress::~Progress() {
  if (!state_) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->ended = true;
  }
  state_->ends.notify_one();
  state_->thread.join();
}

std::string spelled_bytes(std::size_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1024) {
    size /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

}  // namespace vl::cli
