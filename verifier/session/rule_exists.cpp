// When an instance of a rule exists (rule_words.h): what Layout::create and the readers of numbers ask of its sizes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "encodings/use/guess.h"
#include "verifier/engines/polynomial/prove.h"
#include "verifier/session/rule_words.h"

namespace vl::session {
namespace {

using map::Expression;

bool is_number(const Expression& e) { return e.number().has_value(); }

// What a choice is at most. A choice against a number below 0 is one of a dimension of size 1 (Spyre).
Expression upper(const Expression& e) {
  if (e.kind() != Expression::Kind::Chosen) return e;
  Expression yes = upper(e.parts()[2]), no = upper(e.parts()[3]);
  if (no == yes || (no.number() && *no.number() < 0)) return yes;
  if (yes.number() && *yes.number() < 0) return no;
  return Expression::of(Expression::Kind::Max, yes, no);
}
Expression above_zero(const Expression& e) {
  return e.kind() == Expression::Kind::Name ? e : Expression::of(Expression::Kind::Max, upper(e), 0);
}
Expression below_zero(const Expression& e) {
  return e.kind() == Expression::Kind::Name || e.kind() == Expression::Kind::Chosen
             ? Expression(0)
             : Expression::of(Expression::Kind::Max, Expression(0) - e, 0);
}
// The greatest coordinate; of an empty dimension that of one with an element, as in Map::create.
Expression last(const Expression& extent) { return Expression::of(Expression::Kind::Max, extent, 1) - 1; }

// Nothing of a choice.
std::optional<Expression> multiplied_out(const Expression& e) {  // NOLINT(misc-no-recursion)
  if (e.parts().empty()) return e;
  if (e.kind() == Expression::Kind::Chosen) return std::nullopt;
  const auto one = multiplied_out(e.parts()[0]), other = multiplied_out(e.parts()[1]);
  if (!one || !other) return std::nullopt;
  Expression whole = Expression::of(e.kind(), *one, *other);
  std::vector<Expression> variables;
  const auto p = use::polynomial_of(whole, variables);
  return p && p->fits() ? use::expression_of(*p, variables) : whole;
}

// Expressions as they are printed: multiplied out, without minima, maxima and quotients that are the same on all cells.
class Simple {
 public:
  explicit Simple(const map::Rule& rule) : cells_(engines::cells_of(rule)) {}

  Expression operator()(const Expression& e) {
    const Expression simple = simplified(e);
    return multiplied_out(simple).value_or(simple);
  }
  /// Parted by all that was looked at.
  [[nodiscard]] const std::vector<engines::Cell>& cells() const { return cells_; }

 private:
  using Kind = Expression::Kind;

  Expression simplified(const Expression& e) {
    if (e.parts().empty()) return e;
    std::vector<Expression> parts;
    for (const Expression& part : e.parts()) parts.push_back(simplified(part));
    if (e.kind() == Kind::Chosen) return Expression::chosen(parts[0], parts[1], parts[2], parts[3]);
    const bool largest = e.kind() == Kind::Max;
    if (largest || e.kind() == Kind::Min) {
      if (never_below(parts[0], parts[1])) return parts[largest ? 0 : 1];
      if (never_below(parts[1], parts[0])) return parts[largest ? 1 : 0];
    }
    if (e.kind() == Kind::Quotient && never_below(parts[0], 0) && never_below(parts[1], parts[0] + 1)) return 0;
    return Expression::of(e.kind(), parts[0], parts[1]);
  }
  bool never_below(const Expression& a, const Expression& b) {
    const std::array<Expression, 2> both = {a, b};
    cells_ = engines::parted(std::move(cells_), both);
    return std::ranges::all_of(cells_, [&](const engines::Cell& cell) {
      const auto one = cell.value(a), other = cell.value(b);
      const auto* p = std::get_if<map::Polynomial>(&one);
      const auto* q = std::get_if<map::Polynomial>(&other);
      return p != nullptr && q != nullptr && cell.may_show(*p - *q);
    });
  }

  std::vector<engines::Cell> cells_;
};

// Everything that is asked of the sizes, in the order in which it is printed.
class Needed {
 public:
  Needed(const map::Rule& rule, const std::vector<map::Condition>& where) : rule_(rule), words_(rule) {
    Expression dense = 1;  // the strides of a tensor without elements, too
    for (const Expression& size : rule.logical) dense = dense * (last(size) + 1);
    fit(points_of(rule));
    fit(dense);
    fit(map::product_of(extents_of(rule)));
    for (const map::RulePlace& place : rule.places) {
      fit(place.extent);
      fit(place.constant);
      for (const map::RuleTerm& term : place.terms) fit(term.coefficient);
    }
    for (const Expression& size : rule.logical) fit(size);
    for (const Expression& one : rule.fits) fit(one);
    for (const Expression& stride : rule.strides) fit(stride);
    for (const map::RuleLevel& level : rule.levels) fit(upper(level.weight)), fit(level.extent);
    reach_host();
    if (rule.decodes) reach_back();
    if (rule.numbers.empty()) add_digits();
    else add_numbers();
    for (const map::RulePlace& place : rule.places) not_below(place.extent, 0);
    for (const Expression& size : rule.logical) not_below(size, 0);
    for (const map::Condition& condition : rule.where)
      if (std::ranges::find(where, condition) == where.end()) conditions_.push_back(condition);
    for (const Expression& one : std::exchange(computed_, {})) add_parts(one);
    if (rule.decodes) fit(points_with_copies());
  }

  [[nodiscard]] const std::vector<Expression>& fits() const { return fits_; }
  [[nodiscard]] const std::vector<Expression>& not_negative() const { return not_negative_; }
  [[nodiscard]] const std::vector<map::Condition>& conditions() const { return conditions_; }
  [[nodiscard]] const std::vector<engines::Cell>& cells() const { return words_.cells(); }

 private:
  void add(const Expression& e, std::vector<Expression>& to) {
    const Expression simple = words_(e);
    const bool plain = is_number(simple) || (simple.kind() == Expression::Kind::Name && &to == &fits_);
    if (!plain && std::ranges::find(to, simple) == to.end()) to.push_back(simple);
  }
  void fit(const Expression& e) {
    if (is_number(e) || e.kind() == Expression::Kind::Name) return;  // names have 64 bits
    if (e.kind() == Expression::Kind::Max && is_number(e.parts()[1])) return fit(e.parts()[0]);
    add(e, fits_);
    computed_.push_back(e);
  }
  void not_below(const Expression& e, Index least) {
    if (!is_number(e)) add(e - least, not_negative_);
  }

  // What is computed on the way to a value that may be smaller, and divisors.
  void add_parts(const Expression& e) {
    for (const Expression& part : e.parts()) {
      const bool may_be_smaller = e.kind() != Expression::Kind::Sum;  // a product of 0
      if (may_be_smaller && part.kind() != Expression::Kind::Name) fit(part);
      add_parts(part);
    }
    if (e.kind() == Expression::Kind::Quotient || e.kind() == Expression::Kind::Ceil ||
        e.kind() == Expression::Kind::Remainder)
      not_below(e.parts()[1], 1);
  }

  // start + Σ stride·x over the tensor, and offset + Σ stride·x: the greatest value, and the least one where that may
  // be below 0.
  void reach_host() {
    Expression most = 0, least = 0;
    for (std::size_t i = 0; i < rule_.strides.size(); ++i) {
      most = most + above_zero(rule_.strides[i]) * last(rule_.logical[i]);
      least = least + below_zero(rule_.strides[i]) * last(rule_.logical[i]);
    }
    for (const Expression& begins : {rule_.start, rule_.offset}) {
      fit(most + begins);
      fit(begins);
      not_below(begins, 0);
    }
    fit(least);
  }
  // Σ max(weight, 0)·coordinate over the slots.
  void reach_back() {
    Expression most = 0;
    for (std::size_t j = 0; j < rule_.levels.size(); ++j)
      most = most + above_zero(rule_.levels[j].weight) * last(rule_.places[j].extent);
    fit(most);
    for (const map::RuleLevel& level : rule_.levels)  // -1 is a dimension that holds nothing; a constructor takes none
      if (level.weight.kind() != Expression::Kind::Chosen) not_below(level.weight, -1);
      else not_below(upper(level.weight), 0);
  }
  // A dimension of stride 0 holds copies.
  Expression points_with_copies() {
    Expression points = points_of(rule_);
    for (std::size_t j = 0; j < rule_.levels.size(); ++j) {
      const Expression& weight = rule_.levels[j].weight;
      if (weight.kind() == Expression::Kind::Chosen || rule_.repeats(j)) continue;  // which are replicas already
      const Expression is_zero = Expression::of(Expression::Kind::Max, Expression(1) - weight * weight, 0);
      points = points * (is_zero * last(rule_.places[j].extent) + 1);
    }
    return points;
  }

  // Digits of a mixed radix: each is below its extent, which is 1 at least.
  void add_digits() {
    if (!rule_.decodes) {
      for (const map::RuleLevel& level : rule_.levels) not_below(level.extent, 1);
      for (const Expression& extent : rule_.replicas) not_below(extent, 1);
    }
    if (!rule_.swizzle || rule_.swizzle->bits == 0) return;
    const map::RulePlace& swizzled = rule_.places[rule_.swizzle->input];
    Expression least = swizzled.constant;
    for (const map::RuleTerm& term : swizzled.terms) {
      const bool replica = term.input >= rule_.levels.size();
      const Expression& extent =
          replica ? rule_.replicas[term.input - rule_.levels.size()] : rule_.levels[term.input].extent;
      least = least - below_zero(term.coefficient) * last(extent);
    }
    not_below(least, 0);
  }

  // Each number is divided by its weights in turn: its first digit is the greatest number's, and what a weight leaves
  // is below that weight.
  void add_numbers() {
    std::vector<Expression> most(rule_.levels.size() + rule_.replicas.size(), 0);  // of each digit
    std::size_t k = 0;
    for (const map::RuleNumber& number : rule_.numbers) {
      Expression rest = 0;
      for (const std::size_t dim : number.dims) rest = rest + above_zero(rule_.strides[dim]) * last(rule_.logical[dim]);
      for (const map::RuleTerm& term : number.of) rest = rest + above_zero(term.coefficient) * most[term.input];
      fit(rest);
      for (const std::size_t end = k + number.levels; k < end; ++k) {
        const Expression& weight = rule_.levels[k].weight;
        not_below(weight, 1);
        if (rest != weight - 1) most[k] = Expression::of(Expression::Kind::Quotient, rest, weight);
        rest = weight - 1;
      }
    }
    for (std::size_t r = 0; r < rule_.replicas.size(); ++r) most[k + r] = last(rule_.replicas[r]);
    for (const map::RulePlace& place : rule_.places) {
      Expression greatest = place.constant;
      for (const map::RuleTerm& term : place.terms) {
        greatest = greatest + above_zero(term.coefficient) * most[term.input];
      }
      fit(greatest);
    }
  }

  const map::Rule& rule_;
  Simple words_;
  std::vector<Expression> fits_, not_negative_;
  std::vector<Expression> computed_;  // the first ones, as they are computed
  std::vector<map::Condition> conditions_;
};

// What is asked, without that which follows from the rest on every cell.
class Shortened {
 public:
  explicit Shortened(const Needed& needed) : fits_(needed.fits()), not_negative_(needed.not_negative()) {
    std::vector<Expression> all = fits_;
    all.insert(all.end(), not_negative_.begin(), not_negative_.end());
    cells_ = engines::parted(needed.cells(), all);
    for (const Expression& one : fits_) values_.push_back(on_cells(one));
    drop_smaller();
    std::erase_if(not_negative_, [&](const Expression& one) { return is_never_below(on_cells(one), {}); });
  }

  [[nodiscard]] const std::vector<Expression>& fits() const { return fits_; }
  [[nodiscard]] const std::vector<Expression>& not_negative() const { return not_negative_; }

 private:
  using Values = std::vector<std::optional<map::Polynomial>>;

  [[nodiscard]] Values on_cells(const Expression& e) const {
    Values out;
    for (const engines::Cell& cell : cells_) {
      auto value = cell.value(e);
      auto* p = std::get_if<map::Polynomial>(&value);
      out.push_back(p != nullptr && p->fits() ? std::optional(std::move(*p)) : std::nullopt);
    }
    return out;
  }
  [[nodiscard]] bool is_never_below(const Values& a, const Values& b) const {
    for (std::size_t k = 0; k < cells_.size(); ++k)
      if (!a[k] || (!b.empty() && !b[k]) || !cells_[k].may_show(b.empty() ? *a[k] : *a[k] - *b[k])) return false;
    return true;
  }
  void drop_smaller() {
    for (std::size_t k = 0; k < fits_.size();) {
      bool dropped = false;
      for (std::size_t j = 0; j < fits_.size() && !dropped; ++j)
        dropped = j != k && is_never_below(values_[j], values_[k]);
      if (!dropped) {
        ++k;
        continue;
      }
      fits_.erase(fits_.begin() + static_cast<std::ptrdiff_t>(k));
      values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }

  std::vector<Expression> fits_, not_negative_;
  std::vector<Values> values_;  // of the first, on each cell
  std::vector<engines::Cell> cells_;
};

}  // namespace

Existence existence_of(const map::Rule& rule, const std::vector<map::Condition>& where) {
  using Relation = map::Condition::Relation;
  const Needed needed(rule, where);
  const Shortened shortened(needed);
  Existence out;
  for (const Expression& one : shortened.fits())
    out.fits.push_back(
        {one, Relation::AtMost, std::numeric_limits<Index>::max(), print_of(rule, one) + " <= 2**63 - 1"});
  for (const Expression& one : shortened.not_negative())
    out.own.push_back({one, Relation::AtLeast, 0, print_of(rule, one) + " >= 0"});
  out.own.insert(out.own.end(), needed.conditions().begin(), needed.conditions().end());
  return out;
}

std::string in_words(const Existence& existence) {
  std::vector<map::Condition> all = existence.fits;
  all.insert(all.end(), existence.own.begin(), existence.own.end());
  return question::in_words({all});
}

}  // namespace vl::session
