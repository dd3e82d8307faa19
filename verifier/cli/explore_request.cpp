#include "verifier/cli/explore_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace vl::cli {
namespace {

// Takes the text up to `end` from the front, and `end` itself; the whole text where it is not there.
std::string_view take(std::string_view& text, std::string_view end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view out = text.substr(0, at);
  text.remove_prefix(std::min(at + end.size(), text.size()));
  return out;
}

std::optional<int> hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// A value of a query; nothing where an escape is broken or stands for NUL.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '%') {
      out += text[k] == '+' ? ' ' : text[k];
      continue;
    }
    if (text.size() - k < 3) return std::nullopt;
    const auto high = hex(text[k + 1]), low = hex(text[k + 2]);
    if (!high || !low || *high + *low == 0) return std::nullopt;
    out += static_cast<char>(*high * 16 + *low);
    k += 2;
  }
  return out;
}

bool is_name(std::string_view text, std::string_view name) {
  return std::ranges::equal(text, name, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

// Whether every Host names this program's own port, and there is one.
bool is_own_host(std::string_view headers, int port) {
  std::size_t hosts = 0;
  while (!headers.empty()) {
    std::string_view line = take(headers, "\r\n");
    if (!is_name(take(line, ":"), "host")) continue;
    while (line.starts_with(' ')) line.remove_prefix(1);
    const std::string colon = fmt::format(":{}", port);
    if (line.ends_with(colon)) line.remove_suffix(colon.size());
    else if (port != 80) return false;  // HTTP's own port need not be named
    if (line != "127.0.0.1" && line != "localhost") return false;
    ++hosts;
  }
  return hosts == 1;
}

// Whether a page of another site made the request: browsers say so. Opening a link is allowed, because its answer is
// shown and the other page cannot read it; an image, a script, a frame or a fetch is not.
bool is_from_elsewhere(std::string_view headers) {
  bool elsewhere = false, opened = false;
  while (!headers.empty()) {
    std::string_view line = take(headers, "\r\n");
    const std::string_view name = take(line, ":");
    while (line.starts_with(' ')) line.remove_prefix(1);
    if (is_name(name, "sec-fetch-site")) elsewhere = elsewhere || (line != "same-origin" && line != "none");
    if (is_name(name, "sec-fetch-dest")) opened = line == "document";
  }
  return elsewhere && !opened;
}

}  // namespace

std::variant<ExploreRequest, int> parse_explore_request(std::string_view head, int port) {
  if (head.size() > kMostOfRequest || !head.ends_with("\r\n\r\n") || head.find('\0') != std::string_view::npos)
    return 400;
  std::string_view line = take(head, "\r\n");
  const std::string_view method = take(line, " ");
  std::string_view target = take(line, " ");
  if (line != "HTTP/1.1" && line != "HTTP/1.0") return 400;
  if (!is_own_host(head, port) || is_from_elsewhere(head)) return 403;
  if (method != "GET") return 405;
  if (take(target, "?") != "/") return 404;
  ExploreRequest out;
  while (!target.empty()) {
    std::string_view pair = take(target, "&");
    const std::string_view key = take(pair, "=");
    const auto value = decoded(pair);
    if (!value) return 400;
    if (key == "layout") out.layout = *value;
    if (key == "tensor") out.tensor = *value;
    if (key == "with") out.with = *value;
  }
  return out;
}

}  // namespace vl::cli
