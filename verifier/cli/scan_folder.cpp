// --scan: every file beneath a folder.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "encodings/base/interrupt.h"
#include "encodings/base/printable.h"
#include "verifier/cli/commands.h"
#include "verifier/session/folder_files.h"

namespace vl::cli {
namespace {

// "src: 1203 texts, 12 with layouts; 2 case files; left out: 3 binary files, 17 paths named by .gitignore".
std::string scan_in_words(const std::string& folder, const TextsRead& read, const session::FolderFiles& found) {
  const auto some = [](std::size_t n, std::string_view what) { return plural(static_cast<Index>(n), what); };
  std::string out =
      fmt::format("{}: {}, {} with layouts", printable(folder), some(read.files, "text"), read.with_layouts);
  if (read.case_files > 0) out += "; " + some(read.case_files, "case file");
  std::string left;
  const auto leave = [&](std::size_t n, std::string_view what, std::string_view more = "") {
    if (n > 0) left += fmt::format("{}{}{}", left.empty() ? "" : ", ", some(n, what), more);
  };
  leave(read.binary, "binary file");
  leave(found.ignored, "path", " named by .gitignore");
  leave(found.links, "symbolic link");
  leave(found.special, "special file");
  return left.empty() ? out : out + "; left out: " + left;
}

}  // namespace

std::vector<session::Work> works_beneath(const std::string& folder, const std::vector<use::Definition>& definitions,
                                         const session::CaseRequest& otherwise, TextsRead& read, bool quiet) {
  std::vector<session::Work> out;
  session::FolderFiles found = session::files_beneath(folder);
  for (Diagnostic& wrong : found.errors) {
    const std::string file = wrong.file;
    out.emplace_back(rejected(file, std::move(wrong)));
  }
  TextsRead here;
  here.used = read.used, here.programs = read.programs_beneath;
  for (const std::string& file : found.files) {
    if (is_text(file)) {
      std::ranges::move(layouts_of(file, definitions, otherwise, here, true), std::back_inserter(out));
      continue;
    }
    ++here.case_files;
    std::ranges::move(session::work_of(session::find_cases_in(file), file), std::back_inserter(out));
  }
  if (!quiet && (found.errors.empty() || !found.files.empty()))
    fmt::print(stderr, "verify-layout: {}\n", scan_in_words(folder, here, found));
  read.files += here.files, read.with_layouts += here.with_layouts;
  read.used = std::move(here.used);
  read.binary += here.binary, read.case_files += here.case_files;
  return out;
}

}  // namespace vl::cli
