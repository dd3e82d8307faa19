// Space: an ordered list of named, bounded dimensions, outermost first. Its points are the integer tuples with
// 0 <= x_i < extent_i. Logical tensors, replicas and physical memories are all spaces; memory order is row-major.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/base/result.h"

namespace vl::map {

/// The unit of one step along a dimension.
enum class Unit { Element, Byte, Stick, Word, Core, Lane };

[[nodiscard]] std::string_view name(Unit unit);
[[nodiscard]] std::optional<Unit> unit_of(std::string_view name);

struct Dim {
  std::string name;  // an identifier, unique within its space
  Index extent = 0;  // >= 0, in units
  Unit unit = Unit::Element;

  bool operator==(const Dim&) const = default;
};

class Space {
 public:
  /// The space of rank 0, which has exactly one point.
  Space() = default;

  /// Errors: Value for more than 256 dimensions, a negative extent or a name that is not a unique identifier; Overflow
  /// if the number of points leaves 64 bits.
  static Result<Space> create(std::vector<Dim> dims);

  /// Dimensions prefix0, prefix1, … with these extents: create(dims("x", {5, 100})).
  static std::vector<Dim> dims(std::string_view prefix, std::span<const Index> extents, Unit unit = Unit::Element);

  [[nodiscard]] std::size_t rank() const { return dims_.size(); }
  [[nodiscard]] const std::vector<Dim>& dims() const { return dims_; }
  [[nodiscard]] Index extent(std::size_t dim) const { return dims_[dim].extent; }
  /// The number of points: the product of the extents, 1 for rank 0. volume of [100,3,5,64] = 96000.
  [[nodiscard]] Index volume() const { return volume_; }
  [[nodiscard]] bool contains(std::span<const Index> point) const;

  /// The row-major number of a point, in [0, volume). In [100,3,5,64]: linear([7,0,2,40]) = 6888.
  /// Requires: contains(point).
  [[nodiscard]] Index linear(std::span<const Index> point) const;
  /// The point with that number: the inverse of linear. Requires: 0 <= number < volume().
  [[nodiscard]] Point point(Index number) const;

  bool operator==(const Space&) const = default;

 private:
  std::vector<Dim> dims_;
  Index volume_ = 1;
};

/// {5, 100, 150} of (x0:5, x1:100, x2:150).
[[nodiscard]] std::vector<Index> extents_of(const Space& space);
/// The bounds of values that are a point of the space, and of guards behind it, which have to be 0: {5, 100, 150, 1}
/// for 4 values. Each value is in [0, bound).
[[nodiscard]] std::vector<Index> bounds_of(const Space& space, std::size_t values);
/// Σ weights·point is the row-major number of a point: {15000, 150, 1} of (x0:5, x1:100, x2:150). In a space without
/// points a weight is at most 2^62.
[[nodiscard]] std::vector<Index> row_major_weights(const Space& space);

/// The dimensions of `a`, then those of `b`. Errors as Space::create.
[[nodiscard]] Result<Space> concatenate(const Space& a, const Space& b);

/// Steps `point` to its row-major successor within `space`; false if it was the last point (then it becomes the first).
/// To walk over all points of a space with volume() > 0, start at all zeros.
bool advance(const Space& space, std::span<Index> point);

}  // namespace vl::map
