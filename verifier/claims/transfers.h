// The shared parts of claims about loop nests. S is the memory that is read, and D the memory that is written: host and
// device, or the device images of two layouts. A move is one iteration of one nest.
#pragma once

#include "verifier/claims/claim.h"
#include "verifier/question/transfer.h"

namespace vl::claims {

/// The two memories of a subject's transfer.
struct Ends {
  use::Memory source;
  use::Memory destination;
};

/// In a transfer between devices, about.from is the layout that is read. Error: Overflow.
[[nodiscard]] Result<Ends> ends_of(const Transferred& about);

/// Whether every nest has an extent of 0, or there is no nest.
[[nodiscard]] bool moves_nothing(const use::Transfer& transfer);

/// The fields nest, iteration, and the two offsets (host and device, or from and to) of a move; an offset beyond 64
/// bits has no field.
[[nodiscard]] Counterexample moved(const use::Transfer& transfer, const Point& move);
/// "nest 1, iteration [0, 3]".
[[nodiscard]] std::string show_move(const Point& move);

/// The counterexample of a move that leaves one of the two memories.
[[nodiscard]] Counterexample leaving(const Transferred& about, const Ends& ends, const Point& move);

/// The fields a, the place and times of a point of the destination's domain, and the first moves that are counted: all
/// that write the place, or with `from_itself` those that bring the element there. Of replicas that are not served once
/// it is the one with the smallest place. Requires: this one is not.
[[nodiscard]] Counterexample misserved(const Transferred& about, const Ends& ends, const Point& p, bool from_itself);
/// Whether misserved() looks at all replicas of an element: they are few.
[[nodiscard]] bool looks_at_replicas(const Ends& ends);

/// Two elements that share a place d that is written, and have no place in common that is read. Then no nests are right
/// for these layouts: `implements` needs a move to d from a place of either, `covers-once` exactly one. The fields are
/// a, b and the place. Looks at the first 2^16 elements; nothing: there are none among these.
[[nodiscard]] std::optional<Counterexample> irreconcilable(const Transferred& about, const Ends& ends);

}  // namespace vl::claims
