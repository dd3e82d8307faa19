// Pool: threads that are made once and pinned where that is allowed. Work is a number of slices; which thread runs
// which slice is not said, so a slice must not depend on another.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace vl::oracle {

class Pool {
 public:
  /// Requires: threads >= 1. The calling thread is one of them.
  explicit Pool(std::size_t threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  [[nodiscard]] std::size_t threads() const;
  /// Runs work(0) … work(slices - 1) and returns when all are done. Not to be called from within a slice, nor by two
  /// threads at once.
  void run(std::size_t slices, const std::function<void(std::size_t)>& work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vl::oracle
