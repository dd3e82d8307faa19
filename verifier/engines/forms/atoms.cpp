#include "verifier/engines/forms/atoms.h"

#include <algorithm>

#include "verifier/engines/forms/rows.h"

namespace vl::engines {
bool is_idle(const map::Swizzle& swizzle, Index high) {
  const bool down = swizzle.direction == map::Swizzle::Direction::Down;
  return swizzle.bits == 0 || (high >> (down ? swizzle.base + swizzle.shift : swizzle.base)) == 0;
}

Atoms::Atoms(const map::Layout& layout, bool keep_idle) : keep_idle_(keep_idle) {
  const std::vector<Index> weights = map::row_major_weights(layout.logical());
  for (std::size_t i = 0; i < weights.size(); ++i)
    values_.push_back(atom({Atom::Kind::Digit, weights[i], weights[i] * layout.logical().extent(i), 0}));
  for (std::size_t r = 0; r < layout.replicas().rank(); ++r)
    values_.push_back(atom({Atom::Kind::Replica, 0, layout.replicas().extent(r), r}));
}

Row Atoms::atom(const Atom& atom) {
  if (atom.kind != Atom::Kind::Swizzled && atom.most() == 0) return {};
  auto found = std::ranges::find(atoms_, atom);
  if (found == atoms_.end()) found = atoms_.insert(found, atom);
  return map::pick(static_cast<std::size_t>(found - atoms_.begin()));
}

std::optional<Range> Atoms::range(const Row& row) const {
  Range out{row.constant, row.constant};
  for (const map::Term& term : row.terms) {
    const Atom& atom = atoms_[term.input];
    if (atom.kind == Atom::Kind::Swizzled) return std::nullopt;
    if (!accumulate(term.coefficient < 0 ? out.low : out.high, term.coefficient, atom.most())) return std::nullopt;
  }
  return out;
}

// The same row with c·(a, b) + c·(b/a)·(b, d) joined to c·(a, d) as often as possible.
std::optional<Row> Atoms::merged(Row row) {
  for (;;) {
    auto sorted = map::canonical(std::move(row));
    if (!sorted) return std::nullopt;
    row = std::move(*sorted);
    std::optional<Row> longer;
    for (std::size_t i = 0; i < row.terms.size() && !longer; ++i)
      for (std::size_t j = 0; j < row.terms.size() && !longer; ++j) {
        const Atom inner = atoms_[row.terms[i].input];
        const Atom outer = atoms_[row.terms[j].input];
        if (inner.kind != Atom::Kind::Digit || outer.kind != Atom::Kind::Digit || inner.high != outer.low) continue;
        const Index coefficient = row.terms[i].coefficient;
        if (checked_mul(coefficient, inner.high / inner.low) != row.terms[j].coefficient) continue;
        longer = row;
        longer->terms.erase(longer->terms.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
        longer->terms.erase(longer->terms.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
        if (!add(*longer, atom({Atom::Kind::Digit, inner.low, outer.high, 0}), coefficient)) return std::nullopt;
      }
    if (!longer) return row;
    row = std::move(*longer);
  }
}

// row = weight·quotient + rest with 0 <= rest < weight, both linear in atoms.
bool Atoms::divide(const Row& row, Index weight, Row& quotient, Row& rest) {
  for (const map::Term& term : row.terms) {
    const Atom cut = atoms_[term.input];
    if (cut.kind == Atom::Kind::Swizzled) return false;
    if (term.coefficient % weight == 0) {
      quotient.terms.push_back({term.input, term.coefficient / weight});
      continue;
    }
    const Index steps = term.coefficient > 0 && weight % term.coefficient == 0 ? weight / term.coefficient : 0;
    const bool cuts =
        cut.kind == Atom::Kind::Digit && steps > 0 && steps <= cut.most() && (cut.high / cut.low) % steps == 0;
    if (!cuts) {
      rest.terms.push_back(term);
      continue;
    }
    const Index boundary = cut.low * steps;
    if (!add(quotient, atom({Atom::Kind::Digit, boundary, cut.high, 0}), 1)) return false;
    if (!add(rest, atom({Atom::Kind::Digit, cut.low, boundary, 0}), term.coefficient)) return false;
  }
  const auto terms = range(rest);
  Index low = row.constant;
  if (!terms || !accumulate(low, 1, terms->low)) return false;
  quotient.constant = floor_div(low, weight);
  rest.constant = row.constant;
  Index high = terms->high;
  return accumulate(rest.constant, -weight, quotient.constant) && accumulate(high, 1, rest.constant) && high < weight;
}

bool Atoms::split(const Row& row, std::span<const Index> weights, std::vector<Row>& digits) {
  const auto whole = merged(row);
  if (!whole) return false;
  if (weights.size() == 1) {  // weight 1: the digit is the number
    digits.push_back(*whole);
    return true;
  }
  for (std::size_t k = 0; k + 1 < weights.size(); ++k) {
    const Index weight = weights[k];
    if (!std::ranges::all_of(weights.first(k), [&](Index w) { return w % weight == 0; })) continue;
    Row quotient;
    Row rest;
    if (!divide(*whole, weight, quotient, rest)) continue;
    std::vector<Index> upper;
    for (const Index w : weights.first(k + 1)) upper.push_back(w / weight);
    return split(quotient, upper, digits) && split(rest, weights.subspan(k + 1), digits);
  }
  return false;
}

bool Atoms::pass(const map::Swizzle& swizzle) {
  auto whole = merged(values_[swizzle.input]);
  if (!whole) return false;
  Row& value = values_[swizzle.input];
  const bool is_swizzled = value.terms.size() == 1 && atoms_[value.terms[0].input].kind == Atom::Kind::Swizzled;
  if (is_swizzled && value.terms[0].coefficient == 1 && value.constant == 0) {  // the same again undoes it
    map::Swizzle again = swizzle;
    again.input = swizzle_->input;
    if (again != *swizzle_ || swizzle.shift < swizzle.bits) return false;
    value = address_;
    swizzle_.reset();
    return std::ranges::none_of(values_, [&](const Row& row) {
      return std::ranges::any_of(row.terms,
                                 [&](const map::Term& t) { return atoms_[t.input].kind == Atom::Kind::Swizzled; });
    });
  }
  const auto reach = range(*whole);
  if (!reach) return false;
  if (swizzle.bits == 0 || (!keep_idle_ && is_idle(swizzle, reach->high))) return true;
  if (swizzle_) return false;
  swizzle_ = swizzle;
  address_ = std::move(*whole);
  value = atom({Atom::Kind::Swizzled, 0, 0, 0});
  return true;
}

bool Atoms::run(std::span<const map::Stage> stages) {
  for (const map::Stage& stage : stages) {
    if (const auto* swizzle = std::get_if<map::Swizzle>(&stage)) {
      if (!pass(*swizzle)) return false;
      continue;
    }
    std::vector<Row> next;
    if (const auto* affine = std::get_if<map::Affine>(&stage)) {
      for (const Row& row : affine->rows) {
        Row sum{row.constant, {}};
        for (const map::Term& term : row.terms)
          if (!add(sum, values_[term.input], term.coefficient)) return false;
        auto sorted = map::canonical(std::move(sum));
        if (!sorted) return false;
        next.push_back(std::move(*sorted));
      }
    } else {
      const auto& taken = std::get<map::Split>(stage);
      const auto at = static_cast<std::ptrdiff_t>(taken.input);
      next.assign(values_.begin(), values_.begin() + at);
      const Row source = values_[taken.input];
      if (!split(source, taken.weights, next)) return false;
      next.insert(next.end(), values_.begin() + at + 1, values_.end());
    }
    values_ = std::move(next);
  }
  for (Row& value : values_) {
    auto whole = merged(std::move(value));
    if (!whole) return false;
    value = std::move(*whole);
  }
  return true;
}

}  // namespace vl::engines
