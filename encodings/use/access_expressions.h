// Expressions of accesses as stages. Sums and products by constants are affine rows. A quotient or a rest by a constant
// needs a split; its digits are appended to the values, so earlier rows stay right:
//   lane % 16 over (lane)  ->  affine(x0, x0) -> split(1; 16, 1), and the row x2
// Quotient and rest of the same number by the same divisor are digits of one split.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "encodings/base/cursor.h"
#include "encodings/map/expression.h"
#include "encodings/map/map.h"

namespace vl::use {

/// The meaning of a name in an expression: an input, plus its first value. i=2:4 counts from 2.
struct AccessVariable {
  std::string name;
  Index first = 0;
  bool is_size = false;  // of any value; it is not divided
};

class AccessExpressions {
 public:
  /// Input number i is variables[i].
  explicit AccessExpressions(std::vector<AccessVariable> variables);

  /// Reads one expression: integers, names, + - * / // % and brackets. The row is over the inputs and the digits that
  /// have been appended so far. Errors go to the cursor: Syntax, Value (an unknown name, a divisor that is not a
  /// positive constant, a size that is divided, a product without a constant factor, too deep or too many divisions),
  /// Overflow.
  [[nodiscard]] map::Row read(Cursor& in);
  /// a - b + constant; an overflow goes to the cursor.
  [[nodiscard]] map::Row difference(Cursor& in, const map::Row& a, const map::Row& b, Index constant) const;
  /// The stages that the expressions need, and then their rows as outputs.
  [[nodiscard]] std::vector<map::Stage> stages(std::vector<map::Row> rows) const;
  /// The sum of a row's terms that are sizes, which are taken out of it.
  [[nodiscard]] map::Expression take_sizes(map::Row& row) const;

 private:
  struct Division {
    map::Row row;
    Index divisor = 1;
    std::size_t quotient = 0;  // the number of its value; the rest is the next value
  };

  [[nodiscard]] bool is_size(const map::Term& term) const;
  map::Row sum(Cursor& in, int depth);
  map::Row product(Cursor& in, int depth);
  map::Row factor(Cursor& in, int depth);
  map::Row multiply(Cursor& in, const map::Row& a, const map::Row& b, std::size_t at);
  map::Row divide(Cursor& in, const map::Row& a, const map::Row& b, bool rest, std::size_t at);
  map::Row scaled(Cursor& in, const map::Row& a, Index factor, std::size_t at) const;
  map::Row added(Cursor& in, const map::Row& a, const map::Row& b, Index sign, std::size_t at) const;

  std::vector<AccessVariable> variables_;
  std::size_t values_;  // inputs and digits so far
  std::vector<map::Stage> stages_;
  std::vector<Division> divisions_;
};

}  // namespace vl::use
