#include "verifier/engines/cells/named_search.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace vl::engines::cells {
namespace {

constexpr int kNamedFacts = 3;    // multiples that show one end
constexpr int kNamedLooks = 256;  // for them

// The multiple of a term below 0 that is a term's powers, and at least its coefficient; nothing if there is none.
std::optional<Polynomial::Term> multiple(const Polynomial::Term& term, const Polynomial::Term& of) {
  if (of.coefficient > 0) return std::nullopt;
  Polynomial::Term out;
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    if (of.powers[v] > term.powers[v]) return std::nullopt;
    out.powers[v] = static_cast<std::uint8_t>(term.powers[v] - of.powers[v]);
  }
  const Wide each = of.coefficient.abs();
  out.coefficient = (term.coefficient.abs() + each - 1) / each;
  return out;
}

// NamedMultiples of facts and of what is given that show a line to be >= 0.
class NamedShows {
 public:
  NamedShows(const NamedCell& cell, const Given& given)
      : cell_(cell), all_(given), given_(given.facts()), first_(cell.facts.size() + cell.records.size()) {
    for (std::size_t j = 0; j < given_.size(); ++j)
      if (const auto v = bounded(given_[j])) bounds_.emplace_back(j, *v);
      else facts_.push_back(j);
  }

  std::optional<NamedMultiples> operator()(const NamedLine& line) {
    if (cell_.facts.empty() && all_.refutes(cell_.low(line))) return std::nullopt;
    for (int most = 0; most <= kNamedFacts; ++most) {
      looks_ = kNamedLooks;
      NamedMultiples by;
      if (look(line, most, by)) return by;
    }
    return std::nullopt;
  }

 private:
  bool look(const NamedLine& line, int most, NamedMultiples& by) {
    const Polynomial low = cell_.low(line);
    if (by_given(low, all_.at(low), most, by)) return true;
    if (most == 0) return false;
    for (std::size_t j = 0; j < cell_.facts.size(); ++j) {
      const NamedLine& fact = cell_.facts[j];
      for (std::size_t k = 0; k < fact.terms.size(); ++k) {
        const Polynomial f = fact.at(k), p = line.at(k);
        if (f == Polynomial(0) || p == Polynomial(0)) continue;
        const auto times = p.over(f);
        if (!times || *times == Polynomial(0) || !kernel::is_shown(*times) || looks_-- <= 0) continue;
        by.emplace_back(j, *times);
        if (look(line.plus(fact, Polynomial(0) - *times), most - 1, by)) return true;
        by.pop_back();
      }
    }
    return false;
  }

  // Without atoms: each fact once, where it takes a term away; else as often as a term needs it. `at`: the values of
  // `low` at the samples.
  bool by_given(const Polynomial& low, const Given::Values& at, int most, NamedMultiples& by) {
    if (Given::refuted(at)) return false;
    const auto lacks = [&](const Polynomial::Term& term) { return term.coefficient < 0 && !has_bounded(term); };
    const bool lack = std::ranges::any_of(low.terms(), lacks);  // then no bounds of variables show it
    for (const bool backwards : {false, true}) {
      NamedMultiples bounds;
      if (lack || (backwards && bounds_.size() < 2) || !kernel::is_shown(at_bounds(low, bounds, backwards))) continue;
      by.insert(by.end(), bounds.begin(), bounds.end());
      return true;
    }
    if (most == 0) return false;
    const auto with = [&](std::size_t j, const Polynomial& times) {
      if (looks_-- <= 0) return false;
      Given::Values left = all_.at(times);
      for (std::size_t k = 0; k < left.size(); ++k) left[k] = at[k] - left[k] * all_.at_fact(j)[k];
      if (Given::refuted(left)) return false;
      by.emplace_back(first_ + j, times);
      if (by_given(low - times * given_[j], left, most - 1, by)) return true;
      by.pop_back();
      return false;
    };
    for (const Way way : {Way::Once, Way::All, Way::Alone})
      for (const Polynomial::Term& term : low.terms()) {
        if (lack ? !lacks(term) : term.coefficient > 0) continue;
        for (const std::size_t j : facts_)
          for (const Polynomial::Term& of : given_[j].terms()) {
            const auto times = times_of(way, low, term, of);
            if (times && with(j, *times)) return true;
          }
        if (lack) break;
      }
    return false;
  }

  // How often a fact is taken for a term that one of its own takes away: once; for all such terms; for this one.
  enum class Way { Once, All, Alone };
  static std::optional<Polynomial> times_of(Way way, const Polynomial& low, const Polynomial::Term& term,
                                            const Polynomial::Term& of) {
    const auto alone = multiple(term, of);
    if (!alone) return std::nullopt;
    if (way == Way::Once) return of.powers == term.powers ? std::optional(Polynomial(1)) : std::nullopt;
    if (way == Way::Alone) {
      auto out = Polynomial::of({*alone});
      return out == Polynomial(1) ? std::nullopt : std::optional(std::move(out));
    }
    std::vector<Polynomial::Term> all;
    for (const Polynomial::Term& other : low.terms())
      if (other.coefficient < 0)
        if (const auto times = multiple(other, of)) all.push_back(*times);
    return all.size() > 1 ? std::optional(Polynomial::of(std::move(all))) : std::nullopt;
  }

  // The variable that a given most - v bounds.
  static std::optional<std::size_t> bounded(const Polynomial& given) {
    if (given.terms().empty() || given.terms().size() > 2) return std::nullopt;
    for (std::size_t v = 0; v < Polynomial::kVariables; ++v)
      if (given.linear(v) == -1 && (given + Polynomial::variable(v)).number()) return v;
    return std::nullopt;
  }
  [[nodiscard]] bool has_bounded(const Polynomial::Term& term) const {
    return std::ranges::any_of(bounds_, [&](const auto& bound) { return term.powers[bound.second] > 0; });
  }
  // Where bounded variables have their greatest values in terms below 0. Which comes first may matter: 29·u - u·v with
  // u, v <= 29.
  Polynomial at_bounds(Polynomial p, NamedMultiples& by, bool backwards) const {
    for (std::size_t k = 0; k < bounds_.size(); ++k) {
      const auto& [j, v] = bounds_[backwards ? bounds_.size() - 1 - k : k];
      const Wide most = given_[j].constant();
      std::vector<Polynomial::Term> times, all = p.terms();
      for (Polynomial::Term& term : all) {
        if (term.coefficient > 0 || term.powers[v] == 0) continue;
        --term.powers[v];
        times.push_back({term.powers, term.coefficient.abs()});
        term.coefficient = term.coefficient * most;
      }
      if (times.empty()) continue;
      by.emplace_back(first_ + j, Polynomial::of(std::move(times)));
      p = Polynomial::of(std::move(all));
    }
    return p;
  }

  const NamedCell& cell_;
  const Given& all_;
  const std::vector<Polynomial>& given_;
  std::size_t first_;
  std::vector<std::pair<std::size_t, std::size_t>> bounds_;  // and their variables
  std::vector<std::size_t> facts_;
  int looks_ = 0;
};

}  // namespace

Given::Given(std::vector<Polynomial> facts) : facts_(std::move(facts)) {
  std::uint64_t next = 1;
  for (std::size_t k = 0; k < kSamples; ++k) {
    Sample sizes{};
    for (long double& size : sizes) {
      next = next * 6364136223846793005 + 1442695040888963407;
      size = k == 0 ? 0 : static_cast<long double>((next >> 33) % (k % 2 == 0 ? 3 : 70));
    }
    const auto holds = [&](const Polynomial& fact) { return !(at(fact, sizes) < 0); };
    if (std::ranges::all_of(facts_, holds)) samples_.push_back(sizes);
  }
  for (const Polynomial& fact : facts_) values_.push_back(at(fact));
}

Given::Values Given::at(const Polynomial& p) const {
  Values out{};
  for (std::size_t k = 0; k < samples_.size(); ++k) out[k] = at(p, samples_[k]);
  return out;
}

long double Given::at(const Polynomial& p, const Sample& sizes) {
  long double out = 0;
  for (const Polynomial::Term& term : p.terms()) {
    if (term.coefficient.abs() >= 1LL << 62) return std::numeric_limits<long double>::quiet_NaN();
    auto product = static_cast<long double>(term.coefficient.narrow());
    for (std::size_t v = 0; v < Polynomial::kVariables; ++v)
      for (int power = term.powers[v]; power > 0; --power) product *= sizes[v];
    out += product;
  }
  return out;
}

std::optional<NamedMultiples> shown(const NamedCell& cell, const Given& given, const NamedLine& line) {
  return NamedShows(cell, given)(line);
}

std::optional<NamedMultiples> equations_for(const NamedCell& cell, const NamedLine& line) {
  NamedMultiples by;
  NamedLine left = line;
  for (std::size_t j = cell.records.size(); j-- > 0;) {  // an inner line is older than its rest
    if (!cell.records[j].divides()) continue;
    const Polynomial times = left.at(cell.records[j].atom + 1);
    if (times == Polynomial(0)) continue;
    by.emplace_back(cell.facts.size() + j, times);
    left.add(cell.equation(j), times);
  }
  return left.is_zero() ? std::optional(std::move(by)) : std::nullopt;
}

NamedSearch::Within NamedSearch::within(const NamedCell& cell, const NamedLine& line, const Polynomial& most) const {
  const NamedLine over = NamedLine{most, {}}.plus(line, -1);
  auto below = shown(cell, line), above = shown(cell, over);
  if (!below) static_cast<void>(decides(cell.low(line)));
  if (!above) static_cast<void>(decides(cell.low(over)));
  if (!below || !above) return {};
  return {true, std::move(*below), std::move(*above)};
}

void NamedSearch::apply(NamedCell& cell, const NamedBlock& block) {
  NamedStep step{"block", {number(block.atom), block.size}};
  if (block.count) step.numbers.push_back(*block.count);
  if (!block.by.empty()) step.notes.push_back({0, 0, false, block.by, {}, {}, {}, {}});
  cell.block(block.atom, block.size, block.count, block.by);
  steps_.push_back(std::move(step));
}

NamedNext NamedSearch::for_quotient(const NamedCell& cell, const NamedStuck& stuck) {
  const auto by = [&](const Polynomial& more) -> std::optional<NamedNote> {
    const NamedLine rest = stuck.rest.plus(NamedLine{more * stuck.weight, {}}, -1);
    auto below = shown(cell, rest);
    auto above = below ? shown(cell, NamedLine{stuck.weight - 1, {}}.plus(rest, -1)) : std::nullopt;
    if (!above) return std::nullopt;
    NamedNote note{stuck.stage, stuck.at, false, std::move(*below), std::move(*above), {}, {}, {}};
    if (!(more == Polynomial(0))) note.quotient = stuck.quotient + more;
    return note;
  };
  for (const int more : {0, 1, -1})
    if (auto note = by(more)) return std::move(*note);
  if (mode_ == NamedMode::Divides || mode_ == NamedMode::Values) return division(cell, stuck);
  for (std::size_t g = cell.groups.size(); g-- > 0;)
    for (const std::size_t k : cell.atoms_of(cell.groups[g]))
      if (auto block = block_of(cell, stuck, k)) return std::move(*block);
  if (auto shift = shift_for(cell, stuck)) return std::move(*shift);
  // What the sizes have to say first.
  const NamedLine over = NamedLine{stuck.weight - 1, {}}.plus(stuck.rest, -1);
  static_cast<void>(decides(cell.low(stuck.rest)));
  static_cast<void>(decides(cell.low(over)));
  return Stop{};
}

// The shift of a group with which a rest loses its constant.
std::optional<NamedShift> NamedSearch::shift_for(const NamedCell& cell, const NamedStuck& stuck) const {
  for (std::size_t g = 0; g < std::min(cell.groups.size(), shifts_.size()); ++g) {
    const auto own = cell.atoms_of(cell.groups[g]);
    if (own.empty() || !(shifts_[g] == Polynomial(0))) continue;
    const Polynomial by = stuck.rest.constant.divided(stuck.rest.at(own.back())).first;
    if (!(by == Polynomial(0)) && kernel::is_shown(by)) return NamedShift{g, by};
  }
  return std::nullopt;
}

// A block of an atom of which the rest has then a multiple of the weight.
std::optional<NamedBlock> NamedSearch::block_of(const NamedCell& cell, const NamedStuck& stuck, std::size_t k) const {
  const Polynomial each = stuck.rest.at(k);
  if (each == Polynomial(0)) return std::nullopt;
  auto size = stuck.weight.over(each);
  if (size && kernel::is_shown(Polynomial(0) - *size)) size = Polynomial(0) - *size;  // it counts back
  if (!size || *size == Polynomial(1)) return std::nullopt;
  const Polynomial& extent = cell.extents[k];
  if (mode_ == NamedMode::Covers && !extent.over(*size)) {  // one a number
    auto by = shown(cell, NamedLine{extent * *size - extent, {}});
    return by ? std::optional(NamedBlock{k, *size, extent, std::move(*by)}) : std::nullopt;
  }
  if (!decides(extent - *size - 1)) return std::nullopt;
  if (extent.over(*size)) return NamedBlock{k, *size, {}, {}};
  if (mode_ != NamedMode::Asks) return std::nullopt;
  const Polynomial count = sizes_.quotient(extent + *size - 1, *size);
  auto by = shown(cell, NamedLine{count * *size - extent, {}});
  if (!by) return std::nullopt;
  return NamedBlock{k, *size, count, std::move(*by)};
}

// Steps that make one difference after the other known.
void NamedSearch::peel(const NamedCell& cell, std::vector<bool> known) {
  kernel::Difference<Polynomial> difference(cell, cell.sides[0], std::move(known));
  std::optional<Polynomial> open;
  std::vector<bool> opened(cell.records.size(), false);
  for (bool again = true; std::exchange(again, false);) {
    open.reset();
    for (std::size_t j = 0; j < cell.records.size(); ++j)
      if (!opened[j] && difference.is_known(cell.records[j].atom) &&
          (!cell.records[j].divides() || difference.is_known(cell.records[j].atom + 1))) {
        difference.open(j), opened[j] = again = true;
        steps_.push_back({"open", {number(j)}});
      }
    for (std::size_t r = 0; r < difference.rows().size(); ++r)
      for (std::size_t k = 0; k < difference.rows()[r].terms.size(); ++k)
        if (!(difference.rows()[r].terms[k] == Polynomial(0)) && !difference.is_known(k))
          again = tell(cell, difference, r, k, open) || again;
  }
  bool all = true;
  for (const auto& group : cell.groups)
    for (const std::size_t k : cell.atoms_of(group)) all = all && difference.is_known(k);
  if (!all && open) static_cast<void>(decides(*open));
}

bool NamedSearch::tell(const NamedCell& cell, kernel::Difference<Polynomial>& known, std::size_t r, std::size_t k,
                       std::optional<Polynomial>& open) {
  NamedLine others{0, known.rows()[r].terms};
  for (std::size_t j = 0; j < others.terms.size(); ++j)
    if (j == k || known.is_known(j)) others.terms[j] = 0;
  const Polynomial each = known.rows()[r].terms[k];
  const Polynomial size = decides(each) ? each : Polynomial(0) - each;
  const Polynomial low = cell.low(others), more = size - (cell.high(others) - low) - 1;
  const std::vector<Polynomial> at{number(r), number(k)};
  if (kernel::is_shown(more) && kernel::is_shown(size)) {
    known.large(r, k, {});
    return steps_.push_back({"large", at}), true;
  }
  if (kernel::is_shown(each) || kernel::is_shown(Polynomial(0) - each)) {
    const Polynomial most = low + size - 1;
    if (const auto above = shown(cell, NamedLine{most, {}}.plus(others, -1))) {
      known.large(r, k, kernel::Difference<Polynomial>::Span{low, most, {}, *above});
      return steps_.push_back({"large", {at[0], at[1], low, most}, {{0, 0, false, {}, *above, {}, {}, {}}}}), true;
    }
    if (by_modulus(cell, known, others, size, r, k)) return true;
  }
  if (!sizes_.shows(Polynomial(-1) - more) && (!open || more.terms().size() < open->terms().size())) open = more;
  return false;
}

bool NamedSearch::by_modulus(const NamedCell& cell, kernel::Difference<Polynomial>& known, const NamedLine& others,
                             const Polynomial& size, std::size_t r, std::size_t k) {
  for (const Polynomial& term : others.terms) {
    if (term == Polynomial(0)) continue;
    const Polynomial by = kernel::is_shown(term) ? term : Polynomial(0) - term;
    const bool divides =
        std::ranges::all_of(others.terms, [&](const Polynomial& one) { return one == kernel::share(one, by) * by; });
    if (!divides || !kernel::is_shown(size - 1) || !kernel::is_shown(by - 1 - size * (cell.extents[k] - 1))) continue;
    known.mod(r, k, by);
    return steps_.push_back({"mod", {number(r), number(k), by}}), true;
  }
  return false;
}

}  // namespace vl::engines::cells
