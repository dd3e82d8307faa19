#include "verifier/engines/forms/symbolic.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "verifier/engines/forms/rows.h"

namespace vl::engines {
namespace {

using Wide = __int128;

struct Division {
  Row quotient;
  Row rest;
};

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

std::optional<Range> Symbolic::range(const Row& row) const { return range_of(row, atoms_); }

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
    if (!add(out, node.source, *factor)) return std::nullopt;
    auto again = map::canonical(std::move(out));
    if (!again) return std::nullopt;
    out = std::move(*again);
  }
  return out;
}

std::optional<Row> Symbolic::combine(const Row& row, std::span<const Row> values) const {
  Row sum{row.constant, {}};
  for (const map::Term& term : row.terms)
    if (!add(sum, values[term.input], term.coefficient)) return std::nullopt;
  return simplify(std::move(sum));
}

bool Symbolic::run(std::span<const map::Stage> stages, std::vector<Row>& values) {
  for (const map::Stage& stage : stages) {
    std::vector<Row> next;
    if (const auto* affine = std::get_if<map::Affine>(&stage)) {
      for (const Row& row : affine->rows) {
        auto combined = combine(row, values);
        if (!combined) return false;
        next.push_back(std::move(*combined));
      }
    } else if (const auto* split_stage = std::get_if<map::Split>(&stage)) {
      const auto at = static_cast<std::ptrdiff_t>(split_stage->input);
      next.assign(values.begin(), values.begin() + at);
      if (!split(values[split_stage->input], split_stage->weights, next)) return false;
      next.insert(next.end(), values.begin() + at + 1, values.end());
    } else {
      return false;
    }
    values = std::move(next);
  }
  return true;
}

// Appends the digits of `row`. Tries, in this order: a weight at which the row falls apart into two independent rows,
// a common factor of the coefficients, and at last a node.
bool Symbolic::split(const Row& row, std::span<const Index> weights, std::vector<Row>& digits) {
  if (weights.size() == 1) {  // weight 1: the digit is the number
    digits.push_back(row);
    return true;
  }
  const auto divide = [&](Index weight) -> std::optional<Division> {
    Division parts;
    for (const map::Term& term : row.terms) {
      const bool divides = term.coefficient % weight == 0;
      (divides ? parts.quotient : parts.rest)
          .terms.push_back({term.input, divides ? term.coefficient / weight : term.coefficient});
    }
    const auto rest = range(parts.rest);
    Index low = row.constant;
    if (!rest || !accumulate(low, 1, rest->low)) return std::nullopt;
    parts.quotient.constant = floor_div(low, weight);
    Index constant = row.constant;
    Index high = 0;
    if (!accumulate(constant, -weight, parts.quotient.constant)) return std::nullopt;
    if (!accumulate(high, 1, constant) || !accumulate(high, 1, rest->high) || high >= weight) return std::nullopt;
    parts.rest.constant = constant;
    return parts;
  };
  for (std::size_t k = 0; k + 1 < weights.size(); ++k) {
    const Index weight = weights[k];
    if (!std::ranges::all_of(weights.first(k), [&](Index w) { return w % weight == 0; })) continue;
    const auto parts = divide(weight);
    if (!parts) continue;
    std::vector<Index> upper;
    for (const Index w : weights.first(k + 1)) upper.push_back(w / weight);
    return split(parts->quotient, upper, digits) && split(parts->rest, weights.subspan(k + 1), digits);
  }
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
  if (!split(quotient, upper, digits)) return false;
  Row rest{offset, {}};
  if (!add(rest, digits.back(), common)) return false;
  digits.pop_back();
  return split(rest, weights.subspan(scaled), digits);
}

bool Symbolic::opaque(const Row& row, std::span<const Index> weights, std::vector<Row>& digits) {
  for (const Node& known : nodes_) {  // the same digits again: two maps over the same inputs often share them
    if (known.source != row || !std::ranges::equal(known.weights, weights)) continue;
    for (const std::size_t digit : known.digits) digits.push_back(map::pick(digit));
    return true;
  }
  auto rest = range(row);
  if (!rest) return false;
  Node node{row, {weights.begin(), weights.end()}, {}};
  for (const Index weight : weights) {
    const Range digit{floor_div(rest->low, weight), floor_div(rest->high, weight)};
    rest = digit.low == digit.high ? Range{floor_mod(rest->low, weight), floor_mod(rest->high, weight)}
                                   : Range{0, weight - 1};
    node.digits.push_back(atoms_.size());
    digits.push_back(map::pick(atoms_.size()));
    atoms_.push_back(digit);
  }
  nodes_.push_back(std::move(node));
  return true;
}

}  // namespace vl::engines
