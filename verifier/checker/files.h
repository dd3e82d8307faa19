// Certificates in files.
#pragma once

#include <string>
#include <vector>

namespace vl::checker {

/// Prints a line a file; 0 when all are accepted, 10 when one is rejected, 2 when one is unreadable (which is worse).
int check_files(const std::vector<std::string>& paths);

}  // namespace vl::checker
