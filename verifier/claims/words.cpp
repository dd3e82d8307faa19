// The words of claims about points and slots.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

constexpr Index kAliasWalk = Index{1} << 17;

std::span<const Index> slot_part(const map::Layout& layout, std::span<const Index> outputs) {
  return outputs.first(layout.physical().rank());
}

Point outputs_of(const map::Layout& layout, const Point& p) {
  auto outputs = map::evaluate(layout.map(), p);
  VL_CHECK(outputs.has_value(), "a point outside the domain");
  return std::move(*outputs);
}

}  // namespace

std::optional<Aliases> aliases_of(const map::Layout& layout) {
  if (!layout.decode() || layout.domain().volume() == 0) return std::nullopt;
  map::Evaluator decode(*layout.decode());
  map::Evaluator encode(layout.map());
  const std::size_t rank = layout.domain().rank();
  const Index walk = std::min(layout.physical().volume(), kAliasWalk);
  Aliases aliases;
  aliases.complete = walk == layout.physical().volume();
  Point slot(layout.physical().rank());
  Point p(rank);
  for (Index left = walk; left > 0; --left, map::advance(layout.physical(), slot)) {
    const auto decoded = decode(slot);
    const auto guards = decoded.subspan(rank);
    if (std::ranges::any_of(guards, [](Index guard) { return guard != 0; })) continue;
    p.assign(decoded.begin(), decoded.begin() + static_cast<std::ptrdiff_t>(rank));
    if (!layout.domain().contains(p)) continue;
    const auto lives_at = encode(p);
    if (layout.is_slot(lives_at) && std::ranges::equal(slot, slot_part(layout, lives_at))) continue;
    if (aliases.count++ > 0) continue;
    aliases.slot = slot;
    aliases.element = element_of(layout, p);
    if (layout.is_slot(lives_at)) {
      const auto place = slot_part(layout, lives_at);
      aliases.lives_at = Point(place.begin(), place.end());
    }
  }
  return aliases;
}

std::string show_aliases(const map::Layout& layout) {
  const auto aliases = aliases_of(layout);
  if (!aliases || aliases->count == 0) return {};
  return fmt::format("{}{} of them pass every range check: {} decodes to element {}, which {}",
                     aliases->complete ? "" : "at least ", aliases->count, show(aliases->slot), show(aliases->element),
                     aliases->lives_at ? "lives at " + show(*aliases->lives_at) : "has no slot at all");
}

std::string show(std::span<const Index> point) { return fmt::format("[{}]", fmt::join(point, ", ")); }

std::string why_no_slot(const map::Layout& layout, std::span<const Index> outputs) {
  for (std::size_t g = layout.physical().rank(); g < outputs.size(); ++g)
    if (outputs[g] != 0) return fmt::format("a remainder of {} is left", outputs[g]);
  for (std::size_t j = 0; j < layout.physical().rank(); ++j) {
    const map::Dim& dim = layout.physical().dims()[j];
    if (outputs[j] < 0 || outputs[j] >= dim.extent)
      return fmt::format("{} would be {}, and its extent is {}", dim.name, outputs[j], dim.extent);
  }
  VL_CHECK(false, "why_no_slot() of a slot");
}

Counterexample placed(const map::Layout& layout, const Point& p) {
  const Point outputs = outputs_of(layout, p);
  const auto slot = slot_part(layout, outputs);
  return {{{"a", element_of(layout, p)}, {"physical", Point(slot.begin(), slot.end())}}, {}};
}

Counterexample missing(const map::Layout& layout, const Point& p) {
  Counterexample out = placed(layout, p);
  out.explanation = fmt::format("element {} has no slot: {}", show(element_of(layout, p)),
                                why_no_slot(layout, outputs_of(layout, p)));
  return out;
}

Counterexample colliding(const map::Layout& layout, const Point& p, const Point& q) {
  const Point outputs = outputs_of(layout, p);
  const auto slot = slot_part(layout, outputs);
  const Point a = element_of(layout, p);
  const Point b = element_of(layout, q);
  const std::string who =
      a == b ? fmt::format("two replicas of element {}", show(a)) : fmt::format("elements {} and {}", show(a), show(b));
  return {{{"a", a}, {"b", b}, {"physical", Point(slot.begin(), slot.end())}},
          fmt::format("{} share the slot {}", who, show(slot))};
}

}  // namespace vl::claims
