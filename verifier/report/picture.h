// Picture: a layout in the order of its memory, one line per stick. A stick is a row of slots that differ only in the
// last physical coordinate. Other code computes the content of the slots; this file only draws it.
//
//   [d0,d1] byte                         f16[2,6], device_size [2,2,4], stride_map [4,6,1]
//   [0,0]      0  0,0 0,1 0,2 0,3
//   [0,1]      8  1,0 1,1 1,2 1,3
//   [1,0]     16  0,4 0,5 ·   ·
//   [1,1]     24  1,4 1,5 ·   ·
//
// If the cells of the drawn sticks do not fit the width, all are drawn as runs: [0,0..3] for elements of which one
// coordinate counts up, [7]×4 for one element in 4 slots, ·×2 for padding.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "encodings/map/layout.h"

namespace vl::report {

/// Every slot holds an element; some slots do; no slot does.
enum class StickKind { Full, Ragged, Padding };
[[nodiscard]] std::string_view name(StickKind kind);

/// The content of one slot: empty for padding, several elements if the layout is not injective.
struct Cell {
  std::vector<Point> elements;
};

struct DrawnStick {
  Index number = 0;  // row-major among the sticks
  Point at;          // its physical coordinates without the last
  std::vector<Cell> cells;
};
[[nodiscard]] StickKind kind_of(const DrawnStick& stick);

/// Sticks that are not drawn, and the number of each kind.
struct LeftOut {
  Index first = 0;
  Index count = 0;
  std::array<Index, 3> kinds{};  // by StickKind; the rest of `count` was not looked at
};

struct Picture {
  std::string layout;  // in the family's raw notation
  std::string tensor;
  std::vector<Index> logical;
  map::Space physical;
  int device_bits = 0;                                    // of one slot; 0: unknown
  std::vector<std::variant<DrawnStick, LeftOut>> sticks;  // in order, all of them
  std::optional<Point> mark;                              // an element to highlight
  std::vector<std::string> notes;
};

/// The byte at which a stick starts; nothing if the size of a slot is unknown, or no stick fills whole bytes.
[[nodiscard]] std::optional<Index> byte_of(const Picture& picture, Index stick);

struct PictureStyle {
  std::size_t width = 80;  // columns
  bool colour = false;
};
[[nodiscard]] std::string picture_to_text(const Picture& picture, const PictureStyle& style);
[[nodiscard]] std::string picture_to_json(const Picture& picture);

}  // namespace vl::report
