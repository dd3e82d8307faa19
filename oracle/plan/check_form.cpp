#include "oracle/plan/check_form.h"

#include <algorithm>

namespace vl::oracle::checker {
namespace {

bool before(const Loop& a, const Loop& b) {
  if (a.destination != b.destination) return a.destination < b.destination;
  if (a.source != b.source) return a.source < b.source;
  return a.extent < b.extent;
}

// Destinations ascend; along a loop that stays where it is, sources do.
bool ascend(Form& form, Loop& loop) {
  if (loop.destination > 0 || (loop.destination == 0 && loop.source >= 0)) return true;
  return accumulate(form.source, loop.source, loop.extent - 1) &&
         accumulate(form.destination, loop.destination, loop.extent - 1) &&
         !__builtin_sub_overflow(Index{0}, loop.source, &loop.source) &&
         !__builtin_sub_overflow(Index{0}, loop.destination, &loop.destination);
}

}  // namespace

void Form::start(Index from, Index to) {
  rank = 0;
  source = from;
  destination = to;
}

bool Form::settle() {
  for (std::size_t k = 0; k < rank; ++k) {
    if (!ascend(*this, loops[k])) return false;
    const Loop loop = loops[k];
    std::size_t at = k;
    for (; at > 0 && before(loop, loops[at - 1]); --at) loops[at] = loops[at - 1];
    loops[at] = loop;
  }
  for (std::size_t inner = 0; inner + 1 < rank; ++inner) {
    for (std::size_t outer = inner + 1; outer < rank; ++outer) {
      const auto from = checked_mul(loops[inner].source, loops[inner].extent);
      const auto to = checked_mul(loops[inner].destination, loops[inner].extent);
      if (!from || !to || loops[outer].destination > *to) break;
      if (loops[outer].destination != *to || loops[outer].source != *from) continue;
      if (__builtin_mul_overflow(loops[inner].extent, loops[outer].extent, &loops[inner].extent)) return false;
      --rank;
      for (std::size_t k = outer; k < rank; ++k) loops[k] = loops[k + 1];
      outer = inner;  // what follows may fit behind the joined loop
    }
  }
  return true;
}

bool Form::forget_source() {
  source = 0;
  for (std::size_t k = 0; k < rank; ++k) loops[k].source = 0;
  return settle();
}

bool Form::operator==(const Form& other) const {
  return rank == other.rank && source == other.source && destination == other.destination &&
         std::equal(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(rank), other.loops.begin());
}

}  // namespace vl::oracle::checker
