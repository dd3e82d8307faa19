// The same work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace vl {

/// Starts `work(k)` for k = first .. end - 1, each on a thread of its own, until the system gives no more threads or no
/// memory for one. Returns the first k that has no thread, `end` if all have one.
/// Example: 8 threads wanted where the system gives 3: start_threads(threads, 1, 8, work) starts 1, 2 and 3 and
/// returns 4.
template <class Work>
std::size_t start_threads(std::vector<std::thread>& threads, std::size_t first, std::size_t end, const Work& work) {
  try {
    threads.reserve(threads.size() + (end - std::min(first, end)));
    for (; first < end; ++first) threads.emplace_back(work, first);
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  return first;
}

/// Calls work(k) for k = 0 .. count - 1 at the same time: work(0) here, the others on threads of their own, those to
/// which the system gives no thread here one after the other. Returns when all have ended.
/// Errors: rethrows the first exception that left a work; the others are not stopped by it.
template <class Work>
void on_threads(std::size_t count, const Work& work) {
  std::exception_ptr failure;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  const auto guarded = [&](std::size_t k) {
    try {
      work(k);
    } catch (...) {
      if (!failed.test_and_set()) failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  const std::size_t here = start_threads(threads, 1, count, [&guarded](std::size_t k) { guarded(k); });
  if (count > 0) guarded(0);
  for (std::size_t k = here; k < count; ++k) guarded(k);
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace vl
