// The corpus as a benchmark: every claim of every case, the decision alone. A row is a distribution over cases, not
// over repetitions; each case counts with the median of its repetitions.
#include "tests/bench/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <set>

#include "tests/bench/suites.h"

namespace vl::bench {
namespace {

// The claims of a case that is read; nothing of one that has to be rejected.
void read_case(const session::CaseRequest& request, std::vector<Asked>& out) {
  auto read = session::read_tensor(request);
  if (request.expect_invalid || std::holds_alternative<Diagnostic>(read)) return;
  const auto subject =
      std::make_shared<const session::TensorReading>(std::move(std::get<session::TensorReading>(read)));
  const use::Family& family = *session::family_of(request.layout.text, request.family);
  for (const session::ClaimRequest& claim : request.claims) {
    auto question = Question::of(request, claim, subject);
    if (auto* asked = std::get_if<Question>(&question))
      if (asked->decidable()) out.push_back({*request.id, std::string(family.name), std::move(*asked), {}, 0});
  }
}

// The median time of some decisions: seven up to five milliseconds, fewer of slow ones, so that a run takes no minutes.
double measured(const Question& question, const claims::Judged& first) {
  using namespace std::chrono_literals;
  std::vector<double> micros;
  const std::size_t times = first.time < 5ms ? 7 : first.time < 50ms ? 3 : 1;
  while (micros.size() < times) micros.push_back(static_cast<double>(question.decide().time.count()) / 1000);
  std::ranges::sort(micros);
  return micros[micros.size() / 2];
}

void print_slowest(std::vector<Asked> asked, std::size_t count) {
  std::ranges::sort(asked, std::greater{}, &Asked::micros);
  fmt::print("the {} slowest decisions of the corpus:\n", std::min(count, asked.size()));
  for (std::size_t i = 0; i < std::min(count, asked.size()); ++i)
    fmt::print("{:>12.1f} us  {:<16} {:<20} {}\n", asked[i].micros, asked[i].question.claim(), asked[i].engine,
               asked[i].id);
}

const std::string kAll = "verdict/all/corpus";
const std::string kDecided = kAll + "/decided";

std::string corpus_of(std::string_view claim, std::string_view family) {
  return fmt::format("verdict/{}/{}/corpus", claim, family);
}
std::string of_engine(std::string_view engine) { return fmt::format("verdict/by-engine/{}", engine); }

// Every spread that there may be, so that nothing is read when none is wanted: an answer is of one engine or of two.
std::vector<std::string> possible_spreads() {
  std::vector<std::string> out{kAll, of_engine("evaluation")};
  std::set<std::string_view> engines;
  for (const engines::Engine& engine : engines::engines()) engines.insert(engine.name);
  for (const std::string_view first : engines) {
    out.push_back(of_engine(first));
    for (const std::string_view second : engines) out.push_back(of_engine(fmt::format("{}+{}", first, second)));
  }
  for (const claims::Claim& claim : claims::claims())
    for (const use::Family* family : use::families()) out.push_back(corpus_of(claim.name, family->name));
  return out;
}

bool wants(const Rows& rows, const std::string& spread) {
  return rows.wants(spread + "/median") || rows.wants(spread + "/p99");
}

// Empty if it is not decided.
std::string engine_of(const question::Verdict& verdict) {
  return std::visit(overloaded{[](const question::Unknown&) { return std::string(); },
                               [](const auto& decided) { return decided.engine; }},
                    verdict);
}

}  // namespace

std::vector<Asked> read_corpus() {
  std::vector<Asked> out;
  for (const std::string& file : session::case_files(VL_SOURCE_DIR "/corpus")) {
    const session::CaseFile read = session::read_cases(file);
    for (const session::BadCase& bad : read.errors) fmt::print("{}\n", to_string(bad.diagnostic));
    for (const session::CaseRequest& request : read.cases) read_case(request, out);
  }
  return out;
}

void add_corpus(Rows& rows) {
  const auto possible = possible_spreads();
  if (std::ranges::none_of(possible, [&](const std::string& name) { return wants(rows, name); }) &&
      !rows.wants(kDecided))
    return;

  std::vector<Asked> asked = read_corpus();
  std::map<std::string, std::vector<double>> spreads;
  double undecided = 0;
  for (Asked& one : asked) {
    const claims::Judged answer = one.question.decide();
    one.engine = engine_of(answer.verdict);
    if (one.engine.empty()) {
      if (word(answer) == "unknown") fmt::print("undecided: {} of {}\n", one.question.claim(), one.id);
      undecided += word(answer) == "unknown" ? 1 : 0;
      continue;
    }
    const std::array<std::string, 3> names = {corpus_of(one.question.claim(), one.family), of_engine(one.engine), kAll};
    if (std::ranges::none_of(names, [&](const std::string& name) { return wants(rows, name); })) continue;
    one.micros = measured(one.question, answer);
    for (const std::string& name : names) spreads[name].push_back(one.micros);
  }
  for (const auto& [name, micros] : spreads) rows.add_spread(name, "us", micros);
  const auto decided =
      static_cast<double>(std::ranges::count_if(asked, [](const Asked& one) { return !one.engine.empty(); }));
  rows.add(kDecided, "%", {100 * decided / (decided + undecided)});
  if (wants(rows, kAll)) print_slowest(std::move(asked), 30);
}

}  // namespace vl::bench
