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
  std::vector<int> loops = {};  // around the operation, of which each round has a part of it (opspec_loops.h)

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
  std::string_view element = {};    // in MLIR's notation; empty: programs do not have it
  std::string type = {};            // of all of it, in the same notation
  std::string device_size = {};     // in words
  std::string name = {};            // of its buffer; empty: it is not said
  std::string why = {};             // what of it is not known, or contradicts
  /// The loops around the operation in whose rounds its place moves on: by number the symbol that goes on.
  std::map<int, std::string> moves = {};

  /// Whether both say the same of a place in memory.
  [[nodiscard]] bool is_same(const SpecTensor& other) const;
  /// Its type, of its axes and its element.
  void set_type();
};

/// How far a symbol goes, and whether several cores share it.
struct SpecRange {
  Index size = 1;
  bool is_split = false;
};
using SpecSpace = std::map<std::string, SpecRange, std::less<>>;

/// A loop: how many rounds it has, and its number, which is larger than those of the loops around it.
struct SpecRounds {
  Index count = 1;
  int number = 0;
};

/// What stands around a tensor.
struct SpecContext {
  SpecSpace space;
  bool numbered = false;                                        // `hbm` is the number of an argument, and no address
  std::vector<SpecRounds> loops = {};                           // around its operation, the outermost first
  std::map<std::string, std::size_t, std::less<>> levels = {};  // of symbols by which places move: which of these
};

/// "4" of sympify('4'), of Symbol('4', …) and of 4; nothing for another node.
[[nodiscard]] std::optional<std::string_view> spec_text(const python::Node& node);
/// Nothing where it is not one of symbols and numbers.
[[nodiscard]] std::optional<SpecSpace> spec_space(const python::Node& node);
/// A tensor of which a loop's rounds have a part each, one behind the other, is all of it: symbols go as far as all
/// rounds go.
[[nodiscard]] SpecTensor spec_tensor(const python::Node& call, const SpecContext& context);
/// Whether each `hbm` in the arguments of the kernel is the number of its argument: addresses are multiples of 128.
[[nodiscard]] bool has_numbers(const python::Node& specs);

}  // namespace vl::program
