// Anchors: where layouts may begin in a text, which is at a word of a family and the bracket behind it.
//
// Example: in "x = S[(8,4):(4,1)]" the first bracket with an anchor is '[', whose word `S` begins at 4.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "encodings/use/family.h"
#include "encodings/use/scan.h"

namespace vl::session {

struct FamilyAnchor {
  const use::Family* family;
  const use::Anchor* anchor;
};

/// The next opening bracket in [at, end), or `end`. Each kind is looked for once: memchr of a byte that is rare is not
/// repeated.
class NextBracket {
 public:
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t at, std::size_t end);
  /// The text has moved, or its end has.
  void forget() { next_.fill(kUnknown); }

 private:
  static constexpr std::size_t kUnknown = ~std::size_t{0};
  static constexpr std::string_view kBrackets = "([<";
  std::array<std::size_t, kBrackets.size()> next_ = {kUnknown, kUnknown, kUnknown};
};

class Anchors {
 public:
  /// Those of one family; of all if its name is empty.
  explicit Anchors(std::string_view family);

  [[nodiscard]] const FamilyAnchor* first() const { return anchors_.data(); }
  /// The first anchor from `row` on whose bracket this is, and where its word begins; null if there is none. Families
  /// of one notation share their anchors.
  [[nodiscard]] const FamilyAnchor* at(std::string_view text, std::size_t bracket, const FamilyAnchor* row,
                                       std::size_t& word) const;

 private:
  std::vector<FamilyAnchor> anchors_;
  bool ends_[256] = {};  // the last letters of their words
};

}  // namespace vl::session
