#include "encodings/base/source.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/printable.h"

namespace vl {

namespace {

// The place `at` on line `line`, which begins at `start`.
Diagnostic place_in_line(std::string_view file, std::string_view text, std::size_t line, std::size_t start,
                         std::size_t at, const std::string& message) {
  constexpr std::size_t kWindow = 100;  // bytes of the line shown on either side of the place
  const std::size_t end = std::min(text.find('\n', at), text.size());
  const std::size_t from = std::max(start, at > kWindow ? at - kWindow : 0);
  const std::size_t to = std::min(end, at + kWindow);
  return Diagnostic{std::string(file), line, at - start + 1, message, blanked(text.substr(from, to - from)), at - from};
}

}  // namespace

std::size_t count_lines(std::string_view text) {
  std::size_t lines = 0;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) ++lines;
  return lines;
}

Diagnostic locate(std::string_view file, std::string_view text, const Error& error) {
  const std::size_t at = std::min(error.offset, text.size());
  const std::string_view before = text.substr(0, at);
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const auto line = count_lines(before) + 1;
  return place_in_line(file, text, line, start, at, error.message);
}

Document::Document(std::string text) : text_(std::move(text)), starts_{0} {
  for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1))
    starts_.push_back(at + 1);
  is_ascii_ = vl::is_ascii(text_);
}

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; });
}

Diagnostic locate(std::string_view file, const Document& document, const Error& error) {
  const std::size_t at = std::min(error.offset, document.text().size());
  const auto starts = document.line_starts();
  const auto line = static_cast<std::size_t>(std::ranges::upper_bound(starts, at) - starts.begin());
  return place_in_line(file, document.text(), line, starts[line - 1], at, error.message);
}

std::string headline(const Diagnostic& diagnostic) {
  const std::string file = printable(diagnostic.file), message = printable(diagnostic.message);
  if (diagnostic.line == 0) return fmt::format("{}: {}", file, message);
  return fmt::format("{}:{}:{}: {}", file, diagnostic.line, diagnostic.column, message);
}

std::string to_string(const Diagnostic& diagnostic) {
  std::string out = headline(diagnostic);
  if (!diagnostic.excerpt.empty())
    out += fmt::format("\n  {}\n  {:>{}}", diagnostic.excerpt, "^", diagnostic.caret + 1);
  return out;
}

}  // namespace vl
