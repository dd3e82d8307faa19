// The fault that is planted in this process (faults.cmake). The sources with the faults include this, and nothing else
// does.
#pragma once

#include <cstdlib>

namespace vl::test {

/// Whether it is that one, counted from 1. VL_FAULT in the environment says which one is; without it none is.
inline bool planted(int fault) {
  static const int number = [] {
    const char* text = std::getenv("VL_FAULT");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return number == fault;
}

}  // namespace vl::test
