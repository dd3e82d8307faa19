// Linear forms over independent digits: what a map is once its divisions are gone.
//
// A certificate groups neighbouring dimensions of a box; the row-major number n of a group, 0 <= n < N, is cut into
// digits:
//
//   n + shift = Σ w_k·digit_k,   w_0 > w_1 > … > w_m = 1,
//   digit_0 <= (N-1+shift)/w_0,   what is left after digit_k is below w_k
//
// So points of the box are points of the digits' box; not all of those are points where a weight does not divide the
// one before, or N. Example: n < 300 by weights 150, 64, 1 has digits below 2, 3, 64, and no point has digits 0, 2, 63.
// A group may be cut to the numbers [from, end): the digits that all of them share are constants then, and those of
// its atoms that vary count from the digit of `from`.
//
// A quotient by w is exact if the terms that w divides can be separated from the rest, and the rest lies in one
// interval [k·w, (k+1)·w). A swizzle gives a new, *opaque* atom, a bijection of its form, which it keeps.
#pragma once

#include "verifier/checker/ranges.h"

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
  std::optional<Wide> shift = {};  // none: 0
};

/// The numbers of each group that are looked at.
using Cell = std::vector<Interval>;

/// A quotient has no form: digit `atom` of group `group` would have to be cut at this weight. Hint for who makes
/// certificates.
struct Stuck : Rejected {
  Stuck(std::size_t group_, Wide weight_)
      : Rejected("a quotient is not a form of these digits"), group(group_), weight(weight_) {}
  std::size_t group;
  Wide weight;
};

/// A value lies on both sides of a multiple of `weight`, and no cut helps. Hint as well.
struct Crossing : Rejected {
  Crossing(Form form_, Wide weight_) : Rejected("a quotient is not a form"), form(std::move(form_)), weight(weight_) {}
  Form form;
  Wide weight;
};

class Forms {
 public:
  using Value = Form;
  /// Over the points of the cell; of none: over the whole box. Rejects groups that do not cover the box in order,
  /// weights that do not descend, and intervals that are no part of a group. Requires: no extent is 0.
  Forms(const Space& box, std::vector<Group> groups, const Cell& cell = {});

  /// A row over the box's coordinates. Stuck when it needs a coordinate whose boundary is not cut. Example: of x2 in
  /// [0, 150) with weights [64, 1] and shift 1, x2 is 64·d0 + d1 - 1.
  [[nodiscard]] Form of(const Row& row) const;
  /// The map's outputs, its inputs being the coordinates `inputs` of the box.
  [[nodiscard]] std::vector<Form> outputs(const Map& map, const std::vector<std::size_t>& inputs);

  [[nodiscard]] Form sum(const Row& row, const std::vector<Form>& values) const;
  [[nodiscard]] std::pair<Form, Form> divide(const Form& form, Wide weight) const;
  [[nodiscard]] Form swizzle(const Form& form, const Stage& stage);

  /// Contains every value that the form has on points of the box.
  [[nodiscard]] Interval range(const Form& form) const;
  [[nodiscard]] std::size_t digits() const { return digits_; }
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

  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  [[nodiscard]] std::size_t begin(std::size_t group) const { return begin_[group]; }

 private:
  struct Span {
    std::size_t free = 0;  // the first digit that varies
    Interval left;         // what is left of n + shift after the digits before
    Wide taken;            // what they make
  };

  void cut(const Group& group, Interval numbers);
  // Charges for a form of so many terms, which is made.
  void charge_form(std::size_t terms) const { charge(terms + 1), held_.take(terms * sizeof(Wide)); }
  void reach(const Form& form, std::size_t group, Interval& out) const;

  Space box_;
  std::vector<Group> groups_;
  std::vector<Wide> totals_;        // N of each group
  std::vector<Span> spans_;         // of each group
  std::vector<std::size_t> begin_;  // the first atom of each group
  std::size_t digits_ = 0;
  std::vector<Wide> extents_;  // of digits, then of opaque atoms
  std::vector<Wide> least_;    // of digits: the smallest value, from which the atom counts
  std::vector<Wide> lows_;     // of opaque atoms: their smallest value may be above 0
  std::vector<std::pair<Form, Stage>> opaque_;
  mutable Held held_;  // the forms that were made; whoever has them ends before
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
/// The same without the last sentence: the atoms that are equal then.
[[nodiscard]] std::vector<bool> peel(const Forms& forms, std::vector<Form> rows, std::vector<bool> known,
                                     const std::vector<Step>& steps);

}  // namespace vl::checker
