#include "oracle/gate/map_places.h"

#include <algorithm>

namespace vl::gate {
namespace {

// The extents of the digits of a split of numbers below `volume`; nothing if some digit is not whole.
std::optional<std::vector<Index>> whole_digits(Index volume, const std::vector<Index>& weights) {
  std::vector<Index> out;
  for (const Index weight : weights) {
    if (weight < 1 || volume % weight != 0) return std::nullopt;
    out.push_back(volume / weight);
    volume = weight;
  }
  if (volume != 1) return std::nullopt;  // elements that differ only in what is behind the last digit
  return out;
}

// The last stages: a row an axis over the digits, and a swizzle of one axis.
bool read_places(std::span<const map::Stage> stages, std::size_t digits, use::PlaceForm& out) {
  const auto* rows = stages.empty() ? nullptr : std::get_if<map::Affine>(&stages[0]);
  if (rows == nullptr || rows->rows.size() != out.axes.size() || stages.size() > 2) return false;
  std::vector<bool> used(digits, false);
  out.strides.assign(digits, 0), out.on.assign(digits, 0);
  for (std::size_t a = 0; a < rows->rows.size(); ++a) {
    out.origin.push_back(rows->rows[a].constant);
    for (const map::Term& term : rows->rows[a].terms) {
      if (term.input >= digits || used[term.input]) return false;  // on two axes
      used[term.input] = true;
      out.strides[term.input] = term.coefficient, out.on[term.input] = a;
    }
  }
  if (stages.size() == 1) return true;
  const auto* swizzle = std::get_if<map::Swizzle>(&stages[1]);
  if (swizzle != nullptr) out.swizzle = *swizzle;
  return swizzle != nullptr;
}

// The same form with its axes in the order of the names; nothing where these are others.
std::optional<use::PlaceForm> in_order(use::PlaceForm form, std::span<const std::string> names) {
  if (names.size() != form.axes.size()) return std::nullopt;
  std::vector<std::size_t> to;  // for each axis of the form, its place among the names
  for (const std::string_view axis : form.axes) {
    const auto found = std::ranges::find(names, axis);
    if (found == names.end()) return std::nullopt;
    to.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  const std::vector<Index> origin = form.origin;
  for (std::size_t a = 0; a < to.size(); ++a) form.origin[to[a]] = origin[a], form.axes[to[a]] = names[to[a]];
  for (std::size_t& axis : form.on) axis = to[axis];
  if (form.swizzle) form.swizzle->input = to[form.swizzle->input];
  return form;
}

}  // namespace

std::optional<use::PlaceForm> digits_of(const map::Layout& layout, std::span<const std::string> names) {
  const auto stages = std::span(layout.map().stages());
  if (!layout.named_axes() || layout.replicas().rank() != 0 || layout.guards() != 0 || stages.empty() ||
      layout.logical().volume() < 1 || layout.physical().rank() == 0)
    return std::nullopt;
  const auto* flat = std::get_if<map::Affine>(&stages[0]);
  if (flat == nullptr || flat->rows.size() != 1 || !(flat->rows[0] == map::row_major_number(layout.logical())))
    return std::nullopt;
  use::PlaceForm out;
  out.elements = layout.logical().volume();
  for (const map::Dim& dim : layout.physical().dims()) out.axes.push_back(dim.name);
  const auto* split = stages.size() > 1 ? std::get_if<map::Split>(&stages[1]) : nullptr;
  auto extents = whole_digits(out.elements, split != nullptr ? split->weights : std::vector<Index>{1});
  if (!extents) return std::nullopt;
  out.extents = std::move(*extents);
  if (!read_places(stages.subspan(split != nullptr ? 2 : 1), out.extents.size(), out)) return std::nullopt;
  return in_order(std::move(out), names);
}

}  // namespace vl::gate
