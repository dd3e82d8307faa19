// disjoint, of the buffers of one function: a buffer is a range of bytes that is written whole, or that is read first
// and was the caller's. Whoever reads a range reads what was written there last, if this is
//   the same range      nothing that is written since meets it, but parts of it, and what has all of it and its name
//   another one         of all buffers before that meet it: they are one range that has all of it, or ranges apart that
//                       lie in it
// At the end the buffers of arguments are read, each that was written last in its range.
//
// A refutation names two accesses by their numbers: who reads (of what is put out, who wrote it), and who wrote over it
// since the same range was written, or was the caller's. Where one has all of what is read, names have to tell them.
#pragma once

#include "verifier/checker/certificate.h"

namespace vl::checker {

/// Rejects what is no proof. Requires nothing of the accesses.
void check_buffers(const std::vector<BufferText>& accesses);
/// Rejects a pair of accesses that shows nothing.
void check_overwritten(const std::vector<BufferText>& accesses, const Showing& pair);

}  // namespace vl::checker
