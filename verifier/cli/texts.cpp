// Texts: files that are no case files, and the layouts that stand in them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "encodings/base/printable.h"
#include "verifier/cli/commands.h"
#include "verifier/session/scan.h"

namespace vl::cli {

bool is_text(const std::string& path) {
  std::error_code code;
  const auto kind = std::filesystem::status(path, code).type();
  const bool readable = kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::fifo ||
                        kind == std::filesystem::file_type::character;
  return path == "-" || (readable && std::filesystem::path(path).extension() != ".toml");
}

std::vector<std::variant<session::CaseRequest, question::Case>> layouts_of(
    const std::string& path, const std::vector<use::Definition>& definitions, const session::CaseRequest& otherwise) {
  std::vector<std::variant<session::CaseRequest, question::Case>> out;
  session::ScanOptions options;
  options.definitions = definitions;
  options.otherwise = otherwise;
  options.family = otherwise.family;
  auto read = session::scan_file(path, options);
  if (auto* diagnostic = std::get_if<Diagnostic>(&read)) {
    out.emplace_back(rejected(path, std::move(*diagnostic)));
    return out;
  }
  auto& scanned = std::get<session::Scanned>(read);
  if (scanned.binary)
    fmt::print(stderr, "verify-layout: {}: it is a binary file and is not looked at\n", printable(path));
  else if (scanned.all.empty()) fmt::print(stderr, "verify-layout: {}: no layout is found in it\n", printable(path));
  for (auto& item : scanned.all) {
    if (auto* found = std::get_if<session::Sighting>(&item)) {
      found->request.lines = std::move(found->at.lines);
      found->request.occurrences = found->at.occurrences;
      found->request.pass = std::move(found->at.pass);
      out.emplace_back(std::move(found->request));
      continue;
    }
    auto& skipped = std::get<session::SkippedText>(item);
    question::Case record;
    const session::ScanPlace& place = skipped.at.place;
    record.id = fmt::format("{}:{}:{}", place.file, place.line, place.column);
    record.layout = std::move(skipped.layout);
    record.place = {place.file, place.line, place.column};
    record.skipped = std::move(skipped.reason);
    record.lines = std::move(skipped.at.lines);
    record.occurrences = skipped.at.occurrences;
    record.pass = std::move(skipped.at.pass);
    out.emplace_back(std::move(record));
  }
  return out;
}

std::variant<std::vector<use::Definition>, Diagnostic> definitions_of(const std::vector<std::string>& texts) {
  std::vector<use::Definition> out;
  for (const std::string& text : texts) {
    auto definition = use::read_definition(text);
    if (!definition) return locate("--define", text, definition.error());
    const auto earlier = std::ranges::find(out, definition->name, &use::Definition::name);
    if (earlier != out.end() && earlier->value != definition->value)
      return locate("--define", text, {ErrorCode::Value, fmt::format("{} is defined twice", definition->name), 0});
    out.push_back(std::move(*definition));
  }
  return out;
}

}  // namespace vl::cli
