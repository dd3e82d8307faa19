// The findings of a scan as lines, for tests: "3:7 LAYOUT | TENSOR" or "3:7 LAYOUT ! REASON"; further lines on which
// the same stands follow its column, as in "3:7,9".
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/session/scan.h"

namespace vl::test {

inline session::Scanned scanned(std::string_view text, session::ScanOptions options = {}) {
  std::size_t at = 0;
  return session::scan(
      "log",
      [&](char* buffer, std::size_t most) {
        const std::size_t size = text.copy(buffer, most, at);
        at += size;
        return size;
      },
      options);
}

inline std::string place_of(const session::Occurrences& at) {
  std::string out = fmt::format("{}:{}", at.place.line, at.place.column);
  for (std::size_t i = 1; i < at.lines.size(); ++i) out += fmt::format(",{}", at.lines[i]);
  return at.occurrences == at.lines.size() ? out : fmt::format("{} x{}", out, at.occurrences);
}

inline std::string shown(const session::Sighting& found) {
  const session::CaseRequest& request = found.request;
  std::string out = fmt::format("{} {} | {}", place_of(found.at), request.layout.text, request.tensor.text);
  if (request.strides) out += fmt::format(" strides {}", fmt::join(*request.strides, ","));
  if (request.offset != 0) out += fmt::format(" offset {}", request.offset);
  return out;
}

inline std::string shown(const session::SkippedText& skipped) {
  return fmt::format("{} {} ! {}", place_of(skipped.at), skipped.layout, skipped.reason);
}

using Lines = std::vector<std::string>;

inline Lines lines_of(const session::Scanned& scanned) {
  Lines out;
  for (const auto& item : scanned.all) out.push_back(std::visit([](const auto& found) { return shown(found); }, item));
  return out;
}

inline Lines found_in(std::string_view text, session::ScanOptions options = {}) {
  return lines_of(scanned(text, std::move(options)));
}

}  // namespace vl::test
