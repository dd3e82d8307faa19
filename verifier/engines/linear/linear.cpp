// The linear engine: questions about layouts over digits (digit_domain.h) as linear equations over a box.
//
//   Collides  rows of two points are equal, the points are not: one system a digit (linear_equations.h, one_to_one).
//             Of two layouts: both points land, and their rows are equal
//   Count     where every element has a slot and none collide, as many as there are points
//   Lands     guards are 0 and coordinates in their extents; a bound that can be broken is an equation with a slack
// A swizzle is a bijection: two rows behind the same one are equal iff they are before it. Another swizzled row is left
// out, and so are the slots of elements in Collides: "none" still holds then, and what is found has to replay. Before
// all that, intervals: images that lie apart are apart whatever their maps do in between.
#include <algorithm>

#include "verifier/engines/engine.h"
#include "verifier/engines/forms/digit_domain.h"
#include "verifier/engines/forms/over_digits.h"
#include "verifier/engines/linear/linear_equations.h"

namespace vl::engines {
namespace {

std::vector<Index> extents_of(const DigitDomain& digits) {
  std::vector<Index> out;
  for (const Range& range : digits.box()) out.push_back(range.high + 1);
  return out;
}

// Some output of the layout is out of its range at every point.
bool never_a_slot(const map::Layout& layout) {
  const auto& ends = layout.map().ranges(layout.map().stages().size());
  for (std::size_t j = 0; j < ends.size(); ++j)
    if (ends[j].high < 0 || ends[j].low >= (j < layout.physical().rank() ? layout.physical().extent(j) : 1))
      return true;
  return false;
}

bool ranges_apart(const map::Layout& a, const map::Layout& b) {
  const auto& ends_a = a.map().ranges(a.map().stages().size());
  const auto& ends_b = b.map().ranges(b.map().stages().size());
  for (std::size_t j = 0; j < a.physical().rank(); ++j)
    if (ends_a[j].high < ends_b[j].low || ends_b[j].high < ends_a[j].low) return true;
  return false;
}

// Equations over the digits of one or two layouts, and slacks.
class System {
 public:
  /// Where the digits of a layout begin.
  std::size_t add_digits(const DigitDomain& digits) {
    const std::size_t first = system_.extents.size();
    for (const Index extent : engines::extents_of(digits)) add_coordinate(extent);
    return first;
  }

  /// Σ row's terms over the digits that begin at `first`, times `factor`, into the last equation.
  void add(const Row& row, std::size_t first, Index factor) {
    for (const map::Term& term : row.terms) {
      Index& coefficient = system_.rows.back()[first + term.input];
      fits_ = fits_ && accumulate(coefficient, term.coefficient, factor);
    }
    fits_ = fits_ && accumulate(system_.right.back(), row.constant, -factor);
  }

  void begin() {
    system_.rows.emplace_back(system_.extents.size(), 0);
    system_.right.push_back(0);
  }

  /// A slot's bounds: rows without a swizzle in [0, extent), or 0 for guards.
  void add_slot(const map::Layout& layout, const DigitDomain& digits, std::size_t first) {
    for (std::size_t j = 0; j < digits.rows().size(); ++j) {
      const Index extent = j < layout.physical().rank() ? layout.physical().extent(j) : 1;
      const Row& row = digits.rows()[j];
      const auto range = range_of(row, digits.box());
      const bool swizzled = digits.swizzle() && digits.swizzle()->input == j;
      if (swizzled || (range && range->low >= 0 && range->high < extent)) continue;
      if (extent > 1) add_coordinate(extent);
      begin();
      add(row, first, 1);
      if (extent > 1) system_.rows.back().back() = -1;
    }
  }

  [[nodiscard]] LinearAnswer solve(LinearEffort& effort) const {
    return fits_ ? engines::solve(system_, effort) : LinearAnswer(Unsolved{});
  }

 private:
  void add_coordinate(Index extent) {
    system_.extents.push_back(extent);
    for (auto& row : system_.rows) row.push_back(0);
  }

  LinearSystem system_;
  bool fits_ = true;
};

Answer answer_of(const Question& question, const LinearAnswer& solved, const DigitDomain& a, const DigitDomain* b) {
  if (std::holds_alternative<Unsolvable>(solved)) return None{};
  const auto* found = std::get_if<Solution>(&solved);
  if (found == nullptr) return abstain("the search for a solution takes too long");
  const auto from = found->x.begin();
  const auto middle = from + static_cast<std::ptrdiff_t>(a.box().size());
  Witness witness{a.point(Point(from, middle)), {}, {}};
  if (b != nullptr) witness.q = b->point(Point(middle, middle + static_cast<std::ptrdiff_t>(b->box().size())));
  if (question::replay(question, witness)) return Found{std::move(witness), false};
  return abstain("a solution without the swizzle is none with it");
}

Answer lands(const Question& question, const DigitDomain& digits) {
  System system;
  const std::size_t first = system.add_digits(digits);
  system.add_slot(*question.layout, digits, first);
  LinearEffort effort;
  return answer_of(question, system.solve(effort), digits, nullptr);
}

// Both outputs j pass the same swizzle, and the same constant is added behind it.
bool swizzled_alike(const DigitDomain& a, const DigitDomain& b) {
  return a.swizzle() && a.swizzle() == b.swizzle() && a.after().terms.empty() && a.after() == b.after();
}

Answer overlaps(const Question& question, const DigitDomain& a, const DigitDomain& b) {
  System system;
  const std::size_t first_a = system.add_digits(a);
  const std::size_t first_b = system.add_digits(b);
  for (std::size_t j = 0; j < question.layout->physical().rank(); ++j) {
    const bool swizzled = (a.swizzle() && a.swizzle()->input == j) || (b.swizzle() && b.swizzle()->input == j);
    if (swizzled && !swizzled_alike(a, b)) continue;
    system.begin();
    system.add(a.rows()[j], first_a, 1);
    system.add(b.rows()[j], first_b, -1);
  }
  system.add_slot(*question.layout, a, first_a);
  system.add_slot(*question.other, b, first_b);
  LinearEffort effort;
  return answer_of(question, system.solve(effort), a, &b);
}

// The rows that tell two points apart. A swizzled one does so before the swizzle, if only a constant is added behind
// it.
OneToOne apart(const DigitDomain& digits) {
  std::vector<std::vector<Index>> rows;
  for (std::size_t j = 0; j < digits.rows().size(); ++j) {
    if (digits.swizzle() && digits.swizzle()->input == j && !digits.after().terms.empty()) continue;
    rows.emplace_back(digits.box().size(), 0);
    for (const map::Term& term : digits.rows()[j].terms) rows.back()[term.input] = term.coefficient;
  }
  LinearEffort effort;
  return one_to_one(rows, extents_of(digits), effort);
}

Answer collides(const Question& question, const DigitDomain& digits) {
  const OneToOne proved = apart(digits);
  if (std::holds_alternative<Unsolvable>(proved.answer)) return None{};
  const auto* found = std::get_if<Solution>(&proved.answer);
  if (found == nullptr) return abstain("the search for a collision takes too long");
  Point p;
  Point q;
  for (const Index delta : found->x) {
    p.push_back(std::max<Index>(0, delta));
    q.push_back(std::max<Index>(0, -delta));
  }
  Witness witness{digits.point(p), digits.point(q), {}};
  if (witness.q < witness.p) std::swap(witness.p, witness.q);
  if (question::replay(question, witness)) return Found{std::move(witness), false};
  return abstain("two elements have equal digits, but perhaps no slot");
}

Answer occupied(const Question& question, const DigitDomain& digits) {
  if (digits.swizzle() || all_land(*question.layout, digits) != true) return abstain("an element may have no slot");
  if (std::holds_alternative<Unsolvable>(apart(digits).answer)) return Counted{question.layout->domain().volume()};
  return abstain("elements share slots, or may");
}

}  // namespace

Answer decide_linear(const Question& question, const Options&) {
  const bool pair = question.kind == Kind::Collides && question.other != nullptr;
  const bool counts = question.kind == Kind::Count;
  if (!pair && !counts && question.kind != Kind::Lands && question.kind != Kind::Collides)
    return abstain("no question about equal places");
  if (never_a_slot(*question.layout)) return counts ? Answer(Counted{0}) : Answer(None{});
  if (pair && (never_a_slot(*question.other) || ranges_apart(*question.layout, *question.other))) return None{};
  auto digits = DigitDomain::of(*question.layout);
  auto other = pair ? DigitDomain::of(*question.other) : std::nullopt;
  if (digits && other &&
      digits->swizzle().has_value() != other->swizzle().has_value()) {  // one that moves nothing is one too
    digits = DigitDomain::of(*question.layout, true);
    other = DigitDomain::of(*question.other, true);
  }
  if (!digits || (pair && !other)) return abstain("splits do not cut at boundaries that divide one another");
  if (pair) return overlaps(question, *digits, *other);
  if (counts) return occupied(question, *digits);
  return question.kind == Kind::Lands ? lands(question, *digits) : collides(question, *digits);
}

}  // namespace vl::engines
