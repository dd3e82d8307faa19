// Columns: a layout's map on many points at once, for slots.h. Each stage is applied to all points of a block before
// the next stage, with one column of numbers per value. So the work is a few operations on long columns.
//
// Numbers are floating-point numbers, in which whole numbers up to 2^p are exact (p = 24 or 53): a sum or a product
// below 2^p is exact. Every value of the map, and every partial sum, is at most M = 2^(p-4). Only a division needs a
// proof:
//
//   q = floor(x / w), r = x - q·w, |x| <= M, 1 <= w <= M. As x = q·w + r, x/w + c = q + e with c = 1/(2w) - 1/2 and
//   |e| <= 1/2 - 1/(2w). In floating numbers, 1/w and the product with x are rounded, together by less than
//   M·2^(1-p)/w·1.01 < 0.13/w; c by less than 2^(-p-1)/w + 2^(-p-1) < 0.04/w; the sum by less than (M/w + 1)·2^-p <
//   0.13/w. That is less than 1/(2w), so the integer nearest to what comes out is q. q·w and r are exact.
//
// This is deliberately an independent copy of evaluate() (encodings/map), with other numbers, another order, and a
// program that is made once for all blocks. Tests compare the two.
//
// The points of a block are consecutive numbers, and their coordinates are the digits of these numbers by the row-major
// weights of the domain: the same kind of division.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "encodings/map/layout.h"

namespace vl::oracle {

/// The layout of a host tensor in its memory: row-major and dense, or at layout.host_offset().
enum class Host : std::uint8_t { Dense, View };

/// Operations on columns of one kind of number. The first column holds the points' numbers.
template <class Number>
struct Program {
  static constexpr std::size_t kLanes = 1024 / sizeof(Number);  // points of a block: 256 floats or 128 doubles
  struct alignas(64) Column {
    std::array<Number, kLanes> values;
  };
  struct Term {
    const Column* column = nullptr;
    Number factor = 0;   // of a dot; of a split the weight w
    Number inverse = 0;  // 1/w
    Number shift = 0;    // 1/(2w) - 1/2
  };
  struct Step {
    enum class Kind : std::uint8_t { Dot, Split, Swizzle };
    Kind kind = Kind::Dot;
    Column* out = nullptr;       // a split has one column per weight, next to each other
    const Column* in = nullptr;  // of a split or a swizzle
    Number constant = 0;         // of a dot
    std::uint32_t first = 0;     // terms
    std::uint32_t count = 0;
    map::Swizzle swizzle;
  };
  struct Coordinate {
    const Column* column = nullptr;
    Number last = 0;    // the largest value; 0 for a guard
    Number weight = 0;  // row-major; 0 for a guard
  };

  Column* numbers = nullptr;
  std::vector<Term> terms;
  std::vector<Step> steps;
  std::vector<Coordinate> coordinates;
  bool has_host = false;  // else a point lies on the host at its own number
  std::vector<Term> host;
  Number host_constant = 0;
};

/// The largest number of the layout's map, its box or its host, partial sums included. The conditions of columns on the
/// fields of swizzles are included. Nothing beyond 64 bits, and for a box without slots.
[[nodiscard]] std::optional<Index> reach_of(const map::Layout& layout, Host host);

template <class Number>
class Columns {
 public:
  static constexpr std::size_t kLanes = Program<Number>::kLanes;
  static constexpr Index kMost = Index{1} << (std::numeric_limits<Number>::digits - 4);  // M

  /// Requires: reach_of(layout, host) <= kMost; a domain with points.
  void compile(const map::Layout& layout, Host host);

  /// The points first, first + 1, …: writes their slots, and their places on the host unless these are their own
  /// numbers. Returns how many points precede the first point without a slot. Writes to all lanes. Requires: 1 <= count
  /// <= kLanes, all in the domain; slots and hosts on 64 bytes.
  [[nodiscard]] std::size_t run(Index first, std::size_t count, Index* slots, Index* hosts);

 private:
  using Column = typename Program<Number>::Column;
  using Step = typename Program<Number>::Step;

  void append_inputs(const map::Space& domain);
  void append_host(const map::Layout& layout, Host host);
  void append(const map::Affine& affine);
  void append(const map::Split& split);
  void append(const map::Swizzle& swizzle);
  void split_by(std::span<const Index> weights, const Column* in, bool rounds);
  void add_term(const Column* column, Index factor) {
    program_.terms[terms_++] = {column, static_cast<Number>(factor), 0, 0};
  }

  std::vector<Column> columns_;
  std::size_t used_ = 0;
  std::size_t terms_ = 0;
  std::vector<const Column*> values_;  // after the stages so far
  std::vector<const Column*> next_;
  std::vector<Index> weights_;
  Program<Number> program_;
  Index last_ = 0;  // number of a point
};

/// Runs the program on `lanes` points (rounded up to 32): first, first + 1, … up to `last`, and then `last` again.
/// False if a point has no slot. The code is written once and compiled for several widths of vectors, which all give
/// the same numbers: all operations are exact except those of 1/w, x/w and c, whose rounding does not matter (see
/// above).
[[nodiscard]] bool run_columns(const Program<float>& program, Index first, Index last, std::size_t lanes, Index* slots,
                               Index* hosts);
[[nodiscard]] bool run_columns(const Program<double>& program, Index first, Index last, std::size_t lanes, Index* slots,
                               Index* hosts);

}  // namespace vl::oracle
