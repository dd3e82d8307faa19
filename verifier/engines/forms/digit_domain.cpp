#include "verifier/engines/forms/digit_domain.h"

#include <algorithm>

#include "verifier/engines/forms/atoms.h"

namespace vl::engines {
namespace {

bool add_term(Row& sum, std::size_t input, Index coefficient) {
  const auto found = std::ranges::find(sum.terms, input, &map::Term::input);
  if (found != sum.terms.end()) return accumulate(found->coefficient, coefficient, 1);
  sum.terms.push_back({input, coefficient});
  return true;
}

// The boundaries of all digits in these rows, with 1 and `count`; nothing when one does not divide the next.
std::optional<std::vector<Index>> boundaries_of(const std::vector<Row>& rows, const std::vector<Atom>& atoms,
                                                Index count) {
  std::vector<Index> all{1, count};
  for (const Row& row : rows)
    for (const map::Term& term : row.terms)
      if (const Atom& atom = atoms[term.input]; atom.kind == Atom::Kind::Digit)
        all.insert(all.end(), {atom.low, atom.high});
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (std::size_t k = 0; k + 1 < all.size(); ++k)
    if (all[k + 1] % all[k] != 0) return std::nullopt;
  return all;
}

// A row over atoms as a row over the inputs: digit number d lies between boundaries n-1-d and n-d, replicas follow.
std::optional<Row> over_inputs(const Row& row, const std::vector<Atom>& atoms, const std::vector<Index>& boundaries) {
  Row out{row.constant, {}};
  const std::size_t digits = boundaries.size() - 1;
  for (const map::Term& term : row.terms) {
    const Atom& atom = atoms[term.input];
    if (atom.kind == Atom::Kind::Replica && !add_term(out, digits + atom.replica, term.coefficient))
      return std::nullopt;
    if (atom.kind != Atom::Kind::Digit) continue;
    for (std::size_t k = 0; k < digits; ++k) {
      if (boundaries[k] < atom.low || boundaries[k] >= atom.high) continue;
      const auto coefficient = checked_mul(term.coefficient, boundaries[k] / atom.low);
      if (!coefficient || !add_term(out, digits - 1 - k, *coefficient)) return std::nullopt;
    }
  }
  auto sorted = map::canonical(std::move(out));
  if (!sorted) return std::nullopt;
  return std::move(*sorted);
}

// The output 2^k·σ(address) + rest as one swizzled row and what is added behind it. A multiple of the swizzle's period
// 2^(base+bits+shift) passes through it unchanged, and bits below its base are not looked at; so
//   2^k·σ(a) + 2^k·period·q + r = σ'(2^k·a + 2^k·period·q + r)  for 0 <= r < 2^k, σ' the swizzle k bits higher.
struct Last {
  map::Swizzle swizzle;
  Row row;
  Row after;
};
std::optional<Last> last_of(const map::Swizzle& swizzle, const Row& address, Index factor, const Row& rest,
                            const Box& box) {
  if (factor < 1 || (factor & (factor - 1)) != 0) return std::nullopt;
  Last last{swizzle, {}, {}};
  for (Index f = factor; f > 1; f /= 2) ++last.swizzle.base;
  const int bits = last.swizzle.base + swizzle.bits + swizzle.shift;
  if (bits > 62) return std::nullopt;
  const Index period = Index{1} << bits;
  Row inside;
  Row outside;
  for (const map::Term& term : rest.terms) (term.coefficient % period == 0 ? inside : outside).terms.push_back(term);
  (rest.constant % period == 0 ? inside : outside).constant = rest.constant;
  const auto combine = [&](const Row& added) -> std::optional<Row> {
    Row sum = added;
    if (!accumulate(sum.constant, factor, address.constant)) return std::nullopt;
    for (const map::Term& term : address.terms) {
      const auto coefficient = checked_mul(factor, term.coefficient);
      if (!coefficient || !add_term(sum, term.input, *coefficient)) return std::nullopt;
    }
    auto sorted = map::canonical(std::move(sum));
    const auto range = sorted ? range_of(*sorted, box) : std::nullopt;
    if (!range || range->low < 0) return std::nullopt;
    return std::move(*sorted);
  };
  const auto low_part = range_of(outside, box);
  if (!low_part) return std::nullopt;
  if (low_part->low >= 0 && low_part->high < factor) {
    if (auto row = combine(rest)) return Last{last.swizzle, std::move(*row), {}};
  }
  if (auto row = combine(inside)) return Last{last.swizzle, std::move(*row), std::move(outside)};
  auto row = combine({});
  if (!row || !range_of(rest, box)) return std::nullopt;
  return Last{last.swizzle, std::move(*row), rest};
}

}  // namespace

std::optional<DigitDomain> DigitDomain::of(const map::Layout& layout, bool keep_idle_swizzle) {
  if (layout.domain().volume() == 0) return std::nullopt;
  Atoms atoms(layout, keep_idle_swizzle);
  if (!atoms.run(layout.map().stages())) return std::nullopt;

  std::vector<Row> rows = atoms.values();
  const auto is_swizzled = [&](const map::Term& term) {
    return atoms.atoms()[term.input].kind == Atom::Kind::Swizzled;
  };
  std::optional<std::size_t> swizzled;  // the output that the swizzle ends in, and its factor
  Index factor = 0;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const auto found = std::ranges::find_if(rows[j].terms, is_swizzled);
    if (found == rows[j].terms.end()) continue;
    if (swizzled) return std::nullopt;
    swizzled = j;
    factor = found->coefficient;
    rows[j].terms.erase(found);
  }
  if (swizzled) rows.push_back(atoms.address());

  const auto boundaries = boundaries_of(rows, atoms.atoms(), layout.logical().volume());
  if (!boundaries) return std::nullopt;
  DigitDomain out;
  out.logical_ = layout.logical();
  for (std::size_t k = boundaries->size() - 1; k-- > 0;) out.digits_.push_back((*boundaries)[k + 1] / (*boundaries)[k]);
  out.replicas_ = map::extents_of(layout.replicas());
  for (const auto* extents : {&out.digits_, &out.replicas_})
    for (const Index extent : *extents) out.box_.push_back({0, extent - 1});
  for (const Row& row : rows) {
    auto over = over_inputs(row, atoms.atoms(), *boundaries);
    if (!over || !range_of(*over, out.box_)) return std::nullopt;
    out.rows_.push_back(std::move(*over));
  }
  if (!swizzled) return out;
  const Row address = std::move(out.rows_.back());
  out.rows_.pop_back();
  auto last = last_of(*atoms.swizzle(), address, factor, out.rows_[*swizzled], out.box_);
  if (!last) return std::nullopt;
  out.rows_[*swizzled] = std::move(last->row);
  out.after_ = std::move(last->after);
  out.swizzle_ = last->swizzle;
  out.swizzle_->input = *swizzled;
  return out;
}

Point DigitDomain::point(const Point& inputs) const {
  Index number = 0;
  for (std::size_t d = 0; d < digits_.size(); ++d) number = number * digits_[d] + inputs[d];
  Point point = logical_.point(number);
  point.insert(point.end(), inputs.begin() + static_cast<std::ptrdiff_t>(digits_.size()), inputs.end());
  return point;
}

Point DigitDomain::outputs(const Point& inputs) const {
  Point out;
  for (const Row& row : rows_) out.push_back(*map::value(row, inputs));
  if (swizzle_) {
    Index& address = out[swizzle_->input];
    address = map::apply(*swizzle_, address) + *map::value(after_, inputs);
  }
  return out;
}

}  // namespace vl::engines
