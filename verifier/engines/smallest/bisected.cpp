#include <algorithm>
#include <array>
#include <functional>

#include "verifier/engines/forms/bisect.h"
#include "verifier/engines/smallest/restricted.h"
#include "verifier/engines/smallest/smallest.h"

namespace vl::engines {
namespace {

using map::Layout;

constexpr int kMostCalls = 2048;
constexpr int kMostReplicas = 256;
constexpr std::array<std::string_view, 3> kClosedForms = {"strided", "gf2", "linear"};

// What is known of a box: a witness in it, or that there is none. `first`: it is the box's smallest.
struct Seen {
  bool known = false;
  std::optional<Point> point = {};
  bool first = false;
};

Box single(const Point& point) {
  Box box;
  for (const Index x : point) box.push_back({x, x});
  return box;
}

Point plus_low(Point point, const Box& box) {
  for (std::size_t i = 0; i < point.size(); ++i) point[i] += box[i].low;
  return point;
}

// From `point`, which has the property, down to the smallest that has it; `look` tells of a box whether one is in it. A
// look that does not know which point of the box it is gives the last one: its coordinates bound those of the smallest.
template <class Look>
bool descend(const Box& space, Point& point, const Look& look) {
  Box part = space;
  for (std::size_t i = 0; i < space.size(); ++i) {
    Index low = space[i].low;
    for (bool opening = true; low < point[i];) {  // often there is nothing below
      part[i] = {low, opening ? point[i] - 1 : low + (point[i] - 1 - low) / 2};
      Seen seen = look(std::as_const(part));
      if (!seen.known) return false;
      opening = false;
      if (!seen.point) {
        low = part[i].high + 1;
        continue;
      }
      point = std::move(*seen.point);
      if (seen.first) return true;
    }
    part[i] = {point[i], point[i]};
  }
  return true;
}

// The boxes of all points behind a prefix's box: its first coordinates one value each, then a range, then all.
std::vector<Box> behind(const Box& space, const Box& part) {
  std::vector<Box> boxes;
  for (std::size_t i = space.size(); i-- > 0;) {
    if (part[i].high == space[i].high) continue;
    Box box = space;
    std::copy_n(part.begin(), i, box.begin());
    box[i].low = part[i].high + 1;
    boxes.push_back(std::move(box));
  }
  return boxes;
}

class Bisected {
 public:
  explicit Bisected(const Budget& budget) : budget_(budget) {
    options_.budget = budget;
    options_.budget.rlimit = Budget::kUnits;  // the same steps with any budget
    options_.budget.spent = nullptr;
  }

  std::optional<Witness> of(const Question& question, const Witness& known) {
    switch (question.kind) {
      case Kind::Escapes:
      case Kind::Lands:
      case Kind::Breaks: return point(question, known.p, map::extents_of(question.layout->domain()));
      case Kind::Differs: return point(question, known.p, map::extents_of(question.layout->logical()));
      case Kind::Collides: return pair(question, known);
      case Kind::Misses: return slot(*question.layout, known.slot);
      case Kind::Misdecodes:  // what a decode map says of a part is not what it says of the whole
      case Kind::Count:
      case Kind::Crowds: return std::nullopt;
    }
    VL_CHECK(false, "unknown kind of question");
  }

  // The later replicas of p's element, each with its own first partner.
  std::optional<Witness> elements(const Question& question, const Witness& witness) {
    const bool two = question.other != nullptr;
    const Points points = Points::of(*question.layout);
    const Points others = two ? Points::of(*question.other) : points;
    const auto element = [](const Layout& layout, const Point& p) {
      return std::span(p).first(layout.logical().rank());
    };
    const Layout& other = two ? *question.other : *question.layout;
    Witness best = witness;
    Point p = witness.p;
    for (int replicas = 1;
         map::advance(question.layout->replicas(), std::span(p).subspan(question.layout->logical().rank()));
         ++replicas) {
      const Seen q = replicas < kMostReplicas ? first_partner(points, points.coordinates(p), others, two) : Seen{};
      if (!q.known) return std::nullopt;
      if (!q.point) continue;
      Point at = others.point(*q.point);
      if (std::ranges::lexicographical_compare(element(other, at), element(other, best.q)))
        best = {p, std::move(at), {}};
    }
    return best;
  }

 private:
  // A closed form's answer; an abstention where none decides, or after the last call.
  Answer ask(const Question& question) {
    Answer answer = abstain("the search for the smallest ends");
    for (const std::string_view name : kClosedForms) {
      if (budget_.stopped() || ++calls_ > kMostCalls) break;
      answer = find_engine(name).decide(question, options_);
      if (decided(answer)) break;
    }
    return answer;
  }

  // `part` holds the points that are asked about, so the answer's p is counted from its low end.
  Seen seen(const Answer& answer, const Box& part) {
    if (const auto* found = std::get_if<Found>(&answer))
      return {true, plus_low(found->witness.p, part), found->minimal};
    return {std::holds_alternative<None>(answer)};
  }

  std::optional<Witness> point(const Question& question, Point known, const std::vector<Index>& extents) {
    const auto on = [](const Layout& layout, Box part) {  // replicas in full
      for (std::size_t i = part.size(); i < layout.domain().rank(); ++i)
        part.push_back({0, layout.domain().extent(i) - 1});
      return restricted(layout, part);
    };
    const bool held = descend(whole(extents), known, [&](const Box& part) -> Seen {
      const auto layout = on(*question.layout, part);
      const auto other = question.other != nullptr ? on(*question.other, part) : std::nullopt;
      if (!layout || (question.other != nullptr && !other)) return {};
      return seen(ask({question.kind, &*layout, other ? &*other : nullptr}), part);
    });
    return held ? std::optional(Witness{std::move(known), {}, {}}) : std::nullopt;
  }

  // A point of `part` that shares a slot with one of `of`, another box of the same points or of others.
  Seen meets(const Points& points, const Box& part, const Points& others, const Box& of) {
    const auto layout = points.on(part);
    const auto other = others.on(of);
    return layout && other ? seen(ask({Kind::Collides, &*layout, &*other}), part) : Seen{};
  }

  // The smallest point of a box that shares a slot with p. Nothing: not known; no point: there is none.
  Seen partner(const Points& points, const Point& p, const Points& others, const Box& of) {
    const auto with_p = [&](const Box& part) { return meets(others, part, points, single(p)); };
    Seen any = with_p(of);
    if (any.point && !any.first) any.known = descend(of, *any.point, with_p);
    return any;
  }

  std::optional<Witness> pair(const Question& question, const Witness& known) {
    const bool two = question.other != nullptr;
    const Points points = Points::of(*question.layout);
    const Points others = two ? Points::of(*question.other) : points;
    const Box space = points.box();
    Point p = points.coordinates(known.p);
    const auto has_partner = [&](const Box& part) -> Seen {
      if (two) return meets(points, part, others, others.box());
      Seen all{true};
      const auto own = points.on(part);
      all = own ? seen(ask({Kind::Collides, &*own, nullptr}), part) : Seen{};
      all.first = false;  // another point may have its partner behind the box
      if (all.point) return all;
      for (const Box& rest : behind(space, part)) {
        const Seen here = meets(points, part, points, rest);
        if (here.point) return {true, here.point, false};
        all.known = all.known && here.known;
      }
      return all;
    };
    if (!descend(space, p, has_partner)) return std::nullopt;
    const Seen q = first_partner(points, p, others, two);
    return q.point ? std::optional(Witness{points.point(p), others.point(*q.point), {}}) : std::nullopt;
  }

  // Of p, among all points of the others, or behind p among its own.
  Seen first_partner(const Points& points, const Point& p, const Points& others, bool two) {
    for (const Box& box : two ? std::vector<Box>{others.box()} : behind(points.box(), single(p)))
      if (Seen q = partner(points, p, others, box); !q.known || q.point) return q.known ? q : Seen{};
    return {true};
  }

  // The first box of slots of which fewer are taken than there are.
  std::optional<Witness> slot(const Layout& layout, Point known) {
    const bool held = descend(whole(map::extents_of(layout.physical())), known, [&](const Box& part) -> Seen {
      const auto cut = restricted_slots(layout, part);
      if (!cut) return {};
      const Answer answer = ask({Kind::Count, &*cut, nullptr});
      const auto* counted = std::get_if<Counted>(&answer);
      if (counted == nullptr) return {};
      if (counted->count == cut->physical().volume()) return {true};
      Point last;
      for (const Range& range : part) last.push_back(range.high);
      return {true, std::move(last)};
    });
    return held ? std::optional(Witness{{}, {}, std::move(known)}) : std::nullopt;
  }

  const Budget& budget_;
  Options options_;
  int calls_ = 0;
};

}  // namespace

std::optional<Witness> bisected(const Question& question, const Witness& known, const Budget& budget) {
  return Bisected(budget).of(question, known);
}

std::optional<Witness> bisected_elements(const Question& question, const Witness& witness, const Budget& budget) {
  return Bisected(budget).elements(question, witness);
}

}  // namespace vl::engines
