// Cells: the boxes of a certificate while the checker replays it. A cell is a box 0 <= v_k < extent_k with affine lines
// over its variables, some for each of two sides; a stack holds the cells that wait. Every rule replaces the cell on
// top by cells that together have its points, each once. A rule never changes the value of a line at a point. This
// alone makes pieces disjoint and covering, so each rule states why it holds.
//
// The numbers come from an untrusted plan: a rule that would leave 64 bits objects. Lines are lines over the integers:
// a value at a point that no rule computes may leave 64 bits.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "oracle/plan/plan.h"

namespace vl::map {
struct Swizzle;
}

namespace vl::oracle::checker {

constexpr std::size_t kMostLines = 48;  // of one side of a cell

/// Nothing, or the error.
using Objection = std::optional<std::string>;
[[nodiscard]] inline Objection overflow() { return "a number leaves 64 bits"; }

/// Line i is constants[i] + Σ coefficients[i][k]·v_k. Entries behind the cell's last variable have no meaning.
struct Lines {
  std::size_t count = 0;
  std::array<Index, kMostLines> constants;
  std::array<std::array<Index, kMostVariables>, kMostLines> coefficients;

  /// Line i becomes the number `constant`. Requires: i < kMostLines.
  void set(std::size_t i, std::size_t variables, Index constant);
  /// Line i becomes line j of `other`.
  void copy(std::size_t i, const Lines& other, std::size_t j, std::size_t variables);
};

/// The progress of the lines of one side through the stages of its map.
struct Progress {
  std::size_t stage = 0;               // stages that are done
  std::size_t weight = 0;              // of a split that is not done: the weights that are taken
  const map::Swizzle* left = nullptr;  // the last stage, which is left to the address
  bool is_address = false;             // one line, the unit's number before `swizzle`
  ByteSwizzle swizzle;                 // of units
};

class Cells {
 public:
  std::size_t variables = 0;
  std::array<Index, kMostVariables> extents;
  std::array<Progress, 2> progress;

  [[nodiscard]] Lines& lines(std::size_t side) { return buffers_[order_[side]]; }
  [[nodiscard]] const Lines& lines(std::size_t side) const { return buffers_[order_[side]]; }
  /// spare() is a third set of lines to write to; take_spare() makes it the lines of a side.
  [[nodiscard]] Lines& spare() { return buffers_[order_[2]]; }
  void take_spare(std::size_t side) { std::swap(order_[side], order_[2]); }

  /// Forgets every cell. The caller then fills the fields above for the first cell.
  void clear();
  /// Cut, Block, Fix, Drop, Reverse and Fuse.
  [[nodiscard]] Objection rewrite(const Rewrite& rewrite);
  /// Takes the topmost waiting cell in place of this one; false if no cell waits.
  [[nodiscard]] bool next();

  /// Whether line i is the same number at every point.
  [[nodiscard]] bool is_constant(std::size_t side, std::size_t i) const;
  struct Range {
    Index low;
    Index high;
  };
  /// The exact range of line i; nothing if it leaves 64 bits.
  [[nodiscard]] std::optional<Range> range(std::size_t side, std::size_t i) const;

 private:
  struct Waiting {
    std::size_t begin;  // of its numbers
    std::size_t variables;
    std::array<std::size_t, 2> lines;
    std::array<Progress, 2> progress;
  };

  [[nodiscard]] Objection cut(std::size_t a, Index n);
  [[nodiscard]] Objection block(std::size_t a, Index n);
  [[nodiscard]] Objection reverse(std::size_t a);
  [[nodiscard]] Objection fuse(std::size_t a, std::size_t b);
  [[nodiscard]] bool wait_from(std::size_t a, Index n);
  void remove(std::size_t a);

  std::array<Lines, 3> buffers_;
  std::array<std::size_t, 3> order_{0, 1, 2};
  std::vector<Waiting> waiting_;
  std::vector<Index> numbers_;  // of the waiting cells, one behind the other
};

}  // namespace vl::oracle::checker
