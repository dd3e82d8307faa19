#include "verifier/kernel/core/difference.h"

namespace vl::kernel {

namespace {

// A number that the size of c is at least.
template <class S>
S size_of(const S& c) {
  return is_shown(c) ? c : S(0) - c;
}

}  // namespace

template <class S>
Difference<S>::Difference(const Cell<S>& cell, std::vector<Line<S>> rows, std::vector<bool> known)
    : cell_(cell), rows_(std::move(rows)), known_(std::move(known)) {
  enter(__FILE__);
  charge(cell.atoms() + 1);
  if constexpr (!std::same_as<S, Wide>)
    for (const Line<S>& row : rows_) charge(row.work()), held_.take(row.bytes());
  known_.resize(cell.atoms(), false);
  for (const Record<S>& one : cell.records) {  // of what is not looked at nothing is known, and open() asks
    known_[one.atom] = false;
    if (one.divides()) known_[one.atom + 1] = false;
  }
  for (std::size_t k = 0; k < cell.atoms(); ++k)
    if (cell.extents[k] == S(1)) known_[k] = true;
}

template <class S>
Line<S> Difference<S>::others(std::size_t row, std::size_t k) const {
  require(row < rows_.size() && k < known_.size(), "a step about nothing");
  charge(rows_[row].work() + rows_[row].terms.size());
  Line<S> out{0, rows_[row].terms};
  for (std::size_t j = 0; j < out.terms.size(); ++j)
    if (known_[j] || j == k) out.terms[j] = 0;
  return out;
}

template <class S>
void Difference<S>::require_within(const Line<S>& line, const Span& span) const {
  require(cell_.is_positive(line.plus(Line<S>{span.low, {}}, -1), span.below) &&
              cell_.is_positive(Line<S>{span.high, {}}.plus(line, -1), span.above),
          "a span that is not shown");
}

template <class S>
void Difference<S>::range(std::size_t row, const Span& span) {
  require(row < rows_.size(), "a step about nothing");
  require_within(rows_[row], span);
  keep(spans_, std::pair(row, Span{span.low, span.high, {}, {}}));
}

template <class S>
std::vector<std::pair<S, S>> Difference<S>::ranges(std::size_t n) const {
  std::vector<std::pair<S, S>> out;
  for (std::size_t j = 0; j < n; ++j) {
    out.emplace_back(cell_.low(rows_[j]), cell_.high(rows_[j]));
    hold(bytes_of(out.back().first) + bytes_of(out.back().second));
  }
  for (const auto& [row, span] : spans_)
    if (row < n) out[row] = {span.low, span.high};
  return out;
}

template <class S>
void Difference<S>::large(std::size_t row, std::size_t k, const std::optional<Span>& span) {
  require(k < known_.size(), "a step about nothing");
  if (known_[k]) return;  // of names too where it has one value at some sizes
  const Line<S> rest = others(row, k);
  const S size = size_of(rows_[row].at(k));
  if (span) require_within(rest, *span);
  const S reach = span ? span->high - span->low : cell_.high(rest) - cell_.low(rest);
  require(is_shown(size - reach - S(1)), "a coefficient that others reach");
  known_[k] = true;
}

template <class S>
void Difference<S>::mod(std::size_t row, std::size_t k, const std::optional<S>& by) {
  require(k < known_.size(), "a step about nothing");
  if (known_[k]) return;
  const Line<S> rest = others(row, k);
  const S coefficient = rows_[row].at(k);
  require(!(coefficient == S(0)), "a coefficient that others cancel");
  if constexpr (std::same_as<S, Wide>) {
    S common = 0;
    for (const S& term : rest.terms) common = gcd(common, term);
    require(!by && common > 0 && common / gcd(common, coefficient) >= cell_.extents[k],
            "a coefficient that others cancel");
  } else {
    const S size = size_of(coefficient);
    require(by.has_value() && is_shown(size - S(1)) && is_shown(*by - S(1) - size * (cell_.extents[k] - S(1))),
            "a coefficient that others cancel");
    for (const S& term : rest.terms) require(term == share(term, *by) * *by, "a coefficient that others cancel");
  }
  known_[k] = true;
}

template <class S>
void Difference<S>::open(std::size_t record) {
  require(record < cell_.records.size(), "a step about nothing");
  const Record<S>& one = cell_.records[record];
  require(known_[one.atom] && (!one.divides() || known_[one.atom + 1]), "a value that is not known");
  charge(one.inner.work()), hold(one.inner.bytes());
  rows_.push_back(one.inner);
}

template <class S>
std::vector<bool> unused(const Cell<S>& cell, const std::vector<Line<S>>& rows) {
  std::vector<bool> out(cell.atoms(), true);
  const auto use = [&](const Line<S>& line) {
    charge(line.terms.size() + 1);
    for (std::size_t k = 0; k < line.terms.size(); ++k) out[k] = out[k] && line.terms[k] == S(0);
  };
  for (const Line<S>& row : rows) use(row);
  for (std::size_t j = cell.records.size(); j-- > 0;) {  // a record's inner line is older than its atoms
    const Record<S>& one = cell.records[j];
    if (!out[one.atom] || (one.divides() && !out[one.atom + 1])) use(one.inner);
  }
  return out;
}

template <class S>
S count(const Cell<S>& cell, const Difference<S>& known, const std::vector<bool>& unused) {
  require(cell.has_points(), "a count of a cell that may have no point");
  S out = 1;
  for (const Group<S>& group : cell.groups) {
    S values = 1;
    bool all = true, bound = false;
    for (const std::size_t k : cell.atoms_of(group)) {
      bound = bound || cell.is_bound(k);
      all = all && !unused[k];
      if (unused[k]) continue;
      require(known.is_known(k), "two points may have the same place");
      values = values * cell.extents[k];
    }
    const bool none = values == S(1) && !all;
    require(none || (all ? group.total.has_value() : !bound), "a group that is not counted digit by digit");
    out = out * (none ? S(1) : all ? *group.total : values);
  }
  return out;
}

template <class S>
S reach(const Cell<S>& cell, const std::vector<Line<S>>& rows) {
  require(cell.has_points(), "a count of a cell that may have no point");
  std::vector<bool> used(cell.atoms(), false);
  for (const Record<S>& one : cell.records) {
    used[one.atom] = true;
    if (one.divides()) used[one.atom + 1] = true;
  }
  S out = 1;
  for (const Line<S>& row : rows) {
    std::vector<std::pair<S, S>> steps;  // and extents
    for (std::size_t k = 0; k < row.terms.size(); ++k) {
      if (row.terms[k] == S(0)) continue;
      require(!used[k] && !cell.is_bound(k), "an atom of two coordinates, or one that is not free");
      used[k] = true;
      steps.emplace_back(size_of(row.terms[k]), cell.extents[k]);
    }
    charge(row.terms.size() + 1), charge_sorting(steps.size());
    std::ranges::sort(steps);
    S reached = 0;
    for (const auto& [step, extent] : steps) {
      require(!(step > reached + S(1)), "a step beyond the reach of the smaller ones");
      reached = reached + step * (extent - S(1));
    }
    out = out * (reached + S(1));
  }
  return out;
}

template class Difference<Wide>;
template Wide reach(const Cell<Wide>&, const std::vector<Line<Wide>>&);
template std::vector<bool> unused(const Cell<Wide>&, const std::vector<Line<Wide>>&);
template Wide count(const Cell<Wide>&, const Difference<Wide>&, const std::vector<bool>&);
template class Difference<Polynomial>;
template std::vector<bool> unused(const Cell<Polynomial>&, const std::vector<Line<Polynomial>>&);
template Polynomial count(const Cell<Polynomial>&, const Difference<Polynomial>&, const std::vector<bool>&);

}  // namespace vl::kernel
