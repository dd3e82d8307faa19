// Cell: a box of variables with affine lines over them, the stack of waiting cells, and the rewrites of both that make
// up the derivation of pieces (oracle/plan/plan.h, Rule). Each operation writes its rewrite down. Arrays have fixed
// capacity and are used only as far as they are filled. There are no allocations once the stack has its final size.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "oracle/plan/plan.h"

namespace vl::oracle {

constexpr std::size_t kMostSideLines = 48;  // of one side, as in the checker
constexpr std::size_t kMostLines = 2 * kMostSideLines;

struct Cell {
  std::size_t rank = 0;
  std::size_t lines = 0;
  std::size_t side = 0;   // 0: the source's stages are next, 1: the destination's, 2: both are addresses
  std::size_t first = 0;  // the first line of that side
  std::size_t stage = 0;
  std::size_t digit = 0;  // the number of a split's weights that are taken
  std::array<Index, kMostVariables> extent;
  std::array<Index, kMostLines> constant;
  std::array<std::array<Index, kMostVariables>, kMostLines> coefficient;
};

class Cells {
 public:
  /// Starts anew; rewrites are appended to `list`.
  void begin(std::vector<Rewrite>& list);

  Cell top;

  void cut(std::size_t a, Index n);
  void block(std::size_t a, Index n);  // Requires: n divides the extent
  void fix(std::size_t a);
  void reverse(std::size_t a);
  void fuse(std::size_t a, std::size_t b);  // Requires: is_fusible(a, b)
  void note(Rule rule) { list_->push_back({rule, 0, 0, 0}); }

  [[nodiscard]] bool is_fusible(std::size_t a, std::size_t b) const;
  /// Copies the top beneath itself: for the first cells of nests.
  void push();
  /// Takes the topmost waiting cell; false if no cell waits.
  bool pop();
  /// Whether a number left 64 bits, or there are too many variables.
  [[nodiscard]] bool failed() const { return failed_; }
  void fail() { failed_ = true; }

 private:
  void remove(std::size_t a);

  std::vector<Rewrite>* list_ = nullptr;
  std::vector<Index> waiting_;  // cells, packed: extents, lines, then the header
  bool failed_ = false;
};

/// The least and the largest value of a line of the cell. False if one leaves 64 bits.
[[nodiscard]] bool range_of(const Cell& cell, std::size_t line, Index& low, Index& high);

}  // namespace vl::oracle
