// Random TIRx layouts of small tensors, and random spellings of them, shared by the tests of meanings, operations and
// engines. A case is a pure function of the generator's state, so a fixed seed gives the same cases everywhere.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "encodings/tirx/tirx.h"

namespace vl::test {

struct RandomTirxCase {
  tirx::Layout layout;
  map::Tensor tensor;

  [[nodiscard]] std::string show() const { return fmt::format("{} of {}", tirx::print(layout), map::print(tensor)); }
};

class RandomTirx {
 public:
  explicit RandomTirx(std::uint64_t seed) : random_(seed) {}

  /// A layout of at most `most` elements with at most `most` replicas of each; tensor and box fit it.
  RandomTirxCase next(Index most) {
    for (;;) {
      RandomTirxCase made;
      if (chance(5)) {
        made.layout.swizzle = swizzle();
        made.tensor.size = {between(1, most)};
      } else {
        const bool on_memory = chance(50);
        made.layout.tile = tile(most, on_memory);
        if (on_memory && chance(60)) made.layout.swizzle = swizzle();
        if (made.layout.swizzle && tirx::range_of(*made.layout.tile, tirx::Axis::M)->low < 0) continue;
        made.tensor.size = sizes(*tirx::size_of(*made.layout.tile));
      }
      constexpr map::ElementType kTypes[] = {map::ElementType::F16, map::ElementType::F32, map::ElementType::F8E4M3};
      made.tensor.type = kTypes[between(0, 2)];
      if (chance(25)) declare(made);
      return made;
    }
  }

  /// At most `most` elements and as many replicas; any axes, or m alone.
  tirx::TileLayout tile(Index most, bool on_memory) {
    const std::vector<tirx::Axis> axes = chosen_axes(on_memory);
    tirx::TileLayout tile;
    tile.shard = iters(between(0, 4), most, axes);
    if (chance(30)) tile.replica = iters(between(1, 2), std::min<Index>(most, 8), axes);
    for (const tirx::Axis axis : axes)
      if (chance(20)) tile.offset.emplace_back(axis, chance(15) ? between(-4, -1) : between(0, 20));
    return tile;
  }

  tirx::SwizzleLayout swizzle() {
    const auto small = [&](Index low, Index high) { return static_cast<int>(between(low, high)); };
    return {small(0, 3), small(0, 3), small(1, 3), chance(65)};
  }

  /// Sizes whose product is `volume`: its prime factors dealt to dimensions, so not along any layout's extents.
  std::vector<Index> sizes(Index volume) {
    std::vector<Index> out(static_cast<std::size_t>(between(volume == 1 ? 0 : 1, 4)), 1);
    for (Index factor = 2; volume > 1; ++factor)
      for (; volume % factor == 0; volume /= factor)
        out[static_cast<std::size_t>(between(0, static_cast<Index>(out.size()) - 1))] *= factor;
    return out;
  }

  /// The layout in some notation: prefixes, white space, lists, arithmetic, texts as axes, older constructors.
  std::string spelled(const tirx::Layout& layout) {
    const tirx::SwizzleLayout* how = layout.swizzle ? &*layout.swizzle : nullptr;
    std::string tile = layout.tile ? spelled(*layout.tile) : "";
    if (layout.tile && chance(60)) tile = prefix() + "TileLayout(" + tile + ")";
    if (how == nullptr) return tile;
    const std::string three = chance(50) || chance(50)
                                  ? fmt::format("{},{} ,{}", number(how->per_element), how->swizzle_len, how->atom_len)
                                  : fmt::format("atom_len={}, per_element={}, swizzle_len={}", how->atom_len,
                                                how->per_element, how->swizzle_len);
    const std::string inner =
        how->swizzle_inner ? (chance(80) ? "" : ", swizzle_inner = True") : ", swizzle_inner=False";
    if (!layout.tile) return prefix() + "SwizzleLayout(" + three + inner + ")";
    if (chance(30)) return prefix() + "ComposeLayout(SwizzleLayout(" + three + inner + "), " + tile + ")";
    if (three.starts_with("atom")) return prefix() + "ComposeLayout(" + three + ", tile_layout=" + tile + inner + ")";
    return prefix() + "ComposeLayout(" + three + ", " + tile + inner + ")";
  }

  Index between(Index low, Index high) {
    return low + static_cast<Index>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(Index percent) { return between(1, 100) <= percent; }

 private:
  std::vector<tirx::Axis> chosen_axes(bool on_memory) {
    using tirx::Axis;
    if (on_memory) return {Axis::M};
    std::vector<Axis> out;
    for (const tirx::AxisInfo& row : tirx::axes())
      if (chance(12) || (row.axis == Axis::M && chance(50))) out.push_back(row.axis);
    if (out.empty()) out.push_back(Axis::Laneid);
    return out;
  }

  std::vector<tirx::Iter> iters(Index count, Index most, const std::vector<tirx::Axis>& axes) {
    std::vector<tirx::Iter> out;
    Index volume = 1;
    for (; count > 0; --count) {
      const Index extent = std::min(chance(15)   ? 1
                                    : chance(50) ? Index{1} << between(1, 3)
                                                 : between(2, 7),
                                    most / volume);
      volume *= extent;
      out.push_back({extent, 0, axes[static_cast<std::size_t>(between(0, static_cast<Index>(axes.size()) - 1))]});
    }
    Index dense = 1;
    const bool nested = chance(50);
    for (std::size_t k = out.size(); k-- > 0; dense *= out[k].extent) {
      if (nested && !chance(10)) out[k].stride = dense;
      else
        out[k].stride = chance(10)   ? 0
                        : chance(15) ? between(-6, -1)
                        : chance(40) ? Index{1} << between(0, 6)
                                     : between(1, 20);
    }
    if (nested && chance(40)) std::ranges::shuffle(out, random_);
    return out;
  }

  void declare(RandomTirxCase& made) {
    for (const tirx::AxisInfo& row : tirx::axes()) {
      if (!chance(row.axis == tirx::Axis::M ? 40 : 8)) continue;
      const Index most = tirx::capacity(row.axis, map::bits(made.tensor.type), true).value_or(100);
      made.tensor.box.push_back({std::string(row.name), between(1, most)});
    }
  }

  std::string prefix() { return chance(70) ? "" : chance(50) ? "T." : "tvm.tirx.layout."; }
  std::string space() { return chance(70) ? "" : chance(80) ? " " : "\n\t"; }

  std::string number(Index value) {
    if (value > 1 && chance(8) && value % 2 == 0) return fmt::format("{}{} * 2", space(), value / 2);
    if (chance(5)) return fmt::format("({} + {})", value - 3, 3);
    if (chance(5)) return fmt::format("({} // 4)", value * 4 + 3);
    return fmt::format("{}{}", space(), value);
  }

  std::string on_axis(Index value, tirx::Axis axis, bool stride) {
    const std::string_view name = tirx::info(axis).name;
    if (axis == tirx::Axis::M && chance(70)) return number(value);
    if (stride && value == 1 && chance(20)) return fmt::format("\"{}\"", name);
    if (stride && chance(5)) return fmt::format("({}, '{}')", value, name);
    return fmt::format("{}{}@{}{}{}", number(value), space(), space(), chance(10) ? "Axis." : "", name);
  }

  std::string spelled(std::string_view name, const std::vector<tirx::Iter>& iters) {
    std::string extents, strides;
    for (const tirx::Iter& iter : iters) {
      const std::string comma = extents.empty() ? "" : "," + space();
      extents += comma + number(iter.extent);
      strides += comma + on_axis(iter.stride, iter.axis, true);
    }
    // A pair as the only stride needs its brackets: S[8 : ((4, "laneid"),)].
    const bool bare = iters.size() == 1 && !strides.starts_with("(") && chance(60);
    const std::string_view tail = iters.size() == 1 ? "," : "";
    const bool list = chance(10);
    const char open = list ? '[' : '(', close = list ? ']' : ')';
    return bare ? fmt::format("{}{}[{}{}:{}{}]", prefix(), name, extents, space(), space(), strides)
                : fmt::format("{}{}[{}{}{}{}:{}{}{}{}]", prefix(), name, open, extents, tail, close, open, strides,
                              tail, close);
  }

  std::string spelled(const tirx::TileLayout& tile) {
    std::string out = spelled("S", tile.shard);
    std::vector<std::string> parts;
    if (!tile.replica.empty()) parts.push_back(spelled("R", tile.replica));
    for (const auto& [axis, value] : tile.offset) {
      const std::string term = on_axis(value, axis, false);
      if (axis == tirx::Axis::M && value >= 0 && chance(20)) out = fmt::format("{} + {}", value, out);
      else parts.push_back(chance(10) ? "(" + term + ")" : term);
    }
    std::ranges::shuffle(parts, random_);
    for (const std::string& part : parts) out += space() + "+" + part;
    return out;
  }

  std::mt19937_64 random_;
};

}  // namespace vl::test
