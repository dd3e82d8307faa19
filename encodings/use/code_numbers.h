// Numbers in C and Python as an expression's text: without casts, with the sizes of types.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace vl::use {

/// What a C source says of the names in a number.
struct NamesOfC {
  std::function<std::optional<std::string>(std::string_view name, std::size_t k)> entry;  // of a list, size[0]
  std::function<std::string_view(std::string_view name)> type;  // for which a name stands; empty: not known
};

/// "(uint64_t)K * sizeof(half)" is "K * 2", "64ULL" is "64", "static_cast<int>(K)" is "(K)", "size[0] * 2" with an
/// entry K of size is "(K) * 2".
[[nodiscard]] std::string c_number(std::string_view text, const NamesOfC& names);
/// "int(K)", "ctypes.c_uint64(K)" and "U64(K)" are "K".
[[nodiscard]] std::string python_number(std::string_view text);

/// Without casts at its begin: "(CUtensorMapSwizzle)3" and "static_cast<CUtensorMapSwizzle>(3)" are "3".
[[nodiscard]] std::string_view without_casts(std::string_view text);

}  // namespace vl::use
