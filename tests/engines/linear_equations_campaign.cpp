// Linear equations over a box against a trial of every point; each proof against the kernel, which shares no code with
// the search; and changed proofs.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "tests/support/property.h"
#include "verifier/engines/cells/equations.h"
#include "verifier/kernel/reader/steps.h"

namespace vl::engines {

void showValue(const LinearSystem& system, std::ostream& out) {
  out << rc::toString(system.rows) << " = " << rc::toString(system.right) << " in " << rc::toString(system.extents);
}

namespace engines_linear_equations_campaign {

using kernel::Wide;
using test::roll;
using Json = nlohmann::json;

Json json_of(const LinearProof& proof) {
  Json out = Json::array();
  for (const kernel::Step& step : cells::steps_of(proof)) out.push_back(kernel::write_step(step));
  return out;
}

// The kernel on layouts whose places are equal where the system is solved: the coordinates' one has on each axis a row
// less its right side, the other one is at 0.
bool accepted(const LinearSystem& system, const Json& proof) try {
  if (std::ranges::any_of(system.extents, [](Index extent) { return extent <= 0; })) return true;  // no point
  kernel::Layout a, b;
  a.named = b.named = true;
  for (std::size_t i = 0; i < system.extents.size(); ++i) a.map.domain.names.push_back("x" + std::to_string(i));
  a.map.domain.extents.assign(system.extents.begin(), system.extents.end());
  a.map.stages.resize(1), b.map.stages.resize(1);
  for (std::size_t j = 0; j < system.rows.size(); ++j) {
    a.physical.names.push_back("d" + std::to_string(j));
    a.physical.extents.emplace_back(1), b.map.stages[0].rows.emplace_back();
    kernel::Row& row = a.map.stages[0].rows.emplace_back();
    row.constant = Wide(0) - system.right[j];
    for (std::size_t i = 0; i < system.extents.size(); ++i) row.terms.emplace_back(i, system.rows[j][i]);
  }
  b.physical = a.physical, a.map.outputs = b.map.outputs = system.rows.size();
  kernel::Steps steps{{"run", {0}}, {"run", {1}}};
  for (const Json& step : proof) steps.push_back(kernel::read_step<kernel::Wide>(step));
  kernel::Goals(a, &b).disjoint(0, steps);
  return true;
} catch (const kernel::Rejected&) {
  return false;
}

// The differences of two points that differ first, in an order, in the coordinate order[k], where the first of them is
// larger: d - 1 of that one, then d + extent - 1 of those that come later.
LinearSystem differences(const std::vector<std::vector<Index>>& rows, const std::vector<Index>& extents,
                         const std::vector<std::size_t>& order, std::size_t k) {
  LinearSystem out{std::vector<std::vector<Index>>(rows.size()), std::vector<Index>(rows.size(), 0), {}};
  for (std::size_t c = k; c < order.size(); ++c) {
    const Index extent = extents[order[c]], least = c == k ? 1 : 1 - extent;
    out.extents.push_back(extent - least);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      out.rows[j].push_back(rows[j][order[c]]);
      out.right[j] -= rows[j][order[c]] * least;
    }
  }
  return out;
}

// Whether proofs, one a coordinate, show that no points have equal rows.
bool accepted(const std::vector<std::vector<Index>>& rows, const std::vector<Index>& extents,
              const std::vector<std::size_t>& order, const Json& proofs) {
  std::vector<std::size_t> all = order;
  std::ranges::sort(all);
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k] != k) return false;
  if (order.size() != extents.size() || proofs.size() != order.size()) return false;
  for (std::size_t k = 0; k < order.size(); ++k)
    if (!accepted(differences(rows, extents, order, k), proofs[k])) return false;
  return true;
}

Json json_of(const OneToOne& proved) {
  Json out = Json::array();
  for (const LinearProof& proof : proved.first) out.push_back(json_of(proof));
  return out;
}

// Calls visit for each point of the box until it answers true; whether it did.
template <class Visit>
bool any_point(const std::vector<Index>& extents, Visit visit) {
  for (const Index extent : extents)
    if (extent <= 0) return false;
  Point x(extents.size(), 0);
  while (!visit(x)) {
    std::size_t i = x.size();
    while (i > 0 && ++x[i - 1] == extents[i - 1]) x[--i] = 0;
    if (i == 0) return false;
  }
  return true;
}

Index value(const std::vector<Index>& row, const Point& x) {
  Index sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += row[i] * x[i];
  return sum;
}

bool solves(const LinearSystem& system, const Point& x) {
  for (std::size_t j = 0; j < system.rows.size(); ++j)
    if (value(system.rows[j], x) != system.right[j]) return false;
  return true;
}

bool solvable(const LinearSystem& system) {
  return any_point(system.extents, [&](const Point& x) { return solves(system, x); });
}

LinearSystem random_system(test::Engine& random) {
  const Index n = roll(random, 1, 5), equations = roll(random, 1, 3);
  const Index most = random.below(2) == 0 ? 6 : 40;
  LinearSystem out;
  for (Index i = 0; i < n; ++i) out.extents.push_back(roll(random, 0, 5) + (random.below(8) == 0 ? 0 : 1));
  Point inside;
  for (const Index extent : out.extents) inside.push_back(extent > 0 ? roll(random, 0, extent - 1) : 0);
  for (Index j = 0; j < equations; ++j) {
    out.rows.emplace_back();
    for (Index i = 0; i < n; ++i) out.rows.back().push_back(roll(random, -most, most));
    out.right.push_back(value(out.rows.back(), inside) + (random.below(3) == 0 ? roll(random, -1, 1) : 0));
  }
  return out;
}

TEST(LinearEquations, AreSolvedAsTryingEveryPointDoes) {
  int solved = 0;
  int unsolvable = 0;
  test::for_all(6000, [&] {
    const LinearSystem system = *test::drawn(random_system);
    LinearEffort effort;
    const LinearAnswer answer = solve(system, effort);
    const auto* found = std::get_if<Solution>(&answer);
    RC_ASSERT((found != nullptr || std::holds_alternative<Unsolvable>(answer)));
    RC_ASSERT((found != nullptr ? solves(system, found->x) : !solvable(system)));
    RC_ASSERT((found != nullptr || accepted(system, json_of(std::get<Unsolvable>(answer).proof))));
    ++(found != nullptr ? solved : unsolvable);
  });
  EXPECT_GT(solved, 100);
  EXPECT_GT(unsolvable, 100);
}

TEST(LinearEquations, ProveNumpysInstanceByOneDivision) {
  const LinearSystem system{{{36674, 61119, 85569, -12223, -12224}}, {64023025}, {1049, 1049, 1049, 1049, 1049}};
  LinearEffort effort;
  const LinearAnswer answer = solve(system, effort);
  ASSERT_TRUE(std::holds_alternative<Unsolvable>(answer));
  EXPECT_GT(effort.nodes, LinearEffort{}.nodes - 10);
  EXPECT_TRUE(accepted(system, json_of(std::get<Unsolvable>(answer).proof)));
  // The division of the head of linear_equations.h, by hand.
  EXPECT_TRUE(accepted(system, Json::parse(R"([["branch", 12224, 1, 3, 5, 7, -1, -1]])")));
  EXPECT_FALSE(accepted(system, Json::parse(R"([["branch", 12223, 1, 3, 5, 7, -1, -1]])")));
}

TEST(LinearEquations, OneStepFromNumpysInstanceHaveASolution) {
  // x = (1, 1, 1) and y = (1, 0) make the right side by themselves.
  const LinearSystem system{
      {{36674, 61119, 85569, -12223, -12224}}, {36674 + 61119 + 85569 - 12223}, {1049, 1049, 1049, 1049, 1049}};
  LinearEffort effort;
  const LinearAnswer answer = solve(system, effort);
  ASSERT_TRUE(std::holds_alternative<Solution>(answer));
  EXPECT_TRUE(solves(system, std::get<Solution>(answer).x));
}

TEST(LinearEquations, StopWhenTheEffortIsUsedUpOrNumbersAreTooLarge) {
  LinearEffort none{0};
  EXPECT_TRUE(std::holds_alternative<Unsolved>(solve({{{2, 3}}, {7}, {9, 9}}, none)));
  constexpr Index kHuge = std::numeric_limits<Index>::max();
  LinearEffort effort;
  const LinearSystem huge{{{kHuge, kHuge - 1, -kHuge}, {kHuge - 2, 3, kHuge}}, {kHuge, -kHuge}, {kHuge, kHuge, kHuge}};
  const LinearAnswer answer = solve(huge, effort);
  if (const auto* found = std::get_if<Unsolvable>(&answer)) {
    EXPECT_TRUE(accepted(huge, json_of(found->proof)));
  }
}

TEST(LinearEquations, TellPointsApartAsComparingAllPairsDoes) {
  int apart = 0;
  int colliding = 0;
  test::for_all(2000, [&] {
    const auto extents =
        *rc::gen::container<std::vector<Index>>(static_cast<std::size_t>(*test::numbers(1, 4)), test::numbers(1, 4));
    const auto rows = *rc::gen::container<std::vector<std::vector<Index>>>(
        static_cast<std::size_t>(*test::numbers(1, 2)),
        rc::gen::container<std::vector<Index>>(extents.size(), test::numbers(-12, 12)));
    std::set<Point> images;
    bool distinct = true;
    any_point(extents, [&](const Point& x) {
      Point image;
      for (const auto& row : rows) image.push_back(value(row, x));
      distinct = distinct && images.insert(image).second;
      return false;
    });
    LinearEffort effort;
    const OneToOne result = one_to_one(rows, extents, effort);
    if (const auto* found = std::get_if<Solution>(&result.answer)) {
      RC_ASSERT(!distinct);
      RC_ASSERT(std::ranges::any_of(found->x, [](Index d) { return d != 0; }));
      for (std::size_t i = 0; i < extents.size(); ++i) RC_ASSERT(std::abs(found->x[i]) < extents[i]);
      for (const auto& row : rows) RC_ASSERT(value(row, found->x) == 0);
      ++colliding;
    } else {
      RC_ASSERT(std::holds_alternative<Unsolvable>(result.answer));
      RC_ASSERT(distinct);
      RC_ASSERT(accepted(rows, extents, result.order, json_of(result)));
      ++apart;
    }
  });
  EXPECT_GT(apart, 40);
  EXPECT_GT(colliding, 40);
}

// Every number of a proof and every step changed or dropped, one at a time.
void tampered(Json& part, const std::function<void()>& visit) {
  if (part.is_number_integer()) {
    const Json kept = part;
    for (const Index change : {Index{-1}, Index{1}, -2 * kept.get<Index>()}) {
      part = kept.get<Index>() + change;
      visit();
    }
    part = "1";
    visit();
    part = kept;
  } else if (part.is_array()) {
    for (std::size_t k = 0; k < part.size(); ++k) {
      tampered(part[k], visit);
      Json kept = part;
      part.erase(k);
      visit();
      part = std::move(kept);
    }
  }
}

TEST(LinearProofs, OfOneSystemNeverProveASystemWithASolution) {
  int tried = 0;
  int refused = 0;
  test::for_all(300, [&] {
    const LinearSystem system = *test::drawn(random_system);
    LinearEffort effort;
    const LinearAnswer answer = solve(system, effort);
    const auto* none = std::get_if<Unsolvable>(&answer);
    if (none == nullptr || std::ranges::any_of(system.extents, [](Index extent) { return extent == 0; })) return;
    Json proof = json_of(none->proof);
    // The same proof for right sides that have a solution, and tampered proofs for them: all rejected.
    LinearSystem other = system;
    std::ranges::fill(other.right, 0);
    RC_ASSERT(!accepted(other, proof));
    tampered(proof, [&] {
      ++tried;
      RC_ASSERT(!accepted(other, proof));
      refused += accepted(system, proof) ? 0 : 1;  // the rest are other proofs of the same
    });
  });
  EXPECT_GT(tried, 1000);
  EXPECT_GT(refused, tried / 4);
}

TEST(LinearProofs, OfInjectiveRowsNeverProveRowsThatCollide) {
  const std::vector<std::vector<Index>> rows{{12, 4, 3}};
  const std::vector<Index> extents{5, 3, 4};
  LinearEffort effort;
  const OneToOne proved = one_to_one(rows, extents, effort);
  Json proof = json_of(proved);
  ASSERT_TRUE(accepted(rows, extents, proved.order, proof));
  EXPECT_FALSE(accepted({{12, 4, 3}}, {5, 4, 4}, proved.order, proof));  // 12·1 = 4·3
  int tried = 0;
  tampered(proof, [&] {
    ++tried;
    EXPECT_FALSE(accepted({{12, 4, 3}}, {5, 4, 4}, proved.order, proof));
  });
  EXPECT_GT(tried, 20);
}

TEST(LinearProofs, WithoutABranchOrANumberAreRejected) {
  // 3·x0 + 5·x1 = 7 over 3 by 2: x1 is 0 or 1, and 3 divides neither 7 nor 2.
  const LinearSystem system{{{3, 5}}, {7}, {3, 2}};
  const std::string branch = R"(["branch", 1, 0, 0, 1])", never = R"(["never", 1, -5])";
  const auto takes = [&](const std::string& steps) { return accepted(system, Json::parse("[" + steps + "]")); };
  EXPECT_TRUE(takes(branch + "," + never + "," + never));
  EXPECT_FALSE(takes(branch + "," + never));
  EXPECT_FALSE(takes(branch + "," + never + "," + never + "," + never));
  for (const char* other : {R"(["branch", 0, 0, 0, 1])", R"(["branch", -1, 0, 0, 1])", R"(["branch", 1, 0.5, 0, 1])",
                            R"(["branch", -9223372036854775808, 0, 0, 1])", R"(["branch", 1, 0, 0, 1, 0])",
                            R"(["branch", 1])", R"(["branch"])", R"(["combine", 1, 0, 0, 1])"})
    EXPECT_FALSE(takes(std::string(other) + "," + never + "," + never)) << other;
  for (const char* other : {R"(["never"])", R"(["never", 1])", R"(["never", 1, -5, 0])", R"(["never", 1, -4])"})
    EXPECT_FALSE(takes(branch + "," + never + "," + other)) << other;
}

}  // namespace engines_linear_equations_campaign
}  // namespace vl::engines
