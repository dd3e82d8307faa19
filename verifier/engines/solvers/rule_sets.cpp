#include "verifier/engines/solvers/rule_sets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "verifier/engines/polynomial/shape.h"

namespace vl::engines {
namespace {

using map::Row;
using Unknowns = std::vector<std::size_t>;

class RuleSets {
 public:
  RuleSets(const map::Rule& rule, const Cell& cell) : rule_(rule), cell_(cell) {
    for (const Cell::Variable& one : cell.variables()) {
      unknown_of_[one.number] = sets_.unknowns;
      const std::size_t v = fresh();
      if (one.most) not_negative(sets_.common, {*one.most, {{v, -1}}});
    }
    for (const Polynomial& fact : cell.facts()) not_negative(sets_.common, linear(fact));
  }

  std::optional<IntegerSets> of(AllSizesPart part) {
    const bool apart = part == AllSizesPart::Apart || part == AllSizesPart::Decoded;
    if (!apart && part != AllSizesPart::InBox) return std::nullopt;
    if (rule_.decodes && !rule_.replicas.empty()) return std::nullopt;
    if (rule_.decodes) split(apart);
    else digits(apart);
    sets_.shown = sets_.unknowns;
    return is_linear_ ? std::optional(std::move(sets_)) : std::nullopt;
  }

 private:
  static void not_negative(Constraints& to, Row row) { to.non_negative.push_back(std::move(row)); }
  void alternative(Row row) { not_negative(sets_.alternatives.emplace_back(), std::move(row)); }

  // At least 0.
  std::size_t fresh() {
    not_negative(sets_.common, map::pick(sets_.unknowns));
    return sets_.unknowns++;
  }

  // A polynomial as a row; 0 once something is not linear.
  Row linear(const Polynomial& p) {
    Row out;
    is_linear_ = is_linear_ && p.fits();
    for (const Polynomial::Term& term : p.terms()) {
      int degree = 0;
      std::size_t variable = 0;
      for (std::size_t v = 0; v < Polynomial::kVariables; ++v)
        if (term.powers[v] > 0) degree += term.powers[v], variable = v;
      const auto coefficient = map::narrowed(term.coefficient);
      is_linear_ = is_linear_ && coefficient && degree <= 1 && (degree == 0 || unknown_of_[variable]);
      if (!is_linear_) return {};
      if (degree == 0) out.constant = *coefficient;
      else out.terms.push_back({*unknown_of_[variable], *coefficient});
    }
    return out;
  }
  Index number(const Polynomial& p) {
    const auto constant = p.constant();
    is_linear_ = is_linear_ && constant;
    return constant.value_or(0);
  }
  Polynomial value(const map::Expression& expression) {
    const OnCell found = cell_.value(expression);
    const auto* p = std::get_if<Polynomial>(&found);
    is_linear_ = is_linear_ && p != nullptr && p->fits();
    return is_linear_ ? *p : Polynomial(0);
  }

  // to + factor·row. A factor or a sum that leaves 64 bits is not expressed.
  void add(Row& to, const Row& row, Index factor) {
    const auto constant = checked_mul(row.constant, factor);
    const auto sum = constant ? checked_add(to.constant, *constant) : std::nullopt;
    is_linear_ = is_linear_ && sum;
    to.constant = sum.value_or(0);
    for (const map::Term& term : row.terms) {
      const auto each = checked_mul(term.coefficient, factor);
      const auto found = std::ranges::find(to.terms, term.input, &map::Term::input);
      const auto all = !each ? each : found == to.terms.end() ? each : checked_add(found->coefficient, *each);
      is_linear_ = is_linear_ && all;
      if (found != to.terms.end()) found->coefficient = all.value_or(0);
      else to.terms.push_back({term.input, all.value_or(0)});
    }
  }
  Row minus(Row a, const Row& b, Index less = 0) {
    add(a, b, -1);
    add(a, {1, {}}, -less);
    return a;
  }

  Unknowns point(const std::vector<Polynomial>& extents) {
    Unknowns out;
    for (const Polynomial& extent : extents) {
      out.push_back(fresh());
      not_negative(sets_.common, minus(linear(extent), map::pick(out.back()), 1));
    }
    return out;
  }
  // One of two points is greater in some digit; they may be exchanged.
  void differ(const Unknowns& a, const Unknowns& b) {
    for (std::size_t k = 0; k < a.size(); ++k) alternative(minus(map::pick(a[k]), map::pick(b[k]), 1));
  }

  // Independent digits, and places that are sums of them.
  void digits(bool apart) {
    const ShapeOnCell found = shape_of(rule_, cell_);
    const auto* shape = std::get_if<Shape>(&found);
    const bool swizzled = rule_.swizzle && rule_.swizzle->bits > 0;
    is_linear_ = is_linear_ && shape != nullptr && !shape->no_point && shape->exact && (apart || !swizzled);
    if (!is_linear_) return;
    const auto place = [&](const ShapePlace& at, const Unknowns& digit) {
      Row out = linear(at.constant);
      for (const ShapeTerm& term : at.terms)
        add(out, map::pick(digit[term.digit]), term.negative ? -number(term.size) : number(term.size));
      return out;
    };
    const Unknowns a = point(shape->digits);
    if (!apart) {
      for (const ShapePlace& at : shape->places) {
        alternative(minus({-1, {}}, place(at, a)));
        alternative(minus(place(at, a), linear(at.extent)));
      }
      return;
    }
    const Unknowns b = point(shape->digits);
    for (const ShapePlace& at : shape->places) sets_.common.zero.push_back(minus(place(at, a), place(at, b)));
    differ(a, b);
  }

  // Places that are the digits of a split: of the number, by weights that descend.
  void split(bool apart) {
    std::vector<Polynomial> sizes;
    std::vector<Index> strides;
    for (std::size_t i = 0; i < rule_.logical.size(); ++i)
      sizes.push_back(value(rule_.logical[i])), strides.push_back(number(value(rule_.strides[i])));
    is_linear_ = is_linear_ && std::ranges::all_of(strides, [](Index stride) { return stride >= 0; });  // so are digits
    const Row start = linear(value(rule_.start));
    const auto sum = [&](const Unknowns& x) {
      Row out = start;
      for (std::size_t i = 0; i < x.size(); ++i) add(out, map::pick(x[i]), strides[i]);
      return out;
    };
    const Unknowns a = point(sizes);
    if (apart) {
      const Unknowns b = point(sizes);
      sets_.common.zero.push_back(minus(sum(a), sum(b)));
      differ(a, b);
      return;
    }
    std::vector<std::pair<Index, Row>> kept;  // weights and extents
    for (const map::RuleLevel& level : rule_.levels) {
      const Polynomial extent = value(level.extent);
      const Index weight = number(value(level.weight));
      alternative(minus({0, {}}, linear(extent)));  // the box has no slot
      if (weight <= 0 || cell_.may_show(Polynomial(1) - extent)) continue;
      is_linear_ = is_linear_ && cell_.may_show(extent - 2);
      kept.emplace_back(weight, linear(extent));
    }
    std::ranges::stable_sort(kept, std::greater<>{}, &std::pair<Index, Row>::first);
    Row rest = sum(a);
    for (const auto& [weight, extent] : kept) {
      const std::size_t digit = fresh(), left = fresh();
      not_negative(sets_.common, {weight - 1, {{left, -1}}});
      Row taken = map::pick(left);
      add(taken, map::pick(digit), weight);
      sets_.common.zero.push_back(minus(rest, taken));
      alternative(minus(map::pick(digit), extent));
      rest = map::pick(left);
    }
    alternative(minus(rest, {1, {}}));
  }

  const map::Rule& rule_;
  const Cell& cell_;
  IntegerSets sets_;
  std::array<std::optional<std::size_t>, Polynomial::kVariables> unknown_of_{};
  bool is_linear_ = true;
};

}  // namespace

std::optional<IntegerSets> rule_sets(AllSizesPart part, const map::Rule& rule, const Cell& cell) {
  return RuleSets(rule, cell).of(part);
}

RuleOpinion linear_opinion(const map::Rule& rule, std::span<const AllSizesPart> parts, const Leaves& leaves,
                           const Budget& budget, std::size_t most) {
  constexpr std::uint64_t kOperations = 5'000;  // about half a second
  RuleOpinion out;
  for (std::size_t k = 0; k < std::min(most, leaves.all.size()); ++k)
    for (const AllSizesPart part : parts) {
      if (budget.stopped()) return out;
      const auto asked = rule_sets(part, rule, leaves.all[k].cell);
      if (!asked) continue;
      ++out.asked;
      const Emptiness found = point_of(*asked, kOperations);
      out.agreed += std::holds_alternative<smt::Unsatisfiable>(found) ? 1 : 0;
      const auto* point = std::get_if<Sample>(&found);
      if (point != nullptr && !out.against)
        out.against = fmt::format("the cell's variables, then digits: {}", fmt::join(point->values, ", "));
    }
  return out;
}

}  // namespace vl::engines
