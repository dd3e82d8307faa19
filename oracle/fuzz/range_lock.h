// RangeLock: one campaign at a time works on a range's file. It is flock() on a file beside it, FILE.lock, which says
// whose lock it is and goes away with it. A killed process leaves that file without a lock, and the next one takes it.
#pragma once

#include "encodings/base/files.h"

namespace vl::oracle {

class RangeLock {
 public:
  /// Does not wait. Errors, of code Io, with the path: another campaign has it, "process 4711 works on this range";
  /// those of the system.
  static Result<RangeLock> take(const std::string& path);
  RangeLock(RangeLock&&) noexcept = default;
  RangeLock& operator=(RangeLock&&) = delete;
  ~RangeLock();

 private:
  RangeLock(Descriptor file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

  Descriptor file_;
  std::string name_;
};

}  // namespace vl::oracle
