// Switches for tests/mutants.py, which adds one for each operator and puts the result before each source that has
// places. A place a < b is compiled as a < LessToLessEqual<17>() < b, which is grouped as a < b is.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <type_traits>
#include <utility>

namespace vl_mutants {
inline constexpr int kMost = 4096;
inline int active = 0;
inline bool started = false;
inline unsigned char unused[kMost] = {};
inline unsigned char* reached = unused;  // shared with the processes that a test starts
[[gnu::constructor(101), gnu::used]] static void start() {
  if (std::exchange(started, true)) return;
  if (const char* number = std::getenv("VL_MUTANT")) active = std::atoi(number);
  const char* name = std::getenv("VL_MUTANTS_REACHED");
  if (const int file = name ? open(name, O_RDWR) : -1; file >= 0) {
    void* memory = mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) reached = static_cast<unsigned char*>(memory);
    close(file);
  }
}
template <int n>
inline bool on() {
  return reached[n] = 1, active == n;
}
template <int n, class T>
inline T constant(T value) {
  if constexpr (std::is_same_v<T, bool>) return on<n>() ? !value : value;
  else return on<n>() ? static_cast<T>(value + 1) : value;
}
template <int n>
struct Not {};
template <int n, class T>
inline bool operator->*(Not<n>, T&& value) {
  return on<n>() ? static_cast<bool>(std::forward<T>(value)) : !std::forward<T>(value);
}
template <int n>
struct Negate {};
template <int n, class T>
inline auto operator->*(Negate<n>, T&& value) {
  return on<n>() ? static_cast<decltype(-value)>(value) : -std::forward<T>(value);
}

}  // namespace vl_mutants
