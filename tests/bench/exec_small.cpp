// A small pack from Python: exec/small/<case>/python through the shared library, peer/numpy/small/<case> by NumPy, and
// how many times faster the first one is. peers/small.py runs both in one process, in turns, if python3 is there.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>

#include "tests/bench/exec_job.h"
#include "tests/bench/exec_json.h"
#include "tests/bench/suites.h"

namespace vl::bench {
namespace {

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string out;
  for (const std::byte byte : bytes) out += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return out;
}

nlohmann::json asked_of(const ExecCase& one) {
  std::vector<std::uint16_t> source(static_cast<std::size_t>(one.source));
  std::vector<std::uint16_t> image(static_cast<std::size_t>(one.destination));
  for (std::size_t k = 0; k < source.size(); ++k) source[k] = static_cast<std::uint16_t>(k);
  VL_CHECK(one.unit == 2, "a small case of another unit");
  run_naively(one, std::as_bytes(std::span(source)), std::as_writable_bytes(std::span(image)), std::byte{0});
  nlohmann::json out = json_of(one);
  out["tensor"] = one.tensor;
  out["layout"] = one.layout;
  out["image"] = hexadecimal(std::as_bytes(std::span(image)));
  return out;
}

void add_line(Rows& rows, const nlohmann::json& line, std::map<std::string, std::vector<double>>& ways) {
  const std::string name = line.at("name");
  const std::string way = line.at("way");
  const std::string row = way == "numpy" ? "peer/numpy/" + name : "exec/" + name + "/" + way;
  if (line.contains("why")) {
    fmt::print(stderr, "{}: no row: {}\n", row, line.at("why").get<std::string>());
    return;
  }
  auto nanos = line.at("nanos").get<std::vector<double>>();
  ways[name + "/" + way] = nanos;
  rows.add(row, "ns", std::move(nanos), 0);
}

void add_ratio(Rows& rows, const std::string& name, const std::map<std::string, std::vector<double>>& ways) {
  const auto ours = ways.find(name + "/python");
  const auto theirs = ways.find(name + "/numpy");
  if (ours == ways.end() || theirs == ways.end()) return;
  std::vector<double> rounds;
  for (std::size_t k = 0; k < ours->second.size(); ++k) rounds.push_back(theirs->second[k] / ours->second[k]);
  const double ratio = std::ranges::min(theirs->second) / std::ranges::min(ours->second);
  rows.add_value("exec/" + name + "/python-to-numpy", "x numpy", ratio, std::move(rounds));
}

}  // namespace

void add_small_calls(Rows& rows, const std::string& library) {
  nlohmann::json asked = nlohmann::json::array();
  for (const Index columns : {60, 64}) {
    const ExecCase one = small_pack(columns);
    bool wanted = rows.wants("peer/numpy/" + one.name);
    for (const char* way : {"python", "python-many", "python-to-numpy"})
      wanted = wanted || rows.wants(fmt::format("exec/{}/{}", one.name, way));
    if (wanted) asked.push_back(asked_of(one));
  }
  if (asked.empty()) return;
  const std::string command =
      fmt::format("python3 '{}/tests/bench/peers/small.py' '{}' '{}'", VL_SOURCE_DIR, library, asked.dump());
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return;
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text.push_back(static_cast<char>(c));
  pclose(pipe);
  std::istringstream lines(text);
  std::map<std::string, std::vector<double>> ways;
  for (std::string line; std::getline(lines, line);) add_line(rows, nlohmann::json::parse(line), ways);
  for (const nlohmann::json& one : asked) add_ratio(rows, one.at("name"), ways);
}

}  // namespace vl::bench
