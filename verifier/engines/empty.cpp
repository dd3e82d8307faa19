// Queries about nothing: a layout without points or without slots, nests without moves, an access without lanes. They
// are answered here, so that other engines than the walk never see them.
#include <algorithm>

#include "verifier/engines/engine.h"
#include "verifier/question/access.h"

namespace vl::engines {
namespace {

bool has_points(const map::Layout& layout) { return layout.domain().volume() != 0; }
bool has_slots(const map::Layout& layout) { return layout.physical().volume() != 0; }

std::optional<Answer> empty_layouts(const Question& question) {
  const map::Layout& layout = *question.layout;
  const map::Layout* other = question.other;
  if (question.kind == Kind::Differs) {  // the other one may have slots where this one has none
    const bool none = !has_points(layout) || !has_slots(layout);
    const bool none_other = !has_points(*other) || !has_slots(*other);
    if (layout.logical().volume() == 0 || (none && none_other)) return None{};
    if (!has_points(layout) || !has_points(*other)) return abstain("a layout without replicas");
    return std::nullopt;
  }
  if (question.kind == Kind::Collides && other != nullptr && !has_points(*other)) return None{};
  if (has_points(layout) && has_slots(layout)) return std::nullopt;
  if (question.kind == Kind::Misses && has_slots(layout))
    return Found{{{}, {}, Point(layout.physical().rank(), 0)}, true};
  if (question.kind == Kind::Count) return Counted{0};
  if (question.kind == Kind::Escapes && has_points(layout))
    return Found{{Point(layout.domain().rank(), 0), {}, {}}, true};
  return None{};
}

std::optional<Answer> empty_nests(const TransferQuestion& question) {
  const map::Layout& destination = question.destination->layout;
  const bool differs = question.kind == Kind::Differs;
  const bool serves = differs || question.kind == Kind::Misses;
  const auto& nests = question.transfer->nests;
  const auto busy = std::ranges::find_if(
      nests, [](const use::Nest& nest) { return std::ranges::find(nest.extents, 0) == nest.extents.end(); });
  if (differs && busy != nests.end() && (!has_points(question.source->layout) || !has_points(destination))) {
    Point move(busy->extents.size() + 1, 0);
    move[0] = busy - nests.begin();
    return Found{{std::move(move), {}, {}}, true};
  }
  if (serves && !has_points(destination)) return None{};
  if (busy != nests.end()) return std::nullopt;
  if (serves) return Found{{{}, Point(destination.domain().rank(), 0), {}}, true};
  return None{};
}

std::optional<Answer> empty_accesses(const BankQuestion& question) {
  if (question.reach->bytes.domain().volume() != 0) return std::nullopt;
  return question.kind == Kind::Count ? Answer(Counted{0}) : Answer(None{});
}

}  // namespace

std::optional<Answer> decide_empty(const Query& query) {
  return std::visit(overloaded{[](const Question& asked) { return empty_layouts(asked); },
                               [](const TransferQuestion& asked) { return empty_nests(asked); },
                               [](const BankQuestion& asked) { return empty_accesses(asked); }},
                    query.of);
}

}  // namespace vl::engines
