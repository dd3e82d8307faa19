#include "oracle/executor/pool.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "encodings/base/check.h"
#include "encodings/base/threads.h"
#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

constexpr int kSpins = 2000;  // a thread looks for about 20 µs before it sleeps

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// The processors on which this thread may run.
std::vector<int> processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> out;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return out;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) out.push_back(cpu);
  return out;
}

void pin(int cpu) {  // if this is not allowed, a thread runs anywhere
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  (void)pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

}  // namespace

struct Pool::State {
  std::mutex mutex;
  std::condition_variable begun;
  std::condition_variable ended;
  std::vector<std::thread> workers;
  std::vector<int> cpus;  // one per thread, the caller's first; empty if threads are not pinned
  // One piece of work after the other. A worker takes part if it wakes up while the work is open; the caller closes it
  // when no slice is left, so it never waits for a thread that has not started. Without the mutex only `next` changes,
  // and `working` downwards.
  std::atomic<std::uint64_t> generation{0};
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> working{0};  // workers that take part and are not done
  bool open = false;
  const std::function<void(std::size_t)>* work = nullptr;
  std::size_t slices = 0;
  bool stop = false;
  std::exception_ptr thrown;
#ifdef VL_FAULTS
  Fault fault = Fault::None;
#endif

  void drain() {
    try {
      for (std::size_t slice = next++; slice < slices; slice = next++) (*work)(slice);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  }

  void live(std::size_t number) {
    if (!cpus.empty()) pin(cpus[number]);
    const int spins = cpus.empty() ? 0 : kSpins;
    for (std::uint64_t seen = 0;;) {
      for (int k = 0; k < spins && generation.load() == seen; ++k) pause();
      {
        std::unique_lock lock(mutex);
        begun.wait(lock, [&] { return generation.load() != seen; });
        seen = generation.load();
        if (stop) return;
        if (!open) continue;
        ++working;
#ifdef VL_FAULTS
        the_planted_fault = fault;
#endif
      }
      drain();
      if (--working == 0) {
        const std::lock_guard lock(mutex);  // the caller is asleep or has not looked yet
        ended.notify_one();
      }
    }
  }
};

Pool::Pool(std::size_t threads) : state_(std::make_unique<State>()) {
  VL_CHECK(threads >= 1, "a pool without threads");
  const std::vector<int> allowed = processors();
  if (threads > 1 && threads <= allowed.size()) {
    // The caller keeps the processor that it is on; workers take the others.
    const int here = sched_getcpu();
    for (std::size_t k = 0; k < allowed.size() && state_->cpus.size() < threads; ++k)
      if (allowed[k] != here) state_->cpus.push_back(allowed[k]);
    state_->cpus.insert(state_->cpus.begin(), here);
    state_->cpus.resize(threads, allowed[0]);
  }
  start_threads(state_->workers, 1, threads, [state = state_.get()](std::size_t k) { state->live(k); });
}

Pool::~Pool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
    ++state_->generation;
  }
  state_->begun.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

std::size_t Pool::threads() const { return state_->workers.size() + 1; }

void Pool::run(std::size_t slices, const std::function<void(std::size_t)>& work) {
  if (state_->workers.empty() || slices <= 1) {
    for (std::size_t slice = 0; slice < slices; ++slice) work(slice);
    return;
  }
  State& state = *state_;
  cpu_set_t before;
  const bool pinned = !state.cpus.empty() && pthread_getaffinity_np(pthread_self(), sizeof before, &before) == 0;
  if (pinned) pin(state.cpus[0]);
  {
    const std::lock_guard lock(state.mutex);
    state.work = &work;
    state.slices = slices;
    state.next = 0;
    state.open = true;
    state.thrown = nullptr;
#ifdef VL_FAULTS
    state.fault = the_planted_fault;
#endif
    ++state.generation;
  }
  state.begun.notify_all();
  state.drain();
  {
    const std::lock_guard lock(state.mutex);
    state.open = false;
  }
  for (int k = 0; k < (pinned ? kSpins : 0) && state.working.load() != 0; ++k) pause();
  {
    std::unique_lock lock(state.mutex);
    state.ended.wait(lock, [&] { return state.working.load() == 0; });
  }
  if (pinned) (void)pthread_setaffinity_np(pthread_self(), sizeof before, &before);
  if (state.thrown) std::rethrow_exception(std::exchange(state.thrown, nullptr));
}

}  // namespace vl::oracle
