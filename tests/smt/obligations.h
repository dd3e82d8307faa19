// Decision problems and their brute-force answers, shared by the tests of the solver.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "encodings/smt/solver.h"
#include "tests/support/maps.h"

namespace vl::smt {

/// Two different points of the domain with one value.
inline Obligation collision(const map::Map& f) {
  Obligation obligation;
  const auto x = obligation.point_of(f.domain());
  const auto y = obligation.point_of(f.domain());
  const auto fx = obligation.apply(f, x);
  const auto fy = obligation.apply(f, y);
  std::vector<Formula> same;
  for (std::size_t i = 0; i < fx.size(); ++i) same.push_back(equals(fx[i], fy[i]));
  std::vector<Formula> differ;
  for (std::size_t i = 0; i < x.size(); ++i) differ.push_back(negate(equals(x[i], y[i])));
  obligation.require(all_of(same));
  obligation.require(any_of(differ));
  return obligation;
}

/// Equal subset sum of 36 numbers of 52 bits, with differences: no solver decides it quickly, and no small certificate
/// is in sight.
inline Obligation hard() {
  std::mt19937_64 engine(7);
  Obligation obligation;
  Linear sum;
  std::vector<Formula> some;
  for (int i = 0; i < 36; ++i) {
    const TermId delta = obligation.variable({-1, 1});
    sum.terms.emplace_back(delta, static_cast<Index>(engine() >> 12));
    some.push_back(negate(equals_constant(delta, 0)));
  }
  obligation.require(is_zero(std::move(sum)));
  obligation.require(any_of(std::move(some)));
  return obligation;
}

inline bool collides(const map::Map& f) { return test::distinct_values(f) < f.domain().volume(); }

/// A point whose output number `output` is `value`.
inline Obligation preimage(const map::Map& f, std::size_t output, Index value) {
  Obligation obligation;
  const auto x = obligation.point_of(f.domain());
  obligation.require(equals_constant(obligation.apply(f, x)[output], value));
  return obligation;
}

inline bool hits(const map::Map& f, std::size_t output, Index value) {
  for (const Point& x : test::all_points(f.domain()))
    if (test::naive(f, x)[output] == value) return true;
  return false;
}

/// "sat", "unsat", or why there is no answer.
inline std::string answer(const Outcome& outcome) {
  return std::visit(overloaded{[](const Unsatisfiable&) { return std::string("unsat"); },
                               [](const Satisfiable&) { return std::string("sat"); },
                               [](const Undecided& u) { return fmt::format("undecided: {}", u.detail); }},
                    outcome);
}

}  // namespace vl::smt
