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

const CaseRequest* Work::request() const {
  const auto* own = std::get_if<std::unique_ptr<CaseRequest>>(&what_);
  return own != nullptr ? own->get() : nullptr;
}

question::Case* Work::known() const {
  const auto* own = std::get_if<std::unique_ptr<question::Case>>(&what_);
  return own != nullptr ? own->get() : nullptr;
}

const std::string* Work::id() const {
  if (const auto* place = std::get_if<CasePlace>(&what_)) return &place->id;
  if (const auto* other = std::get_if<Judging>(&what_)) return &other->id;
  const CaseRequest* own = request();
  return own != nullptr && own->id ? &*own->id : nullptr;
}

void Work::rename(std::string stem) {
  if (auto* own = std::get_if<std::unique_ptr<CaseRequest>>(&what_)) (*own)->stem = std::move(stem);
  else stem_ = std::move(stem);
}

question::Case Work::judged(const JudgeOptions& options) const {
  if (const CaseRequest* own = request()) return judge(*own, options);
  if (const auto* other = std::get_if<Judging>(&what_)) return other->judge(options);
  CaseRequest read = std::get<CasePlace>(what_).read();
  read.stem = stem_;
  return judge(read, options);
}

std::vector<Work> work_of(CaseFile read, const std::string& file) {
  std::vector<Work> out;
  auto bad = read.errors.begin();
  const std::size_t good = read.cases.size() + read.places.size();
  out.reserve(good + read.errors.size());
  for (std::size_t i = 0; i <= good; ++i) {
    for (; bad != read.errors.end() && bad->before == i; ++bad) {
      question::Case wrong = rejected(bad->id ? bad->id : std::optional(file), std::move(bad->diagnostic));
      wrong.further = bad->further;
      out.emplace_back(std::move(wrong));
    }
    if (i == good) break;
    if (i < read.cases.size()) out.emplace_back(std::move(read.cases[i]));
    else out.emplace_back(std::move(read.places[i - read.cases.size()]));
  }
  return out;
}

void judge_all(std::vector<Work> work, const BatchOptions& options) {
  InOrder out(options);
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < work.size(); ++i)
    if (question::Case* known = work[i].known()) out.put(i, std::move(*known));
    else left.push_back(i);
  std::vector<char> hard(work.size(), left.size() > 1 ? 0 : 1);
  if (left.size() > 1)
    for_each(left, options.jobs, [&](std::size_t i) {
      if (out.ended()) return;
      std::atomic<bool> spent{false};
      JudgeOptions first = options.judge;
      Budget& budget = first.engines.budget;
      budget.rlimit = std::min(budget.rlimit, kFirstUnits);
      budget.spent = &spent;
      question::Case judged = work[i].judged(first);
      hard[i] = spent ? 1 : 0;
      if (spent) return;
      work[i] = CasePlace();
      out.put(i, std::move(judged));
    });
  std::erase_if(left, [&](std::size_t i) { return hard[i] == 0; });
  for_each(left, options.jobs, [&](std::size_t i) {
    if (!out.ended()) out.put(i, work[i].judged(options.judge));
  });
}

}  // namespace vl::session
