// Under the sanitizers a test costs several times as much, so some of what dev decides on all cases is repeated there
// on a sample of them. Floors are shares of the cases, so that a sample has them too.
#pragma once

#include <cstddef>
#include <vector>

extern "C" void __asan_init() __attribute__((weak));  // NOLINT: the sanitizer's name

namespace vl::test {

/// Whether the libraries under test are sanitized. Tests themselves are compiled once, for both builds, so this is
/// known only when they are linked.
inline const bool kSanitized = &__asan_init != nullptr;

/// How many cases to run: `all` of them, an n-th under the sanitizers.
/// Example: sampled(400, 4) is 400 in dev and 100 in asan.
template <class Count>
Count sampled(Count all, Count n) {
  return kSanitized ? all / n : all;
}

/// The rows of a table to run: all of them, under the sanitizers the first and every n-th after it.
template <class Row>
std::vector<Row> sampled_rows(const std::vector<Row>& all, std::size_t n) {
  if (!kSanitized) return all;
  std::vector<Row> some;
  for (std::size_t i = 0; i < all.size(); i += n) some.push_back(all[i]);
  return some;
}

}  // namespace vl::test
