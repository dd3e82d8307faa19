// Outputs: every place to which a run is written, stdout and the files of --output. A file takes its name when it is
// complete.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "encodings/base/files.h"
#include "verifier/cli/output.h"

namespace vl::cli {

class Outputs {
 public:
  /// `style` is that of stdout; what is written beside it is whole, and has no colours.
  Outputs(Format format, bool colour, OutputStyle style, const std::vector<OutputFile>& files);

  /// What could not be opened, and after end() what could not be written.
  [[nodiscard]] const std::vector<Diagnostic>& failed() const { return failed_; }
  void add(const question::Case& c);
  void end(const report::Tally& tally);

 private:
  struct Open {
    std::string path;
    std::FILE* stream;
    std::optional<NewFile> file;  // none for what is no regular file: a pipe, a device
  };

  void open(const OutputFile& file, const OutputStyle& style);
  void fail(const std::string& path, std::string why);

  std::vector<Output> outputs_;
  std::vector<Open> open_;
  std::vector<Diagnostic> failed_;
};

}  // namespace vl::cli
