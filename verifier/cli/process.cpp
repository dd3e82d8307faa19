#include "verifier/cli/process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>
#include <string>
#include <system_error>

#include "encodings/base/printable.h"
#include "verifier/cli/commands.h"

namespace vl::cli {
namespace {

// Where a standard stream is closed, the next file that is opened would take its number, and be written to as if it
// were the stream. What is opened here instead cannot be read or written, so that using it is an error.
void fill_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) static_cast<void>(::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY));
}

// Words for stderr, which may itself be closed or full.
int told(int code, const std::string& what) {
  std::fputs(("verify-layout: " + printable(what) + "\n").c_str(), stderr);
  return code;
}

int run_and_flush(const std::function<int()>& run) {
  const int code = run();
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  const std::string why = errno != 0 ? ": " + std::generic_category().message(errno) : "";
  return told(kBadInput, "the output could not be written" + why);
}

}  // namespace

int process(const std::function<int()>& run) try {
  fill_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that becomes too long is an error of the call that writes it
  return run_and_flush(run);
} catch (const std::bad_alloc&) {
  return told(kBadInput, "there is not enough memory for this");
} catch (const std::system_error& refused) {  // of a thread, or of what is printed
  const bool thread = refused.code() == std::errc::resource_unavailable_try_again;
  return told(kBadInput,
              std::string(thread ? "the system gives no more threads: " : "the output could not be written: ") +
                  refused.what());
} catch (const std::exception& bug) {
  return told(kInternalError, std::string("internal error, please report it: ") + bug.what());
}

}  // namespace vl::cli
