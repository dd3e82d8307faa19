// What the machine-readable reports share.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace vl::report {

using Json = nlohmann::ordered_json;

/// Texts come from users: bytes that are not UTF-8 are replaced, and do not throw.
[[nodiscard]] inline std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class T>
[[nodiscard]] Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace vl::report
