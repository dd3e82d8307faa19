// Files on disk: found and loaded.
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

std::variant<std::string, Diagnostic> read_file(const std::string& path, std::string_view what, std::uintmax_t most) {
  const auto wrong = [&](std::string message) { return Diagnostic{path, 0, 0, std::move(message), {}, 0}; };
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  if (code || !std::filesystem::is_regular_file(path, code)) return wrong("cannot be read as a file");
  if (size > most) return wrong(fmt::format("{} bytes are more than {} may have ({})", size, what, most));
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  if (!in) return wrong("cannot be read");
  return std::move(content).str();
}

CaseFile read_cases(const std::string& path) {
  auto text = read_file(path, "a case file", kLargestFile);
  if (auto* diagnostic = std::get_if<Diagnostic>(&text))
    return {{}, {{std::nullopt, 0, false, std::move(*diagnostic)}}};
  return parse_cases(path, std::get<std::string>(std::move(text)));
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
