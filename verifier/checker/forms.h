// Linear forms over independent digits: what a map is once its divisions are gone.
//
// A certificate groups neighbouring dimensions of a box; the row-major number n of a group, 0 <= n < N, is cut into
// digits:
//
//   n = Σ w_k·digit_k,   w_0 > w_1 > … > w_m = 1, each a multiple of the next,
//   digit_0 <= (N-1)/w_0,   digit_k < w_{k-1}/w_k
//
// So points of the box are points of the digits' box (ragged if w_0 does not divide N: then not all of those are
// points). A quotient by w is exact if the terms that w divides can be separated from the rest, and the rest lies in
// one interval [k·w, (k+1)·w). A swizzle gives a new, *opaque* atom, a bijection of its form, which it keeps.
#pragma once

#include "verifier/checker/ir.h"

namespace vl::checker {

struct Form {
  Wide constant;
  std::vector<Wide> terms;  // one an atom; those at the end that are missing are 0

  [[nodiscard]] Wide at(std::size_t atom) const { return atom < terms.size() ? terms[atom] : Wide(0); }
  bool operator==(const Form& other) const;
};

struct Group {
  std::size_t first = 0, dims = 0;  // first: the dimensions of the groups before
  std::vector<Wide> weights;
};

struct Interval {
  Wide low, high;
};

/// A quotient has no form: digit `atom` of group `group` would have to be cut at this weight. Hint for who makes
/// certificates.
struct Stuck : Rejected {
  Stuck(std::size_t group_, Wide weight_)
      : Rejected("a quotient is not a form of these digits"), group(group_), weight(weight_) {}
  std::size_t group;
  Wide weight;
};

class Forms {
 public:
  using Value = Form;
  /// Rejects groups that do not cover the box in order and weights that are not a chain. Requires: no extent is 0.
  Forms(const Space& box, std::vector<Group> groups);

  /// A row over the box's coordinates. Stuck when it needs a coordinate whose boundary is not cut.
  [[nodiscard]] Form of(const Row& row) const;
  /// The map's outputs, its inputs being the coordinates `inputs` of the box.
  [[nodiscard]] std::vector<Form> outputs(const Map& map, const std::vector<std::size_t>& inputs);

  [[nodiscard]] Form sum(const Row& row, const std::vector<Form>& values) const;
  [[nodiscard]] std::pair<Form, Form> divide(const Form& form, Wide weight) const;
  [[nodiscard]] Form swizzle(const Form& form, const Stage& stage);

  /// Contains every value that the form has on points of the box.
  [[nodiscard]] Interval range(const Form& form) const;
  [[nodiscard]] std::size_t digits() const { return digits_; }
  /// Digits of the first `dims` dimensions of the box. Requires: no group reaches over that boundary.
  [[nodiscard]] std::size_t atoms_of(std::size_t dims) const;
  [[nodiscard]] std::size_t atoms() const { return extents_.size(); }
  /// Opaque atoms come after the digits. Their inner form; null for digits.
  [[nodiscard]] const Form* inside(std::size_t atom) const {
    return atom < digits_ ? nullptr : &opaque_[atom - digits_].first;
  }
  [[nodiscard]] const Stage& swizzle_of(std::size_t atom) const { return opaque_[atom - digits_].second; }
  /// The smallest value of an opaque atom's swizzle: the atom counts from there.
  [[nodiscard]] Wide low(std::size_t atom) const { return lows_[atom - digits_]; }
  /// largest - smallest value, plus 1.
  [[nodiscard]] Wide extent(std::size_t atom) const { return extents_[atom]; }

  /// The atoms on which none of the forms depends, not through a swizzle either.
  [[nodiscard]] std::vector<bool> unused(const std::vector<Form>& forms) const;
  /// How many values the digits in `kept` take together on the points of the box, exactly.
  [[nodiscard]] Wide projections(const std::vector<bool>& kept) const;

 private:
  Space box_;
  std::vector<Group> groups_;
  std::vector<Wide> totals_;        // N of each group
  std::vector<std::size_t> begin_;  // the first atom of each group
  std::size_t digits_ = 0;
  std::vector<Wide> extents_;  // of digits, then of opaque atoms
  std::vector<Wide> lows_;     // of opaque atoms: their smallest value may be above 0
  std::vector<std::pair<Form, Stage>> opaque_;
};

struct Step {
  std::size_t row = 0, atom = 0;
  std::string reason;
};

/// Shows that points of the box with equal `rows` are equal, by steps [row, atom, reason]: the atom's difference is 0
/// because of that row, given the atoms before. Reasons: "large" (its coefficient exceeds what all others reach), "gcd"
/// (the others' greatest common divisor keeps it from being cancelled); "swizzle": an opaque atom is known, its form
/// becomes one more row. Digits for which `known` holds are equal from the start, or none of the rows depends on them.
/// Rejects when an atom is left.
void check_peel(const Forms& forms, std::vector<Form> rows, std::vector<bool> known, const std::vector<Step>& steps);

}  // namespace vl::checker
