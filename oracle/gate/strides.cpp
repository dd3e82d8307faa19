#include "oracle/gate/strides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vl::gate {
namespace {

std::optional<Index> place_of(const map::Layout& layout, std::span<const Index> x, std::span<const Index> replica) {
  const Point outputs = map::outputs_at(layout, x, replica);
  if (!layout.named_axes()) return layout.slot_number(outputs);
  return outputs.size() == 1 ? std::optional(outputs[0]) : std::nullopt;
}

struct Stray {
  Point element;
  Index place = 0;
  std::optional<Index> said;  // nothing: it leaves 64 bits
};

// The first element that the strides put elsewhere; nothing if they are the layout's. Requires: one number a dimension.
std::optional<Stray> first_stray(const map::Layout& layout, std::span<const Index> strides) {
  const Point origin(layout.logical().rank(), 0);
  Point replica(layout.replicas().rank(), 0);
  do {
    const Index begin = *place_of(layout, origin, replica);
    Point x = origin;
    do {
      Index said = begin;
      bool fits = true;
      for (std::size_t d = 0; d < x.size() && fits; ++d) fits = accumulate(said, x[d], strides[d]);
      const Index place = *place_of(layout, x, replica);
      if (!fits || said != place) return Stray{x, place, fits ? std::optional(said) : std::nullopt};
    } while (map::advance(layout.logical(), x));
  } while (map::advance(layout.replicas(), replica));
  return std::nullopt;
}

}  // namespace

bool can_have_strides(const map::Layout& layout) {
  if (layout.domain().volume() == 0) return false;
  if (!layout.named_axes()) return all_placed(layout);
  return layout.physical().rank() == 1 && layout.guards() == 0 && map::memory_axis(layout).has_value();
}

std::optional<std::vector<Index>> strides_of(const map::Layout& layout) {
  const Point origin(layout.logical().rank(), 0), replica(layout.replicas().rank(), 0);
  std::vector<Index> out(origin.size(), 0);
  for (std::size_t d = 0; d < out.size(); ++d) {
    if (layout.logical().extent(d) < 2) continue;
    Point next = origin;
    next[d] = 1;
    out[d] = *place_of(layout, next, replica) - *place_of(layout, origin, replica);  // of generated cases: small
  }
  return first_stray(layout, out) ? std::nullopt : std::optional(std::move(out));
}

Judgement judge_strides(const Case& of, const Json& answer) {
  const map::Layout& layout = of.of();
  const Json* value = answer.find("value");
  std::vector<Index> said;
  if (value == nullptr || answer.fields()->size() != 1 || (!value->is_null() && !integers_of(*value, said)))
    return differs("unreadable", "the answer is no 'value' that is a list of integers, or null");
  const auto right = strides_of(layout);
  Judgement out{.word = Word::Agree, .scope = "all-elements", .truth = right.has_value()};
  const auto wrong = [&](std::string kind, std::string detail) {
    out.word = Word::Disagree, out.kind = std::move(kind), out.detail = std::move(detail);
    out.right.set("value", right ? Json(*right) : Json());
    return out;
  };
  if (value->is_null()) return right ? wrong("no", "the layout has strides; the answer says that it has none") : out;
  if (said.size() != layout.logical().rank())
    return wrong("size", fmt::format("{} strides; the tensor has {} dimensions", said.size(), layout.logical().rank()));
  const auto stray = first_stray(layout, said);
  if (!stray) return out;
  const std::string there = stray->said ? fmt::format("at {}", *stray->said) : "beyond 64 bits";
  return wrong("value",
               fmt::format("element [{}] lies at {}; by these strides it lies {}{}", fmt::join(stray->element, ", "),
                           stray->place, there, right ? "" : ". No strides are right"));
}

}  // namespace vl::gate
