#include "encodings/base/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>

namespace vl {
namespace threads_test {

TEST(Threads, EachWorkIsDoneOnce) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{7}}) {
    std::mutex mutex;
    std::multiset<std::size_t> done;
    on_threads(count, [&](std::size_t k) {
      const std::lock_guard lock(mutex);
      done.insert(k);
    });
    std::multiset<std::size_t> want;
    for (std::size_t k = 0; k < count; ++k) want.insert(k);
    EXPECT_EQ(done, want);
  }
}

TEST(Threads, TheFirstWorkIsDoneByTheCaller) {
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<bool> other{true};
  on_threads(2, [&](std::size_t k) {
    if (k == 0) other = std::this_thread::get_id() != here;
  });
  EXPECT_FALSE(other);
}

TEST(Threads, WhatIsThrownReachesTheCallerWhenAllHaveEnded) {
  std::atomic<int> done{0};
  const auto work = [&](std::size_t k) {
    ++done;
    if (k % 2 == 1) throw std::runtime_error("odd");
  };
  EXPECT_THROW(on_threads(6, work), std::runtime_error);
  EXPECT_EQ(done, 6);
}

}  // namespace threads_test
}  // namespace vl
