#include "verifier/engines/smallest/smallest.h"

#include <algorithm>
#include <map>

#include "verifier/engines/walk/walk.h"
#include "verifier/question/access.h"
#include "verifier/question/preimage.h"

namespace vl::engines {
namespace {

constexpr Index kMostWalkedPoints = Index{1} << 23;
constexpr Index kMostWalkedSlots = Index{1} << 28;
constexpr Index kMostWalkedLanes = Index{1} << 22;
constexpr Index kMostWalkedSteps = Index{1} << 22;
constexpr Index kMostLooks = Index{1} << 12;  // at slots, by what lies there
constexpr Index kMostBoxesOfALook = 256;      // of one look

std::optional<Witness> witness_of(Answer answer) {
  auto* found = std::get_if<Found>(&answer);
  return found != nullptr && found->minimal ? std::optional(std::move(found->witness)) : std::nullopt;
}

// The slots in order, up to the one that is known to be empty.
std::optional<Witness> first_empty(const map::Layout& layout, const Point& known, const Budget& budget) {
  const map::Space& physical = layout.physical();
  const Index last = physical.linear(known);
  Limit limit(budget, kMostLooks);
  for (Index number = 0; number < std::min(last, kMostLooks); ++number) {
    const Point slot = physical.point(number);
    const auto hit = question::is_hit(layout, slot, kMostBoxesOfALook);
    if (!hit || limit.reached(1)) return std::nullopt;
    if (!*hit && question::replay({Kind::Misses, &layout, nullptr}, {{}, {}, slot})) return Witness{{}, {}, slot};
  }
  return last < kMostLooks ? std::optional(Witness{{}, {}, known}) : std::nullopt;
}

// Two points share a slot, and one of them is the first point of all: a walk to its first partner.
std::optional<Witness> first_partner(const map::Layout& layout, const Witness& known, const Budget& budget) {
  const map::Space& points = layout.domain();
  if (points.linear(known.p) != 0 || points.linear(known.q) >= kMostWalkedPoints) return std::nullopt;
  map::Evaluator evaluate(layout.map());
  const std::span<const Index> first = evaluate(known.p);
  const Point place(first.begin(), first.end());
  Limit limit(budget);
  Point q = known.p;
  while (map::advance(points, q) && q < known.q) {
    if (std::ranges::equal(evaluate(q), place)) return Witness{known.p, q, {}};
    if (!limit.reached(1)) continue;
    (void)limit.why();
    return std::nullopt;
  }
  return known;
}

// A walk to the witness at hand, which ends there at last; or over everything.
std::optional<Witness> walked(const Question& question, const Witness& known, const Budget& budget) {
  Limit limit(budget);
  if (question.kind != Kind::Collides && question.kind != Kind::Misses) {
    const bool compares = question.kind == Kind::Differs;
    const map::Space& points = compares ? question.layout->logical() : question.layout->domain();
    const Index work =
        compares ? std::max({Index{1}, question.layout->replicas().volume(), question.other->replicas().volume()}) : 1;
    if (points.linear(known.p) >= kMostWalkedPoints / work) return std::nullopt;
    return witness_of(walk_points(question, limit));
  }
  if (question.kind == Kind::Collides && question.other == nullptr)
    if (auto early = first_partner(*question.layout, known, budget)) return early;
  if (question.kind == Kind::Misses)
    if (auto early = first_empty(*question.layout, known.slot, budget)) return early;
  for (const map::Layout* layout : {question.layout, question.other})
    if (layout != nullptr &&
        (layout->domain().volume() > kMostWalkedPoints || layout->physical().volume() > kMostWalkedSlots))
      return std::nullopt;
  return witness_of(walk_layouts(question, limit));
}

Point element_of(const map::Layout& layout, const Point& p) {
  return {p.begin(), p.begin() + static_cast<std::ptrdiff_t>(layout.logical().rank())};
}

// The slots of p's element at p's replica and later ones, each with the first point there.
std::map<Index, Point> slots_from(const map::Layout& layout, Point p) {
  std::map<Index, Point> slots;
  map::Evaluator evaluate(layout.map());
  const Point element = element_of(layout, p);
  do {
    if (const auto slot = layout.slot_number(evaluate(p))) slots.try_emplace(*slot, p);
  } while (map::advance(layout.domain(), p) && element_of(layout, p) == element);
  return slots;
}

// Gives `take` every point of an element, with what the map gives for it.
template <class Take>
void each_replica(const map::Layout& layout, const Point& p, const Take& take) {
  Point at = element_of(layout, p);
  at.resize(layout.domain().rank(), 0);
  map::Evaluator evaluate(layout.map());
  for (Index left = layout.replicas().volume(); left > 0; --left, map::advance(layout.domain(), at))
    take(at, evaluate(at));
}

// Of the places at which these two elements meet, the smallest. Both are points of one layout, or of two.
Witness at_least_slot(const Question& question, const Witness& witness) {
  const map::Layout& other = question.other != nullptr ? *question.other : *question.layout;
  std::map<Index, Point> slots;
  each_replica(*question.layout, witness.p, [&](const Point& p, std::span<const Index> outputs) {
    if (const auto slot = question.layout->slot_number(outputs)) slots.try_emplace(*slot, p);
  });
  Witness least = witness;
  Index best = -1;
  each_replica(other, witness.q, [&](const Point& q, std::span<const Index> outputs) {
    const auto slot = other.slot_number(outputs);
    const auto at = slot && (best < 0 || *slot < best) ? slots.find(*slot) : slots.end();
    if (at == slots.end() || (question.other == nullptr && at->second == q)) return;
    best = *slot, least = {at->second, q, {}};
  });
  return least;
}

}  // namespace

std::optional<Witness> least_place(const Question& question, const Witness& witness) {
  const map::Layout& layout = *question.layout;
  if (layout.replicas().volume() <= 1 || (question.kind != Kind::Collides && question.kind != Kind::Escapes))
    return witness;
  for (const map::Layout* of : {question.layout, question.other})
    if (of != nullptr && of->replicas().volume() > kMostLooks) return std::nullopt;
  if (question.kind == Kind::Collides) return at_least_slot(question, witness);
  std::optional<std::pair<Point, Point>> least;  // the place and its point
  each_replica(layout, witness.p, [&](const Point& p, std::span<const Index> outputs) {
    if (layout.is_slot(outputs)) return;
    Point place(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(layout.physical().rank()));
    if (!least || place < least->first) least.emplace(std::move(place), p);
  });
  return least ? Witness{least->second, {}, {}} : witness;
}

std::optional<Witness> first_elements(const Question& question, const Witness& witness, const Budget& budget) {
  const map::Layout& layout = *question.layout;
  const map::Layout& other = question.other != nullptr ? *question.other : layout;
  const Point element = element_of(layout, witness.p);
  const Point second = element_of(other, witness.q);
  if (layout.replicas().volume() <= 1 || (question.other == nullptr && second == element)) return witness;
  if (auto pair = bisected_elements(question, witness, budget)) return pair;
  Point q = question.other != nullptr ? Point(other.domain().rank(), 0) : witness.p;
  const Index steps = other.domain().linear(witness.q) - other.domain().linear(q);
  if (steps > kMostWalkedSteps || layout.replicas().volume() > kMostWalkedSteps) return std::nullopt;
  const std::map<Index, Point> slots = slots_from(layout, witness.p);
  map::Evaluator evaluate(other.map());
  Limit limit(budget);
  for (; element_of(other, q) < second; map::advance(other.domain(), q)) {
    const auto slot = other.slot_number(evaluate(q));
    const auto at = slot ? slots.find(*slot) : slots.end();
    const bool itself = question.other == nullptr && at != slots.end() && at->second == q;
    if (at != slots.end() && !itself) return Witness{at->second, q, {}};
    if (!limit.reached(1)) continue;
    (void)limit.why();
    return std::nullopt;
  }
  return witness;
}

std::optional<Witness> smallest(const Query& query, const Witness& known, const Options& options) {
  const Budget& budget = options.budget;
  return std::visit(overloaded{[&](const Question& asked) {
                                 auto witness = bisected(asked, known, budget);
                                 return witness ? std::move(witness) : walked(asked, known, budget);
                               },
                               [&](const TransferQuestion&) { return witness_of(decide_enumerate(query, options)); },
                               [&](const BankQuestion& asked) {
                                 const bool few = asked.reach->bytes.domain().volume() <= kMostWalkedLanes;
                                 return few ? witness_of(decide_enumerate(query, options)) : std::nullopt;
                               }},
                    query.of);
}

}  // namespace vl::engines
