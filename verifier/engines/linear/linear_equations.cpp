#include "verifier/engines/linear/linear_equations.h"

#include <algorithm>

#include "verifier/engines/linear/equation.h"

namespace vl::engines {
namespace {

using exact::Beyond;
using exact::narrow;
using exact::plus;
using exact::times;
using exact::Wide;

constexpr std::size_t kMostRows = 8;            // kept at once; more are not split further
constexpr std::size_t kMostCombinations = 256;  // looked at in one node
constexpr std::size_t kDeepest = 200;           // equations on a path

struct Span {
  Wide low = 0;
  Wide high = 0;
  [[nodiscard]] Wide count() const { return high < low ? 0 : high - low + 1; }
};

// y = q·x on the equation a·x = b; m·y = b - (a - m·q)·x.
struct SplitOn {
  const exact::Equation* from = nullptr;  // null: y is a coordinate, and only the box bounds it
  Wide modulus = 1;
  std::vector<Wide> quotients;
  Span values;
  bool coordinate = false;  // q is one coordinate, or its negative
};

struct State {
  std::vector<exact::Equation> rows;  // no zero rows
  std::vector<std::optional<Index>> fixed;
  std::size_t equations = 0;  // on the path
};

enum class Ending { None, Found, Open };

class Search {
 public:
  Search(const LinearSystem& system, LinearEffort& effort) : system_(system), effort_(effort) {}

  Ending node(const State& state, LinearProof& proof);
  [[nodiscard]] const Point& solution() const { return solution_; }

 private:
  [[nodiscard]] Wide last(std::size_t i) const { return Wide{system_.extents[i]} - 1; }
  [[nodiscard]] Span reach(const std::vector<Wide>& a) const;
  [[nodiscard]] bool impossible(const exact::Equation& equation) const;
  [[nodiscard]] static std::vector<exact::Equation> combinations(const State& state);
  [[nodiscard]] SplitOn best(const State& state, const std::vector<exact::Equation>& all) const;
  void consider(const State& state, SplitOn split, SplitOn& best) const;
  Ending branches(const State& state, const SplitOn& split, LinearProof& proof);
  [[nodiscard]] State with(const State& state, const SplitOn& split, Wide value) const;

  const LinearSystem& system_;
  LinearEffort& effort_;
  Point solution_;
};

Span Search::reach(const std::vector<Wide>& a) const {
  Span span;
  for (std::size_t i = 0; i < a.size(); ++i)
    (a[i] < 0 ? span.low : span.high) = plus(a[i] < 0 ? span.low : span.high, times(a[i], last(i)));
  return span;
}

bool Search::impossible(const exact::Equation& equation) const {
  const Span span = reach(equation.a);
  Wide divisor = 0;
  for (const Wide a : equation.a) divisor = exact::common(divisor, a);
  return equation.b < span.low || equation.b > span.high || (divisor != 0 && equation.b % divisor != 0);
}

// The rows, then what remains of two of them without a coordinate that is in both, then of three without two.
std::vector<exact::Equation> Search::combinations(const State& state) {
  std::vector<exact::Equation> out = state.rows;
  const auto keep = [&](exact::Equation equation) {
    if (out.size() < kMostCombinations && narrow(equation.factors)) out.push_back(std::move(equation));
  };
  const std::vector<exact::Equation>& rows = state.rows;
  for (std::size_t f = 0; f < rows.size(); ++f)
    for (std::size_t g = f + 1; g < rows.size(); ++g)
      for (std::size_t i = 0; i < rows[f].a.size(); ++i)
        if (rows[f].a[i] != 0 && rows[g].a[i] != 0) keep(exact::without(rows[f], rows[g], i));
  if (rows.size() != 3) return out;
  for (std::size_t i = 0; i < rows[0].a.size(); ++i) {
    if (rows[0].a[i] == 0 || rows[1].a[i] == 0 || rows[2].a[i] == 0) continue;
    const exact::Equation f = exact::without(rows[0], rows[1], i);
    const exact::Equation g = exact::without(rows[0], rows[2], i);
    for (std::size_t k = i + 1; k < f.a.size(); ++k)
      if (f.a[k] != 0 && g.a[k] != 0) keep(exact::without(f, g, k));
  }
  return out;
}

// Whether q is no rational combination of the rows; modulo a prime, so that it may be called dependent when it is not.
bool independent(const State& state, std::vector<Wide> q) {
  constexpr Wide p = (Wide{1} << 61) - 1;
  const auto reduced = [](Wide a) { return ((a % p) + p) % p; };
  const auto inverse = [](Wide a) {
    Wide result = 1;
    for (Wide e = p - 2; e > 0; e /= 2, a = a * a % p)
      if (e % 2 == 1) result = result * a % p;
    return result;
  };
  std::vector<std::vector<Wide>> rows;
  for (const exact::Equation& row : state.rows) rows.push_back(row.a);
  rows.push_back(std::move(q));
  for (auto& row : rows)
    for (Wide& a : row) a = reduced(a);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto pivot = std::ranges::find_if(rows[r], [](Wide a) { return a != 0; });
    if (pivot == rows[r].end() && r + 1 == rows.size()) return false;
    if (pivot == rows[r].end()) continue;
    const auto i = static_cast<std::size_t>(pivot - rows[r].begin());
    const Wide scale = inverse(*pivot);
    for (std::size_t other = r + 1; other < rows.size(); ++other) {
      const Wide factor = rows[other][i] * scale % p;
      for (std::size_t k = 0; factor != 0 && k < rows[r].size(); ++k)
        rows[other][k] = reduced(rows[other][k] - factor * rows[r][k] % p);
    }
  }
  return true;
}

void Search::consider(const State& state, SplitOn split, SplitOn& best) const {
  std::vector<Wide> rest = split.from->a;
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = plus(rest[i], -times(split.modulus, split.quotients[i]));
  const Span span = reach(rest);
  split.values = {-exact::floor_of(plus(span.high, -split.from->b), split.modulus),
                  exact::floor_of(plus(split.from->b, -span.low), split.modulus)};
  const Wide count = split.values.count();
  if (count > best.values.count() || (count == best.values.count() && !split.coordinate) || !narrow(split.modulus) ||
      !narrow(split.quotients) || !narrow(split.values.low) || !narrow(split.values.high))
    return;
  if (!split.coordinate && count > 0 && (state.rows.size() >= kMostRows || !independent(state, split.quotients)))
    return;
  best = std::move(split);
}

// The split with the fewest branches. Requires: a row that is not zero.
SplitOn Search::best(const State& state, const std::vector<exact::Equation>& all) const {
  const std::size_t n = system_.extents.size();
  SplitOn best;
  for (std::size_t i = 0; i < n; ++i) {
    const bool occurs = std::ranges::any_of(state.rows, [&](const exact::Equation& row) { return row.a[i] != 0; });
    if (!occurs || (best.coordinate && best.values.count() <= system_.extents[i])) continue;
    best = {nullptr, 1, std::vector<Wide>(n), {0, last(i)}, true};
    best.quotients[i] = 1;
  }
  for (const exact::Equation& equation : all) {
    std::vector<Wide> moduli;
    for (std::size_t i = 0; i < n; ++i) {
      if (equation.a[i] == 0) continue;
      SplitOn one{&equation, exact::size(equation.a[i]), std::vector<Wide>(n), {}, true};
      one.quotients[i] = equation.a[i] < 0 ? -1 : 1;
      Wide others = 0;
      for (std::size_t k = 0; k < n; ++k)
        if (k != i) others = exact::common(others, equation.a[k]);
      moduli.insert(moduli.end(), {one.modulus, others});
      consider(state, std::move(one), best);
    }
    std::ranges::sort(moduli);
    moduli.erase(std::unique(moduli.begin(), moduli.end()), moduli.end());
    for (const Wide modulus : moduli) {
      if (modulus <= 1) continue;
      SplitOn split{&equation, modulus, {}, {}, false};
      for (const Wide a : equation.a) split.quotients.push_back(exact::floor_of(plus(a, modulus / 2), modulus));
      if (std::ranges::any_of(split.quotients, [](Wide q) { return q != 0; })) consider(state, std::move(split), best);
    }
  }
  return best;
}

// One more equation, q·x = value, and what follows for the rows.
State Search::with(const State& state, const SplitOn& split, Wide value) const {
  State next = state;
  ++next.equations;
  for (exact::Equation& row : next.rows) row.factors.push_back(0);
  exact::Equation added{split.quotients, value, std::vector<Wide>(next.equations)};
  added.factors.back() = 1;
  if (split.coordinate) {
    const auto at = std::ranges::find_if(split.quotients, [](Wide q) { return q != 0; });
    const auto i = static_cast<std::size_t>(at - split.quotients.begin());
    next.fixed[i] = static_cast<Index>(value * *at);
    for (exact::Equation& row : next.rows) {
      const Wide factor = -row.a[i] * *at;
      if (factor != 0) row = exact::combined(std::move(row), added, factor);
    }
  } else {
    exact::Equation rest = *split.from;
    rest.factors.push_back(0);
    rest = exact::combined(std::move(rest), added, -split.modulus);
    const auto same = std::ranges::find_if(
        state.rows, [&](const exact::Equation& row) { return row.factors == split.from->factors; });
    if (same != state.rows.end()) next.rows[static_cast<std::size_t>(same - state.rows.begin())] = std::move(rest);
    else next.rows.push_back(std::move(rest));
    next.rows.push_back(std::move(added));
  }
  std::erase_if(next.rows, [](const exact::Equation& row) {
    return row.b == 0 && std::ranges::all_of(row.a, [](Wide a) { return a == 0; });
  });
  return next;
}

Ending Search::branches(const State& state, const SplitOn& split, LinearProof& proof) {
  if (split.values.count() > effort_.nodes) return Ending::Open;
  proof.combine = split.from != nullptr ? exact::narrowed(split.from->factors) : std::vector<Index>(state.equations, 0);
  proof.modulus = static_cast<Index>(split.modulus);
  proof.quotients = exact::narrowed(split.quotients);
  const Span box = reach(split.quotients);
  for (Wide value = split.values.low; value <= split.values.high; ++value) {
    LinearProof& branch = proof.branches.emplace_back();
    if (value < box.low || value > box.high) {
      branch.combine.assign(state.equations + 1, 0);
      branch.combine.back() = 1;
      --effort_.nodes;
    } else if (const Ending outcome = node(with(state, split, value), branch); outcome != Ending::None) {
      return outcome;
    }
  }
  return Ending::None;
}

Ending Search::node(const State& state, LinearProof& proof) {
  if (--effort_.nodes < 0 || state.equations > kDeepest) return Ending::Open;
  const std::vector<exact::Equation> all = combinations(state);
  const auto contradiction =
      std::ranges::find_if(all, [&](const exact::Equation& equation) { return impossible(equation); });
  if (contradiction != all.end()) {
    if (!narrow(contradiction->factors)) return Ending::Open;
    proof.combine = exact::narrowed(contradiction->factors);
    return Ending::None;
  }
  if (state.rows.empty()) {
    for (const auto& value : state.fixed) solution_.push_back(value.value_or(0));
    return Ending::Found;
  }
  return branches(state, best(state, all), proof);
}

bool solves(const LinearSystem& system, const Point& x) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] < 0 || x[i] >= system.extents[i]) return false;
  for (std::size_t j = 0; j < system.rows.size(); ++j) {
    Wide sum = -Wide{system.right[j]};
    for (std::size_t i = 0; i < x.size(); ++i) sum = plus(sum, times(system.rows[j][i], x[i]));
    if (sum != 0) return false;
  }
  return true;
}

}  // namespace

LinearAnswer solve(const LinearSystem& system, LinearEffort& effort) try {
  if (std::ranges::any_of(system.extents, [](Index extent) { return extent <= 0; }))
    return Unsolvable{{std::vector<Index>(system.rows.size(), 0), {}, {}, {}}};
  State state{{}, std::vector<std::optional<Index>>(system.extents.size()), system.rows.size()};
  for (std::size_t j = 0; j < system.rows.size(); ++j) {
    exact::Equation row{
        {system.rows[j].begin(), system.rows[j].end()}, system.right[j], std::vector<Wide>(system.rows.size())};
    row.factors[j] = 1;
    if (row.b != 0 || std::ranges::any_of(row.a, [](Wide a) { return a != 0; })) state.rows.push_back(std::move(row));
  }
  Search search(system, effort);
  LinearProof proof;
  switch (search.node(state, proof)) {
    case Ending::None: return Unsolvable{std::move(proof)};
    case Ending::Found:
      VL_CHECK(solves(system, search.solution()), "a solution that does not solve");
      return Solution{search.solution()};
    case Ending::Open: return Unsolved{};
  }
  VL_CHECK(false, "unknown outcome");
} catch (const Beyond&) {
  return Unsolved{};
}

}  // namespace vl::engines
