#include "verifier/session/instances.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace vl::session {
namespace {

constexpr std::size_t kRandomInstances = 64;
constexpr int kExaminedLonger = 6;
constexpr int kExamined = 1;                 // by all engines, under --cross-check
constexpr std::size_t kKept = 32;            // sizes that a certificate may name
constexpr std::size_t kSmallInstances = 24;  // that are tried of one leaf
constexpr std::size_t kAttempts = 320;       // further ones
constexpr std::size_t kPoints = 20'000;      // at which such sizes are looked for in the end
constexpr std::size_t kMostCandidates = 6000;

constexpr Index kMostCost = 100'000;  // of a search, in tenths of milliseconds

// What an answer cost: of closed forms about a tenth of a millisecond each, of a walk by its points, of solvers what
// they take on the whole, a process included.
Index cost_of(const claims::Judged& judged, Index points) {
  constexpr std::pair<std::string_view, Index> kCosts[] = {
      {"presburger", 20}, {"propositional", 50}, {"smt", 400}, {"smt-2", 400}, {"cvc5", 400}};
  constexpr Index kPointsAtOnce = 8192;
  Index out = 1;
  for (const engines::Attempt& attempt : judged.attempts) {
    const auto* known = std::ranges::find(kCosts, attempt.engine, &std::pair<std::string_view, Index>::first);
    out += known != std::end(kCosts) ? known->second : 1;
    if (attempt.engine == "enumerate" || attempt.engine == "sums") out += points / kPointsAtOnce;
  }
  return out;
}

// The order of sizes: elements, sum, then by symbol.
struct Candidate {
  Index elements = 0;
  Index sum = 0;
  std::vector<Index> numbers;
  map::Sizes sizes;

  [[nodiscard]] bool operator<(const Candidate& other) const {
    return std::tie(elements, sum, numbers) < std::tie(other.elements, other.sum, other.numbers);
  }
  [[nodiscard]] bool operator==(const Candidate& other) const { return numbers == other.numbers; }
};

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

// How many numbers of each symbol are tried, so that all combinations are few.
Index tried_each(std::size_t symbols) {
  constexpr Index kTried[] = {1, 400, 40, 13, 7, 4, 3};
  return symbols < std::size(kTried) ? kTried[symbols] : symbols <= 10 ? 2 : 1;
}

// By how much the sizes exceed their lower bounds together. Sizes of a smaller sum each exceed theirs by less.
Index above_bounds(const map::Rule& rule, const Candidate& candidate) {
  Index out = 0;
  for (std::size_t k = 0; k < rule.symbols.size(); ++k) out += candidate.numbers[k] - rule.symbols[k].low;
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
    work.assign(next.begin(), next.end());
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

// All sizes that the dimensions may have where there are fewer elements than at some sizes, each less than `each` above
// its bound. Nothing where a dimension is no symbol and no number, or they are too many.
std::optional<std::vector<map::Sizes>> smaller_sizes(const map::Rule& rule, const Candidate& found, Index each) {
  std::vector<std::string> names;
  for (const map::Expression& size : rule.logical) {
    if (size.kind() != map::Expression::Kind::Name && !size.number()) return std::nullopt;
    map::add_names(size, names);
  }
  std::vector<map::Sizes> work{{}};
  for (const std::string& name : names) {
    const auto symbol = std::ranges::find(rule.symbols, name, &map::Symbol::name);
    if (symbol->low < 1 || !checked_add(symbol->low, each)) return std::nullopt;
    std::vector<map::Sizes> next;
    for (const map::Sizes& sizes : work)
      for (Index k = symbol->low; k < symbol->low + each && k <= found.elements; ++k) {
        map::Sizes more = sizes;
        more[name] = k;
        next.push_back(std::move(more));
      }
    if (next.size() > 4096 || found.elements >= symbol->low + each) return std::nullopt;
    work = std::move(next);
  }
  std::erase_if(work, [&](const map::Sizes& sizes) {
    const auto elements = map::evaluate(map::product_of(rule.logical), sizes);
    return !elements || *elements >= found.elements;
  });
  return work;
}

// Whether no instance with fewer elements fails: the claim holds under that condition; or for each choice of the
// tensor's symbols and all values of the others.
bool proved_below(const map::Rule& rule, const HoldsAt& holds_at, const Candidate& found, Index each) {
  using Relation = map::Condition::Relation;
  const map::Condition fewer{map::product_of(rule.logical), Relation::AtMost, found.elements - 1, {}};
  if (holds_at({.most_cells = 200, .where = {fewer}})) return true;
  const auto smaller = smaller_sizes(rule, found, each);
  return smaller && std::ranges::all_of(*smaller, [&](const map::Sizes& sizes) {
           return holds_at({.most_cells = 60, .fixed = sizes});
         });
}

// The same where nothing is proved below, but the tensor's symbols are all: each instance is decided.
bool decided_below(const RuleCase& of, const ClaimRequest& claim, Instances& instances, const Candidate& found,
                   Index each) {
  constexpr std::size_t kMostBelow = 1000;
  const auto smaller = smaller_sizes(of.rule, found, each);
  if (!smaller || smaller->size() > kMostBelow) return false;
  return std::ranges::all_of(*smaller, [&](const map::Sizes& sizes) {
    if (sizes.size() != of.rule.symbols.size()) return false;
    const auto judged = instances.decide(claim, sizes);
    if (!judged) return true;  // there is none
    const auto* unknown = std::get_if<question::Unknown>(&judged->verdict);
    return std::holds_alternative<question::Proved>(judged->verdict) ||
           (unknown != nullptr && unknown->reason == question::Reason::Vacuous);
  });
}

// An instance of a failing leaf that is refuted, with large sizes, each made as small as bisection makes it.
std::optional<Refutation> far_refuted(const RuleCase& of, const ClaimRequest& claim, const engines::Leaves& leaves,
                                      Instances& instances, const Instances::Search& search) {
  constexpr int kLargest = 40;  // bits of a size
  const auto refuted = [&](const map::Sizes& sizes) -> std::optional<question::Refuted> {
    if (search.is_over()) return std::nullopt;
    auto judged = instances.decide(claim, sizes);
    auto* found = judged ? std::get_if<question::Refuted>(&judged->verdict) : nullptr;
    return found != nullptr ? std::optional(std::move(*found)) : std::nullopt;
  };
  std::optional<Refutation> out;
  std::size_t suspects = 0;
  for (const engines::Leaf& leaf : leaves.all) {
    if (out || leaf.kind != engines::Leaf::Kind::Fails || ++suspects > 8) continue;
    use::Random random(20261125, 22, suspects);
    for (int k = 0; k < 4 * kLargest && !out; ++k)
      if (const auto sizes = leaf.cell.drawn(random, Index{4} << (k / 4)))
        if (auto found = refuted(*sizes)) out = Refutation{*sizes, std::move(*found), false};
  }
  for (std::size_t k = 0; out && k < 2 * of.rule.symbols.size(); ++k) {
    const map::Symbol& symbol = of.rule.symbols[k % of.rule.symbols.size()];
    Index below = symbol.low - 1;  // at which it is not refuted, or not looked at
    while (out->sizes[symbol.name] - below > 1) {
      map::Sizes half = out->sizes;
      half[symbol.name] = below + (half[symbol.name] - below) / 2;
      if (auto found = refuted(half)) out = Refutation{std::move(half), std::move(*found), false};
      else below = half[symbol.name];
    }
  }
  return out;
}

}  // namespace

const Instances::Instance* Instances::at(const map::Sizes& sizes) {
  const auto [known, fresh] = known_.try_emplace(sizes);
  if (!fresh) return known->second.get();
  for (const map::Symbol& symbol : of_.rule.symbols)
    if (const auto size = sizes.find(symbol.name); size == sizes.end() || size->second < symbol.low) return nullptr;
  for (const map::Condition& condition : of_.rule.where)
    if (const auto held = map::holds(condition, sizes); !held || !*held) return nullptr;
  auto made = request_at(of_.request, sizes);
  auto* request = std::get_if<CaseRequest>(&made);
  if (request == nullptr) return nullptr;
  auto subject = read_tensor(*request, of_.options);
  auto* read = std::get_if<TensorReading>(&subject);
  if (read == nullptr || read->reading.layout() == nullptr) return nullptr;
  known->second = std::make_unique<Instance>(Instance{std::move(*request), std::move(*read)});
  return known->second.get();
}

std::optional<claims::Judged> Instances::decide(const ClaimRequest& claim, const map::Sizes& sizes) {
  // A slot that nothing hits is replayed by a walk over all elements.
  constexpr Index kMostWalked = Index{1} << 20;
  const Instance* instance = at(sizes);
  if (instance == nullptr) return std::nullopt;
  const map::Layout& layout = *instance->subject.reading.layout();
  if (claim.claim->lifted == claims::Lifted::Onto && layout.domain().volume() > kMostWalked) return std::nullopt;
  ClaimRequest at_sizes;
  const ClaimRequest* asked = &claim;
  if (claim.rule_nests != nullptr) {
    const auto nests = use::instance(*claim.rule_nests, sizes);
    if (!nests) return std::nullopt;
    at_sizes = claim;
    at_sizes.nests = std::make_shared<const use::Transfer>(*nests);
    if (!number_source(at_sizes, of_.request, sizes)) return std::nullopt;
    asked = &at_sizes;
  }
  const auto found = about(*asked, sizes);
  const auto* made = found ? std::get_if<Bound>(&*found) : nullptr;
  if (made == nullptr || !made->about) return std::nullopt;
  engines::Options options = of_.options;  // all engines are asked of a few instances only
  if (options.cross_check) options.cross_check = examined_[claim.claim]++ < kExamined;
  claims::Judged judged = claims::decide(*claim.claim, *made->about, options);
  cost_ += cost_of(judged, layout.domain().volume());
  return judged;
}

Instances::Search::Search(const Instances& instances, Index part)
    : instances_(instances),
      end_(instances.cost_ + instances.options().budget.work(kMostCost) / part *
                                 (instances.options().cross_check ? kExaminedLonger : 1)) {}

bool Instances::Search::is_over() const {
  const Budget& budget = instances_.options().budget;
  if (budget.stopped()) return true;
  if (instances_.cost_ <= end_) return false;
  if (budget.work(kMostCost) < kMostCost) budget.mark_spent();
  return true;
}

std::optional<std::variant<Bound, Diagnostic>> Instances::about(const ClaimRequest& claim, const map::Sizes& sizes) {
  const Instance* instance = at(sizes);
  if (instance == nullptr) return std::nullopt;
  const auto asked = claim_at(claim, *instance, sizes);
  if (!asked) return std::nullopt;
  return bind(*asked, instance->request, instance->subject, of_.options);
}

std::optional<ClaimRequest> Instances::claim_at(const ClaimRequest& claim, const Instance& instance,
                                                const map::Sizes& sizes) const {
  ClaimRequest out = claim;
  if (claim.claim->lifted == claims::Lifted::Equal && !number_source(out, of_.request, sizes)) return std::nullopt;
  number_access(out, sizes);
  if (claim.claim->lifted != claims::Lifted::WayBack) return out;
  for (ClaimArgument& argument : out.arguments)
    if (argument.key == "with") argument.text = instance.request.layout;
  return out;
}

std::variant<std::optional<Index>, Diagnostic> number_of(const RuleCase& of, const ClaimRequest& claim,
                                                         Instances& instances) {
  for (const engines::Cell& cell : engines::cells_of(of.rule))
    for (const map::Sizes& sizes : cell.samples(kSmallInstances)) {
      auto found = instances.about(claim, sizes);
      if (!found) continue;
      if (auto* wrong = std::get_if<Diagnostic>(&*found)) return std::move(*wrong);
      const auto& about = std::get<Bound>(*found).about;
      if (const auto* fitted = about ? std::get_if<claims::Fitted>(&*about) : nullptr) return fitted->capacity;
      if (const auto* based = about ? std::get_if<claims::Based>(&*about) : nullptr) return based->base;
    }
  return std::nullopt;
}

std::optional<Refutation> smallest_refuted(const RuleCase& of, const ClaimRequest& claim, const engines::Leaves& leaves,
                                           Instances& instances, const HoldsAt& holds_at) {
  bool all_decided = true;
  const Instances::Search search(instances);
  const Index each = tried_each(of.rule.symbols.size());
  for (const Candidate& candidate : candidates(of.rule, claim.rule_nests.get(), leaves)) {
    if (search.is_over()) return std::nullopt;
    auto judged = instances.decide(claim, candidate.sizes);
    if (!judged) continue;
    if (auto* refuted = std::get_if<question::Refuted>(&judged->verdict)) {
      const bool least = all_decided && refuted->counterexample.minimal && above_bounds(of.rule, candidate) < each &&
                         (holds_at ? proved_below(of.rule, holds_at, candidate, each)
                                   : decided_below(of, claim, instances, candidate, each));
      return Refutation{candidate.sizes, std::move(*refuted), least};
    }
    const auto* unknown = std::get_if<question::Unknown>(&judged->verdict);
    if (unknown != nullptr && unknown->reason != question::Reason::Vacuous) all_decided = false;
  }
  return far_refuted(of, claim, leaves, instances, search);
}

Sampled sampled(const ClaimRequest& claim, const engines::Leaves& leaves, const std::optional<map::Expression>& value,
                Instances& instances) {
  Sampled out;
  const Instances::Search search(instances);
  // Whether the instance exists and an engine's word on it was compared.
  const auto look = [&](const map::Sizes& sizes) {
    auto judged = instances.decide(claim, sizes);
    if (!judged) return false;
    ++out.existing;
    if (out.found.size() < kKept) out.found.push_back(sizes);
    if (const auto* unknown = std::get_if<question::Unknown>(&judged->verdict)) {
      if (unknown->reason == question::Reason::EnginesDisagree && !out.against) {
        out.against = Refutation{sizes, {}, false};
        out.against->verdict.counterexample.explanation = unknown->detail;
      }
      if (unknown->reason != question::Reason::Vacuous) return false;
      if (!out.vacuous) out.vacuous = unknown->detail;
      return true;
    }
    ++out.decided;
    if (out.against) return true;
    if (auto* refuted = std::get_if<question::Refuted>(&judged->verdict)) {
      out.against = Refutation{sizes, std::move(*refuted), false};
      return true;
    }
    const auto given = std::get<question::Proved>(judged->verdict).value;
    const auto want = value ? map::evaluate(*value, sizes) : Result<Index>(0);
    if (!value || (want && given == *want)) return true;
    out.against = Refutation{sizes, {}, false};
    out.against->verdict.counterexample.explanation =
        fmt::format("{} is {}, and the engines give {}", map::print(*value), want ? *want : 0, given.value_or(0));
    return true;
  };
  // The smallest sizes of a leaf, then random ones, ever larger, then all that are small. Whether one was decided, or
  // there is none.
  const auto looked_into = [&](const engines::Cell& cell, std::size_t number) {
    for (const map::Sizes& sizes : cell.samples(kSmallInstances))
      if (search.is_over() || look(sizes)) return !search.is_over();
    if (cell.shown_empty()) return true;
    use::Random random(20261125, 21, number);
    for (std::size_t k = 0; k < kAttempts && !search.is_over(); ++k)
      if (const auto sizes = cell.drawn(random, Index{4} << (k * 16 / kAttempts)); sizes && look(*sizes)) return true;
    for (const map::Sizes& sizes : cell.samples(kSmallInstances, kPoints))
      if (!search.is_over() && look(sizes)) return true;
    return false;
  };
  for (std::size_t k = 0; k < leaves.all.size(); ++k)
    if (!looked_into(leaves.all[k].cell, k)) ++out.bare;
  for (std::size_t k = 0; k < kRandomInstances && !leaves.all.empty() && !search.is_over(); ++k) {
    use::Random random(20261124, 21, k);
    for (int attempt = 0; attempt < 8; ++attempt) {
      const auto sizes = leaves.all[random.below(leaves.all.size())].cell.drawn(random);
      if (!sizes || instances.at(*sizes) == nullptr) continue;
      static_cast<void>(look(*sizes));
      break;
    }
  }
  return out;
}

}  // namespace vl::session
