// Shrinking: makes a failing tensor as small as possible, as long as it fails in the same way. Each step changes one
// number of the notation: it drops or halves a dimension, or removes padding, offsets, replicas or bits of a swizzle.
// The data becomes tags, the host dense.
#pragma once

#include "oracle/fuzz/trial.h"

namespace vl::oracle {

/// A tensor with its layout, and everything that is needed to run it once more.
struct Trouble {
  Subject subject;
  Subject companion;
  Tensor tensor;
  Mismatch mismatch;
  std::uint64_t index = 0;  // in its campaign
};

/// The outcome of running it with all comparisons.
[[nodiscard]] Outcome look_at(Trial& trial, const Subject& subject, const Subject& companion, const Tensor& tensor);

/// The same kind of mismatch in something smaller, after at most `most` trials.
[[nodiscard]] Trouble shrink(Trouble trouble, std::size_t most = 2000);

}  // namespace vl::oracle
