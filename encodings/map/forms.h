// Linear forms: values as rows over *atoms*. An atom is a number with an interval: an input of a map, or a digit of
// one. A greedy split divides such a row by a weight w without looking at points:
//
//   If L = w·Q + R with 0 <= R < w over the atoms' box, then L div w is Q and L mod w is R (range-aware division).
//   A term whose coefficient w divides goes to Q. The others stay in R, or are cut: a·d with a | w is
//   w·(d div (w/a)) + a·(d mod (w/a)), and both parts are digits again.
//
// Three value domains (run.h) use this: digits_of() (atoms are digits of single inputs), DigitDomain (digits of an
// element's number, verifier/engines/forms) and Symbolic (digits of any row, likewise). If they find no division, the
// result is a mixture, a refusal, or a new atom.
//
// Example: 256·x0 + x1 with x1 < 200, split by (256, 64, 1): x0, then x1 div 64 and x1 mod 64.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "encodings/map/bounds.h"

namespace vl::map {

/// sum += factor · row. False on overflow; terms are not in order afterwards (canonical).
[[nodiscard]] bool add(Row& sum, const Row& row, Index factor);
/// Σ coefficients·values + constant, canonical: 2·x0 + x1 of (a + 3·b, b) is 2·a + 7·b. Nothing on overflow.
[[nodiscard]] std::optional<Row> combined(const Row& row, std::span<const Row> values);

struct Division {
  Row quotient;
  Row rest;
};
/// Adds the constants to a division whose terms are placed: constant + Σ terms = weight·quotient + rest, where
/// 0 <= rest < weight over the box. Nothing if no constants do that. With 3·d in the rest, d in [0, 4], weight 16, the
/// constant 20 gives quotient 1 and rest 3·d + 4; the constant 28 gives none, because 3·d + 12 reaches 24.
[[nodiscard]] std::optional<Division> settled(Division placed, Index constant, Index weight,
                                              std::span<const Range> box);

/// The digits of a row by weights: divides the row at a weight into two independent rows, as long as there is one.
/// `Forms` has ready(row), which brings a row into its best form; divide(row, weight), a Division or nothing; and
/// otherwise(row, weights, digits) for a row that no weight divides. If one of them is false, the result is false. A
/// `Value` may be more than a row.
template <class Forms, class Value>
[[nodiscard]] bool split_form(Forms& forms, Row row, std::span<const Index> weights, std::span<Value> digits) {
  if (!forms.ready(row)) return false;
  if (weights.size() == 1) {  // weight 1: the digit is the number
    digits[0] = std::move(row);
    return true;
  }
  for (std::size_t k = 0; k + 1 < weights.size(); ++k) {
    const Index weight = weights[k];
    if (!std::ranges::all_of(weights.first(k), [&](Index w) { return w % weight == 0; })) continue;
    auto parts = forms.divide(row, weight);
    if (!parts) continue;
    std::vector<Index> upper;
    for (const Index w : weights.first(k + 1)) upper.push_back(w / weight);
    return split_form(forms, std::move(parts->quotient), upper, digits.first(k + 1)) &&
           split_form(forms, std::move(parts->rest), weights.subspan(k + 1), digits.subspan(k + 1));
  }
  return forms.otherwise(row, weights, digits);
}

/// floor(x / low) mod (high / low), with x the number of `source`; high 0: no mod. Else low divides high.
struct RadixDigit {
  std::size_t source = 0;
  Index low = 1;
  Index high = 0;

  bool operator==(const RadixDigit&) const = default;
};

/// Atoms that are digits of sources. Rows are over their positions in digits().
class RadixDigits {
 public:
  /// Sources 0, 1, … lie in [0, extent); of others it is only known that they are not negative. The first `cuttable`
  /// sources may be cut.
  RadixDigits(std::vector<Index> extents, std::size_t cuttable) : extents_(std::move(extents)), cuttable_(cuttable) {}

  [[nodiscard]] const std::vector<RadixDigit>& digits() const { return digits_; }
  /// The interval of each digit.
  [[nodiscard]] const std::vector<Range>& box() const { return box_; }

  /// One more source, in [0, extent): its number.
  std::size_t add_source(Index extent) { return extents_.push_back(extent), extents_.size() - 1; }
  [[nodiscard]] Index extent(std::size_t source) const { return extents_[source]; }

  /// The digit as a row: an atom, or 0 if it has no other value.
  [[nodiscard]] Row row_of(const RadixDigit& digit);
  /// row = weight·quotient + rest, 0 <= rest < weight, after cutting the digits inside which the weight lies.
  [[nodiscard]] std::optional<Division> divide(const Row& row, Index weight);
  /// The same row, with c·(a, b) + c·(b/a)·(b, d) replaced by c·(a, d) as often as possible. Nothing on overflow.
  [[nodiscard]] std::optional<Row> merged(Row row);

 private:
  [[nodiscard]] bool cut(const Term& term, Index weight, Division& parts);

  std::vector<Index> extents_;
  std::size_t cuttable_;
  std::vector<RadixDigit> digits_;
  std::vector<Range> box_;
};

}  // namespace vl::map
