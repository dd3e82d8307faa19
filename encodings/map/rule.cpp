#include "encodings/map/rule.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::map {
namespace {

// Evaluates the expressions of one instance, and remembers the first error.
class Values {
 public:
  explicit Values(const Sizes& sizes) : sizes_(sizes) {}

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  Blueprint<Index> of(const Blueprint<Expression>& rule) {
    Blueprint<Index> out;
    out.logical = of(rule.logical);
    out.strides = of(rule.strides);
    out.start = not_negative(rule.start);
    out.offset = not_negative(rule.offset);
    out.replicas = of(rule.replicas);
    for (const RuleLevel& level : rule.levels)  // no digit of a number depends on its extent
      out.levels.push_back({of(level.weight), rule.numbers.empty() ? of(level.extent) : 1});
    for (const RulePlace& place : rule.places)
      out.places.push_back({place.name, place.unit, of(place.extent), rule.fills_axes() ? of(place.filled) : 0,
                            of(place.constant), of(place.terms)});
    out.swizzle = rule.swizzle;
    out.named_axes = rule.named_axes;
    out.goes_on = rule.goes_on;
    out.decodes = rule.decodes;
    for (const RuleNumber& number : rule.numbers) out.numbers.push_back({number.dims, number.levels, of(number.of)});
    out.fits = of(rule.fits);
    return out;
  }

 private:
  Index of(const Expression& expression) {
    const auto found = evaluate(expression, sizes_);
    if (!found && !error_) error_ = found.error();
    return found ? *found : 1;
  }
  Index not_negative(const Expression& offset) {
    const Index found = of(offset);
    if (found < 0 && !error_) error_ = Error{ErrorCode::Value, fmt::format("the offset {} is negative", found)};
    return std::max<Index>(found, 0);
  }
  std::vector<Index> of(const std::vector<Expression>& expressions) {
    std::vector<Index> out;
    out.reserve(expressions.size());
    for (const Expression& expression : expressions) out.push_back(of(expression));
    return out;
  }
  std::vector<BasicTerm<Index>> of(const std::vector<RuleTerm>& terms) {
    std::vector<BasicTerm<Index>> out;
    out.reserve(terms.size());
    for (const RuleTerm& term : terms) out.push_back({term.input, of(term.coefficient)});
    return out;
  }

  const Sizes& sizes_;
  std::optional<Error> error_;
};

std::optional<Error> refused(const Rule& rule, const Sizes& sizes) {
  for (const Symbol& symbol : rule.symbols) {
    const auto found = sizes.find(symbol.name);
    if (found == sizes.end()) return Error{ErrorCode::Value, fmt::format("'{}' has no size", symbol.name)};
    if (found->second < symbol.low)
      return Error{ErrorCode::Value,
                   fmt::format("{} is {}; expected {} or more", symbol.name, found->second, symbol.low)};
  }
  for (const Condition& condition : rule.where) {
    const auto held = holds(condition, sizes);
    if (!held) return held.error();
    if (!*held) return Error{ErrorCode::Value, fmt::format("{} does not hold", print(condition))};
  }
  return std::nullopt;
}

}  // namespace

Expression product_of(std::span<const Expression> extents) {
  Expression out = 1;
  for (const Expression& extent : extents) out = out * extent;
  return out;
}

namespace {

bool is_above_0(const Expression& e) {
  const auto part = [&](std::size_t k) { return is_above_0(e.parts()[k]); };
  switch (e.kind()) {
    case Expression::Kind::Integer: return e.value() >= 1;
    case Expression::Kind::Name: return true;
    case Expression::Kind::Sum:
    case Expression::Kind::Product:
    case Expression::Kind::Min: return part(0) && part(1);
    case Expression::Kind::Max: return part(0) || part(1);
    case Expression::Kind::Ceil: return part(0);
    case Expression::Kind::Difference:
    case Expression::Kind::Quotient:
    case Expression::Kind::Remainder:
    case Expression::Kind::Chosen: return false;
  }
  VL_CHECK(false, "an expression of no kind");
}

}  // namespace

void add_extent(Rule& rule, const Expression& extent) {
  if (!is_above_0(extent) && !extent.number()) rule.where.push_back({extent, Condition::Relation::AtLeast, 1, {}});
}

std::vector<std::string> names_of(const Rule& rule) {
  std::vector<std::string> names;
  for (const Expression& extent : rule.logical) add_names(extent, names);
  for (const RuleLevel& level : rule.levels) {
    add_names(level.extent, names);
    add_names(level.weight, names);
  }
  for (const Expression& extent : rule.replicas) add_names(extent, names);
  for (const Expression& stride : rule.strides) add_names(stride, names);
  add_names(rule.start, names);
  add_names(rule.offset, names);
  for (const RuleNumber& number : rule.numbers)
    for (const RuleTerm& term : number.of) add_names(term.coefficient, names);
  for (const RulePlace& place : rule.places) {
    add_names(place.constant, names);
    for (const RuleTerm& term : place.terms) add_names(term.coefficient, names);
    add_names(place.extent, names);
  }
  for (const Condition& law : rule.laws) {
    add_names(law.left, names);
    add_names(law.right, names);
  }
  return names;
}

Result<Rule> counting_rule(Blueprint<Expression> blueprint, const Expression& elements, std::string_view what) {
  const auto& levels = blueprint.levels;
  const Expression counted = levels.empty() ? Expression(1) : levels.front().weight * levels.front().extent;
  const auto a = elements.number(), b = counted.number();
  if (a && b && *a != *b)
    return Error{ErrorCode::Shape, fmt::format("the tensor has {} elements, {} {}", *a, what, *b)};
  Rule rule{std::move(blueprint), {}, {}};
  if (print(elements - counted) != "0") rule.where.push_back({elements, Condition::Relation::Equal, counted, {}});
  std::vector<std::string_view> extents;  // names of which the system has none below 1
  const auto add = [&](const Expression& extent) {
    add_extent(rule, extent);
    extents.push_back(extent.name());
  };
  for (const RuleLevel& level : rule.levels) add(level.extent);
  for (const Expression& extent : rule.replicas) add(extent);
  for (std::string& name : names_of(rule)) {
    const Index least = std::ranges::find(extents, name) != extents.end() ? 1 : 0;
    rule.symbols.push_back({std::move(name), 1, least});
  }
  return rule;
}

Result<Rule> with_conditions(Rule rule, std::vector<Condition> where) {
  std::vector<std::string> names;
  for (const Symbol& symbol : rule.symbols) names.push_back(symbol.name);
  for (const Condition& condition : where) {
    add_names(condition.left, names);
    add_names(condition.right, names);
  }
  for (std::size_t k = rule.symbols.size(); k < names.size(); ++k) rule.symbols.push_back({names[k], 1});
  std::vector<std::string> bounded;  // symbols with a bound of their own, which replaces the usual one
  for (Condition& condition : where) {
    const auto bound = condition.right.number();
    const auto symbol = std::ranges::find(rule.symbols, condition.left.name(), &Symbol::name);
    const bool is_bound =
        condition.left.kind() == Expression::Kind::Name && bound && symbol != rule.symbols.end() &&
        (condition.relation == Condition::Relation::AtLeast || condition.relation == Condition::Relation::Greater);
    if (!is_bound) {
      rule.where.push_back(std::move(condition));
      continue;
    }
    const auto low = condition.relation == Condition::Relation::AtLeast ? bound : checked_add(*bound, 1);
    if (!low)
      return Error{ErrorCode::Overflow, fmt::format("the lower bound of {} does not fit in 64 bits", symbol->name)};
    if (*low < 0) return Error{ErrorCode::Value, fmt::format("the lower bound of {} is below 0", symbol->name)};
    const bool first = std::ranges::find(bounded, symbol->name) == bounded.end();
    symbol->low = std::max(first ? symbol->least : symbol->low, *low);
    bounded.push_back(symbol->name);
  }
  // P % 8 == 0 before P >= N, so that whoever takes them one after the other divides P, and not how far it is above N.
  std::stable_partition(rule.where.begin(), rule.where.end(), [](const Condition& condition) {
    return condition.left.kind() == Expression::Kind::Remainder && condition.relation == Condition::Relation::Equal;
  });
  return rule;
}

Result<Layout> instance(const Rule& rule, const Sizes& sizes) {
  VL_CHECK(rule.decodes || rule.start.number() == 0, "a start of a rule that does not decode");
  if (auto error = refused(rule, sizes)) return *error;
  Values values(sizes);
  const Blueprint<Index> numbers = values.of(rule);
  if (values.error()) return *values.error();
  auto logical = Space::create(Space::dims("x", numbers.logical));
  if (!logical) return logical.error();
  std::vector<Index> host = numbers.decodes ? numbers.strides : row_major_weights(*logical);
  if (!numbers.numbers.empty()) {
    auto dense = dense_strides(numbers.logical);
    if (!dense) return dense.error();
    host = std::move(*dense);
  }
  return layout_of(numbers, std::move(*logical), dot(host, numbers.offset));
}

}  // namespace vl::map
