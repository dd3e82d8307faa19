// What the bank engines and the claims share about one lane of one instance: is it active, where is it.
#pragma once

#include <optional>
#include <string>

#include "verifier/engines/banks.h"

namespace vl::engines {

/// Evaluates a reach at many points, without allocating for each. The reach outlives it.
class LaneWalk {
 public:
  explicit LaneWalk(const Reach& reach);

  [[nodiscard]] bool is_active(std::span<const Index> point);
  [[nodiscard]] bool is_outside(std::span<const Index> point);
  [[nodiscard]] Index byte(std::span<const Index> point) { return bytes_(point)[0]; }

 private:
  const Reach& reach_;
  map::Evaluator bytes_;
  map::Evaluator coordinates_;
  std::optional<map::Evaluator> when_;
};

/// Whether the ranges of the coordinates alone show that no lane is outside the tensor.
[[nodiscard]] bool is_obviously_inside(const Reach& reach);

/// The smallest (lane, instance…) of an active lane outside the tensor. Walks over every point.
[[nodiscard]] std::optional<Point> first_outside(const Reach& reach);

/// "lane 7 is at [8, 0], outside the tensor [8, 64]", with the variables where there are.
[[nodiscard]] std::string show_outside(const Reach& reach, std::span<const Index> point);

/// "i=2, j=0" of an instance; empty without variables.
[[nodiscard]] std::string show_instance(const Reach& reach, std::span<const Index> instance);

/// Wavefronts and ideal of an instance, without the pair that shows them. Keeps its buffers.
class Counter {
 public:
  explicit Counter(const Reach& reach) : reach_(reach), walk_(reach), point_(reach.bytes.domain().rank()) {}

  struct Sum {
    Index wavefronts = 0;
    Index ideal = 0;
  };
  [[nodiscard]] Sum count(std::span<const Index> instance);
  /// Wavefronts of one phase; 0 where no lane is active.
  [[nodiscard]] Index phase(std::span<const Index> lanes, std::span<const Index> instance);

 private:
  const Reach& reach_;
  LaneWalk walk_;
  Point point_;
  std::vector<std::pair<Index, Index>> needs_;  // bank, word
};

}  // namespace vl::engines
