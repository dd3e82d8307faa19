// When parts hold: the leaves' paths, without what is not needed.
#include <algorithm>

#include "verifier/engines/polynomial/prove.h"
#include "verifier/engines/polynomial/said.h"

namespace vl::engines {
namespace {

using Conjunction = std::vector<Literal>;

bool exclude(const Conjunction& a, const Conjunction& b) {
  return std::ranges::any_of(a, [&](const Literal& one) {
    return std::ranges::any_of(
        b, [&](const Literal& other) { return one.branch != other.branch && one.is_of_step(other); });
  });
}

// Leaves out what is not needed to keep all leaves away that do not hold. The leaves are everything, so what excludes
// all of those lies within the leaves that hold.
Conjunction generalised(Conjunction conjunction, const std::vector<Conjunction>& others) {
  for (std::size_t k = 0; k < conjunction.size();) {
    Conjunction without = conjunction;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(k));
    const bool still = std::ranges::all_of(others, [&](const Conjunction& other) { return exclude(without, other); });
    if (still) conjunction = std::move(without);
    else ++k;
  }
  return conjunction;
}

// p >= 0 of a branch; N = 1 where that is N <= 1, and 1 is the least N. Nothing where the symbols do not say it.
std::optional<Said> said_by(const Literal& literal, const Cell& cell) {
  if (!literal.of) return std::nullopt;
  if (literal.by > 0) return said(Said::Kind::Remainder, *literal.of, cell.names(), literal.by, literal.branch);
  const Polynomial p = literal.branch == 0 ? *literal.of : Polynomial(-1) - *literal.of;
  for (std::size_t k = 0; k < cell.names().size(); ++k) {
    const Polynomial above = Polynomial::variable(k) - cell.lows()[k];
    if (same(p, Polynomial(0) - above)) return said(Said::Kind::Zero, above, cell.names());
  }
  return said(Said::Kind::NotNegative, p, cell.names());
}

// What is short stands before what is long: M % 16 = 2 before M % 16 = 10; and equations last.
auto shortness(const Together& together) {
  const bool equal = std::ranges::find(together, Said::Kind::Zero, &Said::kind) != together.end();
  std::size_t letters = 0;
  std::vector<std::string> words;
  for (const Said& one : together) letters += one.words().size(), words.push_back(one.words());
  return std::make_tuple(equal, together.size(), letters, std::move(words));
}

}  // namespace

std::optional<Weakest> weakest(const Leaves& leaves) {
  constexpr std::size_t kMostLiterals = 24, kMostCompared = 20'000'000;
  std::size_t longest = 1;
  for (const Leaf& one : leaves.all) longest = std::max(longest, one.cell.path().size());
  const std::size_t compared = leaves.all.size() * longest;
  if (!leaves.complete || longest > kMostLiterals || compared * compared > kMostCompared) return std::nullopt;
  Weakest out;
  std::vector<Conjunction> others;
  for (const Leaf& one : leaves.all) {
    if (one.kind != Leaf::Kind::Holds) others.push_back(one.cell.path());
    if (one.kind == Leaf::Kind::Open) out.exact = false;
  }
  Alternatives holds;
  for (const Leaf& one : leaves.all) {
    if (one.kind != Leaf::Kind::Holds) continue;
    Together together;
    for (const Literal& literal : generalised(one.cell.path(), others)) {
      auto stated = said_by(literal, one.cell);
      if (!stated) return std::nullopt;
      together.push_back(std::move(*stated));
    }
    holds.push_back(without_weaker(std::move(together)));
  }
  if (holds.empty()) return out;
  const std::vector<std::string>& names = leaves.all.front().cell.names();
  holds = with_remainders_joined(holds, names);
  std::ranges::sort(holds, {}, shortness);
  for (Together& together : without_implied(std::move(holds))) {
    auto& conditions = out.holds.emplace_back();
    for (Said& one : with_bounds_joined(std::move(together), names)) conditions.push_back(std::move(one.condition));
  }
  return out;
}

}  // namespace vl::engines
