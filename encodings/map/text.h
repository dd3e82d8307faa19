// Maps as text, for certificates, dumps and tests. There is one spelling for each map: parse(print(m)) == m.
//
//   map    = space { "->" stage }
//   space  = "(" [ name ":" extent [ "@" unit ] { "," … } ] ")"
//   stage  = "affine(" [ row { "," row } ] ")" | "split(" input ";" weights ")"
//          | "swizzle(" input ";" base "," bits "," shift "," ("down"|"up") ")"
//   row    = sum of integers and [integer "*"] "x" input
//
// Example: (x0:5, x1:100, x2:150) -> affine(15000*x0 + 150*x1 + x2) -> split(0; 15000, 150, 64, 1)
// White space is allowed between tokens. In a stage, x3 is the stage's input number 3, not a name of the domain.
#pragma once

#include <string>
#include <string_view>

#include "encodings/base/cursor.h"
#include "encodings/map/map.h"

namespace vl::map {

[[nodiscard]] std::string print(const Space& space);
[[nodiscard]] std::string print(const Row& row);
[[nodiscard]] std::string print(const Stage& stage);
[[nodiscard]] std::string print(const Map& map);

/// Reads a text that is exactly one map. Errors: Syntax with the offset, and those of Space::create and Map::create.
[[nodiscard]] Result<Map> parse(std::string_view text);

}  // namespace vl::map
