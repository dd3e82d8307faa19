// Requests: the members of the C interface's structs as the session takes them.
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <variant>

#include "oracle/c/refusal.h"

namespace vl::library {

/// The members that the caller's version of a request has; the others are 0. Nothing if it has fewer than the first
/// version, or more than this one and not all of those 0.
template <class Request>
[[nodiscard]] std::optional<Request> known_part(const Request& given, std::size_t first_version) {
  Request request{};
  const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
  const auto size = static_cast<std::size_t>(given.size);
  if (given.size < first_version || given.size > 4096) return std::nullopt;
  for (std::size_t k = sizeof request; k < size; ++k)
    if (bytes[k] != 0) return std::nullopt;
  std::memcpy(&request, bytes, std::min(size, sizeof request));
  return request;
}

/// The members of a layout and its tensor; errors name the member.
struct Texts {
  const char* layout = nullptr;
  const char* tensor = nullptr;
  const char* family = nullptr;
  const char* box = nullptr;
  const std::int64_t* strides = nullptr;
  std::uint64_t rank = 0;
  std::int64_t offset = 0;
  std::int64_t view_offset = 0;
};
[[nodiscard]] std::optional<Refusal> check_members(const Texts& texts);
/// `prefix` stands before the names of the members in errors.
[[nodiscard]] session::CaseRequest asked_of(const Texts& texts, std::string_view prefix = "");

/// A layout whose text says no more than the map.
[[nodiscard]] std::variant<session::TensorReading, Refusal> read_side(const session::CaseRequest& asked);

}  // namespace vl::library
