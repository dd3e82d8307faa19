// Numbers on the command line, spelled as people spell them, in the spelling that CLI11 reads.
#pragma once

#include <string>

namespace vl::cli {

/// Rewrites a number below 2^64 as its decimal digits: 1000000, 1e6 and 2.5e3 are read; octal and negative numbers are
/// not. The result is the error, empty if there is none. "1e6" becomes "1000000".
[[nodiscard]] std::string spell_whole_number(std::string& text);

/// Rewrites a time as seconds: 90, 0.5, 90s, 5m, 1h. The result is the error. "5m" becomes "300".
[[nodiscard]] std::string spell_seconds(std::string& text);

}  // namespace vl::cli
