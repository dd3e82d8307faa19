// Random layouts of rules B, C and D, with what the model of core_model.h has to know of them.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "encodings/use/random.h"
#include "tests/ttmlir/core_model.h"

namespace vl::ttmlir {
namespace ttmlir_on_chips_campaign {

using test::cores::Core;
using test::cores::Kind;
using test::cores::Place;
using test::cores::Range;
using use::Random;
using Sizes = std::vector<Index>;

inline Index up(Index value, Index step) { return (value + step - 1) / step * step; }
inline Index product(const Sizes& sizes) {
  Index out = 1;
  for (const Index size : sizes) out *= size;
  return out;
}

// A layout as its text, and by the model.
struct Drawn {
  std::string text;
  // The places of elements on a chip of so many columns.
  std::function<std::function<std::optional<Place>(const Sizes&)>(Index)> placed;
  bool sound = true;  // not, where the text contradicts itself
  bool dram = false;
  bool device = false;  // its text names the device, too
};

inline std::string word(Kind kind, bool upper) {
  switch (kind) {
    case Kind::height: return upper ? "HEIGHT" : "height";
    case Kind::width: return upper ? "WIDTH" : "width";
    default: return upper ? "BLOCK" : "block";
  }
}

// `count` cores in up to three rectangles that do not meet, each of whole rows of its own width, in any order.
inline std::vector<Range> some_ranges(Random& random, Index count) {
  std::vector<Range> out;
  Index left = count, top = random.between(0, 2);
  while (left > 0) {
    const Index width = out.size() >= 2 ? left : random.between(1, std::min<Index>(left, 6));
    const Index height = out.size() >= 2 ? 1 : random.between(1, left / width);
    const Index column = random.between(0, 3);
    out.push_back({column, top, column + width - 1, top + height - 1});
    top += height + random.between(0, 1);
    left -= width * height;
  }
  random.shuffle(std::span(out));
  return out;
}

inline std::string mlir(const std::vector<Range>& ranges) {
  std::string out;
  for (const Range& range : ranges)
    out += fmt::format("{}#ttnn.core_range<({},{}), ({},{})>", out.empty() ? "" : ", ", range.x0, range.y0, range.x1,
                       range.y1);
  return fmt::format(", core_ranges = #ttnn.core_range_set<[{}]>", out);
}

inline std::string dims(std::size_t rank, std::string_view separator = ", ") {
  std::string out;
  for (std::size_t d = 0; d < rank; ++d) out += fmt::format("{}d{}", d == 0 ? "" : separator, d);
  return out;
}

// (d0 * 64 + d1, d2) of the padded shape.
inline std::string joined(const Sizes& padded) {
  std::string rows;
  for (std::size_t d = 0; d + 1 < padded.size(); ++d) {
    Index stride = 1;
    for (std::size_t e = d + 1; e + 1 < padded.size(); ++e) stride *= padded[e];
    rows += fmt::format("{}d{} * {}", d == 0 ? "" : " + ", d, stride);
  }
  return fmt::format("({}) -> ({}, d{})", dims(padded.size()), rows, padded.size() - 1);
}

// How a tensor is cut: rows and columns, and how many shards there are along each.
struct Cuts {
  Kind kind = Kind::height;
  Index down = 1, across = 1;
};

inline Cuts some_cuts(Random& random, Index rows, Index columns, Index unit) {
  Cuts out;
  out.kind = static_cast<Kind>(random.between(0, 2));
  const auto along = [&](Index extent) {
    const Index units = extent / unit;
    std::vector<Index> fit;  // mostly numbers by which a core's share is whole tiles
    for (Index n = 1; n <= std::min<Index>(units, 20); ++n)
      if (units % n == 0 || random.chance(8)) fit.push_back(n);
    return fit[random.below(fit.size())];
  };
  if (out.kind != Kind::width) out.down = along(rows);
  if (out.kind != Kind::height) out.across = along(columns);
  return out;
}

inline Drawn rule_c(Random& random, const Sizes& tensor, bool tiled) {
  test::cores::Ttnn layout;
  layout.tensor = tensor, layout.tiled = tiled;
  const auto array = test::cores::folded(tensor, tiled);
  const Cuts cuts = some_cuts(random, array.rows(), array.columns(), tiled ? 32 : 1);
  layout.kind = cuts.kind, layout.grid_rows = cuts.down, layout.grid_columns = cuts.across;
  const Index count = cuts.down * cuts.across;
  if (cuts.kind != Kind::block && random.chance(20))
    for (Index h = 2; h * 2 <= count; ++h)  // a grid of older IR
      if (count % h == 0) {
        layout.grid_rows = h, layout.grid_columns = count / h;
        break;
      }
  layout.dram = cuts.kind != Kind::block &&
                layout.grid_rows * layout.grid_columns == std::max(cuts.down, cuts.across) &&
                (layout.grid_rows == 1 || layout.grid_columns == 1) && random.chance(10);
  bool sound = true;
  if (random.chance(70)) {
    if (cuts.kind == Kind::block) {
      const Index x = random.between(0, 3), y = random.between(0, 3);
      layout.ranges = {{x, y, x + cuts.across - 1, y + cuts.down - 1}};
      if (random.chance(10)) layout.ranges = {{x, y, x + cuts.down - 1, y + cuts.across - 1}};
      sound = layout.ranges[0].x1 - x + 1 == cuts.across && layout.ranges[0].y1 - y + 1 == cuts.down;
    } else {
      layout.ranges = some_ranges(random, count);
      if (random.chance(10)) {  // one core twice, or one too few or too many
        auto& last = layout.ranges.back();
        if (random.chance(50)) layout.ranges.push_back(last);
        else ++last.x1;
        sound = false;
      }
    }
  }
  const auto shard = layout.shard();
  const Index unit = tiled ? 32 : 1;
  Drawn out;
  out.text =
      fmt::format("#ttnn.ttnn_layout<{}, <{}x{}>, memref<{}x{}x{}, #ttnn.buffer_type<{}>>, <{}_sharded>{}>",
                  joined(array.shape), layout.grid_rows, layout.grid_columns, shard.rows / unit, shard.columns / unit,
                  tiled ? "!ttcore.tile<32x32, bf16>" : "bf16", layout.dram ? "dram" : "l1", word(layout.kind, false),
                  layout.ranges.empty() ? "" : mlir(layout.ranges));
  out.sound = sound;
  out.dram = layout.dram;
  out.placed = [layout](Index columns) {
    auto own = layout;
    own.chip_width = columns;
    return [own, cores = own.cores()](const Sizes& at) { return own.place(at, cores); };
  };
  return out;
}

inline Drawn rule_b(Random& random, const Sizes& tensor, bool tiled) {
  test::cores::Metal layout;
  layout.tensor = tensor, layout.tiled = tiled;
  const Index unit = tiled ? 32 : 1;
  layout.grid_rows = random.between(1, 5), layout.grid_columns = random.between(1, 5);
  if (random.chance(20)) layout.grid_rows = 1, layout.grid_columns = random.between(9, 20);
  const Sizes cells = {up(up(tensor[0], unit) / unit, layout.grid_rows) / layout.grid_rows,
                       up(up(tensor[1], unit) / unit, layout.grid_columns) / layout.grid_columns};
  layout.part = {cells[0] * unit, cells[1] * unit, tiled};
  std::string on;
  const std::string grid = fmt::format("{}x{}", layout.grid_rows, layout.grid_columns);
  if (layout.grid_columns > 8 || random.chance(40)) {
    if (layout.grid_columns <= 8 && random.chance(50)) {
      layout.corner = {random.between(0, 3), random.between(0, 3)};
      on = fmt::format(
          "on #ttcore.grid<{}, virt_to_physical_map = (d0, d1) -> (0, d0 + {}, d1 + {}), "
          "physical_to_virt_map = (d0, d1) -> (0, d0 - {}, d1 - {})>: ",
          grid, layout.corner.y, layout.corner.x, layout.corner.y, layout.corner.x);
    } else {
      layout.identity = false;
      layout.target = {random.between(3, 8), 0};
      layout.target.x = (layout.grid_rows * layout.grid_columns + layout.target.y - 1) / layout.target.y;
      on = fmt::format(
          "on #ttcore.grid<{}, virt_to_physical_map = (d0, d1) -> (0, ((d1 + d0 * {}) floordiv {}) mod {}, "
          "(d1 + d0 * {}) mod {}), physical_to_virt_map = (d0, d1) -> (0, 0, 0)>: ",
          grid, layout.grid_columns, layout.target.x, layout.target.y, layout.grid_columns, layout.target.x);
    }
  }
  Drawn out;
  out.text = fmt::format(
      "{}tensor<{}x{}x{}x{}, #ttcore.metal_layout<logical_shape = {}x{}, dim_alignments = {}x{}, collapsed_intervals = "
      "dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>",
      on, grid, cells[0], cells[1], tiled ? "!ttcore.tile<32x32, bf16>" : "bf16", tensor[0], tensor[1],
      layout.grid_rows * cells[0] * unit, layout.grid_columns * cells[1] * unit);
  out.device = !on.empty();
  out.placed = [layout](Index) { return [layout](const Sizes& at) { return std::optional(layout.place(at)); }; };
  return out;
}

inline Drawn rule_d(Random& random, const Sizes& tensor, bool tiled) {
  test::cores::Metalium layout;
  layout.tensor = tensor, layout.tiled = tiled;
  const auto array = test::cores::folded(tensor, tiled);
  const Index unit = tiled ? 32 : 1;
  const Cuts cuts = some_cuts(random, array.rows(), array.columns(), unit);
  layout.kind = cuts.kind;
  layout.part = {up((array.rows() + cuts.down - 1) / cuts.down, unit),
                 up((array.columns() + cuts.across - 1) / cuts.across, unit), tiled};
  layout.by_columns = random.chance(40);
  if (cuts.kind == Kind::block) {
    const Index x = random.between(0, 3), y = random.between(0, 3);
    const Index high = layout.by_columns ? cuts.across : cuts.down, wide = layout.by_columns ? cuts.down : cuts.across;
    layout.ranges = {{x, y, x + wide - 1, y + high - 1}};
  } else {
    layout.ranges = some_ranges(random, cuts.down * cuts.across);
  }
  std::string ranges;
  for (const Range& range : layout.ranges)
    ranges += fmt::format("{}CoreRange(({}, {}), ({}, {}))", ranges.empty() ? "" : ", ", range.x0, range.y0, range.x1,
                          range.y1);
  Drawn out;
  out.text = fmt::format(
      "layout={}: MemoryConfig(TensorMemoryLayout.{}_SHARDED, BufferType.L1, ShardSpec(CoreRangeSet([{}]), [{}, {}], "
      "ShardOrientation.{}))",
      tiled ? "TILE" : "ROW_MAJOR", word(layout.kind, true), ranges, layout.part.rows, layout.part.columns,
      layout.by_columns ? "COL_MAJOR" : "ROW_MAJOR");
  out.placed = [layout](Index) {
    return [layout, cores = layout.cores()](const Sizes& at) { return layout.place(at, cores); };
  };
  return out;
}

inline Sizes some_tensor(Random& random, bool tiled) {
  Sizes out = tiled ? Sizes{random.between(1, 200), random.between(1, random.chance(30) ? 96 : 32)}
                    : Sizes{random.between(1, 24), random.between(1, 24)};
  if (random.chance(30)) out.insert(out.begin(), random.between(1, 3));
  return out;
}

inline Drawn some_layout(Random& random, const Sizes& tensor, bool tiled) {
  const Index rule = random.between(0, tensor.size() == 2 ? 3 : 2);
  return rule <= 1   ? rule_c(random, tensor, tiled)
         : rule == 2 ? rule_d(random, tensor, tiled)
                     : rule_b(random, tensor, tiled);
}

}  // namespace ttmlir_on_chips_campaign
}  // namespace vl::ttmlir
