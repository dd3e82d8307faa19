// What the text of an OpSpec says of its tensors. A device lays a tensor out in sticks of 128 bytes: its last size is
// that of a stick, and coordinates say which symbol of the iteration each size goes with. A symbol c1 that is split
// over sticks has two of them, floor(c1/64) and Mod(c1, 64); lanes past the last element are padding.
//
// Example: device_size [2, 4, 64] with the coordinates floor(c1/64), c0, Mod(c1, 64) where c0 goes to 4 and c1 to 67 is
// a tensor of 4 by 67, whose last dimension goes on to 128.
//
// What fields say against each other is a reason; no field is taken from another one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/notation/python.h"

namespace vl::program {

/// A dimension of a tensor: the symbol that goes through it, or none, where it has one element.
struct SpecAxis {
  std::string symbol;
  Index size = 1, padded = 1;
  bool in_sticks = false, is_split = false;

  /// Rows that its iteration does not come to.
  [[nodiscard]] bool has_more_rows() const { return !in_sticks && padded > size; }
};

struct SpecTensor {
  bool is_input = false;
  Index argument = -1;              // its number; -1: none
  bool is_placed = false;           // whether it is known which bytes it takes
  std::string_view space;           // "hbm", "lx"; empty: where its argument is
  Index begin = 0, end = 0;         // bytes
  std::vector<SpecAxis> axes = {};  // the one in sticks is the last
  std::string type = {};            // in MLIR's notation; empty: programs do not have it
  std::string device_size = {};     // in words
  std::string name = {};            // of its buffer; empty: it is not said
  std::string why = {};             // what of it is not known, or contradicts

  /// Whether both say the same of a place in memory.
  [[nodiscard]] bool is_same(const SpecTensor& other) const;
};

/// How far a symbol goes, and whether several cores share it.
struct SpecRange {
  Index size = 1;
  bool is_split = false;
};
using SpecSpace = std::map<std::string, SpecRange, std::less<>>;

/// "4" of sympify('4'), of Symbol('4', …) and of 4; nothing for another node.
[[nodiscard]] std::optional<std::string_view> spec_text(const python::Node& node);
/// Nothing where it is not one of symbols and numbers.
[[nodiscard]] std::optional<SpecSpace> spec_space(const python::Node& node);
[[nodiscard]] SpecTensor spec_tensor(const python::Node& call, const SpecSpace& space);

}  // namespace vl::program
