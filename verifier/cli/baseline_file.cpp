#include "verifier/cli/baseline_file.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "encodings/base/files.h"
#include "encodings/base/printable.h"
#include "verifier/cli/commands.h"

namespace vl::cli {

std::variant<std::optional<report::Baseline>, Diagnostic> baseline_of(const CheckArguments& arguments) {
  if (arguments.baseline.empty()) return std::optional<report::Baseline>();
  std::error_code code;
  report::Baseline out(std::filesystem::path(arguments.baseline).parent_path().string());
  for (const std::string& path : arguments.scans) out.covers(path, std::filesystem::is_directory(path, code));
  for (const std::string& path : arguments.files)
    out.covers(path == "-" ? "<stdin>" : path, path != "-" && std::filesystem::is_directory(path, code));
  if (!std::filesystem::exists(arguments.baseline, code)) {
    if (arguments.update_baseline) return std::optional(std::move(out));
    return about(arguments.baseline, "no such file; --update-baseline makes it");
  }
  const auto text = read_whole(arguments.baseline);
  if (!text) return about(arguments.baseline, text.error().message);
  if (const auto wrong = out.read(*text)) return locate(arguments.baseline, *text, *wrong);
  return std::optional(std::move(out));
}

std::optional<Diagnostic> write_baseline(const CheckArguments& arguments, const report::Baseline& baseline) {
  if (const auto error = write_whole(arguments.baseline, baseline.print()))
    return about(arguments.baseline, error->message);
  const auto changes = baseline.changes();
  if (!arguments.quiet)
    fmt::print(stderr, "verify-layout: {}: {} added, {} kept, {} removed\n", printable(arguments.baseline),
               changes.added, changes.kept, changes.removed);
  return std::nullopt;
}

}  // namespace vl::cli
