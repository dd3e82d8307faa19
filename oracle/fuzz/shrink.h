// Shrinking: a tensor that fails, made as small as it goes while it fails in the same way. One number of the notation
// is changed at a time: a dimension is dropped or halved, padding, offsets, replicas and bits of a swizzle are taken
// away; the data becomes tags, the host dense.
#pragma once

#include "oracle/fuzz/trial.h"

namespace vl::oracle {

/// A tensor with its layout, and everything that is needed to run it once more.
struct Trouble {
  Subject subject;
  Subject companion;
  Tensor tensor;
  Mismatch mismatch;
  std::uint64_t index = 0;  // that it was in its campaign
};

/// What becomes of it when everything is looked at.
[[nodiscard]] Outcome look_at(Trial& trial, const Subject& subject, const Subject& companion, const Tensor& tensor);

/// The same kind of mismatch in something smaller, after at most `most` trials.
[[nodiscard]] Trouble shrink(Trouble trouble, std::size_t most = 2000);

}  // namespace vl::oracle
