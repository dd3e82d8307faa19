// The cost of certificates: time to make one (with the checker's run), time to check it again, and bytes.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/bench/corpus.h"
#include "tests/bench/suites.h"
#include "verifier/claims/proofs/certify.h"
#include "verifier/values_kernel/check.h"

namespace vl::bench {
namespace {

template <class Work>
double micros_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

struct Samples {
  std::map<std::string, std::vector<double>> micros;  // by row, without /median and /p99
  std::map<std::string, std::vector<double>> bytes;
  std::map<std::string, std::pair<double, double>> shares;  // of how many: out of how many
};

void count(Samples& samples, const std::string& row, bool holds) {
  auto& [have, of] = samples.shares[row];
  have += holds ? 1 : 0;
  of += 1;
}

void add(const Asked& asked, Samples& samples) {
  const claims::Judged answer = asked.question.decide();
  if (std::holds_alternative<question::Unknown>(answer.verdict)) return;
  const std::string group = fmt::format("{}/{}", asked.question.claim(), asked.family);
  std::optional<checker::Certificate> made;
  const double making = micros_of([&] {
    if (const auto statement = asked.question.statement_of(answer.verdict))
      made = claims::certify(asked.question.asked(), *statement, answer.verdict);
  });
  if (std::holds_alternative<question::Proved>(answer.verdict))
    for (const std::string& row : {group, std::string("all")})
      count(samples, "certificate/checked/" + row, made.has_value());
  if (!made) return;
  std::vector<double> checking;
  bool accepted = true;
  const std::string text = checker::print(*made, false);
  const nlohmann::json json = checker::write(*made);
  for (int i = 0; i < 3; ++i)
    checking.push_back(micros_of([&] { accepted = accepted && !values_kernel::check(json); }));
  VL_CHECK(accepted, fmt::format("the checker rejects what it accepted: {} of {}", asked.question.claim(), asked.id));
  std::ranges::sort(checking);
  const std::string form = claims::forms_of(made->evidence);
  samples.micros["certificate/make/" + group].push_back(making);
  for (const std::string& name : {form, std::string("all")}) {
    samples.micros["certificate/check/" + name].push_back(checking[1]);
    samples.bytes["certificate/size/" + name].push_back(static_cast<double>(text.size() - 1));
  }
  count(samples, "certificate/check-faster-than-found",
        checking[1] < making + static_cast<double>(answer.time.count()) / 1000);
}

// The rows that there may be, so that no certificate is made when none is wanted. Forms are known afterwards only: the
// names of single ones stand for those of several.
std::vector<std::string> possible_rows() {
  std::vector<std::string> out{"certificate/checked/all", "certificate/check-faster-than-found"};
  for (const char* form : {"all", "cells", "sweep", "evaluation"})
    for (const char* spread : {"median", "p99"})
      for (const char* what : {"check", "size"}) out.push_back(fmt::format("certificate/{}/{}/{}", what, form, spread));
  for (const claims::Claim& claim : claims::claims())
    for (const use::Family* family : use::families()) {
      out.push_back(fmt::format("certificate/checked/{}/{}", claim.name, family->name));
      for (const char* spread : {"median", "p99"})
        out.push_back(fmt::format("certificate/make/{}/{}/{}", claim.name, family->name, spread));
    }
  return out;
}

}  // namespace

void add_certificates(Rows& rows) {
  const auto possible = possible_rows();
  if (std::ranges::none_of(possible, [&](const std::string& name) { return rows.wants(name); })) return;
  const std::vector<Asked> asked = read_corpus();
  Samples samples;
  for (const Asked& one : asked) add(one, samples);
  for (const auto& [name, micros] : samples.micros) rows.add_spread(name, "us", micros);
  for (const auto& [name, bytes] : samples.bytes) rows.add_spread(name, "B", bytes);
  for (const auto& [name, share] : samples.shares) rows.add(name, "%", {100 * share.first / share.second});
}

}  // namespace vl::bench
