#include "encodings/map/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace vl::map {
namespace {

using Kind = Expression::Kind;

constexpr int kDeepestExpression = 50;
constexpr std::size_t kLargest = 1000;  // parts; align repeats one of its own

std::optional<Index> raised_to(Index base, Index exponent) {
  std::optional<Index> out = 1;
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  for (Index k = 0; out && k < exponent; ++k) out = checked_mul(*out, base);
  return out;
}

// The value of two numbers under a kind; an error if there is none.
Result<Index> combine(Kind kind, Index a, Index b) {
  const bool divides = kind == Kind::Quotient || kind == Kind::Ceil || kind == Kind::Remainder;
  if (divides && b < 1) return Error{ErrorCode::Value, fmt::format("a division by {}; expected 1 or more", b)};
  std::optional<Index> out;
  switch (kind) {
    case Kind::Sum: out = checked_add(a, b); break;
    case Kind::Difference: out = narrowed(static_cast<Wide>(a) - b); break;
    case Kind::Product: out = checked_mul(a, b); break;
    case Kind::Quotient: out = floor_div(a, b); break;
    case Kind::Ceil: out = floor_div(a, b) + (floor_mod(a, b) != 0 ? 1 : 0); break;
    case Kind::Remainder: out = floor_mod(a, b); break;
    case Kind::Min: out = std::min(a, b); break;
    case Kind::Max: out = std::max(a, b); break;
    case Kind::Integer:
    case Kind::Name:
    case Kind::Chosen: VL_CHECK(false, "an expression without two parts");
  }
  if (!out) return Error{ErrorCode::Overflow, "the value of an expression leaves 64 bits"};
  return *out;
}

// Expressions are printed for Python to evaluate.
constexpr auto kWordsOfPython = std::to_array<std::string_view>(
    {"and",  "as",     "assert", "async", "await",  "break",   "class",    "continue", "def",
     "del",  "elif",   "else",   "False", "except", "finally", "for",      "from",     "global",
     "if",   "import", "in",     "is",    "lambda", "None",    "nonlocal", "not",      "or",
     "pass", "raise",  "return", "True",  "try",    "while",   "with",     "yield"});

// What programs print in the place of a number that they do not have.
constexpr auto kMissing = std::to_array<std::string_view>(
    {"null", "NULL", "nil", "nullptr", "none", "undefined", "NaN", "nan", "inf", "Inf", "Infinity", "true", "false"});

}  // namespace

std::string why_no_name(std::string_view word) {
  if (std::ranges::find(kWordsOfPython, word) != kWordsOfPython.end())
    return fmt::format("'{}' is a word of Python, and no name of a size", word);
  if (std::ranges::find(kMissing, word) != kMissing.end())
    return fmt::format("'{}' stands for a missing value, and is no name of a size", word);
  return {};
}

namespace {

class ExpressionText {
 public:
  explicit ExpressionText(Cursor& in, bool c = false) : in_(in), c_(c) {}

  Expression sum() {
    if (++open_ > kDeepestExpression) in_.fail(fmt::format("an expression of more than {} levels", kDeepestExpression));
    Expression left = product();
    while (!in_.failed()) {
      if (in_.accept("+")) left = made(Kind::Sum, std::move(left), product());
      else if (in_.accept("-")) left = made(Kind::Difference, std::move(left), product());
      else break;
    }
    --open_;
    return left;
  }

 private:
  // Checks what is made of integers; the cursor stands behind it.
  Expression made(Kind kind, Expression a, Expression b) {
    if (in_.failed()) return {};
    if (a.size() + b.size() > kLargest)
      in_.fail(ErrorCode::Syntax, fmt::format("an expression of more than {} parts", kLargest), in_.offset());
    if (b.number() && (kind == Kind::Quotient || kind == Kind::Ceil || kind == Kind::Remainder) && *b.number() < 1)
      in_.fail(ErrorCode::Value, fmt::format("a division by {}; expected 1 or more", *b.number()), in_.offset());
    if (a.number() && b.number() && !in_.failed())
      if (const auto value = combine(kind, *a.number(), *b.number()); !value)
        in_.fail(value.error().code, value.error().message, in_.offset());
    return in_.failed() ? Expression{} : Expression::of(kind, std::move(a), std::move(b));
  }

  Expression divided(Kind kind, Expression a, Expression b) {
    if (c_ && may_be_negative(a))
      in_.fail(ErrorCode::Value, "a division of what may be below 0: C++ and Python round it differently",
               in_.offset());
    return made(kind, std::move(a), std::move(b));
  }
  static bool may_be_negative(const Expression& e) {
    if (e.kind() == Kind::Difference || (e.kind() == Kind::Integer && e.value() < 0)) return true;
    return std::ranges::any_of(e.parts(), may_be_negative);
  }

  Expression product() {
    Expression left = unary();
    while (!in_.failed()) {
      if (in_.accept("//") || (c_ && in_.accept("/"))) left = divided(Kind::Quotient, std::move(left), unary());
      else if (in_.accept("*")) left = made(Kind::Product, std::move(left), unary());
      else if (in_.accept("%")) left = divided(Kind::Remainder, std::move(left), unary());
      else break;
    }
    return left;
  }
  Expression unary() {
    if (++open_ > kDeepestExpression) in_.fail(fmt::format("an expression of more than {} levels", kDeepestExpression));
    Expression out;
    if (in_.peek() == '-') {
      in_.move_to(in_.offset() + 1);
      out = made(Kind::Difference, Expression(0), unary());
    } else {
      out = power();
    }
    --open_;
    return out;
  }
  Expression power() {
    Expression base = atom();
    in_.skip_space();
    const std::size_t at = in_.offset();
    if (in_.failed() || !in_.accept("**")) return base;
    const Expression exponent = unary();
    if (in_.failed()) return {};
    if (!base.number() || !exponent.number() || *exponent.number() < 0) {
      in_.fail(ErrorCode::Value, "a power of integers is expected, with an exponent of at least 0", at);
      return {};
    }
    const auto value = raised_to(*base.number(), *exponent.number());
    if (!value) in_.fail(ErrorCode::Overflow, "a power does not fit in 64 bits", at);
    return value.value_or(0);
  }
  Expression atom() {
    const char next = in_.peek();
    if (next >= '0' && next <= '9') return in_.integer("an integer");
    if (in_.accept("(")) {
      Expression inner = sum();
      in_.expect(")");
      return inner;
    }
    in_.skip_space();
    const std::size_t at = in_.offset();
    if (c_ && in_.accept("cute") && !in_.accept("::") && !in_.accept(".")) in_.move_to(at);
    const std::string_view name = in_.identifier("a number or a name");
    if (std::string why = why_no_name(name); !why.empty()) in_.fail(ErrorCode::Syntax, std::move(why), at);
    if (in_.failed() || in_.peek() != '(') return Expression::named(std::string(name));
    return call(name, at);
  }
  Expression call(std::string_view name, std::size_t at) {
    in_.expect("(");
    if (name == "ceil") return ceil_of_quotient();
    const bool known =
        name == "min" || name == "max" || name == "align" || (c_ && (name == "ceil_div" || name == "round_up"));
    if (!known)
      in_.fail(ErrorCode::Syntax, fmt::format("'{}' is no function; expected ceil(a/b), align, min or max", name), at);
    Expression a = sum();
    in_.expect(",");
    Expression b = sum();
    in_.expect(")");
    if (name == "min") return made(Kind::Min, std::move(a), std::move(b));
    if (name == "max") return made(Kind::Max, std::move(a), std::move(b));
    if (name == "ceil_div") return divided(Kind::Ceil, std::move(a), std::move(b));
    return made(Kind::Product, divided(Kind::Ceil, std::move(a), b), b);  // align, round_up
  }

  // As Python binds: of a sum the quotient is another part, and of a/b*c another factor.
  Expression ceil_of_quotient() {
    const bool c = std::exchange(c_, false);  // here '/' divides nothing else
    Expression a = product();
    c_ = c;
    if (!in_.failed() && !in_.accept("/")) in_.fail("expected '/', as in ceil((a + b)/c)");
    Expression b = unary();
    if (!in_.failed() && !in_.accept(")")) in_.fail("expected ')' behind the divisor, as in ceil(a/(b + c))");
    return made(Kind::Ceil, std::move(a), std::move(b));
  }

  Cursor& in_;
  bool c_;
  int open_ = 0;
};

// An expression as a polynomial in what stands in `atoms`, each in words.
class Expanded {
 public:
  explicit Expanded(std::vector<std::string> names) : atoms_(std::move(names)) {}

  Polynomial expand(const Expression& e) {
    const auto combined = [&](auto combine_two) {  // the left part first: its names come first
      const Polynomial left = expand(e.parts()[0]);
      return combine_two(left, expand(e.parts()[1]));
    };
    switch (e.kind()) {
      case Kind::Integer: return e.value();
      case Kind::Name: return atom(e.name());
      case Kind::Sum: return combined([](const Polynomial& a, const Polynomial& b) { return a + b; });
      case Kind::Difference: return combined([](const Polynomial& a, const Polynomial& b) { return a - b; });
      case Kind::Product: return combined([](const Polynomial& a, const Polynomial& b) { return a * b; });
      case Kind::Quotient: return atom(fmt::format("({}//{})", operand(e, 0), operand(e, 1)));
      case Kind::Ceil: return atom(fmt::format("ceil({}/{})", operand(e, 0), operand(e, 1)));
      case Kind::Remainder: return atom(fmt::format("({}%{})", operand(e, 0), operand(e, 1)));
      case Kind::Min: return atom(fmt::format("min({}, {})", words(e, 0), words(e, 1)));
      case Kind::Max: return atom(fmt::format("max({}, {})", words(e, 0), words(e, 1)));
      case Kind::Chosen:
        return atom(fmt::format("({} if {} >= {} else {})", words(e, 2), words(e, 0), words(e, 1), words(e, 3)));
    }
    VL_CHECK(false, "an expression of no kind");
  }
  [[nodiscard]] const std::vector<std::string>& atoms() const { return atoms_; }

 private:
  static std::string words(const Expression& e, std::size_t k) { return print(e.parts()[k]); }
  // In brackets where it is more than a name or a number.
  static std::string operand(const Expression& e, std::size_t k) {
    const Expression& part = e.parts()[k];
    const bool plain = part.kind() == Kind::Name || (part.kind() == Kind::Integer && part.value() >= 0);
    return plain ? words(e, k) : "(" + words(e, k) + ")";
  }
  Polynomial atom(std::string text) {
    const auto found = std::ranges::find(atoms_, text);
    const auto number = static_cast<std::size_t>(found - atoms_.begin());
    if (found == atoms_.end()) atoms_.push_back(std::move(text));
    return Polynomial::variable(number);
  }

  std::vector<std::string> atoms_;
};

// As it is, every part in brackets.
std::string print_as_is(const Expression& e) {
  const auto part = [&](std::size_t k) { return "(" + print_as_is(e.parts()[k]) + ")"; };
  switch (e.kind()) {
    case Kind::Integer: return fmt::format("{}", e.value());
    case Kind::Name: return e.name();
    case Kind::Sum: return part(0) + " + " + part(1);
    case Kind::Difference: return part(0) + " - " + part(1);
    case Kind::Product: return part(0) + "*" + part(1);
    case Kind::Quotient: return part(0) + "//" + part(1);
    case Kind::Ceil: return "ceil(" + part(0) + "/" + part(1) + ")";
    case Kind::Remainder: return part(0) + "%" + part(1);
    case Kind::Min: return "min(" + part(0) + ", " + part(1) + ")";
    case Kind::Max: return "max(" + part(0) + ", " + part(1) + ")";
    case Kind::Chosen: return part(2) + " if " + part(0) + " >= " + part(1) + " else " + part(3);
  }
  VL_CHECK(false, "an expression of no kind");
}

}  // namespace

Expression Expression::named(std::string name) {
  Expression out;
  out.kind_ = Kind::Name;
  out.name_ = std::move(name);
  return out;
}

Expression Expression::of(Kind kind, Expression a, Expression b) {
  if (a.number() && b.number())
    if (const auto value = combine(kind, *a.number(), *b.number())) return *value;
  const auto is = [](const Expression& e, Index value) { return e.number() == value; };
  if (kind == Kind::Product && is(a, 1)) return b;
  if ((kind == Kind::Product || kind == Kind::Quotient || kind == Kind::Ceil) && is(b, 1)) return a;
  if ((kind == Kind::Sum || kind == Kind::Difference) && is(b, 0)) return a;
  if (kind == Kind::Sum && is(a, 0)) return b;
  Expression out;
  out.kind_ = kind;
  out.size_ = a.size_ + b.size_;
  out.parts_.push_back(std::move(a));
  out.parts_.push_back(std::move(b));
  return out;
}

Expression Expression::chosen(Expression a, Expression b, Expression yes, Expression no) {
  if (a.number() && b.number()) return *a.number() >= *b.number() ? yes : no;
  Expression out;
  out.kind_ = Kind::Chosen;
  out.size_ = a.size_ + b.size_ + yes.size_ + no.size_;
  out.parts_ = {std::move(a), std::move(b), std::move(yes), std::move(no)};
  return out;
}

std::optional<Index> Expression::number() const {
  return kind_ == Kind::Integer ? std::optional(value_) : std::nullopt;
}

Expression operator+(const Expression& a, const Expression& b) { return Expression::of(Kind::Sum, a, b); }
Expression operator-(const Expression& a, const Expression& b) { return Expression::of(Kind::Difference, a, b); }
Expression operator*(const Expression& a, const Expression& b) { return Expression::of(Kind::Product, a, b); }

Expression take_expression(Cursor& in) { return ExpressionText(in).sum(); }
Expression take_c_expression(Cursor& in) { return ExpressionText(in, true).sum(); }

Result<Expression> parse_expression(std::string_view text) {
  Cursor in(text);
  Expression out = take_expression(in);
  in.expect_end();
  if (in.failed()) return in.error();
  return out;
}

Result<Index> evaluate(const Expression& e, const Sizes& sizes) {
  if (e.kind() == Kind::Integer) return e.value();
  if (e.kind() == Kind::Name) {
    const auto found = sizes.find(e.name());
    if (found == sizes.end()) return Error{ErrorCode::Value, fmt::format("'{}' has no value", e.name())};
    return found->second;
  }
  const auto a = evaluate(e.parts()[0], sizes);
  const auto b = evaluate(e.parts()[1], sizes);
  if (!a) return a.error();
  if (!b) return b.error();
  if (e.kind() == Kind::Chosen) return evaluate(e.parts()[*a >= *b ? 2 : 3], sizes);
  return combine(e.kind(), *a, *b);
}

bool is_never_negative(const Expression& e) {
  switch (e.kind()) {
    case Kind::Integer: return e.value() >= 0;
    case Kind::Name:
    case Kind::Remainder: return true;  // of a divisor that is at least 1
    case Kind::Difference: return false;
    case Kind::Max: return is_never_negative(e.parts()[0]) || is_never_negative(e.parts()[1]);
    case Kind::Quotient:
    case Kind::Ceil: return is_never_negative(e.parts()[0]);
    case Kind::Chosen: return is_never_negative(e.parts()[2]) && is_never_negative(e.parts()[3]);
    case Kind::Sum:
    case Kind::Product:
    case Kind::Min: return is_never_negative(e.parts()[0]) && is_never_negative(e.parts()[1]);
  }
  VL_CHECK(false, "an expression of no kind");
}

Expression at_least(const Expression& e, Index least) {
  return least <= 0 && is_never_negative(e) ? e : Expression::of(Kind::Max, e, least);
}

std::vector<Expression> summands_of(const Expression& e) {  // NOLINT(misc-no-recursion)
  if (e.number() == 0) return {};
  if (e.kind() != Expression::Kind::Sum) return {e};
  std::vector<Expression> out = summands_of(e.parts()[0]);
  std::ranges::move(summands_of(e.parts()[1]), std::back_inserter(out));
  return out;
}

void add_names(const Expression& e, std::vector<std::string>& names) {
  if (e.kind() == Kind::Name && std::ranges::find(names, e.name()) == names.end()) names.push_back(e.name());
  for (const Expression& part : e.parts()) add_names(part, names);
}

std::string print(const Expression& e) { return print(e, {}); }

std::string print(const Expression& e, std::vector<std::string> names) {
  Expanded expanded(std::move(names));
  const Polynomial polynomial = expanded.expand(e);
  return polynomial.fits() ? print(polynomial, expanded.atoms()) : print_as_is(e);
}

}  // namespace vl::map
