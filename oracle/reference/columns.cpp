#include "oracle/reference/columns.h"

#include <algorithm>

#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

/// reach = the larger one of it and |constant| + Σ |coefficient|·|value|: every partial sum, in any order, is below.
/// False beyond 64 bits.
bool widen(Index& reach, const map::Row& row, const std::vector<map::Range>& in) {
  constexpr Index kLeast = std::numeric_limits<Index>::min();
  if (row.constant == kLeast) return false;
  Index sum = std::abs(row.constant);
  for (const map::Term& term : row.terms) {
    const map::Range& range = in[term.input];
    if (range.low == kLeast || term.coefficient == kLeast) return false;
    if (!accumulate(sum, std::abs(term.coefficient), std::max(std::abs(range.low), std::abs(range.high)))) return false;
  }
  reach = std::max(reach, sum);
  return true;
}

}  // namespace

std::optional<Index> reach_of(const map::Layout& layout, Host host) {
  const map::Map& map = layout.map();
  if (layout.physical().volume() == 0) return std::nullopt;  // its other extents may be any
  Index reach = std::max(layout.domain().volume(), layout.physical().volume());
  for (std::size_t s = 0; s <= map.stages().size(); ++s)
    for (const map::Range& range : map.ranges(s)) {
      if (range.low == std::numeric_limits<Index>::min()) return std::nullopt;
      reach = std::max({reach, std::abs(range.low), std::abs(range.high)});
    }
  for (std::size_t s = 0; s < map.stages().size(); ++s) {
    if (const auto* affine = std::get_if<map::Affine>(&map.stages()[s])) {
      for (const map::Row& row : affine->rows)
        if (!widen(reach, row, map.ranges(s))) return std::nullopt;
    } else if (const auto* split = std::get_if<map::Split>(&map.stages()[s])) {
      reach = std::max(reach, split->weights.front());
    } else if (const auto* swizzle = std::get_if<map::Swizzle>(&map.stages()[s])) {
      // Both fields have to lie among the p - 1 bits of a whole number as floating numbers hold it.
      reach = std::max(reach, Index{1} << std::max(swizzle->base + swizzle->bits + swizzle->shift - 3, 0));
    }
  }
  if (host == Host::View && !widen(reach, layout.host_offset(), map.ranges(0))) return std::nullopt;
  return reach;
}

template <class Number>
void Columns<Number>::compile(const map::Layout& layout, Host host) {
  const map::Map& map = layout.map();
  std::size_t columns = 2 + layout.domain().rank();
  std::size_t terms = columns;
  for (std::size_t s = 0; s < map.stages().size(); ++s) {
    columns += map.ranges(s + 1).size();
    terms += map.ranges(s + 1).size();
    if (const auto* affine = std::get_if<map::Affine>(&map.stages()[s]))
      for (const map::Row& row : affine->rows) terms += row.terms.size();
  }
  if (columns_.size() < columns) columns_.resize(columns);
  if (program_.terms.size() < terms) program_.terms.resize(terms);
  terms_ = 0;
  last_ = layout.domain().volume() - 1;
  program_.steps.clear();
  append_inputs(layout.domain());
  append_host(layout, host);
  for (const map::Stage& stage : map.stages()) std::visit([&](const auto& s) { append(s); }, stage);
  const std::size_t rank = layout.physical().rank();
  const Index off_by = planted(Fault::DefinitionBoundOffByOne) ? 2 : 1;
  program_.coordinates.resize(values_.size());
  const std::vector<Index> weights = map::row_major_weights(layout.physical());
  for (std::size_t k = values_.size(); k-- > 0;) {
    program_.coordinates[k] = {values_[k], 0, 0};
    if (k >= rank && planted(Fault::DefinitionIgnoresGuards))
      program_.coordinates[k].last = std::numeric_limits<Number>::max();
    if (k >= rank) continue;
    program_.coordinates[k].last = static_cast<Number>(layout.physical().extent(k) - off_by);
    program_.coordinates[k].weight = static_cast<Number>(weights[k]);
  }
}

// The coordinates of the points: the first column holds their numbers, the second one zeros, which is what dimensions
// of one index have.
template <class Number>
void Columns<Number>::append_inputs(const map::Space& domain) {
  program_.numbers = columns_.data();
  columns_[1].values.fill(0);
  used_ = 2;
  weights_.clear();
  const std::vector<Index> weights = map::row_major_weights(domain);
  for (std::size_t k = 0; k < domain.rank(); ++k)
    if (domain.extent(k) > 1) weights_.push_back(weights[k]);
  const Column* digit = columns_.data() + used_;
  if (weights_.size() == 1) digit = columns_.data();
  if (weights_.size() > 1) split_by(weights_, columns_.data(), false);
  values_.clear();
  for (std::size_t k = 0; k < domain.rank(); ++k) values_.push_back(domain.extent(k) > 1 ? digit++ : &columns_[1]);
}

// The place of a point's element: its own number, unless there are replicas or offsets.
template <class Number>
void Columns<Number>::append_host(const map::Layout& layout, Host host) {
  program_.host.clear();
  program_.has_host = host == Host::View || layout.replicas().volume() != 1;
  const map::Row row = host == Host::View ? layout.host_offset() : map::row_major_number(layout.logical());
  program_.host_constant = static_cast<Number>(row.constant);
  for (const map::Term& term : row.terms)
    if (program_.has_host) program_.host.push_back({values_[term.input], static_cast<Number>(term.coefficient), 0, 0});
}

template <class Number>
void Columns<Number>::append(const map::Affine& affine) {
  next_.clear();
  for (const map::Row& row : affine.rows) {
    if (row.constant == 0 && row.terms.size() == 1 && row.terms[0].coefficient == 1) {
      next_.push_back(values_[row.terms[0].input]);
      continue;
    }
    Column* out = &columns_[used_++];
    program_.steps.push_back({Step::Kind::Dot,
                              out,
                              nullptr,
                              static_cast<Number>(row.constant),
                              static_cast<std::uint32_t>(terms_),
                              static_cast<std::uint32_t>(row.terms.size()),
                              {}});
    for (const map::Term& term : row.terms) add_term(values_[term.input], term.coefficient);
    next_.push_back(out);
  }
  values_.swap(next_);
}

template <class Number>
void Columns<Number>::append(const map::Split& split) {
  next_.assign(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(split.input));
  const Column* const in = values_[split.input];
  for (std::size_t k = 0; k < split.weights.size(); ++k) next_.push_back(columns_.data() + used_ + k);
  next_.insert(next_.end(), values_.begin() + static_cast<std::ptrdiff_t>(split.input) + 1, values_.end());
  split_by(split.weights, in, planted(Fault::DefinitionRoundsDigits));
  values_.swap(next_);
}

template <class Number>
void Columns<Number>::append(const map::Swizzle& swizzle) {
  Column* out = &columns_[used_++];
  program_.steps.push_back({Step::Kind::Swizzle, out, values_[swizzle.input], 0, 0, 0, swizzle});
  values_[swizzle.input] = out;
}

template <class Number>
void Columns<Number>::split_by(std::span<const Index> weights, const Column* in, bool rounds) {
  program_.steps.push_back({Step::Kind::Split,
                            columns_.data() + used_,
                            in,
                            0,
                            static_cast<std::uint32_t>(terms_),
                            static_cast<std::uint32_t>(weights.size()),
                            {}});
  used_ += weights.size();
  for (const Index whole : weights) {
    const auto weight = static_cast<Number>(whole);
    const Number inverse = 1 / weight;
    program_.terms[terms_++] = {nullptr, weight, inverse, rounds ? 0 : inverse / 2 - Number{0.5}};
  }
}

template <class Number>
std::size_t Columns<Number>::run(Index first, std::size_t count, Index* slots, Index* hosts) {
  if (run_columns(program_, first, last_, count, slots, hosts)) return count;
  const auto has_slot = [&](std::size_t i) {
    return std::ranges::all_of(program_.coordinates, [&](const auto& coordinate) {
      const Number value = coordinate.column->values[i];
      return 0 <= value && value <= coordinate.last;
    });
  };
  std::size_t good = 0;
  while (good < count && has_slot(good)) ++good;
  return good;
}

template class Columns<float>;
template class Columns<double>;

}  // namespace vl::oracle
