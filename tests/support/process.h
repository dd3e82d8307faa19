// Runs the program and keeps its output; also folders whose content can be compared. A start of the sanitized program
// takes 0.05 s, a copy of the test's own process, which holds all of the program's code, some milliseconds: so 31 of
// 32 runs are such a copy.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/cli/program.h"
#include "tests/support/sanitized.h"

extern char** environ;  // NOLINT: POSIX wants it so

namespace vl::test {

struct Ran {
  int code = -1;  // -N when signal N ended it
  std::string out;
  std::string err;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  return std::move(content).str();
}

inline void write_text(const std::filesystem::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// A folder of its own that goes away with its object.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "vl-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code code;
    std::filesystem::remove_all(path_, code);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string at(std::string_view name) const { return (path_ / name).string(); }
  [[nodiscard]] std::string path() const { return path_.string(); }
  /// Writes a file of it and gives its path.
  std::string file(std::string_view name, std::string_view content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    write_text(path_ / name, content);
    return at(name);
  }
  /// Every file beneath it with its content; a folder has the content "/".
  [[nodiscard]] std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> all;
    std::error_code code;  // of links that lead nowhere
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_))
      all.emplace(entry.path().lexically_relative(path_).string(),
                  entry.is_regular_file(code) ? read_text(entry.path()) : "/");
    return all;
  }

 private:
  std::filesystem::path path_;
};

/// The environment of a program that is started, with `more` among its sanitizer's options. A look for leaks costs a
/// third of a sanitized process, so one process of two looks for them.
inline std::vector<std::string> environment_of_child(const std::string& more = "") {
  static std::atomic<unsigned> started{0};
  const std::string name = "ASAN_OPTIONS=";
  std::string options = name;
  std::vector<std::string> out;
  for (char** one = environ; *one != nullptr; ++one) {
    if (std::string_view(*one).starts_with(name)) options = *one;
    else out.emplace_back(*one);
  }
  if (started++ % 2 != 0) options += ":detect_leaks=0";
  if (!more.empty()) options += ":" + more;
  out.push_back(std::move(options));
  return out;
}

/// What execve() takes; the words stay where they are.
inline std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

inline bool is_the_only_thread() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads)) == 1;
}

/// Whether the next run of verify-layout is a copy of this process: where that is faster, and nothing else runs here
/// that could hold the heap's lock at that moment. Each thirty-second run is the program itself. Z3 keeps a thread for
/// its next question, and ends it when its process is copied: so a first copy, which does nothing, makes this thread
/// the only one again.
inline bool copies_itself() {
  static std::atomic<unsigned> asked{0};
  if (!kSanitized || asked++ % 32 == 0) return false;
  if (is_the_only_thread()) return true;
  const pid_t nothing = ::fork();
  if (nothing == 0) ::_exit(0);
  if (nothing > 0) ::waitpid(nothing, nullptr, 0);
  return is_the_only_thread();
}

/// In a copy of this process: becomes verify-layout.
[[noreturn]] inline void become_verify_layout(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "verify-layout");
  const int code = cli::program(static_cast<int>(arguments.size()), pointers_to(arguments).data());
  std::fflush(nullptr);
  ::_exit(code);
}

/// Starts a program with these arguments, its standard input empty, and its output in two files.
inline pid_t start(const std::string& program, std::vector<std::string> arguments, const std::string& out,
                   const std::string& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  arguments.insert(arguments.begin(), program);
  std::vector<std::string> environment = environment_of_child();
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, program.c_str(), &actions, nullptr, pointers_to(arguments).data(),
                                   pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + program);
  return child;
}

/// The code of a process that ended, of what waitpid() tells; -N when signal N ended it.
inline int ended_with(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status); }

/// Starts verify-layout likewise, as a copy of this process.
inline pid_t start_copy(std::vector<std::string> arguments, const std::string& out, const std::string& err) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot start a copy of this process");
  if (child > 0) return child;
  const auto stream = [](int file, const char* path, int flags) {
    ::close(file);
    if (::open(path, flags, 0600) != file) ::_exit(126);
  };
  stream(0, "/dev/null", O_RDONLY);
  stream(1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  stream(2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  become_verify_layout(std::move(arguments));
}

/// What a process that `start` starts with its output in two files has said when it ended.
template <class Start>
Ran ran(const Start& start) {
  const Folder streams;
  const std::string out = streams.at("out");
  const std::string err = streams.at("err");
  const pid_t child = start(out, err);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {ended_with(status), read_text(out), read_text(err)};
}

/// Runs a program with these arguments, its standard input empty.
inline Ran run(const std::string& program, std::vector<std::string> arguments) {
  return ran([&](const std::string& out, const std::string& err) { return start(program, arguments, out, err); });
}

/// The path of a program of the build that this test belongs to: tests lie in its subfolder tests/.
inline std::string program(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / name;
}

/// Runs verify-layout.
inline Ran verify_layout(std::vector<std::string> arguments) {
  return ran([&](const std::string& out, const std::string& err) {
    return copies_itself() ? start_copy(arguments, out, err) : start(program("verify-layout"), arguments, out, err);
  });
}

}  // namespace vl::test
