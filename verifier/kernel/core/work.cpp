#include "verifier/kernel/core/work.h"

#include <string>

namespace vl::kernel {

void needs_more_work() {
  throw OverBudget("the certificate needs more work than " + std::to_string(kMostWork) + " steps");
}

void needs_more_memory() {
  throw OverBudget("the certificate needs more memory than " + std::to_string(kMostBytes >> 20) + " MiB");
}

void charge(const Wide& units) {
  if (units > work_of_thread.work) needs_more_work();
  charge(units.narrow());
}

}  // namespace vl::kernel
