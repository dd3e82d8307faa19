#include "verifier/session/batch.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "encodings/base/threads.h"

namespace vl::session {
namespace {

// The limit of a case in the first pass.
constexpr std::uint64_t kFirstUnits = 1'000'000;

// Cases on their way to the reader: they arrive in any order, and leave in that of the requests.
class InOrder {
 public:
  explicit InOrder(const BatchOptions& options) : options_(options) {}

  void put(std::size_t i, question::Case&& judged) {
    if (options_.decided) options_.decided();
    const std::lock_guard lock(mutex_);
    waiting_.emplace(i, std::move(judged));
    for (; !waiting_.empty() && waiting_.begin()->first == next_ && !ended_; ++next_) {
      if (!options_.done(std::move(waiting_.begin()->second))) ended_ = true;
      waiting_.erase(waiting_.begin());
    }
  }
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  std::mutex mutex_;
  std::map<std::size_t, question::Case> waiting_;
  std::size_t next_ = 0;
  std::atomic<bool> ended_{false};
  const BatchOptions& options_;
};

// Calls work(i) for each of `indices` on that many threads. Rethrows the first exception.
template <class Each>
void for_each(const std::vector<std::size_t>& indices, unsigned jobs, const Each& each) {
  std::atomic<std::size_t> next{0};
  on_threads(std::min<std::size_t>(jobs, indices.size()), [&](std::size_t) {
    for (std::size_t i = next++; i < indices.size(); i = next++) each(indices[i]);
  });
}

}  // namespace

question::Case rejected(std::optional<std::string> id, Diagnostic diagnostic) {
  question::Case out;
  out.id = std::move(id);
  out.place = {diagnostic.file, diagnostic.line, diagnostic.column};
  out.diagnostic = std::move(diagnostic);
  return out;
}

std::vector<Work> work_of(CaseFile read, const std::string& file) {
  std::vector<Work> out;
  auto bad = read.errors.begin();
  for (std::size_t i = 0; i <= read.cases.size(); ++i) {
    for (; bad != read.errors.end() && bad->before == i; ++bad) {
      question::Case wrong = rejected(bad->id ? bad->id : std::optional(file), std::move(bad->diagnostic));
      wrong.further = bad->further;
      out.emplace_back(std::move(wrong));
    }
    if (i < read.cases.size()) out.emplace_back(std::move(read.cases[i]));
  }
  return out;
}

void judge_all(std::vector<Work> work, const BatchOptions& options) {
  InOrder out(options);
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < work.size(); ++i)
    if (auto* known = std::get_if<question::Case>(&work[i])) out.put(i, std::move(*known));
    else left.push_back(i);
  const auto request = [&](std::size_t i) -> CaseRequest& { return std::get<CaseRequest>(work[i]); };
  std::vector<char> hard(work.size(), left.size() > 1 ? 0 : 1);
  if (left.size() > 1)
    for_each(left, options.jobs, [&](std::size_t i) {
      if (out.ended()) return;
      std::atomic<bool> spent{false};
      JudgeOptions first = options.judge;
      Budget& budget = first.engines.budget;
      budget.rlimit = std::min(budget.rlimit, kFirstUnits);
      budget.spent = &spent;
      question::Case judged = judge(request(i), first);
      hard[i] = spent ? 1 : 0;
      if (spent) return;
      request(i) = {};
      out.put(i, std::move(judged));
    });
  std::erase_if(left, [&](std::size_t i) { return hard[i] == 0; });
  for_each(left, options.jobs, [&](std::size_t i) {
    if (!out.ended()) out.put(i, judge(request(i), options.judge));
  });
}

}  // namespace vl::session
