// Claims about loop nests that move a tensor x between two memories. S(x), D(x): the offsets at which x lies where
// nests read and where they write. A move is one iteration of one nest: it reads s and writes d.
//
//   in-bounds    at least one move; each reads inside S and writes inside D, their first to their last offset
//   no-overlap   at least one move; all write different offsets
//   covers-once  at least one element; for all x, d of D(x): one move writes d; every (x, replica) has a slot in D
//   implements   that, of moves (s, d) with s of S(x); and every move is such a one for some x
//   symmetric    implements, of the nests with source and destination exchanged
//
// The source's layout is that of S, the destination's that of D. Each is shown by steps that the kernel replays
// (kernel/claims/moves.h).
#pragma once

#include "verifier/checker/questions.h"
#include "verifier/kernel/claims/moves.h"

namespace vl::checker {

/// The layouts of what is read and of what is written, and the nests; `back`: the other way round.
[[nodiscard]] std::vector<kernel::Nest> parse_nests(const TransferText& text, bool back, Layout (&layouts)[2]);

/// Takes what it needs from the evidence; rejects a claim that is none of these, and evidence that is no proof.
void check_nests(const std::string& claim, const TransferText& transfer, Evidence& evidence);

/// Shows that nests do not implement the transfer, as `carries` is refuted; else Rejected. The witness is an element
/// `a`: a slot of it in D is missing or is not written once from one of S, or a move reads or writes its slots that is
/// no element's. Or it is a nest, by its number `a`, and an iteration `b`: a move that is no element's.
void refute_nests(const TransferText& transfer, const Showing& witness);

/// Every transfer of a nest, its innermost loops along which both walks count up by one, has at least `minimum` bytes,
/// and at each iteration its two ends are equal modulo `alignment` bytes; else Rejected. `bits` of one element.
void check_aligned_moves(const TransferText& transfer, Wide bits, Wide alignment, Wide minimum);

}  // namespace vl::checker
