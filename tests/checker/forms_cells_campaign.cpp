// Linear forms over digits of uneven weights, of shifted and of cut groups, against the definition at every point of
// the cell: values, ranges, and steps that peel off digits.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "encodings/map/text.h"
#include "tests/support/maps.h"
#include "verifier/claims/proofs/evidence.h"

namespace vl::checker {
namespace checker_forms_cells_campaign {

namespace test = vl::test;
using test::roll;

std::size_t index(test::Engine& engine, std::size_t count) {
  return static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(count) - 1));
}

struct Cut {
  Space box;
  std::vector<Group> groups;
  Cell cell;

  [[nodiscard]] Wide number(std::size_t g, const Point& p) const {
    Wide n = 0;
    std::size_t first = 0;
    for (std::size_t h = 0; h < g; ++h) first += groups[h].dims;
    for (std::size_t i = first; i < first + groups[g].dims; ++i) n = n * box.extents[i] + p[i];
    return n;
  }
  [[nodiscard]] bool contains(const Point& p) const {
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (number(g, p) < cell[g].low || number(g, p) > cell[g].high) return false;
    return true;
  }
  // The digits of a number of the group, greedily, from the definition.
  [[nodiscard]] Point digits(std::size_t g, Wide n) const {
    Point out;
    n = n + groups[g].shift.value_or(0);
    for (const Wide& weight : groups[g].weights) {
      Wide digit = 0;
      while (weight * (digit + 1) <= n) digit += 1;
      out.push_back(digit);
      n = n - weight * digit;
    }
    return out;
  }
  // What the atoms are at a point: digits, less those of the cell's first number up to where its last one differs.
  [[nodiscard]] Point atoms(const Point& p) const {
    Point out;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Point here = digits(g, number(g, p)), low = digits(g, cell[g].low), high = digits(g, cell[g].high);
      bool same = true;
      for (std::size_t k = 0; k < here.size(); ++k) {
        out.push_back(same ? here[k] - low[k] : here[k]);
        same = same && low[k] == high[k];
      }
    }
    return out;
  }
};

Cut random_cut(test::Engine& engine, const Space& box) {
  Cut out{box, {}, {}};
  for (std::size_t i = 0; i < box.rank(); ++i) {
    if (i > 0 && roll(engine, 0, 2) == 0) ++out.groups.back().dims;
    else out.groups.push_back({i, 1, {}});
  }
  for (std::size_t g = 0; g < out.groups.size(); ++g) {
    std::set<Index> weights{1};
    for (Index cuts = roll(engine, 0, 3); cuts > 0; --cuts) weights.insert(roll(engine, 2, 30));
    Wide inner = 1, total = 1;
    std::size_t first = 0;
    for (std::size_t h = 0; h < g; ++h) first += out.groups[h].dims;
    for (std::size_t i = first + out.groups[g].dims; i-- > first;) total = total * box.extents[i];
    for (std::size_t i = first + out.groups[g].dims; i-- > first + 1;)  // often those of the coordinates too
      if (roll(engine, 0, 1) == 0) inner = inner * box.extents[i], weights.insert(inner.narrow());
    out.groups[g].weights.assign(weights.rbegin(), weights.rend());
    if (roll(engine, 0, 2) == 0) out.groups[g].shift = roll(engine, 0, 7);
    Wide low = roll(engine, 0, 1) == 0 ? Wide(0) : Wide(roll(engine, 0, total.narrow() - 1));
    Wide high = roll(engine, 0, 1) == 0 ? total - 1 : Wide(roll(engine, low.narrow(), total.narrow() - 1));
    out.cell.push_back({low, high});
  }
  return out;
}

Space random_box(test::Engine& engine) {
  Space box;
  for (Index dims = roll(engine, 1, 3); dims > 0; --dims) {
    box.names.push_back("x" + std::to_string(dims));
    box.extents.push_back(roll(engine, 1, 9));
  }
  return box;
}

Wide value_of(const Form& form, const Point& atoms) {
  Wide out = form.constant;
  for (std::size_t k = 0; k < form.terms.size(); ++k) out += form.terms[k] * atoms[k];
  return out;
}

TEST(Cells, HaveFormsThatAreTheRowAtEveryPointAndStayInTheirRange) {
  test::Engine engine(3);
  int formed = 0, divided = 0, bounds_met = 0, ranges = 0;
  for (int i = 0; i < 40000; ++i) {
    const Cut cut = random_cut(engine, random_box(engine));
    const Forms forms(cut.box, cut.groups, cut.cell);
    Row row{roll(engine, -20, 20), {}};
    const bool as_numbers = roll(engine, 0, 1) == 0;  // a multiple of each group's number
    for (std::size_t g = 0, first = 0; g < cut.groups.size(); first += cut.groups[g++].dims) {
      Wide c = roll(engine, -3, 5);
      for (std::size_t k = first + cut.groups[g].dims; k-- > first;) {
        row.terms.emplace_back(k, as_numbers ? c : Wide(roll(engine, -2, 7)));
        c = c * cut.box.extents[k];
      }
    }
    try {
      const Form form = forms.of(row);
      Form some{roll(engine, -9, 9), {}};  // and any form over the atoms
      for (std::size_t k = 0; k < forms.digits(); ++k)
        some.terms.push_back(forms.extent(k) == 1 ? Wide(0) : Wide(roll(engine, -4, 4)));
      const Wide weight = roll(engine, 2, 12);
      std::optional<std::pair<Form, Form>> parts;
      try {
        parts = forms.divide(form, weight), ++divided;
      } catch (const Rejected&) {
      }
      const Interval span = forms.range(form), any = forms.range(some);
      std::optional<Interval> met;
      for_each(cut.box, [&](const Point& p) {
        if (!cut.contains(p)) return;
        const Point atoms = cut.atoms(p);
        for (std::size_t k = 0; k < atoms.size(); ++k) ASSERT_TRUE(atoms[k] >= 0 && atoms[k] < forms.extent(k));
        const Wide want = Concrete::sum(row, p);
        ASSERT_TRUE(value_of(form, atoms) == want);
        ASSERT_TRUE(span.low <= want && want <= span.high);
        met = {std::min(met ? met->low : want, want), std::max(met ? met->high : want, want)};
        ASSERT_TRUE(any.low <= value_of(some, atoms) && value_of(some, atoms) <= any.high);
        if (parts) {
          ASSERT_TRUE(value_of(parts->first, atoms) == want / weight);
          ASSERT_TRUE(value_of(parts->second, atoms) == want % weight);
        }
      });
      ++formed, ++ranges;
      bounds_met += met && met->low == span.low && met->high == span.high ? 1 : 0;
    } catch (const Rejected&) {
    }
  }
  std::printf("%d rows have forms, %d quotients; %d of %d ranges are exact\n", formed, divided, bounds_met, ranges);
  EXPECT_GT(formed, 10000);
  EXPECT_GT(divided, 1000);
  EXPECT_GT(bounds_met, ranges / 2);
}

TEST(Cells, ArePeeledOnlyWhereTheMapIsInjective) {
  test::Engine engine(11);
  test::MapKind kind;
  kind.least_extent = 1;
  kind.volume = 120;
  int accepted = 0, injective = 0;
  for (int i = 0; i < 30000; ++i) {
    const Map map = parse_map(vl::map::print(test::random_map(engine, kind)));
    if (map.domain.volume() == 0) continue;
    const Cut cut = random_cut(engine, map.domain);
    try {
      Forms forms(map.domain, cut.groups, cut.cell);
      std::vector<std::size_t> inputs;
      for (std::size_t k = 0; k < map.domain.rank(); ++k) inputs.push_back(k);
      const std::vector<Form> rows = forms.outputs(map, inputs);
      std::set<Point> seen;
      bool truth = true;
      for_each(map.domain, [&](const Point& p) {
        if (cut.contains(p)) truth = seen.insert(evaluate(map, p)).second && truth;
      });
      injective += truth ? 1 : 0;
      std::vector<Step> steps = vl::claims::peel_steps(forms, rows, {});
      for (int round = 0; round < 4; ++round) {
        try {
          check_peel(forms, rows, {}, steps);
          ASSERT_TRUE(truth);
          ++accepted;
        } catch (const Rejected&) {
        }
        if (forms.atoms() == 0) break;
        const Step step{index(engine, rows.size() + 1), index(engine, forms.atoms()),
                        std::array{"large", "gcd", "swizzle"}[index(engine, 3)]};
        if (!steps.empty() && roll(engine, 0, 1) == 0) steps[index(engine, steps.size())] = step;
        else steps.insert(steps.begin() + roll(engine, 0, static_cast<Index>(steps.size())), step);
      }
    } catch (const Rejected&) {
    }
  }
  std::printf("%d accepted, %d injective\n", accepted, injective);
  EXPECT_GT(accepted, 1000);
}

TEST(Cells, OutsideOfTheBoxAndWeightsThatDoNotDescendAreRejected) {
  const Space box{{"x0"}, {10}};
  const auto is_rejected = [&](std::vector<Wide> weights, std::optional<Wide> shift, Cell cell) {
    try {
      const Forms forms(box, {{0, 1, std::move(weights), shift}}, cell);
      return false;
    } catch (const Rejected&) {
      return true;
    }
  };
  EXPECT_FALSE(is_rejected({7, 3, 1}, 2, {{2, 9}}));
  EXPECT_TRUE(is_rejected({3, 7, 1}, 0, {}));
  EXPECT_TRUE(is_rejected({3, 3, 1}, 0, {}));
  EXPECT_TRUE(is_rejected({3}, 0, {}));
  EXPECT_TRUE(is_rejected({3, 1, 0}, 0, {}));
  EXPECT_TRUE(is_rejected({1}, -1, {}));
  for (const auto& [low, high] : {std::pair{-1, 4}, {4, 10}, {5, 4}}) EXPECT_TRUE(is_rejected({1}, {}, {{low, high}}));
  EXPECT_TRUE(is_rejected({1}, {}, {{0, 1}, {0, 1}}));
}

}  // namespace checker_forms_cells_campaign
}  // namespace vl::checker
