// Files on disk: found and loaded.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "encodings/base/files.h"
#include "verifier/session/cases.h"

namespace vl::session {
std::variant<std::string, Diagnostic> read_file(const std::string& path, std::string_view what, std::size_t most) {
  auto text = read_whole(path, most);
  if (text) return std::move(*text);
  return Diagnostic{
      path == "-" ? "<stdin>" : path, 0, 0, fmt::format("{}; expected {}", text.error().message, what), {}, 0};
}

CaseFile read_cases(const std::string& path) {
  auto text = read_file(path, "a case file", kLargestText);
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
