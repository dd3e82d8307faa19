// Linear equations over a box against a trial of every point; each proof against the checker, which shares no code with
// the search; and changed proofs.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include <nlohmann/json.hpp>

#include "tests/support/property.h"
#include "verifier/checker/certificate.h"
#include "verifier/engines/linear/linear_equations.h"

namespace vl::engines {

void showValue(const LinearSystem& system, std::ostream& out) {
  out << rc::toString(system.rows) << " = " << rc::toString(system.right) << " in " << rc::toString(system.extents);
}

namespace engines_linear_equations_campaign {

using checker::Rejected;
using checker::Wide;
using test::roll;

std::vector<Wide> wide(const std::vector<Index>& list) { return {list.begin(), list.end()}; }
std::vector<std::vector<Wide>> wide(const std::vector<std::vector<Index>>& rows) {
  std::vector<std::vector<Wide>> out;
  for (const auto& row : rows) out.push_back(wide(row));
  return out;
}

bool accepted(const LinearSystem& system, const nlohmann::json& proof) try {
  checker::check_no_solution(wide(system.rows), wide(system.right), wide(system.extents),
                             checker::read<checker::LinearProof>(proof));
  return true;
} catch (const Rejected&) {
  return false;
}

bool accepted(const std::vector<std::vector<Index>>& rows, const std::vector<Index>& extents,
              const nlohmann::json& proof) try {
  checker::check_one_to_one(wide(rows), wide(extents), checker::read<checker::OneToOneProof>(proof));
  return true;
} catch (const Rejected&) {
  return false;
}

nlohmann::json json_of(const OneToOne& proved) {
  return checker::write(checker::OneToOneProof{proved.order, proved.first});
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
    RC_ASSERT((found != nullptr || accepted(system, checker::write(std::get<Unsolvable>(answer).proof))));
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
  EXPECT_TRUE(accepted(system, checker::write(std::get<Unsolvable>(answer).proof)));
  // The division of the head of linear_equations.h, by hand.
  EXPECT_TRUE(accepted(
      system,
      {{"combine", {1}}, {"modulus", 12224}, {"quotients", {3, 5, 7, -1, -1}}, {"branches", nlohmann::json::array()}}));
  EXPECT_FALSE(accepted(
      system,
      {{"combine", {1}}, {"modulus", 12223}, {"quotients", {3, 5, 7, -1, -1}}, {"branches", nlohmann::json::array()}}));
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
    EXPECT_TRUE(accepted(huge, checker::write(found->proof)));
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
      RC_ASSERT(accepted(rows, extents, json_of(result)));
      ++apart;
    }
  });
  EXPECT_GT(apart, 40);
  EXPECT_GT(colliding, 40);
}

// Every integer of a proof, every list element and every branch changed or dropped, one at a time.
void tampered(nlohmann::json& part, const std::function<void()>& visit) {
  if (part.is_number_integer()) {
    const nlohmann::json kept = part;
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
      nlohmann::json kept = part;
      part.erase(k);
      visit();
      part = std::move(kept);
    }
  } else if (part.is_object()) {
    for (const char* name : {"combine", "modulus", "quotients", "branches", "order", "first"}) {
      if (!part.contains(name)) continue;
      tampered(part[name], visit);
      nlohmann::json kept = part;
      part.erase(name);
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
    nlohmann::json proof = checker::write(none->proof);
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
  nlohmann::json proof = json_of(one_to_one(rows, extents, effort));
  ASSERT_TRUE(accepted(rows, extents, proof));
  EXPECT_FALSE(accepted({{12, 4, 3}}, {5, 4, 4}, proof));  // 12·1 = 4·3
  int tried = 0;
  tampered(proof, [&] {
    ++tried;
    EXPECT_FALSE(accepted({{12, 4, 3}}, {5, 4, 4}, proof));
  });
  EXPECT_GT(tried, 20);
}

TEST(LinearProofs, WithoutABranchOrANumberAreRejected) {
  // 3·x0 + 5·x1 = 7 over 3 by 2: x1 is 0 or 1, and 3 divides neither 7 nor 2.
  const LinearSystem system{{{3, 5}}, {7}, {3, 2}};
  const nlohmann::json proof = {{"combine", {0}},
                                {"modulus", 1},
                                {"quotients", {0, 1}},
                                {"branches", {{{"combine", {1, -5}}}, {{"combine", {1, -5}}}}}};
  EXPECT_TRUE(accepted(system, proof));
  nlohmann::json broken = proof;
  broken["branches"].erase(1);
  EXPECT_FALSE(accepted(system, broken));
  broken = proof;
  broken["branches"].push_back({{"combine", {1, -5}}});
  EXPECT_FALSE(accepted(system, broken));
  for (const Index modulus : {Index{0}, Index{-1}, std::numeric_limits<Index>::min()}) {
    broken = proof;
    broken["modulus"] = modulus;
    EXPECT_FALSE(accepted(system, broken)) << modulus;
  }
  broken = proof;
  broken["combine"] = {0.5};
  EXPECT_FALSE(accepted(system, broken));
  for (const nlohmann::json& nothing :
       {nlohmann::json{}, nlohmann::json::array(), nlohmann::json::object(), nlohmann::json("combine")})
    EXPECT_FALSE(accepted(system, nothing));
}

}  // namespace engines_linear_equations_campaign
}  // namespace vl::engines
