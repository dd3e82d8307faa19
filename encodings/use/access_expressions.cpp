#include "encodings/use/access_expressions.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::use {
namespace {

constexpr int kDeepest = 64;                // nested brackets and signs
constexpr std::size_t kMostDivisions = 64;  // different ones in one access

bool is_constant(const map::Row& row) { return row.terms.empty(); }

map::Affine identity(std::size_t values) {
  map::Affine out;
  for (std::size_t i = 0; i < values; ++i) out.rows.push_back(map::pick(i));
  return out;
}

}  // namespace

AccessExpressions::AccessExpressions(std::vector<AccessVariable> variables)
    : variables_(std::move(variables)), values_(variables_.size()) {}

map::Row AccessExpressions::read(Cursor& in) { return sum(in, 0); }

map::Row AccessExpressions::difference(Cursor& in, const map::Row& a, const map::Row& b, Index constant) const {
  return added(in, added(in, a, b, -1, in.offset()), map::Row{constant, {}}, 1, in.offset());
}

std::vector<map::Stage> AccessExpressions::stages(std::vector<map::Row> rows) const {
  std::vector<map::Stage> out = stages_;
  out.emplace_back(map::Affine{std::move(rows)});
  return out;
}

map::Expression AccessExpressions::take_sizes(map::Row& row) const {
  map::Expression out = 0;
  std::erase_if(row.terms, [&](const map::Term& term) {
    if (!is_size(term)) return false;
    out = out + map::Expression(term.coefficient) * map::Expression::named(variables_[term.input].name);
    return true;
  });
  return out;
}

bool AccessExpressions::is_size(const map::Term& term) const {
  return term.input < variables_.size() && variables_[term.input].is_size;
}

map::Row AccessExpressions::sum(Cursor& in, int depth) {
  map::Row out = product(in, depth);
  while (!in.failed()) {
    const char next = in.peek();
    if (next != '+' && next != '-') break;
    const std::size_t at = in.offset();
    in.expect(std::string(1, next));
    out = added(in, out, product(in, depth), next == '+' ? 1 : -1, at);
  }
  return out;
}

map::Row AccessExpressions::product(Cursor& in, int depth) {
  map::Row out = factor(in, depth);
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

map::Row AccessExpressions::factor(Cursor& in, int depth) {
  const char next = in.peek();
  const std::size_t at = in.offset();
  if (depth > kDeepest) {
    in.fail(ErrorCode::Value, fmt::format("more than {} brackets and signs in one another", kDeepest), at);
    return {};
  }
  if (in.accept("-")) return scaled(in, factor(in, depth + 1), -1, at);
  if (in.accept("(")) {
    map::Row out = sum(in, depth + 1);
    in.expect(")");
    return out;
  }
  if (next >= '0' && next <= '9') return map::Row{in.integer("a number"), {}};
  const std::string_view name = in.identifier("a number, a variable or a bracket");
  if (in.failed()) return {};
  const auto found = std::ranges::find(variables_, name, &AccessVariable::name);
  if (found == variables_.end()) {
    std::vector<std::string> known;
    for (const AccessVariable& variable : variables_) known.push_back(variable.name);
    in.fail(ErrorCode::Value, fmt::format("'{}' is not known here; there is {}", name, fmt::join(known, ", ")), at);
    return {};
  }
  map::Row row = map::pick(static_cast<std::size_t>(found - variables_.begin()));
  row.constant = found->first;
  return row;
}

map::Row AccessExpressions::multiply(Cursor& in, const map::Row& a, const map::Row& b, std::size_t at) {
  if (is_constant(b)) return scaled(in, a, b.constant, at);
  if (is_constant(a)) return scaled(in, b, a.constant, at);
  in.fail(ErrorCode::Value, "expected a product with a constant factor", at);
  return {};
}

map::Row AccessExpressions::divide(Cursor& in, const map::Row& a, const map::Row& b, bool rest, std::size_t at) {
  if (in.failed()) return {};
  if (!is_constant(b) || b.constant <= 0) {
    in.fail(ErrorCode::Value, "expected a divisor that is a positive constant", at);
    return {};
  }
  if (std::ranges::any_of(a.terms, [&](const map::Term& term) { return is_size(term); })) {
    in.fail(ErrorCode::Value,
            "a name of a size is not divided in an access; it may be added, and multiplied by a number", at);
    return {};
  }
  const Index divisor = b.constant;
  if (is_constant(a)) return map::Row{rest ? floor_mod(a.constant, divisor) : floor_div(a.constant, divisor), {}};
  if (divisor == 1) return rest ? map::Row{} : a;
  auto known = std::ranges::find_if(divisions_, [&](const Division& d) { return d.divisor == divisor && d.row == a; });
  if (known == divisions_.end()) {
    if (divisions_.size() == kMostDivisions) {
      in.fail(ErrorCode::Value, fmt::format("more than {} different divisions", kMostDivisions), at);
      return {};
    }
    map::Affine append = identity(values_);
    append.rows.push_back(a);
    stages_.emplace_back(std::move(append));
    stages_.emplace_back(map::Split{values_, {divisor, 1}});
    known = divisions_.insert(divisions_.end(), Division{a, divisor, values_});
    values_ += 2;
  }
  return map::pick(known->quotient + (rest ? 1 : 0));
}

map::Row AccessExpressions::scaled(Cursor& in, const map::Row& a, Index factor, std::size_t at) const {
  return added(in, map::Row{}, a, factor, at);
}

map::Row AccessExpressions::added(Cursor& in, const map::Row& a, const map::Row& b, Index sign, std::size_t at) const {
  if (in.failed()) return {};
  map::Row out = a;
  bool fits = accumulate(out.constant, b.constant, sign);
  for (const map::Term& term : b.terms) {
    const auto coefficient = checked_mul(term.coefficient, sign);
    fits = fits && coefficient.has_value();
    out.terms.push_back({term.input, coefficient.value_or(0)});
  }
  auto row = map::canonical(std::move(out));
  if (fits && row) return std::move(*row);
  in.fail(ErrorCode::Overflow, "a number of this expression does not fit in 64 bits", at);
  return {};
}

}  // namespace vl::use
