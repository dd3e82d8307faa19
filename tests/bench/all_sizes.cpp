// The cost of a proof for all sizes: the engine's cells, the checker's cases, and a whole answer, in which instances
// are read and decided too.
#include "tests/bench/suites.h"
#include "tests/support/rule_cases.h"
#include "verifier/claims/proofs/certify_rules.h"
#include "verifier/engines/polynomial/prove.h"
#include "verifier/session/rule_certificates.h"

namespace vl::bench {
namespace {

struct NamedRule {
  const char* name;
  test::RuleTexts texts;
  const char* claim;
};

constexpr NamedRule kRules[] = {
    {"pitch", {"f16[M,N]", "S[(M,N):(P,1)]", "P >= N"}, "injective"},
    {"row-major-4d", {"f16[A,B,M,N]", "S[(A,B,M,N):(B*M*N,M*N,N,1)]", ""}, "injective"},
    {"swizzled-tile", {"f16[M,64]", "ComposeLayout(3, 3, 3, S[(M,64):(64,1)])", ""}, "in-bounds"},
    {"spyre-2d", {"f16[N,K]", "SpyreTensorLayout((N, K), torch.float16)", ""}, "bijective"},
    {"spyre-3d", {"f16[N,M,150]", "SpyreTensorLayout((N, M, 150), torch.float16)", ""}, "bijective"},
    {"spyre-4d", {"f16[A,B,N,K]", "SpyreTensorLayout((A, B, N, K), torch.float16)", ""}, "bijective"},
    {"tt-joined-rows",
     {"f32[N,M,K]",
      "tensor<8x1xceil(N*align(M, 32)/256)xceil(K/32)x!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = "
      "NxMxK, dim_alignments = 256x32x32, collapsed_intervals = dense<[[0, 2], [2, 3]]> : tensor<2x2xi64>, l1, "
      "sharded>>",
      ""},
     "bijective"},
    {"spyre-6d", {"f16[A,B,C,D,N,K]", "SpyreTensorLayout((A, B, C, D, N, K), torch.float16)", ""}, "bijective"},
};

session::CaseRequest request_of(const NamedRule& rule) {
  session::CaseRequest out = test::request_for(rule.texts);
  out.claims.emplace_back().claim = claims::find_claim(rule.claim);
  return out;
}

std::vector<engines::AllSizesPart> parts_asked(std::string_view claim) {
  using engines::AllSizesPart;
  if (claim == "in-bounds") return {AllSizesPart::InBox};
  if (claim == "injective") return {AllSizesPart::Apart};
  return {AllSizesPart::InBox, AllSizesPart::Decoded, AllSizesPart::InFilled};
}

using map::Expression;

// The expression with a name in the place of each 64.
Expression with_lanes(const Expression& e) {
  if (e.number() == 64) return Expression::named("E");
  if (e.parts().empty()) return e;
  std::vector<Expression> parts;
  for (const Expression& part : e.parts()) parts.push_back(with_lanes(part));
  if (e.kind() == Expression::Kind::Chosen) return Expression::chosen(parts[0], parts[1], parts[2], parts[3]);
  return Expression::of(e.kind(), parts[0], parts[1]);
}

// Spyre's constructor for a stick of any number of lanes from 2 on: every element type at once.
map::Rule with_lanes(map::Rule rule) {
  rule.symbols.push_back({"E", 2});
  for (map::RuleLevel& level : rule.levels) level = {with_lanes(level.weight), with_lanes(level.extent)};
  for (map::RulePlace& place : rule.places) place.extent = with_lanes(place.extent);
  return rule;
}

}  // namespace

void register_all_sizes(Rows& rows) {
  for (const NamedRule& rule : kRules) {
    const std::string name = std::string("verdict/") + rule.claim + "/all-sizes/" + rule.name;
    const auto read = [rule] {
      const session::CaseRequest request = request_of(rule);
      auto found = session::read_rule_case(request, *session::family_of(rule.texts.layout, {}));
      return std::get<session::RuleReading>(std::move(found));
    };
    call(rows, name + "/cells", [=](benchmark::State& state) {
      const session::RuleReading reading = read();
      const auto parts = parts_asked(rule.claim);
      for (auto _ : state)
        if (!engines::leaves_of(*reading.reading.rule_for_all_sizes(), parts).proved())
          state.SkipWithError("not proved");
    });
    const bool counts_sticks = std::string_view(rule.texts.tensor).ends_with("150]");  // 3, which are those of 64 lanes
    if (std::string_view(rule.texts.layout).starts_with("Spyre") && !counts_sticks)
      call(rows, name + "/cells-of-all-lanes", [=](benchmark::State& state) {
        const map::Rule lanes = with_lanes(*read().reading.rule_for_all_sizes());
        const auto parts = parts_asked(rule.claim);
        for (auto _ : state)
          if (!engines::leaves_of(lanes, parts).proved()) state.SkipWithError("not proved");
      });
    call(rows, name + "/checker", [=](benchmark::State& state) {
      const session::CaseRequest request = request_of(rule);
      const checker::Statement statement = session::rule_statement(request.claims.front(), request, read());
      for (auto _ : state)
        if (!claims::all_sizes_cases(statement)) state.SkipWithError("not proved");
    });
    call(rows, name + "/answer", [=](benchmark::State& state) {
      const session::CaseRequest request = request_of(rule);
      session::JudgeOptions options;
      options.engines = session::engine_options();
      for (auto _ : state) {
        const auto judged = session::judge_for_all_sizes(request, options);
        if (!judged || !judged->answers.front().as_expected) state.SkipWithError("not proved");
      }
    });
  }
}

}  // namespace vl::bench
