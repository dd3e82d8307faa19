// Loop nests with sizes for numbers (encodings/use/rule_nests.h): nests keep their numbers.
#include "encodings/use/rule_nests.h"

#include <gtest/gtest.h>

namespace vl::use {
namespace use_rule_nests_test {

using map::Expression;

RuleNest nest(Expression extent, Index device) {
  RuleNest out;
  out.extents = {std::move(extent)};
  out.host = {{Expression(1)}, Expression(0)};
  out.device = {{Expression(1)}, Expression(device)};
  return out;
}

// Of N = 1 the first nest moves nothing, and the second one is still number 1: a counterexample names it so.
TEST(RuleNests, ThatMoveNothingKeepTheirPlace) {
  const RuleTransfer transfer{Direction::HostToDevice, {nest(Expression::named("N") - 1, 0), nest(Expression(1), 7)}};
  const auto one = instance(transfer, {{"N", 1}});
  ASSERT_TRUE(one.has_value());
  ASSERT_EQ(one->nests.size(), 2U);
  EXPECT_EQ(one->nests[0].extents, (std::vector<Index>{0}));
  EXPECT_EQ(one->nests[1].destination.offset, 7);
  const auto two = instance(transfer, {{"N", 2}});
  ASSERT_TRUE(two.has_value());
  EXPECT_EQ(two->nests[0].extents, (std::vector<Index>{1}));
}

// One whose other numbers would be refused is empty all the same, and still has its place.
TEST(RuleNests, ThatMoveNothingMayHaveAnyOtherNumbers) {
  RuleNest odd = nest(Expression::named("N") - 1, 0);
  odd.extents.emplace_back(Expression::named("N") - 5);
  odd.host.strides.emplace_back(1), odd.device.strides.emplace_back(1);
  const auto made = instance({Direction::HostToDevice, {odd, nest(Expression(1), 7)}}, {{"N", 1}});
  ASSERT_TRUE(made.has_value());
  ASSERT_EQ(made->nests.size(), 2U);
  EXPECT_EQ(made->nests[0], (Nest{{0}, {{0}, 0}, {{0}, 0}}));
}

}  // namespace use_rule_nests_test
}  // namespace vl::use
