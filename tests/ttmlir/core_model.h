// Model of physical cores: where an element of a Tenstorrent layout lies, as (device, y, x, number in the core's
// memory). A second meaning for tests, made from tt-mlir's and tt-metal's sources alone and from no other file of this
// program:
//   rule C  deriveShardShape, buildRowMajorCoreRanges, deriveCanonicalL1CoreRangeSet, deriveCanonicalDramCoreRangeSet
//   in
//           TTNNOpsAttrs.cpp, getLegacyGrid in TTIRToD2M.cpp, and the ShardSpec that MLIRToFlatbuffer.h makes;
//   rule B  MetalLayoutAttr and createL1Map in TTCoreOpsTypes.cpp, createCoreVirtMaps in VirtualGrid.cpp;
//   rule D  corerange_to_cores of tt-metal: the ranges in their order, each by rows or by columns.
// Cores are (x, y) in core ranges, and a list of cores counts x first. A worked number: [12, 1] height-sharded on a
// chip 8 wide has shard 10 at y = 1, x = 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace vl::test::cores {

using Number = std::int64_t;
using Shape = std::vector<Number>;

struct Range {
  Number x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // inclusive
};

struct Core {
  Number y = 0, x = 0;
  friend bool operator==(Core left, Core right) { return left.y == right.y && left.x == right.x; }
};

/// All cores of the ranges in their order, each range by rows; or by columns.
inline std::vector<Core> listed(const std::vector<Range>& ranges, bool by_columns = false) {
  std::vector<Core> cores;
  for (const Range& range : ranges) {
    const Number width = range.x1 - range.x0 + 1;
    const Number height = range.y1 - range.y0 + 1;
    for (Number i = 0; i < width * height; ++i) {
      cores.push_back(by_columns ? Core{range.y0 + i % height, range.x0 + i / height}
                                 : Core{range.y0 + i / width, range.x0 + i % width});
    }
  }
  return cores;
}

inline Number ceil_div(Number a, Number b) { return (a + b - 1) / b; }

/// Number of an element in a row-major array of shape.
inline Number flat(const Shape& at, const Shape& shape) {
  Number number = 0;
  for (std::size_t d = 0; d < at.size(); ++d) {
    number = number * shape[d] + at[d];
  }
  return number;
}

/// Number of (row, column) in a memory of rows of 32x32 tiles, each of four faces of 16x16: (17, 3) of one tile is 531.
inline Number in_tiles(Number row, Number column, Number width) {
  const Number tile = row / 32 * (width / 32) + column / 32;
  const Number r = row % 32;
  const Number c = column % 32;
  return tile * 1024 + (r / 16 * 2 + c / 16) * 256 + r % 16 * 16 + c % 16;
}

struct Place {
  Number device = 0, y = 0, x = 0, offset = 0;
  friend bool operator==(const Place& l, const Place& r) {
    return l.device == r.device && l.y == r.y && l.x == r.x && l.offset == r.offset;
  }
  friend bool operator<(const Place& l, const Place& r) {
    return l.device != r.device ? l.device < r.device
           : l.y != r.y         ? l.y < r.y
           : l.x != r.x         ? l.x < r.x
                                : l.offset < r.offset;
  }
};

/// One two-dimensional shard, rows * columns elements.
struct Shard {
  Number rows = 0, columns = 0;
  bool tiled = false;

  [[nodiscard]] Number offset(Number row, Number column) const {
    return tiled ? in_tiles(row, column, columns) : row * columns + column;
  }
};

/// A tensor as rows and columns: rows join all dimensions but the last, each padded to tiles where there are tiles.
struct Folded {
  Shape shape;  // as padded
  [[nodiscard]] Number rows() const {
    return std::accumulate(shape.begin(), shape.end() - 1, Number{1}, [](Number a, Number b) { return a * b; });
  }
  [[nodiscard]] Number columns() const { return shape.back(); }
  [[nodiscard]] Number row(const Shape& at) const {
    return flat(Shape(at.begin(), at.end() - 1), Shape(shape.begin(), shape.end() - 1));
  }
};

inline Folded folded(Shape shape, bool tiled) {
  for (std::size_t d = 0; tiled && d < shape.size(); ++d) {
    if (d + 2 >= shape.size()) {
      shape[d] = ceil_div(shape[d], 32) * 32;
    }
  }
  return {shape};
}

enum class Kind { height, width, block };

/// Rule C: a sharded ttnn_layout. `ranges` is empty where the text has none; then the builder's canonical fill holds,
/// which needs the chip's width.
struct Ttnn {
  Shape tensor;
  bool tiled = true;
  Number grid_rows = 1, grid_columns = 1;
  Kind kind = Kind::height;
  bool dram = false;
  std::vector<Range> ranges;
  Number chip_width = 8;

  [[nodiscard]] Shard shard() const {
    const Folded array = folded(tensor, tiled);
    const Number count = grid_rows * grid_columns;
    const Number down = kind == Kind::height ? count : kind == Kind::width ? 1 : grid_rows;
    const Number across = kind == Kind::width ? count : kind == Kind::height ? 1 : grid_columns;
    // What MLIRToFlatbuffer.h tells the runtime: the memref in tiles times the tile.
    Shard shard = {ceil_div(array.rows(), down), ceil_div(array.columns(), across), tiled};
    if (tiled) {
      shard.rows = ceil_div(shard.rows, 32) * 32;
      shard.columns = ceil_div(shard.columns, 32) * 32;
    }
    return shard;
  }

  [[nodiscard]] std::vector<Range> placed() const {
    if (!ranges.empty()) {
      return ranges;
    }
    const Number count = grid_rows * grid_columns;
    if (kind == Kind::block) {
      return {{0, 0, grid_columns - 1, grid_rows - 1}};
    }
    if (dram) {
      return {{0, 0, count - 1, 0}};
    }
    if (grid_rows > 1 && grid_columns > 1) {  // createCoreVirtMaps of getLegacyGrid's grid to the grid in the text
      return {{0, 0, grid_columns - 1, grid_rows - 1}};
    }
    std::vector<Range> fill;
    if (count / chip_width > 0) {
      fill.push_back({0, 0, chip_width - 1, count / chip_width - 1});
    }
    if (count % chip_width > 0) {
      fill.push_back({0, count / chip_width, count % chip_width - 1, count / chip_width});
    }
    return fill;
  }

  [[nodiscard]] std::vector<Core> cores() const { return listed(placed()); }

  [[nodiscard]] std::optional<Place> place(const Shape& at, const std::vector<Core>& cores) const {
    const Folded array = folded(tensor, tiled);
    const Shard part = shard();
    const Number row = array.row(at);
    const Number column = at.back();
    const Number across = kind == Kind::block ? grid_columns : kind == Kind::width ? grid_rows * grid_columns : 1;
    const Number number = row / part.rows * across + column / part.columns;
    if (number >= static_cast<Number>(cores.size())) {
      return std::nullopt;
    }
    const Core core = cores[static_cast<std::size_t>(number)];
    return Place{0, core.y, core.x, part.offset(row % part.rows, column % part.columns)};
  }
};

/// Rule B: a tensor of a metal_layout in two dimensions, [grid…, shard…]; the virtual grid's cores by the map of
/// createCoreVirtMaps: row-major number of the virtual core, dealt to `target` by rows, and moved by `corner`.
struct Metal {
  Shape tensor;  // rows, columns
  bool tiled = true;
  Number grid_rows = 1, grid_columns = 1;
  Core target = {8, 8};  // rows and columns
  Core corner;
  bool identity = true;  // no map, or (0, d0 + corner.y, d1 + corner.x)

  Shard part;  // of the device shape [grid…, shard…]

  [[nodiscard]] Place place(const Shape& at) const {
    const Number down = at[0] / part.rows;
    const Number across = at[1] / part.columns;
    const Number offset = part.offset(at[0] % part.rows, at[1] % part.columns);
    if (identity) {
      return {0, down + corner.y, across + corner.x, offset};
    }
    const Number number = down * grid_columns + across;
    return {0, number / target.x % target.y, number % target.x, offset};
  }
};

/// Rule D: a ShardSpec of tt-metal. Shards are numbered row-major over the tensor; number i of height- and
/// width-sharded ones is on core i of the list, blocks keep their row and column in the one rectangle (exchanged for
/// COL_MAJOR).
struct Metalium {
  Shape tensor;
  bool tiled = true;
  Kind kind = Kind::height;
  Shard part;
  bool by_columns = false;
  std::vector<Range> ranges;

  [[nodiscard]] std::vector<Core> cores() const { return listed(ranges, by_columns); }

  [[nodiscard]] std::optional<Place> place(const Shape& at, const std::vector<Core>& cores) const {
    const Folded array = folded(tensor, tiled);
    const Number row = array.row(at);
    const Number down = row / part.rows;
    const Number across = at.back() / part.columns;
    const Number offset = part.offset(row % part.rows, at.back() % part.columns);
    if (kind == Kind::block) {
      const Range& all = ranges.front();
      const Core core = by_columns ? Core{all.y0 + across, all.x0 + down} : Core{all.y0 + down, all.x0 + across};
      return core.y <= all.y1 && core.x <= all.x1 ? std::optional(Place{0, core.y, core.x, offset}) : std::nullopt;
    }
    const Number number = kind == Kind::height ? down : across;
    if (number >= static_cast<Number>(cores.size())) {
      return std::nullopt;
    }
    const Core core = cores[static_cast<std::size_t>(number)];
    return Place{0, core.y, core.x, offset};
  }
};

}  // namespace vl::test::cores
