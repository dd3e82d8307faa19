// C text: a C or C++ source with blanks in place of comments, of what stands in quotes, and of the preprocessor's
// lines, so that every other letter keeps its place; and what these lines define.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/use/statements.h"

namespace vl::use {

struct CDefine {
  std::string name;
  std::string value;  // empty: not known, of a macro with parameters, or of #undef
  std::size_t offset = 0;
};

/// One alternative of an #if: number `branch` of all, with the #if in which it stands.
struct CBranch {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t of = 0;                      // which #if
  std::optional<std::size_t> inside = {};  // the branch around it
};

struct CText {
  std::string text = {};
  std::vector<Quoted> quoted = {};
  std::vector<CDefine> defines = {};
  std::vector<CBranch> branches = {};

  /// The branches around a place, outer ones first.
  [[nodiscard]] std::vector<std::size_t> branches_at(std::size_t at) const;
  /// Whether two places stand in different alternatives of one #if.
  [[nodiscard]] bool exclude(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) const;
};

[[nodiscard]] CText plain_c(std::string_view source);

}  // namespace vl::use
