// The row of one result of a padded operation, in full: every index that it reads, with its slot, and what may stand
// there. Where tiles have positions that no index reaches, these holes are pads of the row, too: along one dimension of
// an array of shards, in the order of the array.
//
// Example: f32[53,2] on three cores of 18 rows in tiles of 32: a row over dimension 0 has 53 elements, index 53, and 42
// holes.
#pragma once

#include <map>

#include "verifier/claims/padded_run.h"

namespace vl::claims {

/// Whether tiles along a reduced dimension of input `i` have positions that no index reaches.
[[nodiscard]] bool has_holes(const use::Operation& operation, const PaddedOperand& operand, std::size_t i);

// One index of the row, per operand.
struct PadPlace {
  Point element;  // in the padded tensor; of a hole empty
  Index slot = 0;
  const values::CodeSet* allowed = nullptr;

  [[nodiscard]] bool is_hole() const { return element.empty(); }
};
struct Position {
  bool valid = false;
  std::vector<PadPlace> places;
};

class PaddedRow {
 public:
  PaddedRow(const PaddedAsked& asked, std::span<const Landings> landings) : asked_(asked), landings_(landings) {}

  /// False: it is longer than `most`, or it is not clear what it is.
  [[nodiscard]] bool make(Index most);
  [[nodiscard]] const std::vector<Position>& positions() const { return positions_; }
  [[nodiscard]] const Point& result() const { return result_; }

 private:
  [[nodiscard]] bool add_holes(Index most);
  [[nodiscard]] std::optional<std::size_t> dimension_of_array() const;
  [[nodiscard]] bool find_elements();
  void start_at_alias();
  [[nodiscard]] Position position_at(const Point& at, use::Region region);
  [[nodiscard]] const values::CodeSet* states_of(std::size_t i, use::Region region);

  const PaddedAsked& asked_;
  std::span<const Landings> landings_;
  Point result_;
  std::vector<Position> positions_;
  std::vector<std::vector<Index>> elements_;  // ascending slots
  std::map<std::pair<std::size_t, use::Region>, values::CodeSet> states_;
  values::CodeSet holes_;
};

}  // namespace vl::claims
