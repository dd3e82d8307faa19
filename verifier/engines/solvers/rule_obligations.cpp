#include "verifier/engines/solvers/rule_obligations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/smt/solver.h"
#include "verifier/engines/polynomial/shape.h"

namespace vl::engines {
namespace {

// An integer term of the script.
using Term = std::string;

Term number(map::Wide value) {
  const bool negative = value < 0;
  std::string digits;
  for (map::Wide left = value; left != 0 || digits.empty(); left /= 10) {
    const auto digit = static_cast<int>(left % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
  }
  return negative ? fmt::format("(- {})", digits) : digits;
}

Term term_of(const Polynomial& p) {
  std::vector<Term> sum{"0", "0"};
  for (const Polynomial::Term& term : p.terms()) {
    Term product = fmt::format("(* {} 1", number(term.coefficient));
    for (std::size_t v = 0; v < Polynomial::kVariables; ++v)
      for (int k = 0; k < term.powers[v]; ++k) product += fmt::format(" v{}", v);
    sum.push_back(product + ")");
  }
  return fmt::format("(+ {})", fmt::join(sum, " "));
}

class RuleScript {
 public:
  RuleScript(const map::Rule& rule, const Cell& cell) : rule_(rule), cell_(cell) {
    text_ = "(set-logic QF_NIA)\n";
    for (const Cell::Variable& one : cell.variables()) {
      text_ += fmt::format("(declare-const v{0} Int)\n(assert (>= v{0} 0))\n", one.number);
      if (one.most) text_ += fmt::format("(assert (<= v{} {}))\n", one.number, *one.most);
    }
    for (const Polynomial& fact : cell.facts()) {
      fits_ = fits_ && fact.fits();
      require(fmt::format("(>= {} 0)", term_of(fact)));
    }
  }

  std::optional<RuleObligation> of(AllSizesPart part) {
    if (part == AllSizesPart::Decoded) part = AllSizesPart::Apart;
    if (rule_.decodes && !rule_.replicas.empty()) return std::nullopt;
    if (!fits_ || (part != AllSizesPart::InBox && part != AllSizesPart::Apart)) return std::nullopt;
    const bool is_asked = rule_.decodes ? split(part) : digits(part);
    if (!is_asked) return std::nullopt;
    return RuleObligation{text_ + "(check-sat)\n", next_};
  }

 private:
  void require(const std::string& formula) { text_ += fmt::format("(assert {})\n", formula); }
  Term fresh(const Term& below) {
    Term out = fmt::format("v{}", next_++);
    text_ += fmt::format("(declare-const {} Int)\n", out);
    require(fmt::format("(and (<= 0 {0}) (< {0} {1}))", out, below));
    return out;
  }
  std::vector<Term> point(const std::vector<Polynomial>& extents) {
    std::vector<Term> out;
    out.reserve(extents.size());
    for (const Polynomial& extent : extents) out.push_back(fresh(term_of(extent)));
    return out;
  }
  void require_some(const std::vector<std::string>& formulas) {
    require(fmt::format("(or false {})", fmt::join(formulas, " ")));
  }
  void differ(const std::vector<Term>& a, const std::vector<Term>& b) {
    std::vector<std::string> some;
    for (std::size_t k = 0; k < a.size(); ++k) some.push_back(fmt::format("(distinct {} {})", a[k], b[k]));
    require_some(some);
  }

  // Independent digits, and places that are sums of them.
  bool digits(AllSizesPart part) {
    const ShapeOnCell found = shape_of(rule_, cell_);
    const auto* shape = std::get_if<Shape>(&found);
    const bool swizzled = rule_.swizzle && rule_.swizzle->bits > 0;
    if (shape == nullptr || shape->no_point || !shape->exact || (swizzled && part == AllSizesPart::InBox)) return false;
    const auto place = [&](const ShapePlace& at, const std::vector<Term>& digit) {
      Term out = fmt::format("(+ 0 {}", term_of(at.constant));
      for (const ShapeTerm& term : at.terms)
        out += fmt::format(" (* {} {} {})", term.negative ? "(- 1)" : "1", term_of(term.size), digit[term.digit]);
      return out + ")";
    };
    const std::vector<Term> a = point(shape->digits);
    if (part == AllSizesPart::InBox) {
      std::vector<std::string> out;
      for (const ShapePlace& at : shape->places)
        out.push_back(fmt::format("(or (< {0} 0) (>= {0} {1}))", place(at, a), term_of(at.extent)));
      require_some(out);
      return true;
    }
    const std::vector<Term> b = point(shape->digits);
    for (const ShapePlace& at : shape->places) require(fmt::format("(= {} {})", place(at, a), place(at, b)));
    differ(a, b);
    return true;
  }

  std::optional<Polynomial> value(const map::Expression& expression) const {
    const OnCell found = cell_.value(expression);
    const auto* p = std::get_if<Polynomial>(&found);
    return p != nullptr && p->fits() ? std::optional(*p) : std::nullopt;
  }

  struct Level {
    Polynomial weight, extent;
  };
  // Those that take part, by descending weight; nothing where the cell does not say it.
  [[nodiscard]] std::optional<std::vector<Level>> levels() const {
    std::vector<Level> out;
    for (const map::RuleLevel& said : rule_.levels) {
      const auto extent = value(said.extent), weight = value(said.weight);
      if (!extent || !weight) return std::nullopt;
      if (cell_.may_show(Polynomial(1) - *extent) || cell_.may_show(Polynomial(0) - *weight)) continue;
      if (!cell_.may_show(*extent - 2) || !cell_.may_show(*weight - 1)) return std::nullopt;
      auto at = out.end();
      while (at != out.begin() && !cell_.may_show(std::prev(at)->weight - *weight)) {
        if (!cell_.may_show(*weight - std::prev(at)->weight)) return std::nullopt;
        --at;
      }
      out.insert(at, {*weight, *extent});
    }
    return out;
  }

  // Places that are the digits of a split.
  bool split(AllSizesPart part) {
    std::vector<Polynomial> sizes, strides;
    for (std::size_t i = 0; i < rule_.logical.size(); ++i) {
      const auto size = value(rule_.logical[i]), stride = value(rule_.strides[i]);
      if (!size || !stride) return false;
      sizes.push_back(*size), strides.push_back(*stride);
    }
    const auto start = value(rule_.start);
    if (!start) return false;
    const auto sum = [&](const std::vector<Term>& x) {
      Term out = "(+ 0 " + term_of(*start);
      for (std::size_t i = 0; i < x.size(); ++i) out += fmt::format(" (* {} {})", term_of(strides[i]), x[i]);
      return out + ")";
    };
    const std::vector<Term> a = point(sizes);
    if (part == AllSizesPart::Apart) {
      const std::vector<Term> b = point(sizes);
      require(fmt::format("(= {} {})", sum(a), sum(b)));
      differ(a, b);
      return true;
    }
    const auto kept = levels();
    if (!kept) return false;
    Term rest = sum(a);
    std::vector<std::string> out;
    for (const map::RuleLevel& level : rule_.levels) {  // the box has a slot
      const auto extent = value(level.extent);
      if (extent) out.push_back(fmt::format("(< {} 1)", term_of(*extent)));
    }
    for (const Level& level : *kept) {
      const Term digit = fmt::format("v{}", next_++), weight = term_of(level.weight);
      text_ += fmt::format("(declare-const {} Int)\n", digit);
      const Term left = fresh(weight);
      require(fmt::format("(= {} (+ (* {} {}) {}))", rest, weight, digit, left));
      out.push_back(fmt::format("(>= {} {})", digit, term_of(level.extent)));
      rest = left;
    }
    out.push_back(fmt::format("(distinct {} 0)", rest));
    require_some(out);
    return true;
  }

  const map::Rule& rule_;
  const Cell& cell_;
  std::string text_;
  std::size_t next_ = Polynomial::kVariables;
  bool fits_ = true;  // all facts of the cell: without one of them the question would be about more sizes
};

}  // namespace

std::optional<RuleObligation> rule_obligation(AllSizesPart part, const map::Rule& rule, const Cell& cell) {
  return RuleScript(rule, cell).of(part);
}

RuleOpinion second_opinion(const map::Rule& rule, std::span<const AllSizesPart> parts, const Leaves& leaves,
                           const Budget& budget, std::size_t most) {
  RuleOpinion out;
  for (std::size_t k = 0; k < std::min(most, leaves.all.size()); ++k)
    for (const AllSizesPart part : parts) {
      const auto asked = rule_obligation(part, rule, leaves.all[k].cell);
      if (!asked || budget.stopped()) continue;
      ++out.asked;
      const smt::Outcome outcome = smt::solve_text(asked->script, asked->variables, budget);
      out.agreed += std::holds_alternative<smt::Unsatisfiable>(outcome) ? 1 : 0;
      if (std::holds_alternative<smt::Satisfiable>(outcome) && !out.against) out.against = asked->script;
    }
  return out;
}

}  // namespace vl::engines
