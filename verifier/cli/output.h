// Output: the answers of a run in one format, on one stream. Text, jsonl and github are written as the cases come, the
// other formats are documents and written at the end.
#pragma once

#include <cstdio>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "verifier/cli/arguments.h"
#include "verifier/report/report.h"

namespace vl::cli {

struct OutputStyle {
  report::Tools tools;
  report::Policy policy;
  report::TextStyle text;
  bool quiet = false;  // only what fails, and the summary
};

class Output {
 public:
  /// The stream stays the caller's, and outlives this.
  Output(Format format, std::FILE* to, OutputStyle style);

  void add(const question::Case& c);
  void end(const report::Tally& tally);

 private:
  void write(const std::string& text);

  Format format_;
  std::FILE* to_;
  OutputStyle style_;
  std::vector<question::Case> cases_;  // of a document
};

/// The names of the formats.
[[nodiscard]] const std::map<std::string, Format>& output_formats();

/// --output FORMAT=FILE. The message: which is not a format, or has no file.
struct OutputFile {
  Format format;
  std::string path;
};
[[nodiscard]] std::variant<std::vector<OutputFile>, std::string> output_files(const std::vector<std::string>& options);

}  // namespace vl::cli
