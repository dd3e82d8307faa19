// Rows of the executor: exec/<case> and exec/<case>/best-copy for large memories, exec/small/… for small ones,
// exec/plan/… for making and checking a plan, exec/definition/… for the definition, exec/threads/… for two threads.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include "oracle/executor/pool.h"
#include "oracle/reference/definition.h"
#include "tests/bench/exec_job.h"
#include "tests/bench/suites.h"

namespace vl::bench {
namespace {

// A case's job when its result is right; else says why its rows are absent. `wrong` says whether a result
// was.
std::optional<Job> job_of(const std::string& row, const ExecCase& one, Workshop& workshop, bool& wrong,
                          oracle::Pool* pool = nullptr) {
  auto made = Job::of(one);
  std::optional<std::string> why;
  if (auto* none = std::get_if<std::string>(&made)) why = std::move(*none);
  else why = wrong_result(one, std::get<Job>(made), workshop, pool);
  if (!why) return std::move(std::get<Job>(made));
  wrong = wrong || std::holds_alternative<Job>(made);
  fmt::print(stderr, "{}: no row: {}\n", row, *why);
  return std::nullopt;
}

struct Between {
  std::span<std::byte> source;
  std::span<std::byte> destination;
};

Between memories_of(const Job& job, Workshop& workshop) {
  const std::size_t bytes = std::max(job.source_bytes(), job.destination_bytes());
  return {workshop.source.first(bytes), workshop.destination.first(job.destination_bytes())};
}

Times time_alone(const Job& job, Workshop& workshop) {
  const auto [source, destination] = memories_of(job, workshop);
  return measure([&] { job.run(source, destination); },
                 [&](Copy copy) { copy_by(copy, destination.data(), source.data(), destination.size()); },
                 Clock::Thread);
}

// The copies are made by the same threads, in as many parts as keep all of them busy.
Times time_by(oracle::Pool& pool, const Job& job, Workshop& workshop) {
  const auto [source, destination] = memories_of(job, workshop);
  const std::size_t parts = 4 * pool.threads();
  const std::size_t part = (destination.size() / parts + 63) / 64 * 64;
  const auto copy_in_parts = [&](Copy copy) {
    pool.run(parts, [&](std::size_t k) {
      const std::size_t begin = std::min(k * part, destination.size());
      const std::size_t end = k + 1 == parts ? destination.size() : std::min(begin + part, destination.size());
      copy_by(copy, destination.data() + begin, source.data() + begin, end - begin);
    });
  };
  return measure([&] { job.run(source, destination, &pool); }, copy_in_parts, Clock::Wall);
}

bool add_cases(Rows& rows, Workshop& workshop) {
  bool wrong = false;
  const Pinned pinned;
  for (const ExecCase& one : exec_cases()) {
    const std::string name = "exec/" + one.name;
    if (!wants_ratios(rows, name)) continue;
    if (const auto job = job_of(name, one, workshop, wrong)) add_ratios(rows, name, time_alone(*job, workshop));
  }
  return wrong;
}

// Those of which a library's figures for two threads are known.
const std::vector<std::string>& threaded_cases() {
  static const std::vector<std::string> names = {"stick-scatter/f16/120MiB",
                                                 "stick-gather/f16/94MiB",
                                                 "stick-scatter/f16/order-1-0-2-3/128MiB",
                                                 "stick-scatter/f16/order-0-1-3-2/128MiB",
                                                 "stick-scatter/f16/order-0-2-3-1/128MiB",
                                                 "restickify/2/64MiB",
                                                 "restickify/4/64MiB",
                                                 "tilize/bf16/64MiB",
                                                 "untilize/bf16/64MiB",
                                                 "blocked/T8x128-2x1/bf16/64MiB",
                                                 "blocked/nChw16c/f32/98MiB",
                                                 "blocked/BA16a64b4a/i8/64MiB",
                                                 "permute/5d/f32/0-4-2-1-3/220MiB",
                                                 "permute/5d/f32/1-3-0-4-2/193MiB",
                                                 "permute/5d/f32/4-3-2-1-0/193MiB"};
  return names;
}

bool add_threads(Rows& rows, Workshop& workshop) {
  bool wrong = false;
  std::unique_ptr<oracle::Pool> pool;
  for (const std::string& case_name : threaded_cases()) {
    const std::string name = "exec/threads/" + case_name;
    if (!wants_ratios(rows, name) && !rows.wants(name + "/of-one-thread")) continue;
    if (std::thread::hardware_concurrency() < 2) {
      fmt::print(stderr, "exec/threads: no rows: there is one processor\n");
      return wrong;
    }
    if (!pool) pool = std::make_unique<oracle::Pool>(2);
    const auto job = job_of(name, exec_case(case_name), workshop, wrong, pool.get());
    if (!job) continue;
    const Times two = time_by(*pool, *job, workshop);
    add_ratios(rows, name, two, "2-thread ");
    if (!rows.wants(name + "/of-one-thread")) continue;
    const Pinned pinned;
    const double share = to_memcpy(two).value / to_memcpy(time_alone(*job, workshop)).value;
    rows.add_value(name + "/of-one-thread", "x 1-thread ratio", share, {share});
  }
  return wrong;
}

bool add_small(Rows& rows, Workshop& workshop) {
  bool wrong = false;
  const Pinned pinned;
  for (const Index columns : {60, 64}) {
    const ExecCase one = small_pack(columns);
    const std::string name = "exec/" + one.name;
    if (!rows.wants(name)) continue;
    const auto job = job_of(name, one, workshop, wrong);
    if (!job) continue;
    const auto [source, destination] = memories_of(*job, workshop);
    std::vector<double> nanos = measure([&] { job->run(source, destination); }, Clock::Thread);
    for (double& sample : nanos) sample *= 1e9;
    rows.add(name, "ns", std::move(nanos), 0);
  }
  return wrong;
}

void add_plans(Rows& rows) {
  const Pinned pinned;
  for (const char* case_name :
       {"stick-scatter/f16/120MiB", "stick-gather/f16/94MiB", "stick-scatter/f16/order-1-0-2-3/128MiB",
        "restickify/2/64MiB", "tilize/bf16/64MiB", "tilize/bf16/padded/62MiB", "blocked/T8x128-2x1/bf16/64MiB",
        "swizzle/3-3-3/f16/64MiB", "permute/5d/f32/2-0-4-1-3/193MiB"}) {
    const std::string name = std::string("exec/plan/") + case_name;
    if (!rows.wants(name)) continue;
    const auto made = Job::of(exec_case(case_name));
    if (const auto* why = std::get_if<std::string>(&made)) {
      fmt::print(stderr, "{}: no row: {}\n", name, *why);
      continue;
    }
    const Job& job = std::get<Job>(made);
    oracle::CertifiedPlan plan;
    std::vector<double> micros =
        measure([&] { VL_CHECK(job.make_again(plan), "a plan that is not made twice"); }, Clock::Thread);
    for (double& sample : micros) sample *= 1e6;
    rows.add(name, "us", std::move(micros), 0);
  }
}

// f16[5,1024,128] in sticks: 655,360 elements, each with a slot of its own, the image full.
bool add_definition(Rows& rows, Workshop& workshop) {
  const std::string name = "exec/definition/ns-per-element";
  if (!rows.wants(name)) return false;
  const Pinned pinned;
  const ExecCase one = whole_sticks();
  const auto subject = subject_of(one.layout, one.tensor);
  const auto bytes = static_cast<std::size_t>(one.source * one.unit);
  const auto source = workshop.source.first(bytes);
  const auto destination = workshop.destination.first(bytes);
  const auto expected = workshop.expected.first(bytes);
  fill_with_tags(source);
  run_naively(one, source, expected, std::byte{0});
  constexpr std::array<std::byte, 2> kZero{};
  oracle::Definition definition;
  const auto pack = [&] {
    const auto error = definition.pack(*subject->reading.layout(), oracle::Host::Dense, source, 2, kZero, destination);
    VL_CHECK(!error, "the definition refuses a good layout");
  };
  std::vector<double> nanos = measure(pack, Clock::Thread);
  if (!std::ranges::equal(destination, expected)) {
    fmt::print(stderr, "{}: no row: WRONG RESULT\n", name);
    return true;
  }
  for (double& sample : nanos) sample *= 1e9 / static_cast<double>(one.source);
  rows.add(name, "ns", std::move(nanos), 0);
  return false;
}

}  // namespace

bool add_executor(Rows& rows) {
  Workshop workshop;
  bool wrong = add_cases(rows, workshop);
  wrong = add_threads(rows, workshop) || wrong;
  wrong = add_small(rows, workshop) || wrong;
  wrong = add_definition(rows, workshop) || wrong;
  add_plans(rows);
  return !wrong;
}

}  // namespace vl::bench
