// What a claim asks of a transfer, and how a witness is checked without the engine that found it.
//
// A transfer moves elements of one tensor x from memory S to memory D. S(x) and D(x) are the sets of offsets at which
// the two layouts keep x (several with replicas). A *move* is one iteration of one nest: (n, i) reads s(n, i) and
// writes d(n, i).
#pragma once

#include <span>

#include "encodings/use/memory.h"
#include "encodings/use/transfer.h"
#include "verifier/question/question.h"

namespace vl::question {

enum class TransferKind {
  Leaves,      // ∃ move that reads outside of S or writes outside of D, their first to their last offset
  Deviates,    // ∃ move (s, d) that is none of the layouts': no x has s ∈ S(x) and d ∈ D(x); or
               // ∃ x, d ∈ D(x): the number of moves (s, d) with s ∈ S(x) is not 1, or x has no slot in D
  Misserves,   // ∃ x, d ∈ D(x): the number of moves that write d is not 1, or x has no slot in D
  Overwrites,  // ∃ two moves that write one offset
};

[[nodiscard]] std::string_view name(TransferKind kind);

/// Requires: source and destination lay out the same logical space; but for Leaves, no nest has a problem
/// (use::problem_of). All pointees outlive the question.
struct TransferQuestion {
  TransferKind kind = TransferKind::Leaves;
  const use::Transfer* transfer = nullptr;
  const use::Memory* source = nullptr;
  const use::Memory* destination = nullptr;
};

// A witness is a Witness with these meanings. A move is written as a point: nest number, then iteration.
//   Leaves      p: the first such move, by nest and then by iteration
//   Deviates    p: the first move that is none of the layouts'; if there is none, p is empty and q: the smallest (x,
//   replica) Misserves   q: the smallest (x, replica) of the destination's domain Overwrites  p: the first move whose
//   offset another move writes too; q: the first of the others

/// The offset that a walk is at; nothing when it leaves 64 bits. (Of offsets whose parts cancel out after leaving 128
/// bits too.)
[[nodiscard]] std::optional<Index> offset_at(const use::Walk& walk, std::span<const Index> iteration);

/// Moves that write one destination offset.
struct Writers {
  Index count = 0;
  std::vector<Point> moves;  // the first ones, ascending; at most 4
};
/// All moves that write `offset`, and read `source` when it is given; found by searching each nest loop by loop,
/// largest stride first. Nothing when the search takes more than `steps` steps or the count leaves 64 bits.
[[nodiscard]] std::optional<Writers> writers_of(const use::Transfer& transfer, Index offset,
                                                std::optional<Index> source = {}, int steps = 1 << 20);

/// Checks a witness by evaluation and search alone; false when it cannot. Deviates needs one of the two memories to
/// have a decode map or at most 2^16 elements, and no more than kMostReplicas replicas; of more elements, it is the
/// asker who knows that a place of one side tells its element.
[[nodiscard]] bool replay(const TransferQuestion& question, const Witness& witness);

}  // namespace vl::question
