#include "encodings/map/access_expressions.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::map {
namespace {

constexpr int kDeepest = 64;              // brackets and signs in one another
constexpr std::size_t kMostDivisions = 64;  // different ones in one access

bool is_constant(const Row& row) { return row.terms.empty(); }

Affine identity(std::size_t values) {
  Affine out;
  for (std::size_t i = 0; i < values; ++i) out.rows.push_back(pick(i));
  return out;
}

}  // namespace

AccessExpressions::AccessExpressions(std::vector<AccessVariable> variables)
    : variables_(std::move(variables)), values_(variables_.size()) {}

Row AccessExpressions::read(Cursor& in) { return sum(in, 0); }

Row AccessExpressions::difference(Cursor& in, const Row& a, const Row& b, Index constant) const {
  return added(in, added(in, a, b, -1, in.offset()), Row{constant, {}}, 1, in.offset());
}

std::vector<Stage> AccessExpressions::stages(std::vector<Row> rows) const {
  std::vector<Stage> out = stages_;
  out.emplace_back(Affine{std::move(rows)});
  return out;
}

Row AccessExpressions::sum(Cursor& in, int depth) {
  Row out = product(in, depth);
  while (!in.failed()) {
    const char next = in.peek();
    if (next != '+' && next != '-') break;
    const std::size_t at = in.offset();
    in.expect(std::string(1, next));
    out = added(in, out, product(in, depth), next == '+' ? 1 : -1, at);
  }
  return out;
}

Row AccessExpressions::product(Cursor& in, int depth) {
  Row out = factor(in, depth);
  while (!in.failed()) {
    (void)in.peek();
    const std::size_t at = in.offset();
    if (in.accept("*")) {
      out = multiply(in, out, factor(in, depth), at);
    } else if (in.accept("//") || in.accept("/")) {
      out = divide(in, out, factor(in, depth), false, at);
    } else if (in.accept("%")) {
      out = divide(in, out, factor(in, depth), true, at);
    } else {
      break;
    }
  }
  return out;
}

Row AccessExpressions::factor(Cursor& in, int depth) {
  const char next = in.peek();
  const std::size_t at = in.offset();
  if (depth > kDeepest) {
    in.fail(ErrorCode::Value, fmt::format("more than {} brackets and signs in one another", kDeepest), at);
    return {};
  }
  if (in.accept("-")) return scaled(in, factor(in, depth + 1), -1, at);
  if (in.accept("(")) {
    Row out = sum(in, depth + 1);
    in.expect(")");
    return out;
  }
  if (next >= '0' && next <= '9') return Row{in.integer("a number"), {}};
  const std::string_view name = in.identifier("a number, a variable or a bracket");
  if (in.failed()) return {};
  const auto found = std::ranges::find(variables_, name, &AccessVariable::name);
  if (found == variables_.end()) {
    std::vector<std::string> known;
    for (const AccessVariable& variable : variables_) known.push_back(variable.name);
    in.fail(ErrorCode::Value, fmt::format("'{}' is not known here; there is {}", name, fmt::join(known, ", ")), at);
    return {};
  }
  Row row = pick(static_cast<std::size_t>(found - variables_.begin()));
  row.constant = found->first;
  return row;
}

Row AccessExpressions::multiply(Cursor& in, const Row& a, const Row& b, std::size_t at) {
  if (is_constant(b)) return scaled(in, a, b.constant, at);
  if (is_constant(a)) return scaled(in, b, a.constant, at);
  in.fail(ErrorCode::Value, "expected a product with a constant factor", at);
  return {};
}

Row AccessExpressions::divide(Cursor& in, const Row& a, const Row& b, bool rest, std::size_t at) {
  if (in.failed()) return {};
  if (!is_constant(b) || b.constant <= 0) {
    in.fail(ErrorCode::Value, "expected a divisor that is a positive constant", at);
    return {};
  }
  const Index divisor = b.constant;
  if (is_constant(a)) return Row{rest ? floor_mod(a.constant, divisor) : floor_div(a.constant, divisor), {}};
  if (divisor == 1) return rest ? Row{} : a;
  auto known = std::ranges::find_if(divisions_, [&](const Division& d) { return d.divisor == divisor && d.row == a; });
  if (known == divisions_.end()) {
    if (divisions_.size() == kMostDivisions) {
      in.fail(ErrorCode::Value, fmt::format("more than {} different divisions", kMostDivisions), at);
      return {};
    }
    Affine append = identity(values_);
    append.rows.push_back(a);
    stages_.emplace_back(std::move(append));
    stages_.emplace_back(Split{values_, {divisor, 1}});
    known = divisions_.insert(divisions_.end(), Division{a, divisor, values_});
    values_ += 2;
  }
  return pick(known->quotient + (rest ? 1 : 0));
}

Row AccessExpressions::scaled(Cursor& in, const Row& a, Index factor, std::size_t at) const {
  return added(in, Row{}, a, factor, at);
}

Row AccessExpressions::added(Cursor& in, const Row& a, const Row& b, Index sign, std::size_t at) const {
  if (in.failed()) return {};
  Row out = a;
  bool fits = accumulate(out.constant, b.constant, sign);
  for (const Term& term : b.terms) {
    const auto coefficient = checked_mul(term.coefficient, sign);
    fits = fits && coefficient.has_value();
    out.terms.push_back({term.input, coefficient.value_or(0)});
  }
  auto row = canonical(std::move(out));
  if (fits && row) return std::move(*row);
  in.fail(ErrorCode::Overflow, "a number of this expression does not fit in 64 bits", at);
  return {};
}

}  // namespace vl::map
