// The corpus's cases about all sizes as a benchmark: one sample a claim, its least time of three. Texts are read
// before, for `cells`; `answer` is the decision with the instances that confirm it, as a record's `micros` says.
#include <algorithm>
#include <chrono>

#include "tests/bench/suites.h"
#include "verifier/engines/polynomial/prove.h"
#include "verifier/session/all_sizes_case.h"

namespace vl::bench {
namespace {

constexpr int kTimes = 3;
const std::string kCells = "verdict/all-sizes/corpus/cells", kAnswer = "verdict/all-sizes/corpus/answer";

struct AskedRule {
  session::CaseRequest request;  // of one claim
  session::RuleReading reading;
};

std::vector<AskedRule> read_rules() {
  std::vector<AskedRule> out;
  for (const std::string& file : session::case_files(VL_SOURCE_DIR "/corpus"))
    for (const session::CaseRequest& request : session::read_cases(file).cases) {
      if (request.expect_invalid || request.sizes || !session::has_names(request)) continue;
      const use::Family* family = session::family_of(request.layout.text, request.family);
      if (family == nullptr || family->read_rule == nullptr) continue;
      auto read = session::read_rule_case(request, *family);
      const auto* rule = std::get_if<session::RuleReading>(&read);
      if (rule == nullptr || rule->reading.rule_for_all_sizes() == nullptr) continue;
      for (const session::ClaimRequest& claim : request.claims) {
        AskedRule one{request, *rule};
        one.request.claims = {claim};
        out.push_back(std::move(one));
      }
    }
  return out;
}

template <class Work>
double least_micros(const Work& work) {
  double least = 0;
  for (int k = 0; k < kTimes; ++k) {
    const double micros = work();
    least = k == 0 ? micros : std::min(least, micros);
  }
  return least;
}

// The engine alone; nothing of claims that it is not asked about.
std::optional<double> micros_of_cells(const AskedRule& asked) {
  const claims::Lifted lifted = asked.request.claims.front().claim->lifted;
  const auto parts = session::parts_of(lifted);
  if (parts.empty() && lifted != claims::Lifted::Rules) return std::nullopt;
  const map::Rule& rule = *asked.reading.reading.rule_for_all_sizes();
  return least_micros([&] {
    const auto start = std::chrono::steady_clock::now();
    const engines::Leaves leaves = parts.empty() ? engines::leaves_of_laws(rule) : engines::leaves_of(rule, parts);
    benchmark::DoNotOptimize(leaves.all.data());
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  });
}

double micros_of_answer(const AskedRule& asked) {
  session::JudgeOptions options;
  options.engines = session::engine_options();
  return least_micros([&] {
    const auto judged = session::judge_for_all_sizes(asked.request, options);
    return judged && !judged->answers.empty() ? judged->answers.front().micros : 0;
  });
}

bool wants_spread(const Rows& rows, const std::string& name) {
  return rows.wants(name + "/median") || rows.wants(name + "/p99");
}

}  // namespace

void add_all_sizes_corpus(Rows& rows) {
  const bool cells = wants_spread(rows, kCells), answer = wants_spread(rows, kAnswer);
  if (!cells && !answer) return;
  std::vector<double> of_cells, of_answers;
  for (const AskedRule& asked : read_rules()) {
    const auto micros = micros_of_cells(asked);
    if (!micros) continue;
    of_cells.push_back(*micros);
    if (answer) of_answers.push_back(micros_of_answer(asked));
  }
  if (cells) rows.add_spread(kCells, "us", of_cells);
  if (answer) rows.add_spread(kAnswer, "us", of_answers);
}

}  // namespace vl::bench
