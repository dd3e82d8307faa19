#include "oracle/ops/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/base/check.h"

namespace vl::oracle::ops {
namespace {

using enum Operation;

struct Named {
  std::string_view name;
  Operation operation;
  Shape shape;
  std::size_t inputs;
};
// The first name of an operation is the one that is printed.
constexpr auto kNamed = std::to_array<Named>({
    {"add", Add, Shape::Pointwise, 2},           {"sub", Sub, Shape::Pointwise, 2},
    {"mul", Mul, Shape::Pointwise, 2},           {"maximum", Maximum, Shape::Pointwise, 2},
    {"minimum", Minimum, Shape::Pointwise, 2},   {"neg", Neg, Shape::Pointwise, 1},
    {"abs", Abs, Shape::Pointwise, 1},           {"relu", Relu, Shape::Pointwise, 1},
    {"sum", Sum, Shape::Reduction, 1},           {"mean", Mean, Shape::Reduction, 1},
    {"prod", Prod, Shape::Reduction, 1},         {"max", Max, Shape::Reduction, 1},
    {"min", Min, Shape::Reduction, 1},           {"any", Any, Shape::Reduction, 1},
    {"all", All, Shape::Reduction, 1},           {"sumsq", SumOfSquares, Shape::Reduction, 1},
    {"exx2", SumOfSquares, Shape::Reduction, 1}, {"dot", Dot, Shape::Reduction, 2},
    {"matmul", Dot, Shape::Reduction, 2},        {"bmm", Dot, Shape::Reduction, 2},
    {"argmax", ArgMax, Shape::Place, 1},         {"argmin", ArgMin, Shape::Place, 1},
});

const Named& named(Operation operation) {
  const auto found = std::ranges::find(kNamed, operation, &Named::operation);
  VL_CHECK(found != kNamed.end(), "an operation without a name");
  return *found;
}

bool is_logical(Operation operation) { return operation == Any || operation == All; }
bool adds(Operation operation) {
  return operation == Sum || operation == Mean || operation == SumOfSquares || operation == Dot;
}

// a without its sign; the least integer stays, as it wraps.
Code magnitude(const Format& format, Code a) {
  if (format.is_float()) return has_negative_zero(format) || !is_nan(format, a) ? a & ~format.sign() : a;
  return is_negative(format, a) ? values::negated(format, a) : a;
}

// The bits of dividend / divisor from the first one that is set on, 110 of them, and whether a rest is left.
values::Number quotient(const values::Number& dividend, std::uint64_t divisor) {
  using values::Wide;
  Wide rest = dividend.significand % divisor, whole = dividend.significand / divisor;
  int exponent = dividend.exponent;
  while (whole >> 109 == 0) {
    rest <<= 1;
    whole = whole << 1 | (rest >= divisor ? 1 : 0);
    if (rest >= divisor) rest -= divisor;
    --exponent;
  }
  return {dividend.negative, whole | (rest != 0 ? 1 : 0), exponent};
}

}  // namespace

std::string_view name(Operation operation) { return named(operation).name; }

std::optional<Operation> find_operation(std::string_view name) {
  const auto found = std::ranges::find(kNamed, name, &Named::name);
  if (found == kNamed.end()) return std::nullopt;
  return found->operation;
}

std::vector<std::string_view> operation_names() {
  std::vector<std::string_view> out;
  out.reserve(std::size(kNamed));
  for (const Named& each : kNamed) out.push_back(each.name);
  return out;
}

Shape shape_of(Operation operation) { return named(operation).shape; }
std::size_t inputs_of(Operation operation) { return named(operation).inputs; }

std::string misfit(Operation operation, const Arithmetic& arithmetic, const Format& type, const Format& result) {
  const Format& wide = arithmetic.accumulate;
  const auto says = [&](std::string_view what) { return fmt::format("{} {}", name(operation), what); };
  if (arithmetic.start != values::Start::First && !adds(operation))
    return says("has no start: only sum, mean, sumsq and dot have");
  if (arithmetic.start == values::Start::MinusZero && !has_negative_zero(wide))
    return fmt::format("{} has no -0 to start with", wide.name);
  if (arithmetic.fused && operation != SumOfSquares && operation != Dot)
    return says("has no products to fuse: only sumsq and dot have");
  if (shape_of(operation) == Shape::Place)
    return result.is_float() ? fmt::format("{} gives places: an integer type, and not {}", name(operation), result.name)
                             : "";
  if (operation == Mean && !type.is_float()) return says("divides: only floats are divided");
  if (is_logical(operation)) return "";
  if (type.is_float() != wide.is_float())
    return fmt::format("floats are accumulated in floats and integers in integers: not {} in {}", type.name, wide.name);
  if (wide.is_float() && !result.is_float())
    return fmt::format("{} is not converted into {}: floats stay floats", wide.name, result.name);
  return "";
}

Code divided(const Format& format, Code a, Index n, const values::Mode& mode) {
  VL_CHECK(format.is_float() && n >= 1, "only floats are divided, by positive numbers");
  if (is_nan(format, a)) return quieted(format, a);
  if (mode.flush == values::Flush::Both && values::is_subnormal(format, a))
    return values::zero(format, is_negative(format, a));
  if (is_infinite(format, a) || is_zero(format, a)) return a;
  return values::pack(format, quotient(values::unpack(format, a), static_cast<std::uint64_t>(n)), mode.rounding,
                      mode.flush != values::Flush::None);
}

Code Scalar::widened(Code code) const {
  return type_ == with_.accumulate ? code : values::convert(type_, with_.accumulate, code);
}

Code Scalar::start() const { return with_.start == values::Start::MinusZero ? negative_zero(with_.accumulate) : 0; }

Code Scalar::leaf(const Term& term) const {
  const Format& wide = with_.accumulate;
  switch (operation_) {
    case Any:
    case All: return values::is_zero(type_, term.a) ? 0 : 1;
    case SumOfSquares: return values::mul(wide, widened(term.a), widened(term.a), with_.mode);
    case Dot:
    case Mul: return values::mul(wide, widened(term.a), widened(term.b), with_.mode);
    case Add: return values::add(wide, widened(term.a), widened(term.b), with_.mode);
    case Sub: return values::add(wide, widened(term.a), values::negated(wide, widened(term.b)), with_.mode);
    case Maximum: return values::maximum(wide, with_.max, widened(term.a), widened(term.b));
    case Minimum: return values::minimum(wide, with_.max, widened(term.a), widened(term.b));
    case Neg: return values::negated(wide, widened(term.a));
    case Abs: return magnitude(wide, widened(term.a));
    case Relu: return values::maximum(wide, with_.max, widened(term.a), 0);
    case Sum:
    case Mean:
    case Prod:
    case Max:
    case Min: return widened(term.a);
    case ArgMax:
    case ArgMin: break;
  }
  VL_CHECK(false, "an operation without leaves");
  return 0;
}

Code Scalar::node(const Part& left, const Part& right) const {
  const Format& wide = with_.accumulate;
  if (with_.fused && right.term != nullptr) {
    const Term& term = *right.term;
    const Code b = operation_ == Dot ? term.b : term.a;
    return values::fma(wide, widened(term.a), widened(b), value(left), with_.mode);
  }
  const Code a = value(left), b = value(right);
  switch (operation_) {
    case Any: return a | b;
    case All: return a & b;
    case Max: return values::maximum(wide, with_.max, a, b);
    case Min: return values::minimum(wide, with_.max, a, b);
    case Prod: return values::mul(wide, a, b, with_.mode);
    default: break;
  }
  VL_CHECK(adds(operation_), "an operation without nodes");
  return values::add(wide, a, b, with_.mode);
}

Code Scalar::finish(Code root, const Format& result, Index count) const {
  if (is_logical(operation_)) return root == 0 ? 0 : values::one(result);
  if (operation_ == Mean) root = divided(with_.accumulate, root, count, with_.mode);
  if (with_.accumulate == result) return root;
  return values::convert(with_.accumulate, result, root);
}

bool Scalar::is_before(Code a, Code b) const {
  const bool nan_a = is_nan(type_, a), nan_b = is_nan(type_, b);
  if (nan_a || nan_b) {
    const bool wins = with_.max == values::MaxRule::NanWins;
    return wins ? nan_a && !nan_b : !nan_a && nan_b;
  }
  const values::Order order = values::compare(type_, a, b);
  return order == (operation_ == ArgMax ? values::Order::Greater : values::Order::Less);
}

}  // namespace vl::oracle::ops
