// The cost of a proof for all sizes: the engine's cells, the checker's cases, and a whole answer, in which instances
// are read and decided too.
#include "tests/bench/suites.h"
#include "verifier/claims/proofs/certify_rules.h"
#include "verifier/engines/polynomial/prove.h"
#include "verifier/session/rule_certificates.h"

namespace vl::bench {
namespace {

struct RuleTexts {
  const char* name;
  const char* tensor;
  const char* layout;
  const char* where;
  const char* claim;
};

constexpr RuleTexts kRules[] = {
    {"pitch", "f16[M,N]", "S[(M,N):(P,1)]", "P >= N", "injective"},
    {"row-major-4d", "f16[A,B,M,N]", "S[(A,B,M,N):(B*M*N,M*N,N,1)]", "", "injective"},
    {"swizzled-tile", "f16[M,64]", "ComposeLayout(3, 3, 3, S[(M,64):(64,1)])", "", "in-bounds"},
    {"spyre-2d", "f16[N,K]", "SpyreTensorLayout((N, K), torch.float16)", "", "bijective"},
    {"spyre-3d", "f16[N,M,150]", "SpyreTensorLayout((N, M, 150), torch.float16)", "", "bijective"},
    {"spyre-4d", "f16[A,B,N,K]", "SpyreTensorLayout((A, B, N, K), torch.float16)", "", "bijective"},
    {"spyre-6d", "f16[A,B,C,D,N,K]", "SpyreTensorLayout((A, B, C, D, N, K), torch.float16)", "", "bijective"},
};

session::CaseRequest request_of(const RuleTexts& texts) {
  session::CaseRequest out;
  out.layout = session::SourceText::option("the layout", texts.layout);
  out.tensor = session::SourceText::option("the tensor", texts.tensor);
  if (*texts.where != 0) out.where = session::SourceText::option("where", texts.where);
  out.claims.emplace_back().claim = claims::find_claim(texts.claim);
  return out;
}

std::vector<engines::AllSizesPart> parts_asked(std::string_view claim) {
  using engines::AllSizesPart;
  if (claim == "in-bounds") return {AllSizesPart::InBox};
  if (claim == "injective") return {AllSizesPart::Apart};
  return {AllSizesPart::InBox, AllSizesPart::Decoded, AllSizesPart::InFilled};
}

}  // namespace

void register_all_sizes(Rows& rows) {
  for (const RuleTexts& texts : kRules) {
    const std::string name = std::string("verdict/") + texts.claim + "/all-sizes/" + texts.name;
    const auto read = [texts] {
      const session::CaseRequest request = request_of(texts);
      auto found = session::read_rule_case(request, *session::family_of(texts.layout, {}));
      return std::get<session::RuleReading>(std::move(found));
    };
    call(rows, name + "/cells", [=](benchmark::State& state) {
      const session::RuleReading reading = read();
      const auto parts = parts_asked(texts.claim);
      for (auto _ : state)
        if (!engines::leaves_of(*reading.reading.rule_for_all_sizes(), parts).proved())
          state.SkipWithError("not proved");
    });
    call(rows, name + "/checker", [=](benchmark::State& state) {
      const session::CaseRequest request = request_of(texts);
      const checker::Statement statement = session::rule_statement(request.claims.front(), request, read());
      for (auto _ : state)
        if (!claims::holds_for_all_sizes(statement)) state.SkipWithError("not proved");
    });
    call(rows, name + "/answer", [=](benchmark::State& state) {
      const session::CaseRequest request = request_of(texts);
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
