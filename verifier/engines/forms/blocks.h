// Blocks: a layout as independent blocks of coordinates, each a strided offset taken apart by greedy digits, each digit
// in one physical coordinate. Coordinates that never meet are counted apart, and the numbers multiply.
//
// Example: the 5x100x150 layout on sticks of 64 is one block, modes (5,100,150):(15000,150,1), levels 15000 (below 5),
// 150 (below 100), 64 (below 3), 1 (below 64).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "encodings/map/layout.h"
#include "verifier/engines/forms/digit_domain.h"
#include "verifier/engines/forms/greedy.h"
#include "verifier/engines/forms/modes.h"
#include "verifier/engines/forms/symbolic.h"

namespace vl::engines {

/// A map output that is coefficient·digit + constant; the digit is allowed where the output is in its range.
struct Use {
  std::size_t output = 0;
  Index coefficient = 1;
  Index constant = 0;
};

/// An output may also join several digits of one split, Σ c_k·digit_k, where each c_k exceeds what the smaller ones
/// reach (a stick's lane whose groups are permuted). When its range is [0, E) and the largest c divides E, the output
/// is in range iff the leading digit is in [0, E/c): a Use of that digit, and no bound on the others. Other ranges of
/// such an output are not decided here.
struct SplitBlock {
  Row source;  // Σ over inputs of the domain
  std::vector<Index> weights;
  std::vector<std::vector<Use>> uses;  // one list a weight
  std::vector<bool> joined;            // one a weight: the digit is in an output that joins it to a leading one
  std::vector<std::size_t> joins;      // the outputs that join digits of this block
};

/// How many offsets of a block are there, and how many of them have all digits allowed? Not known where the offsets
/// fill no interval; even then it may be known that all are allowed.
struct Tally {
  std::optional<Index> distinct;
  std::optional<Index> allowed;
  bool all_allowed = false;
};

class Blocks {
 public:
  /// Blocks, or why the layout is outside the fragment.
  static std::variant<Blocks, std::string> of(const map::Layout& layout);

  [[nodiscard]] const std::vector<SplitBlock>& blocks() const { return blocks_; }
  /// Inputs of extent > 1 on which no output depends.
  [[nodiscard]] const std::vector<std::size_t>& idle_inputs() const { return idle_; }
  /// True when some digit that can differ between elements is in no output: distinct offsets may share a slot.
  [[nodiscard]] bool loses_digits() const { return loses_digits_; }
  /// Whether every constant output lies in its range.
  [[nodiscard]] bool constants_allowed(const Box& outputs) const;
  /// The outputs' full ranges: the physical box, and [0,0] for guards.
  [[nodiscard]] const Box& slot_box() const { return slot_box_; }

  [[nodiscard]] Tally tally(const SplitBlock& block, const Box& inputs, const Box& outputs) const;
  /// The number of distinct slots in the box of outputs that some point of the whole domain hits.
  [[nodiscard]] std::optional<Index> occupied(const Box& inputs, const Box& outputs) const;

 private:
  std::vector<SplitBlock> blocks_;
  std::vector<std::size_t> idle_;
  std::vector<std::pair<std::size_t, Index>> constants_;  // output, value
  Box slot_box_;
  bool loses_digits_ = false;
};

}  // namespace vl::engines
