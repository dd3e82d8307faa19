// Calls of a function in C or Python: f(…), f<…>(…), and CHECKED(f)(…) of a macro.
#pragma once

#include <string_view>
#include <vector>

#include "encodings/use/brackets.h"

namespace vl::use {

struct FoundCall {
  std::string_view name;           // the whole word: detail_f of detail_f(…)
  std::size_t begin = 0, end = 0;  // up to its closing bracket
  bool closed = false;             // its bracket is
  std::vector<std::string_view> arguments = {};
};

/// Every call in a plain code of a function whose name has `word` in it, in order. Declarations and definitions are
/// none.
[[nodiscard]] std::vector<FoundCall> calls_in(const Brackets& brackets, std::string_view code, std::string_view word);

/// Why a call that is not closed is not read.
constexpr std::string_view kOpenCall = "a call whose bracket is not closed";

}  // namespace vl::use
