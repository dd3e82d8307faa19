// Peers of the executor: other libraries do the same work, peer/<library>/<case>. peers/moves.py runs each library in
// its own process, if python3 and the library are there, in turns with memcpy. A library has no row if it is absent,
// cannot express the case, or leaves other bytes than the naive loop.
#include <fmt/format.h>

#include <cstdio>

#include "tests/bench/exec_job.h"
#include "tests/bench/exec_json.h"
#include "tests/bench/suites.h"

namespace vl::bench {
namespace {

struct Library {
  std::string name;         // in rows
  std::string driver;       // for the driver
  std::string environment;  // of its process
};

// JAX returns fresh memory. As it comes, that is on pages of 4 KiB that the system gives and takes each time;
// `jax-warm` keeps them, and on huge pages.
const std::vector<Library>& libraries() {
  static const std::vector<Library> all = {
      {"numpy", "numpy", ""},
      {"torch", "torch", ""},
      {"jax", "jax", ""},
      {"jax-warm", "jax",
       "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0:glibc.malloc.arena_max=1:"
       "glibc.malloc.trim_threshold=8589934592 "},
      {"onednn", "onednn", ""},
      {"hptt", "hptt", ""},
      {"hptt-measure", "hptt-measure", ""},
  };
  return all;
}

// The bytes that a library leaves: tags, and 0 in the gaps.
std::uint64_t digest_of_result(const ExecCase& one, Workshop& workshop) {
  const auto source = workshop.source.first(static_cast<std::size_t>(one.source * one.unit));
  const auto destination = workshop.destination.first(static_cast<std::size_t>(one.destination * one.unit));
  fill_with_tags(source);
  run_naively(one, source, destination, std::byte{0});
  return digest_of(destination);
}

void add_line(Rows& rows, const Library& library, const nlohmann::json& line, Workshop& workshop) {
  const std::string name = fmt::format("peer/{}/{}", library.name, line.at("name").get<std::string>());
  if (line.contains("why")) {
    fmt::print(stderr, "{}: no row: {}\n", name, line.at("why").get<std::string>());
    return;
  }
  if (digest_of_result(exec_case(line.at("name")), workshop) != line.at("digest").get<std::uint64_t>()) {
    fmt::print(stderr, "{}: no row: its result differs from the naive loop's\n", name);
    return;
  }
  Times times;
  times.work = line.at("work").get<std::vector<double>>();
  times.copies[static_cast<std::size_t>(Copy::Memcpy)] = line.at("memcpy").get<std::vector<double>>();
  const Ratio ratio = to_memcpy(times);
  rows.add_value(name, "x memcpy", ratio.value, ratio.rounds);
}

}  // namespace

void add_exec_peers(Rows& rows) {
  Workshop workshop;
  for (const Library& library : libraries()) {
    nlohmann::json asked = nlohmann::json::array();
    for (const ExecCase& one : exec_cases())
      if (one.moves.size() < 16 && rows.wants(fmt::format("peer/{}/{}", library.name, one.name))) {
        asked.push_back(json_of(one));
        asked.back()["expression"] = one.expression;
      }
    if (asked.empty()) continue;
    const std::string command = fmt::format("{}python3 '{}/tests/bench/peers/moves.py' {} '{}' 2>/dev/null",
                                            library.environment, VL_SOURCE_DIR, library.driver, asked.dump());
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return;
    bool answered = false;
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
      if (c != '\n') {
        text.push_back(static_cast<char>(c));
        continue;
      }
      const nlohmann::json line = nlohmann::json::parse(text, nullptr, false);
      text.clear();
      if (!line.is_object()) continue;
      answered = true;
      add_line(rows, library, line, workshop);
    }
    pclose(pipe);
    if (!answered) fmt::print(stderr, "peer/{}: no rows of moves, it is not installed or failed\n", library.name);
  }
}

}  // namespace vl::bench
