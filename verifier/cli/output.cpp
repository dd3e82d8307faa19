#include "verifier/cli/output.h"

#include <fmt/format.h>

namespace vl::cli {

const std::map<std::string, Format>& output_formats() {
  static const std::map<std::string, Format> formats{{"text", Format::Text},   {"json", Format::Json},
                                                     {"jsonl", Format::Jsonl}, {"junit", Format::Junit},
                                                     {"sarif", Format::Sarif}, {"github", Format::Github}};
  return formats;
}

std::variant<std::vector<OutputFile>, std::string> output_files(const std::vector<std::string>& options) {
  std::vector<OutputFile> out;
  for (const std::string& option : options) {
    const std::size_t equals = option.find('=');
    const auto format = output_formats().find(option.substr(0, equals));
    if (equals == std::string::npos || equals + 1 == option.size() || format == output_formats().end())
      return fmt::format("--output {}: expected FORMAT=FILE with a format of text, json, jsonl, junit, sarif, github",
                         option);
    out.push_back({format->second, option.substr(equals + 1)});
  }
  return out;
}

Output::Output(Format format, std::FILE* to, OutputStyle style) : format_(format), to_(to), style_(std::move(style)) {
  if (format_ == Format::Jsonl) write(report::run_line(style_.tools));
}

void Output::add(const question::Case& c) {
  const auto part = style_.quiet ? report::failing_part(c, style_.policy) : std::optional(c);
  if (!part) return;
  switch (format_) {
    case Format::Text: return write(report::to_text(*part, style_.text));
    case Format::Jsonl: return write(report::case_lines(*part));
    case Format::Github: return write(report::to_annotations(*part, style_.policy));
    case Format::Json:
    case Format::Junit:
    case Format::Sarif: cases_.push_back(*part);
  }
}

void Output::end(const report::Tally& tally) {
  switch (format_) {
    case Format::Text: return write(report::failures_to_text(tally) + report::to_text(tally));
    case Format::Jsonl: return write(report::summary_line(tally));
    case Format::Github: return write(report::to_text(tally));
    case Format::Json: return write(report::to_json(style_.tools, cases_, tally));
    case Format::Junit: return write(report::to_junit(cases_, style_.policy));
    case Format::Sarif: return write(report::to_sarif(style_.tools, cases_, style_.policy));
  }
}

// A reader of a pipe sees each case when it is decided.
void Output::write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), to_);
  std::fflush(to_);
}

}  // namespace vl::cli
