// Library host: the child process in which a library with the C interface (layout_gate.h) is asked. It speaks the
// protocol on its standard streams, so the cage, the reader and the judge are those of every adapter.
#pragma once

#include <string_view>

namespace vl::gate {

/// The first argument with which the program becomes a host; no help names it.
constexpr std::string_view kLibraryHost = "gate-library";

/// Answers until the gate has no more questions. The result is an exit code; what is wrong is said on stderr.
[[nodiscard]] int run_library(const char* path);

}  // namespace vl::gate
