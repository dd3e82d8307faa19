// Cores: the cores of an accelerator with a network on chip, by row and column, and the order in which shards take
// them.
//
// The cores of one rectangle, and of rectangles that continue each other's rows, are two digits of the core's number.
// Any other order is a table: a line with a jump at each place where the order leaves it, and
//   [k >= b] = (k - b + K) div K   for 0 <= k < K.
//
// Example: 12 cores on rows of 8: core 10 is at y = 1, x = 2. On {(x=0,y=0) - (x=7,y=0)} and {(x=4,y=3) - (x=7,y=3)} it
// is at y = 3, x = 6.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "encodings/map/layout.h"

namespace vl::use {

struct Core {
  Index y = 0, x = 0;

  auto operator<=>(const Core&) const = default;  // NOLINT(modernize-use-nullptr): it means the 0 of a comparison
};

struct CoreRange {
  Index x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // both corners belong to it

  auto operator<=>(const CoreRange&) const = default;  // NOLINT(modernize-use-nullptr): it means the 0 of a comparison
};

/// The cores of a set in the order of the runtime: range after range, each by rows or by columns. Errors: Value (more
/// than 65536). Example: {(x=0,y=0) - (x=1,y=1)} by columns: (0,0), (y=1,x=0), (y=0,x=1), (1,1).
[[nodiscard]] Result<std::vector<Core>> cores_of(std::span<const CoreRange> grid, bool by_column);

/// The box from (0, 0) that holds all cores, at least 1x1.
struct CoreBox {
  Index rows = 1, columns = 1;
};
[[nodiscard]] CoreBox box_of(std::span<const Core> cores);

/// Numbers that stand for others: f(0), f(1), …, f(n - 1), as f(0) + slope·k + Σ jump_b · [k >= at_b].
struct Table {
  Index start = 0, slope = 0;
  std::vector<std::pair<Index, Index>> jumps;  // (at, by), ascending
};
/// `keys` ascend, one value each; between them the table goes on with the slope.
[[nodiscard]] Table table_of(std::span<const Index> keys, std::span<const Index> values, Index slope);

/// core = first + (k div width, k mod width), or with rows and columns exchanged; nothing if the order is another.
struct Pattern {
  Core first;
  Index width = 1;
  bool by_column = false;
};
[[nodiscard]] std::optional<Pattern> pattern_of(std::span<const Core> cores);

/// The stages from (number of the core, place) to (y, x, place), right for the numbers of the cores; and back, right
/// for the cores. Requires: at least one core, no core twice.
[[nodiscard]] std::vector<map::Stage> to_cores(std::span<const Core> cores);
[[nodiscard]] std::vector<map::Stage> from_cores(std::span<const Core> cores);

/// Where the cores of a layout's grid are on the chips. A layout of Tenstorrent's compiler counts the cores of a grid
/// that is only its own; two such layouts are compared by their cores on the chips.
///
/// Example: [12, 1] height-sharded on rows of 8 cores: the place (c0, 0, m) is (y, x, m) = (c0 div 8, c0 mod 8, m).
struct ChipPlaces {
  /// The axes device (where there is one), y and x of the core, and m, its memory. Empty: the layout's own coordinates
  /// are the cores of the chips, or `nowhere` says why those are not known.
  std::optional<map::Space> box = {};
  std::vector<map::Stage> stages = {};  // from the layout's own coordinates to these; right for those in its box
  std::vector<map::Stage> back = {};    // the way back from the cores that `stages` give; empty: none is known
  std::string nowhere = {};
  /// Not empty: of two layouts with the same words the same coordinates are the same places, and other ones are others,
  /// even where the text does not say which: "pages of 1024 elements in DRAM".
  std::string alike = {};
};

/// The layout over the axes of the chips. Requires: chips.box. Errors: Value where an element is beyond the grid or the
/// memory of a core, so that it is nowhere; those of Layout::create.
[[nodiscard]] Result<map::Layout> on_chips(const map::Layout& own, const ChipPlaces& chips);

}  // namespace vl::use
