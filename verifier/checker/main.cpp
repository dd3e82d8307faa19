// verify-layout-cert FILE…: checks certificates again, JSON or CBOR. Exit: 0 all accepted, 10 one is rejected, 2 one is
// unreadable or the output cannot be written.
#include <cstdio>

#include "verifier/checker/files.h"

int main(int count, char** arguments) {
  if (count < 2) return std::fputs("usage: verify-layout-cert FILE…\n", stderr), 64;
  const int code = vl::checker::check_files({arguments + 1, arguments + count});
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return std::fputs("the output could not be written\n", stderr), 2;
}
