// Files on disk: found and loaded.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "encodings/base/files.h"
#include "verifier/session/cases.h"

namespace vl::session {
namespace {

constexpr std::size_t kLargestHead = std::size_t{64} << 10;  // in which the first table begins

std::string_view toml_trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// "[[ case ]]"
bool is_case_header(std::string_view line) {
  std::string dense;
  for (const char c : line.substr(0, line.find('#')))
    if (c != ' ' && c != '\t' && c != '\r') dense += c;
  return dense == "[[case]]" || dense == "[[\"case\"]]";
}

// Whether a value opens a string of several lines and does not close it.
bool opens_lines(std::string_view value, std::string_view quotes) {
  return value.starts_with(quotes) && value.find(quotes, quotes.size()) == std::string_view::npos;
}

// By lines and not as TOML: a case file with an error of syntax is a case file, too.
bool begins_as_case_file(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::string_view within;  // the quotes that end a string of several lines
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = toml_trimmed(text.substr(at, end - at));
    at = end + 1;
    if (!within.empty()) {
      if (line.find(within) != std::string_view::npos) within = {};
      continue;
    }
    if (line.starts_with('[')) return is_case_header(line);
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) continue;
    const std::string_view key = toml_trimmed(line.substr(0, equals));
    const std::string_view value = toml_trimmed(line.substr(equals + 1));
    const bool is_schema = key == "schema" || key == "\"schema\"";
    if (is_schema && toml_trimmed(value.substr(0, value.find('#'))) == "1") return true;
    for (const std::string_view quotes : {"\"\"\"", "'''"})
      if (opens_lines(value, quotes)) within = quotes;
  }
  return false;
}

}  // namespace

std::variant<std::string, Diagnostic> read_file(const std::string& path, std::string_view what, std::size_t most) {
  auto text = read_whole(path, most);
  if (text) return std::move(*text);
  return Diagnostic{
      path == "-" ? "<stdin>" : path, 0, 0, fmt::format("{}; expected {}", text.error().message, what), {}, 0};
}

namespace {

template <class Parse>
CaseFile cases_on_disk(const std::string& path, const Parse& parse) {
  auto text = read_file(path, "a case file", kLargestText);
  if (auto* diagnostic = std::get_if<Diagnostic>(&text))
    return {{}, {}, {{std::nullopt, 0, false, std::move(*diagnostic)}}};
  return parse(path, std::get<std::string>(std::move(text)));
}

}  // namespace

CaseFile read_cases(const std::string& path) { return cases_on_disk(path, parse_cases); }

CaseFile find_cases_in(const std::string& path) { return cases_on_disk(path, find_cases); }

bool is_case_file(const std::string& path) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) return true;
  auto input = Input::open(path);
  if (!input) return true;
  std::string head(kLargestHead, '\0');
  std::size_t size = 0;
  for (;;) {
    const auto got = input->read({head.data() + size, head.size() - size});
    if (!got) return true;
    size += *got;
    if (*got == 0 || size == head.size()) break;
  }
  return begins_as_case_file(std::string_view(head).substr(0, size));
}

std::vector<std::string> case_files(const std::string& path, std::size_t* others) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (!fs::is_directory(path, code)) return fs::exists(path, code) ? std::vector{path} : std::vector<std::string>{};
  std::vector<std::string> files;
  for (auto it = fs::recursive_directory_iterator(path, code); !code && it != fs::recursive_directory_iterator();
       it.increment(code)) {
    if (it->path().extension() != ".toml" || !it->is_regular_file(code)) continue;
    std::string file = it->path().string();
    if (is_case_file(file)) files.push_back(std::move(file));
    else if (others != nullptr) ++*others;
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace vl::session
