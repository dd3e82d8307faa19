#include "verifier/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace vl::cli {
namespace {

constexpr int kBetweenLines = 10;  // seconds, where there is no terminal
constexpr const char* kClear = "\r\x1b[K";

}  // namespace

struct Progress::State {
  std::string what;
  std::uint64_t steps = 0;
  std::string unit;
  bool terminal = false;

  std::mutex mutex;
  std::condition_variable ends;
  bool ended = false;
  bool shown = false;
  int seconds = 0;
  std::optional<std::uint64_t> first;  // the steps that were done when the first word came
  std::uint64_t done = 0;
  std::string note;
  std::thread thread;

  [[nodiscard]] std::string line() const {
    if (steps == 0 || !first) return fmt::format("verify-layout: {}, {} s", what, seconds);
    const std::uint64_t rate = (done - *first) / static_cast<std::uint64_t>(std::max(seconds, 1));
    const std::string left = rate == 0 ? "" : fmt::format(", {} s left", (steps - std::min(done, steps)) / rate);
    return fmt::format("verify-layout: {}, {} of {} {}{}, {}/s{}", what, done, steps, unit, note, rate, left);
  }

  void tell() try {
    std::unique_lock lock(mutex);
    while (!ends.wait_for(lock, std::chrono::seconds(1), [this] { return ended; })) {
      ++seconds;
      if (!terminal && seconds % kBetweenLines != 0) continue;
      fmt::print(stderr, "{}{}{}", terminal ? kClear : "", line(), terminal ? "" : "\n");
      shown = terminal;
    }
    clear();
  } catch (const std::exception&) {  // without memory or a reader, no line is shown
  }

  void clear() {
    if (shown) fmt::print(stderr, "{}", kClear);
    shown = false;
  }
};

Progress::Progress(std::string what, std::uint64_t steps, std::string unit) : state_(std::make_unique<State>()) {
  state_->what = std::move(what);
  state_->steps = steps;
  state_->unit = std::move(unit);
  state_->terminal = ::isatty(STDERR_FILENO) != 0;
  try {
    state_->thread = std::thread([state = state_.get()] { state->tell(); });
  } catch (const std::system_error&) {
    // The system gives no more threads: nothing is shown.
  }
}

Progress::~Progress() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->ended = true;
  }
  state_->ends.notify_one();
  if (state_->thread.joinable()) state_->thread.join();
}

void Progress::set(std::uint64_t done, std::string note) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->first) state_->first = done;
  state_->done = done;
  state_->note = std::move(note);
}

void Progress::hide() {
  const std::lock_guard lock(state_->mutex);
  state_->clear();
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
