#include <cstdio>
#include <string_view>

#include "verifier/checker/files.h"

int main(int count, char** arguments) {
  constexpr const char* kUsage =
      "usage: verify-layout-cert FILE…\n"
      "Checks certificates again, JSON or CBOR.\n"
      "Exit: 10 one is rejected, else 2 one is unreadable or the output cannot be written, else 0 all accepted.\n";
  const std::string_view first = count < 2 ? "" : arguments[1];
  const bool asked = first == "--help" || first == "-h";
  if (count < 2 || asked) return std::fputs(kUsage, asked ? stdout : stderr), asked ? 0 : 64;
  const int code = vl::checker::check_files({arguments + 1, arguments + count});
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return std::fputs("the output could not be written\n", stderr), 2;
}
