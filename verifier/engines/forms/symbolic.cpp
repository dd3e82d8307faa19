#include "verifier/engines/forms/symbolic.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "encodings/map/run.h"

namespace vl::engines {
namespace {

using Wide = __int128;

}  // namespace

Symbolic::Symbolic(const map::Space& domain) : input_count_(domain.rank()) {
  for (const map::Dim& dim : domain.dims()) atoms_.push_back({0, std::max<Index>(dim.extent, 1) - 1});
}

Symbolic::Symbolic(std::vector<Range> inputs) : input_count_(inputs.size()), atoms_(std::move(inputs)) {}

std::vector<Row> Symbolic::inputs() const {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < input_count_; ++i)
    rows.push_back(atoms_[i].low == atoms_[i].high ? Row{atoms_[i].low, {}} : map::pick(i));
  return rows;
}

std::optional<Range> Symbolic::range(const Row& row) const { return map::range_of(row, atoms_); }

void Symbolic::assume(const Row& row, Range range) {
  const auto sum = map::canonical(row);
  if (!sum) return;
  const auto extreme = [&](const map::Term& term, bool most) {
    const Range& atom = atoms_[term.input];
    return Wide{term.coefficient} * ((term.coefficient < 0) == most ? atom.low : atom.high);
  };
  for (const map::Term& term : sum->terms) {
    Wide low = Wide{range.low} - sum->constant;  // of coefficient · atom: the range less what the others can be
    Wide high = Wide{range.high} - sum->constant;
    for (const map::Term& other : sum->terms) {
      if (other.input == term.input) continue;
      low -= extreme(other, true);
      high -= extreme(other, false);
    }
    if (term.coefficient < 0) std::swap(low, high);
    const Wide c = term.coefficient;
    const auto floor = [c](Wide value) { return value / c - (value % c != 0 && (value < 0) != (c < 0) ? 1 : 0); };
    Range& atom = atoms_[term.input];
    low = std::max<Wide>(atom.low, -floor(-low));
    high = std::min<Wide>(atom.high, floor(high));
    if (low <= high) atom = {static_cast<Index>(low), static_cast<Index>(high)};  // else no point has the row there
  }
}

std::optional<Row> Symbolic::simplify(Row row) const {
  auto sorted = map::canonical(std::move(row));
  if (!sorted) return std::nullopt;
  Row out = std::move(*sorted);
  const auto fixed = [&](std::size_t atom) { return atoms_[atom].low == atoms_[atom].high; };
  for (const map::Term& term : out.terms)
    if (fixed(term.input) && !accumulate(out.constant, term.coefficient, atoms_[term.input].low)) return std::nullopt;
  std::erase_if(out.terms, [&](const map::Term& term) { return fixed(term.input); });

  // From the youngest node to the oldest: a node's source may consist of older digits.
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    const Node& node = nodes_[n];
    std::optional<Index> factor;
    bool adds_up = true;
    for (std::size_t k = 0; k < node.digits.size(); ++k) {
      const auto found = std::ranges::find(out.terms, node.digits[k], &map::Term::input);
      const Index coefficient = found == out.terms.end() ? 0 : found->coefficient;
      if (fixed(node.digits[k])) {
        adds_up = adds_up && atoms_[node.digits[k]].low == 0;
        continue;
      }
      if (!factor) factor = coefficient / node.weights[k];
      adds_up = adds_up && checked_mul(*factor, node.weights[k]) == coefficient;
    }
    if (!adds_up || factor.value_or(0) == 0) continue;
    std::erase_if(out.terms, [&](const map::Term& term) {
      return std::ranges::find(node.digits, term.input) != node.digits.end();
    });
    if (!map::add(out, node.source, *factor)) return std::nullopt;
    auto again = map::canonical(std::move(out));
    if (!again) return std::nullopt;
    out = std::move(*again);
  }
  return out;
}

std::optional<Row> Symbolic::combine(const Row& row, std::span<const Row> values) const {
  Row sum{row.constant, {}};
  for (const map::Term& term : row.terms)
    if (!map::add(sum, values[term.input], term.coefficient)) return std::nullopt;
  return simplify(std::move(sum));
}

bool Symbolic::run(std::span<const map::Stage> stages, std::vector<Row>& values) {
  return map::run(*this, stages, values);
}

bool Symbolic::row(const Row& row, std::span<const Row> in, Row& out) const {
  auto sum = combine(row, in);
  if (sum) out = std::move(*sum);
  return sum.has_value();
}

bool Symbolic::split(const map::Split& split, const Row& x, std::span<Row> digits) {
  return map::split_form(*this, x, split.weights, digits);
}

std::optional<map::Division> Symbolic::divide(const Row& row, Index weight) const {
  map::Division parts;
  for (const map::Term& term : row.terms)
    if (term.coefficient % weight == 0) parts.quotient.terms.push_back({term.input, term.coefficient / weight});
    else parts.rest.terms.push_back(term);
  return map::settled(std::move(parts), row.constant, weight, atoms_);
}

// No weight divides the row: a common factor of the coefficients comes out of it, or its digits are new atoms.
bool Symbolic::otherwise(const Row& row, std::span<const Index> weights, std::span<Row> digits) {
  Index common = 0;
  for (const map::Term& term : row.terms) common = std::gcd(common, term.coefficient);
  const std::size_t scaled = static_cast<std::size_t>(
      std::ranges::find_if(weights, [&](Index w) { return w % std::max<Index>(common, 1) != 0; }) - weights.begin());
  if (common <= 1 || scaled == 0) return opaque(row, weights, digits);
  const Index offset = floor_mod(row.constant, common);
  Row quotient{(row.constant - offset) / common, {}};
  for (const map::Term& term : row.terms) quotient.terms.push_back({term.input, term.coefficient / common});
  std::vector<Index> upper;
  for (const Index w : weights.first(scaled)) upper.push_back(w / common);
  upper.push_back(1);
  if (!map::split_form(*this, std::move(quotient), upper, digits.first(scaled + 1))) return false;
  Row rest{offset, {}};  // what is left below the last of them
  return map::add(rest, digits[scaled], common) &&
         map::split_form(*this, std::move(rest), weights.subspan(scaled), digits.subspan(scaled));
}

bool Symbolic::opaque(const Row& row, std::span<const Index> weights, std::span<Row> digits) {
  const auto known = std::ranges::find_if(nodes_, [&](const Node& node) {  // two maps over the same inputs share digits
    return node.source == row && std::ranges::equal(node.weights, weights);
  });
  if (known != nodes_.end()) {
    std::ranges::transform(known->digits, digits.begin(), map::pick);
    return true;
  }
  const auto range = map::range_of(row, atoms_);
  if (!range) return false;
  Node node{row, {weights.begin(), weights.end()}, {}};
  for (std::size_t k = 0; k < weights.size(); ++k) {
    node.digits.push_back(atoms_.size() + k);
    digits[k] = map::pick(atoms_.size() + k);
  }
  atoms_.resize(atoms_.size() + weights.size());
  map::digit_ranges(*range, weights, std::span(atoms_).last(weights.size()));
  nodes_.push_back(std::move(node));
  return true;
}

}  // namespace vl::engines
