// Python expressions, as far as layouts need them: the syntax tree, without a meaning.
//
//   S[(8, 16 * 2) : (4 @ laneid, 1)] + R[2 : 1 @ warpid] + 5 @ warpid
//
// Operators are Python's: << >> below + - below * / // % @ below the signs, all left-associative, so 32 * 128 @ F is
// 4096 @ F. A value may be followed by calls, subscripts and attributes.
#pragma once

#include <string_view>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"

namespace vl::tirx {

struct Node {
  enum class Kind {
    Missing,     // nothing: the absent end of a slice
    Integer,     // value
    Text,        // text, without its quotes
    Flag,        // True, False
    Name,        // text, with dots: T.S
    Tuple,       // children; also a list
    Dictionary,  // children: a Keyword per pair
    Call,        // children: the called expression, then the arguments
    Attribute,   // text, of the only child
    Subscript,   // children: the value, then the index
    Slice,       // children: from, to
    Keyword,     // text = the only child
    Unary,       // text: the operator
    Binary,
  };
  Kind kind = Kind::Missing;
  std::size_t offset = 0;  // its start
  std::string_view text;   // a part of the text that was read
  Index value = 0;
  std::vector<Node> children;
  int depth = 1;
  std::size_t mark = 0;  // of a Binary: the place of its operator
};

/// Reads a text that is exactly one expression. The views of the result point into `text`.
/// Errors: Syntax (also for more than 200 levels of nesting), Overflow. "2 + 3 @ m" is 2 + (3 @ m).
[[nodiscard]] Result<Node> read_expression(std::string_view text);

}  // namespace vl::tirx
