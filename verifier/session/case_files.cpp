// Case files on disk: finds and loads the files that cases.cpp reads.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "verifier/session/cases.h"

namespace vl::session {
namespace {

constexpr std::uintmax_t kLargestFile = 64U << 20;

}  // namespace

std::variant<std::vector<CaseRequest>, Diagnostic> read_cases(const std::string& path) {
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  if (code || !std::filesystem::is_regular_file(path, code))
    return Diagnostic{path, 0, 0, "cannot be read as a file", {}, 0};
  if (size > kLargestFile)
    return Diagnostic{path, 0, 0, fmt::format("{} bytes are more than a case file may have ({})", size, kLargestFile),
                      {},   0};
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  if (!in) return Diagnostic{path, 0, 0, "cannot be read", {}, 0};
  return parse_cases(path, std::move(content).str());
}

std::vector<std::string> case_files(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (!fs::is_directory(path, code)) return fs::exists(path, code) ? std::vector{path} : std::vector<std::string>{};
  std::vector<std::string> files;
  for (auto it = fs::recursive_directory_iterator(path, code); !code && it != fs::recursive_directory_iterator();
       it.increment(code))
    if (it->path().extension() == ".toml" && it->is_regular_file(code)) files.push_back(it->path().string());
  std::ranges::sort(files);
  return files;
}

}  // namespace vl::session
