// verify-layout: the command. A bug ends here with exit code 70; every other exit code is an answer of a command. The
// program is also the child process that runs a solver (smt-worker, which no help names).
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "encodings/base/printable.h"
#include "encodings/smt/solver.h"
#include "oracle/cli/commands.h"
#include "oracle/gate/library_host.h"

namespace {

// Where a standard stream is closed, the next file that is opened would take its number, and be written to as if it
// were the stream. What is opened here instead cannot be read or written, so that using it is an error.
void fill_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) static_cast<void>(::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY));
}

// Words for stderr, which may itself be closed or full.
int told(int code, const std::string& what) {
  std::fputs(("verify-layout: " + vl::printable(what) + "\n").c_str(), stderr);
  return code;
}

int run(int argc, char** argv) {
  using namespace vl::cli;
  if (argc > 1 && std::string_view(argv[1]) == vl::smt::kWorker) return vl::smt::run_worker({argv + 2, argv + argc});
  if (argc == 3 && argv[1] == vl::gate::kLibraryHost) return vl::gate::run_library(argv[2]);
  std::vector<Command> all(commands().begin(), commands().end());
  all.insert(all.end(), oracle_commands().begin(), oracle_commands().end());
  const std::vector<std::string> words = gate_words(argc, argv);
  std::vector<const char*> pointers;
  pointers.reserve(words.size());
  for (const std::string& word : words) pointers.push_back(word.c_str());
  const int code = run_program(all, static_cast<int>(pointers.size()), pointers.data());
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  const std::string why = errno != 0 ? ": " + std::generic_category().message(errno) : "";
  return told(kBadInput, "the output could not be written" + why);
}

}  // namespace

int main(int argc, char** argv) try {
  fill_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that becomes too long is an error of the call that writes it
  return run(argc, argv);
} catch (const std::bad_alloc&) {
  return told(vl::cli::kBadInput, "there is not enough memory for this");
} catch (const std::system_error& refused) {  // of a thread, or of what is printed
  const bool thread = refused.code() == std::errc::resource_unavailable_try_again;
  return told(vl::cli::kBadInput,
              std::string(thread ? "the system gives no more threads: " : "the output could not be written: ") +
                  refused.what());
} catch (const std::exception& bug) {
  return told(vl::cli::kInternalError, std::string("internal error, please report it: ") + bug.what());
}
