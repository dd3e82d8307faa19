// The enumerate engine: the question itself, asked at every point, with one bit a slot. Nothing clever; the judge of
// all other engines wherever it can be afforded. Points are walked in row-major order, so witnesses are the smallest.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "verifier/engines/walk/walks.h"

namespace vl::engines {
namespace {

constexpr Index kMostPoints = Index{1} << 28;
constexpr Index kBetweenClockReads = Index{1} << 16;

class SlotBits {
 public:
  explicit SlotBits(Index bits) : words_(static_cast<std::size_t>(bits / 64 + 1), 0) {}
  [[nodiscard]] bool test(Index bit) const { return ((words_[word(bit)] >> (bit % 64)) & 1) != 0; }
  void set(Index bit) { words_[word(bit)] |= std::uint64_t{1} << (bit % 64); }

 private:
  static std::size_t word(Index bit) { return static_cast<std::size_t>(bit / 64); }
  std::vector<std::uint64_t> words_;
};

struct TimeOut {};
struct Interrupted {};

// Visits every point of the domain with its outputs, until `visit(point, outputs)` answers false.
class PointWalk {
 public:
  PointWalk(const map::Layout& layout, const Options& options)
      : layout_(layout), budget_(options.budget), deadline_(std::chrono::steady_clock::now() + options.budget.wall) {}

  /// The slot's number, or -1 when the outputs are no slot.
  [[nodiscard]] Index slot_number(std::span<const Index> outputs) const {
    if (!layout_.is_slot(outputs)) return -1;
    return layout_.physical().linear(outputs.first(layout_.physical().rank()));
  }

  template <class Visit>
  void points(Visit visit) {
    if (layout_.domain().volume() == 0) return;
    map::Evaluator evaluate(layout_.map());
    Point p(layout_.domain().rank());
    do {
      tick();
      if (!visit(p, evaluate(p))) return;
    } while (map::advance(layout_.domain(), p));
  }

  void tick(Index work = 1) {
    ticks_ += work;
    if (ticks_ < kBetweenClockReads) return;
    ticks_ = 0;
    if (budget_.stopped()) throw Interrupted{};
    if (std::chrono::steady_clock::now() > deadline_) throw TimeOut{};
  }

 private:
  const map::Layout& layout_;
  const Budget& budget_;
  std::chrono::steady_clock::time_point deadline_;
  Index ticks_ = 0;
};

Answer first_point(PointWalk& walk, const std::function<bool(const Point&, std::span<const Index>)>& property) {
  Answer answer = None{};
  walk.points([&](const Point& p, std::span<const Index> outputs) {
    if (!property(p, outputs)) return true;
    answer = Found{{p, {}, {}}, true};
    return false;
  });
  return answer;
}

// Two passes mark the slots that are hit and those that are hit again; then the first point on a slot of the second
// kind is the smallest p, and the next point there the smallest q.
Answer collides(PointWalk& walk, const map::Layout& layout) {
  SlotBits hit(layout.physical().volume());
  SlotBits again(layout.physical().volume());
  bool any = false;
  walk.points([&](const Point&, std::span<const Index> outputs) {
    const Index slot = walk.slot_number(outputs);
    if (slot < 0) return true;
    if (hit.test(slot)) {
      again.set(slot);
      any = true;
    }
    hit.set(slot);
    return true;
  });
  if (!any) return None{};
  Witness witness;
  Index shared = -1;
  walk.points([&](const Point& p, std::span<const Index> outputs) {
    const Index slot = walk.slot_number(outputs);
    if (slot < 0) return true;
    if (shared < 0 && again.test(slot)) {
      shared = slot;
      witness.p = p;
      return true;
    }
    if (slot != shared) return true;
    witness.q = p;
    return false;
  });
  return Found{std::move(witness), true};
}

Answer over_slots(PointWalk& walk, const map::Layout& layout, Kind kind) {
  SlotBits hit(layout.physical().volume());
  Index count = 0;
  walk.points([&](const Point&, std::span<const Index> outputs) {
    const Index slot = walk.slot_number(outputs);
    if (slot >= 0 && !hit.test(slot)) {
      hit.set(slot);
      ++count;
    }
    return true;
  });
  if (kind == Kind::Count) return Counted{count};
  for (Index slot = 0; slot < layout.physical().volume(); ++slot)
    if (!hit.test(slot)) return Found{{{}, {}, layout.physical().point(slot)}, true};
  return None{};
}

// Of two layouts: the other one's slots are marked; the first point on one of them is the smallest p, the first there
// the smallest q.
Answer overlaps(PointWalk& walk, PointWalk& other, const map::Layout& layout) {
  SlotBits hit(layout.physical().volume());
  other.points([&](const Point&, std::span<const Index> outputs) {
    if (const Index slot = other.slot_number(outputs); slot >= 0) hit.set(slot);
    return true;
  });
  Witness witness;
  Index shared = -1;
  walk.points([&](const Point& p, std::span<const Index> outputs) {
    const Index slot = walk.slot_number(outputs);
    if (slot < 0 || !hit.test(slot)) return true;
    shared = slot;
    witness.p = p;
    return false;
  });
  if (shared < 0) return None{};
  other.points([&](const Point& q, std::span<const Index> outputs) {
    witness.q = q;
    return other.slot_number(outputs) != shared;
  });
  return Found{std::move(witness), true};
}

Answer differs(PointWalk& walk, const map::Layout& a, const map::Layout& b) {
  if (a.logical().volume() == 0) return None{};
  Point x(a.logical().rank());
  // Of one place an element, memories are compared without listing them.
  const bool single = a.replicas().rank() == 0 && b.replicas().rank() == 0;
  const PointWalk other(b, {});
  map::Evaluator at_a(a.map());
  map::Evaluator at_b(b.map());
  do {
    walk.tick(a.replicas().volume() + b.replicas().volume());
    const bool same = single ? walk.slot_number(at_a(x)) == other.slot_number(at_b(x))
                             : question::memory_of(a, x) == question::memory_of(b, x);
    if (!same) return Found{{x, {}, {}}, true};
  } while (map::advance(a.logical(), x));
  return None{};
}

bool breaks(const map::Layout& layout, const Point& p, std::span<const Index> outputs) {
  if (!layout.is_slot(outputs)) return false;
  const auto slot = map::value(layout.identity()->slot, outputs.first(layout.physical().rank()));
  const auto element = map::value(layout.identity()->element, std::span(p).first(layout.logical().rank()));
  return !slot || !element || *slot != *element;
}

bool affordable(const Question& question) {
  const auto small = [](const map::Layout& layout, bool slots) {
    return layout.domain().volume() <= kMostPoints && (!slots || layout.physical().volume() <= kMostPoints);
  };
  if (question.kind == Kind::Differs &&
      std::max(question.layout->replicas().volume(), question.other->replicas().volume()) > question::kMostReplicas)
    return false;
  if (question.kind == Kind::Misses && !question.layout->decode() &&
      question.layout->domain().volume() > question::kReplayWalk)
    return false;  // its witness could not be replayed
  const bool slots = question.kind == Kind::Collides || question.kind == Kind::Misses || question.kind == Kind::Count;
  return small(*question.layout, slots) && (question.other == nullptr || small(*question.other, false));
}

// map::use_of(layout, slot).valid without its allocations.
class Validity {
 public:
  explicit Validity(const map::Layout& layout) : layout_(&layout), decode_(*layout.decode()), encode_(layout.map()) {}

  bool operator()(std::span<const Index> slot) {
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

// The property of single points that a question asks for; empty for the other questions.
std::function<bool(const Point&, std::span<const Index>)> property_of(const Question& question) {
  const map::Layout& layout = *question.layout;
  switch (question.kind) {
    case Kind::Escapes: return [&](const Point&, std::span<const Index> outputs) { return !layout.is_slot(outputs); };
    case Kind::Lands: return [&](const Point&, std::span<const Index> outputs) { return layout.is_slot(outputs); };
    case Kind::Misdecodes:
      return [&layout, validity = Validity(layout)](const Point&, std::span<const Index> outputs) mutable {
        return layout.is_slot(outputs) && !validity(outputs.first(layout.physical().rank()));
      };
    case Kind::Breaks:
      return [&](const Point& p, std::span<const Index> outputs) { return breaks(layout, p, outputs); };
    case Kind::Collides:
    case Kind::Misses:
    case Kind::Differs:
    case Kind::Count:
    case Kind::Crowds: return {};
  }
  VL_CHECK(false, "unknown kind of question");
}

}  // namespace

std::optional<Witness> first_point_early(const Question& question, Index most) {
  const map::Layout& layout = *question.layout;
  const bool differs = question.kind == Kind::Differs;
  const auto property = property_of(question);
  const map::Space& space = differs ? layout.logical() : layout.domain();
  if ((!differs && !property) || space.volume() == 0 || most <= 0) return std::nullopt;
  map::Evaluator evaluate(layout.map());
  Point p(space.rank());
  do {
    const bool found =
        differs ? question::memory_of(layout, p) != question::memory_of(*question.other, p) : property(p, evaluate(p));
    if (found) return Witness{p, {}, {}};
  } while (--most > 0 && map::advance(space, p));
  return std::nullopt;
}

Answer walk_layouts(const Question& question, const Options& options) try {
  const map::Layout& layout = *question.layout;
  if (!affordable(question))
    return Abstained{Reason::OutOfReach, fmt::format("more than {} points or slots", kMostPoints)};
  PointWalk walk(layout, options);
  switch (question.kind) {
    case Kind::Escapes:
    case Kind::Lands:
    case Kind::Misdecodes:
    case Kind::Breaks: return first_point(walk, property_of(question));
    case Kind::Collides: {
      if (question.other == nullptr) return collides(walk, layout);
      PointWalk other(*question.other, options);
      return overlaps(walk, other, layout);
    }
    case Kind::Misses:
    case Kind::Count: return over_slots(walk, layout, question.kind);
    case Kind::Differs: return differs(walk, layout, *question.other);
    case Kind::Crowds: return abstain("layouts have no instances");
  }
  VL_CHECK(false, "unknown kind of question");
} catch (const Interrupted&) {
  return Abstained{Reason::Interrupted, "interrupted"};
} catch (const TimeOut&) {
  options.budget.mark_spent();
  return Abstained{Reason::Timeout, "the wall time of the budget is used up"};
}

Answer decide_enumerate(const Query& query, const Options& options) {
  return std::visit(overloaded{[&](const Question& asked) { return walk_layouts(asked, options); },
                               [&](const TransferQuestion& asked) { return walk_moves(asked); },
                               [&](const BankQuestion& asked) { return walk_lanes(asked, options); }},
                    query.of);
}

std::optional<Witness> first_early(const Query& query, Index most) {
  return std::visit(overloaded{[&](const Question& asked) { return first_point_early(asked, most); },
                               [](const TransferQuestion&) { return std::optional<Witness>(); },
                               [&](const BankQuestion& asked) { return first_instance_early(asked, most); }},
                    query.of);
}

}  // namespace vl::engines
