#include "encodings/base/interrupt.h"

namespace vl {
namespace {

// A signal handler can only write to a variable like this one.
std::atomic<bool> told_to_end{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void tell(int) { told_to_end = true; }

}  // namespace

Interrupt::Interrupt() {
  struct sigaction action {};
  action.sa_handler = tell;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &old_int_);
  ::sigaction(SIGTERM, &action, &old_term_);
}

Interrupt::~Interrupt() {
  told_to_end = false;
  ::sigaction(SIGINT, &old_int_, nullptr);
  ::sigaction(SIGTERM, &old_term_, nullptr);
}

const std::atomic<bool>& Interrupt::told() { return told_to_end; }

}  // namespace vl
