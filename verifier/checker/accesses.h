// Accesses: what the lanes of a warp cost in a memory of banks. (lane, variables…) -> byte; an instance is a choice of
// the variables. The active lanes of a phase touch the words floor(byte / bytes_per_bank) of their `width` bytes, bank
// = word mod banks; a phase costs the most words of one bank, different ones where the memory broadcasts. The ideal is
// 1 a phase that has an active lane. Of f16 rows of 128 bytes, 8 lanes in one column cost 8.
//
// The evidence says which variables are free; the others are walked over. What is shown of the free ones: they change
// neither which lanes are active nor how many words a bank has to give, and no active lane leaves the tensor, so that a
// walked instance stands for all their values.
//   exhaustion  none is free
//   digits      bytes are linear forms: all lanes of a phase move by one multiple of bytes_per_bank, which rotates the
//   banks gf2         bytes are exclusive-or sums: all lanes of a phase change by one exclusive or, which permutes the
//   banks.
//               Banks, their bytes and the width are powers of two and every byte is a multiple of the width, so that
//               the words of a lane stay together
#pragma once

#include "verifier/checker/questions.h"

namespace vl::checker {

/// Shows conflict-free (wavefronts = ideal in every instance), conflicts (the largest wavefronts - ideal is "value", or
/// is not above "at_most") or wavefronts (their largest is "value"), and that some lane is active.
void check_access(const std::string& claim, Statement& statement, Evidence& evidence);

}  // namespace vl::checker
