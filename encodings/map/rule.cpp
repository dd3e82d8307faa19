#include "encodings/map/rule.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::map {
namespace {

// Evaluates expressions of one instance, and remembers the first error.
class Instance {
 public:
  Instance(const Rule& rule, const Sizes& sizes) : rule_(rule), sizes_(sizes) {}

  Result<Layout> make() {
    VL_CHECK(rule_.decodes || rule_.start.number() == 0, "a start of a rule that does not decode");
    if (auto error = refused()) return *error;
    LayoutParts parts;
    parts.logical = space(Space::dims("x", values(rule_.logical)));
    std::vector<Index> copies = values(rule_.replicas);
    if (rule_.decodes)  // of a device dimension: where it is 0, an element has no slot
      for (Index& extent : copies) extent = std::max<Index>(extent, 1);
    parts.replicas = space(Space::dims("r", std::move(copies)));
    std::vector<Dim> box, filled;
    for (const RulePlace& place : rule_.places) {
      box.push_back({place.name, value(place.extent), place.unit});
      if (rule_.fills_axes()) filled.push_back({place.name, value(place.filled), place.unit});
    }
    parts.physical = space(std::move(box));
    if (rule_.fills_axes()) parts.filled = space(std::move(filled));
    parts.named_axes = rule_.named_axes;
    parts.host_offset =
        dot(rule_.decodes ? values(rule_.strides) : row_major_weights(parts.logical), not_negative(rule_.offset));
    if (rule_.numbers.empty()) add_stages(parts);
    else add_numbers(parts);
    if (rule_.decodes) add_decode(parts);
    for (const Expression& number : rule_.fits) value(number);
    if (error_) return *error_;
    return Layout::create(std::move(parts));
  }

 private:
  std::optional<Error> refused() {
    for (const Symbol& symbol : rule_.symbols) {
      const auto found = sizes_.find(symbol.name);
      if (found == sizes_.end()) return Error{ErrorCode::Value, fmt::format("'{}' has no size", symbol.name)};
      if (found->second < symbol.low)
        return Error{ErrorCode::Value,
                     fmt::format("{} is {}; expected {} or more", symbol.name, found->second, symbol.low)};
    }
    for (const Condition& condition : rule_.where) {
      const auto held = holds(condition, sizes_);
      if (!held) return held.error();
      if (!*held) return Error{ErrorCode::Value, fmt::format("{} does not hold", print(condition))};
    }
    return std::nullopt;
  }

  Index value(const Expression& expression) {
    const auto found = evaluate(expression, sizes_);
    if (!found && !error_) error_ = found.error();
    return found ? *found : 1;
  }
  Index not_negative(const Expression& offset) {
    const Index found = value(offset);
    if (found < 0 && !error_) error_ = Error{ErrorCode::Value, fmt::format("the offset {} is negative", found)};
    return std::max<Index>(found, 0);
  }
  std::vector<Index> values(const std::vector<Expression>& expressions) {
    std::vector<Index> out;
    out.reserve(expressions.size());
    for (const Expression& expression : expressions) out.push_back(value(expression));
    return out;
  }
  Space space(std::vector<Dim> dims) {
    auto made = Space::create(std::move(dims));
    if (!made && !error_) error_ = made.error();
    return made ? *made : Space{};
  }

  void add_stages(LayoutParts& parts) {
    const std::size_t rank = rule_.logical.size();
    Affine flatten{{dot(values(rule_.strides), not_negative(rule_.start))}};
    for (std::size_t r = 0; r < rule_.replicas.size(); ++r) flatten.rows.push_back(pick(rank + r));
    std::vector<std::size_t> kept;
    std::vector<Index> weights;
    for (const RuleLevel& level : rule_.levels) weights.push_back(value(level.weight));
    for (std::size_t k = 0; k < weights.size(); ++k)
      if (value(rule_.levels[k].extent) > 1 && weights[k] > 0) kept.push_back(k);
    std::ranges::stable_sort(kept, [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    Split split{0, {}};
    std::vector<std::optional<std::size_t>> digit(weights.size());
    for (const std::size_t k : kept) {
      digit[k] = split.weights.size();
      split.weights.push_back(weights[k]);
    }
    parts.guards = split.weights.empty() || split.weights.back() != 1 ? 1 : 0;
    if (parts.guards == 1) split.weights.push_back(1);
    const std::size_t digits = split.weights.size();

    Affine place = places(digit, digits);
    if (parts.guards == 1) place.rows.push_back(pick(digits - 1));
    parts.map = {std::move(flatten), std::move(split), std::move(place)};
    if (rule_.swizzle && rule_.swizzle->bits > 0) parts.map.emplace_back(*rule_.swizzle);
  }

  // The places, of levels that have digits and of replicas behind `digits` digits.
  Affine places(const std::vector<std::optional<std::size_t>>& digit, std::size_t digits) {
    Affine place;
    for (const RulePlace& at : rule_.places) {
      Row row;
      row.constant = value(at.constant);
      for (const RuleTerm& term : at.terms) {
        const bool replica = term.input >= digit.size();
        const auto input = replica ? std::optional(digits + term.input - digit.size()) : digit[term.input];
        const Index coefficient = value(term.coefficient);
        if (input && coefficient != 0) row.terms.push_back({*input, coefficient});
      }
      auto canonical_row = canonical(std::move(row));
      if (!canonical_row && !error_) error_ = canonical_row.error();
      place.rows.push_back(canonical_row ? *canonical_row : Row{});
    }
    return place;
  }

  // The digit of a level whose weight is not below the one before it is 0. The numbers are split from the first to the
  // last, so that digits stand before a number that joins them.
  void add_numbers(LayoutParts& parts) {
    const std::vector<Index> sizes = values(rule_.logical), strides = values(rule_.strides);
    const auto dense = dense_strides(sizes);
    if (!dense && !error_) error_ = dense.error();
    if (dense) parts.host_offset = dot(*dense, not_negative(rule_.offset));
    Affine flatten;
    std::vector<Stage> splits;
    std::vector<std::optional<std::size_t>> digit(rule_.levels.size());
    std::vector<std::size_t> rests;
    std::size_t digits = 0, k = 0, left = rule_.numbers.size() + rule_.replicas.size();
    for (const RuleNumber& number : rule_.numbers) {
      std::vector<Index> row(sizes.size(), 0);
      for (const std::size_t dim : number.dims) row[dim] = strides[dim];
      flatten.rows.push_back(dot(row));
      if (!number.of.empty()) splits.emplace_back(joined(number, digit, digits, digits + left));
      Split split{digits, {}};
      for (const std::size_t end = k + number.levels; k < end; ++k) {
        const Index weight = value(rule_.levels[k].weight);
        if (weight < 1 && !error_) error_ = Error{ErrorCode::Value, fmt::format("a weight is {}", weight)};
        if (!split.weights.empty() && weight >= split.weights.back()) continue;
        digit[k] = digits + split.weights.size();
        split.weights.push_back(weight);
      }
      if (split.weights.empty() || split.weights.back() != 1) {
        rests.push_back(digits + split.weights.size());
        split.weights.push_back(1);
      }
      digits += split.weights.size();
      --left;
      splits.push_back(std::move(split));
    }
    for (std::size_t r = 0; r < rule_.replicas.size(); ++r) flatten.rows.push_back(pick(sizes.size() + r));
    Affine place = places(digit, digits);
    for (const std::size_t rest : rests) place.rows.push_back(pick(rest));
    parts.guards = rests.size();
    parts.map = {std::move(flatten)};
    std::ranges::move(splits, std::back_inserter(parts.map));
    parts.map.emplace_back(std::move(place));
  }

  // Every value as it is, and digits added to the one at `at`.
  Affine joined(const RuleNumber& number, const std::vector<std::optional<std::size_t>>& digit, std::size_t at,
                std::size_t count) {
    Affine out;
    for (std::size_t j = 0; j < count; ++j) out.rows.push_back(pick(j));
    for (const RuleTerm& term : number.of) {
      const Index coefficient = value(term.coefficient);
      if (digit[term.input] && coefficient != 0) out.rows[at].terms.push_back({*digit[term.input], coefficient});
    }
    auto row = canonical(std::move(out.rows[at]));
    if (!row && !error_) error_ = row.error();
    out.rows[at] = row ? *row : Row{};
    return out;
  }

  // Of a rule whose places are its digits, over a host whose strides nest.
  void add_decode(LayoutParts& parts) {
    std::vector<Index> weights;
    for (const RuleLevel& level : rule_.levels) weights.push_back(std::max<Index>(value(level.weight), 0));
    const std::vector<Index> sizes = values(rule_.logical), strides = values(rule_.strides);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] > 1 && strides[i] != 0) order.push_back(i);
    const auto size_of = [&](std::size_t dim) {
      const auto size = strides[dim] < 0 ? checked_mul(strides[dim], -1) : strides[dim];
      if (!size && !error_) error_ = Error{ErrorCode::Overflow, "a host stride does not fit in 64 bits"};
      return size.value_or(1);
    };
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return size_of(a) > size_of(b); });
    const Index start = not_negative(rule_.start);
    Row number = dot(weights, -start);
    Split split{0, {}};
    Affine gather{std::vector<Row>(sizes.size())};
    for (const std::size_t dim : order) {  // a stride below 0 counts from the end
      const std::size_t digit = split.weights.size();
      gather.rows[dim] = strides[dim] < 0 ? Row{sizes[dim] - 1, {{digit, -1}}} : pick(digit);
      if (strides[dim] < 0 && !accumulate(number.constant, size_of(dim), sizes[dim] - 1) && !error_)
        error_ = Error{ErrorCode::Overflow, "the host's offsets do not fit in 64 bits"};
      split.weights.push_back(size_of(dim));
    }
    const bool rest = split.weights.empty() || split.weights.back() != 1;
    if (rest) split.weights.push_back(1);
    const std::size_t digits = split.weights.size();
    Affine flatten{{std::move(number)}};
    for (std::size_t j = 0; j < rule_.places.size(); ++j)
      if (rule_.repeats(j)) {
        gather.rows.push_back(pick(digits + flatten.rows.size() - 1));
        flatten.rows.push_back(pick(j));
      }
    gather.rows.push_back(rest ? pick(digits - 1) : Row{});
    parts.decode = std::vector<Stage>{std::move(flatten), std::move(split), std::move(gather)};
    parts.decode_guards = 1;
    parts.identity = OffsetIdentity{dot(weights), dot(strides, start)};
  }

  const Rule& rule_;
  const Sizes& sizes_;
  std::optional<Error> error_;
};

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

Result<Layout> instance(const Rule& rule, const Sizes& sizes) { return Instance(rule, sizes).make(); }

}  // namespace vl::map
