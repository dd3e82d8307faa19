// Nests for all sizes against their instances: each move of a proof is looked up element by element, and nests that are
// changed are never proved where some sizes contradict them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "encodings/use/random.h"
#include "tests/mutation/rule_nest_moves.h"
#include "tests/support/rule_cases.h"
#include "tests/support/shard.h"
#include "verifier/claims/proofs/certify_rules.h"
#include "verifier/session/rule_certificates.h"
#include "verifier/session/rule_nests.h"

namespace vl {
namespace mutation_rule_nests_campaign {

using map::Expression;
// Of f16[Q,128].
constexpr const char* kWide =
    "SpyreTensorLayout(device_size=[2, Q, 64], stride_map=[64, 128, 1], device_dtype=DataFormats.SEN169_FP16)";
constexpr test::RuleTexts kTexts[] = {
    {"f16[N]", "SpyreTensorLayout((N,), torch.float16)", ""},
    {"f16[N,K]", "SpyreTensorLayout((N, K), torch.float16)", ""},
    {"f32[N,K]", "SpyreTensorLayout((N, K), torch.float32)", "K % 32 == 0"},
    {"f16[N,150]", "SpyreTensorLayout((N, 150), torch.float16)", ""},
    {"f16[N,64]", "SpyreTensorLayout((N, 64), torch.float16)", ""},
    {"f16[N,20]", "SpyreTensorLayout((N, 20), torch.float16)", "N >= 2"},
    {"f16[N,M,K]", "SpyreTensorLayout((N, M, K), torch.float16)", ""},
    {"f16[N,M,K]", "SpyreTensorLayout((N, M, K), torch.float16, [2, 0, 1])", ""},
    {"f16[N,M,K]", "SpyreTensorLayout((N, M, K), torch.float16, [1, 2, 0])", ""},
    {"i8[N,M]", "SpyreTensorLayout((N, M), torch.int8, [1, 0])", ""},
    {"f16[3,M,K]", "SpyreTensorLayout((3, M, K), torch.float16)", "M <= 5"},
    {"f16[N,1,K]", "SpyreTensorLayout((N, 1, K), torch.float16)", ""},
    {"f16[A,B,N,K]", "SpyreTensorLayout((A, B, N, K), torch.float16)", ""},
    {"f16[M,K]", "SpyreTensorLayout((M, K), torch.float16)", "K <= 64"},
    {"f16[N,M+1]", "SpyreTensorLayout((N, M + 1), torch.float16).restickify(0)", ""},
    {"f16[N+2,M+1,K]", "SpyreTensorLayout((N + 2, M + 1, K), torch.float16, [2, 1, 0])", ""},
    {"f16[M,N]", "S[(M,N):(P,1)]", "P >= N"},
    {"f16[M,N]", "S[(M,N):(1,M)] + 5", ""},
    {"f16[M,64]", "S[(M,8,8):(64,1,8)]", ""},
    {"f16[8,N]", "S[(8,N):(1@laneid,1)]", ""},
    {"f16[A,8*M,64]", "S[(A,8*M,64):(512*M,1,8*M)]", "M <= 4"},
    // Views: of a host that begins elsewhere, of rows and of columns of a layout, and of both.
    {"f16[N,K]", "SpyreTensorLayout((N, K), torch.float16)", "", "", "B"},
    {"f16[N,K]", "SpyreTensorLayout((N, K), torch.float16)", "", "", "3*B + 5"},
    {"f16[R,128]", kWide, "T + R <= Q", "128, 1", "", "128*T"},
    {"f16[R,64*D]",
     "SpyreTensorLayout(device_size=[C, Q, 64], stride_map=[64, 64*C, 1], device_dtype=DataFormats.SEN169_FP16)",
     "D + T <= C, R <= Q, C >= 2, Q >= 2", "64*C, 1", "B", "64*T"},
    {"f16[R,128]", kWide, "T + R <= Q", "128, 1", "B + 7", "T*128"},
    {"f16[R,22]", kWide, "T + R <= Q", "128, 1", "", "128*T + 64"},
    {"f16[64*D]", "SpyreTensorLayout(device_size=[Q, 64], stride_map=[64, 1], device_dtype=DataFormats.SEN169_FP16)",
     "T + D <= Q", "", "", "64*T"},
};

session::JudgeOptions options() {
  session::JudgeOptions out;
  out.engines = session::engine_options();
  return out;
}

TEST(RuleNests, AreTheMovesOfEveryInstance) {
  std::size_t looked = 0;
  for (const test::RuleTexts& text : kTexts)
    for (const use::Direction direction : {use::Direction::HostToDevice, use::Direction::DeviceToHost}) {
      const session::CaseRequest request = test::request_for(text);
      const session::JudgeOptions asked = options();
      const auto made = session::nests_for_all_sizes(request, {}, direction, asked);
      const auto* proved = std::get_if<session::ProvedRuleNests>(&made);
      ASSERT_NE(proved, nullptr) << text.layout << text.where;
      EXPECT_GE(proved->instances, 4U);
      const auto read = session::read_rule_case(request, *session::family_of(text.layout, {}));
      const session::RuleCase of{request, rule_of(std::get<session::RuleReading>(read)), asked.engines};
      use::Random random(20261125, 6, looked);
      const auto wrong = contradicted_at(of, proved->transfer, test::is_campaign() ? 400 : 25, looked, random);
      EXPECT_FALSE(wrong) << text.layout;
    }
  EXPECT_GE(looked, std::size(kTexts) * 20);
}

struct PairOfTexts {
  const char* tensor;
  const char* from;
  const char* to;
  const char* where;
};
constexpr PairOfTexts kPairs[] = {
    {"f16[M,N]", "SpyreTensorLayout((M, N), torch.float16)", "SpyreTensorLayout((M, N), torch.float16, [1, 0])", ""},
    {"f16[M,N]", "SpyreTensorLayout((M, N), torch.float16, [1, 0])", "SpyreTensorLayout((M, N), torch.float16)",
     "N % 64 == 0"},
    {"f16[A,M,N]", "SpyreTensorLayout((A, M, N), torch.float16)",
     "SpyreTensorLayout((A, M, N), torch.float16, [2, 0, 1])", ""},
    {"f32[A,M,N]", "SpyreTensorLayout((A, M, N), torch.float32, [1, 2, 0])",
     "SpyreTensorLayout((A, M, N), torch.float32, [0, 1, 2])", "A >= 2"},
    {"f16[M,100]", "SpyreTensorLayout((M, 100), torch.float16)", "SpyreTensorLayout((M, 100), torch.float16, [1, 0])",
     ""},
    {"f16[M,N]", "SpyreTensorLayout((M, N), torch.float16)", "SpyreTensorLayout((M, N), torch.float16)", ""},
    // Sticks of any length.
    {"f16[M,N]",
     "SpyreTensorLayout(device_size=[ceil(N/E), M, E], stride_map=[E, N, 1], device_dtype=DataFormats.SEN169_FP16)",
     "SpyreTensorLayout(device_size=[ceil(M/E), N, E], stride_map=[E*N, 1, N], device_dtype=DataFormats.SEN169_FP16)",
     ""},
    {"f16[A,M,N]",
     "SpyreTensorLayout(device_size=[M, ceil(N/E), A, E], stride_map=[N, E, M*N, 1], "
     "device_dtype=DataFormats.SEN169_FP16)",
     "SpyreTensorLayout(device_size=[N, ceil(A/E), M, E], stride_map=[1, E*M*N, N, M*N], "
     "device_dtype=DataFormats.SEN169_FP16)",
     "E >= 2"},
};

TEST(RuleNests, BetweenDevicesAreTheMovesOfEveryInstance) {
  std::size_t looked = 0;
  for (const PairOfTexts& pair : kPairs) {
    const session::CaseRequest to = test::request_for({pair.tensor, pair.to, pair.where});
    const session::CaseRequest from = test::request_for({pair.tensor, pair.from, pair.where});
    const session::JudgeOptions asked = options();
    const auto made = session::nests_for_all_sizes(to, from.layout, use::Direction::HostToDevice, asked);
    const auto* proved = std::get_if<session::ProvedRuleNests>(&made);
    ASSERT_NE(proved, nullptr) << pair.from << pair.to;
    const auto read_to = session::read_rule_case(to, *session::family_of(pair.to, {}));
    const auto read_from = session::read_rule_case(from, *session::family_of(pair.from, {}));
    const session::RuleCase of_to{to, rule_of(std::get<session::RuleReading>(read_to)), asked.engines};
    const session::RuleCase of_from{from, rule_of(std::get<session::RuleReading>(read_from)), asked.engines};
    session::Instances to_at(of_to), from_at(of_from);
    use::Random random(20261125, 8, looked);
    for (int draw = 0; draw < (test::is_campaign() ? 400 : 30); ++draw) {
      map::Sizes sizes;
      for (const map::Symbol& symbol : of_to.rule.symbols)
        sizes[symbol.name] = symbol.low + random.between(0, random.chance(40) ? 140 : 5);
      if (to_at.at(sizes) == nullptr || from_at.at(sizes) == nullptr) continue;
      const auto transfer = use::instance(proved->transfer, sizes);
      if (!transfer) continue;
      const auto right = implements(*transfer, device_of(*from_at.at(sizes)->subject.reading.layout()),
                                    device_of(*to_at.at(sizes)->subject.reading.layout()));
      if (!right) continue;
      ASSERT_TRUE(*right) << pair.from << pair.to;
      ++looked;
    }
  }
  EXPECT_GE(looked, std::size(kPairs) * 10);
}

// Two layouts of one tensor begin at one place of it, and so does the host.
TEST(RuleNests, BetweenDevicesAreOfOneView) {
  const test::RuleTexts to_text{"f16[R,128]", kWide, "T + R <= Q", "128, 1", "B", "128*T"};
  const session::CaseRequest to = test::request_for(to_text);
  const auto made = session::nests_for_all_sizes(to, to.layout, use::Direction::HostToDevice, options());
  const auto* proved = std::get_if<session::ProvedRuleNests>(&made);
  ASSERT_NE(proved, nullptr);
  const auto read = session::read_rule_case(to, *session::family_of(to.layout.text, {}));
  const auto& reading = std::get<session::RuleReading>(read);
  session::ClaimRequest claim;
  claim.claim = claims::find_claim("implements", true);
  const checker::Statement right =
      claims::with_nests(session::rule_statement(claim, to, reading), proved->transfer, &rule_of(reading));
  EXPECT_TRUE(claims::all_sizes_cases(right).has_value());
  const checker::ExpressionText other{{}, 0};
  for (auto checker::RuleText::*const rule_part : {&checker::RuleText::start, &checker::RuleText::offset}) {
    checker::Statement wrong = right;
    (*wrong.from_rule).*rule_part = other;
    EXPECT_FALSE(claims::all_sizes_cases(wrong).has_value());
  }
  checker::Statement wrong = right;
  wrong.rule->start = wrong.from_rule->start = other;
  EXPECT_FALSE(claims::all_sizes_cases(wrong).has_value());
}

void collect(Expression& node, std::vector<Expression*>& out) { out.push_back(&node); }

// One number of a nest becomes another, or a nest comes twice, or is left out.
void change(use::RuleTransfer& transfer, const map::Rule& rule, use::Random& random) {
  if (random.chance(10)) {
    transfer.nests.erase(transfer.nests.begin() + static_cast<std::ptrdiff_t>(random.below(transfer.nests.size())));
    return;
  }
  if (random.chance(10)) return transfer.nests.push_back(transfer.nests[random.below(transfer.nests.size())]);
  std::vector<Expression*> all;
  for (use::RuleNest& nest : transfer.nests) {
    for (auto* list : {&nest.extents, &nest.host.strides, &nest.device.strides})
      for (Expression& one : *list) collect(one, all);
    collect(nest.host.offset, all), collect(nest.device.offset, all);
  }
  Expression& chosen = *all[random.below(all.size())];
  const Expression other = *all[random.below(all.size())];
  switch (random.below(7)) {
    case 0: chosen = chosen + 1; return;
    case 1: chosen = chosen - 1; return;
    case 2: chosen = chosen * 2; return;
    case 3: chosen = other; return;
    case 4: chosen = Expression::named(rule.symbols[random.below(rule.symbols.size())].name); return;
    case 5: chosen = Expression::of(Expression::Kind::Ceil, chosen, 2); return;
    default: chosen = random.between(0, 2);
  }
}

// The loop of a nest with another extent and another first value, in units of the loop's own steps.
void set_loop(use::RuleNest& nest, std::size_t l, const Expression& first, const Expression& step, Expression extent) {
  for (use::RuleWalk* walk : {&nest.host, &nest.device}) {
    walk->offset = walk->offset + first * walk->strides[l];
    walk->strides[l] = walk->strides[l] * step;
  }
  nest.extents[l] = std::move(extent);
}

// The same moves by other loops: a loop backwards, in two halves, its even and its odd steps apart, in pairs and a
// last one, or two loops that are one; nests and loops in another order.
void rewrite(use::RuleTransfer& transfer, use::Random& random) {
  if (transfer.nests.empty()) return;
  const std::size_t n = random.below(transfer.nests.size());
  use::RuleNest& nest = transfer.nests[n];
  if (nest.extents.empty()) return;
  const std::size_t l = random.below(nest.extents.size());
  const Expression extent = nest.extents[l];
  const Expression half = Expression::of(Expression::Kind::Quotient, extent, 2);
  use::RuleNest other = nest;
  switch (random.below(5)) {
    case 0: set_loop(nest, l, extent - 1, -1, extent); return;
    case 1: set_loop(nest, l, 0, 1, half), set_loop(other, l, half, 1, extent - half); break;
    case 2:
      set_loop(nest, l, 0, 2, Expression::of(Expression::Kind::Ceil, extent, 2)), set_loop(other, l, 1, 2, half);
      break;
    case 3:
      set_loop(other, l, half * 2, 1, Expression::of(Expression::Kind::Remainder, extent, 2));
      for (use::RuleWalk* walk : {&nest.host, &nest.device})
        walk->strides.insert(walk->strides.begin() + static_cast<std::ptrdiff_t>(l), walk->strides[l] * 2);
      nest.extents[l] = half;
      nest.extents.insert(nest.extents.begin() + static_cast<std::ptrdiff_t>(l) + 1, 2);
      break;
    default: {
      const auto is_outer = [&](std::size_t k) {
        return k != l && std::ranges::all_of(std::array{&nest.host, &nest.device}, [&](const use::RuleWalk* walk) {
                 return map::print(walk->strides[k]) == map::print(walk->strides[l] * extent);
               });
      };
      for (std::size_t k = 0; k < nest.extents.size(); ++k)
        if (is_outer(k)) {
          nest.extents[l] = nest.extents[k] * extent;
          for (auto* list : {&nest.extents, &nest.host.strides, &nest.device.strides})
            list->erase(list->begin() + static_cast<std::ptrdiff_t>(k));
          return;
        }
      std::ranges::reverse(transfer.nests);
      return;
    }
  }
  transfer.nests.insert(transfer.nests.begin() + static_cast<std::ptrdiff_t>(random.below(transfer.nests.size())),
                        std::move(other));
}

// Each number as it is printed, multiplied out.
void print_and_read(use::RuleTransfer& transfer) {
  for (use::RuleNest& nest : transfer.nests) {
    for (auto* list : {&nest.extents, &nest.host.strides, &nest.device.strides})
      for (Expression& one : *list) one = *map::parse_expression(map::print(one));
    for (Expression* one : {&nest.host.offset, &nest.device.offset}) *one = *map::parse_expression(map::print(*one));
  }
}

TEST(RuleNests, AreProvedAsTheyArePrinted) {
  for (const test::RuleTexts& text : kTexts) {
    const session::CaseRequest request = test::request_for(text);
    const auto made = session::nests_for_all_sizes(request, {}, use::Direction::HostToDevice, options());
    const auto read = session::read_rule_case(request, *session::family_of(text.layout, {}));
    use::RuleTransfer transfer = std::get<session::ProvedRuleNests>(made).transfer;
    print_and_read(transfer);
    for (const char* name : {"in-bounds", "covers-once", "implements"}) {
      session::ClaimRequest claim;
      claim.claim = claims::find_claim(name, true);
      claim.rule_nests = std::make_shared<const use::RuleTransfer>(transfer);
      EXPECT_TRUE(claims::all_sizes_cases(session::rule_statement(claim, request, std::get<session::RuleReading>(read)))
                      .has_value())
          << name << " " << text.layout;
    }
  }
}

TEST(RuleNests, ThatAreChangedAreProvedOnlyWhereNoSizeContradictsThem) {
  const int rounds = test::is_campaign() ? 300 : 12;
  int wrong = 0, right = 0, shown = 0, rewritten = 0, rewritten_shown = 0;
  std::uint64_t number = 0;
  for (const test::RuleTexts& text : kTexts) {
    const session::CaseRequest request = test::request_for(text);
    const session::JudgeOptions asked = options();
    const auto made = session::nests_for_all_sizes(request, {}, use::Direction::HostToDevice, asked);
    const auto read = session::read_rule_case(request, *session::family_of(text.layout, {}));
    const auto& rule_reading = std::get<session::RuleReading>(read);
    const session::RuleCase of{request, rule_of(rule_reading), asked.engines};
    for (int round = 0; round < rounds; ++round) {
      use::Random random(20261125, 7, ++number);
      session::ClaimRequest claim;
      claim.claim = claims::find_claim("implements", true);
      use::RuleTransfer transfer = std::get<session::ProvedRuleNests>(made).transfer;
      const std::size_t rewrites = random.chance(50) ? 0 : 1 + random.below(2), changes = random.below(3);
      for (std::size_t k = 0; k < rewrites; ++k) rewrite(transfer, random);
      for (std::size_t k = 0; k < changes && !transfer.nests.empty(); ++k) change(transfer, of.rule, random);
      if (random.chance(50)) print_and_read(transfer);
      claim.rule_nests = std::make_shared<const use::RuleTransfer>(transfer);
      const bool proved = claims::all_sizes_cases(session::rule_statement(claim, request, rule_reading)).has_value();
      std::size_t looked = 0;
      const auto against = contradicted_at(of, transfer, 40, looked, random);
      if (looked == 0 && !against) continue;  // more moves than are looked at
      (against ? wrong : right) += 1;
      shown += proved ? 1 : 0;
      ASSERT_FALSE(proved && against) << text.layout << number;
      if (changes > 0 || rewrites == 0) continue;
      ASSERT_FALSE(against) << text.layout << number;
      ++rewritten, rewritten_shown += proved ? 1 : 0;
    }
  }
  fmt::print("{} wrong nests, {} right at what was looked at, {} proved; {} of {} that were only rewritten\n", wrong,
             right, shown, rewritten_shown, rewritten);
  EXPECT_GE(wrong, rounds * 4);
  EXPECT_GE(shown, rounds * 3);
  EXPECT_GE(rewritten, rounds * 2);
  EXPECT_GE(rewritten_shown * 10, rewritten * 9);
}

}  // namespace mutation_rule_nests_campaign
}  // namespace vl
