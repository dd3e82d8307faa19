// What a verdict costs: the decision alone (`verdict/…`), reading a text (`read/…`), and a whole cold process
// (`cold-start`). Each row is the median of seven repetitions. Rows of one layout through different engines stand beside
// each other, so that the price of a solver can be read off in one run.
#include <benchmark/benchmark.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "encodings/map/family.h"
#include "encodings/map/synthesis.h"
#include "verifier/claims/claim.h"
#include "verifier/cli/hardware.h"
#include "verifier/cli/judge.h"

namespace vl {
namespace {

constexpr const char* kSpyre4d =
    "SpyreTensorLayout(device_size=[100, 3, 5, 64], stride_map=[150, 64, 15000, 1], device_dtype=DataFormats.SEN169_FP16)";
constexpr const char* kGreedy =
    "SpyreTensorLayout(device_size=[3, 4, 3, 1, 2, 64], stride_map=[600, 180, 60, 64, 1800, 1], "
    "device_dtype=DataFormats.SEN169_FP16)";
// The same layout with two extents a thousand times larger.
constexpr const char* kSpyre4dLarge =
    "SpyreTensorLayout(device_size=[100000, 3, 5000, 64], stride_map=[150, 64, 15000000, 1], "
    "device_dtype=DataFormats.SEN169_FP16)";
constexpr const char* kHuge = "SpyreTensorLayout((4096, 100000, 151), torch.float16)";

constexpr const char* kFragment = "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid";
constexpr const char* kSwizzled = "ComposeLayout(3, 3, 3, S[(8,64):(64,1)])";
// The same swizzle over 2^42 elements.
constexpr const char* kSwizzledHuge = "ComposeLayout(3, 3, 3, S[(68719476736,64):(64,1)])";

map::Reading reading_of(const std::string& layout, const std::string& tensor) {
  auto parsed = map::parse_tensor(tensor);
  VL_CHECK(parsed.has_value(), "a benchmark's tensor");
  auto reading = cli::family_of(layout, "")->read(layout, *parsed);
  VL_CHECK(reading.has_value(), "a benchmark's layout");
  return std::move(*reading);
}

void verdict(const std::string& name, const std::string& layout, const std::string& tensor, const std::string& claim,
             const std::string& engine) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const map::Reading reading = reading_of(layout, tensor);
    engines::Options options;
    options.only = engine;
    const claims::Claim* what = claims::find_claim(claim);
    for (auto _ : state) {
      const claims::Answer answer = claims::decide(*what, {&reading.layout, reading.rules, nullptr}, options);
      if (std::holds_alternative<certificate::Unknown>(answer.verdict)) state.SkipWithError("undecided");
      benchmark::DoNotOptimize(&answer);
    }
  });
}

// Whether an access is free of conflicts on sm_90.
void access(const std::string& name, const std::string& layout, const std::string& tensor, const std::string& lanes,
            const std::string& engine) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const map::Reading reading = reading_of(layout, tensor);
    const auto parsed = map::parse_access(lanes);
    const auto hardware = cli::read_hardware(cli::SourceText::option("--hardware", "sm_90"));
    const auto reach = engines::reach_of(*parsed, reading.layout, nullptr, 16, std::get<map::Hardware>(hardware));
    engines::Options options;
    options.only = engine;
    claims::Subject subject{&reading.layout, {}, nullptr};
    subject.reach = &*reach;
    for (auto _ : state) {
      const claims::Answer answer = claims::decide(*claims::find_claim("conflict-free"), subject, options);
      if (!std::holds_alternative<certificate::Proved>(answer.verdict)) state.SkipWithError("not proved");
      benchmark::DoNotOptimize(&answer);
    }
  });
}

// A claim about the nests that synthesis gives.
void nests(const std::string& name, const std::string& layout, const std::string& tensor, const std::string& claim,
           const std::string& engine) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const map::Reading reading = reading_of(layout, tensor);
    const auto transfer = map::synthesise(reading.layout, map::Direction::HostToDevice);
    engines::Options options;
    options.only = engine;
    for (auto _ : state) {
      const claims::Answer answer =
          claims::decide(*claims::find_nest_claim(claim), {&reading.layout, {}, nullptr, &*transfer}, options);
      if (!std::holds_alternative<certificate::Proved>(answer.verdict)) state.SkipWithError("not proved");
      benchmark::DoNotOptimize(&answer);
    }
  });
}

void register_all(const std::string& program) {
  for (const char* claim : {"in-bounds", "injective", "bijective", "offset-identity", "padding"}) {
    verdict(std::string("verdict/") + claim + "/spyre-4d", kSpyre4d, "f16[5,100,150]", claim, "");
    verdict(std::string("verdict/") + claim + "/spyre-4d/enumerate", kSpyre4d, "f16[5,100,150]", claim, "enumerate");
    verdict(std::string("verdict/") + claim + "/spyre-4d/smt", kSpyre4d, "f16[5,100,150]", claim, "smt");
    verdict(std::string("verdict/") + claim + "/spyre-6d-greedy", kGreedy, "f16[40,60]", claim, "");
    verdict(std::string("verdict/") + claim + "/spyre-10^10", kHuge, "f16[4096,100000,151]", claim, "");
  }
  for (const char* claim : {"in-bounds", "injective", "bijective"}) {
    verdict(std::string("verdict/") + claim + "/tirx-fragment", kFragment, "f16[8,16]", claim, "");
    verdict(std::string("verdict/") + claim + "/tirx-swizzled", kSwizzled, "f16[8,64]", claim, "");
    verdict(std::string("verdict/") + claim + "/tirx-swizzled/enumerate", kSwizzled, "f16[8,64]", claim, "enumerate");
    verdict(std::string("verdict/") + claim + "/tirx-swizzled-2^42", kSwizzledHuge, "f16[68719476736,64]", claim, "");
  }
  for (const char* engine : {"gf2", "enumerate", "smt"})
    access(std::string("verdict/conflict-free/tirx-128B-columns/") + engine, kSwizzled, "f16[8,64]",
           "lanes=8 width=16 at=[lane, 8*j] for j=0:8", engine);
  access("verdict/conflict-free/tirx-128B-2^42", kSwizzledHuge, "f16[68719476736,64]",
         "ldmatrix.x4 at=[lane % 8 + 8*i, lane / 8 * 8 + 32*j] for i=0:8589934592, j=0:2", "gf2");
  for (const char* claim : {"implements", "covers-once"}) {
    nests(std::string("verdict/") + claim + "/spyre-4d", kSpyre4d, "f16[5,100,150]", claim, "");
    nests(std::string("verdict/") + claim + "/spyre-4d/enumerate", kSpyre4d, "f16[5,100,150]", claim, "enumerate");
    nests(std::string("verdict/") + claim + "/spyre-6d-greedy", kGreedy, "f16[40,60]", claim, "");
    nests(std::string("verdict/") + claim + "/spyre-4d-x1000", kSpyre4dLarge, "f16[5000,100000,150]", claim, "");
  }
  benchmark::RegisterBenchmark("synthesise/spyre-4d", [](benchmark::State& state) {
    const map::Reading reading = reading_of(kSpyre4d, "f16[5,100,150]");
    for (auto _ : state) benchmark::DoNotOptimize(map::synthesise(reading.layout, map::Direction::HostToDevice)->nests.size());
  });
  benchmark::RegisterBenchmark("read/spyre-4d", [](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(reading_of(kSpyre4d, "f16[5,100,150]").rules.size());
  });
  benchmark::RegisterBenchmark("cold-start", [program](benchmark::State& state) {
    const std::string command = "'" + program + "' check --layout '" + kSpyre4d + "' --tensor 'f16[5,100,150]' >/dev/null";
    for (auto _ : state)
      if (std::system(command.c_str()) != 0) state.SkipWithError("the program failed");
  });
}

// Collects the repetitions of each benchmark into one row in microseconds; prints as it goes.
class Rows : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    benchmark::ConsoleReporter::ReportRuns(runs);
    std::vector<double> micros;
    std::string name;
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      name = run.run_name.function_name;
      micros.push_back(run.GetAdjustedRealTime() / benchmark::GetTimeUnitMultiplier(run.time_unit) * 1e6);
    }
    if (micros.empty()) return;
    std::ranges::sort(micros);
    const double median = micros[micros.size() / 2];
    rows_.push_back({{"name", name}, {"value", median}, {"unit", "us"}, {"min", micros.front()}, {"median", median},
                     {"n", micros.size()}});
  }
  [[nodiscard]] const nlohmann::ordered_json& rows() const { return rows_; }

 private:
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

int run(int argc, char** argv) {
  std::string json;
  std::string filter = ".";
  for (int i = 1; i + 1 < argc; i += 2) (std::string(argv[i]) == "--json" ? json : filter) = argv[i + 1];
  const std::string self = argv[0];
  register_all(self.substr(0, self.rfind('/') + 1) + "verify-layout");

  std::vector<std::string> words{self, "--benchmark_filter=" + filter, "--benchmark_repetitions=7",
                                 "--benchmark_min_time=0.05", "--benchmark_report_aggregates_only=false"};
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  Rows rows;
  benchmark::RunSpecifiedBenchmarks(&rows);
  if (json.empty()) return 0;
  utsname machine{};
  uname(&machine);
  const nlohmann::ordered_json out{{"schema", 1},
                                   {"machine", {{"system", machine.sysname}, {"arch", machine.machine},
                                                {"cores", std::thread::hardware_concurrency()}}},
                                   {"rows", rows.rows()}};
  std::ofstream file(json);
  file << out.dump(1) << "\n";
  return file ? 0 : 1;
}

}  // namespace
}  // namespace vl

int main(int argc, char** argv) { return vl::run(argc, argv); }
