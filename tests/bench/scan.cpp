// Scanning texts for layouts, in MB/s, and beside it `grep -c` of one word over the same file.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "tests/bench/suites.h"
#include "verifier/session/scan.h"

extern char** environ;

namespace vl::bench {
namespace {

constexpr std::size_t kScanned = 200'000'000;  // bytes of each file

/// A log of that many bytes whose every tenth line holds a layout, or none does.
std::string log_text(bool layouts) {
  static constexpr std::array<const char*, 12> kWords = {"scheduler", "node", "buffer", "args[0]", "(0x7f)", "[rank0]",
                                                         "fused_add", "INFO", "size",   "stride",  "S",      "layout"};
  std::mt19937 random(1);
  std::string out;
  out.reserve(kScanned + 1000);
  for (std::size_t line = 0; out.size() < kScanned; ++line) {
    out += fmt::format("[2026-11-23 03:{:02}:{:02},{:03}] DEBUG graph.py:{}] ", line / 60 % 60, line % 60, line % 1000,
                       line % 900);
    if (layouts && line % 10 == 0) {
      const auto rows = random() % 400 + 1;
      const auto sticks = random() % 20 + 1;
      out += fmt::format(
          "buf.layout = FixedTiledLayout('spyre:0', torch.float16, size=[{0}, {1}], stride=[{1}, 1], "
          "device_layout=SpyreTensorLayout(device_size=[{2}, {0}, 64], stride_map =[64, {1}, 1], "
          "device_dtype=DataFormats.SEN169_FP16))",
          rows, sticks * 64, sticks);
    } else {
      for (int word = 0; word < 10; ++word) out += fmt::format("{} ", kWords[random() % kWords.size()]);
    }
    out += '\n';
  }
  return out;
}

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void grep(const std::string& path) {
  std::array<std::string, 4> words = {"grep", "-c", "SpyreTensorLayout", path};
  std::array<char*, 5> pointers = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  if (posix_spawnp(&child, "grep", &actions, nullptr, pointers.data(), environ) == 0) waitpid(child, nullptr, 0);
  posix_spawn_file_actions_destroy(&actions);
}

}  // namespace

void add_scan(Rows& rows) {
  for (const bool layouts : {false, true}) {
    const std::string name = layouts ? "every-tenth-line" : "no-layout";
    if (!rows.wants("scan/" + name) && !rows.wants("scan/grep/" + name)) continue;
    std::string path = "/tmp/vl-bench-scan-XXXXXX";
    const int file = mkstemp(path.data());
    if (file < 0) continue;
    const std::string text = log_text(layouts);
    const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(file);
    std::vector<double> scanned;
    std::vector<double> grepped;
    for (int round = 0; written && round < 5; ++round) {
      const double megabytes = static_cast<double>(text.size()) / 1e6;
      scanned.push_back(megabytes / seconds_of([&] { static_cast<void>(session::scan_file(path, {})); }));
      grepped.push_back(megabytes / seconds_of([&] { grep(path); }));
    }
    unlink(path.c_str());
    rows.add("scan/" + name, "MB/s", scanned);
    rows.add("scan/grep/" + name, "MB/s", grepped);
  }
}

}  // namespace vl::bench
