// Trees: the texts of tt-metal as calls, lists, numbers and names, whatever they mean. Python's constructors
// (`f(a, k=b)`), C++'s (`F{a}`, `.k = b`), what ttnn prints (`F(k=a)`) and JSON (`{"k":a}`) have the same tree.
//
// Sums, products, `//` and `%` of numbers are computed: (2 * 32, 64) is a list of 64 and 64.
#pragma once

#include <string>
#include <vector>

#include "encodings/base/cursor.h"

namespace vl::ttmetal {

struct Field;

struct Node {
  enum class Kind { Number, Name, List, Call };
  Kind kind = Kind::Number;
  Index number = 0;
  std::string name = {};      // of a name or a call, with what stands in front of it: ttnn.bfloat16, DataType::UINT8
  char open = '(';            // the bracket of a list or a call
  std::vector<Field> fields;  // of a list or a call
  std::size_t offset = 0;
  std::size_t start = 0, end = 0;  // of all that stands for the value, with the parentheses around it

  /// The part of the name behind the last dot or colon: ShardSpec of ttl.tensor.ShardSpec.
  [[nodiscard]] std::string_view last() const;
  [[nodiscard]] bool is_call(std::string_view of) const { return kind == Kind::Call && last() == of; }
};

struct Field {
  std::string key;  // empty: it has none
  Node value;
  std::size_t offset = 0;
};

/// Takes one value. What no value can be told of (an index, a method of a result) is a name.
[[nodiscard]] Node take_node(Cursor& in);

/// The text with blanks in place of Python's comments.
[[nodiscard]] std::string without_comments(std::string_view text);

}  // namespace vl::ttmetal
