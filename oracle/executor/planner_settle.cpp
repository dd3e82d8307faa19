#include "oracle/executor/planner_settle.h"

#include <algorithm>
#include <numeric>

namespace vl::oracle {
namespace {

constexpr Index kMostFixed = 64;

Action fix(const Cell& cell, std::size_t k) {
  if (cell.extent[k] > kMostFixed) return {Action::Kind::Stuck, k, 0, false};
  return {Action::Kind::Fix, k, 0, false};
}

Action cut(const Cell& cell, std::size_t k, Index where, bool clean) {
  if (where >= cell.extent[k]) return fix(cell, k);  // all values lie before the cut; progress has to be made
  return {Action::Kind::Cut, k, where, clean};
}

/// The largest value of a residue's terms without the leading one. It overflows only if `high` does.
Index others_of(const Cell& cell, const Residue& residue) {
  return residue.high - residue.constant - residue.coefficient[residue.leading] * (cell.extent[residue.leading] - 1);
}

/// The smaller terms carry into the leading one, whose coefficient r divides the weight.
Action settle_carry(const Cell& cell, const Residue& residue, Index r) {
  const std::size_t k = residue.leading;
  for (std::size_t j = residue.rank; j-- > 0;)  // two variables with one coefficient: one must be fixed
    if (j != k && cell.extent[j] > 1 && residue.coefficient[j] == r)
      return fix(cell, cell.extent[j] < cell.extent[k] ? j : k);
  Residue rest;  // else first divide them by r
  rest.rank = residue.rank;
  rest.constant = rest.high = residue.constant % r;
  for (std::size_t j = 0; j < residue.rank; ++j) {
    Index& c = rest.coefficient[j];
    c = j == k || cell.extent[j] == 1 ? 0 : residue.coefficient[j] % r;
    rest.high += c * (cell.extent[j] - 1);
    if (c > rest.coefficient[rest.leading]) rest.leading = j;
  }
  Action action = next_action(cell, rest, r);
  if (action.kind == Action::Kind::Nothing) action.kind = Action::Kind::Stuck;
  action.clean = false;
  return action;
}

/// The leading coefficient does not divide the weight: after w / gcd steps the residues repeat, and within them the
/// quotient grows at a few places.
Action settle_crossing(const Cell& cell, const Residue& residue, Index w) {
  const std::size_t k = residue.leading;
  const Index r = residue.coefficient[k];
  const Index period = w / std::gcd(r, w);
  const Index extent = cell.extent[k];
  if (extent > period) {
    if (extent % period != 0) return cut(cell, k, extent - extent % period, false);
    return {Action::Kind::Block, k, period, false};
  }
  // Values below `safe` certainly have the first quotient; only value 0 may have it or not.
  const Index room = w - residue.constant - others_of(cell, residue);
  return cut(cell, k, std::max<Index>(room > 0 ? ceil_div(room, r) : 0, 1), false);
}

}  // namespace

bool residue_of(const Cell& cell, std::size_t line, Index w, Residue& out) {
  out.rank = cell.rank;
  out.constant = out.high = floor_mod(cell.constant[line], w);
  out.leading = 0;
  Index most = -1;
  for (std::size_t k = 0; k < cell.rank; ++k) {
    const Index whole = cell.coefficient[line][k];
    const Index c = whole >= 0 && whole < w ? whole : floor_mod(whole, w);
    out.coefficient[k] = c;
    if (cell.extent[k] == 1) continue;
    if (!accumulate(out.high, c, cell.extent[k] - 1)) return false;
    if (c > most) {
      most = c;
      out.leading = k;
    }
  }
  return true;
}

Action next_action(const Cell& cell, const Residue& residue, Index w) {
  if (residue.high < w) return {};
  const std::size_t k = residue.leading;
  const Index r = residue.coefficient[k];
  if (w % r != 0) return settle_crossing(cell, residue, w);
  if (residue.constant % r + others_of(cell, residue) >= r) return settle_carry(cell, residue, r);
  const Index q = w / r;  // steps per quotient
  const Index begun = residue.constant / r;
  const Index extent = cell.extent[k];
  if (begun > 0) return cut(cell, k, q - begun, true);
  if (extent % q != 0) return cut(cell, k, extent - extent % q, true);
  return {Action::Kind::Block, k, q, true};
}

}  // namespace vl::oracle
