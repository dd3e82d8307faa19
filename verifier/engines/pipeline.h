// Pipeline: stages of several maps, one after the other, over one list of values. A map works on the first values;
// those behind it are carried past, so that what a later step needs is still there: the loop variables of an access,
// say, while its layout works on the coordinates.
//
// Example: over (lane, base), append lane -> affine(8*x0): (8·lane, base).
#pragma once

#include <vector>

#include "encodings/map/map.h"

namespace vl::engines {

class Pipeline {
 public:
  explicit Pipeline(map::Space domain) : domain_(std::move(domain)), values_(domain_.rank()) {}

  [[nodiscard]] std::size_t values() const { return values_; }

  /// Stages over the first `inputs` values. Requires: inputs <= values().
  void append(std::span<const map::Stage> stages, std::size_t inputs);
  /// New values for the first `inputs`, as rows over all of them.
  void rewrite(std::vector<map::Row> rows, std::size_t inputs);
  /// Adds multiples of value `by`, and a constant, to value `to`.
  void add(std::size_t to, Index constant, Index coefficient, std::size_t by);
  void push(map::Stage stage);  // over all values

  /// The map so far. A swizzle of a value that may be negative works on its two's complement: before it the value is
  /// raised by a multiple of 2^(base+bits+shift), which no bit that the swizzle touches depends on, and lowered behind
  /// it. Errors: those of Map::create.
  [[nodiscard]] Result<map::Map> map() const;

 private:
  map::Space domain_;
  std::size_t values_;
  std::vector<map::Stage> stages_;
};

}  // namespace vl::engines
