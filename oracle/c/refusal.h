// What the functions of the C interface share: why something is refused, as a status and a text.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "encodings/base/result.h"
#include "oracle/c/verify_layout.h"
#include "verifier/session/reading.h"

namespace vl::library {

/// Why something is refused; VL_OK where it is not.
struct Refusal {
  int status = VL_BUG;
  std::string why;
};

[[nodiscard]] inline Refusal bad(std::string why) { return {VL_BAD_ARGUMENT, std::move(why)}; }
/// Of a member of a request.
[[nodiscard]] Refusal about(std::string_view member, const Error& error);
[[nodiscard]] Refusal about(const session::TextError& wrong);

/// Writes a text to `room` bytes, NUL-terminated and cut off if necessary; returns its whole length.
std::size_t put(std::string_view text, char* out, std::size_t room) noexcept;
/// Writes the text and returns the status.
int answer(const Refusal& refusal, char* why, std::size_t room) noexcept;

/// body(), with exceptions as refusals.
template <class Body>
int guarded(char* why, std::size_t room, const Body& body) noexcept {
  try {
    return answer(body(), why, room);
  } catch (const std::bad_alloc&) {
    return answer({VL_NO_MEMORY, "no memory"}, why, room);
  } catch (const std::exception& exception) {
    try {
      return answer({VL_BUG, exception.what()}, why, room);
    } catch (...) {
      return VL_BUG;
    }
  } catch (...) {
    return VL_BUG;
  }
}

}  // namespace vl::library
