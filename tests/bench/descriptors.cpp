// Descriptors: one tensor map against a target, and one tile of a tensor map against its layout, with and without the
// certificate and the reading of their texts.
#include "encodings/use/descriptor.h"
#include "tests/bench/question.h"
#include "tests/bench/suites.h"
#include "verifier/session/judge.h"
#include "verifier/session/targets.h"

namespace vl::bench {
namespace {

constexpr const char* kMap = "tensormap(f16, dim (256,128), stride (512), box (64,64), swizzle 128B)";
constexpr const char* kLoad =
    "load tensormap(f16, dim (64,64), stride (128), box (64,64), swizzle 128B) at (0,0) to 1024";
constexpr const char* kTile = "ComposeLayout(3,3,3,S[(64,64):(64,1)])";
constexpr const char* kNamed = "tensormap(f16, dim (K,M), stride (2*K), box (64,64), swizzle 128B)";

std::shared_ptr<const session::TransferRequest> transfer_of(const char* text) {
  return std::make_shared<const session::TransferRequest>(session::TransferRequest{
      {session::SourceText::option("--transfer", text)}, session::SourceText::option("--target", "tma-sm_90")});
}

session::CaseRequest asked_of(const char* text, const char* where = nullptr) {
  session::CaseRequest out;
  out.transfer = transfer_of(text);
  out.layout = out.transfer->texts.front();
  if (where != nullptr) out.where = session::SourceText::option("--where", where);
  return out;
}

// The whole answer: texts, decision, certificate.
void answers(const session::CaseRequest& request, benchmark::State& state) {
  session::JudgeOptions options;
  options.engines = session::engine_options();
  for (auto _ : state) benchmark::DoNotOptimize(session::judge(request, options));
}

session::CaseRequest tile() {
  session::CaseRequest out;
  out.layout = session::SourceText::option("--layout", kTile);
  out.tensor = session::SourceText::option("--tensor", "f16[64,64]");
  session::ClaimRequest claim;
  claim.claim = claims::find_claim("carries");
  claim.transfer = transfer_of(kLoad);
  out.claims.push_back(std::move(claim));
  return out;
}

}  // namespace

void register_descriptors(Rows& rows) {
  call(rows, "verdict/accepts/tensormap/decision", [](benchmark::State& state) {
    const auto descriptor = use::parse_descriptor(kMap);
    const auto target = session::read_target(session::SourceText::option("--target", "tma-sm_90"));
    const claims::Claim& claim = *claims::find_claim("accepts");
    for (auto _ : state) {
      const auto found = use::judge(std::get<use::Target>(target), *descriptor);
      benchmark::DoNotOptimize(claims::decide(claim, claims::Described{*found, "tma-sm_90"}, {}));
    }
  });
  call(rows, "verdict/accepts/tensormap/answer", [](benchmark::State& state) { answers(asked_of(kMap), state); });
  call(rows, "verdict/accepts/tensormap/all-sizes",
       [](benchmark::State& state) { answers(asked_of(kNamed, "K % 8 = 0, K <= 2**32, M <= 2**32"), state); });
  call(rows, "verdict/carries/tile/answer", [](benchmark::State& state) { answers(tile(), state); });
  call(rows, "verdict/carries/tile/decision", [](benchmark::State& state) {
    const session::CaseRequest request = tile();
    const auto read = Question::of(request, request.claims.front(), subject_of(kTile, "f16[64,64]"));
    for (auto _ : state) benchmark::DoNotOptimize(std::get<Question>(read).decide());
  });
}

}  // namespace vl::bench
