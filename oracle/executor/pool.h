// Pool: threads that are made once, and pinned if that is allowed. Work is a number of slices. The order of slices and
// their threads are unspecified, so a slice must not depend on another slice.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace vl::oracle {

class Pool {
 public:
  /// Requires: threads >= 1. The calling thread is one of them; there are fewer if the system gives no more.
  explicit Pool(std::size_t threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  [[nodiscard]] std::size_t threads() const;
  /// Runs work(0) … work(slices - 1) and returns when all are done. Requires: not called from within a slice, nor by
  /// two threads at once.
  void run(std::size_t slices, const std::function<void(std::size_t)>& work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vl::oracle
