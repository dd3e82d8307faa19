#include "tests/bench/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "encodings/base/check.h"

namespace vl::bench {
namespace {

// The repetitions of one benchmark are the samples of one row: processor time, so that other work on the machine is not
// counted, except where a benchmark asks for the time on the wall.
class Reporter : public benchmark::ConsoleReporter {
 public:
  explicit Reporter(Rows& rows) : rows_(rows) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<double> micros;
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      if (run.error_occurred) {
        fmt::print("{}: no row: {}\n", run.run_name.function_name, run.error_message);
        return;
      }
      const bool wall = run.run_name.time_type == "real_time";
      const double time = wall ? run.GetAdjustedRealTime() : run.GetAdjustedCPUTime();
      micros.push_back(time / benchmark::GetTimeUnitMultiplier(run.time_unit) * 1e6);
    }
    if (!runs.empty()) rows_.add(runs.front().run_name.function_name, "us", std::move(micros));
  }
  bool ReportContext(const Context&) override { return true; }

 private:
  Rows& rows_;
};

// The least sample that a share q of all does not exceed. Sorts the samples.
double quantile(std::vector<double>& samples, double q) {
  std::ranges::sort(samples);
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(samples.size())));
  return samples[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

void Rows::add(const std::string& name, const std::string& unit, std::vector<double> samples, double q) {
  if (samples.empty() || !wants(name)) return;
  const double value = quantile(samples, q);
  add_value(name, unit, value, std::move(samples));
}

void Rows::add_value(const std::string& name, const std::string& unit, double value, std::vector<double> samples) {
  if (samples.empty() || !wants(name)) return;
  VL_CHECK(names_.insert(name).second, fmt::format("two rows are called {}", name));
  const double median = quantile(samples, 0.5);
  const double least = samples.front();
  rows_.push_back(
      {{"name", name}, {"value", value}, {"unit", unit}, {"min", least}, {"median", median}, {"n", samples.size()}});
  fmt::print("{:<72} {:>12.3f} {:<3} min {:.3f} n {}\n", name, value, unit, least, samples.size());
  std::fflush(stdout);
}

void Rows::add_spread(const std::string& name, const std::string& unit, const std::vector<double>& samples) {
  add(name + "/median", unit, samples, 0.5);
  add(name + "/p99", unit, samples, 0.99);
}

void run_calls(Rows& rows, const std::string& program) {
  std::vector<std::string> words{program, "--benchmark_filter=.", "--benchmark_repetitions=7",
                                 "--benchmark_min_time=0.004"};
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  Reporter reporter(rows);
  benchmark::RunSpecifiedBenchmarks(&reporter);
}

}  // namespace vl::bench
