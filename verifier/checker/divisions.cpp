#include "verifier/checker/divisions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "verifier/checker/kernel.h"
#include "verifier/checker/ranges.h"
#include "verifier/kernel/claims/replay.h"

namespace vl::checker {
namespace {

using Cell = kernel::Cell<Wide>;
using Line = kernel::Line<Wide>;
using Group = kernel::Group<Wide>;
using Difference = kernel::Difference<Wide>;

constexpr long long kMostCores = 4096;

using Box = std::vector<Interval>;  // low <= x <= high, of elements; empty where high < low

bool is_empty(const Box& box) {
  return std::ranges::any_of(box, [](const Interval& side) { return side.high < side.low; });
}

bool contains(const Box& box, const Point& p) {
  for (std::size_t i = 0; i < box.size(); ++i)
    if (p[i] < box[i].low || p[i] > box[i].high) return false;
  return true;
}

bool same(const Box& a, const Box& b) {
  return std::ranges::equal(a, b,
                            [](const Interval& x, const Interval& y) { return x.low == y.low && x.high == y.high; });
}

// A key of a division in a tree.
std::size_t key_bytes(const DivisionText& said) { return 64 + said.splits.size() * sizeof(Wide); }

struct Division {
  const DivisionText& said;
  const Space elements;
  std::vector<Wide> units = {}, counts = {};

  [[nodiscard]] bool splits() const { return !said.splits.empty(); }

  void parse() const {
    const std::size_t dims = said.splits.size();
    require(splits() || said.slices, "a division into nothing");
    require(said.scales.size() == dims && said.order.size() == dims, "a division of other dimensions");
    const std::set<std::int64_t> order(said.order.begin(), said.order.end());
    require(order.size() == dims &&
                (dims == 0 || (*order.begin() == 0 && *order.rbegin() + 1 == Wide(static_cast<long long>(dims)))),
            "an order that leaves a dimension out");
    std::set<std::int64_t> hosts;
    for (std::size_t d = 0; d < dims; ++d) {
      require(said.splits[d] > 0, "a split into nothing");
      if (said.scales[d] < 0) continue;
      require(Wide(said.scales[d]) < static_cast<long long>(elements.rank()) && hosts.insert(said.scales[d]).second,
              "a dimension that does not exist, or twice");
    }
    for (const std::int64_t d : said.sticks)
      require(d >= 0 && Wide(d) < static_cast<long long>(dims), "sticks along no dimension");
    for (std::size_t core = 0; said.slices && core < said.slices->size(); ++core)
      require((*said.slices)[core].size() == elements.rank() &&
                  std::ranges::all_of((*said.slices)[core], [](const Integers& side) { return side.size() == 2; }),
              "a slice of another rank");
  }

  // `along`: the dimension that alone moves elements along their stick.
  void count(std::optional<std::size_t> along, Wide stick) {
    units.assign(elements.rank(), 1);
    if (along) units[*along] = stick;
    for (const std::int64_t d : said.sticks)
      if (const std::int64_t host = said.scales[static_cast<std::size_t>(d)]; host >= 0)
        units[static_cast<std::size_t>(host)] = stick;
    for (std::size_t i = 0; i < units.size(); ++i) counts.push_back((elements.extents[i] + units[i] - 1) / units[i]);
    for (std::size_t d = 0; d < said.splits.size(); ++d)
      require(said.scales[d] < 0 || counts[static_cast<std::size_t>(said.scales[d])] % said.splits[d] == 0,
              "a split that does not divide");
  }

  [[nodiscard]] Wide cores() const {
    Wide out = 1;
    for (const std::int64_t split : said.splits) out = out * split;
    require(out <= kMostCores && (!said.slices || said.slices->size() <= kMostCores), "too many cores");
    return out;
  }

  // The number of a core's slice in each dimension; the first of the order is the fastest.
  [[nodiscard]] std::vector<Wide> numbers(Wide core) const {
    charge(4 * said.splits.size() + 1);
    std::vector<Wide> out(said.splits.size());
    for (const std::int64_t d : said.order) {
      const Wide split = said.splits[static_cast<std::size_t>(d)];
      out[static_cast<std::size_t>(d)] = core % split;
      core = core / split;
    }
    return out;
  }
  [[nodiscard]] Box slice(const std::vector<Wide>& numbers) const {
    charge(4 * (numbers.size() + elements.rank()) + 1);
    Box out;
    for (const Wide& extent : elements.extents) out.push_back({0, extent - 1});
    for (std::size_t d = 0; d < numbers.size(); ++d) {
      if (said.scales[d] < 0) continue;
      const auto i = static_cast<std::size_t>(said.scales[d]);
      const Wide step = counts[i] / said.splits[d] * units[i];
      out[i] = {numbers[d] * step, std::min((numbers[d] + 1) * step, elements.extents[i]) - 1};
    }
    return out;
  }
  // A given slice within the tensor.
  [[nodiscard]] Box given(std::size_t core) const {
    Box out;
    if (core >= said.slices->size()) return {{0, -1}};
    const std::vector<Integers>& sides = (*said.slices)[core];
    charge(4 * sides.size() + 1);
    const bool empty = std::ranges::any_of(sides, [](const Integers& side) { return side[1] <= side[0]; });
    for (std::size_t i = 0; i < sides.size(); ++i) {
      require(empty || (sides[i][0] >= 0 && Wide(sides[i][1]) <= counts[i] * units[i]),
              "a slice outside of the tensor");
      out.push_back({std::max(Wide(sides[i][0]), Wide(0)), std::min(Wide(sides[i][1]), elements.extents[i]) - 1});
    }
    return empty ? Box{{0, -1}} : out;
  }

  // The slices that are not empty; that of cores which differ only where the tensor has no dimension counts once.
  [[nodiscard]] std::vector<Box> boxes() const {
    std::vector<Box> out;
    std::set<std::vector<Wide>> seen;
    Wide used = 0;
    const Wide cores_of_splits = splits() ? cores() : Wide(0);
    const Wide stated = said.slices ? static_cast<long long>(said.slices->size()) : 0;
    for (Wide core = 0; core < std::max(cores_of_splits, stated); core += 1) {
      std::vector<Wide> key;
      Box box{{0, -1}};
      if (core < cores_of_splits) {
        key = numbers(core), box = slice(key);
        for (std::size_t d = 0; d < key.size(); ++d)
          if (said.scales[d] < 0) key[d] = 0;
      }
      if (said.slices) {
        const Box have = given(static_cast<std::size_t>(core.narrow()));
        require(!splits() || (is_empty(have) && is_empty(box)) || same(have, box),
                "a slice that is not the division's");
        box = have;
        if (!splits()) used += is_stated_empty(static_cast<std::size_t>(core.narrow())) ? 0 : 1;
      }
      if (is_empty(box) || (splits() && !seen.insert(key).second)) continue;
      hold(64 + box.size() * sizeof(Interval) + key_bytes(said));
      out.push_back(std::move(box));
    }
    require((splits() ? cores_of_splits : used) <= said.cores, "more slices than cores");
    return out;
  }
  [[nodiscard]] bool is_stated_empty(std::size_t core) const {
    return std::ranges::any_of((*said.slices)[core], [](const Integers& side) { return side[1] <= side[0]; });
  }
};

// Whether the last coordinate is seen to depend on dimension i: it changes along that axis of the box, near its ends.
bool changes_along(const Layout& layout, std::size_t i) {
  Point p(layout.map.domain.rank(), 0);
  const Wide extent = layout.map.domain.extents[i], first = evaluate(layout.map, p)[layout.physical.rank() - 1];
  for (Wide x = 1; x < extent; x = x < 64 ? x + 1 : std::max(x + 1, extent - 1)) {
    p[i] = x;
    if (evaluate(layout.map, p)[layout.physical.rank() - 1] != first) return true;
  }
  return false;
}

// The one dimension of the tensor on which the last coordinate depends. Where its line has no atom of a dimension, it
// does not; where it has one, it still may not: under a fact some values come together only, so that a sum of them may
// be constant. So each change has to be seen. Of dimensions that are joined, two that are seen are enough to know that
// there is no such one.
std::optional<std::size_t> along(const Layout& layout, const Cell& cell) {
  if (layout.physical.rank() == 0) return std::nullopt;
  const Line& last = cell.sides[1][0];
  std::vector<std::size_t> dims;
  bool open = false;
  std::vector<bool> of_groups(cell.atoms(), false);
  for (const Group& group : cell.groups) {
    const std::vector<std::size_t> own = cell.atoms_of(group);
    for (const std::size_t k : own) of_groups[k] = true;
    if (group.first >= layout.logical || std::ranges::all_of(own, [&](std::size_t k) { return last.at(k) == 0; }))
      continue;
    open = open || group.dims > 1;
    for (std::size_t i = group.first; i < group.first + group.dims; ++i) {
      const bool changes = changes_along(layout, i);
      require(changes || group.dims > 1, "a dimension along which the last coordinate is not seen to change");
      if (changes) dims.push_back(i);
    }
  }
  for (std::size_t k = 0; k < last.terms.size(); ++k)
    require(last.terms[k] == 0 || of_groups[k], "a stick behind a value without a form");
  require(!open || dims.size() > 1, "a stick along dimensions that are taken together");
  return dims.size() == 1 ? std::optional(dims[0]) : std::nullopt;
}

// Elements of one stick have the same known atoms. Those of one dimension make a multiple K of their divisor g, and the
// others, with the constant, a number in [low, high]; so a stick has elements on both sides of a boundary x only where
// K + low < x <= K + high, and none if no multiple of g is in [x - high, x - low).
void check_sticks(const Layout& layout, const Cell& cell, const std::vector<Box>& boxes, const Difference& shown) {
  for (const Group& group : cell.groups) {
    if (group.first >= layout.logical) continue;
    Line others{group.number.constant, group.number.terms};
    Wide g = 0;
    for (const std::size_t k : cell.atoms_of(group)) {
      if (!shown.is_known(k)) continue;
      g = gcd(g, others.terms[k]);
      others.terms[k] = 0;
    }
    const Wide low = cell.low(others), high = cell.high(others);
    charge(boxes.size() * (4 * group.dims + 1));
    for (const Box& box : boxes)
      for (std::size_t d = group.first; d < group.first + group.dims; ++d)
        for (const Wide& x : {box[d].low, box[d].high + 1}) {
          if (x <= 0 || x >= layout.map.domain.extents[d]) continue;
          require(group.dims == 1 && g > 0 && (x - high + g - 1) / g == (x - low + g - 1) / g,
                  "a slice that may cut a stick");
        }
  }
}

void walk_sticks(const Layout& layout, const std::vector<Box>& boxes) {
  std::map<Point, std::size_t> owners;
  Evaluator evaluate(layout.map);
  walk(layout.map.domain, layout.map, [&](const Point& p) {
    Point stick = evaluate(p);
    stick.resize(std::max<std::size_t>(layout.physical.rank(), 1) - 1);
    std::size_t owner = 0;
    while (owner < boxes.size() && !contains(boxes[owner], p)) charge(2LL), ++owner;
    charge(64LL), hold(96 + stick.size() * sizeof(Wide));  // a node of the tree
    require(owners.try_emplace(std::move(stick), owner).first->second == owner, "a stick of two slices");
  });
}

// The atoms' values, those with large coefficients first, at points of which each group's number lies in its interval.
std::vector<Interval> atoms_within(const Cell& cell, const Box& numbers) {
  std::vector<Interval> out;
  for (const Wide& extent : cell.extents) out.push_back({0, extent - 1});
  for (std::size_t g = 0; g < cell.groups.size(); ++g) {
    const Line& number = cell.groups[g].number;
    std::vector<std::size_t> own = cell.atoms_of(cell.groups[g]);
    std::ranges::sort(own, [&](std::size_t a, std::size_t b) { return number.terms[a] > number.terms[b]; });
    charge_sorting(own.size()), charge(own.size() * own.size());
    for (const std::size_t k : own) {
      Interval rest = {numbers[g].low - number.constant, numbers[g].high - number.constant};
      for (const std::size_t j : own) {
        require(number.terms[j] > 0, "a digit that counts backwards");
        if (j != k) rest = {rest.low - number.terms[j] * out[j].high, rest.high - number.terms[j] * out[j].low};
      }
      const Wide w = number.terms[k];
      out[k] = {std::max(out[k].low, (rest.low + w - 1) / w), std::min(out[k].high, rest.high / w)};
      require(out[k].low <= out[k].high, "a slice without an element");
    }
  }
  return out;
}

// The values of a line there. With number = c + Σ w_j·a_j it is l_k/w_k·(number - c) + Σ (l_j - l_k·w_j/w_k)·a_j, for
// each atom k of a group: of atoms whose factors are in the proportion of their weights the number knows more than
// their own ranges. The best of these is taken, group by group.
Interval range_within(const Cell& cell, const Line& line, const Box& numbers, const std::vector<Interval>& atoms) {
  Interval out{line.constant, line.constant};
  const auto add = [](Interval& sum, const Wide& factor, const Interval& by) {
    sum.low += factor * (factor < 0 ? by.high : by.low), sum.high += factor * (factor < 0 ? by.low : by.high);
  };
  std::vector<bool> done(cell.atoms(), false);
  for (std::size_t g = 0; g < cell.groups.size(); ++g) {
    const Line& number = cell.groups[g].number;
    const std::vector<std::size_t> own = cell.atoms_of(cell.groups[g]);
    charge(own.size() * own.size() + 1);
    Interval best{0, 0};
    for (const std::size_t k : own) add(best, line.at(k), atoms[k]), done[k] = true;
    for (const std::size_t k : own) {
      const Wide l = line.at(k), w = number.terms[k];
      if (l == 0) continue;
      Interval scaled{0, 0};
      add(scaled, l, {numbers[g].low - number.constant, numbers[g].high - number.constant});
      for (const std::size_t j : own) add(scaled, w * line.at(j) - l * number.terms[j], atoms[j]);
      best = {std::max(best.low, (scaled.low + w - 1) / w), std::min(best.high, scaled.high / w)};
    }
    out = {out.low + best.low, out.high + best.high};
  }
  for (std::size_t k = 0; k < line.terms.size(); ++k)
    if (!done[k]) add(out, line.terms[k], {0, cell.extents[k] - 1});
  return out;
}

void check_reach(const Layout& layout, const Cell& cell, const Box& box, Wide bits, Wide span) {
  const Space& domain = layout.map.domain;
  charge(16 * (domain.rank() + cell.atoms()) + 1);
  Box numbers;
  for (const Group& group : cell.groups) {
    Interval all{0, 0};
    for (std::size_t i = group.first; i < group.first + group.dims; ++i) {
      const Interval side = i < layout.logical ? box[i] : Interval{0, domain.extents[i] - 1};
      all = {all.low * domain.extents[i] + side.low, all.high * domain.extents[i] + side.high};
    }
    numbers.push_back(all);
  }
  const std::vector<Interval> atoms = atoms_within(cell, numbers);
  Wide slots = 1;
  for (std::size_t j = 0; j < layout.physical.rank(); ++j) {
    const bool last = j + 1 == layout.physical.rank();
    const Interval touched = range_within(cell, last ? cell.sides[1][0] : cell.sides[0][j], numbers, atoms);
    if (slots == 1) slots = touched.high - touched.low + 1;
    else slots = slots * layout.physical.extents[j];
  }
  require((slots * bits + 7) / 8 <= span, "a slice that may reach too far");
}

// No two have an element in common, and together they have as many as the tensor.
void require_parts(const std::vector<Box>& boxes, Wide left) {
  for (std::size_t a = 0; a < boxes.size(); ++a) {
    Wide volume = 1;
    for (const Interval& side : boxes[a]) volume = volume * (side.high - side.low + 1);
    left = left - volume;
    for (std::size_t b = 0; b < a; ++b) {
      charge(boxes[a].size() + 1);
      bool apart = false;
      for (std::size_t i = 0; i < boxes[a].size(); ++i)
        apart = apart || boxes[a][i].high < boxes[b][i].low || boxes[b][i].high < boxes[a][i].low;
      require(apart, "two slices with an element in common");
    }
  }
  require(left == 0, "an element of no slice");
}

// Replays the steps of one cell: side 0 are all coordinates but the last one, and side 1 is that. `look` sees it once.
void replay_sticks(const Layout& layout, const kernel::Steps& steps,
                   const std::function<void(const Cell&, const Difference*)>& look) {
  const std::size_t rank = layout.physical.rank();
  std::vector<std::size_t> inputs;
  for (std::size_t i = 0; i < layout.map.domain.rank(); ++i) inputs.push_back(i);
  kernel::Rules rules;
  rules.sides = 2;
  rules.run = [&](Cell& cell, std::size_t side, kernel::Notes<Wide>& notes) {
    std::vector<Line> all = carry(cell, layout.map, inputs, notes), last;
    if (rank > 0) {
      last.push_back(std::move(all[rank - 1]));
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(rank - 1));
    }
    return side == 0 ? all : last;
  };
  bool seen = false;
  const auto once = [&](const Cell& cell, const Difference* shown) {
    require(!std::exchange(seen, true) && cell.ran[0] && cell.ran[1], "sticks of a part");
    for (const Group& group : cell.groups)
      require(cell.is_whole(group) && (group.first >= layout.logical || group.first + group.dims <= layout.logical),
              "sticks of a part, or an element and a replica together");
    look(cell, shown);
  };
  rules.known = [](const Cell& cell) { return std::vector<bool>(cell.atoms(), false); };
  rules.close = [&](const kernel::Step& step, Cell& cell, const Difference* shown) {
    require(step.name == "sticks" && step.notes.empty(), "a step that shows something else");
    once(cell, shown);
  };
  rules.swept = [&](const Cell& cell) { once(cell, nullptr); };
  require(kernel::replay(steps, Cell(layout.map.domain), rules).empty() && seen, "a step after the last cell");
}

}  // namespace

void check_division(const Layout& layout, Statement& statement, Evidence& evidence, Questions& questions) {
  enter(__FILE__);
  const DivisionText said = take(statement.division);
  const Wide bits = take(statement.bits);
  require(bits > 0, "elements without bits");
  questions.all_land(layout.physical);
  Division division{said, layout.elements()};
  division.parse();
  const Wide own = layout.physical.rank() == 0 ? Wide(1) : layout.physical.extents.back();
  replay_sticks(layout, take(evidence.sticks), [&](const Cell& cell, const Difference* shown) {
    division.count(along(layout, cell), std::max({own, Wide(said.stick), Wide(1)}));
    const std::vector<Box> boxes = division.boxes();
    require_parts(boxes, division.elements.volume());
    if (shown != nullptr) check_sticks(layout, cell, boxes, *shown);
    else walk_sticks(layout, boxes);
    for (const Box& box : boxes) check_reach(layout, cell, box, bits, said.span);
  });
}

}  // namespace vl::checker
