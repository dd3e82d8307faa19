// Sticks: the content of a slot is found by placing every element if there are few, and by decoding and encoding the
// slot again if there are many. Cells are drawn only from this.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "encodings/map/text.h"
#include "verifier/cli/show.h"

namespace vl::cli {
namespace {

using report::DrawnStick;
using report::StickKind;

constexpr Index kMostLookedUp = Index{1} << 20;  // the most slots that are looked up, if their content is known
constexpr Index kMostDecoded = Index{1} << 16;   // the most slots that are decoded
constexpr Index kLongestStick = 4096;            // slots of one stick
constexpr Index kMostDrawn = Index{1} << 20;     // the most slots that are drawn

Point first_of(std::span<const Index> values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

// The content of each slot.
class Occupants {
 public:
  explicit Occupants(const map::Layout& layout) : layout_(layout) {
    if (!complete()) return;
    map::Evaluator evaluate(layout.map());
    const map::Space& domain = layout.domain();
    Point p(domain.rank(), 0);
    for (Index left = domain.volume(); left > 0; --left, map::advance(domain, p)) {
      const auto outputs = evaluate(p);
      if (!layout.is_slot(outputs)) continue;
      auto& here = placed_[layout.physical().linear(outputs.first(layout.physical().rank()))];
      Point element = first_of(p, layout.logical().rank());
      // Two replicas of one element in one slot are drawn once.
      if (here.empty() || here.back() != element) here.push_back(std::move(element));
    }
  }

  /// Every element was placed; else slots are decoded, which needs a decode map.
  [[nodiscard]] bool complete() const { return layout_.domain().volume() <= kMostPlaced; }

  [[nodiscard]] std::vector<Point> in(Index slot) const {
    if (complete()) {
      const auto found = placed_.find(slot);
      return found == placed_.end() ? std::vector<Point>{} : found->second;
    }
    const map::SlotUse use = map::use_of(layout_, layout_.physical().point(slot));
    if (!use.valid) return {};
    return {first_of(use.point, layout_.logical().rank())};
  }

 private:
  const map::Layout& layout_;
  std::unordered_map<Index, std::vector<Point>> placed_;
};

// The sticks of a layout: their number, the content of each, and the kinds of those that were scanned.
class Sticks {
 public:
  explicit Sticks(const map::Layout& layout) : layout_(layout), occupants_(layout) {
    const std::size_t rank = layout.physical().rank();
    slots_ = rank == 0 ? 1 : layout.physical().extent(rank - 1);
    count_ = slots_ == 0 ? 0 : layout.physical().volume() / slots_;
  }

  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] Index slots() const { return slots_; }  // of one stick
  [[nodiscard]] Index of_slot(Index slot) const { return slot / slots_; }

  [[nodiscard]] DrawnStick stick(Index number) const {
    DrawnStick out;
    out.number = number;
    out.at = layout_.physical().point(number * slots_);
    if (!out.at.empty()) out.at.pop_back();
    for (Index slot = 0; slot < slots_; ++slot) out.cells.push_back({occupants_.in(number * slots_ + slot)});
    return out;
  }

  /// The sticks that are scanned for their kind: all, or the first and the last of many.
  [[nodiscard]] std::vector<std::pair<Index, Index>> scanned() const {
    const Index slots = occupants_.complete() ? kMostLookedUp : kMostDecoded;
    const Index most = std::max<Index>(slots / std::max<Index>(slots_, 1), 2);
    if (count_ <= most) return {{0, count_}};
    return {{0, most / 2}, {count_ - most / 2, count_}};
  }

 private:
  const map::Layout& layout_;
  Occupants occupants_;
  Index slots_ = 0;
  Index count_ = 0;
};

// The `most` sticks that are drawn: those with the mark, the first, the last, those at which the kind changes, then
// from the start.
std::set<Index> chosen(const Sticks& sticks, const std::map<Index, StickKind>& kinds, const std::set<Index>& marked,
                       Index most) {
  std::set<Index> out;
  const auto add = [&](Index number) {
    if (static_cast<Index>(out.size()) < most && number < sticks.count()) out.insert(number);
  };
  for (const Index number : marked) add(number);
  add(0);
  add(sticks.count() - 1);
  std::set<StickKind> seen;
  for (const auto& [number, kind] : kinds)
    if (seen.insert(kind).second) add(number);
  for (const auto& [number, kind] : kinds) {
    const auto before = kinds.find(number - 1);
    if (before != kinds.end() && before->second != kind) add(number);
  }
  for (Index number = 0; static_cast<Index>(out.size()) < std::min(most, sticks.count()); ++number) add(number);
  return out;
}

std::vector<std::variant<DrawnStick, report::LeftOut>> draw(const Sticks& sticks, const std::set<Index>& marked,
                                                            Index most) {
  std::map<Index, StickKind> kinds;
  for (const auto& [first, end] : sticks.scanned())
    for (Index number = first; number < end; ++number) kinds.emplace(number, report::kind_of(sticks.stick(number)));
  const std::set<Index> drawn = sticks.count() == 0 ? std::set<Index>{} : chosen(sticks, kinds, marked, most);
  std::vector<std::variant<DrawnStick, report::LeftOut>> out;
  Index next = 0;
  const auto leave_out = [&](Index end) {
    report::LeftOut left{next, end - next, {}};
    for (auto it = kinds.lower_bound(next); it != kinds.end() && it->first < end; ++it)
      ++left.kinds[static_cast<std::size_t>(it->second)];
    if (left.count > 0) out.emplace_back(left);
  };
  for (const Index number : drawn) {
    leave_out(number);
    out.emplace_back(sticks.stick(number));
    next = number + 1;
  }
  leave_out(sticks.count());
  return out;
}

// The number of a colour for each stick that is drawn.
std::map<Index, std::size_t> colours_of(const report::Picture& picture, std::vector<std::string>& names) {
  std::map<Index, std::size_t> out;
  for (const auto& row : picture.sticks) {
    const auto* stick = std::get_if<DrawnStick>(&row);
    if (stick == nullptr || out.size() == kMostColours) continue;
    out.emplace(stick->number, names.size());
    names.push_back(fmt::format("{}", stick->number));
  }
  return out;
}

report::Grid grid_of(const report::Picture& picture, const std::map<Index, std::size_t>& colours) {
  const map::Space& physical = picture.physical;
  const Index slots = physical.rank() == 0 ? 1 : physical.extent(physical.rank() - 1);
  report::Grid grid;
  grid.name = "physical";
  grid.says = "element";
  for (std::size_t d = 0; d + 1 < physical.rank(); ++d) grid.corner += (d == 0 ? "" : ",") + physical.dims()[d].name;
  for (Index c = 0; c < std::min(slots, kMostColumns); ++c) grid.columns.push_back(fmt::format("{}", c));
  if (slots > kMostColumns) grid.left_out = fmt::format("slots 0..{} of {} in a stick", kMostColumns - 1, slots);
  for (const auto& item : picture.sticks) {
    if (const auto* left = std::get_if<report::LeftOut>(&item)) {
      leave_out(grid, left->count, "stick");
      continue;
    }
    const DrawnStick& stick = std::get<DrawnStick>(item);
    report::GridRow& row = grid.rows.emplace_back(report::GridRow{fmt::format("{}", fmt::join(stick.at, ",")), {}});
    for (std::size_t c = 0; c < grid.columns.size(); ++c) {
      report::GridCell& cell = row.cells.emplace_back();
      cell.holds = stick.cells[c].elements;
      cell.text = report::spelled(cell.holds);
      cell.marked = picture.mark && std::ranges::find(cell.holds, *picture.mark) != cell.holds.end();
      cell.title = fmt::format("stick {}, slot {}: {}", stick.number, c, cell.text.empty() ? "padding" : cell.text);
      const auto colour = colours.find(stick.number);
      if (!cell.text.empty() && colour != colours.end()) cell.colour = colour->second;
    }
  }
  return grid;
}

}  // namespace

std::optional<std::string> why_no_sticks(const Shown& shown) {
  const map::Layout& layout = shown.layout;
  const std::size_t rank = layout.physical().rank();
  if (rank > 0 && layout.physical().extent(rank - 1) > kLongestStick)
    return fmt::format("it cannot be drawn: a stick of {} slots is longer than {}", layout.physical().extent(rank - 1),
                       kLongestStick);
  if (layout.domain().volume() > kMostPlaced && !layout.decode())
    return fmt::format(
        "it cannot be drawn: {} elements are more than {} to place one by one, and the host's offsets do "
        "not nest, so that slots have no way back to elements",
        layout.domain().volume(), kMostPlaced);
  return std::nullopt;
}

report::Picture sticks_of(const Shown& shown) {
  const map::Layout& layout = shown.layout;
  report::Picture picture{shown.subject.reading.normal,
                          map::print(shown.subject.tensor),
                          {},
                          layout.physical(),
                          shown.subject.reading.device_bits,
                          {},
                          shown.mark,
                          shown.notes};
  for (const map::Dim& dim : layout.logical().dims()) picture.logical.push_back(dim.extent);
  const Sticks sticks(layout);
  std::set<Index> marked;
  if (shown.mark) {
    Point replica(layout.replicas().rank(), 0);
    for (Index left = std::min(layout.replicas().volume(), shown.most); left > 0;
         --left, map::advance(layout.replicas(), replica)) {
      const Point outputs = map::outputs_at(layout, *shown.mark, replica);
      if (layout.is_slot(outputs))
        marked.insert(sticks.of_slot(layout.physical().linear(first_of(outputs, layout.physical().rank()))));
    }
    if (marked.empty()) picture.notes.push_back(fmt::format("element {} has no slot", claims::show(*shown.mark)));
  }
  const Index most = std::min(shown.most, kMostDrawn / std::max<Index>(sticks.slots(), 1));
  if (most < shown.most && most < sticks.count())
    picture.notes.push_back(fmt::format("no more than {} sticks are drawn", most));
  picture.sticks = draw(sticks, marked, most);
  return picture;
}

report::Figure stick_figure(const Shown& shown) {
  const map::Layout& layout = shown.layout;
  const report::Picture picture = sticks_of(shown);
  report::Figure figure{picture.layout, picture.tensor, map::print(layout.physical()), {}, "stick", {}, {},
                        picture.notes};
  const auto colours = colours_of(picture, figure.colours);
  const Index slots = layout.physical().rank() == 0 ? 1 : layout.physical().dims().back().extent;
  const Window window =
      window_of(layout.logical(), shown.mark ? std::vector<Point>{*shown.mark} : std::vector<Point>{}, shown.most);
  report::Grid logical = logical_grid(window, [&](const Point& element) {
    report::GridCell cell;
    cell.title = report::spelled({element}) + ":";
    cell.marked = shown.mark == element;
    std::vector<Point> slot;
    for (const Place& place : places_of(layout, element)) {
      if (!place.inside) continue;
      cell.holds.push_back(place.at);
      const Index number = layout.physical().linear(place.at);
      if (slot.empty() || slot.back().front() != number % slots) slot.push_back({number % slots});
      if (const auto found = colours.find(number / slots); !cell.colour && found != colours.end())
        cell.colour = found->second;
      if (cell.holds.size() <= kMostShown)
        cell.title += fmt::format(" stick {}, slot {}", number / slots, number % slots);
    }
    if (cell.holds.empty()) cell.title += " no slot";
    cell.text = report::spelled(slot);
    return cell;
  });
  logical.says = "slot in its stick";
  figure.grids.push_back(std::move(logical));
  figure.grids.push_back(grid_of(picture, colours));
  return figure;
}

}  // namespace vl::cli
