// Obligation: a decision problem over bounded integers and map applications, independent of any solver.
//
//   ∃ v_1 ∈ [l_1, h_1], v_2 ∈ …  such that all required formulas hold
//
// Maps are applied to variables only. To apply a map to another map's outputs, introduce variables and require
// equality. So every map stays inside the domain for which its ranges were computed.
#pragma once

#include <cstdint>
#include <vector>

#include "encodings/map/map.h"

namespace vl::smt {

/// Names a variable or a map's output within one obligation.
using TermId = std::size_t;

/// constant + Σ coefficient·term.
struct Linear {
  Index constant = 0;
  std::vector<std::pair<TermId, Index>> terms;
};

/// A formula: linear <= 0, linear = 0, or a combination of formulas. An empty And is true, an empty Or is false.
struct Formula {
  enum class Kind { AtMostZero, IsZero, And, Or, Not };
  Kind kind = Kind::And;
  Linear linear;                  // of AtMostZero and IsZero
  std::vector<Formula> operands;  // of And, Or (any number) and Not (one)
};

[[nodiscard]] Formula all_of(std::vector<Formula> operands);
[[nodiscard]] Formula any_of(std::vector<Formula> operands);
[[nodiscard]] Formula negate(Formula formula);
[[nodiscard]] Formula at_most_zero(Linear linear);
[[nodiscard]] Formula is_zero(Linear linear);
[[nodiscard]] Formula equals(TermId a, TermId b);
[[nodiscard]] Formula equals_constant(TermId a, Index value);
/// low <= a <= high.
[[nodiscard]] Formula within(TermId a, Index low, Index high);

class Obligation {
 public:
  struct Application {
    map::Map map;
    std::vector<TermId> arguments;  // variables
    TermId first_output = 0;
  };

  /// A new variable in [range.low, range.high].
  TermId variable(map::Range range);
  /// One variable per dimension. Requires: space.volume() > 0.
  std::vector<TermId> point_of(const map::Space& space);
  /// The map's outputs at `arguments`. Requires: variables whose ranges lie in the map's domain.
  std::vector<TermId> apply(const map::Map& map, std::vector<TermId> arguments);
  void require(Formula formula) { required_.push_back(std::move(formula)); }

  [[nodiscard]] const std::vector<TermId>& variables() const { return variables_; }
  /// A range that contains the term, by interval arithmetic.
  [[nodiscard]] map::Range range(TermId term) const { return ranges_[term]; }
  [[nodiscard]] std::size_t terms() const { return ranges_.size(); }
  [[nodiscard]] const std::vector<Application>& applications() const { return applications_; }
  [[nodiscard]] const std::vector<Formula>& required() const { return required_; }

 private:
  std::vector<TermId> variables_;
  std::vector<map::Range> ranges_;
  std::vector<Application> applications_;
  std::vector<Formula> required_;
};

}  // namespace vl::smt
