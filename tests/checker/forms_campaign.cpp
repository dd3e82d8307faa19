// Linear forms over digits against evaluation at every point; and steps that peel off digits, right ones and invented
// ones, against all pairs of points.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "encodings/map/text.h"
#include "tests/support/maps.h"
#include "verifier/claims/proofs/evidence.h"

namespace vl::checker {
namespace checker_forms_campaign {

namespace test = vl::test;
using test::roll;

// The value of a form at a point, only from the definitions of digits, quotients and swizzles.
class AtPoint {
 public:
  AtPoint(const Space& box, const std::vector<Group>& groups, const Forms& forms, const Point& p) : forms_(forms) {
    for (const Group& group : groups) {
      Wide n = 0, above = 0;
      for (std::size_t i = group.first; i < group.first + group.dims; ++i) n = n * box.extents[i] + p[i];
      for (const Wide& weight : group.weights) {
        digits_.push_back((n - above) / weight);
        above += digits_.back() * weight;
      }
    }
  }
  [[nodiscard]] Wide operator()(const Form& form) const {
    Wide out = form.constant;
    for (std::size_t k = 0; k < form.terms.size(); ++k)
      if (form.terms[k] != 0) out += form.terms[k] * atom(k);
    return out;
  }
  [[nodiscard]] const Point& digits() const { return digits_; }

 private:
  [[nodiscard]] Wide atom(std::size_t k) const {
    if (k < digits_.size()) return digits_[k];
    return forms_.swizzle_of(k).swizzled((*this)(*forms_.inside(k))) - forms_.low(k);
  }

  const Forms& forms_;
  Point digits_;
};

std::vector<Group> random_groups(test::Engine& engine, const Space& box) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < box.rank(); ++i) {
    if (i > 0 && roll(engine, 0, 2) == 0) ++groups.back().dims;
    else groups.push_back({i, 1, {}});
  }
  for (Group& group : groups) {
    group.weights = {1};
    for (Index cuts = roll(engine, 0, 2); cuts > 0; --cuts)
      group.weights.insert(group.weights.begin(), group.weights.front() * roll(engine, 2, 6));
  }
  return groups;
}

std::vector<std::size_t> all_inputs(const Map& map) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < map.domain.rank(); ++i) out.push_back(i);
  return out;
}

// Over which the map's outputs have forms.
std::optional<std::vector<Group>> digits_for(const Map& map) {
  return vl::claims::digits_for(map.domain, {map.domain.rank()}, [&](const std::vector<Group>& groups) {
    static_cast<void>(Forms(map.domain, groups).outputs(map, all_inputs(map)));
  });
}

template <class Visit>
void with_random_maps(int count, Visit visit) {
  test::for_all(count, [&] {
    const auto map = *test::maps({.volume = 120, .least_extent = 1});
    test::Engine engine = *test::engines();
    visit(engine, parse_map(vl::map::print(map)));
  });
}

TEST(Forms, AreTheMapAtEveryPointAndStayInTheirRange) {
  int formed = 0, refused = 0;
  long long points = 0;
  with_random_maps(30000, [&](test::Engine& engine, const Map& map) {
    auto groups = random_groups(engine, map.domain);
    if (roll(engine, 0, 1) == 0)
      if (auto found = digits_for(map)) groups = *found;
    try {
      Forms forms(map.domain, groups);
      const std::vector<Form> outputs = forms.outputs(map, all_inputs(map));
      for_each(map.domain, [&](const Point& p) {
        const AtPoint value(map.domain, groups, forms, p);
        const Point want = evaluate(map, p);
        for (std::size_t j = 0; j < outputs.size(); ++j) {
          RC_ASSERT(value(outputs[j]) == want[j]);
          const Interval span = forms.range(outputs[j]);
          RC_ASSERT(span.low <= want[j] && want[j] <= span.high);
        }
        ++points;
      });
      ++formed;
    } catch (const Rejected&) {
      ++refused;
    }
  });
  EXPECT_GT(formed, 5000);
  EXPECT_GT(refused, 100);
  RecordProperty("formed", formed);
  std::printf("%d maps have forms, %d have none, %lld points\n", formed, refused, points);
}

// Of x < 8 the number 72 + x: bits [6, 9), which hold 1, go into [3, 6), which hold 1. So it becomes 64 + x.
TEST(Forms, OfUnitsThatASwizzleMovesAsAWholeAreLinear) {
  const Space box{{"x"}, {8}};
  Forms forms(box, {{0, 1, {1}}});
  const Stage down{Stage::Kind::Swizzle, {}, 0, {}, 3, 3, 3, false};
  EXPECT_TRUE(forms.swizzle(forms.of({72, {{0, 1}}}), down) == (Form{64, {1}}));
  EXPECT_EQ(forms.atoms(), 1U);
  static_cast<void>(forms.swizzle(forms.of({73, {{0, 1}}}), down));  // 80 is in another unit
  EXPECT_EQ(forms.atoms(), 2U);
}

// Whether the map is injective, by all outcomes.
bool is_injective(const Map& map) {
  std::set<Point> seen;
  bool out = true;
  for_each(map.domain, [&](const Point& p) { out = seen.insert(evaluate(map, p)).second && out; });
  return out;
}

TEST(Peeling, IsAcceptedOnlyOfInjectiveMapsWhateverTheStepsSay) {
  int accepted = 0, made_up = 0, injective = 0;
  with_random_maps(30000, [&](test::Engine& engine, const Map& map) {
    const auto groups = digits_for(map);
    if (!groups) return;
    Forms forms(map.domain, *groups);
    const std::vector<Form> rows = forms.outputs(map, all_inputs(map));
    const bool truth = is_injective(map);
    injective += truth ? 1 : 0;
    std::vector<Step> steps = vl::claims::peel_steps(forms, rows, {});
    for (int round = 0; round < 4; ++round) {
      try {
        check_peel(forms, rows, {}, steps);
        RC_ASSERT(truth);
        ++(round == 0 ? accepted : made_up);
      } catch (const Rejected&) {
      }
      for (Index changes = roll(engine, 1, 3); changes > 0 && forms.atoms() > 0; --changes) {
        const Step step{static_cast<std::size_t>(roll(engine, 0, 4)),
                        static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(forms.atoms()) - 1)),
                        std::array{"large", "gcd", "swizzle"}[static_cast<std::size_t>(roll(engine, 0, 2))]};
        if (!steps.empty() && roll(engine, 0, 2) == 0)
          steps[static_cast<std::size_t>(roll(engine, 0, static_cast<Index>(steps.size()) - 1))] = step;
        else if (!steps.empty() && roll(engine, 0, 1) == 0)
          steps.erase(steps.begin() + roll(engine, 0, static_cast<Index>(steps.size()) - 1));
        else steps.insert(steps.begin() + roll(engine, 0, static_cast<Index>(steps.size())), step);
      }
    }
  });
  std::printf("%d of %d injective maps peeled, %d other proofs accepted\n", accepted, injective, made_up);
  EXPECT_GT(accepted, 2000);
  EXPECT_GT(made_up, 500);
}

}  // namespace checker_forms_campaign
}  // namespace vl::checker
