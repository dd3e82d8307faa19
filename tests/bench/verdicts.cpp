// The cost of a decision by different engines, side by side, so that one run shows the price of a solver.
#include "encodings/use/synthesis.h"
#include "tests/bench/layouts.h"
#include "tests/bench/question.h"
#include "tests/bench/suites.h"

namespace vl::bench {
namespace {

void verdict(const Rows& rows, const std::string& name, Texts texts, const std::string& engine = "") {
  const std::string claim = texts.claim;
  call(rows, "verdict/" + claim + "/" + name, [=](benchmark::State& state) {
    const Question question = ask(texts);
    engines::Options options;
    options.only = engine;
    for (auto _ : state) {
      const claims::Judged answer = question.decide(options);
      if (std::holds_alternative<question::Unknown>(answer.verdict)) state.SkipWithError("undecided");
      benchmark::DoNotOptimize(&answer);
    }
  });
}

}  // namespace

void register_verdicts(Rows& rows) {
  const std::string spyre = spyre_raw(1);
  for (const char* claim : {"in-bounds", "injective", "bijective", "offset-identity", "padding"}) {
    verdict(rows, "spyre-4d", {spyre, "f16[5,100,150]", claim, {}});
    for (const char* engine : {"enumerate", "smt"})
      verdict(rows, std::string("spyre-4d/") + engine, {spyre, "f16[5,100,150]", claim, {}}, engine);
    verdict(rows, "spyre-6d-greedy", {kGreedy, "f16[40,60]", claim, {}});
  }
  for (const char* claim : {"in-bounds", "injective", "bijective"}) {
    verdict(rows, "tirx-swizzled", {swizzled(1), "f16[8,64]", claim, {}});
    verdict(rows, "tirx-swizzled/enumerate", {swizzled(1), "f16[8,64]", claim, {}}, "enumerate");
  }
  for (const char* engine : {"gf2", "enumerate", "smt"})
    verdict(rows, std::string("tirx-128B-columns/") + engine,
            {swizzled(1), "f16[8,64]", "conflict-free", "lanes=8 width=16 at=[lane, 8*j] for j=0:8"}, engine);
  for (const char* claim : {"implements", "covers-once"}) {
    verdict(rows, "spyre-4d", {spyre, "f16[5,100,150]", claim, {}, true});
    verdict(rows, "spyre-4d/enumerate", {spyre, "f16[5,100,150]", claim, {}, true}, "enumerate");
    verdict(rows, "spyre-6d-greedy", {kGreedy, "f16[40,60]", claim, {}, true});
  }
  call(rows, "synthesise/spyre-4d", [=](benchmark::State& state) {
    const auto subject = subject_of(spyre, "f16[5,100,150]");
    for (auto _ : state)
      benchmark::DoNotOptimize(use::synthesise(*subject->reading.layout(), use::Direction::HostToDevice)->nests.size());
  });
  call(rows, "read/spyre-4d", [=](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(subject_of(spyre, "f16[5,100,150]")->reading.rules.size());
  });
}

}  // namespace vl::bench
