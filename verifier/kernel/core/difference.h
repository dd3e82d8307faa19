// Differences: two points of a cell that give equal rows. The difference of atom k is d_k, |d_k| < extent_k; each row
// says Σ c_k·d_k = 0. Steps show one difference after the other to be 0; with all of a point's atoms known the points
// are one. So maps are shown to be injective, and their images are counted.
//
// Example: rows 4·a + b with a < 3, b < 4. `large`: 4 > 3, so a is known; then 1 > 0, so b is.
#pragma once

#include "verifier/kernel/core/cell.h"

namespace vl::kernel {

template <class S>
class Difference {
 public:
  /// Atoms with one value are known. Those of the groups for which `known` holds are equal from the start, or no row
  /// depends on them.
  Difference(const Cell<S>& cell, std::vector<Line<S>> rows, std::vector<bool> known);

  /// |c_k| is more than what the others that are not known differ by: by the box, or where a span is named and shown,
  /// by its length.
  struct Span {
    S low, high;
    Multiples<S> below, above;
  };
  void large(std::size_t row, std::size_t k, const std::optional<Span>& span);
  /// Where a row's values lie, constant and all, if its box is too wide.
  void range(std::size_t row, const Span& span);
  /// A divisor of the others that are not known keeps c_k·d_k from being cancelled: the greatest that they have in
  /// common, or one that is named and exceeds |c_k·d_k|.
  void mod(std::size_t row, std::size_t k, const std::optional<S>& by = {});
  /// All atoms of a record are known: σ is injective, a quotient and its rest make the value; so its inner line is one
  /// more row.
  void open(std::size_t record);

  [[nodiscard]] bool is_known(std::size_t k) const { return known_[k]; }
  [[nodiscard]] const std::vector<Line<S>>& rows() const { return rows_; }
  /// Lowest and highest values of the first n rows.
  [[nodiscard]] std::vector<std::pair<S, S>> ranges(std::size_t n) const;

 private:
  void require_within(const Line<S>& line, const Span& span) const;
  [[nodiscard]] Line<S> others(std::size_t row, std::size_t k) const;

  const Cell<S>& cell_;
  std::vector<Line<S>> rows_;
  Held held_ = {};  // of names
  std::vector<bool> known_;
  std::vector<std::pair<std::size_t, Span>> spans_;  // that were shown
};

/// The atoms of which none of the rows depends, not through a record either.
template <class S>
[[nodiscard]] std::vector<bool> unused(const Cell<S>& cell, const std::vector<Line<S>>& rows);
/// How many values the known atoms take together, those for which `unused` holds left out: for each group all of its
/// numbers, or where some of its atoms are unused the product of the others, which needs that no fact binds them.
template <class S>
[[nodiscard]] S count(const Cell<S>& cell, const Difference<S>& known, const std::vector<bool>& unused);

/// How many values lines take together that share no atom, each step of which, by size, is within the reach of the
/// smaller ones and 1: no value is left out, so each takes its reach + 1. Rejects records, and atoms that facts bind.
/// Example: 3·a + 2·b with a < 2, b < 3 reaches 0 … 7 without 1: 2 > 1, so it is rejected.
template <class S>
[[nodiscard]] S reach(const Cell<S>& cell, const std::vector<Line<S>>& rows);

}  // namespace vl::kernel
