// Which files of the kernels a check has entered, for a reader who asks what a proof rests on. A file that not every
// check needs says so where it is entered; a file that never says so counts for every proof. Nothing is decided by it.
// Example: a proof that walks over points enters "verifier/kernel/core/sweep.h".
#pragma once

#include <set>
#include <string_view>
#include <utility>

namespace vl::kernel {

using Files = std::set<std::string_view>;
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): of this thread; null where nobody asks
inline thread_local constinit Files* files_entered = nullptr;

/// Requires: __FILE__, which is relative to the root of the sources.
inline void enter(const char* file) {
  if (files_entered != nullptr) files_entered->insert(file);
}

/// What `run` enters on this thread.
template <class Run>
[[nodiscard]] Files entered_by(Run run) {
  Files out;
  Files* const before = std::exchange(files_entered, &out);
  run();
  files_entered = before;
  return out;
}

}  // namespace vl::kernel
