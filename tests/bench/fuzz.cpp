// The number of cases that a campaign decides per second on one processor; it runs the program itself.
#include <fmt/format.h>

#include <cstdio>

#include "tests/bench/suites.h"

namespace vl::bench {
namespace {

// The last line that the command prints, if it is a campaign's summary.
nlohmann::json summary_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  const bool failed = pclose(pipe) != 0;
  while (text.ends_with('\n')) text.pop_back();
  nlohmann::json line = nlohmann::json::parse(text.substr(text.rfind('\n') + 1), nullptr, false);
  if (failed || !line.is_object() || line.value("kind", "") != "campaign") return {};
  return line;
}

}  // namespace

void add_fuzz(Rows& rows, const std::string& program) {
  constexpr int kCases = 400'000;
  for (const std::string family : {"spyre", "tirx"})
    for (const std::string definition : {"always", "sometimes"}) {
      const std::string name = fmt::format("fuzz/cases-per-second/{}/definition-{}", family, definition);
      if (!rows.wants(name)) continue;
      std::vector<double> rates;
      for (int seed = 1; seed <= 3; ++seed) {
        const nlohmann::json said =
            summary_of(fmt::format("'{}' fuzz --family {} --seed {} --count {} --threads 1 --definition {} "
                                   "--format jsonl 2>/dev/null",
                                   program, family, seed, kCases, definition));
        if (!said.contains("seconds") || said.value("mismatches", 1) != 0) {
          fmt::print(stderr, "{}: no row: the campaign failed\n", name);
          rates.clear();
          break;
        }
        rates.push_back(said.at("cases").get<double>() / said.at("seconds").get<double>());
      }
      rows.add(name, "cases/s", std::move(rates), 1);
    }
}

}  // namespace vl::bench
