// Certificates in files: JSON, or the same as CBOR (RFC 8949), which is told by its first byte.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace vl::checker {

/// A discarded value when the bytes are neither, or nest more than 1,024 deep.
[[nodiscard]] nlohmann::json read_certificate(const std::string& bytes);

/// Prints a line a file; 0 when all are accepted, 10 when one is rejected, 2 when one is unreadable (which is worse).
int check_files(const std::vector<std::string>& paths);

}  // namespace vl::checker
