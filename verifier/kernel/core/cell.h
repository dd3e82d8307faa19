// Cells: the boxes of a proof while it is replayed. A cell is a set of points over atoms a_k, integers 0 <= a_k <
// extent_k, with facts (lines >= 0) and records of what has no form of its own (a quotient and its rest, a swizzled
// value). Some lines say what a point is: the row-major number of each group of neighbouring coordinates of the root;
// the others are values that maps give there.
//
// Two invariants, which every rule keeps and says why:
//   cover   each point of the root is a point of some cell that is open or was closed;
//   value   at every point of a cell its lines are the values at the root's point that it is.
// A cell may have more points than the root: what is shown of all of them is true of those that matter. count() alone
// asks for more, and says what.
//
// Example: x < 150 in blocks of 64 is x = 64·y + z with y < 3, z < 64 and the fact 149 - 64y - z >= 0.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "verifier/kernel/core/line.h"
#include "verifier/kernel/core/map.h"

namespace vl::kernel {

/// Multiples of facts and of equations that a certificate names, [j, m]: fact j m times, m > 0; the equation of record
/// j - (number of facts), any m; behind the records what is given, m > 0.
template <class S>
using Multiples = std::vector<std::pair<std::size_t, S>>;

/// A group of neighbouring coordinates of the root, whose row-major number is `number`. `total`: how many numbers the
/// cell has; nothing once that is not known any more.
template <class S>
struct Group {
  std::size_t first = 0, dims = 0;
  Line<S> number = {};
  std::optional<S> total = {};
};

/// inner = weight·(from + a_atom) + a_{atom+1}, or the swizzle of inner is from + a_atom.
template <class S>
struct Record {
  Line<S> inner = {};
  std::size_t atom = 0;
  S from = 0;
  S weight = 0;                // of a division
  BasicStage<S> swizzle = {};  // where weight is 0
  [[nodiscard]] bool divides() const { return !(weight == S(0)); }
};

template <class S>
class Cell {
 public:
  /// One atom and one group a dimension. Requires: no extent is 0. `given`: what is >= 0 at all sizes that matter;
  /// where that is not plain, extent - 1 of each dimension is among it.
  explicit Cell(const BasicSpace<S>& root, std::vector<S> given = {});

  /// a < n stays, a = n + a' is the result. Requires 0 < n < extent: two parts of one range.
  [[nodiscard]] Cell cut(std::size_t a, const S& n);
  /// a = n·y + z, y < q, z < n, n >= 1, n·q >= extent, with the fact extent - 1 - n·y - z >= 0. y is the atom a, z a
  /// new one. y = floor(a/n) and z = a mod n are the only such pair, and (y, z) ↦ a is a bijection with [0, extent)
  /// under the fact. Where no q is named it is ceil(extent/n), and where that is extent/n there is no fact.
  void block(std::size_t a, const S& n, const std::optional<S>& q = {}, const Multiples<S>& by = {});
  /// a = b - k, b < extent + k, with the fact b - k >= 0; k >= 0. A bijection.
  void shift(std::size_t a, const S& k);
  /// Groups g and g + 1, no part of which is cut off and of which nothing is known yet, become one atom, the number
  /// e·first + second.
  void fuse(std::size_t g);

  /// p >= 0 at every point, by the corners of the box once multiples are taken off: the only test of order. Σ m·fact
  /// is >= 0 and an equation 0; what is left is smallest where atoms with a coefficient below 0 are greatest.
  [[nodiscard]] bool is_positive(Line<S> p, const Multiples<S>& by = {}) const;
  /// The line at the corner where it is smallest.
  [[nodiscard]] S low(const Line<S>& line) const;
  [[nodiscard]] S high(const Line<S>& line) const { return S(0) - low(Line<S>{}.plus(line, -1)); }
  /// inner - weight·(from + q) - r, which is 0 at every point.
  [[nodiscard]] Line<S> equation(std::size_t record) const;
  /// The line with multiples of equations.
  [[nodiscard]] Line<S> with_equations(Line<S> line, const Multiples<S>& by) const;

  /// Σ c_i·x_i + c over the root's coordinates. With Q_i the number of x_first … x_i within their group, x_i is
  /// Q_i - extent_i·Q_{i-1}: Q_i is needed where its factor is not 0, and `quotient` gives it.
  template <class Quotient>
  [[nodiscard]] Line<S> of(const BasicRow<S>& row, const Quotient& quotient) const {
    std::vector<S> coefficients(root_.rank() + 1, S(0));
    for (const auto& [input, coefficient] : row.terms) coefficients[input] = coefficients[input] + coefficient;
    charge(2 * root_.rank() + row.terms.size() + 1);
    Line<S> out{row.constant, {}};
    for (std::size_t g = 0; g < groups.size(); ++g) {
      S weight = 1, inner = 0;  // inner: extent·coefficient of the next dimension
      for (std::size_t i = groups[g].first + groups[g].dims; i-- > groups[g].first;) {
        const S factor = coefficients[i] - inner;
        inner = coefficients[i] * root_.extents[i];
        if (!(factor == S(0)))
          out.add(weight == S(1) ? groups[g].number : quotient(groups[g].number, weight, i), factor);
        weight = weight * root_.extents[i];
      }
    }
    return out;
  }

  /// a_k, or 0 where that is its only value: no line has a term without values, so equal lines are equal lists.
  [[nodiscard]] Line<S> value(std::size_t a) const;
  /// New atoms, which have values, and the record that says what they are; the first of them.
  std::size_t record(Record<S> made, const std::vector<S>& extents);

  [[nodiscard]] const BasicSpace<S>& root() const { return root_; }
  [[nodiscard]] std::size_t atoms() const { return extents.size(); }
  /// The atoms of a group's number that have more than one value.
  [[nodiscard]] std::vector<std::size_t> atoms_of(const Group<S>& group) const;
  /// Whether a fact says something of an atom that the box does not say.
  [[nodiscard]] bool is_bound(std::size_t atom) const;
  /// Whether it is shown to have a point: each group has numbers, and no fact without an atom is below 0. Only a cut
  /// can leave none, of blocks that reach beyond the end.
  [[nodiscard]] bool has_points() const;
  /// No part of the group's numbers is cut off.
  [[nodiscard]] bool is_whole(const Group<S>& group) const;

  std::vector<S> extents;
  std::vector<Line<S>> facts;
  std::vector<Record<S>> records;
  std::vector<Group<S>> groups;
  std::array<std::vector<Line<S>>, 2> sides;  // the outputs of the maps, once they were run
  std::array<bool, 2> ran = {false, false};

 private:
  [[nodiscard]] std::optional<S> counted(const Group<S>& group) const;
  [[nodiscard]] bool is_recorded(std::size_t atom) const;
  [[nodiscard]] Group<S>& group_of(std::size_t atom);
  [[nodiscard]] std::size_t lines() const;
  [[nodiscard]] std::size_t bytes() const;
  void substitute(std::size_t a, const S& times, const Line<S>& other);
  std::size_t atom(const S& extent);

  BasicSpace<S> root_;
  std::vector<S> given_;
};

}  // namespace vl::kernel
