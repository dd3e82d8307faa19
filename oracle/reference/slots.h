// The slots of a layout's points, 128 points at a time: what the definition (definition.h) reads its addresses from.
//
// Each stage of the map is applied to all points of a block before the next one, one column of numbers a value, so
// that the work is the same few operations on long columns. Columns are doubles, in which whole numbers up to 2^53
// are exact: a sum or a product that stays below is the integer's own. Only a division needs thought:
//
//   q = floor(x / w), r = x - q·w, |x| <= 2^49, 1 <= w <= 2^49. As x = q·w + r, x/w + c = q + e with c = 1/(2w) - 1/2
//   and |e| <= 1/2 - 1/(2w). In doubles, 1/w and the product with x are rounded, together by less than
//   2^49·2^-52/w·1.01 < 0.13/w; c by less than 2^-54/w + 2^-54 < 0.04/w; the sum by less than (2^49/w + 1)·2^-53 <
//   0.13/w. That is less than 1/(2w), so the integer nearest to what comes out is q. q·w and r are exact.
//
// Where some value of the map may leave 2^49 (its ranges say so) points go through map::Evaluator, one by one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "encodings/map/layout.h"

namespace vl::oracle {

/// How a host tensor lies in its memory: row-major and dense, or at layout.host_offset().
enum class Host : std::uint8_t { Dense, View };

/// How many units a host tensor's memory has: the elements, or for a View 1 + the largest offset (0 without elements).
/// Errors: Value when an offset is negative; Overflow when the largest one leaves 64 bits.
[[nodiscard]] Result<Index> host_units(const map::Layout& layout, Host host);

/// Walks over the points (x, r) of a layout's domain, row-major, the replicas of one element next to each other.
class SlotBlocks {
 public:
  static constexpr std::size_t kBlock = 128;

  /// Starts before the first point. Keeps its memory from one layout to the next. `plainly`: one point at a time,
  /// whatever the ranges are. Requires: host_units(); the layout outlives the walk.
  void open(const map::Layout& layout, Host host, bool plainly = false);
  /// To the next points; false when there is none. Allocates nothing.
  bool next();

  /// The number of the block's first point in the domain, and how many points there are in it.
  [[nodiscard]] Index first() const { return first_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  /// The points before this one have a slot; it has none, or is behind the block.
  [[nodiscard]] std::size_t good() const { return good_; }
  /// Whether each point lies on the host at its own number: a dense host and one replica. Then hosts() is not filled
  /// in.
  [[nodiscard]] bool in_order() const { return in_order_; }
  /// The numbers of the slots of the good points, and where their elements lie on the host, in units.
  [[nodiscard]] std::span<const Index> slots() const { return {slots_.data(), good_}; }
  [[nodiscard]] std::span<const Index> hosts() const { return {hosts_.data(), good_}; }

  // What the columns are computed by; for slots.cpp only.
  struct alignas(64) Column {
    std::array<double, kBlock> values{};
  };
  struct Term {
    const Column* column = nullptr;
    double factor = 0;   // of a dot; of a split the weight w
    double inverse = 0;  // 1/w
    double shift = 0;    // 1/(2w) - 1/2
  };
  struct Step {
    enum class Kind : std::uint8_t { Dot, Split, Swizzle };
    Kind kind = Kind::Dot;
    Column* out = nullptr;       // a split has one column a weight, next to each other
    const Column* in = nullptr;  // of a split or a swizzle
    double constant = 0;         // of a dot
    std::uint32_t first = 0;     // terms
    std::uint32_t count = 0;
    map::Swizzle swizzle;
  };
  struct Coordinate {
    const Column* column = nullptr;
    double last = 0;    // the largest value; 0 for a guard
    double weight = 0;  // row-major; 0 for a guard
  };
  struct Program {
    std::vector<Term> terms;
    std::vector<Step> steps;
    std::vector<Coordinate> coordinates;
    std::vector<Term> host;  // without terms of its own: points are elements, and these dense
    double host_constant = 0;
  };

 private:
  struct Odometer {  // one input
    Index extent = 1;
    Index run = 1;  // so many points have the same value
    Index value = 0;
    Index left = 1;
    Index filled = -1;  // the value that the whole column has
  };

  [[nodiscard]] bool compile(const map::Layout& layout, Host host);
  void append(const map::Affine& affine);
  void append(const map::Split& split);
  void append(const map::Swizzle& swizzle);
  void fill_inputs();
  static void step(Odometer& input);
  void evaluate_columns();
  void evaluate_points();

  const map::Layout* layout_ = nullptr;
  std::vector<Column> columns_;
  std::size_t columns_used_ = 0;
  std::vector<const Column*> values_;  // after the stages so far
  std::vector<const Column*> next_;
  std::vector<Odometer> inputs_;
  Program program_;
  bool in_columns_ = false;
  bool in_order_ = false;
  std::optional<map::Evaluator> evaluate_;
  map::Row host_row_;
  Point point_;
  Index first_ = 0;
  Index volume_ = 0;
  std::size_t count_ = 0;
  std::size_t good_ = 0;
  alignas(64) std::array<Index, kBlock> slots_{};
  alignas(64) std::array<Index, kBlock> hosts_{};
};

}  // namespace vl::oracle
