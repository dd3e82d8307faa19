// Peers: other libraries on the same questions, in the same run. peers/driver.py asks each library in its own process,
// if python3 and the library are there. A library has no row if it is absent, gives no answer, or another answer than
// ours.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "tests/bench/layouts.h"
#include "tests/bench/question.h"
#include "tests/bench/suites.h"

namespace vl::bench {
namespace {

struct PeerQuestion {
  std::string name;
  Texts ours;
  nlohmann::json theirs;  // extents, terms, and where there are any other and swizzle; see driver.py
};

std::vector<PeerQuestion> questions() {
  using J = nlohmann::json;
  const J rows = J::array({{0, 1, 0, 64}, {1, 1, 0, 1}});
  return {
      {"injective/tile-64x64",
       {"S[(64,64):(64,1)]", "f16[64,64]", "injective", {}},
       {{"extents", {64, 64}}, {"terms", rows}}},
      {"injective/tile-64x8192",
       {"S[(64,8192):(8192,1)]", "f16[64,8192]", "injective", {}},
       {{"extents", {64, 8192}}, {"terms", J::array({{0, 1, 0, 8192}, {1, 1, 0, 1}})}}},
      {"injective/not-nested-4x3x5",
       {"S[(4,3,5):(3,4,12)]", "f16[4,3,5]", "injective", {}},
       {{"extents", {4, 3, 5}}, {"terms", J::array({{0, 1, 0, 3}, {1, 1, 0, 4}, {2, 1, 0, 12}})}}},
      {"injective/rows-overlap-8x64",
       {"S[(8,64):(63,1)]", "f16[8,64]", "injective", {}},
       {{"extents", {8, 64}}, {"terms", J::array({{0, 1, 0, 63}, {1, 1, 0, 1}})}}},
      {"injective/swizzled-8x64",
       {swizzled(1), rows_of_64(1), "injective", {}},
       {{"extents", {8, 64}}, {"terms", rows}, {"swizzle", {3, 3, 3}}}},
      {"injective/spyre-4d",
       {spyre_raw(1), spyre_raw_tensor(1), "injective", {}},
       {{"extents", {5, 100, 150}},
        {"terms", J::array({{1, 1, 0, 960}, {2, 64, 0, 320}, {0, 1, 0, 64}, {2, 1, 64, 1}})}}},
      {"injective/rows-4096x100000x151",
       {"S[(4096,100000,151):(15100000,151,1)]", "f16[4096,100000,151]", "injective", {}},
       {{"extents", {4096, 100000, 151}}, {"terms", J::array({{0, 1, 0, 15100000}, {1, 1, 0, 151}, {2, 1, 0, 1}})}}},
      {"equal/regrouped-8x64",
       {"S[(8,64):(64,1)]", "f16[8,64]", "equal=S[(8,8,8):(64,8,1)]", {}},
       {{"extents", {8, 64}}, {"terms", rows}, {"other", J::array({{0, 1, 0, 64}, {1, 8, 8, 8}, {1, 1, 8, 1}})}}},
  };
}

// The driver's output; empty if python3 or the library is absent. No argument has a single quote.
std::vector<nlohmann::json> ask_peer(const std::string& library, const nlohmann::json& asked) {
  const std::string command =
      fmt::format("python3 '{}/tests/bench/peers/driver.py' {} '{}' 2>/dev/null", VL_SOURCE_DIR, library, asked.dump());
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, got);
  pclose(pipe);
  std::vector<nlohmann::json> out;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    nlohmann::json line = nlohmann::json::parse(text.substr(begin, end - begin), nullptr, false);
    if (line.is_object()) out.push_back(std::move(line));
  }
  return out;
}

}  // namespace

void register_peers(Rows& rows) {
  for (const PeerQuestion& question : questions())
    call(rows, "peer/verify-layout/" + question.name, [texts = question.ours](benchmark::State& state) {
      const Question asked = ask(texts);
      for (auto _ : state) {
        const claims::Judged answer = asked.decide();
        benchmark::DoNotOptimize(&answer);
      }
    });
}

void add_peers(Rows& rows) {
  const std::vector<PeerQuestion> all = questions();
  for (const std::string library : {"islpy", "tensor-layouts", "tvm"}) {
    const auto row = [&](const std::string& name) { return fmt::format("peer/{}/{}", library, name); };
    nlohmann::json asked = nlohmann::json::array();
    for (const PeerQuestion& question : all) {
      if (!rows.wants(row(question.name))) continue;
      nlohmann::json one = {{"name", question.name},
                            {"asks", question.name.substr(0, question.name.find('/'))},
                            {"other", nullptr},
                            {"swizzle", nullptr}};
      one.update(question.theirs);
      asked.push_back(std::move(one));
    }
    if (asked.empty()) continue;
    const std::vector<nlohmann::json> answers = ask_peer(library, asked);
    if (answers.empty()) fmt::print("peer/{}: no rows, it is not installed or failed\n", library);
    for (const nlohmann::json& answer : answers) {
      const auto question = std::ranges::find(all, answer.at("name").get<std::string>(), &PeerQuestion::name);
      if (question == all.end()) continue;
      const auto said = answer.at("answer").get<std::string>();
      const std::string_view ours = word(ask(question->ours).decide());
      if (said == ours) rows.add(row(question->name), "us", answer.at("micros").get<std::vector<double>>());
      else fmt::print("{}: no row, we say {}, it says: {}\n", row(question->name), ours, said);
    }
  }
}

}  // namespace vl::bench
