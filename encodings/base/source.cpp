#include "encodings/base/source.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl {

Diagnostic locate(std::string_view file, std::string_view text, const Error& error) {
  constexpr std::size_t kWindow = 100;  // bytes of the line shown on either side of the place
  const std::size_t at = std::min(error.offset, text.size());
  const std::string_view before = text.substr(0, at);
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::size_t line_end = std::min(text.find('\n', at), text.size());
  const std::size_t from = std::max(line_start, at > kWindow ? at - kWindow : 0);
  const std::size_t to = std::min(line_end, at + kWindow);

  std::string excerpt(text.substr(from, to - from));
  for (char& c : excerpt)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';  // no control character reaches a terminal
  return Diagnostic{std::string(file),   static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1,
                    at - line_start + 1, error.message,
                    std::move(excerpt),  at - from};
}

std::string headline(const Diagnostic& diagnostic) {
  if (diagnostic.line == 0) return fmt::format("{}: {}", diagnostic.file, diagnostic.message);
  return fmt::format("{}:{}:{}: {}", diagnostic.file, diagnostic.line, diagnostic.column, diagnostic.message);
}

std::string to_string(const Diagnostic& diagnostic) {
  std::string out = headline(diagnostic);
  if (!diagnostic.excerpt.empty())
    out += fmt::format("\n  {}\n  {:>{}}", diagnostic.excerpt, "^", diagnostic.caret + 1);
  return out;
}

}  // namespace vl
