// Expression: an integer made of names, as in ceil(N/64)*64*M. Sizes, strides and weights of a rule are expressions.
//
//   e ::= integer | name | e + e | e - e | e * e | e // e | e % e | integer ** integer | - e | (e)
//       | ceil(product / factor) | align(e, e) | min(e, e) | max(e, e)
//
// with Python's precedences. // and % round towards minus infinity; the divisor of //, % and ceil and the second
// argument of align are at least 1, else the expression has no value. align(a, b) is ceil(a / b)*b. A chosen
// expression (`chosen`) is one of two, by a comparison; it is made by families and never read.
//
// Example: at N = 150, ceil(N/64)*64 - N is 42.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/cursor.h"
#include "encodings/map/polynomial.h"

namespace vl::map {

/// Values of names.
using Sizes = std::map<std::string, Index, std::less<>>;

class Expression {
 public:
  enum class Kind { Integer, Name, Sum, Difference, Product, Quotient, Ceil, Remainder, Min, Max, Chosen };

  Expression(Index value = 0) : value_(value) {}  // NOLINT: implicit on purpose
  [[nodiscard]] static Expression named(std::string name);
  /// Requires: a kind with two parts. Of two integers it is an integer, where that fits.
  [[nodiscard]] static Expression of(Kind kind, Expression a, Expression b);
  /// a >= b ? yes : no.
  [[nodiscard]] static Expression chosen(Expression a, Expression b, Expression yes, Expression no);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] Index value() const { return value_; }             // of an Integer
  [[nodiscard]] const std::string& name() const { return name_; }  // of a Name
  [[nodiscard]] const std::vector<Expression>& parts() const { return parts_; }
  /// How many names and integers it has.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The integer that it is, if it was made of integers alone.
  [[nodiscard]] std::optional<Index> number() const;

  bool operator==(const Expression&) const = default;

 private:
  Kind kind_ = Kind::Integer;
  Index value_ = 0;
  std::size_t size_ = 1;
  std::string name_;
  std::vector<Expression> parts_;
};

[[nodiscard]] Expression operator+(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator-(const Expression& a, const Expression& b);
[[nodiscard]] Expression operator*(const Expression& a, const Expression& b);

/// Why a word cannot name a size; empty: it can. Words of Python cannot, nor what programs print for a number that they
/// do not have: "'null' stands for a missing value, and is no name of a size".
[[nodiscard]] std::string why_no_name(std::string_view word);

/// Takes an expression. Errors, which stay in the cursor: Syntax (also for more than 50 levels), Value, Overflow.
[[nodiscard]] Expression take_expression(Cursor& in);
/// The same of C++, whose quotient is one / (M/8), beside ceil_div(a, b) and round_up(a, b) of CuTe. What is divided
/// has no difference in it: C++ rounds towards 0.
[[nodiscard]] Expression take_c_expression(Cursor& in);
/// A text that is exactly one expression.
[[nodiscard]] Result<Expression> parse_expression(std::string_view text);

/// Its value. Errors: Value (a name without a value, a divisor below 1), Overflow if a result leaves 64 bits.
[[nodiscard]] Result<Index> evaluate(const Expression& expression, const Sizes& sizes);

/// Whether it is at least 0 by its form, whatever numbers from 0 on its names are: 8*M + ceil(N/8), and not M - N.
[[nodiscard]] bool is_never_negative(const Expression& e);

/// max(e, least), or e where that is the same by its form.
[[nodiscard]] Expression at_least(const Expression& e, Index least);

/// What it is the sum of: K*P and 64 of K*P + 64; nothing of 0.
[[nodiscard]] std::vector<Expression> summands_of(const Expression& e);

/// Adds its names to `names`, in the order of the text, each once.
void add_names(const Expression& expression, std::vector<std::string>& names);

/// In words, so that read again it has the same value: a polynomial multiplied out, whose variables are the names and
/// what is no polynomial: "42*N*M", "ceil(N/64)*64 - N". What is too large for that is printed as it is.
[[nodiscard]] std::string print(const Expression& expression);
/// The same with the variables in this order, before all others.
[[nodiscard]] std::string print(const Expression& expression, std::vector<std::string> names);

/// left, relation, right.
struct Condition {
  enum class Relation { Less, AtMost, AtLeast, Greater, Equal };
  Expression left;
  Relation relation = Relation::AtLeast;
  Expression right;
  std::string text = {};  // as it was read, or as it is to be printed; else empty

  bool operator==(const Condition&) const = default;
};

/// Reads `P >= N, M % 64 == 0`: conditions separated by commas or `and`; `==` may be `=`. A chain (1 <= N <= 8) is not
/// read. Errors: those of an expression.
[[nodiscard]] Result<std::vector<Condition>> parse_conditions(std::string_view text);
/// Its text, or what it would be.
[[nodiscard]] std::string print(const Condition& condition);
/// Whether it holds. Errors: those of evaluate.
[[nodiscard]] Result<bool> holds(const Condition& condition, const Sizes& sizes);

}  // namespace vl::map
