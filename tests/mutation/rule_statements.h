// Statements of claims for all sizes, of the corpus and of texts of our own: what a campaign changes.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "encodings/tirx/tirx.h"
#include "tests/support/corpus_claims.h"
#include "tests/support/rule_cases.h"
#include "verifier/claims/claim.h"
#include "verifier/session/rule_certificates.h"
#include "verifier/session/rule_kinds.h"
#include "verifier/session/rule_masks.h"
#include "verifier/session/rule_words.h"

namespace vl::mutation {

using checker::Statement;

inline constexpr test::RuleTexts kTexts[] = {
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
inline constexpr Pair kPairs[] = {
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
inline void add_statements(const session::CaseRequest& request, std::vector<Statement>& out) {
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
inline const LaneTexts kLanes[] = {
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

inline void add_lanes(const LaneTexts& texts, std::vector<Statement>& out) {
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

inline std::vector<Statement> pairs() {
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

inline const std::vector<Statement>& statements() {
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

}  // namespace vl::mutation
