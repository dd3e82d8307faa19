// Rows: the results of a run of the benchmarks, one named number per row.
//
// A row is {name, value, unit, min, median, n}: `value` of n samples is the number that is compared between runs;
// unless stated otherwise it is the median. Names are unique paths. --filter REGEX selects rows by name; work that no
// selected row needs is not done.
#pragma once

#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace vl::bench {

class Rows {
 public:
  /// Throws std::regex_error.
  explicit Rows(const std::string& filter) : filter_(filter) {}

  [[nodiscard]] bool wants(const std::string& name) const { return std::regex_search(name, filter_); }

  /// Adds a row, unless it is filtered out or there are no samples. `value`: the quantile `q` of the samples, the least
  /// of them that a share q of all does not exceed. Example: q = 0.99 of 100 samples is the second largest.
  void add(const std::string& name, const std::string& unit, std::vector<double> samples, double q = 0.5);
  /// Adds a row whose value is not one of its samples: a ratio of least times, and the ratio of each round.
  void add_value(const std::string& name, const std::string& unit, double value, std::vector<double> samples);
  /// The rows NAME/median and NAME/p99.
  void add_spread(const std::string& name, const std::string& unit, const std::vector<double>& samples);

  [[nodiscard]] const nlohmann::ordered_json& json() const { return rows_; }

 private:
  std::regex filter_;
  std::set<std::string> names_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

/// A row in microseconds of one call: registered here, measured by run_calls(). `body(state)` loops over the state.
/// Null if the row is not wanted.
template <class Body>
benchmark::internal::Benchmark* call(const Rows& rows, const std::string& name, Body body) {
  return rows.wants(name) ? benchmark::RegisterBenchmark(name.c_str(), body) : nullptr;
}

/// Measures what was registered, seven times each, and prints as it goes.
void run_calls(Rows& rows, const std::string& program);

}  // namespace vl::bench
