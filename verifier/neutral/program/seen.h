// Which lines an output's elements depend on.
//
// An element of an output is made of elements of boxes (boxes.h), and these of others, up to the inputs: of a reduction
// or a row all elements that it reads, of what only moves elements the one that is moved. A line of which none is among
// them is unseen: a slice has cut it away. No difference that it makes to its own elements reaches an output through
// elements; through padding its sets say what it may be (states.h).
//
// Example: concat z s over 0, and of that slice over 0 at 0..1, where z has one row: s is unseen.
#pragma once

#include "verifier/neutral/program/program.h"

namespace vl::neutral::program {

/// Says of each node whether it is unseen; of none, if there are too many boxes to look at.
void mark_unseen(Program& program);

}  // namespace vl::neutral::program
