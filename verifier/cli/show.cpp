// show: a layout as its memory sees it. What lives in a slot is found by placing every element while there are few, and
// by decoding and encoding the slot again when there are many; no cell is drawn from anything else.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <unordered_map>

#include "verifier/cli/commands.h"
#include "verifier/cli/judge.h"
#include "verifier/report/picture.h"

namespace vl::cli {
namespace {

using report::DrawnStick;
using report::StickKind;

constexpr Index kMostPlaced = Index{1} << 18;    // elements and replicas that are placed one by one
constexpr Index kMostLookedUp = Index{1} << 20;  // slots whose occupants are known, that are looked at
constexpr Index kMostDecoded = Index{1} << 16;   // slots that are decoded
constexpr Index kLongestStick = 4096;            // slots of one stick
constexpr Index kMostDrawn = Index{1} << 20;     // slots that are drawn

Point first_of(std::span<const Index> values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

// What lives in each slot.
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

// The sticks of a layout: how many, what is in each, and what kind those are that were looked at.
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

  /// The sticks that are looked at for their kind: all, or the first and the last of many.
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

// The `most` sticks worth drawing: those with the mark, the first, the last, where the kind changes, then from the start.
std::set<Index> chosen(const Sticks& sticks, const std::map<Index, StickKind>& kinds, const std::set<Index>& marked, Index most) {
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

std::vector<std::variant<DrawnStick, report::LeftOut>> draw(const Sticks& sticks, const std::set<Index>& marked, Index most) {
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

// What a reader of the picture would not see in it.
std::vector<std::string> notes_of(const Subject& subject) {
  std::vector<std::string> notes = subject.reading.notes;
  for (const char* name : {"in-bounds", "injective"}) {
    const claims::Answer answer = claims::decide(*claims::find_claim(name), {&subject.reading.layout, {}, nullptr}, {});
    if (const auto* refuted = std::get_if<certificate::Refuted>(&answer.verdict))
      notes.push_back(fmt::format("not {}: {}", name, refuted->counterexample.explanation));
    const auto* unknown = std::get_if<certificate::Unknown>(&answer.verdict);
    if (unknown != nullptr && unknown->reason != certificate::Reason::Vacuous)
      notes.push_back(fmt::format("whether it is {} is not known", name));
  }
  return notes;
}

std::size_t columns() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* text = std::getenv("COLUMNS");
  const auto given = text == nullptr ? std::vector<Index>{} : [&] {
    auto values = integers_of("COLUMNS", text);
    auto* list = std::get_if<std::vector<Index>>(&values);
    return list == nullptr ? std::vector<Index>{} : std::move(*list);
  }();
  return given.size() == 1 && given[0] > 0 ? static_cast<std::size_t>(given[0]) : 80;
}

std::optional<std::string> why_not_drawn(const Subject& subject) {
  const map::Layout& layout = subject.reading.layout;
  const std::size_t rank = layout.physical().rank();
  if (!subject.reading.unsupported.empty()) return "it cannot be drawn: " + subject.reading.unsupported;
  if (rank > 0 && layout.physical().extent(rank - 1) > kLongestStick)
    return fmt::format("it cannot be drawn: a stick of {} slots is longer than {}", layout.physical().extent(rank - 1), kLongestStick);
  if (layout.domain().volume() > kMostPlaced && !layout.decode())
    return fmt::format("it cannot be drawn: {} elements are more than {} to place one by one, and the host's offsets do "
                       "not nest, so that slots have no way back to elements", layout.domain().volume(), kMostPlaced);
  return std::nullopt;
}

}  // namespace

int run_show(const ShowArguments& arguments) {
  auto request = request_of(arguments.layout);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&request)) return bad_input(*diagnostic);
  auto read = read_subject(std::get<CaseRequest>(request));
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) return bad_input(*diagnostic);
  const Subject& subject = std::get<Subject>(read);
  const map::Layout& layout = subject.reading.layout;
  if (const auto why = why_not_drawn(subject))
    return bad_input(std::get<CaseRequest>(request).layout.diagnose({ErrorCode::Value, *why, 0}));

  report::Picture picture{subject.reading.normal, map::print(subject.tensor), {}, layout.physical(), subject.reading.device_bits,
                          {}, {}, notes_of(subject)};
  for (const map::Dim& dim : layout.logical().dims()) picture.logical.push_back(dim.extent);
  const Sticks sticks(layout);
  std::set<Index> marked;
  if (arguments.at) {
    auto at = point_in(layout.logical(), "--at", *arguments.at);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&at)) return bad_input(*diagnostic);
    picture.mark = std::get<Point>(at);
    Point replica(layout.replicas().rank(), 0);
    for (Index left = std::min(layout.replicas().volume(), arguments.sticks); left > 0; --left, map::advance(layout.replicas(), replica)) {
      const Point outputs = map::outputs_at(layout, *picture.mark, replica);
      if (layout.is_slot(outputs)) marked.insert(sticks.of_slot(layout.physical().linear(first_of(outputs, layout.physical().rank()))));
    }
    if (marked.empty()) picture.notes.push_back(fmt::format("element {} has no slot", claims::show(*picture.mark)));
  }
  const Index most = std::min(arguments.sticks, kMostDrawn / std::max<Index>(sticks.slots(), 1));
  if (most < arguments.sticks && most < sticks.count())
    picture.notes.push_back(fmt::format("no more than {} sticks are drawn", most));
  picture.sticks = draw(sticks, marked, most);
  const bool colour = isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  const std::string out = arguments.format == Format::Json
                              ? report::picture_to_json(picture)
                              : report::picture_to_text(picture, {arguments.width.value_or(columns()), colour});
  std::fwrite(out.data(), 1, out.size(), stdout);
  return 0;
}

}  // namespace vl::cli
