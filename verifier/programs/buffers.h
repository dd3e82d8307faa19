// Buffers at stated addresses: those that live together must not meet.
//
// Law. A buffer is a range of bytes of a space (hbm, lx) that an operation writes whole; the same range is another
// buffer when it is written again. It lives from its first write (what is read before it is written: from the
// beginning) to its last read, one with the number of an argument that was written to the end. Two buffers of which
// neither has all bytes of the other must not meet while both live. Where one has all bytes of the other, a write of
// the inner one is a write of a part; after a write of the outer one, whoever reads the inner range reads either a part
// of the outer or what is gone: which one is meant names tell, and else it is not known. A range that is read and is no
// buffer has to be a part of one, or to consist of some that lie side by side; else it is not known what it reads.
//
// Example: lx 0..4095 written at line 3 and read at line 9, and lx 2048..6143 written at line 7: byte 2048 is gone.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "encodings/program/function.h"
#include "verifier/question/verdict.h"

namespace vl::programs {

struct BuffersAnswer {
  std::size_t step = 0;  // which writes over what lives, or is not known; else the last one
  question::Verdict verdict;
  std::string note = {};
  std::pair<std::size_t, std::size_t> shown = {};  // of a refutation the accesses: who reads, and who wrote over it
};

/// Nothing where fewer than two buffers have addresses. `line_of`: of a step.
[[nodiscard]] std::optional<BuffersAnswer> disjoint(const program::Function& function,
                                                    const std::function<std::size_t(std::size_t step)>& line_of);

}  // namespace vl::programs
