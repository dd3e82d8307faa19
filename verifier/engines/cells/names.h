// Steps for layouts whose numbers are polynomials in sizes: the search of steps.h, with one cell a leaf of sizes. Where
// an order depends on sizes, it asks; whoever answers may throw, and part the sizes first.
#pragma once

#include <optional>

#include "verifier/engines/cells/steps.h"

namespace vl::engines::cells {

using kernel::Polynomial;
using NamedSteps = kernel::StepsOf<Polynomial>;

/// Sizes have to be parted first, by this step (kernel/core/sizes.h).
struct Open {
  kernel::BasicStep<Polynomial> step;
};

/// What is known of sizes. Each may throw Open.
class Sizes {
 public:
  Sizes() = default;
  Sizes(const Sizes&) = delete;
  Sizes& operator=(const Sizes&) = delete;
  virtual ~Sizes() = default;
  [[nodiscard]] virtual bool shows(const Polynomial& not_negative) const = 0;
  /// p >= 0 at all sizes, or at none.
  [[nodiscard]] virtual bool decides(const Polynomial& p) const = 0;
  /// floor(p / by).
  [[nodiscard]] virtual Polynomial quotient(const Polynomial& p, const Polynomial& by) const = 0;
  /// p mod m, a number.
  [[nodiscard]] virtual kernel::Wide rest(const Polynomial& p, const kernel::Wide& m) const = 0;
  [[nodiscard]] virtual std::vector<Polynomial> given() const = 0;
};

struct NamedTask {
  Goal goal;  // In, Apart, Count, Identity, Equal
  const kernel::BasicLayout<Polynomial>& a;
  const Sizes& sizes;
  const kernel::BasicLayout<Polynomial>* b = nullptr;   // of Equal
  const kernel::BasicSpace<Polynomial>* box = nullptr;  // of In; null: the layout's
  std::vector<Polynomial> ends = {};                    // hints: below which quotients may lie
  bool starts = false;                                  // of In: the last division, by a number, has to leave nothing
};

/// Steps that the kernel has taken; nothing where the search finds none.
[[nodiscard]] std::optional<NamedSteps> find(const NamedTask& task);

}  // namespace vl::engines::cells
