// Boxes of tensor maps, byte by byte, from the formulas of cuda.h 12.9 and of PTX ISA 9.0, 5.5.7; and the layouts that
// they carry. No place comes from the project's own moves.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "encodings/map/layout.h"
#include "encodings/use/descriptor.h"

namespace vl::test::tiles {

using Numbers = std::vector<Index>;

// PTX ISA 9.0, 5.5.7: the bits of an address that are exchanged.
inline Index swizzled_byte(const std::string& mode, Index a) {
  if (mode == "32B") return a ^ (((a >> 7) & 1) << 4);
  if (mode == "64B") return a ^ (((a >> 7) & 3) << 4);
  if (mode == "128B") return a ^ (((a >> 7) & 7) << 4);
  if (mode == "128B_ATOM_32B") return a ^ (((a >> 7) & 3) << 5);
  if (mode == "128B_ATOM_64B") return a ^ (((a >> 7) & 1) << 6);
  return a;
}
inline Index span_of(const std::string& mode) {
  return mode == "none" ? 0 : mode == "32B" ? 32 : mode == "64B" ? 64 : 128;
}

// One box; all lists innermost dimension first.
struct Box {
  Numbers at;
  Index shared = 0;
};

struct Tiles {
  std::string type, mode;
  bool load = true;
  Index bytes = 2;
  Numbers dim, stride, box, step;
  std::vector<Box> boxes;

  [[nodiscard]] Index tile(std::size_t i) const { return (box[i] + step[i] - 1) / step[i]; }
  [[nodiscard]] Index row() const { return mode == "none" ? tile(0) * bytes : span_of(mode); }
  [[nodiscard]] std::string text(const Box& of) const {
    return fmt::format("{} tensormap({}, dim ({}), stride ({}), box ({}), step ({}), swizzle {}) at ({}) {} {}",
                       load ? "load" : "store", type, fmt::join(dim, ","), fmt::join(stride, ","), fmt::join(box, ","),
                       fmt::join(step, ","), mode, fmt::join(of.at, ","), load ? "to" : "from", of.shared);
  }
  [[nodiscard]] Index offset(const Numbers& g) const {
    Index out = g[0] * bytes;
    for (std::size_t i = 1; i < g.size(); ++i) out += g[i] * stride[i - 1];
    return out;
  }
  // For each element of each tile: whether it is moved, the byte of the tensor's memory, and that of shared memory.
  void for_each_place(const auto& see) const {
    for (const Box& each : boxes) {
      Index count = 1;
      for (std::size_t i = 0; i < dim.size(); ++i) count *= tile(i);
      for (Index k = 0; k < count; ++k) {
        Index rest = k, place = 0, pitch = bytes;
        Numbers g(dim.size());
        bool inside = true;
        for (std::size_t i = 0; i < dim.size(); ++i) {
          const Index t = rest % tile(i);
          rest /= tile(i);
          g[i] = each.at[i] + t * step[i];
          inside = inside && g[i] >= 0 && g[i] < dim[i];
          place += t * pitch;
          pitch = i == 0 ? row() : pitch * tile(i);
        }
        see(inside, offset(g), swizzled_byte(mode, each.shared + place));
      }
    }
  }
  // The bytes of shared memory that go with each byte offset of the tensor's memory.
  [[nodiscard]] std::multimap<Index, Index> moved() const {
    std::multimap<Index, Index> out;
    for_each_place([&](bool inside, Index tensor, Index byte) {
      if (inside) out.emplace(tensor, byte);
    });
    return out;
  }
  [[nodiscard]] std::set<Index> filled() const {
    std::set<Index> out;
    for_each_place([&](bool inside, Index, Index byte) {
      if (!inside) out.insert(byte);
    });
    return out;
  }
};

// What the project's reader makes of the boxes' texts; fewer than there are boxes if one is not read.
inline std::vector<use::Descriptor> read_boxes(const Tiles& tiles) {
  std::vector<use::Descriptor> out;
  for (const Box& box : tiles.boxes) {
    auto made = use::parse_descriptor(tiles.text(box));
    if (!made) break;
    out.push_back(std::move(*made));
  }
  return out;
}

// Boxes that tile a tensor, each in a part of the shared memory of its own.
inline Tiles drawn(const auto& pick) {
  static constexpr const char* kModes[] = {"none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_64B"};
  static constexpr const char* kTypes[] = {"u8", "f16", "f32"};
  Tiles out;
  const Index width = pick(0, 2);
  out.type = kTypes[width], out.bytes = Index{1} << width, out.mode = kModes[pick(0, 5)], out.load = pick(0, 3) > 0;
  const auto rank = static_cast<std::size_t>(pick(1, 3));
  const Index row = out.mode == "none" ? 16 * pick(1, 2) : span_of(out.mode);
  for (std::size_t i = 0; i < rank; ++i) {
    out.box.push_back(i == 0 ? row / out.bytes : pick(1, i == 1 ? 20 : 2));
    out.dim.push_back(pick(1, 2 * out.box[i])), out.step.push_back(1);
    if (i > 0)
      out.stride.push_back(((i == 1 ? out.dim[0] * out.bytes : out.stride[i - 2] * out.dim[i - 1]) + 15) / 16 * 16 +
                           16 * pick(0, 1));
  }
  return out;
}

// Where each box begins, for the boxes of one dimension after the other; `parts` are their shared addresses, in order.
inline void deal_boxes(Tiles& tiles, Index start) {
  Index bytes = tiles.row();
  for (std::size_t i = 1; i < tiles.dim.size(); ++i) bytes *= tiles.box[i];
  bytes = (bytes + 1023) / 1024 * 1024;
  Numbers count;
  Index all = 1;
  for (std::size_t i = 0; i < tiles.dim.size(); ++i)
    count.push_back((tiles.dim[i] + tiles.box[i] - 1) / tiles.box[i]), all *= count[i];
  for (Index k = 0; k < all; ++k) {
    Box next;
    Index rest = k;
    for (std::size_t i = 0; i < count.size(); ++i) next.at.push_back(rest % count[i] * tiles.box[i]), rest /= count[i];
    next.shared = start + k * bytes;
    tiles.boxes.push_back(std::move(next));
  }
}

// The layout that these boxes carry, in a memory of so many slots: a split of each coordinate by the box, strides, and
// the swizzle. Outermost first.
inline map::Layout layout_of(const Tiles& tiles, Index start, Index slots = Index{1} << 20) {
  const std::size_t rank = tiles.dim.size();
  std::vector<map::Dim> dims;
  map::LayoutParts parts;
  map::Row place{start / tiles.bytes, {}};
  Index box_stride = tiles.boxes.size() > 1 ? (tiles.boxes[1].shared - tiles.boxes[0].shared) / tiles.bytes : 1;
  Index pitch = 1;
  for (std::size_t i = 0; i < rank; ++i) {  // from the innermost, which is the last
    const std::size_t last = rank - 1 - i;
    parts.map.emplace_back(map::Split{last, {tiles.box[i], 1}});
    place.terms.push_back({2 * last, box_stride}), place.terms.push_back({2 * last + 1, pitch});
    box_stride *= (tiles.dim[i] + tiles.box[i] - 1) / tiles.box[i];
    pitch = i == 0 ? tiles.row() / tiles.bytes : pitch * tiles.box[i];
    parts.host_offset.terms.push_back({last, i == 0 ? 1 : tiles.stride[i - 1] / tiles.bytes});
  }
  for (std::size_t k = 0; k < rank; ++k)
    dims.push_back({fmt::format("x{}", k), tiles.dim[rank - 1 - k], map::Unit::Element});
  std::ranges::sort(place.terms, {}, &map::Term::input),
      std::ranges::sort(parts.host_offset.terms, {}, &map::Term::input);
  parts.map.emplace_back(map::Affine{{place}});
  const int width = tiles.bytes == 4 ? 2 : tiles.bytes == 2 ? 1 : 0;
  const std::map<std::string, std::array<int, 3>> bits = {{"32B", {1, 4, 3}},
                                                          {"64B", {2, 4, 3}},
                                                          {"128B", {3, 4, 3}},
                                                          {"128B_ATOM_32B", {2, 5, 2}},
                                                          {"128B_ATOM_64B", {1, 6, 1}}};
  if (const auto found = bits.find(tiles.mode); found != bits.end())
    parts.map.emplace_back(map::Swizzle{0, found->second[1] - width, found->second[0], found->second[2]});
  parts.logical = *map::Space::create(std::move(dims));
  parts.physical = *map::Space::create({{"m", slots, map::Unit::Element}});
  parts.named_axes = true;
  return *map::Layout::create(std::move(parts));
}

// Makes one of them wrong, or leaves a number that does not matter.
inline void spoil(Tiles& tiles, const auto& pick) {
  Box& one = tiles.boxes[static_cast<std::size_t>(pick(0, static_cast<Index>(tiles.boxes.size()) - 1))];
  switch (pick(0, 6)) {
    case 0: one.shared += 128 * pick(1, 8); break;
    case 1:
      one.at[static_cast<std::size_t>(pick(0, static_cast<Index>(one.at.size()) - 1))] += 2 * pick(0, 1) - 1;
      break;
    case 2: tiles.boxes.push_back(Box(one)); break;
    case 3: std::swap(one, tiles.boxes.back()), tiles.boxes.pop_back(); break;
    case 4:
      if (!tiles.stride.empty()) tiles.stride.back() += 16;
      break;
    case 5:
      if (tiles.dim.size() > 1) tiles.step.back() = 2;
      break;
    default: tiles.dim.back() += 1;
  }
}

}  // namespace vl::test::tiles
