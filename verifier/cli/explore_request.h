// What a browser asks of `verify-layout explore`: one GET with a query, in HTTP/1.1. Nothing else is answered.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace vl::cli {

struct ExploreRequest {
  std::string layout;  // empty: none was given
  std::string tensor;
  std::string with;

  bool operator==(const ExploreRequest&) const = default;
};

constexpr std::size_t kMostOfRequest = std::size_t{1} << 16;  // bytes of the head of a request

/// The request, or the status with which it is refused: 400 for what is no head of HTTP/1, has a broken escape or a
/// NUL; 403 for a Host other than 127.0.0.1:PORT and localhost:PORT (of which :80 may be left out), so that no page of
/// another site can ask through a name of its own, and for a Sec-Fetch-Site of another site unless a person opens a
/// link (Sec-Fetch-Dest: document); 404 for another path than /; 405 for another method than GET. Keys that are not
/// known are ignored; of a key that is given twice the last one counts. Example: "GET
/// /?layout=S%5B8:1%5D&tensor=u8%5B8%5D HTTP/1.1\r\nHost: localhost:8000\r\n\r\n" on port 8000 asks for S[8:1] on
/// u8[8].
[[nodiscard]] std::variant<ExploreRequest, int> parse_explore_request(std::string_view head, int port);

}  // namespace vl::cli
