// Certificates of proofs for all sizes against brute force: rules of the corpus and others, changed at one or two
// places, so that most are wrong; and their certificates, changed everywhere. No statement that is false at some small
// size may have evidence that the checker accepts, whoever chooses the steps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "encodings/tirx/tirx.h"
#include "encodings/use/random.h"
#include "tests/mutation/rule_changes.h"
#include "tests/mutation/rule_steps.h"
#include "tests/mutation/rule_truth.h"
#include "tests/support/corpus_claims.h"
#include "tests/support/flips.h"
#include "tests/support/rule_cases.h"
#include "tests/support/shard.h"
#include "verifier/checker/check.h"
#include "verifier/checker/rules.h"
#include "verifier/claims/proofs/certify_rules.h"
#include "verifier/session/rule_certificates.h"
#include "verifier/session/rule_kinds.h"
#include "verifier/session/rule_masks.h"
#include "verifier/session/rule_words.h"

namespace vl {
namespace mutation_rules_campaign {

using checker::ExpressionText;
using checker::Statement;
using mutation::accepted;
using mutation::AtSizes;
using mutation::change;
using Numbers = std::vector<std::int64_t>;
using Json = nlohmann::json;

constexpr test::RuleTexts kTexts[] = {
    {"f16[A,M,N]", "S[(A,M,N):(Q,P,1)]", "P >= N, Q >= M*P"},
    {"f16[A,M,N]", "S[(A,M,N):(1,A,A*M)]", ""},
    {"f16[M,N,8]", "S[(M,N,8):(P*8,8,1)]", "P >= N"},
    {"f16[M,8]", "S[(M,8):(8,1)] + 3", ""},
    {"f16[M,64]", "ComposeLayout(3, 3, 3, S[(M,64):(64,1)])", ""},
    {"f16[M,8]", "ComposeLayout(1, 2, 2, S[(M,8):(8,1)])", "M % 4 == 0"},
    {"f16[M,N]", "S[(M,N):(1@laneid,1)]", ""},
    {"f16[N]", "SpyreTensorLayout((N,), torch.float16)", ""},
    {"f32[N,M]", "SpyreTensorLayout((N, M), torch.float32)", "N >= 2"},
    {"f16[R,12]",
     "SpyreTensorLayout(device_size=[3, Q, 4], stride_map=[4, 12, 1], device_dtype=DataFormats.SEN169_FP16)",
     "T + R <= Q", "12, 1", "B", "12*T"},
    {"f16[R,W]",
     "SpyreTensorLayout(device_size=[2, Q, E], stride_map=[E, 2*E, 1], device_dtype=DataFormats.SEN169_FP16)",
     "T + R <= Q, K + W <= E", "2*E, 1", "", "2*E*T + E + K"},
    {"f16[R,V]",
     "SpyreTensorLayout(device_size=[ceil(K/4), Q, 4], stride_map=[4, K, 1], device_dtype=DataFormats.SEN169_FP16)",
     "S + V <= K, T + R <= Q", "K, 1", "", "K*T + S"},
    {"f16[Q,V]",
     "SpyreTensorLayout(device_size=[3, Q, 4], stride_map=[4, 11, 1], device_dtype=DataFormats.SEN169_FP16)",
     "S + V <= 11", "11, 1", "", "S"},
    {"f16[N,M,K]", "SpyreTensorLayout((N, M, K), torch.float16)", ""},
    {"f16[N,M,K]", "SpyreTensorLayout((N, M, K), torch.float16, [2, 0, 1])", ""},
    {"f16[N,M]", "SpyreTensorLayout(size=[N, M], dtype=torch.float16, dim_order=[0, 1, -1])", ""},
    {"f16[M,N]", "SpyreTensorLayout((M, N), torch.float16)", "M <= 12, N <= 60"},
    {"f16[M,70]", "SpyreTensorLayout((M, 70), torch.float16)", "M >= 0"},
    {"f32[M,N]",
     "tensor<2x1xceil(M/4)xceil(N/2)x!ttcore.tile<2x2, f32>, #ttcore.metal_layout<logical_shape = MxN, dim_alignments "
     "= 4x2, collapsed_intervals = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>, l1, sharded>>",
     ""},
    {"f32[M,N,K]",
     "tensor<3x1xceil(M*align(N, 2)/6)xKxf32, #ttcore.metal_layout<logical_shape = MxNxK, dim_alignments = 6x2x1, "
     "collapsed_intervals = dense<[[0, 2]]> : tensor<1x2xi64>, l1, sharded>>",
     ""},
    {"f32[M,N,K]",
     "tensor<Gx1xceil(M*align(N, A)/(2*G))xKx!ttcore.tile<2x1, f32>, #ttcore.metal_layout<logical_shape = MxNxK, "
     "dim_alignments = (2*G)xAx1, collapsed_intervals = dense<[[0, 2]]> : tensor<1x2xi64>, l1, sharded>>",
     ""},
    {"f32[M,N]",
     "tensor<2x1xSxNxf32, #ttcore.metal_layout<logical_shape = MxN, dim_alignments = 2x1, collapsed_intervals = "
     "dense<[[0, 1]]> : tensor<1x2xi64>, l1, sharded>>",
     "2*S >= M"},
    // Elements beyond the second core have no slot.
    {"f32[M,N]",
     "tensor<2x1xSxNxf32, #ttcore.metal_layout<logical_shape = MxN, dim_alignments = 2x1, collapsed_intervals = "
     "dense<[[0, 1]]> : tensor<1x2xi64>, l1, sharded>>",
     ""},
    {"f16[M,N]", "SpyreTensorLayout(device_size=[2, N, 3], dim_map=[0, 1, 0], device_dtype=DataFormats.SEN169_FP16)",
     ""},
    // Strides of a number that are no multiples of one another: right in one row only.
    {"f32[L,N,M]",
     "tensor<1x(L*align(N*align(M, C), B))xf32, #ttcore.metal_layout<logical_shape = LxNxM, dim_alignments = 1xBxC, "
     "collapsed_intervals = dense<[[0, 3]]> : tensor<1x2xi64>, l1, sharded>>",
     ""},
    {"f32[L,N,M]",
     "tensor<1x(L*align(N*align(M, C), B))xf32, #ttcore.metal_layout<logical_shape = LxNxM, dim_alignments = 1xBxC, "
     "collapsed_intervals = dense<[[0, 3]]> : tensor<1x2xi64>, l1, sharded>>",
     "L == 1"},
    // Conditions that one name divides another.
    {"f16[M,N]", "S[(M//T,T,N):(T*N,N,1)]", "M % T == 0"},
    {"f16[M,N]", "S[(M,N):(P,1)]", "P % (2*N) == 0"},
    // Windows of sticks of any length, along rows of sticks, and with steps of two.
    {"f16[R,V]",
     "SpyreTensorLayout(device_size=[ceil(K/E), Q, E], stride_map=[E, K, 1], device_dtype=DataFormats.SEN169_FP16)",
     "S + V <= K, T + R <= Q", "K, 1", "", "K*T + S"},
    {"f16[R,V]",
     "SpyreTensorLayout(device_size=[K, ceil(Q/4), 4], stride_map=[1, 4*K, K], device_dtype=DataFormats.SEN169_FP16)",
     "S + V <= K, T + R <= Q", "K, 1", "", "K*T + S"},
    {"f16[Q,V]",
     "SpyreTensorLayout(device_size=[ceil(K/4), Q, 4], stride_map=[4, K, 1], device_dtype=DataFormats.SEN169_FP16)",
     "2*V <= K", "K, 2", "", ""},
    // Rows joined in sticks, elements that repeat, hosts that go backwards or repeat.
    {"f16[M,N]",
     "SpyreTensorLayout(device_size=[ceil(M*N/4), 4], stride_map=[4, 1], device_dtype=DataFormats.SEN169_FP16)", ""},
    {"f16[M,A,6]",
     "SpyreTensorLayout(device_size=[ceil(6*A/4), M, 4], stride_map=[4, 6*A, 1], device_dtype=DataFormats.SEN169_FP16)",
     ""},
    {"f16[M,N]",
     "SpyreTensorLayout(device_size=[ceil(N/4), R, M, 4], stride_map=[4, 0, N, 1], "
     "device_dtype=DataFormats.SEN169_FP16)",
     ""},
    {"f16[M,N]",
     "SpyreTensorLayout(device_size=[ceil(N/4), R, M, 4], stride_map=[4, 0, N, 1], "
     "device_dtype=DataFormats.SEN169_FP16)",
     "R >= 0"},
    {"f16[M,N]",
     "SpyreTensorLayout(device_size=[ceil(N/4), M, 4], stride_map=[4, N, 1], device_dtype=DataFormats.SEN169_FP16)", "",
     "-N, 1", "", "(M - 1)*N"},
    {"f16[M,N]",
     "SpyreTensorLayout(device_size=[ceil(N/4), M, 4], stride_map=[4, N, 1], device_dtype=DataFormats.SEN169_FP16)", "",
     "N, -1", "", "N - 1"},
    {"f16[M,N]",
     "SpyreTensorLayout(device_size=[ceil(N/4), 4], stride_map=[4, 1], device_dtype=DataFormats.SEN169_FP16)", "",
     "0, 1", "", ""},
    {"f16[M,N]", "make_layout(make_shape(M, N), make_stride(P, 1))", "P >= N"},
    {"f16[M,4*N]", "(M,(4,N)):(4*N,(N,1))", ""},
    {"f16[4*M,8]", "Sw<1,1,2> o 0 o ((4,M),8):((8,32),1)", ""},
    {"f16[8,M]", "Sw<1,0,-2> o 0 o (8,M):(1,8)", ""},
};

struct Pair {
  test::RuleTexts first;
  const char* second;
};
constexpr Pair kPairs[] = {
    {{"f16[M,N]", "S[(M,N):(N,1)]", ""}, "S[M*N:1]"},
    {{"f16[M,N]", "S[(M,N):(N,1)]", ""}, "(M,N):(N,1)"},
    {{"f16[M,N]", "(M,N):(1,M)", ""}, "S[(M,N):(1,M)]"},
    {{"f16[M,4*N]", "(M,(4,N)):(4*N,(1,4))", ""}, "S[(M,4*N):(4*N,1)]"},
    {{"f16[M,4,N]", "(M,4,N):(4*N,1,4)", ""}, "S[(M,4,N):(4*N,1,4)]"},
    {{"f16[4*M,8]", "Sw<1,1,2> o 0 o ((4,M),8):((8,32),1)", ""}, "ComposeLayout(1, 1, 2, S[(4*M,8):(8,1)])"},
    {{"f16[M,N]", "S[(M,N):(1@laneid,1)] + R[2:32@laneid]", "M <= 32"}, "S[(M,N):(1@laneid,1)] + R[2:32@laneid]"},
    {{"f16[M,N]", "S[(M,N):(P,1)] + 5", "P >= N"}, "S[(M,N):(P,1)] + 5"},
    {{"f16[M,N]",
      "SpyreTensorLayout(device_size=[ceil(N/4), M, 4], stride_map=[4, N, 1], device_dtype=DataFormats.SEN169_FP16)",
      "N >= 2"},
     "SpyreTensorLayout(device_size=[ceil(N/4), M, 2, 2], stride_map=[4, N, 2, 1], "
     "device_dtype=DataFormats.SEN169_FP16)"},
    {{"f16[M,N]", "SpyreTensorLayout((M, N), torch.float16)", ""},
     "SpyreTensorLayout(device_size=[ceil(N/64), M, 64], stride_map=[64, N, 1], device_dtype=DataFormats.SEN169_FP16)"},
    {{"f16[M,N]",
      "SpyreTensorLayout(device_size=[ceil(N/4), R, M, 4], stride_map=[4, 0, N, 1], "
      "device_dtype=DataFormats.SEN169_FP16)",
      ""},
     "SpyreTensorLayout(device_size=[ceil(N/4), R, M, 4], stride_map=[4, 0, N, 1], "
     "device_dtype=DataFormats.SEN169_FP16)"},
    {{"f16[M,N]",
      "SpyreTensorLayout(device_size=[M, ceil(N/4), 4], stride_map=[N, 4, 1], device_dtype=DataFormats.SEN169_FP16)",
      "", "-N, 1", "", "(M - 1)*N"},
     "SpyreTensorLayout(device_size=[M, 1, ceil(N/4), 4], stride_map=[N, -1, 4, 1], "
     "device_dtype=DataFormats.SEN169_FP16)"},
    {{"f32[M,N]",
      "tensor<2x1xSxNxf32, #ttcore.metal_layout<logical_shape = MxN, dim_alignments = 2x1, collapsed_intervals = "
      "dense<[[0, 1]]> : tensor<1x2xi64>, l1, sharded>>",
      "2*S >= M"},
     "tensor<2x1xSxNxf32, #ttcore.metal_layout<logical_shape = MxN, dim_alignments = 2x1, collapsed_intervals = "
     "dense<[[0, 1]]> : tensor<1x2xi64>, l1, sharded>>"},
};

// The statements of a case's claims, whether they are true or not.
void add_statements(const session::CaseRequest& request, std::vector<Statement>& out) {
  const use::Family* family = session::family_of(request.layout.text, request.family);
  if (family == nullptr || family->read_rule == nullptr) return;
  const auto read = session::read_rule_case(request, *family);
  const auto* rule = std::get_if<session::RuleReading>(&read);
  if (rule == nullptr || rule->reading.rule_for_all_sizes() == nullptr) return;
  for (const char* name : {"in-bounds", "injective", "bijective", "onto", "padding", "offset-identity", "remap"}) {
    session::ClaimRequest claim;
    claim.claim = claims::find_claim(name);
    out.push_back(session::rule_statement(claim, request, *rule));
  }
  if (!rule->reading.rule_for_all_sizes()->laws.empty()) {
    session::ClaimRequest laws;
    laws.claim = claims::find_claim("well-formed");
    out.push_back(session::rule_statement(laws, request, *rule));
  }
  session::ClaimRequest cores, full;
  cores.claim = full.claim = claims::find_claim("occupied");
  full.arguments.push_back({"cores", session::SourceText::option("cores", "full")});
  if (rule->reading.rule_for_all_sizes()->named_axes && !rule->reading.rule_for_all_sizes()->numbers.empty())
    for (const auto* one : {&cores, &cores, &full}) out.push_back(session::rule_statement(*one, request, *rule));
  const std::vector<map::Expression>& sizes = rule->reading.rule_for_all_sizes()->logical;
  session::ClaimRequest mask;
  mask.claim = claims::find_claim("mask-exact");
  std::string shape;
  for (const map::Expression& size : sizes) shape += (shape.empty() ? "[" : ", ") + map::print(size);
  mask.arguments.push_back({"mask", session::SourceText::option("mask", shape + "]")});
  if (sizes.size() >= 2 && session::kept_by_mask(*rule->reading.rule_for_all_sizes(), sizes))
    out.push_back(session::rule_statement(mask, request, *rule));
  for (const char* name : {"tile", "grid", "gaps", "repeated"}) {
    session::ClaimRequest kind;
    kind.claim = claims::find_claim("padding-kind");
    kind.arguments.push_back({"kind", session::SourceText::option("kind", name)});
    if (std::holds_alternative<session::RulesOfKind>(session::rules_of_kind(kind, rule->reading)))
      out.push_back(session::rule_statement(kind, request, *rule));
  }
  session::ClaimRequest bytes, fits, rows;
  bytes.claim = claims::find_claim("bytes");
  fits.claim = claims::find_claim("fits");
  rows.claim = claims::find_claim("row-aligned");
  if (std::holds_alternative<session::SizedRule>(
          session::sized_rule(*rule->reading.rule_for_all_sizes(), rule->reading))) {
    out.push_back(session::rule_statement(bytes, request, *rule));
    out.push_back(session::rule_statement(fits, request, *rule, {100'000, {}}));
  }
  if (rule->reading.device_bits > 0)
    for (const Index alignment : {4, 16, 128})
      out.push_back(session::rule_statement(rows, request, *rule, {alignment, {}}));
}

struct LaneTexts {
  test::RuleTexts rule;
  const char* claim;
  const char* access;
  std::optional<Index> number;  // of the limit or of what is measured
};
const LaneTexts kLanes[] = {
    {{"f16[8,N]", "S[(8,N):(P,1)]", "P % 8 == 0"}, "conflicts", "lanes=8 width=16 at=[lane, 0]", 7},
    {{"f32[8,N]", "S[(8,N):(P,1)]", "P % 32 == 4"}, "conflict-free", "lanes=8 width=16 at=[lane, 0]", {}},
    {{"f32[4,N]", "S[(4,N):(P,1)] + 3", "P % 32 == 8"}, "wavefronts", "lanes=4 width=4 at=[lane, 0] for j=0:2", 1},
    {{"f16[M,64]", "ComposeLayout(3, 3, 3, S[(M,64):(64,1)])", "M >= 8"},
     "conflict-free",
     "lanes=8 width=16 at=[lane, j*8] for j=3:5",
     {}},
    {{"f16[M,64]", "S[(M,64):(64,1)]", "M >= 8"}, "wavefronts", "lanes=8 width=16 at=[lane, j*8] for j=0:2", 8},
    {{"u8[M,4]", "ComposeLayout(2, 1, 2, S[(M,4):(4,1)])", "M >= 4"},
     "conflicts",
     "lanes=8 width=4 at=[lane, 0] when lane < 4 base=16",
     1},
};

void add_lanes(const LaneTexts& texts, std::vector<Statement>& out) {
  session::CaseRequest request = test::request_for(texts.rule);
  const auto read = session::read_rule_case(request, tirx::family());
  session::ClaimRequest claim;
  claim.claim = claims::find_claim(texts.claim);
  claim.arguments.push_back({"access", session::SourceText::option("access", texts.access)});
  claim.arguments.push_back({"hardware", session::SourceText::option("hardware", "sm_90")});
  const bool limits = claim.claim->lifted == claims::Lifted::Conflicts && claim.claim->measures;
  if (limits) claim.at_most = texts.number;
  session::RuleNumbers numbers;
  if (!limits && texts.number) numbers.value = *texts.number;
  out.push_back(session::rule_statement(claim, request, std::get<session::RuleReading>(read), numbers));
  session::ClaimRequest aligned;
  aligned.claim = claims::find_claim("aligned");
  for (const Index base : {64, 1024})
    out.push_back(session::rule_statement(aligned, request, std::get<session::RuleReading>(read), {base, {}}));
}

std::vector<Statement> pairs() {
  std::vector<Statement> out;
  for (const Pair& pair : kPairs) {
    const session::CaseRequest request = test::request_for(pair.first);
    const auto read = session::read_rule_case(request, *session::family_of(request.layout.text, {}));
    session::ClaimRequest claim;
    claim.claim = claims::find_claim("equal");
    claim.arguments.push_back({"with", session::SourceText::option("with", pair.second)});
    out.push_back(session::rule_statement(claim, request, std::get<session::RuleReading>(read)));
  }
  return out;
}

const std::vector<Statement>& statements() {
  static const std::vector<Statement> all = [] {
    std::vector<Statement> out;
    for (const test::CorpusCase& one : test::corpus())
      if (session::has_names(one.request) && !one.request.sizes) add_statements(one.request, out);
    for (const test::RuleTexts& texts : kTexts) add_statements(test::request_for(texts), out);
    for (const LaneTexts& texts : kLanes)
      for (int k = 0; k < 2; ++k) add_lanes(texts, out);  // so that they are drawn more often
    return out;
  }();
  return all;
}

// ---- Truth

// Small sizes, and a few larger ones of single symbols.
Numbers drawn_sizes(const checker::RuleText& rule, use::Random& random) {
  Numbers out;
  for (const auto& symbol : rule.symbols)
    out.push_back(symbol.low + (random.chance(80) ? random.between(0, 4) : random.between(0, 150)));
  return out;
}

struct Looked {
  std::size_t existing = 0;
  std::optional<Numbers> against;
  std::optional<Numbers> with_element;
};
Looked look_at(const Statement& statement, std::size_t draws, use::Random& random) {
  Looked out;
  for (std::size_t k = 0; k < draws && !out.against; ++k) {
    const Numbers sizes = drawn_sizes(*statement.rule, random);
    const AtSizes found = mutation::RuleAtSizes(statement, sizes).look();
    if (found == AtSizes::NoInstance) continue;
    ++out.existing;
    if (found == AtSizes::False) out.against = sizes;
  }
  return out;
}

// Sizes that the checker takes for an instance.
std::optional<Numbers> instance_of(const checker::RuleText& rule, use::Random& random) {
  for (int attempt = 0; attempt < 40; ++attempt) {
    const Numbers sizes = drawn_sizes(rule, random);
    try {
      checker::check_instance(rule, sizes);
      return sizes;
    } catch (const checker::Rejected&) {
    }
  }
  return std::nullopt;
}

// Changes statements, and tries to prove them. One of `per_wrong` is wrong at least.
void expect_none_false(const std::vector<Statement>& of, std::size_t rounds, std::size_t per_wrong = 4) {
  const std::uint64_t first = test::is_campaign() ? test::shard_of(1).index * 1'000'000 : 0;
  std::size_t wrong = 0, right = 0, accepted_right = 0, unseen = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    use::Random random(20261125, 21, first + round);
    Statement statement = of[random.below(of.size())];
    const std::size_t changes = random.below(3);
    for (std::size_t k = 0; k < changes; ++k) change(statement, random);
    const Looked looked = look_at(statement, 60, random);
    const auto instance = instance_of(*statement.rule, random);
    if (looked.existing == 0 || !instance) {
      ++unseen;
      continue;
    }
    (looked.against ? wrong : right) += 1;
    for (const int random_steps : {0, 1, 4}) {
      const auto made = accepted(statement, *instance, random_steps, random);
      if (!made) continue;
      if (!looked.against) {
        ++accepted_right;
        // The draws were few: a proof is held against more of them.
        const Looked more = look_at(statement, 60, random);
        ASSERT_FALSE(more.against) << fmt::format("{}", fmt::join(*more.against, ",")) << checker::write(*made).dump();
        continue;
      }
      FAIL() << "false at " << fmt::format("{}", fmt::join(*looked.against, ",")) << ": "
             << checker::write(*made).dump();
    }
  }
  fmt::print("{} rules: {} wrong, {} right at what was looked at, {} times accepted; {} without an instance\n", rounds,
             wrong, right, accepted_right, unseen);
  EXPECT_GE(wrong, rounds / per_wrong);
  EXPECT_GE(accepted_right, rounds / 10);
}

TEST(RuleCertificates, OfChangedRulesAreAcceptedOnlyWhereNoSizeRefutesThem) {
  EXPECT_GE(statements().size(), 200U);
  expect_none_false(statements(), test::is_campaign() ? 40'000 : 300);
}

TEST(RuleCertificates, OfChangedRulesWithNumbersAreAcceptedOnlyWhereNoSizeRefutesThem) {
  std::vector<Statement> with_numbers;
  for (const Statement& one : statements())
    if (one.rule->numbers) with_numbers.push_back(one);
  EXPECT_GE(with_numbers.size(), 150U);
  expect_none_false(with_numbers, test::is_campaign() ? 6'000 : 150);
}

TEST(RuleCertificates, OfChangedPairsAreAcceptedOnlyWhereNoSizeTellsThemApart) {
  const std::vector<Statement> all = pairs();
  EXPECT_EQ(all.size(), std::size(kPairs));
  for (const Statement& one : all)
    EXPECT_TRUE(claims::holds_for_all_sizes(one)) << one.layout << " and " << one.arguments->at("with");
  expect_none_false(all, test::is_campaign() ? 20'000 : 150);
}

// What is shown of elements that have a slot alone, whatever the others are.
TEST(RuleCertificates, OfChangedRulesWithNumbersBeyondTheirLevelsAreAcceptedOnlyWhereNoSizeRefutesThem) {
  std::vector<Statement> of_slots;
  for (const Statement& one : statements())
    if (one.rule->numbers && (one.claim == "injective" || (one.claim == "offset-identity" && !one.rule->named)))
      of_slots.push_back(one);
  EXPECT_GE(of_slots.size(), 20U);
  expect_none_false(of_slots, test::is_campaign() ? 6'000 : 150, 20);  // most changes leave them right
}

TEST(RuleCertificates, OfChangedRulesWhoseNumbersJoinDigitsAreAcceptedOnlyWhereNoSizeRefutesThem) {
  std::vector<Statement> with_joins;
  for (const Statement& one : statements())
    if (one.rule->joins) with_joins.push_back(one);
  EXPECT_GE(with_joins.size(), 40U);
  expect_none_false(with_joins, test::is_campaign() ? 3'000 : 80);
}

TEST(RuleCertificates, OfChangedRulesAboutRowsAreAcceptedOnlyWhereNoSizeRefutesThem) {
  std::vector<Statement> about_rows;
  for (const Statement& one : statements())
    if (one.claim == "row-aligned") about_rows.push_back(one);
  EXPECT_GE(about_rows.size(), 200U);
  expect_none_false(about_rows, test::is_campaign() ? 20'000 : 150);
}

TEST(RuleCertificates, OfChangedRulesAboutCoresAreAcceptedOnlyWhereNoSizeRefutesThem) {
  std::vector<Statement> about_cores;
  for (const Statement& one : statements())
    if (one.claim == "occupied" || one.claim == "mask-exact") about_cores.push_back(one);
  EXPECT_GE(about_cores.size(), 60U);
  expect_none_false(about_cores, test::is_campaign() ? 20'000 : 150);
}

TEST(RuleCertificates, OfChangedRulesAboutKindsOfPaddingAreAcceptedOnlyWhereNoSizeRefutesThem) {
  std::vector<Statement> about_kinds;
  for (const Statement& one : statements())
    if (one.claim == "padding-kind") about_kinds.push_back(one);
  EXPECT_GE(about_kinds.size(), 60U);
  expect_none_false(about_kinds, test::is_campaign() ? 20'000 : 150);
}

TEST(RuleCertificates, ThatAreChangedAreRejectedOrShowWhatIsTrue) {
  std::size_t certificates = 0, flips = 0, rejected = 0, same = 0, other = 0;
  const test::Shard shard = test::shard_of_about(12, statements().size());
  for (std::size_t number = 0; number < statements().size(); ++number) {
    if (!shard.has(number)) continue;
    use::Random random(20261125, 22, number);
    const Statement& statement = statements()[number];
    const auto instance = instance_of(*statement.rule, random);
    const auto made = instance ? accepted(statement, *instance, 0, random) : std::nullopt;
    if (!made) continue;
    ++certificates;
    const Json whole = checker::write(*made);
    for (const test::Flip& flip : test::all_flips(whole, test::is_campaign() ? 6 : 1)) {
      Json changed = flip.of(whole);
      ++flips;
      const bool of_statement =
          changed.is_object() && changed.contains("statement") && changed["statement"] != whole["statement"];
      if (of_statement) {
        ASSERT_TRUE(checker::check(changed)) << "another statement of the same digest: " << changed.dump();
        if (!changed["statement"].is_object()) {
          ++rejected;
          continue;
        }
        changed["digest"] = checker::digest(changed["statement"]);
      }
      if (checker::check(changed)) {
        ++rejected;
        continue;
      }
      const auto again = checker::read<checker::Certificate>(changed);
      ++(of_statement ? other : same);
      const Looked looked = look_at(again.statement, !of_statement ? 1 : test::is_campaign() ? 60 : 10, random);
      ASSERT_FALSE(looked.against) << fmt::format("{}", fmt::join(*looked.against, ",")) << changed.dump();
    }
  }
  fmt::print("{} certificates, {} changes: {} rejected, {} prove the same, {} another statement that no size refutes\n",
             certificates, flips, rejected, same, other);
  EXPECT_GE(certificates, 2U);
  EXPECT_GE(rejected, flips / 2);
}

// Which of two axes m is the memory, nobody says.
TEST(RuleCertificates, NameEachDimensionOnce) {
  use::Random random(20261127, 24, 0);
  std::size_t seen = 0;
  for (const Statement& statement : statements()) {
    if (statement.rule->places.size() < 2) continue;
    const auto instance = instance_of(*statement.rule, random);
    const auto made = instance ? accepted(statement, *instance, 0, random) : std::nullopt;
    if (!made) continue;
    checker::Certificate twice = *made;
    twice.statement.rule->places.back().name = twice.statement.rule->places.front().name;
    twice.digest = checker::digest(twice.statement);
    EXPECT_EQ(checker::check(twice).value_or(""), "two dimensions of one name");
    if (++seen == 20) break;
  }
  EXPECT_EQ(seen, 20U);
}

TEST(RuleCertificates, AreReadStrictly) {
  use::Random random(20261125, 23, 0);
  const Statement& statement = statements().front();
  const auto instance = instance_of(*statement.rule, random);
  ASSERT_TRUE(instance);
  const auto made = accepted(statement, *instance, 0, random);
  ASSERT_TRUE(made);
  const auto with = [&](auto change_it) {
    checker::Certificate out = *made;
    change_it(out);
    out.digest = checker::digest(out.statement);
    return checker::check(out);
  };
  EXPECT_FALSE(with([](checker::Certificate&) {}));
  EXPECT_TRUE(with([](checker::Certificate& c) { c.statement.rule->symbols.push_back(c.statement.rule->symbols[0]); }));
  EXPECT_TRUE(with([](checker::Certificate& c) { c.statement.rule->symbols.push_back({"max of", 1}); }));
  EXPECT_TRUE(with([](checker::Certificate& c) { c.statement.at_most = 1; }));
  EXPECT_TRUE(with([](checker::Certificate& c) { c.statement.value_expression.emplace(); }));
  EXPECT_TRUE(with([](checker::Certificate& c) { c.evidence.cases->steps.pop_back(); }));
  EXPECT_TRUE(with([](checker::Certificate& c) { c.evidence.cases->steps.push_back({"holds", {}, {}}); }));
  EXPECT_TRUE(with([](checker::Certificate& c) { c.evidence.cases->sizes.push_back(1); }));
  const std::string text = checker::print(*made, false);
  EXPECT_TRUE(checker::certificate_in(text));
  std::string why;
  EXPECT_FALSE(checker::certificate_in(text + '\0', &why));  // the parser would take it for the end
}

}  // namespace mutation_rules_campaign
}  // namespace vl
