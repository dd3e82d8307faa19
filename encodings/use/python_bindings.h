// Python bindings: which names a statement binds, and to what.
//
// Example: `A, B = 128, N // 2` binds A to 128 and B to N // 2; `for A in x:`, `A += 1` and `from m import A` bind A to
// what is not known.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vl::use {

struct PythonBinding {
  std::string value = {};  // an expression of integers and names; empty: not known
  bool imported = false;
  bool inner = false;            // seen only in the statement itself: of a comprehension, a lambda, :=
  bool declared_global = false;  // bound in a scope around the function
};

/// Each name with what it is bound to, in order; the name "*" for what `import *` gives. A value of a module's member
/// is kept (T.S), that of any other text is not known.
[[nodiscard]] std::vector<std::pair<std::string, PythonBinding>> bindings_of(std::string_view statement);

/// The parameters of a `def`.
[[nodiscard]] std::vector<std::string> parameters_of(std::string_view statement);

/// The word with which a compound statement begins, but for def and class; empty for others.
[[nodiscard]] std::string_view compound_keyword(std::string_view statement);

}  // namespace vl::use
