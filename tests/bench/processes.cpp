// Whole processes, from start to end, with nothing in memory except the system's file cache.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include "tests/bench/layouts.h"
#include "tests/bench/suites.h"

extern char** environ;

namespace vl::bench {
namespace {

// Whether the program ended with status 0. Its output goes nowhere.
bool runs(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool started = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return started && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void process(const Rows& rows, const std::string& name, const std::vector<std::string>& words) {
  auto* registered = call(rows, name, [words](benchmark::State& state) {
    for (auto _ : state)
      if (!runs(words)) state.SkipWithError("the program failed");
  });
  if (registered != nullptr) registered->UseRealTime();  // the time passes in another process
}

}  // namespace

void register_processes(Rows& rows, const std::string& program) {
  process(rows, "cold-start", {program, "check", "--layout", spyre_raw(1), "--tensor", spyre_raw_tensor(1)});
  process(rows, "cold-start/version", {program, "--version"});
  process(rows, "cold-start/nothing", {"true"});
}

}  // namespace vl::bench
