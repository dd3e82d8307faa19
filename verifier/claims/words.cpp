// The words of claims about points and slots.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

constexpr Index kAliasWalk = Index{1} << 17;

}  // namespace

std::string show_aliases(const map::Layout& layout) {
  if (!layout.decode() || layout.domain().volume() == 0) return {};
  map::Evaluator decode(*layout.decode());
  map::Evaluator encode(layout.map());
  const std::size_t rank = layout.domain().rank();
  const Index walk = std::min(layout.physical().volume(), kAliasWalk);
  Index count = 0;
  std::string first;
  Point slot(layout.physical().rank());
  Point p(rank);
  for (Index left = walk; left > 0; --left, map::advance(layout.physical(), slot)) {
    const auto decoded = decode(slot);
    if (std::ranges::any_of(decoded.subspan(rank), [](Index guard) { return guard != 0; })) continue;
    p.assign(decoded.begin(), decoded.begin() + static_cast<std::ptrdiff_t>(rank));
    if (!layout.domain().contains(p)) continue;
    const auto outputs = encode(p);
    const bool lives = layout.is_slot(outputs);
    if ((lives && std::ranges::equal(slot, outputs.first(slot.size()))) || count++ > 0) continue;
    first =
        fmt::format("{} decodes to element {}, which {}", show(slot), show(std::span(p).first(layout.logical().rank())),
                    lives ? "lives at " + show(outputs.first(slot.size())) : "has no slot at all");
  }
  if (count == 0) return {};
  return fmt::format("{}{} of them pass every range check: {}", walk == layout.physical().volume() ? "" : "at least ",
                     count, first);
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

Point as_named(const use::NamedCores* cores, const map::Space& box, const Point& slot) {
  if (cores == nullptr) return slot;
  std::size_t axes = 0;
  Index number = 0;
  for (; axes < box.rank() && box.dims()[axes].name != map::kMemoryAxis; ++axes)
    number = number * box.extent(axes) + slot[axes];
  Point out = cores->cores[static_cast<std::size_t>(number)];
  out.insert(out.end(), slot.begin() + static_cast<std::ptrdiff_t>(axes), slot.end());
  return out;
}

Spot spot_of(const map::Layout& layout, const Point& p) {
  auto outputs = map::evaluate(layout.map(), p);
  VL_CHECK(outputs.has_value(), "a point outside the domain");
  const auto logical = p.begin() + static_cast<std::ptrdiff_t>(layout.logical().rank());
  const auto physical = outputs->begin() + static_cast<std::ptrdiff_t>(layout.physical().rank());
  Point slot(outputs->begin(), physical);
  return {Point(p.begin(), logical), Point(logical, p.end()), std::move(*outputs), std::move(slot)};
}

Counterexample missing(const map::Layout& layout, const Point& p, std::string_view words) {
  const Spot at = spot_of(layout, p);
  return {{{"a", at.element}, {"physical", at.slot}},
          fmt::format(fmt::runtime(words), show(at.element), why_no_slot(layout, at.outputs))};
}

std::optional<Counterexample> broken_rule(std::span<const use::Rule> rules, std::string_view words) {
  const auto breaks = [](const use::Rule& rule) { return rule.have != rule.want; };
  const auto broken = std::ranges::find_if(rules, breaks);
  if (broken == rules.end()) return std::nullopt;
  const bool least = std::ranges::none_of(rules, [&](const use::Rule& rule) {
    return breaks(rule) && std::pair(rule.have, rule.want) < std::pair(broken->have, broken->want);
  });
  return Counterexample{{{"have", broken->have}, {"want", broken->want}},
                        fmt::format(fmt::runtime(words), broken->statement, broken->have, broken->want),
                        least};
}

Counterexample colliding(const map::Layout& layout, const Point& p, const Point& q) {
  const Spot at = spot_of(layout, p);
  const Point b = spot_of(layout, q).element;
  const std::string who = at.element == b ? fmt::format("two replicas of element {}", show(b))
                                          : fmt::format("elements {} and {}", show(at.element), show(b));
  return {{{"a", at.element}, {"b", b}, {"physical", at.slot}},
          fmt::format("{} share the slot {}", who, show(at.slot))};
}

}  // namespace vl::claims
