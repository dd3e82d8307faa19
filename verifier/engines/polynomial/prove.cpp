#include "verifier/engines/polynomial/prove.h"

#include <algorithm>

#include "verifier/engines/polynomial/greedy.h"

namespace vl::engines {
namespace {

// Cells on which all divisions and comparisons of an expression are decided, with its value there; cells where no step
// helps have none.
std::vector<std::pair<Cell, std::optional<Polynomial>>> valued(Cell start, const map::Expression& expression) {
  std::vector<std::pair<Cell, std::optional<Polynomial>>> out;
  std::vector<Cell> work{std::move(start)};
  for (std::size_t steps = 0; !work.empty(); ++steps) {
    const Cell cell = std::move(work.back());
    work.pop_back();
    OnCell value = cell.value(expression);
    auto* step = std::get_if<Refinement>(&value);
    std::vector<Cell> next;
    if (step != nullptr && steps < 64) next = cell.refined(*step);
    if (step == nullptr || next.empty()) {
      auto* polynomial = std::get_if<Polynomial>(&value);
      out.emplace_back(cell, polynomial != nullptr ? std::optional(std::move(*polynomial)) : std::nullopt);
    }
    std::ranges::move(next, std::back_inserter(work));
  }
  return out;
}

// What is >= 0 where a condition holds between p and 0.
std::vector<Polynomial> not_negative(map::Condition::Relation relation, const Polynomial& p) {
  using Relation = map::Condition::Relation;
  switch (relation) {
    case Relation::AtLeast: return {p};
    case Relation::Greater: return {p - 1};
    case Relation::AtMost: return {Polynomial(0) - p};
    case Relation::Less: return {Polynomial(-1) - p};
    case Relation::Equal: return {p, Polynomial(0) - p};
  }
  VL_CHECK(false, "a relation of no kind");
}

// The part of a cell where a condition holds, as far as it can be taken in.
std::vector<Cell> where(const Cell& start, const map::Condition& condition) {
  std::vector<Cell> out;
  for (auto& [cell, p] : valued(start, condition.left - condition.right)) {
    std::optional<Cell> kept = cell;
    const auto keep = [&](const Polynomial& fact) {
      if (kept) kept = kept->with_fact(fact);
    };
    if (p) keep(not_negative(condition.relation, *p).front());
    if (p && condition.relation == map::Condition::Relation::Equal) {
      // The second half of v = 0 is a fact of v alone, also where the first one was eliminated.
      if (kept && cell.may_show(*p)) kept = cell.with_fact(Polynomial(0) - *p);
      else if (kept) {
        const OnCell again = kept->value(condition.left - condition.right);
        if (const auto* now = std::get_if<Polynomial>(&again)) keep(Polynomial(0) - *now);
      }
    }
    if (kept) out.push_back(std::move(*kept));
  }
  return out;
}

constexpr std::size_t kMostFirstCells = 64;

Leaf leaf(Leaf::Kind kind, const Cell& cell, std::string why = {}) { return {kind, cell, std::move(why)}; }

std::variant<Leaf, Refinement> leaf_of(PartOutcome outcome, const Cell& cell) {
  if (auto* step = std::get_if<Refinement>(&outcome)) return std::move(*step);
  if (auto* failed = std::get_if<Failed>(&outcome)) return leaf(Leaf::Kind::Fails, cell, std::move(failed->why));
  if (auto* open = std::get_if<LeftOpen>(&outcome)) return leaf(Leaf::Kind::Open, cell, std::move(open->why));
  return leaf(Leaf::Kind::Holds, cell);
}

// One cell: a leaf, or the step that is needed.
std::variant<Leaf, Refinement> look_at(const map::Rule& rule, std::span<const AllSizesPart> parts, const Cell& cell) {
  if (rule.decodes) return leaf_of(shown_greedily(parts, rule, cell), cell);
  ShapeOnCell found = shape_of(rule, cell);
  if (auto* step = std::get_if<Refinement>(&found)) return std::move(*step);
  if (auto* why = std::get_if<std::string>(&found)) return leaf(Leaf::Kind::Open, cell, std::move(*why));
  for (const AllSizesPart part : parts) {
    PartOutcome outcome = shown(part, rule, std::get<Shape>(found), cell);
    if (!std::holds_alternative<Shown>(outcome)) return leaf_of(std::move(outcome), cell);
  }
  return leaf(Leaf::Kind::Holds, cell);
}

struct Simplifier {
  const map::Rule& rule;
  std::vector<Cell> cells;

  // Whether a >= b at all sizes.
  [[nodiscard]] bool at_least(const map::Expression& a, const map::Expression& b) const {
    return on_each(a, b) || leaves_of_sign(rule, a - b, {.most_cells = 60}).proved();
  }
  [[nodiscard]] bool on_each(const map::Expression& a, const map::Expression& b) const {
    return std::ranges::all_of(cells, [&](const Cell& cell) {
      const OnCell one = cell.value(a), other = cell.value(b);
      const auto* p = std::get_if<Polynomial>(&one);
      const auto* q = std::get_if<Polynomial>(&other);
      return p != nullptr && q != nullptr && cell.may_show(*p - *q);
    });
  }

  map::Expression operator()(const map::Expression& e) const {
    using Part = map::Expression::Kind;
    if (e.parts().empty()) return e;
    std::vector<map::Expression> parts;
    for (const map::Expression& part : e.parts()) parts.push_back((*this)(part));
    if (e.kind() == Part::Chosen) {
      if (at_least(parts[0], parts[1])) return parts[2];
      if (at_least(parts[1], parts[0] + 1)) return parts[3];
      return map::Expression::chosen(parts[0], parts[1], parts[2], parts[3]);
    }
    const bool largest = e.kind() == Part::Max;
    if (largest || e.kind() == Part::Min) {
      if (at_least(parts[0], parts[1])) return parts[largest ? 0 : 1];
      if (at_least(parts[1], parts[0])) return parts[largest ? 1 : 0];
    }
    return map::Expression::of(e.kind(), parts[0], parts[1]);
  }
};

}  // namespace

bool Leaves::proved() const {
  return complete && std::ranges::all_of(all, [](const Leaf& one) { return one.kind == Leaf::Kind::Holds; });
}

bool Leaves::has_sizes() const {
  return std::ranges::any_of(all, [](const Leaf& one) { return !one.cell.samples(1).empty(); });
}

map::Expression simplified(const map::Rule& rule, const map::Expression& expression) {
  return Simplifier{rule, cells_of(rule)}(expression);
}

std::vector<Cell> parted(std::vector<Cell> cells, std::span<const map::Expression> expressions) {
  for (const map::Expression& expression : expressions) {
    if (cells.size() > kMostFirstCells) break;
    std::vector<Cell> next;
    for (Cell& cell : cells) {
      if (next.size() > 4 * kMostFirstCells) next.push_back(std::move(cell));
      else
        for (auto& part : valued(std::move(cell), expression)) next.push_back(std::move(part.first));
    }
    cells = std::move(next);
  }
  return cells;
}

std::vector<Cell> cells_of(const map::Rule& rule, const map::Sizes& fixed) {
  std::vector<Cell> cells{Cell(rule, fixed)};
  for (const map::Condition& condition : rule.where) {
    if (cells.size() > kMostFirstCells) break;  // the cells are then larger than the conditions allow
    std::vector<Cell> next;
    for (const Cell& cell : cells) std::ranges::move(where(cell, condition), std::back_inserter(next));
    cells = std::move(next);
  }
  return cells;
}

Leaves leaves_by(const map::Rule& rule, const AllSizesOptions& options,
                 const std::function<std::variant<Leaf, Refinement>(const Cell&)>& look) {
  Leaves out;
  map::Rule conditioned = rule;
  conditioned.where.insert(conditioned.where.end(), options.where.begin(), options.where.end());
  std::vector<Cell> work = cells_of(conditioned, options.fixed);
  std::ranges::reverse(work);
  for (std::size_t seen = 0; !work.empty(); ++seen) {
    if (seen >= options.most_cells || (options.until != nullptr && options.until->stopped())) {
      out.complete = false;
      for (Cell& cell : work) out.all.push_back(leaf(Leaf::Kind::Open, cell, "too many cases"));
      return out;
    }
    const Cell cell = std::move(work.back());
    work.pop_back();
    std::variant<Leaf, Refinement> found = look(cell);
    if (auto* end = std::get_if<Leaf>(&found)) {
      if (end->kind != Leaf::Kind::Holds && cell.shown_empty()) *end = leaf(Leaf::Kind::Holds, cell);  // of nothing
      out.all.push_back(std::move(*end));
      continue;
    }
    const auto& step = std::get<Refinement>(found);
    std::vector<Cell> next = cell.refined(step);
    if (next.empty() && (step.variable || step.divisor))
      out.all.push_back(leaf(Leaf::Kind::Open, cell, "too many variables"));
    std::ranges::reverse(next);
    std::ranges::move(next, std::back_inserter(work));
  }
  return out;
}

Leaves leaves_of(const map::Rule& rule, std::span<const AllSizesPart> parts, const AllSizesOptions& options) {
  return leaves_by(rule, options, [&](const Cell& cell) { return look_at(rule, parts, cell); });
}

Leaves leaves_of_sign(const map::Rule& rule, const map::Expression& not_negative, const AllSizesOptions& options) {
  return leaves_by(rule, options, [&](const Cell& cell) -> std::variant<Leaf, Refinement> {
    OnCell value = cell.value(not_negative);
    if (auto* step = std::get_if<Refinement>(&value)) return std::move(*step);
    const auto* p = std::get_if<Polynomial>(&value);
    if (p == nullptr || !p->fits()) return leaf(Leaf::Kind::Open, cell, "a number that is no polynomial");
    if (cell.may_show(*p)) return leaf(Leaf::Kind::Holds, cell);
    if (cell.may_show(Polynomial(-1) - *p)) return leaf(Leaf::Kind::Fails, cell, "a number that is too large");
    return Refinement{*p, {}, 0};
  });
}

Leaves leaves_of_laws(const map::Rule& rule, const AllSizesOptions& options) {
  return leaves_by(rule, options, [&](const Cell& cell) -> std::variant<Leaf, Refinement> {
    for (const map::Condition& law : rule.laws) {
      OnCell value = cell.value(law.left - law.right);
      if (auto* step = std::get_if<Refinement>(&value)) return std::move(*step);
      const auto* p = std::get_if<Polynomial>(&value);
      if (p == nullptr || !p->fits()) return leaf(Leaf::Kind::Open, cell, "whether " + map::print(law));
      for (const Polynomial& q : not_negative(law.relation, *p)) {
        if (cell.may_show(q)) continue;
        if (!cell.may_show(Polynomial(-1) - q)) return Refinement{q, {}, 0};
        return leaf(Leaf::Kind::Fails, cell, map::print(law) + " does not hold");
      }
    }
    return leaf(Leaf::Kind::Holds, cell);
  });
}

}  // namespace vl::engines
