// Output: the answers of a run in one format, on one stream. Text, jsonl and github are written as the cases come, the
// other formats are documents and written at the end.
#pragma once

#include <cstdio>
#include <string>
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

}  // namespace vl::cli
