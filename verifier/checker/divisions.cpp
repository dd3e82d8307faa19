#include "verifier/checker/divisions.h"

#include <algorithm>
#include <map>
#include <set>

#include "verifier/checker/kernel.h"

namespace vl::checker {
namespace {

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

// The one dimension of the tensor on which the last coordinate depends. Where its form has no digit of a dimension, it
// does not; where it has one, it still may not: the digits of a group with a shift take some values together only, so
// that a sum of them may be constant. So each change has to be seen. Of dimensions whose digits are taken together, two
// that are seen are enough to know that there is no such one.
std::optional<std::size_t> along(const Layout& layout, Questions& questions) {
  const std::size_t rank = layout.physical.rank();
  if (rank == 0) return std::nullopt;
  const Form& last = questions.outputs(0)[rank - 1];
  Forms& forms = questions.forms();
  std::vector<std::size_t> dims;
  bool open = false;
  for (std::size_t atom = forms.digits(); atom < last.terms.size(); ++atom)
    require(last.terms[atom] == 0, "a stick behind a swizzle");
  for (std::size_t g = 0; g < forms.groups().size() && forms.groups()[g].first < layout.logical; ++g) {
    const Group& group = forms.groups()[g];
    bool depends = false;
    for (std::size_t k = 0; k < group.weights.size(); ++k) depends = depends || last.at(forms.begin(g) + k) != 0;
    if (!depends) continue;
    open = open || group.dims > 1;
    for (std::size_t i = group.first; i < group.first + group.dims; ++i) {
      const bool changes = changes_along(layout, i);
      require(changes || group.dims > 1, "a dimension along which the last coordinate is not seen to change");
      if (changes) dims.push_back(i);
    }
  }
  require(!open || dims.size() > 1, "a stick along dimensions that are taken together");
  return dims.size() == 1 ? std::optional(dims[0]) : std::nullopt;
}

// Elements of one stick have the same known digits; so they are on one side of every boundary.
void check_sticks(const Layout& layout, Questions& questions, const std::vector<Box>& boxes, const BySteps& proof) {
  std::vector<Form> rows = questions.outputs(0);
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(layout.physical.rank(), 1) - 1),
             rows.begin() + static_cast<std::ptrdiff_t>(layout.physical.rank()));
  const Forms& forms = questions.forms();
  const std::vector<bool> known = peel(forms, std::move(rows), {}, proof.steps);
  for (std::size_t g = 0; g < forms.groups().size() && forms.groups()[g].first < layout.logical; ++g) {
    const auto& [i, dims, weights, shift] = forms.groups()[g];
    std::size_t count = 0;
    bool chain = true;
    while (count < weights.size() && known[forms.begin(g) + count]) ++count;
    for (std::size_t k = 0; k < count; ++k) chain = chain && weights[k] % weights[count - 1] == 0;
    charge(boxes.size() * (2 * dims + 1) + count);
    for (const Box& box : boxes)
      for (std::size_t d = i; d < i + dims; ++d)
        for (const Wide& x : {box[d].low, box[d].high + 1}) {
          if (x <= 0 || x >= layout.map.domain.extents[d]) continue;
          require(dims == 1 && count > 0 && chain && (x + shift.value_or(0)) % weights[count - 1] == 0,
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

void check_reach(const Layout& layout, Questions& questions, const Box& box, Wide bits, Wide span) {
  const Space& domain = layout.map.domain;
  charge(16 * domain.rank() + 1);
  Cell cell;
  for (const Group& group : questions.forms().groups()) {
    Interval numbers{0, 0};
    for (std::size_t i = group.first; i < group.first + group.dims; ++i) {
      const Interval side = i < layout.logical ? box[i] : Interval{0, domain.extents[i] - 1};
      numbers = {numbers.low * domain.extents[i] + side.low, numbers.high * domain.extents[i] + side.high};
    }
    cell.push_back(numbers);
  }
  Forms forms(domain, questions.forms().groups(), cell);
  std::vector<std::size_t> inputs;
  for (std::size_t i = 0; i < domain.rank(); ++i) inputs.push_back(i);
  const std::vector<Form> values = forms.outputs(layout.map, inputs);
  Wide slots = 1;
  for (std::size_t j = 0; j < layout.physical.rank(); ++j) {
    const Interval touched = forms.range(values[j]);
    if (slots == 1) slots = touched.high - touched.low + 1;
    else slots = slots * layout.physical.extents[j];
  }
  require((slots * bits + 7) / 8 <= span, "a slice that may reach too far");
}

}  // namespace

void check_division(const Layout& layout, Statement& statement, Evidence& evidence, Questions& questions) {
  const DivisionText said = take(statement.division);
  const Wide bits = take(statement.bits);
  require(bits > 0, "elements without bits");
  questions.all_land(layout.physical);
  Division division{said, layout.elements()};
  division.parse();
  const Wide own = layout.physical.rank() == 0 ? Wide(1) : layout.physical.extents.back();
  division.count(along(layout, questions), std::max({own, Wide(said.stick), Wide(1)}));
  const std::vector<Box> boxes = division.boxes();
  Wide left = division.elements.volume();
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
  const auto sticks = take(evidence.sticks);
  if (const auto* steps = std::get_if<BySteps>(&sticks)) check_sticks(layout, questions, boxes, *steps);
  else walk_sticks(layout, boxes);
  for (const Box& box : boxes) check_reach(layout, questions, box, bits, said.span);
}

}  // namespace vl::checker
