// Claims about loop nests that move a tensor x between two memories. S(x), D(x): the offsets at which x lies where
// nests read and where they write. A move is one iteration of one nest: it reads s and writes d.
//
//   in-bounds    at least one move; each reads inside S and writes inside D, their first to their last offset
//   no-overlap   at least one move; all write different offsets
//   covers-once  at least one element; for all x, d of D(x): one move writes d; every (x, replica) has a slot in D
//   implements   that, of moves (s, d) with s of S(x); and every move is such a one for some x
//   symmetric    implements, of the nests with source and destination exchanged
//
// Statement "transfer": {"source": the layout of S, "destination": that of D, "bases": {"source": the offset of S's
// first slot, "destination": …}, "nests": [{"extents": […], "source": [offset, stride…], "destination": [offset,
// stride…]}…]}. Evidence: {"cuts", "by", "weights", "pieces": [{"digits", "steps", "element"}…]}; nests.cpp says what
// they show.
#pragma once

#include "verifier/checker/questions.h"

namespace vl::checker {

/// Takes what it needs from both; rejects a claim that is none of these, and evidence that is no proof.
void check_nests(const std::string& claim, Fields& statement, Fields& evidence);

}  // namespace vl::checker
