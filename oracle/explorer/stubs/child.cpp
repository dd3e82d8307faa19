// There are no processes in a browser: a program that is to be run is not installed.
#include "encodings/base/child.h"

#include <cerrno>

namespace vl {

Spoken speak(const std::string&, std::vector<std::string>, std::string_view, const Reply&, const ChildLimits&) {
  return {Spoken::End::NotStarted, ENOENT, {}};
}

}  // namespace vl
