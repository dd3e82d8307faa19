// Banks: a layout on the memory axis m alone. A row of the physical grid is a line of all banks, and a cell is a word
// of a bank. A cell of the logical grid is an element, in the colour of its bank. Elements are drawn at their places,
// also outside the box.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "encodings/map/text.h"
#include "verifier/cli/show.h"

namespace vl::cli {
namespace {

constexpr Index kMostBankColumns = 128;  // columns

struct Banks {
  Index count = 32;
  Index bytes = 4;  // of a word
  Index bits = 0;   // of an element
  [[nodiscard]] Index line_of(Index word) const { return floor_div(word, count); }
  [[nodiscard]] Index bank_of(Index word) const { return floor_mod(word, count); }
  [[nodiscard]] Index line_bytes() const { return count * bytes; }
};

// The words that hold a bit of the element at m, [first, last]; nothing beyond 60 bits.
std::optional<std::pair<Index, Index>> words_of(const Banks& banks, Index m) {
  const auto bit = checked_mul(m, banks.bits);
  if (!bit || *bit > Index{1} << 60 || *bit < -(Index{1} << 60)) return std::nullopt;
  return std::pair{floor_div(*bit, 8 * banks.bytes), floor_div(*bit + banks.bits - 1, 8 * banks.bytes)};
}

Index byte_of(const Banks& banks, Index m) { return floor_div(m * banks.bits, 8); }

struct Word {
  std::vector<Point> elements;
  Index more = 0;
  bool marked = false;
  bool outside = false;
};

// The drawn parts of one layout.
struct Drawing {
  const Shown& shown;
  Banks banks;
  const Touched* touched = nullptr;
  std::map<Index, Word> words;
};

std::map<Index, Word> words_with(const Shown& shown, const Banks& banks, const std::vector<Placed>& placed,
                                 std::vector<std::string>& notes) {
  std::map<Index, Word> out;
  Index negative = 0;
  Index far = 0;
  for (const Placed& each : placed) {
    if (each.place.at[0] < 0) ++negative;
    const auto words = words_of(banks, each.place.at[0]);
    if (!words) {
      ++far;
      continue;
    }
    for (Index number = words->first; number <= words->second; ++number) {
      Word& word = out[number];
      word.outside |= !each.place.inside;
      word.marked |= shown.mark == each.element;
      if (!word.elements.empty() && word.elements.back() == each.element) continue;
      if (word.elements.size() < kMostShown) word.elements.push_back(each.element);
      else ++word.more;
    }
  }
  if (negative > 0) notes.push_back(fmt::format("{} at negative addresses", report::plural(negative, "place")));
  if (far > 0) notes.push_back(fmt::format("{} beyond 2^60 bits are not drawn", report::plural(far, "place")));
  return out;
}

// The lines to draw: with the mark, then with lanes, then from the first on, among those that were looked at.
std::set<Index> chosen_lines(const Drawing& drawing, bool whole, Index all) {
  const Index most = drawing.shown.most;
  std::set<Index> out;
  const auto add = [&](Index line) {
    if (static_cast<Index>(out.size()) < most) out.insert(line);
  };
  for (const auto& [number, word] : drawing.words)
    if (word.marked) add(drawing.banks.line_of(number));
  if (drawing.touched != nullptr)
    for (const auto& [number, word] : drawing.touched->words) add(drawing.banks.line_of(number));
  for (const auto& [number, word] : drawing.words)
    if (!whole || word.outside || number < 0) add(drawing.banks.line_of(number));
  for (Index line = 0; whole && line < all && static_cast<Index>(out.size()) < most; ++line) add(line);
  return out;
}

report::GridCell word_cell(const Drawing& drawing, Index number) {
  report::GridCell cell;
  const Banks& banks = drawing.banks;
  cell.title = fmt::format("line {}, bank {}, bytes {}..{}: ", banks.line_of(number), banks.bank_of(number),
                           number * banks.bytes, number * banks.bytes + banks.bytes - 1);
  std::string names = "no element";
  if (const auto word = drawing.words.find(number); word != drawing.words.end()) {
    cell.holds = word->second.elements;
    cell.marked = word->second.marked;
    cell.outside = word->second.outside;
    cell.text = names = report::spelled(cell.holds);
    if (word->second.more > 0) cell.text += fmt::format("|+{}", word->second.more);
    if (banks.bank_of(number) < kMostBankColumns) cell.colour = static_cast<std::size_t>(banks.bank_of(number));
    if (cell.outside) names += ", outside the box";
  }
  cell.title += names;
  if (drawing.touched != nullptr) {
    if (const auto found = drawing.touched->words.find(number); found != drawing.touched->words.end()) {
      cell.lanes = found->second.lanes;
      cell.conflict = found->second.conflict;
      cell.title += fmt::format("; lanes {}{}", report::spelled_list(cell.lanes), cell.conflict ? ", in conflict" : "");
    }
  }
  return cell;
}

report::Grid bank_grid(const Drawing& drawing, bool whole) {
  const Banks& banks = drawing.banks;
  report::Grid grid;
  grid.name = "bank";
  grid.says = "element";
  grid.joining = report::Joining::Runs;
  const Index columns = std::min(banks.count, kMostBankColumns);
  for (Index bank = 0; bank < columns; ++bank) grid.columns.push_back(fmt::format("{}", bank));
  if (columns < banks.count) grid.left_out = fmt::format("banks 0..{} of {}", columns - 1, banks.count);
  const auto last = words_of(banks, drawing.shown.layout.physical().extent(0) - 1);
  Index all = last ? banks.line_of(last->second) + 1 : 0;
  if (whole && !drawing.words.empty()) all = std::max(all, banks.line_of(drawing.words.rbegin()->first) + 1);
  const std::set<Index> lines = chosen_lines(drawing, whole, all);
  constexpr std::string_view kCorner = "byte \\ bank";  // of the rows, of the columns
  std::size_t digits = kCorner.size();
  for (const Index line : lines) digits = std::max(digits, fmt::format("{}", line * banks.line_bytes()).size());
  grid.corner = fmt::format("{:>{}}", kCorner, digits);
  Index next = lines.empty() ? 0 : std::min<Index>(*lines.begin(), 0);
  for (const Index line : lines) {
    leave_out(grid, line - next, "line");
    next = line + 1;
    report::GridRow& row = grid.rows.emplace_back();
    row.header = fmt::format("{:>{}}", line * banks.line_bytes(), digits);
    for (Index bank = 0; bank < columns; ++bank) row.cells.push_back(word_cell(drawing, line * banks.count + bank));
  }
  leave_out(grid, all - next, "line");
  return grid;
}

report::GridCell element_cell(const Drawing& drawing, const Point& element) {
  const Banks& banks = drawing.banks;
  report::GridCell cell;
  cell.title = report::spelled({element}) + ":";
  cell.marked = drawing.shown.mark == element;
  std::set<Index> found;
  std::set<Index> lanes;
  for (const Place& place : places_of(drawing.shown.layout, element)) {
    cell.outside |= !place.inside;
    cell.holds.push_back(place.at);
    const auto words = words_of(banks, place.at[0]);
    if (!words) continue;
    found.insert(banks.bank_of(words->first));
    if (cell.holds.size() <= kMostShown)
      cell.title += fmt::format(" m {}, byte {}, line {}, bank {}", place.at[0], byte_of(banks, place.at[0]),
                                banks.line_of(words->first), banks.bank_of(words->first));
    if (drawing.touched == nullptr) continue;
    const Index from = byte_of(banks, place.at[0]);
    const Index end = floor_div(place.at[0] * banks.bits + banks.bits - 1, 8);
    for (auto it = drawing.touched->bytes.lower_bound(from); it != drawing.touched->bytes.end() && it->first <= end;
         ++it) {
      lanes.insert(it->second.begin(), it->second.end());
      cell.conflict |= drawing.touched->words.at(floor_div(it->first, banks.bytes)).conflict;
    }
  }
  for (const Index lane : lanes) cell.lanes.push_back(lane);
  cell.text = report::spelled_list({found.begin(), found.end()});
  if (!found.empty() && *found.begin() < kMostBankColumns) cell.colour = static_cast<std::size_t>(*found.begin());
  if (cell.outside) cell.title += ", outside the box";
  if (!cell.lanes.empty())
    cell.title += fmt::format("; lanes {}{}", report::spelled_list(cell.lanes), cell.conflict ? ", in conflict" : "");
  return cell;
}

}  // namespace

Result<report::Figure> bank_figure(const Shown& shown, const use::Hardware& hardware,
                                   const std::optional<ShownAccess>& access) {
  const map::Layout& layout = shown.layout;
  const Banks banks{hardware.banks, hardware.bytes_per_bank, shown.subject.reading.device_bits};
  const auto line_bytes = checked_mul(banks.count, banks.bytes);
  if (banks.bits <= 0) return Error{ErrorCode::Value, "it cannot be drawn: the size of an element is not known", 0};
  if (banks.count < 1 || banks.bytes < 1 || !line_bytes || *line_bytes > Index{1} << 40)
    return Error{ErrorCode::Value, "it cannot be drawn: a line of all banks is too long", 0};
  report::Figure figure{
      shown.subject.reading.normal, map::print(shown.subject.tensor), {}, {}, "bank", {}, {}, shown.notes};
  figure.space =
      fmt::format("{}, lines of {} banks of {} bytes", map::print(layout.physical()), banks.count, banks.bytes);
  for (Index bank = 0; bank < std::min(banks.count, kMostBankColumns); ++bank)
    figure.colours.push_back(fmt::format("{}", bank));
  std::optional<Touched> touched;
  if (access) touched = touched_by(*access, hardware.name, figure.notes);
  std::vector<Point> wanted;
  if (shown.mark) wanted.push_back(*shown.mark);
  if (touched) wanted.insert(wanted.end(), touched->elements.begin(), touched->elements.end());
  const Window window = window_of(layout.logical(), wanted, shown.most);
  const Placing placing = place(layout, window, figure.notes);
  Drawing drawing{shown, banks, touched ? &*touched : nullptr, words_with(shown, banks, placing.placed, figure.notes)};
  report::Grid logical = logical_grid(window, [&](const Point& element) { return element_cell(drawing, element); });
  logical.says = "bank";
  figure.grids.push_back(std::move(logical));
  figure.grids.push_back(bank_grid(drawing, placing.whole));
  if (touched) {
    figure.grids.push_back(report::lanes_grid(figure.grids.back()));
    figure.access = touched->use;
  }
  return figure;
}

}  // namespace vl::cli
