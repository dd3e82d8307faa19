#include "verifier/session/candidates.h"

#include <algorithm>
#include <set>

namespace vl::session {
namespace {

constexpr std::size_t kMostCandidates = 6000;

std::optional<Candidate> candidate_of(const map::Rule& rule, const map::Sizes& sizes) {
  const auto elements = map::evaluate(map::product_of(rule.logical), sizes);
  if (!elements || *elements < 0) return std::nullopt;
  Candidate out{*elements, 0, {}, sizes};
  for (const map::Symbol& symbol : rule.symbols) {
    const Index number = sizes.find(symbol.name)->second;
    const auto sum = checked_add(out.sum, number);
    if (number < symbol.low || !sum) return std::nullopt;
    out.sum = *sum;
    out.numbers.push_back(number);
  }
  return out;
}

// Every combination of small sizes.
void add_small(const map::Rule& rule, Index each, std::vector<Candidate>& out) {
  std::vector<Index> at(rule.symbols.size(), 0);
  for (bool more = true; more;) {
    map::Sizes sizes;
    bool fits = true;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const auto size = checked_add(rule.symbols[k].low, at[k]);
      fits = fits && size.has_value();
      sizes[rule.symbols[k].name] = size.value_or(0);
    }
    if (auto candidate = fits ? candidate_of(rule, sizes) : std::nullopt) out.push_back(std::move(*candidate));
    more = false;
    for (Index& digit : at) {
      if (digit + 1 < each) {
        ++digit;
        more = true;
        break;
      }
      digit = 0;
    }
  }
}

// All sizes that exceed their lower bounds by a small sum together.
void add_small_sums(const map::Rule& rule, std::vector<Candidate>& out) {
  constexpr std::size_t kMostSums = 1000;
  std::vector<std::vector<Index>> work{std::vector<Index>(rule.symbols.size(), 0)}, all = work;
  while (!rule.symbols.empty() && all.size() + work.size() * rule.symbols.size() <= kMostSums) {
    std::set<std::vector<Index>> next;
    for (const std::vector<Index>& at : work)
      for (std::size_t k = 0; k < at.size(); ++k) {
        std::vector<Index> more = at;
        ++more[k];
        next.insert(std::move(more));
      }
    work = {next.begin(), next.end()};
    all.insert(all.end(), work.begin(), work.end());
  }
  for (const std::vector<Index>& at : all) {
    map::Sizes sizes;
    for (std::size_t k = 0; k < at.size(); ++k)
      sizes[rule.symbols[k].name] = checked_add(rule.symbols[k].low, at[k]).value_or(rule.symbols[k].low);
    if (auto candidate = candidate_of(rule, sizes)) out.push_back(std::move(*candidate));
  }
}

// The integers of an expression that are no small steps: 64 of ceil(N/64).
void add_integers(const map::Expression& expression, std::set<Index>& out) {
  if (const auto number = expression.number(); number && *number >= 8 && *number <= 1 << 20) out.insert(*number);
  for (const map::Expression& part : expression.parts()) add_integers(part, out);
}

std::set<Index> integers_of(const map::Rule& rule, const use::RuleTransfer* nests) {
  std::set<Index> out;
  for (const map::RuleLevel& level : rule.levels) add_integers(level.extent, out), add_integers(level.weight, out);
  for (const map::RulePlace& place : rule.places) {
    add_integers(place.extent, out);
    for (const map::RuleTerm& term : place.terms) add_integers(term.coefficient, out);
  }
  for (const std::vector<map::Condition>* conditions : {&rule.where, &rule.laws})
    for (const map::Condition& condition : *conditions)
      add_integers(condition.left, out), add_integers(condition.right, out);
  if (nests == nullptr) return out;
  for (const use::RuleNest& nest : nests->nests)
    for (const map::Expression& extent : nest.extents) add_integers(extent, out);
  return out;
}

// One or two symbols just below, at and above the numbers of the rule, and all others at their least: where there are
// too many symbols for all combinations of such sizes.
void add_few_edges(const map::Rule& rule, const std::set<Index>& integers, std::vector<Candidate>& out) {
  constexpr std::size_t kMostFew = 4000;
  map::Sizes least;
  for (const map::Symbol& symbol : rule.symbols) least[symbol.name] = symbol.low;
  std::set<Index> values;
  for (const Index n : integers) values.insert({n - 1, n, n + 1});
  const std::size_t ends = out.size() + kMostFew;
  const auto put = [&](const map::Sizes& sizes) {
    auto candidate = candidate_of(rule, sizes);
    if (candidate && out.size() < ends) out.push_back(std::move(*candidate));
  };
  for (std::size_t a = 0; a < rule.symbols.size(); ++a)
    for (const Index value : values) {
      map::Sizes sizes = least;
      sizes[rule.symbols[a].name] = value;
      put(sizes);
    }
  for (std::size_t a = 0; a < rule.symbols.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      for (const Index one : values)
        for (const Index other : values) {
          map::Sizes sizes = least;
          sizes[rule.symbols[a].name] = one, sizes[rule.symbols[b].name] = other;
          put(sizes);
        }
}

// Sizes just below, at and above the numbers of the rule, where a last tile is ragged, full or alone.
void add_edges(const map::Rule& rule, const std::set<Index>& integers, std::vector<Candidate>& out) {
  constexpr std::size_t kMostEdges = 3000;
  std::vector<map::Sizes> work{{}};
  for (const map::Symbol& symbol : rule.symbols) {
    std::vector<map::Sizes> next;
    std::set<Index> values{symbol.low, checked_add(symbol.low, 1).value_or(symbol.low)};
    for (const Index n : integers) values.insert({n - 1, n, n + 1, 2 * n, 2 * n + 1});
    for (const map::Sizes& sizes : work)
      for (const Index value : values) {
        if (value < symbol.low) continue;
        next.push_back(sizes);
        next.back()[symbol.name] = value;
      }
    if (next.size() > kMostEdges) return add_few_edges(rule, integers, out);
    work = std::move(next);
  }
  for (const map::Sizes& sizes : work)
    if (auto candidate = candidate_of(rule, sizes)) out.push_back(std::move(*candidate));
}

}  // namespace

Index tried_each(std::size_t symbols) {
  constexpr Index kTried[] = {1, 400, 40, 13, 7, 4, 3};
  return symbols < std::size(kTried) ? kTried[symbols] : symbols <= 10 ? 2 : 1;
}

Index above_bounds(const map::Rule& rule, const Candidate& candidate) {
  Index out = 0;
  for (std::size_t k = 0; k < rule.symbols.size(); ++k) out += candidate.numbers[k] - rule.symbols[k].low;
  return out;
}

std::vector<Candidate> candidates(const map::Rule& rule, const use::RuleTransfer* nests,
                                  const engines::Leaves& leaves) {
  std::vector<Candidate> out;
  add_small(rule, tried_each(rule.symbols.size()), out);
  add_small_sums(rule, out);
  add_edges(rule, integers_of(rule, nests), out);
  std::size_t suspects = 0;
  const auto holds = [](const engines::Leaf& leaf) { return leaf.kind == engines::Leaf::Kind::Holds; };
  const bool any = std::ranges::all_of(leaves.all, holds);  // nothing is known of them
  for (const engines::Leaf& leaf : leaves.all)
    if ((any || !holds(leaf)) && ++suspects <= 40)
      for (const map::Sizes& sizes : leaf.cell.samples(24))
        if (auto candidate = candidate_of(rule, sizes)) out.push_back(std::move(*candidate));
  std::ranges::sort(out, std::less<>{});
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (out.size() > kMostCandidates) out.resize(kMostCandidates);
  return out;
}

}  // namespace vl::session
