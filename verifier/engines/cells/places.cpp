// The steps of a place, and what follows from each at once (size_search.h).
#include <algorithm>
#include <utility>

#include "verifier/engines/cells/size_search.h"

namespace vl::engines::cells {
namespace {

constexpr std::size_t kMostOrdered = 9;  // facts, beside which the order of quotients is one
constexpr int kMostRaised = 64;          // lower ends of variables, by facts

Polynomial variable(std::size_t v) { return Polynomial::variable(v); }

// p = v·u + w, w without v: u, without its terms below 0.
Polynomial share_of(const Polynomial& p, std::size_t v) {
  std::vector<Polynomial::Term> out;
  for (Polynomial::Term term : p.terms())
    if (term.powers[v] > 0 && term.coefficient > 0) --term.powers[v], out.push_back(term);
  return Polynomial::of(std::move(out));
}

}  // namespace

const SizeSearch& Place::search() const {
  if (!search_) search_.emplace(sizes_, sizes_.facts());
  return *search_;
}

void Place::take(NamedStep step) {
  search_.reset();
  auto places = std::move(sizes_).after(step);
  steps_.push_back(std::move(step));
  closed_ = places.empty();
  sizes_ = closed_ ? kernel::Sizes::of({}) : std::move(places[0]);
}

void Place::infer(const Polynomial& p, NamedMultiples by, std::optional<Polynomial> times) {
  NamedStep step{"infer", {p}, {}};
  if (times) step.numbers.push_back(std::move(*times));
  if (!by.empty()) step.notes.push_back({0, 0, false, {}, std::move(by), {}, {}, {}});
  take(std::move(step));
}

void Place::drop(const Polynomial& fact) {
  const auto found = std::ranges::find(sizes_.facts(), fact);
  if (found != sizes_.facts().end())
    take({"drop", {number(static_cast<std::size_t>(found - sizes_.facts().begin()))}, {}});
}

bool Place::tell(const Polynomial& not_negative) {
  if (closed_ || sizes_.shows(not_negative)) return true;
  auto by = search().multiples(not_negative);
  if (!by) return false;
  infer(not_negative, std::move(*by));
  return true;
}

bool Place::show(const Polynomial& not_negative) {
  const bool shown = tell(not_negative);
  kernel::require(!closed_, "no sizes");
  return shown;
}

// p = factor·(fact + 1) - 1 or factor·fact, of a fact that is known.
bool Place::show_product(const Polynomial& p, const Polynomial& factor, const Polynomial& fact) {
  if (sizes_.shows(p)) return true;
  const auto at = std::ranges::find(sizes_.facts(), fact.primitive());
  if (at == sizes_.facts().end() || !kernel::is_shown(factor)) return false;
  const Polynomial times = *fact.over(*at) * factor;
  auto by = search().multiples(p - times * *at);
  if (!by) return false;
  by->emplace_back(static_cast<std::size_t>(at - sizes_.facts().begin()), times);
  infer(p, std::move(*by));
  return true;
}

bool Place::decide(const Polynomial& p) {
  if (show(p)) return true;
  if (show(Polynomial(-1) - p)) return false;
  if (std::ranges::any_of(p.terms(), Polynomial::is_product))
    for (const Polynomial& size : std::vector<Polynomial>(sizes_.symbols())) {
      const auto less = size.number() || !search().shows(size - 1) ? std::nullopt : p.over(size);
      if (!less) continue;
      const bool is = decide(*less);
      const Polynomial side = is ? *less : Polynomial(-1) - *less;
      if (show_product(is ? p : Polynomial(-1) - p, size, side)) return is;
    }
  throw Open{{"split", {p}, {}}};
}

Polynomial Place::quotient(const Polynomial& p, const Polynomial& by) {
  kernel::require(show(by - 1), "a divisor that may be below 1");
  if (auto known = sizes_.quotient(p, by)) return *known;
  const auto divisor = by.number();
  const auto [whole, rest] = divisor ? p.split(*divisor) : std::pair(Polynomial(), p);
  const Polynomial is = search().quotient(p, by) - whole;
  kernel::require(show(rest - by * is) && show(by * is + by - 1 - rest), "a quotient that is not shown");
  if (!sizes_.quotient(p, by)) take({"floor", {rest, by, is}, {}});
  return *sizes_.quotient(p, by);
}

kernel::Wide Place::rest(const Polynomial& p, const kernel::Wide& m) const { return search().rest(p, m); }

std::optional<std::size_t> Place::bound_of(std::size_t v) const {
  std::optional<std::size_t> out;
  const auto end_of = [&](std::size_t j) { return (sizes_.facts()[j] + variable(v)).number(); };
  for (std::size_t j = 0; j < sizes_.facts().size(); ++j)
    if (sizes_.facts()[j].linear(v) == -1 && end_of(j) && (!out || *end_of(j) < *end_of(*out))) out = j;
  return out;
}

void Place::part(const NamedStep& step, const std::function<void(Place&)>& visit) {
  std::vector<kernel::Sizes> places = kernel::Sizes(sizes_).after(step);
  steps_.push_back(step);
  const bool splits = step.name == "split";
  std::size_t branch = splits && kernel::is_shown(Polynomial(-1) - step.numbers[0]) ? 1 : 0;
  for (kernel::Sizes& sizes : places) {
    Place next(std::move(sizes), steps_);
    if (step.name == "divide" && !step.numbers[1].number()) {
      next.split_rest(sizes_.unused(), step.numbers[1] - 1, visit);
      continue;
    }
    if (splits) next.settle(branch++ == 0 ? step.numbers[0] : Polynomial(-1) - step.numbers[0]);
    else if (step.name == "quotient") next.order(step.numbers[0], step.numbers[1], next.sizes_.quotients().back().is);
    else next.tighten();
    if (!next.closed_) visit(next);
  }
}

// r <= room. As long as the room has two variables, r is below the first of them, or is as much and more.
void Place::split_rest(std::size_t rest, const Polynomial& room, const std::function<void(Place&)>& visit) {
  const SizeSearch& known = search();
  for (std::size_t a = 0; a < Polynomial::kVariables; ++a) {
    const Polynomial others = room - variable(a);
    if (others.degree(a) > 0 || others == Polynomial(0) || !known.shows(others)) continue;
    const Polynomial less = variable(a) - variable(rest) - 1;
    bool first = !kernel::is_shown(Polynomial(-1) - less);
    std::vector<kernel::Sizes> places = kernel::Sizes(sizes_).after({"split", {less}, {}});
    steps_.push_back({"split", {less}, {}});
    for (kernel::Sizes& sizes : places) {
      Place next(std::move(sizes), steps_);
      const bool below = std::exchange(first, false);
      if (below) {
        next.settle(less);
        if (!next.closed_) visit(next);
        continue;
      }
      next.take({"lift", {number(rest), variable(a)}, {}});
      if (!next.closed_) next.split_rest(rest, others, visit);
    }
    return;
  }
  settle(room - variable(rest));
  if (!closed_) visit(*this);
}

// Of a fact that was just added. v + rest >= 0 with -rest >= 0 counts v from there on; where it is 0, a variable that
// it has once is the rest.
void Place::settle(const Polynomial& fact) {
  const Polynomial p = fact.primitive();
  for (std::size_t v = 0; v < Polynomial::kVariables && !closed_; ++v) {
    const Polynomial from = variable(v) - p;
    if (!sizes_.has(v) || from.degree(v) > 0 || !search().shows(from)) continue;
    take({"lift", {number(v), from}, {}});
    return closed_ ? void() : tighten();
  }
  if (!closed_ && !(p == Polynomial(0)) && tell(p * -1))
    for (std::size_t v = 0; v < Polynomial::kVariables && !closed_; ++v) {
      const kernel::Wide sign = p.linear(v);
      const Polynomial value = variable(v) - p * sign;
      if (!sizes_.has(v) || (sign != 1 && sign != -1) || value.degree(v) > 0) continue;
      take({"pin", {number(v), value}, {}});
      break;
    }
  if (!closed_) tighten();
}

// g·u + b >= 0, where b is a constant and bounded variables, says u + floor(most b / g) >= 0 of integers. That says as
// much where b is never below g·floor(most b / g).
bool Place::round(const Polynomial& fact) {
  const auto most_of = [&](const Polynomial::Term& term) -> std::optional<kernel::Wide> {
    std::optional<kernel::Wide> out = 1;
    for (std::size_t v = 0; v < Polynomial::kVariables; ++v)
      if (term.powers[v] > 0) {
        const auto j = Polynomial::is_product(term) ? std::nullopt : bound_of(v);
        out = j ? std::optional((sizes_.facts()[*j] + variable(v)).constant()) : std::nullopt;
      }
    return out;
  };
  kernel::Wide common = 0, least = 0, most = 0;
  for (const Polynomial::Term& term : fact.terms())
    if (!most_of(term)) common = gcd(common, term.coefficient);
  if (common <= 1) return false;
  NamedMultiples by{{static_cast<std::size_t>(std::ranges::find(sizes_.facts(), fact) - sizes_.facts().begin()), 1}};
  Polynomial whole;  // u: the terms that are multiples
  for (const Polynomial::Term& term : fact.terms()) {
    if (term.coefficient % common == 0) {
      whole = whole + Polynomial::of({{term.powers, term.coefficient / common}});
      continue;
    }
    const kernel::Wide reach = term.coefficient * *most_of(term);
    const bool plain = term.powers == Polynomial::Powers{};
    if (plain || reach < 0) least += reach;
    if (plain || reach > 0) most += reach;
    if (!plain && reach > 0) {
      const auto v = std::ranges::find(term.powers, 1) - term.powers.begin();
      by.emplace_back(*bound_of(static_cast<std::size_t>(v)), term.coefficient);
    }
  }
  const kernel::Wide floor = most / common;
  if (least < floor * common) return false;
  infer(whole + floor, std::move(by), common);
  if (!closed_) drop(fact);
  return true;
}

// constant - what is at least 0: bounds of variables.
bool Place::bound(const Polynomial& fact) {
  const kernel::Wide constant = fact.constant();
  if (!(fact - constant).not_positive()) return false;
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    const kernel::Wide each = fact.linear(v) * -1;
    if (each <= 0) continue;
    const Polynomial end = Polynomial(constant / each) - variable(v);
    const auto known = bound_of(v);
    if (known && (sizes_.facts()[*known] + variable(v)).constant() <= constant / each) continue;
    const auto old = known ? std::optional(sizes_.facts()[*known]) : std::nullopt;
    const auto at = static_cast<std::size_t>(std::ranges::find(sizes_.facts(), fact) - sizes_.facts().begin());
    infer(end, {{at, 1}}, each);
    if (!closed_ && old) drop(*old);
    return true;
  }
  return false;
}

// A fact that a bound alone says.
bool Place::forget(const Polynomial& fact) {
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    const auto j = fact.degree(v) == 1 ? bound_of(v) : std::nullopt;
    if (!j || sizes_.facts()[*j] == fact) continue;
    const kernel::Wide most = (sizes_.facts()[*j] + variable(v)).constant();
    if (!fact.with(v, 0).not_negative() || !fact.with(v, most).not_negative()) continue;
    drop(fact);
    return true;
  }
  return false;
}

bool Place::is_zero() {
  for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
    if (std::ranges::find(sizes_.facts(), variable(v) * -1) == sizes_.facts().end()) continue;
    take({"pin", {number(v), Polynomial(0)}, {}});
    return true;
  }
  return false;
}

// A variable without which a fact is below 0 is at least 1: fact = v·u + w, w <= -1.
bool Place::raise() {
  for (std::size_t j = 0; j < sizes_.facts().size(); ++j)
    for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
      const Polynomial& fact = sizes_.facts()[j];
      if (!sizes_.has(v) || fact.degree(v) == 0 || !(fact.with(v, 0) + 1).not_positive()) continue;
      infer(variable(v) - 1, {{j, 1}}, share_of(fact, v));
      if (!closed_) take({"lift", {number(v), Polynomial(1)}, {}});
      return true;
    }
  return false;
}

void Place::tighten() {
  int raised = 0;
  for (bool again = true; std::exchange(again, false) && !closed_;) {
    for (const Polynomial& fact : std::vector<Polynomial>(sizes_.facts()))
      if (!closed_ && std::ranges::find(sizes_.facts(), fact) != sizes_.facts().end())
        again = round(fact) || (!closed_ && bound(fact)) || (!closed_ && forget(fact)) || again;
    while (!closed_ && is_zero()) again = true;
    if (!closed_ && !again && raised < kMostRaised && raise()) ++raised, again = true;
  }
}

// A quotient q = floor(p / d): it is at least 1 where p >= d, and not above others of a greater number, nor below those
// of a smaller one. d·(q' - q + 1) - 1 is the sum of what each is, and of p' - p.
void Place::order(const Polynomial& p, const Polynomial& by,
                  const Polynomial is) {  // NOLINT: a copy, since steps move what it is from
  const auto index_of = [&](const Polynomial& fact) {
    return static_cast<std::size_t>(std::ranges::find(sizes_.facts(), fact.primitive()) - sizes_.facts().begin());
  };
  const auto follows = [&](const Polynomial& fact, const Polynomial& above, const Polynomial& below,
                           const Polynomial& apart) {
    const auto by_facts = search().multiples(apart);
    if (!by_facts || !kernel::is_shown(by)) return;
    NamedMultiples all;
    for (const Polynomial& one : {above, below}) {
      const std::size_t j = index_of(one);
      if (j == sizes_.facts().size()) {
        if (!kernel::is_shown(one)) return;
        continue;
      }
      all.emplace_back(j, *one.over(sizes_.facts()[j]));
    }
    all.insert(all.end(), by_facts->begin(), by_facts->end());
    infer(fact, std::move(all), by);
  };
  const Polynomial above = p - by * is, below = by * is + by - 1 - p;
  const auto others = sizes_.quotients();
  for (std::size_t k = 0; k + 1 < others.size(); ++k) {
    const auto& other = others[k];
    if (!(other.by == by)) continue;
    for (const bool less : {true, false}) {
      const Polynomial fact = less ? other.is - is : is - other.is;
      if (closed_ || sizes_.facts().size() >= kMostOrdered || search().shows(fact)) continue;
      if (less) follows(fact, above, by * other.is + by - 1 - other.p, other.p - p);
      else follows(fact, other.p - by * other.is, below, p - other.p);
    }
  }
  if (!closed_ && search().shows(p - by)) {
    follows(is - 1, Polynomial(0), below, p - by);
    const auto v = static_cast<std::size_t>(std::ranges::find(is.terms()[0].powers, 1) - is.terms()[0].powers.begin());
    if (!closed_ && sizes_.shows(is - 1)) take({"lift", {number(v), Polynomial(1)}, {}});
  }
  if (!closed_) tighten();
}

}  // namespace vl::engines::cells
