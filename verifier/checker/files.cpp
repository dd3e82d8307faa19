#include "verifier/checker/files.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "verifier/checker/check.h"

namespace vl::checker {
namespace {

int check_file(const std::string& path) try {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();  // nothing of a folder
  const auto certificate = file ? certificate_in(bytes.str()) : std::nullopt;
  if (!certificate) return std::fprintf(stderr, "unreadable  %s\n", path.c_str()), 2;
  if (const auto why = check(*certificate)) throw Rejected(*why);
  const Statement& said = certificate->statement;
  std::printf("accepted    %s: %s %s\n", path.c_str(), said.verdict.c_str(), said.claim.c_str());
  return 0;
} catch (const std::exception& why) {
  std::printf("rejected    %s: %s\n", path.c_str(), why.what());
  return 10;
}

}  // namespace

int check_files(const std::vector<std::string>& paths) {
  bool rejected = false, unreadable = false;
  for (const std::string& path : paths) {
    const int code = check_file(path);
    rejected = rejected || code == 10, unreadable = unreadable || code == 2;
  }
  return unreadable ? 2 : rejected ? 10 : 0;
}

}  // namespace vl::checker
