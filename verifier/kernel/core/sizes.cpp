#include "verifier/kernel/core/sizes.h"

#include <algorithm>
#include <utility>

#include "verifier/kernel/core/work.h"

namespace vl::kernel {
namespace {

constexpr long long kMostResidues = 512;

// Whether p is f and a number >= 0.
bool is_at_least(const Polynomial& p, const Polynomial& f) {
  const auto names = [](const Polynomial& of) {
    return std::span(of.terms()).first(of.terms().size() - (of.constant() == 0 ? 0 : 1));
  };
  charge(8 * (p.terms().size() + 1));
  return p.constant() >= f.constant() && std::ranges::equal(names(p), names(f));
}

bool holds_nowhere(const Polynomial& fact) { return is_shown(Polynomial(-1) - fact); }

// The multiples of facts that a step names, in its only note; none without one.
const Multiples<Polynomial>& multiples_of(const BasicStep<Polynomial>& step) {
  static const Multiples<Polynomial> none;
  require(step.notes.size() <= 1, "a step with another list");
  if (step.notes.empty()) return none;
  const Note<Polynomial>& note = step.notes[0];
  require(note.stage == 0 && note.at == 0 && !note.uses && !note.quotient && !note.extent && note.below.empty(),
          "a step with another list");
  return note.above;
}

}  // namespace

Sizes Sizes::from(std::span<const Wide> lows) {
  Sizes out;
  for (std::size_t k = 0; k < lows.size(); ++k) {
    out.symbols_.push_back(Polynomial::variable(k) + lows[k]);
    out.used_[k] = true;
  }
  return out;
}

Sizes Sizes::of(std::span<const Wide> numbers) {
  Sizes out;
  for (const Wide& number : numbers) out.symbols_.emplace_back(number);
  return out;
}

std::size_t Sizes::unused() const {
  const auto v = static_cast<std::size_t>(std::ranges::find(used_, false) - used_.begin());
  require(v < used_.size(), "too many variables");
  return v;
}

bool Sizes::are_none() const { return std::ranges::any_of(facts_, holds_nowhere); }

bool Sizes::shows(const Polynomial& not_negative) const {
  const Polynomial p = not_negative.primitive();
  return is_shown(p) || std::ranges::any_of(facts_, [&](const Polynomial& fact) { return is_at_least(p, fact); });
}

std::optional<Polynomial> Sizes::quotient(const Polynomial& p, const Polynomial& by) const {
  require(shows(by - 1), "a divisor that may be below 1");
  if (auto exact = p.over(by)) return exact;
  const auto number = by.number();
  const auto [whole, left] = number ? p.split(*number) : std::pair(Polynomial(), p);
  const Polynomial& rest = left;
  if (number && shows(by - 1 - rest)) return whole;  // rest >= 0
  charge(8 * (quotients_.size() + 1) * (p.terms().size() + 1));
  const auto known = std::ranges::find_if(quotients_, [&](const Quotient& q) { return q.by == by && q.p == rest; });
  return known == quotients_.end() ? std::nullopt : std::optional(whole + known->is);
}

void Sizes::require_own(const Polynomial& p) const {
  for (std::size_t v = 0; v < used_.size(); ++v) require(used_[v] || p.degree(v) == 0, "an unused variable");
}

std::size_t Sizes::variable_of(const Polynomial& number) const {
  const Wide v = number_of(number);
  const auto own = [&](const Wide& k) { return k >= 0 && k < static_cast<long long>(used_.size()); };
  require(own(v) && used_[static_cast<std::size_t>(v.narrow())], "an unused variable");
  return static_cast<std::size_t>(v.narrow());
}

void Sizes::add(const Polynomial& fact) {
  const Polynomial it = fact.primitive();
  if (!shows(it)) facts_.push_back(it);
}

void Sizes::replace(std::size_t v, const Polynomial& by) {
  for (Polynomial& symbol : symbols_) symbol = symbol.with(v, by);
  for (const Polynomial& fact : std::exchange(facts_, {})) add(fact.with(v, by));
  for (Quotient& one : quotients_) one = {one.p.with(v, by), one.by.with(v, by), one.is.with(v, by)};
}

void Sizes::infer(const BasicStep<Polynomial>& step) {
  const auto& said = step.numbers;
  require(said.size() == 1 || said.size() == 2, "a step with another list");
  Polynomial left = said[0];
  if (said.size() == 2) {
    require(is_shown(said[1]), "a multiple that may be negative");
    left = said[1] * (said[0] + 1) - 1;
  }
  for (const auto& [j, times] : multiples_of(step)) {
    require(j < facts_.size() && is_shown(times), "a multiple that may be negative, or of no fact");
    left = left - times * facts_[j];
  }
  require(is_shown(left), "a fact that does not follow");
  add(said[0]);
}

void Sizes::change(const BasicStep<Polynomial>& step) {
  require(step.numbers.size() == 2, "a step with another list");
  const std::size_t v = variable_of(step.numbers[0]);
  const Polynomial &x = step.numbers[1], old = Polynomial::variable(v);
  require(x.degree(v) == 0, "a variable by itself");
  if (step.name == "divide") {
    require(shows(x - 1), "a divisor that may be below 1");
    const std::size_t rest = unused();
    used_[rest] = true;
    replace(v, old * x + Polynomial::variable(rest));
    return add(x - 1 - Polynomial::variable(rest));
  }
  require(shows(old - x), "a variable that may be less");
  if (step.name == "lift") return replace(v, old + x), add(old + x);
  require(shows(x - old), "a variable that may be more");
  replace(v, x), add(x);
  used_[v] = false;
}

void Sizes::divide(const Polynomial& p, const Polynomial& by, const std::optional<Polynomial>& is) {
  require(shows(by - 1) && (is || shows(p)), "a quotient that may be negative");
  const std::size_t v = is ? used_.size() : unused();
  const Polynomial q = is ? *is : Polynomial::variable(v);
  const Polynomial above = p - by * q, below = by * q + by - 1 - p;
  if (is) require(shows(above) && shows(below), "another quotient");
  else used_[v] = true, add(above), add(below);
  quotients_.push_back({p, by, q});
}

std::vector<Sizes> Sizes::after(const BasicStep<Polynomial>& step) && {
  charge(bytes() / 4);  // copies of it
  const std::string& name = step.name;
  const auto& said = step.numbers;
  for (const Polynomial& one : said) require_own(one);
  require(name == "infer" || step.notes.empty(), "a step with another list");
  std::vector<Sizes> out;
  if (name == "split") {
    require(said.size() == 1, "a step with another list");
    out.push_back(*this), out.push_back(std::move(*this));
    out[0].add(said[0]), out[1].add(Polynomial(-1) - said[0]);
  } else if (name == "residue") {
    require(said.size() == 2, "a step with another list");
    const std::size_t v = variable_of(said[0]);
    const Wide m = number_of(said[1]);
    require(m >= 1 && m <= kMostResidues, "too many branches");
    const auto copies = static_cast<long long>(bytes()) * m.narrow();
    charge(copies / 4), hold(copies), release(copies);  // whoever keeps them holds them
    for (long long i = 0; i < m.narrow(); ++i) {
      out.push_back(*this);
      out.back().replace(v, Polynomial::variable(v) * m + i);
    }
  } else {
    const bool quotient = name == "quotient" || name == "floor";
    if (name == "infer") infer(step);
    else if (quotient) {
      require(said.size() == (name == "floor" ? 3 : 2), "a step with another list");
      divide(said[0], said[1], name == "floor" ? std::optional(said[2]) : std::nullopt);
    } else if (name == "drop") {
      require(said.size() == 1, "a step with another list");
      const Wide j = number_of(said[0]);
      require(j >= 0 && j < static_cast<long long>(facts_.size()), "there is no such fact");
      facts_.erase(facts_.begin() + j.narrow());
    } else {
      require(name == "lift" || name == "pin" || name == "divide", "a step that is not known");
      change(step);
    }
    out.push_back(std::move(*this));
  }
  std::erase_if(out, [](const Sizes& sizes) { return sizes.are_none(); });
  return out;
}

std::size_t Sizes::bytes() const {
  std::size_t terms = 0;
  for (const std::vector<Polynomial>* all : {&symbols_, &facts_})
    for (const Polynomial& one : *all) terms += one.terms().size() + 1;
  for (const Quotient& one : quotients_) terms += one.p.terms().size() + one.by.terms().size() + one.is.terms().size();
  return sizeof(Sizes) + terms * sizeof(Polynomial::Term);
}

}  // namespace vl::kernel
