// How much memory there is. The system ends a process that takes more than it may have, so large memory is asked for
// here first, and the answer is an error that can be said.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "encodings/base/result.h"

namespace vl {

/// The bytes of memory of this machine, whether free or not.
[[nodiscard]] std::size_t machine_bytes();

/// The bytes that this process may still take: of the machine, its available memory and free swap; of each control
/// group that the process is in, and of the groups around it (versions 1 and 2), the limit without what is in use and
/// cannot be given back, and without a reserve of at most 32 MiB. The least of these. `root` is a prefix of /proc and
/// /sys, for tests. Example: a limit of 1 GiB, 300 MiB in use, 100 MiB of them cache: 792 MiB.
[[nodiscard]] std::size_t free_bytes(const std::string& root = "");

/// Error: Io if this many bytes are more than free_bytes().
[[nodiscard]] std::optional<Error> check_free(std::size_t bytes);

/// The same for memory that is asked for often: below 64 MiB the answer is yes.
[[nodiscard]] bool has_room(std::size_t bytes);

}  // namespace vl
