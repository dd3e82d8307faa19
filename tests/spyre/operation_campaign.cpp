// The rules for operations against brute force: the reference address function gives the place of every element, and
// the loop variables that change inside a stick give its stick variables.
#include "encodings/spyre/operation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "encodings/use/reference.h"
#include "tests/support/operations.h"
#include "tests/support/spyre_random.h"

namespace vl::spyre {
namespace spyre_operation_campaign {

using List = std::vector<Index>;
using test::constructed;
using test::make;
using test::said;
using use::Operand;
using use::Operation;
using use::RuleSet;

use::Slots slots_of(const std::string& text, const map::Tensor& tensor) {
  for (const use::Reference* reference : use::references()) {
    if (reference->family != "spyre") continue;
    auto slots = reference->slots(text, tensor);
    VL_CHECK(slots.has_value(), text);
    return *slots;
  }
  VL_CHECK(false, "no reference for spyre");
}

/// Which operation dimensions change the lane, and which change anything else and not the lane, by looking at every
/// element. Nothing if an element has no slot or several.
struct Seen {
  std::set<std::size_t> lane;
  std::set<std::size_t> elsewhere;
};
std::optional<Seen> look(const Operand& operand) {
  const use::Slots slots = slots_of(operand.text, operand.tensor);
  const auto space = map::Space::create(map::Space::dims("x", operand.tensor.size));
  if (space->volume() == 0) return Seen{};
  const auto place = [&](const Point& x) { return slots(x); };
  Seen seen;
  Point x(space->rank(), 0);
  do {
    const auto here = place(x);
    if (here.size() != 1) return std::nullopt;
    for (std::size_t d = 0; d < operand.scales.size(); ++d) {
      if (operand.scales[d] < 0) continue;
      const auto h = static_cast<std::size_t>(operand.scales[d]);
      Point other = x;
      if (++other[h] >= space->extent(h)) continue;
      const auto there = place(other);
      if (there.size() != 1) return std::nullopt;
      if (here[0].back() != there[0].back()) seen.lane.insert(d);
      if (!std::equal(here[0].begin(), here[0].end() - 1, there[0].begin())) seen.elsewhere.insert(d);
    }
  } while (map::advance(*space, x));
  for (const std::size_t d : seen.lane) seen.elsewhere.erase(d);
  return seen;
}

/// (v + c) mod eps of one variable v, or constant: the stick expressions that the hardware takes, up to the offset.
std::optional<Index> regular_offset(const Operand& operand, const Seen& seen, Index eps) {
  if (seen.lane.size() > 1) return std::nullopt;
  const use::Slots slots = slots_of(operand.text, operand.tensor);
  const auto space = map::Space::create(map::Space::dims("x", operand.tensor.size));
  Point x(space->rank(), 0);
  const Index start = slots(x)[0].back();
  do {
    const Index v = seen.lane.empty() ? 0 : x[static_cast<std::size_t>(operand.scales[*seen.lane.begin()])];
    if (slots(x)[0].back() != (seen.lane.empty() ? start : (v + start) % eps)) return std::nullopt;
  } while (map::advance(*space, x));
  return start;
}

TEST(Sticks, OfRandomLayoutsAreWhatTheReferenceAddressesShow) {
  test::RandomSpyre random(414243);
  std::size_t compared = 0;
  std::map<std::size_t, std::size_t> by_variables;
  std::size_t regular = 0;
  std::size_t irregular = 0;
  for (int n = 0; n < 6000; ++n) {
    const test::RandomCase made = random.next(80);
    const std::string text = print(made.layout);
    const auto read = test::spyre_family().read(text, made.tensor);
    if (!read || made.tensor.size.empty()) continue;
    const auto operation = make("pointwise", {test::operand(made.tensor, text)}, {test::operand(made.tensor, text)});
    ASSERT_TRUE(operation.has_value()) << operation.error().message;
    const Operand& operand = operation->operands[0];
    const auto seen = look(operand);
    if (!seen || read->layout()->domain().volume() == 0) continue;
    const Stick stick = stick_of(*operation, 0);
    ASSERT_TRUE(stick.decided);
    ASSERT_EQ(stick.variables, seen->lane) << made.show();
    ASSERT_EQ(stick.elsewhere, seen->elsewhere) << made.show();
    const auto offset = regular_offset(operand, *seen, 64);
    ASSERT_EQ(stick.supported, offset.has_value()) << made.show() << " has " << stick.text;
    if (offset) {
      ASSERT_EQ(stick.offset, *offset) << made.show() << " has " << stick.text;
    }
    ++compared;
    ++by_variables[seen->lane.size()];
    ++(offset ? regular : irregular);
  }
  EXPECT_GT(compared, 2000U);
  EXPECT_GT(by_variables[0], 100U);
  EXPECT_GT(by_variables[1], 1000U);
  EXPECT_GT(by_variables[2], 20U);
  EXPECT_GT(regular, 500U);
  EXPECT_GT(irregular, 100U);
}

std::string text_of(const Operand& operand) {
  const auto operation = make("pointwise", {operand}, {operand});
  VL_CHECK(operation.has_value(), operation ? "" : operation.error().message);
  return stick_of(*operation, 0).text;
}

TEST(Sticks, HaveTheExpressionsThatUpstreamWritesDown) {
  EXPECT_EQ(text_of(constructed({5, 100, 150}, {0, 1, 2})), "Mod(d2, 64)");
  EXPECT_EQ(text_of(constructed({5, 100, 150}, {2, 0, 1})), "Mod(d1, 64)");
  EXPECT_EQ(text_of(constructed({5, 100, 60}, {0, 1, 2})), "d2");
  EXPECT_EQ(text_of(constructed({512, 256}, {0, 1, -1})), "0");
  EXPECT_EQ(text_of(constructed({512, 1}, {0, 1})), "0");
  EXPECT_EQ(text_of(test::operand("f32[4,64]", "SpyreTensorLayout((4, 64), torch.float32)")), "Mod(d1, 32)");
  // A folded stick (vector 36), every other lane, and the offset of issue #2207: d2 + 32.
  EXPECT_EQ(text_of(test::operand("f16[40,60]", "SpyreTensorLayout([38,64], [64,1], SEN169_FP16)")),
            "a mixture of d0 and d1");
  EXPECT_EQ(text_of(test::operand("f16[20]", "SpyreTensorLayout([1,64], [-1,1], SEN169_FP16)")), "d0");
  map::Tensor slice;
  slice.size = {16, 1064, 32};
  slice.strides = List{68096, 64, 1};
  slice.view_offset = 32;
  EXPECT_EQ(
      text_of(test::operand(slice,
                            "SpyreTensorLayout(device_size=[16, 1064, 1, 1, 64], stride_map =[68096, 64, 64, -1, 1], "
                            "device_dtype=DataFormats.SEN169_FP16)")),
      "d2 + 32");
  slice.size = {2, 64};
  slice.strides = List{128, 1};
  EXPECT_EQ(text_of(test::operand(slice, "SpyreTensorLayout([2,2,64], [64,128,1], SEN169_FP16)")), "Mod(d1 + 32, 64)");
  slice.size = {2, 32};
  slice.strides = List{128, 2};
  slice.view_offset = 0;
  EXPECT_EQ(text_of(test::operand(slice, "SpyreTensorLayout([2,2,64], [64,128,1], SEN169_FP16)")), "2*d1");
}

/// Every layout that the constructor gives for a dense f16 tensor: all dim orders, dense and sparse.
std::vector<Operand> all_layouts(const List& size) {
  List order;
  for (std::size_t i = 0; i < size.size(); ++i) order.push_back(static_cast<Index>(i));
  std::vector<Operand> out;
  do {
    out.push_back(constructed(size, order));
    List sparse = order;
    sparse.push_back(-1);
    out.push_back(constructed(size, sparse));
  } while (std::ranges::next_permutation(order).found);
  return out;
}

/// Asks about every choice of one layout an operand, and compares with `rule` over what was seen. Counts per answer.
struct Tally {
  std::size_t proved = 0;
  std::size_t refuted = 0;
};
using Rule = std::function<bool(const std::vector<Seen>&)>;
Tally compare(const std::string& name, const std::vector<List>& inputs, const List& result, RuleSet rules,
              const use::OperationHints& hints, const Rule& rule) {
  std::vector<std::vector<Operand>> layouts;
  for (const List& size : inputs) layouts.push_back(all_layouts(size));
  layouts.push_back(all_layouts(result));
  List extents;
  for (const auto& choice : layouts) extents.push_back(static_cast<Index>(choice.size()));
  const auto space = map::Space::create(map::Space::dims("c", extents));
  std::map<std::pair<std::size_t, Index>, Seen> cache;
  Tally tally;
  Point choice(extents.size(), 0);
  do {
    std::vector<Operand> operands;
    for (std::size_t i = 0; i < layouts.size(); ++i)
      operands.push_back(layouts[i][static_cast<std::size_t>(choice[i])]);
    std::vector<Operand> results{operands.back()};
    operands.pop_back();
    const auto operation = make(name, operands, results, rules, hints);
    VL_CHECK(operation.has_value(), operation ? "" : operation.error().message);
    std::vector<Seen> seen;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      const auto [found, fresh] = cache.try_emplace({i, choice[i]});
      if (fresh) found->second = *look(operation->operands[i]);
      seen.push_back(found->second);
    }
    const std::string answer = said(*operation);
    const bool proved = answer == "proved";
    EXPECT_TRUE(proved || answer.starts_with("refuted")) << answer;
    EXPECT_EQ(proved, rule(seen)) << name << ' ' << fmt::format("{}", fmt::join(choice, ",")) << ": " << answer;
    ++(proved ? tally.proved : tally.refuted);
  } while (map::advance(*space, choice));
  return tally;
}

bool union_of_one_and_nowhere_else(const std::vector<Seen>& seen) {
  std::set<std::size_t> sticks;
  std::set<std::size_t> elsewhere;
  for (const Seen& each : seen) {
    sticks.insert(each.lane.begin(), each.lane.end());
    elsewhere.insert(each.elsewhere.begin(), each.elsewhere.end());
  }
  return sticks.size() <= 1 && (sticks.empty() || !elsewhere.contains(*sticks.begin()));
}
bool all_equal(const std::vector<Seen>& seen) {
  return std::ranges::all_of(seen, [&](const Seen& each) { return each.lane == seen.back().lane; });
}

TEST(Pointwise, IsJudgedAsByTheTwoRulesOnEveryChoiceOfConstructedLayouts) {
  const std::vector<std::pair<std::vector<List>, List>> shapes = {
      {{{3, 70}, {3, 70}}, {3, 70}}, {{{3, 1}, {3, 70}}, {3, 70}}, {{{70}, {3, 70}}, {3, 70}},
      {{{1, 1}, {70, 3}}, {70, 3}},  {{{}, {70, 3}}, {70, 3}},     {{{70, 2}, {1, 2}}, {70, 2}}};
  Tally upstream;
  Tally documents;
  for (const auto& [inputs, result] : shapes) {
    const Tally u = compare("pointwise", inputs, result, RuleSet::Upstream, {}, union_of_one_and_nowhere_else);
    const Tally d = compare("pointwise", inputs, result, RuleSet::Documents, {}, all_equal);
    upstream = {upstream.proved + u.proved, upstream.refuted + u.refuted};
    documents = {documents.proved + d.proved, documents.refuted + d.refuted};
  }
  EXPECT_GT(upstream.proved, 50U);
  EXPECT_GT(upstream.refuted, 150U);
  EXPECT_GT(documents.proved, 10U);
  EXPECT_LT(documents.proved, upstream.proved);  // every one of them accepts what is equal; upstream accepts more
}

TEST(Pointwise, HasADifferenceBetweenTheRulesOnTheseInputs) {
  struct Row {
    const char* what;
    Operand a;
    Operand b;
    Operand result;
    const char* documents;
    const char* upstream;
  };
  const Operand dense = constructed({512, 256}, {0, 1});
  const std::vector<Row> rows = {
      {"equal sticks", dense, dense, dense, "proved", "proved"},
      {"a column that broadcasts along the stick", constructed({512, 1}, {0, 1}), dense, dense, "refuted", "proved"},
      {"a scalar", constructed({}, {}), dense, dense, "refuted", "proved"},
      {"a row that broadcasts across", constructed({256}, {0}), dense, dense, "proved", "proved"},
      {"a sparse operand that has the stick elsewhere", constructed({512, 256}, {0, 1, -1}), dense, dense, "refuted",
       "refuted"},
      {"all sparse", constructed({512, 256}, {0, 1, -1}), constructed({512, 256}, {0, 1, -1}),
       constructed({512, 256}, {0, 1, -1}), "proved", "proved"},
      {"sticks on different dimensions", constructed({512, 256}, {1, 0}), dense, dense, "refuted", "refuted"},
      {"Mod(d1,32) and Mod(d1,64)", test::operand("f32[512,256]", "SpyreTensorLayout((512,256), torch.float32)"), dense,
       dense, "proved", "proved"}};
  int differ = 0;
  for (const Row& row : rows) {
    const auto word = [&](RuleSet rules) {
      const auto made = make("pointwise", {row.a, row.b}, {row.result}, rules);
      const std::string answer = said(*made);
      return answer.substr(0, answer.find(':'));
    };
    EXPECT_EQ(word(RuleSet::Documents), row.documents) << row.what;
    EXPECT_EQ(word(RuleSet::Upstream), row.upstream) << row.what;
    differ += std::string_view(row.documents) != row.upstream ? 1 : 0;
  }
  EXPECT_EQ(differ, 2);
}

TEST(Matmul, IsJudgedByItsThreeSticksOnEveryChoiceOfConstructedLayouts) {
  Tally total;
  for (const Index m : {1, 3})
    for (const Index k : {1, 2, 70})
      for (const Index n : {1, 66}) {
        const auto on = [](Index extent, std::size_t dim) {
          return extent > 1 ? std::set{dim} : std::set<std::size_t>{};
        };
        for (const RuleSet rules : {RuleSet::Documents, RuleSet::Upstream}) {
          const Tally tally =
              compare("matmul", {{m, k}, {k, n}}, {m, n}, rules, {}, [&](const std::vector<Seen>& seen) {
                return seen[0].lane == on(k, 1) && seen[1].lane == on(n, 2) && seen[2].lane == on(n, 2);
              });
          total = {total.proved + tally.proved, total.refuted + tally.refuted};
        }
      }
  EXPECT_EQ(total.proved + total.refuted, 2U * 12U * 64U);
  EXPECT_GE(total.proved, 24U);
}

TEST(Matmul, ThatIsBatchedHasTheSameSticks) {
  const Tally tally =
      compare("bmm", {{2, 3, 4}, {2, 4, 5}}, {2, 3, 5}, RuleSet::Upstream, {}, [](const std::vector<Seen>& seen) {
        return seen[0].lane == std::set<std::size_t>{2} && seen[1].lane == std::set<std::size_t>{3} &&
               seen[2].lane == std::set<std::size_t>{3};
      });
  // 2 of the 12 layouts of each operand have the stick at the right place.
  EXPECT_EQ(tally.proved, 8U);
  EXPECT_EQ(tally.refuted, 12U * 12U * 12U - 8U);
}

TEST(Reductions, KeepTheStickOrGiveASparseResult) {
  Tally total;
  for (const auto& [size, reduced] :
       std::vector<std::pair<List, Index>>{{{3, 70}, 0}, {{3, 70}, 1}, {{70, 3}, 0}, {{70, 3}, 1}, {{66, 66}, 1}}) {
    use::OperationHints hints;
    hints.reduced = List{reduced};
    const auto gone = static_cast<std::size_t>(reduced);
    const List result{size[1 - gone]};
    for (const RuleSet rules : {RuleSet::Documents, RuleSet::Upstream}) {
      const Tally tally = compare("sum", {size}, result, rules, hints, [&](const std::vector<Seen>& seen) {
        if (seen[0].lane == std::set{gone}) return seen[1].lane.empty();
        return seen[0].lane == seen[1].lane;
      });
      total = {total.proved + tally.proved, total.refuted + tally.refuted};
    }
  }
  EXPECT_EQ(total.proved + total.refuted, 2U * 5U * 8U);
  EXPECT_GT(total.proved, 30U);
  EXPECT_GT(total.refuted, 30U);
}

TEST(TopK, TakesNoStickOnTheSearchedDimensionOrK) {
  const Tally tally = compare("topk", {{3, 70}}, {3, 4}, RuleSet::Upstream, {}, [](const std::vector<Seen>& seen) {
    const auto bad = [](const Seen& each) { return each.lane.contains(1) || each.lane.contains(2); };
    return !bad(seen[0]) && !bad(seen[1]) && union_of_one_and_nowhere_else(seen);
  });
  EXPECT_EQ(tally.proved + tally.refuted, 16U);
  EXPECT_GE(tally.proved, 1U);
}

}  // namespace spyre_operation_campaign
}  // namespace vl::spyre
