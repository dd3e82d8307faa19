// The enumerate engine: the question itself, asked at every point, with one bit a slot, or a list of the slots that are
// taken where these are few of many. Nothing clever; the judge of all other engines wherever it can be afforded.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "verifier/engines/walk/walk.h"

namespace vl::engines {
namespace {

using Outputs = std::span<const Index>;

constexpr Index kMostPoints = Index{1} << 28;
constexpr Index kMostListedPoints = Index{1} << 24;  // of points in a list
constexpr Index kFewPoints = Index{1} << 14;         // whose list is shorter than the bits of
constexpr Index kFewSlots = Index{1} << 20;

class SlotBits {
 public:
  explicit SlotBits(const map::Layout& layout)
      : words_(static_cast<std::size_t>(layout.physical().volume() / 64 + 1), 0) {}
  [[nodiscard]] bool test(Index bit) const { return ((words_[word(bit)] >> (bit % 64)) & 1) != 0; }
  /// False when it was there.
  bool insert(Index bit) {
    if (test(bit)) return false;
    words_[word(bit)] |= std::uint64_t{1} << (bit % 64);
    return true;
  }

 private:
  static std::size_t word(Index bit) { return static_cast<std::size_t>(bit / 64); }
  std::vector<std::uint64_t> words_;
};

// A layout as a relation between points and the numbers of slots.
class Placing {
 public:
  explicit Placing(const map::Layout& layout)
      : layout_(&layout), evaluate_(layout.map()), work_(work_of(layout.map())) {}
  std::optional<Index> operator()(const Point& p) { return layout_->slot_number(evaluate_(p)); }

  // Visits the slot of each point that has one; abstains when that takes too long.
  template <class Visit>
  Answer slots(Limit& limit, Visit&& visit) {
    return first(limit, [&](const Point& p) {
      if (const auto slot = (*this)(p)) visit(*slot);
      return false;
    });
  }

  // The first point of the domain for which holds(p), which looks at its slot.
  template <class Holds>
  Answer first(Limit& limit, Holds&& holds) {
    return first_point(layout_->domain(), limit, holds, work_);
  }

 private:
  const map::Layout* layout_;
  map::Evaluator evaluate_;
  Index work_;
};

// Two walks: the first marks the slots that are hit and those that are hit again; then the first point on a slot of the
// second kind is the smallest p, and the next point there the smallest q.
Answer collides(const map::Layout& layout, Limit& limit) {
  Placing place(layout);
  SlotBits hit(layout);
  SlotBits again(layout);
  bool any = false;
  Answer marked = place.slots(limit, [&](Index slot) {
    if (!hit.insert(slot)) any = again.insert(slot) || any;
  });
  if (!any || !decided(marked)) return marked;
  std::optional<Index> shared;
  Point p;
  Answer answer = place.first(limit, [&](const Point& q) {
    const auto slot = place(q);
    if (!slot || shared) return slot && slot == shared;
    if (!again.test(*slot)) return false;
    shared = slot;
    p = q;
    return false;
  });
  if (auto* found = std::get_if<Found>(&answer)) found->witness.q = std::exchange(found->witness.p, std::move(p));
  return answer;
}

Answer over_slots(const map::Layout& layout, Limit& limit, Kind kind) {
  SlotBits hit(layout);
  Index count = 0;
  Answer marked = Placing(layout).slots(limit, [&](Index slot) { count += hit.insert(slot) ? 1 : 0; });
  if (!decided(marked)) return marked;
  if (kind == Kind::Count) return Counted{count};
  for (Index slot = 0; slot < layout.physical().volume(); ++slot)
    if (!hit.test(slot)) return Found{{{}, {}, layout.physical().point(slot)}, true};
  return None{};
}

// Of two layouts: the other one's slots are marked; the first point on one of them is the smallest p, the first there
// the smallest q.
Answer overlaps(const map::Layout& layout, const map::Layout& other, Limit& limit) {
  Placing place(layout);
  Placing place_other(other);
  SlotBits hit(layout);
  Answer marked = place_other.slots(limit, [&](Index slot) { hit.insert(slot); });
  if (!decided(marked)) return marked;
  std::optional<Index> shared;
  Answer answer = place.first(limit, [&](const Point& p) {
    shared = place(p);
    return shared && hit.test(*shared);
  });
  auto* found = std::get_if<Found>(&answer);
  if (found == nullptr) return answer;
  Answer second = place_other.first(limit, [&](const Point& q) { return place_other(q) == shared; });
  if (!decided(second)) return second;
  found->witness.q = std::move(std::get<Found>(second).witness.p);
  return answer;
}

// Of few points in more slots than there are bits.
std::variant<Listed, Answer> listed(const map::Layout& layout, Limit& limit) {
  Listed taken;
  Placing place(layout);
  Index number = 0;
  Answer walk = place.first(limit, [&](const Point& p) {
    if (const auto slot = place(p)) taken.emplace_back(*slot, number);
    ++number;
    return false;
  });
  if (!decided(walk)) return walk;
  std::ranges::sort(taken);
  return taken;
}

Answer over_list(const map::Layout& layout, Limit& limit, Kind kind) {
  auto made = listed(layout, limit);
  if (auto* walk = std::get_if<Answer>(&made)) return std::move(*walk);
  const Listed& taken = std::get<Listed>(made);
  if (kind == Kind::Collides) {
    const auto shared = first_shared(taken);
    if (!shared) return None{};
    return Found{{layout.domain().point(shared->first), layout.domain().point(shared->second), {}}, true};
  }
  Index count = 0;
  Index gap = 0;  // the first slot that is not taken
  for (std::size_t k = 0; k < taken.size(); ++k) {
    count += k == 0 || taken[k - 1].first != taken[k].first ? 1 : 0;
    gap += taken[k].first == gap ? 1 : 0;
  }
  if (kind == Kind::Count) return Counted{count};
  if (gap == layout.physical().volume()) return None{};
  return Found{{{}, {}, layout.physical().point(gap)}, true};
}

Answer overlaps_list(const map::Layout& layout, const map::Layout& other, Limit& limit) {
  auto made = listed(other, limit);
  if (auto* walk = std::get_if<Answer>(&made)) return std::move(*walk);
  const Listed& taken = std::get<Listed>(made);
  Placing place(layout);
  Point q;
  Answer answer = place.first(limit, [&](const Point& p) {
    const auto slot = place(p);
    const auto at = slot ? std::ranges::lower_bound(taken, std::pair(*slot, Index{0})) : taken.end();
    if (at == taken.end() || at->first != *slot) return false;
    q = other.domain().point(at->second);
    return true;
  });
  if (auto* found = std::get_if<Found>(&answer)) found->witness.q = std::move(q);
  return answer;
}

bool is_listed(const Question& question) {
  const Index slots = question.layout->physical().volume();
  const Index points = (question.other == nullptr ? *question.layout : *question.other).domain().volume();
  return points <= kMostListedPoints && slots > (points <= kFewPoints ? kFewSlots : kMostPoints);
}

Answer differs(const map::Layout& a, const map::Layout& b, Limit& limit) {
  const Index most = std::max({Index{1}, a.replicas().volume(), b.replicas().volume()});
  if (most > question::kMostReplicas) return abstain("more replicas of an element than are listed (2^20)");
  // Of one place an element, memories are compared without listing them.
  const bool single = a.replicas().rank() == 0 && b.replicas().rank() == 0;
  Placing at_a(a);
  Placing at_b(b);
  const auto differ = [&](const Point& x) {
    return single ? at_a(x) != at_b(x) : question::memory_of(a, x) != question::memory_of(b, x);
  };
  return first_point(a.logical(), limit, differ, most * std::max(work_of(a.map()), work_of(b.map())));
}

// Why everything is not walked over.
std::optional<std::string> too_large(const Question& question) {
  for (const map::Layout* layout : {question.layout, question.other})
    if (layout != nullptr && layout->domain().volume() > kMostPoints)
      return fmt::format("a walk over {} points, and at most {} are walked over", layout->domain().volume(),
                         kMostPoints);
  const bool marks = question.kind == Kind::Collides || question.kind == Kind::Misses || question.kind == Kind::Count;
  const Index slots = question.layout->physical().volume();
  if (marks && !is_listed(question) && slots > kMostPoints)
    return fmt::format("a bit for each of {} slots, and at most {} are marked", slots, kMostPoints);
  if (question.kind == Kind::Misses && !question.layout->decode() &&
      question.layout->domain().volume() > question::kReplayWalk)
    return fmt::format(
        "without a decode map an empty slot is replayed by a walk over all points: {}, and at most {} are",
        question.layout->domain().volume(), question::kReplayWalk);
  return std::nullopt;
}

// map::use_of(layout, slot).valid without its allocations.
class Validity {
 public:
  explicit Validity(const map::Layout& layout) : layout_(&layout), decode_(*layout.decode()), encode_(layout.map()) {}

  bool operator()(Outputs slot) {
    const auto decoded = decode_(slot);
    const auto point = decoded.first(layout_->domain().rank());
    const auto guards = decoded.subspan(point.size());
    if (!layout_->domain().contains(point)) return false;
    if (std::ranges::any_of(guards, [](Index guard) { return guard != 0; })) return false;
    const auto outputs = encode_(point);
    return layout_->is_slot(outputs) && std::ranges::equal(slot, outputs.first(slot.size()));
  }

 private:
  const map::Layout* layout_;
  map::Evaluator decode_;
  map::Evaluator encode_;
};

}  // namespace

std::optional<std::pair<Index, Index>> first_shared(const Listed& taken) {
  std::optional<std::pair<Index, Index>> first;
  for (std::size_t k = 0; k + 1 < taken.size(); ++k) {
    const bool opens = k == 0 || taken[k - 1].first != taken[k].first;
    if (!opens || taken[k + 1].first != taken[k].first) continue;
    const std::pair both(taken[k].second, taken[k + 1].second);
    if (!first || both < *first) first = both;
  }
  return first;
}

Index work_of(const map::Map& map) {
  constexpr std::size_t kTermsAtOnce = 8;
  std::size_t terms = 0;
  for (const map::Stage& stage : map.stages()) {
    if (const auto* affine = std::get_if<map::Affine>(&stage))
      for (const map::Row& row : affine->rows) terms += row.terms.size() + 1;
    if (const auto* split = std::get_if<map::Split>(&stage)) terms += 4 * split->weights.size();  // divisions
    if (std::holds_alternative<map::Swizzle>(stage)) terms += 4;
  }
  return static_cast<Index>(1 + terms / kTermsAtOnce);
}

Answer walk_points(const Question& question, Limit& limit) {
  const map::Layout& layout = *question.layout;
  map::Evaluator evaluate(layout.map());
  const auto first_at = [&](auto&& holds) {  // holds(point, is it a slot, outputs)
    return first_point(
        layout.domain(), limit,
        [&](const Point& p) {
          const Outputs outputs = evaluate(p);
          return holds(p, layout.is_slot(outputs), outputs.first(layout.physical().rank()));
        },
        work_of(layout.map()));
  };
  switch (question.kind) {
    case Kind::Escapes: return first_at([](const Point&, bool is_slot, Outputs) { return !is_slot; });
    case Kind::Lands: return first_at([](const Point&, bool is_slot, Outputs) { return is_slot; });
    case Kind::Misdecodes:
      return first_at([is_valid = Validity(layout)](const Point&, bool is_slot, Outputs slot) mutable {
        return is_slot && !is_valid(slot);
      });
    case Kind::Breaks:
      return first_at([&](const Point& p, bool is_slot, Outputs slot) {
        return is_slot && question::breaks_identity(layout, p, slot);
      });
    case Kind::Differs: return differs(layout, *question.other, limit);
    case Kind::Collides:
    case Kind::Misses:
    case Kind::Count:
    case Kind::Crowds: return abstain("no question about single points");
  }
  VL_CHECK(false, "unknown kind of question");
}

Answer walk_layouts(const Question& question, Limit& limit) {
  const map::Layout& layout = *question.layout;
  if (auto why = too_large(question)) return abstain(std::move(*why));
  const bool by_list = is_listed(question);
  if (by_list && question.kind == Kind::Collides && question.other != nullptr)
    return overlaps_list(layout, *question.other, limit);
  if (by_list && (question.kind == Kind::Collides || question.kind == Kind::Misses || question.kind == Kind::Count))
    return over_list(layout, limit, question.kind);
  if (question.kind == Kind::Collides)
    return question.other != nullptr ? overlaps(layout, *question.other, limit) : collides(layout, limit);
  if (question.kind == Kind::Misses || question.kind == Kind::Count) return over_slots(layout, limit, question.kind);
  return walk_points(question, limit);
}

Answer decide_enumerate(const Query& query, const Options& options) {
  Limit limit(options.budget);
  return std::visit(overloaded{[&](const Question& asked) { return walk_layouts(asked, limit); },
                               [&](const TransferQuestion& asked) { return walk_moves(asked, limit); },
                               [&](const BankQuestion& asked) { return walk_lanes(asked, limit); }},
                    query.of);
}

std::optional<Witness> first_early(const Query& query, Index most) {
  const Budget budget;
  Limit limit(budget, most);
  Answer answer = std::visit(overloaded{[&](const Question& asked) { return walk_points(asked, limit); },
                                        [](const TransferQuestion&) -> Answer { return None{}; },
                                        [&](const BankQuestion& asked) { return walk_instances(asked, limit); }},
                             query.of);
  auto* found = std::get_if<Found>(&answer);
  return found != nullptr ? std::optional(std::move(found->witness)) : std::nullopt;
}

}  // namespace vl::engines
