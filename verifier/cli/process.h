// What a program's main() has around its commands.
#pragma once

#include <functional>

namespace vl::cli {

/// The exit code of a process that does nothing but `run`: its result, if what it printed could be written. Closed
/// standard streams are filled first, so that no file takes their numbers. Output that cannot be written, missing
/// memory and missing threads exit with 2; an exception that nobody caught is a bug, told on stderr, and exits with 70.
[[nodiscard]] int process(const std::function<int()>& run);

}  // namespace vl::cli
