#include "verifier/session/instances.h"

#include <fmt/format.h>

#include <algorithm>

#include "verifier/session/candidates.h"
#include "verifier/session/rule_masks.h"

namespace vl::session {
namespace {

constexpr std::size_t kRandomInstances = 64;
constexpr int kExaminedLonger = 6;
constexpr int kExamined = 1;                 // by all engines, under --cross-check
constexpr std::size_t kKept = 32;            // sizes that a certificate may name
constexpr std::size_t kSmallInstances = 24;  // that are tried of one leaf
constexpr std::size_t kAttempts = 320;       // further ones
constexpr std::size_t kPoints = 20'000;      // at which such sizes are looked for in the end

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

// Whether none fails with as many elements that comes before in the order of sizes: with a smaller sum; or with the
// same one and the same numbers of some first symbols, and a smaller number of the next.
bool proved_before(const map::Rule& rule, const HoldsAt& holds_at, const Candidate& found) {
  using Relation = map::Condition::Relation;
  map::Expression sum(0);
  for (const map::Symbol& symbol : rule.symbols) sum = sum + map::Expression::named(symbol.name);
  const map::Condition as_many{map::product_of(rule.logical), Relation::Equal, found.elements, {}};
  const map::Condition same_sum{sum, Relation::Equal, found.sum, {}};
  if (!holds_at({.most_cells = 200, .where = {as_many, {sum, Relation::AtMost, found.sum - 1, {}}}})) return false;
  map::Sizes fixed;
  for (std::size_t k = 0; k < rule.symbols.size(); ++k) {
    const std::string& name = rule.symbols[k].name;
    const map::Condition smaller{map::Expression::named(name), Relation::AtMost, found.numbers[k] - 1, {}};
    if (!holds_at({.most_cells = 200, .fixed = fixed, .where = {as_many, same_sum, smaller}})) return false;
    fixed[name] = found.numbers[k];
  }
  return true;
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

bool Instances::satisfy(const map::Sizes& sizes) const {
  for (const map::Symbol& symbol : of_.rule.symbols)
    if (const auto size = sizes.find(symbol.name); size == sizes.end() || size->second < symbol.low) return false;
  return std::ranges::all_of(of_.rule.where, [&](const map::Condition& condition) {
    const auto held = map::holds(condition, sizes);
    return held && *held;
  });
}

const Instances::Instance* Instances::at(const map::Sizes& sizes) {
  if (of_.decide) return nullptr;
  const auto [known, fresh] = known_.try_emplace(sizes);
  if (!fresh) return known->second.get();
  if (!satisfy(sizes)) return nullptr;
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
  if (of_.decide) {
    auto judged = satisfy(sizes) ? of_.decide(claim, sizes) : std::nullopt;
    if (judged) cost_ += cost_of(*judged, 1);
    return judged;
  }
  const Instance* instance = at(sizes);
  if (instance == nullptr) return std::nullopt;
  const map::Layout& layout = *instance->subject.reading.layout();
  const bool of_slots = claim.claim->lifted == claims::Lifted::Onto || claim.claim->lifted == claims::Lifted::Occupied;
  if (of_slots && layout.domain().volume() > kMostWalked) return std::nullopt;
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
  if (claim.claim->lifted == claims::Lifted::MaskExact && !number_mask(out, sizes)) return std::nullopt;
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
      if (const auto* cores = about ? std::get_if<claims::OnCores>(&*about) : nullptr) return Index{cores->full};
      if (const auto* rows = about ? std::get_if<claims::RowsOfBytes>(&*about) : nullptr) return rows->bytes;
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
      const bool first =
          above_bounds(of.rule, candidate) < each || (of.decide && proved_before(of.rule, holds_at, candidate));
      const bool least = all_decided && refuted->counterexample.minimal && first &&
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
      if (!sizes || !instances.exist(*sizes)) continue;
      static_cast<void>(look(*sizes));
      break;
    }
  }
  return out;
}

}  // namespace vl::session
