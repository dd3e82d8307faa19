// Python as compilers print programs in it: the statements of a text, each an assignment, a call or the head of a
// function. Nothing is known here of what a call does.
//
//   exp: "f32[32, 33]" = torch.ops.aten.exp.default(arg0_1);  arg0_1 = None          torch.fx, print_readable
//   %exp : [num_users=1] = call_function[target=aten.exp](args = (%a,), kwargs = {})  torch.fx, graph
//   k = async_compile.sdsc('k', [OpSpec(op='sum', args=[TensorArg(arg_index=0)])])    Torch-Spyre
//
// Brackets are read, operators are not: `a + b` is an expression of kind Other, which has the parts a and b. A line
// that cannot be read is a statement that says so, and the next line is read. A prefix of a log (`V0401 …
// dispatch.py:1] [0/0] `) is passed over. Reading takes time in proportion to the text.
//
// Example: the first line above is two statements: target "exp", type "\"f32[32, 33]\"" and a value of kind Call with
// the parts `torch.ops.aten.exp.default` and `arg0_1`; and target "arg0_1" with the value `None`.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"

namespace vl::python {

enum class Kind {
  Name,    // a, torch.float32, %a
  Number,  // 1, -2.5e-3, -inf
  String,  // 'a'
  List,    // [a, b]
  Tuple,   // (a, b), (a,)
  Dict,    // {k: v}: key and value by turns
  Call,    // f(a, k=b): what is called, and the arguments
  Item,    // a[b]: what is indexed, and the indices
  Other,   // anything else: its parts are what it names
};

struct Node {
  Kind kind = Kind::Other;
  std::string_view text;       // as it stands
  std::string_view key = {};   // "k" of an argument k=b
  std::string_view type = {};  // of a parameter: what stands behind its colon
  std::vector<Node> parts = {};
};

struct Statement {
  std::size_t offset = 0, length = 0, indent = 0;
  std::string_view word = {};      // "def", "class", "return", "del", or one that begins a block; else empty
  std::vector<Node> targets = {};  // of an assignment
  std::string_view type = {};      // of an assignment: what stands behind the target's colon
  Node value = {};                 // of `def` a Call: its name, and the parameters
  bool read = true;                // false: the line cannot be read
};

constexpr std::size_t kDeepest = 200;          // brackets within each other
constexpr std::size_t kMostNodes = 2'000'000;  // of a text; what is behind these cannot be read

/// Every statement of the text, in order.
[[nodiscard]] std::vector<Statement> statements_of(std::string_view text);

/// What stands between the quotes of a string; nothing for another node, and for one with an escape.
[[nodiscard]] std::optional<std::string_view> string_of(const Node& node);

/// The value of an integer; nothing for another node, and outside of 64 bits.
[[nodiscard]] std::optional<Index> integer_of(const Node& node);

/// The argument of a call with that key; null if there is none.
[[nodiscard]] const Node* argument(const Node& call, std::string_view key);

}  // namespace vl::python
