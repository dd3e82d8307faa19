#include "oracle/executor/cover.h"

#include <algorithm>

#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

struct Stride {
  Index extent = 1;
  Index step = 0;
};

// A piece on its way to its leaf: its part within the variable that is being divided.
struct Item {
  std::int32_t piece = 0;
  std::size_t next = 0;  // its longest stride that is left, and how many there are
  std::size_t left = 0;
  Index offset = 0;
  Index reach = 0;  // the distance from its first unit to its last
  Index row = 0;    // the rows that it spans
  Index rows = 1;
};

constexpr std::size_t kMostDepth = 128;

class Cover {
 public:
  Cover(Plan& plan, std::vector<PlannedPiece>& gaps, std::vector<Item>& items, std::vector<Stride>& strides)
      : plan_(plan), gaps_(gaps), items_(items), strides_(strides) {}

  void add(const PlannedPiece& piece, std::int32_t number);
  // False if the pieces share units or are interleaved in another way.
  bool solve(Index units) {
    if (units == 0) return items_.empty();
    if (units > 1) push(units, 1);
    return units > 1 ? along(0, units, 0, items_.size()) : leaf();
  }

 private:
  // The items [lo, hi) within variable a, of the extent `length` and the coefficient 1.
  bool along(std::size_t a, Index length, std::size_t lo, std::size_t hi);
  // The longest stride of items.
  [[nodiscard]] Index longest(std::size_t lo, std::size_t hi) const;
  // The number of units from `origin` that are whole rows of the items [lo, group), whose units end at `end`, with the
  // gaps around them, as far as the next item; 0 if there is no such number.
  [[nodiscard]] Index whole_rows(std::size_t lo, std::size_t group, Index origin, Index end, Index next) const;
  // The items [lo, hi) in rows of their longest stride.
  bool rows_of(std::size_t a, Index length, std::size_t lo, std::size_t hi);
  // Items of the cells (row, place) of variables a and z.
  bool within(std::size_t a, std::size_t z, std::size_t lo, std::size_t hi);
  // The same in parts that no item crosses, of the rows or of the places; `parted` when there is more than one.
  template <bool kRows>
  bool cut_apart(std::size_t a, std::size_t z, std::size_t lo, std::size_t hi, bool& parted);
  bool enter_rows(Item& item, Index step);

  bool leaf() {  // memory of one unit
    if (items_.empty()) return gap();
    return items_.size() == 1 && holds(items_[0]);
  }
  bool is_full(const Item& item, Index length) const {
    if (item.offset != 0 || item.reach != length - 1) return false;
    return item.left == 0 || (item.left == 1 && strides_[item.next].step == 1);
  }
  bool holds(const Item& item) {
    plan_.cover.push_back({Rule::Holds, 0, 0, planted(Fault::CoverHoldsTheNextPiece) ? item.piece + 1 : item.piece});
    return true;
  }
  bool gap();
  void push(Index extent, Index step) {
    extent_[rank_] = extent;
    step_[rank_++] = step;
  }
  // Continues with the first n values of variable a. Requires: 0 < n < its extent.
  void cut(std::size_t a, Index n) {
    plan_.cover.push_back({Rule::Cut, static_cast<std::uint8_t>(a), 0, planted(Fault::CoverCutsLate) ? n + 1 : n});
  }

  Plan& plan_;
  std::vector<PlannedPiece>& gaps_;
  std::vector<Item>& items_;
  std::vector<Stride>& strides_;
  std::size_t rank_ = 0;
  std::size_t depth_ = 0;
  Index base_ = 0;  // the cell's first unit
  std::array<Index, kMostVariables> extent_;
  std::array<Index, kMostVariables> step_;
};

void Cover::add(const PlannedPiece& piece, std::int32_t number) {
  Item item{number, strides_.size(), 0, piece.destination, 0, 0, 1};
  for (std::size_t k = 0; k < piece.rank; ++k) {
    const PieceLoop& loop = piece.loops[k];
    item.reach += loop.destination * (loop.extent - 1);
    if (item.left > 0 && strides_.back().step == loop.destination * loop.extent) {
      strides_.back() = {strides_.back().extent * loop.extent, loop.destination};
    } else {
      strides_.push_back({loop.extent, loop.destination});
      ++item.left;
    }
  }
  items_.push_back(item);
}

bool Cover::gap() {
  plan_.cover.push_back({Rule::Gap, 0, 0, 0});
  if (gaps_.size() >= kMostPlanPieces) return false;
  PlannedPiece& made = gaps_.emplace_back();
  made.destination = base_;
  for (std::size_t k = 0; k < rank_; ++k)
    if (extent_[k] > 1) made.loops[made.rank++] = {extent_[k], 0, step_[k]};
  if (planted(Fault::CoverGapOneShort) && made.rank > 0 && made.loops[made.rank - 1].extent > 2)
    --made.loops[made.rank - 1].extent;
  normalise(made);
  return made.rank <= kMostLoops;
}

bool Cover::along(std::size_t a, Index length, std::size_t lo, std::size_t hi) {
  const auto at = [&](std::size_t k) { return items_.begin() + static_cast<std::ptrdiff_t>(k); };
  if (hi - lo > 1) std::sort(at(lo), at(hi), [](const Item& x, const Item& y) { return x.offset < y.offset; });
  const Index base = base_;
  bool fine = true;
  Index origin = 0;
  while (fine && origin < length) {
    base_ = base + origin * step_[a];
    const Index left = length - origin;
    std::size_t group = lo;  // one interval of units, from the first item on
    Index end = lo < hi ? items_[lo].offset + 1 : length;
    for (; group < hi && items_[group].offset < end; ++group)
      end = std::max(end, items_[group].offset + items_[group].reach + 1);
    const Index next = group < hi ? items_[group].offset : length;
    Index count = lo < hi ? whole_rows(lo, group, origin, end, next) : left;  // how many units go on
    if (count == 0 && items_[lo].offset > origin) {                           // only the gap before it
      group = lo;
      count = items_[lo].offset - origin;
    } else if (count == 0) {
      count = end - origin;
    }
    for (std::size_t k = lo; k < group; ++k) items_[k].offset -= origin;
    if (count < left) cut(a, count);
    extent_[a] = count;
    if (group == lo) {
      fine = gap();
    } else if (group == lo + 1 && is_full(items_[lo], count)) {
      fine = holds(items_[lo]);
    } else {
      fine = rows_of(a, count, lo, group);
    }
    lo = group;
    origin += count;
  }
  base_ = base;
  extent_[a] = length;
  return fine && lo == hi;
}

Index Cover::longest(std::size_t lo, std::size_t hi) const {
  Index step = 0;
  for (std::size_t k = lo; k < hi; ++k)
    if (items_[k].left > 0) step = std::max(step, strides_[items_[k].next].step);
  return step;
}

Index Cover::whole_rows(std::size_t lo, std::size_t group, Index origin, Index end, Index next) const {
  const Index step = longest(lo, group);
  if (step < 2 || items_[lo].offset - origin >= step) return 0;
  const Index count = ceil_div(end - origin, step) * step;
  if (count > next - origin) return 0;
  for (std::size_t k = lo; k < group; ++k) {
    const Item& item = items_[k];
    if (item.left == 0 || strides_[item.next].step != step) continue;
    const Index reach = item.reach - step * (strides_[item.next].extent - 1);
    if ((item.offset - origin) % step + reach >= step) return 0;
  }
  return count;
}

bool Cover::enter_rows(Item& item, Index step) {
  item.row = item.offset / step;
  item.rows = 1;
  item.offset %= step;
  if (item.left > 0) {
    Stride& longest = strides_[item.next];
    const Index rest = item.reach - longest.step * (longest.extent - 1);
    if (longest.step == step) {
      item.rows = longest.extent;
      item.reach = rest;
      ++item.next;
      --item.left;
    } else if (item.offset + item.reach >= step) {  // it runs through several rows: whole ones, or this cannot follow
      const Index per_row = step / longest.step;
      if (step % longest.step != 0 || longest.extent % per_row != 0) return false;
      item.rows = longest.extent / per_row;
      longest.extent = per_row;
      item.reach = longest.step * (per_row - 1) + rest;
    }
  }
  return item.offset + item.reach < step;
}

bool Cover::rows_of(std::size_t a, Index length, std::size_t lo, std::size_t hi) {
  const Index step = longest(lo, hi);
  if (step < 2 || step >= length || rank_ == kMostVariables) return false;
  plan_.cover.push_back({Rule::Block, static_cast<std::uint8_t>(a), 0, step});
  for (std::size_t k = lo; k < hi; ++k)
    if (!enter_rows(items_[k], step)) return false;
  const std::size_t z = rank_;
  const Index own = step_[a];
  const Index whole = length / step;
  const Index rest = length % step;
  const Index base = base_;
  push(step, own);
  step_[a] = own * step;
  bool fine = true;
  if (rest == 0) {
    extent_[a] = whole;
    fine = within(a, z, lo, hi);
  } else {
    std::size_t middle = lo;  // items of the first `rest` places of a row come first
    for (std::size_t k = lo; k < hi && fine; ++k) {
      if (items_[k].offset >= rest) continue;
      fine = items_[k].offset + items_[k].reach < rest;
      std::swap(items_[k], items_[middle++]);
    }
    extent_[a] = whole + 1;
    extent_[z] = rest;
    fine = fine && within(a, z, lo, middle);
    extent_[a] = whole;
    extent_[z] = step - rest;
    base_ = base + rest * own;
    for (std::size_t k = middle; k < hi; ++k) items_[k].offset -= rest;
    fine = fine && within(a, z, middle, hi);
  }
  base_ = base;
  step_[a] = own;
  extent_[a] = length;
  --rank_;
  return fine;
}

bool Cover::within(std::size_t a, std::size_t z, std::size_t lo, std::size_t hi) {
  if (lo == hi) return gap();
  if (std::all_of(items_.begin() + static_cast<std::ptrdiff_t>(lo), items_.begin() + static_cast<std::ptrdiff_t>(hi),
                  [&](const Item& item) { return item.row == 0 && item.rows == extent_[a]; }))
    return along(z, extent_[z], lo, hi);
  if (++depth_ > kMostDepth) return false;
  bool parted = false;
  bool fine = cut_apart<true>(a, z, lo, hi, parted);
  if (fine && !parted) fine = cut_apart<false>(a, z, lo, hi, parted);
  --depth_;
  return fine && parted;
}

template <bool kRows>
bool Cover::cut_apart(std::size_t a, std::size_t z, std::size_t lo, std::size_t hi, bool& parted) {
  constexpr auto kFirst = kRows ? &Item::row : &Item::offset;
  const auto end_of = [](const Item& item) { return kRows ? item.row + item.rows : item.offset + item.reach + 1; };
  std::sort(items_.begin() + static_cast<std::ptrdiff_t>(lo), items_.begin() + static_cast<std::ptrdiff_t>(hi),
            [](const Item& x, const Item& y) { return x.*kFirst < y.*kFirst; });
  const std::size_t variable = kRows ? a : z;
  const Index all = extent_[variable];
  const Index base = base_;
  bool fine = true;
  for (Index first = 0; fine && first < all;) {
    std::size_t group = lo;
    Index end = first;
    if (lo < hi && items_[lo].*kFirst > first) end = items_[lo].*kFirst;
    if (lo == hi) end = all;
    if (end == first) {
      end = first + 1;
      for (; group < hi && items_[group].*kFirst < end; ++group) end = std::max(end, end_of(items_[group]));
    }
    if (end > all) return false;
    if (first == 0 && end == all) return true;  // nothing to cut
    parted = true;
    for (std::size_t k = lo; k < group; ++k) items_[k].*kFirst -= first;
    if (end < all) cut(variable, end - first);
    extent_[variable] = end - first;
    base_ = base + first * step_[variable];
    fine = within(a, z, lo, group);
    lo = group;
    first = end;
  }
  extent_[variable] = all;
  base_ = base;
  return fine;
}

}  // namespace

std::optional<Error> derive_cover(Index units, const std::vector<PlannedPiece>& pieces, Plan& plan,
                                  std::vector<PlannedPiece>& gaps) {
  thread_local std::vector<Item> items;
  thread_local std::vector<Stride> strides;
  items.clear();
  strides.clear();
  Cover cover(plan, gaps, items, strides);
  for (std::size_t k = 0; k < pieces.size(); ++k) cover.add(pieces[k], static_cast<std::int32_t>(k));
  if (cover.solve(units)) return std::nullopt;
  return Error{ErrorCode::Value, "pieces share a unit of the destination or interleave in too many ways"};
}

}  // namespace vl::oracle
