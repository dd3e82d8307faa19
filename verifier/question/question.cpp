#include "verifier/question/question.h"

#include <algorithm>

#include "verifier/question/preimage.h"

namespace vl::question {
namespace {

constexpr Index kShortWalk = Index{1} << 20;
constexpr Index kMostBoxes = 4096;

Point outputs_of(const map::Layout& layout, const Point& p) {
  auto outputs = map::evaluate(layout.map(), p);
  VL_CHECK(outputs.has_value(), "a witness outside the domain");
  return std::move(*outputs);
}

std::span<const Index> slot_part(const map::Layout& layout, const Point& outputs) {
  return std::span(outputs).first(layout.physical().rank());
}

bool is_walked(const map::Layout& layout, const Point& slot) {
  Point p(layout.domain().rank());
  map::Evaluator evaluate(layout.map());
  do {
    const auto outputs = evaluate(p);
    if (layout.is_slot(outputs) && std::ranges::equal(outputs.first(slot.size()), slot)) return true;
  } while (map::advance(layout.domain(), p));
  return false;
}

bool replay_unhit(const map::Layout& layout, const Point& slot) {
  if (!layout.physical().contains(slot)) return false;
  if (layout.domain().volume() == 0) return true;
  if (layout.decode() && map::use_of(layout, slot).valid) return false;
  if (const auto hit = is_hit(layout, slot, kMostBoxes)) return !*hit;
  // A slot whose decoded point does not live there is hit by no point: decode is a left inverse on the image, which
  // the walk confirms wherever it is affordable.
  if (layout.domain().volume() > (layout.decode() ? kShortWalk : kReplayWalk)) return layout.decode().has_value();
  return !is_walked(layout, slot);
}

}  // namespace

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::Escapes: return "escapes";
    case Kind::Lands: return "lands";
    case Kind::Collides: return "collides";
    case Kind::Misdecodes: return "misdecodes";
    case Kind::Unhit: return "unhit";
    case Kind::Breaks: return "breaks";
    case Kind::Differs: return "differs";
    case Kind::Overlaps: return "overlaps";
    case Kind::Occupied: return "occupied";
  }
  VL_CHECK(false, "unknown kind of question");
}

std::vector<Index> memory_of(const map::Layout& layout, std::span<const Index> element) {
  VL_CHECK(layout.replicas().volume() <= kMostReplicas, "too many replicas to list");
  VL_CHECK(layout.logical().contains(element), "a memory of an element that the tensor does not have");
  std::vector<Index> memory;
  if (layout.replicas().volume() == 0) return memory;
  map::Evaluator evaluate(layout.map());
  Point p(element.begin(), element.end());
  Point replica(layout.replicas().rank());
  p.resize(element.size() + replica.size());
  do {
    std::ranges::copy(replica, p.begin() + static_cast<std::ptrdiff_t>(element.size()));
    const auto outputs = evaluate(p);
    if (layout.is_slot(outputs)) memory.push_back(layout.physical().linear(outputs.first(layout.physical().rank())));
  } while (map::advance(layout.replicas(), replica));
  std::ranges::sort(memory);
  memory.erase(std::unique(memory.begin(), memory.end()), memory.end());
  return memory;
}

bool replay(const Question& question, const Witness& witness) {
  const map::Layout& layout = *question.layout;
  const auto in_domain = [&](const Point& p) { return layout.domain().contains(p); };
  switch (question.kind) {
    case Kind::Escapes: return in_domain(witness.p) && !layout.is_slot(outputs_of(layout, witness.p));
    case Kind::Lands: return in_domain(witness.p) && layout.is_slot(outputs_of(layout, witness.p));
    case Kind::Collides: {
      if (!in_domain(witness.p) || !in_domain(witness.q) || !(witness.p < witness.q)) return false;
      const Point outputs = outputs_of(layout, witness.p);
      return layout.is_slot(outputs) && outputs == outputs_of(layout, witness.q);
    }
    case Kind::Misdecodes: {
      if (!in_domain(witness.p)) return false;
      const Point outputs = outputs_of(layout, witness.p);
      return layout.is_slot(outputs) && !map::use_of(layout, slot_part(layout, outputs)).valid;
    }
    case Kind::Unhit: return replay_unhit(layout, witness.slot);
    case Kind::Breaks: {
      if (!in_domain(witness.p)) return false;
      const Point outputs = outputs_of(layout, witness.p);
      if (!layout.is_slot(outputs)) return false;
      const auto slot = map::value(layout.identity()->slot, slot_part(layout, outputs));
      const auto element = map::value(layout.identity()->element, std::span(witness.p).first(layout.logical().rank()));
      return !slot || !element || *slot != *element;
    }
    case Kind::Differs:
      return layout.logical().contains(witness.p) &&
             memory_of(layout, witness.p) != memory_of(*question.other, witness.p);
    case Kind::Overlaps: {
      if (!in_domain(witness.p) || !question.other->domain().contains(witness.q)) return false;
      const Point outputs = outputs_of(layout, witness.p);
      const Point other = outputs_of(*question.other, witness.q);
      return layout.is_slot(outputs) && question.other->is_slot(other) &&
             std::ranges::equal(slot_part(layout, outputs), slot_part(*question.other, other));
    }
    case Kind::Occupied: return false;
  }
  VL_CHECK(false, "unknown kind of question");
}

}  // namespace vl::question
