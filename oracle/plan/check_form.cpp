#include "oracle/plan/check_form.h"

#include <algorithm>

namespace vl::oracle::checker {

void Form::start(Index source, Index destination) {
  count_ = 0;
  offset_ = {source, destination};
  repeats_ = 1;
}

bool Form::add(Index extent, Index source, Index destination) {
  if (extent == 1) return true;
  if (source == 0 && destination == 0) return !__builtin_mul_overflow(repeats_, extent, &repeats_);
  if (destination < 0 || (destination == 0 && source < 0)) {
    if (!accumulate(offset_.source, source, extent - 1) || !accumulate(offset_.destination, destination, extent - 1) ||
        __builtin_sub_overflow(Index{0}, source, &source) ||
        __builtin_sub_overflow(Index{0}, destination, &destination))
      return false;
  }
  Pair end{};
  if (__builtin_mul_overflow(source, extent, &end.source) ||
      __builtin_mul_overflow(destination, extent, &end.destination))
    return false;
  insert(ends_, count_, end);
  insert(steps_, count_, {source, destination});
  ++count_;
  return true;
}

void Form::insert(Pairs& pairs, std::size_t count, Pair pair) {
  for (; count > 0 && pair < pairs[count - 1]; --count) pairs[count] = pairs[count - 1];
  pairs[count] = pair;
}

void Form::settle() {
  std::size_t ends = 0;
  std::size_t steps = 0;
  std::size_t end = 0;
  for (std::size_t step = 0; step < count_; ++step) {
    while (end < count_ && ends_[end] < steps_[step]) ends_[ends++] = ends_[end++];
    if (end < count_ && ends_[end] == steps_[step]) ++end;
    else steps_[steps++] = steps_[step];
  }
  while (end < count_) ends_[ends++] = ends_[end++];
  count_ = steps;  // as many have gone of both
}

// No step of the other goes down, so without the sources all go up, and in the same order.
bool Form::take_destinations(const Form& other) {
  count_ = other.count_;
  offset_ = {0, other.offset_.destination};
  repeats_ = other.repeats_;
  for (std::size_t k = 0; k < count_; ++k) {
    if (other.steps_[k].destination == 0) return false;
    ends_[k] = {0, other.ends_[k].destination};
    steps_[k] = {0, other.steps_[k].destination};
  }
  settle();
  return true;
}

bool Form::operator==(const Form& other) const {
  const auto count = static_cast<std::ptrdiff_t>(count_);
  return count_ == other.count_ && offset_ == other.offset_ && repeats_ == other.repeats_ &&
         std::equal(ends_.begin(), ends_.begin() + count, other.ends_.begin()) &&
         std::equal(steps_.begin(), steps_.begin() + count, other.steps_.begin());
}

}  // namespace vl::oracle::checker
