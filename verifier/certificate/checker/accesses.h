// Accesses: what the lanes of a warp cost in a memory of banks. (lane, variables…) -> byte; an instance is a choice of the
// variables. The active lanes of a phase touch the words floor(byte / bytes_per_bank) of their `width` bytes, bank = word mod
// banks; a phase costs the most words of one bank, different ones where the memory broadcasts. The ideal is 1 a phase that
// has an active lane. Of consecutive f16 rows of 128 bytes, 8 lanes in one column cost 8.
//
// The evidence says which variables are walked over, one by one; the others are free. What is shown of these: they change
// neither which lanes are active nor how many words a bank has to give, and no active lane leaves the tensor, so that a
// walked instance stands for all values of the free ones.
//   exhaustion  none is free
//   digits      bytes are linear forms: all lanes move by one multiple of bytes_per_bank, and the banks by one rotation
//   gf2         bytes are exclusive-or sums: all words change by one exclusive or. Banks, their bytes and the width are powers
//               of two and every byte is a multiple of the width, so that the words within a lane's bytes stay together
#pragma once

#include "verifier/certificate/checker/questions.h"

namespace vl::certificate::checker {

/// Shows conflict-free (wavefronts = ideal in every instance), conflicts (the largest wavefronts - ideal is "value", or is "at_most")
/// or wavefronts (their largest is "value"), and that some lane is active: else the claim would say nothing.
void check_access(const std::string& claim, Fields& statement, Fields& evidence);

}  // namespace vl::certificate::checker
