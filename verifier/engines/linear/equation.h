// Equation: one row of linear equations, as a combination of those that were given, in integers that never wrap.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "encodings/base/integer.h"

namespace vl::engines::exact {

using Wide = __int128;

struct Beyond {
};  // a number left [-2^126, 2^126], where negatives and differences are safe; caught where the search begins

inline Wide checked(bool overflow, Wide a) {
  if (overflow || a > (Wide{1} << 126) || a < -(Wide{1} << 126)) throw Beyond{};
  return a;
}
inline Wide plus(Wide a, Wide b) {
  const bool overflow = __builtin_add_overflow(a, b, &a);
  return checked(overflow, a);
}
inline Wide times(Wide a, Wide b) {
  const bool overflow = __builtin_mul_overflow(a, b, &a);
  return checked(overflow, a);
}
inline Wide size(Wide a) { return a < 0 ? -a : a; }
inline Wide common(Wide a, Wide b) {
  for (a = size(a), b = size(b); b != 0; std::swap(a, b)) a %= b;
  return a;
}
inline Wide floor_of(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }
inline bool narrow(Wide a) { return a == static_cast<Index>(a); }
inline bool narrow(const std::vector<Wide>& list) {
  return std::ranges::all_of(list, [](Wide a) { return narrow(a); });
}
inline std::vector<Index> narrowed(const std::vector<Wide>& list) {
  std::vector<Index> out;
  out.reserve(list.size());
  for (const Wide a : list) out.push_back(static_cast<Index>(a));
  return out;
}

// a·x = b, which is Σ factors·(the equations on the path).
struct Equation {
  std::vector<Wide> a;
  Wide b = 0;
  std::vector<Wide> factors;
};

// sum + factor·equation.
inline Equation combined(Equation sum, const Equation& equation, Wide factor) {
  for (std::size_t i = 0; i < sum.a.size(); ++i) sum.a[i] = plus(sum.a[i], times(factor, equation.a[i]));
  sum.b = plus(sum.b, times(factor, equation.b));
  for (std::size_t k = 0; k < sum.factors.size(); ++k)
    sum.factors[k] = plus(sum.factors[k], times(factor, equation.factors[k]));
  return sum;
}

// The smallest combination without coordinate i. Requires: it is in both.
inline Equation without(const Equation& f, const Equation& g, std::size_t i) {
  const Wide c = common(f.a[i], g.a[i]);
  Equation zero{std::vector<Wide>(f.a.size()), 0, std::vector<Wide>(f.factors.size())};
  return combined(combined(std::move(zero), f, g.a[i] / c), g, -(f.a[i] / c));
}

}  // namespace vl::engines::exact
