#include "verifier/checker/program.h"

#include <cstdio>
#include <string_view>

#include "verifier/checker/files.h"

namespace vl::checker {

int run_program(const std::string& name, int count, char** arguments, Show show) {
  const std::string usage =
      "usage: " + name +
      " [--allow-unread NAME]… [--format text|json] FILE…\n"
      "Checks certificates again, JSON or CBOR. It reads no texts of layouts: they are printed in brackets, and it "
      "exits\n"
      "with 5 unless --allow-unread texts. verify-layout cert reads them again and compares.\n"
      "Exit: 10 one is rejected, else 2 one is unreadable or the output cannot be written, else 5 one is accepted, "
      "but\n"
      "not bound to its texts, else 0 all accepted.\n";
  const std::string_view first = count < 2 ? "" : arguments[1];
  const bool asked = first == "--help" || first == "-h";
  FileOptions options;
  options.show = show;
  std::vector<std::string> files;
  bool wrong = false;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    const bool allows = word == "--allow-unread", formats = word == "--format";
    if (!allows && !formats) {
      wrong = wrong || (word.starts_with("--") && word.size() > 2);
      files.emplace_back(word);
      continue;
    }
    const std::string_view value = ++i < count ? arguments[i] : "";
    if (allows) options.allowed_unread.emplace_back(value);
    if (formats) options.json = value == "json", wrong = wrong || (value != "json" && value != "text");
  }
  if (files.empty() || asked || wrong) return std::fputs(usage.c_str(), asked ? stdout : stderr), asked ? 0 : 64;
  const int code = check_files(files, nullptr, options);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return std::fputs("the output could not be written\n", stderr), 2;
}

}  // namespace vl::checker
