// Asserts: what a Python source says of the names in a layout, by the assert statements that were executed before it,
// and by assignments of numbers.
//
// An assert or an assignment such as `P = 72` counts if it stands in the same function as the layout, or with it
// outside of all functions, in a block that is still open there, and its names are bound by nothing behind it,
// comprehensions and lambdas included. In a function a name also has the number that the file gives it outside of all
// functions, if nothing else in the file binds it. Conjuncts are comparisons of expressions (map/expression.h) in the
// layout's names; others are left out, so the conditions are weaker than the source's.
//
// Example: before S[(M, N) : (P, 1)],
//   def copy(M, N, P, A):
//       assert P >= N and A > 0, "rows overlap"
//       if A > 8:
//           assert M % 64 == 0
//       layout = S[(M, N) : (P, 1)]
// the conditions are "P >= N": A is no name of the layout, and the block of the second assert is closed.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "encodings/use/scan.h"

namespace vl::use {

/// The conditions that the asserts in front of text[at] state of the names, as map::parse_conditions reads them; empty
/// if there are none. `whole`: the text begins where its file does. Names that are defined stand for their numbers.
[[nodiscard]] std::string asserted(std::string_view text, std::size_t at, bool whole,
                                   std::span<const std::string> names, std::span<const Definition> definitions = {});

}  // namespace vl::use
