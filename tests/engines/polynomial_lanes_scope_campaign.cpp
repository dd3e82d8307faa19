// Accesses to rules for all sizes against every instance of small sizes: a tile of symbolic rows, columns and pitch,
// with and without a swizzle, on a memory of few banks. The cost of an instance is counted word by word, by a model
// that knows no stages, polynomials or remainders (tests/support/access_brute.h). What is proved holds at all sizes at
// which no lane leaves the tensor, "holds iff" says exactly which, and the checker accepts nothing that a size refutes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "encodings/tirx/tirx.h"
#include "tests/support/access_brute.h"
#include "tests/support/property.h"
#include "tests/support/shard.h"
#include "tests/support/tiles.h"
#include "verifier/claims/claim.h"
#include "verifier/claims/proofs/certify_accesses.h"
#include "verifier/claims/proofs/certify_rules.h"
#include "verifier/engines/banks.h"
#include "verifier/engines/polynomial/lanes.h"

namespace vl::engines {
namespace engines_polynomial_lanes_scope_campaign {

using map::Sizes;
using test::one_of;

struct Asked {
  std::string layout, tensor, where, access;
  std::vector<std::string> extents, strides;  // of the tile
  int per_element = 0, swizzle_len = 0, atom_len = 1;
  Index lanes = 4, width = 4, element = 2, variables = 1;
  std::string row, column, condition;  // of lane and j
  use::Hardware chip;
};

use::Hardware small_chip(test::Engine& random) {
  use::Hardware out;
  out.name = "small";
  out.banks = one_of<Index>(random, {2, 4, 8, 3});
  out.bytes_per_bank = one_of<Index>(random, {2, 4});
  out.lanes = 8;
  out.broadcasts = random.below(4) != 0;
  for (const Index width : {1, 2, 4, 8}) {
    const Index phases = one_of<Index>(random, {1, 2});
    auto& all = out.phases[width];
    for (Index first = 0; first < 8; first += 8 / phases) {
      auto& phase = all.emplace_back();
      for (Index lane = first; lane < first + 8 / phases; ++lane) phase.push_back(lane);
    }
  }
  return out;
}

Asked random_access(test::Engine& random) {
  static constexpr const char* kRows[] = {"M", "8", "M", "2*M"};
  static constexpr const char* kColumns[] = {"N", "8", "4", "6"};
  static constexpr const char* kPitches[] = {"P", "P", "N", "2*P", "P + 1", "8", "16"};
  static constexpr const char* kWheres[] = {"", "", "P % 4 == 0", "P % 2 == 1", "M >= 8", "M >= 8, N >= 8", "P >= N"};
  static constexpr const char* kRowTexts[] = {"lane", "lane", "0", "lane / 2", "j", "lane % 4"};
  static constexpr const char* kColumnTexts[] = {"0", "0", "j", "lane % 2", "lane / 4 * 2"};
  Asked out;
  out.extents = {one_of(random, kRows), one_of(random, kColumns)};
  out.strides = {one_of(random, kPitches), one_of(random, {"1", "1", "1", "2", "M"})};
  if (random.below(4) == 0) {  // three levels for two dimensions
    out.extents = {out.extents[0], "2", "4"};
    out.strides = {out.strides[0], "4", "1"};
  }
  out.element = one_of<Index>(random, {1, 2, 4});
  out.lanes = one_of<Index>(random, {2, 4, 8});
  out.width = one_of<Index>(random, {1, 2, 4, 8});
  out.variables = one_of<Index>(random, {1, 1, 2, 3});
  out.row = one_of(random, kRowTexts), out.column = one_of(random, kColumnTexts);
  if (random.below(5) == 0) out.condition = "lane < 2";
  out.where = one_of(random, kWheres);
  out.chip = small_chip(random);
  const std::string columns = out.extents.size() == 3 ? "8" : out.extents[1];
  out.tensor = fmt::format("{}[{},{}]",
                           out.element == 1   ? "u8"
                           : out.element == 2 ? "f16"
                                              : "f32",
                           out.extents[0], columns);
  out.layout = fmt::format("S[({}):({})]", fmt::join(out.extents, ","), fmt::join(out.strides, ","));
  if (random.below(3) == 0) {
    out.per_element = static_cast<int>(random.below(2)), out.swizzle_len = 1,
    out.atom_len = 1 + static_cast<int>(random.below(2));
    out.layout =
        fmt::format("ComposeLayout({}, {}, {}, {})", out.per_element, out.swizzle_len, out.atom_len, out.layout);
  }
  if (random.below(3) == 0) {  // from some row or column on
    const bool is_row = random.below(2) == 0;
    (is_row ? out.row : out.column) += one_of(random, {" + R", " + 2*R", " + R - 1"});
    const std::string size = is_row ? out.extents[0] : columns;
    out.where += fmt::format("{}R >= {}, 2*R + {} <= {}", out.where.empty() ? "" : ", ", random.below(2),
                             one_of<Index>(random, {2, out.lanes}), size);
  }
  out.access = fmt::format("lanes={} width={} at=[{}, {}]", out.lanes, out.width, out.row, out.column);
  if (!out.condition.empty()) out.access += " when " + out.condition;
  out.access += fmt::format(" for j=0:{}", out.variables);
  return out;
}

struct Read {
  map::Rule rule;
  RuleAccess access;
};

std::optional<Read> read(const Asked& asked) {
  const auto tensor = map::parse_rule_tensor(asked.tensor);
  const auto reading = tirx::family().read_rule(asked.layout, *tensor);
  if (!reading || reading->rule_for_all_sizes() == nullptr) return std::nullopt;
  auto rule =
      map::with_conditions(*reading->rule_for_all_sizes(),
                           asked.where.empty() ? std::vector<map::Condition>{} : *map::parse_conditions(asked.where));
  std::vector<std::string> names;
  if (rule)
    for (const map::Symbol& symbol : rule->symbols) names.push_back(symbol.name);
  const auto access = use::parse_access(asked.access, names);
  const map::Layout nowhere = layout_of(test::tile_on_m({64, 64}, {{64, 0}, {64, 0}}));
  if (!rule || !access) return std::nullopt;
  auto reach = reach_of(*access, nowhere, nullptr, static_cast<int>(8 * asked.element), asked.chip);
  if (!reach) return std::nullopt;
  return Read{std::move(*rule), {std::move(*reach), asked.element, access->origin}};
}

struct Counted {
  Index wavefronts = 0, excess = 0;
};

// What an instance costs; nothing where there is none, or a lane is outside of its tensor.
std::optional<Counted> counted(const Asked& asked, const Read& read, const Sizes& sizes) {
  for (const map::Condition& condition : read.rule.where)
    if (const auto held = map::holds(condition, sizes); !held || !*held) return std::nullopt;
  const auto number = [&](const std::string& text) { return *map::evaluate(*map::parse_expression(text), sizes); };
  std::vector<Index> shape;
  for (const map::Expression& size : read.rule.logical) shape.push_back(*map::evaluate(size, sizes));
  std::vector<test::Iter> iters;
  for (std::size_t k = 0; k < asked.extents.size(); ++k)
    iters.push_back({number(asked.extents[k]), number(asked.strides[k])});
  const test::Tile layout = test::tile_on_m(shape, iters, 0, {asked.per_element, asked.swizzle_len, asked.atom_len});
  std::vector<std::vector<Index>> phases;
  for (auto phase : asked.chip.phases.at(asked.width)) {
    std::erase_if(phase, [&](Index lane) { return lane >= asked.lanes; });
    if (!phase.empty()) phases.push_back(std::move(phase));
  }
  Counted out;
  for (Index j = 0; j < asked.variables; ++j) {
    std::map<Index, Index> bytes;
    for (Index lane = 0; lane < asked.lanes; ++lane) {
      if (!asked.condition.empty() && lane >= 2) continue;
      test::Names names{{"lane", lane}, {"j", j}};
      names.insert(sizes.begin(), sizes.end());
      const std::vector<Index> x{test::Calculator(asked.row, names).value(),
                                 test::Calculator(asked.column, names).value()};
      if (x[0] < 0 || x[1] < 0 || x[0] >= shape[0] || x[1] >= shape[1]) return std::nullopt;
      bytes[lane] = address_of(layout, x) * asked.element;
    }
    const test::BruteCost cost = test::brute_cost(asked.chip, phases, asked.width, bytes);
    out.wavefronts = std::max(out.wavefronts, cost.wavefronts);
    out.excess = std::max(out.excess, cost.wavefronts - cost.ideal);
  }
  return out;
}

std::vector<Sizes> small_sizes(const map::Rule& rule) {
  std::vector<Sizes> out{{}};
  for (const map::Symbol& symbol : rule.symbols) {
    std::vector<Sizes> next;
    const std::size_t names = rule.symbols.size();
    const Index most = names == 1 ? 70 : names == 2 ? 18 : names == 3 ? 9 : 7;
    for (const Sizes& sizes : out)
      for (Index k = symbol.low; k <= most; ++k) {
        next.push_back(sizes);
        next.back()[symbol.name] = k;
      }
    out = std::move(next);
  }
  return out;
}

bool says(const std::vector<std::vector<map::Condition>>& holds, const Sizes& sizes) {
  return std::ranges::any_of(holds, [&](const std::vector<map::Condition>& all) {
    return std::ranges::all_of(all, [&](const map::Condition& condition) { return *map::holds(condition, sizes); });
  });
}

// The checker's word on a statement of the access.
bool shown_by_checker(const Read& read, const char* claim, std::optional<Index> limit, std::optional<Index> value) {
  const auto expression = value ? std::optional<map::Expression>(*value) : std::nullopt;
  checker::Statement said =
      claims::all_sizes_statement(*claims::find_claim(claim), read.rule, {}, expression, {"layout", "tensor", {}});
  said.access = claims::rule_access_statement(read.access.lanes, read.access.origin);
  said.bits = 8 * read.access.element, said.at_most = limit;
  return claims::all_sizes_cases(said).has_value();
}

struct Tally {
  std::size_t rules = 0, proved = 0, refuted = 0, iffs = 0, exact = 0, of_proofs = 0, measured = 0, checked = 0,
              with_swizzle = 0, with_origin = 0, origin_proved = 0, origin_iffs = 0;
};

void expect_enough(const Tally& tally, std::size_t wanted) {
  fmt::print(
      "{} accesses: {} proved ({} swizzled), {} shown by the checker, {} refuted somewhere, {} iffs, {} of one cost; "
      "{} "
      "instances of proofs, {} of iffs\n",
      tally.rules, tally.proved, tally.with_swizzle, tally.checked, tally.refuted, tally.exact, tally.measured,
      tally.of_proofs, tally.iffs);
  EXPECT_GT(tally.proved, wanted / 20);
  EXPECT_GT(tally.with_swizzle, 0U);
  EXPECT_GT(tally.refuted, wanted / 5);
  EXPECT_GT(tally.exact, wanted / 10);
  EXPECT_GT(tally.measured, wanted / 40);
  EXPECT_GT(tally.of_proofs, 1000U);
  EXPECT_GT(tally.iffs, 1000U);
  fmt::print("{} of them from a row or column with a name on: {} proved, {} with an iff\n", tally.with_origin,
             tally.origin_proved, tally.origin_iffs);
  EXPECT_GT(tally.with_origin, wanted / 5);
  EXPECT_GT(tally.origin_proved, wanted / 100);
  EXPECT_GT(tally.origin_iffs, wanted / 100);
}

TEST(PolynomialLanesScope, ProofsAndIffsAreWhatEverySmallInstanceCosts) {
  Tally tally;
  const auto wanted = static_cast<std::size_t>(test::cases(400, 12'000));
  test::for_all(static_cast<int>(wanted), [&] {
    test::Engine random = *test::engines();
    Asked asked;
    std::optional<Read> found;
    while (!found || found->rule.symbols.empty()) found = read(asked = random_access(random));
    ++tally.rules, tally.with_origin += found->access.origin.empty() ? 0 : 1;
    RC_LOG() << fmt::format("{} of {} where {}: {} on {} banks", asked.layout, asked.tensor, asked.where, asked.access,
                            asked.chip.banks);
    const Index limit = one_of<Index>(random, {0, 0, 1, 2});
    const LaneLeaves leaves = leaves_of_lanes(found->rule, found->access, LaneCost::Excess, limit);
    const LaneLeaves cost = leaves_of_lanes(found->rule, found->access, LaneCost::Wavefronts, std::nullopt);
    const auto when = weakest(leaves.leaves);
    const bool holds = leaves.leaves.proved();
    const bool is_number =
        cost.leaves.proved() && !cost.costs.empty() &&
        std::ranges::count(cost.costs, cost.costs[0]) == static_cast<std::ptrdiff_t>(cost.costs.size());
    const bool shown = shown_by_checker(*found, "conflicts", limit, {});
    const bool number_shown = is_number && shown_by_checker(*found, "wavefronts", {}, cost.costs[0]);
    RC_ASSERT((!is_number || !shown_by_checker(*found, "wavefronts", {}, cost.costs[0] + 1)));
    tally.proved += holds, tally.measured += is_number, tally.checked += shown && holds,
        tally.with_swizzle += holds && asked.swizzle_len > 0;
    tally.exact += when && when->exact;
    tally.origin_proved += holds && !found->access.origin.empty();
    tally.origin_iffs += when && when->exact && !holds && !found->access.origin.empty();
    tally.refuted +=
        std::ranges::any_of(leaves.leaves.all, [](const Leaf& one) { return one.kind == Leaf::Kind::Fails; });
    for (const Sizes& sizes : small_sizes(found->rule)) {
      const auto instance = counted(asked, *found, sizes);
      const auto assert_here = [&](bool as_counted) {
        if (!as_counted) RC_LOG() << rc::toString(sizes);
        RC_ASSERT(as_counted);
      };
      if (!instance) {
        // What is proved is proved of every instance: none has a lane outside.
        bool exists = true;
        for (const map::Condition& condition : found->rule.where) {
          const auto held = map::holds(condition, sizes);
          exists = exists && held && *held;
        }
        assert_here(!exists || !(holds || shown || is_number));
        continue;
      }
      const bool is_at_most = instance->excess <= limit;
      assert_here(is_at_most || !(holds || shown));
      tally.of_proofs += holds;
      assert_here(!is_number || instance->wavefronts == cost.costs[0]);
      if (!when) continue;
      const bool stated = says(when->holds, sizes);
      assert_here(is_at_most || !stated);
      assert_here(is_at_most == stated || !when->exact);
      tally.iffs += when->exact && !holds;
    }
    RC_ASSERT((number_shown || !is_number));
    RC_ASSERT((shown || !holds));
  });
  expect_enough(tally, wanted);
}

}  // namespace engines_polynomial_lanes_scope_campaign
}  // namespace vl::engines
