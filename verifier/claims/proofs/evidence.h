// What the checker's code rejects where evidence is looked for.
#pragma once

#include "verifier/checker/kernel.h"

namespace vl::claims {

/// What the work gives; nothing (or false) where the checker's code rejects: the way out of it, at one place.
template <class Work>
auto unless_rejected(Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const checker::Rejected&) {
    return {};
  }
}

}  // namespace vl::claims
