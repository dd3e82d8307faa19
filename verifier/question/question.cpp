#include "verifier/question/question.h"

#include <algorithm>

#include "verifier/question/access.h"
#include "verifier/question/preimage.h"
#include "verifier/question/transfer.h"

namespace vl::question {
namespace {

constexpr Index kShortWalk = Index{1} << 20;
constexpr Index kMostBoxes = 4096;

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
    case Kind::Breaks: return "breaks";
    case Kind::Misses: return "misses";
    case Kind::Differs: return "differs";
    case Kind::Count: return "count";
    case Kind::Crowds: return "crowds";
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
  p.resize(layout.domain().rank(), 0);
  do {
    if (const auto slot = layout.slot_number(evaluate(p))) memory.push_back(*slot);
  } while (map::advance(layout.replicas(), std::span(p).subspan(element.size())));
  std::ranges::sort(memory);
  memory.erase(std::unique(memory.begin(), memory.end()), memory.end());
  return memory;
}

bool breaks_identity(const map::Layout& layout, std::span<const Index> p, std::span<const Index> slot) {
  const auto value = map::value(layout.identity()->slot, slot);
  const auto element = map::value(layout.identity()->element, p.first(layout.logical().rank()));
  return !value || !element || *value != *element;
}

namespace {

// The slot of p, as numbers; nothing when it has none.
std::optional<Point> slot_of(const map::Layout& layout, const Point& p) {
  if (!layout.domain().contains(p)) return std::nullopt;
  auto outputs = map::evaluate(layout.map(), p);
  VL_CHECK(outputs.has_value(), "a witness outside the domain");
  if (!layout.is_slot(*outputs)) return std::nullopt;
  outputs->resize(layout.physical().rank());  // the guards are 0
  return std::move(*outputs);
}

bool replay_layouts(const Question& question, const Witness& witness) {
  const map::Layout& layout = *question.layout;
  if (question.kind == Kind::Misses) return replay_unhit(layout, witness.slot);
  if (question.kind == Kind::Differs)
    return layout.logical().contains(witness.p) &&
           memory_of(layout, witness.p) != memory_of(*question.other, witness.p);
  if (question.kind == Kind::Escapes) return layout.domain().contains(witness.p) && !slot_of(layout, witness.p);
  const auto slot = slot_of(layout, witness.p);
  if (!slot) return false;
  switch (question.kind) {
    case Kind::Lands: return true;
    case Kind::Collides:
      if (question.other != nullptr) return slot == slot_of(*question.other, witness.q);
      return witness.p < witness.q && slot == slot_of(layout, witness.q);
    case Kind::Misdecodes: return !map::use_of(layout, *slot).valid;
    case Kind::Breaks: return breaks_identity(layout, witness.p, *slot);
    case Kind::Escapes:
    case Kind::Misses:
    case Kind::Differs:
    case Kind::Count:
    case Kind::Crowds: return false;
  }
  VL_CHECK(false, "unknown kind of question");
}

}  // namespace

bool replay(const Query& query, const Witness& witness) {
  return std::visit(overloaded{[&](const Question& asked) { return replay_layouts(asked, witness); },
                               [&](const TransferQuestion& asked) { return replay_nests(asked, witness); },
                               [&](const BankQuestion& asked) { return replay_lanes(asked, witness); }},
                    query.of);
}

}  // namespace vl::question
