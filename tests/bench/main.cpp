// vl_bench [--filter REGEX] [--json FILE]: runs the benchmarks whose row names match REGEX, prints the rows and writes
// them to FILE as {"schema": 1, "machine": {…}, "rows": [{name, value, unit, min, median, n}, …]}. ./dev bench builds
// and runs it.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <fstream>
#include <thread>

#include "tests/bench/suites.h"

namespace vl::bench {
namespace {

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

int run(int argc, char** argv) {
  std::string json;
  std::string filter = ".";
  for (int i = 1; i + 1 < argc; i += 2) (std::string(argv[i]) == "--json" ? json : filter) = argv[i + 1];
  const std::string self = argv[0];

  Rows rows(filter);
  register_verdicts(rows);
  register_growth(rows);
  register_all_sizes(rows);
  register_descriptors(rows);
  const std::string folder = self.substr(0, self.rfind('/') + 1);
  const std::string program = folder + "verify-layout";
  register_processes(rows, program);
  register_peers(rows);
  run_calls(rows, self);
  add_corpus(rows);
  add_all_sizes_corpus(rows);
  add_certificates(rows);
  add_peers(rows);
  add_scan(rows);
  const bool right = add_executor(rows);
  add_small_calls(rows, (folder.empty() ? "./" : folder) + "libverify-layout.so");
  add_fuzz(rows, program);
  add_exec_peers(rows);

  if (json.empty()) return right ? 0 : 1;
  utsname machine{};
  uname(&machine);
  const nlohmann::ordered_json out{{"schema", 1},
                                   {"machine",
                                    {{"system", machine.sysname},
                                     {"arch", machine.machine},
                                     {"processor", processor()},
                                     {"cores", std::thread::hardware_concurrency()}}},
                                   {"rows", rows.json()}};
  std::ofstream file(json);
  file << out.dump(1) << "\n";
  return file && right ? 0 : 1;
}

}  // namespace
}  // namespace vl::bench

int main(int argc, char** argv) {
  try {
    return vl::bench::run(argc, argv);
  } catch (const std::regex_error&) {
    fmt::print(stderr, "vl_bench: --filter is not a regular expression\n");
    return 64;
  }
}
