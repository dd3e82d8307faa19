// Gates: functions of literals, each defined by the clauses that it adds. What is constant, or follows from operands
// that are alike, adds none. So a circuit of constants is an evaluation, and adds no variable at all.
//
// Example: differ(1, x) is -x; majority(x, y, -1) is "x and y", a new variable z with z -> x, z -> y, x, y -> z.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "verifier/rup/clauses.h"

namespace vl::rup {

struct Gates : Clauses {
  void add(Word clause) {
    require(clauses.size() < std::size_t{1} << 20, "more than 2^20 clauses");
    charge(4 + clause.size()), hold(2 * sizeof(Word) + 16 + clause.size() * sizeof(int));
    std::erase(clause, -1);
    if (std::ranges::find(clause, 1) == clause.end()) clauses.push_back(std::move(clause));
  }
  int differ(int a, int b) {
    charge(2LL);
    if (a == b || a == -b) return a == b ? -1 : 1;
    if (std::abs(a) == 1 || std::abs(b) == 1) return -a * b;
    const int out = ++variables;
    add({a, b, -out}), add({-a, -b, -out}), add({a, -b, out}), add({-a, b, out});
    return out;
  }
  int majority(int a, int b, int c) {
    charge(2LL);
    for (int turn = 0; turn < 3; ++turn, std::swap(a, b), std::swap(b, c))
      if (a == b || a == -b) return a == b ? a : c;
    const int out = ++variables;
    add({a, b, -out}), add({a, c, -out}), add({b, c, -out});
    add({-a, -b, out}), add({-a, -c, out}), add({-b, -c, out});
    return out;
  }
  int both(int a, int b) { return majority(a, b, -1); }
};

}  // namespace vl::rup
