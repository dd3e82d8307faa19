#include "verifier/engines/forms/digit_domain.h"

#include <algorithm>

#include "encodings/map/run.h"

namespace vl::engines {
namespace {

// The layout's outputs as linear forms (encodings/map/forms.h) over digits of its elements' numbers. Source 0 is the
// row-major number of the element; then come the replicas, which are not cut; then what a swizzle gave, one source for
// each swizzle that was undone and the last one.
class Atoms {
 public:
  // Requires: no extent is 0. `keep_idle`: a swizzle that moves no address of its row is kept all the same.
  Atoms(const map::Layout& layout, bool keep_idle);

  // Runs the layout's stages. False outside the fragment or when a number leaves 64 bits.
  [[nodiscard]] bool run(std::span<const map::Stage> stages);

  [[nodiscard]] const std::vector<map::RadixDigit>& digits() const { return forms_.digits(); }
  [[nodiscard]] const std::vector<Row>& values() const { return values_; }
  // The one swizzle that is left, with the row that it swizzles.
  [[nodiscard]] const std::optional<map::Swizzle>& swizzle() const { return swizzle_; }
  [[nodiscard]] const Row& address() const { return address_; }
  // Whether the atom is what a swizzle gave, hence no digit.
  [[nodiscard]] bool is_swizzled(const map::Term& term) const { return digits()[term.input].source >= swizzled_; }

  // As a value domain (encodings/map/run.h), and what split_form() asks.
  using Value = Row;
  [[nodiscard]] static bool row(const Row& row, std::span<const Row> in, Row& out);
  [[nodiscard]] bool split(const map::Split& split, const Row& x, std::span<Row> digits);
  [[nodiscard]] bool swizzle(const map::Swizzle& swizzle, const Row& x, Row& out);
  [[nodiscard]] bool ready(Row& row);
  [[nodiscard]] std::optional<map::Division> divide(const Row& row, Index weight);
  [[nodiscard]] static bool otherwise(const Row&, std::span<const Index>, std::span<Row>) { return false; }

 private:
  [[nodiscard]] bool touches_swizzle(const Row& row) const;

  bool keep_idle_;
  std::size_t swizzled_;    // the first source that is a swizzle's
  std::size_t undone_ = 0;  // swizzles
  map::RadixDigits forms_;
  std::vector<Row> values_;
  std::optional<map::Swizzle> swizzle_;
  Row address_;
};

std::vector<Index> sources_of(const map::Layout& layout) {
  std::vector<Index> extents = map::extents_of(layout.replicas());
  extents.insert(extents.begin(), layout.logical().volume());
  return extents;
}

// Whether the swizzle leaves every address of [0, high] where it is: its source field is always 0.
bool is_idle(const map::Swizzle& swizzle, Index high) {
  const bool down = swizzle.direction == map::Swizzle::Direction::Down;
  return swizzle.bits == 0 || (high >> (down ? swizzle.base + swizzle.shift : swizzle.base)) == 0;
}

Atoms::Atoms(const map::Layout& layout, bool keep_idle)
    : keep_idle_(keep_idle), swizzled_(1 + layout.replicas().rank()), forms_(sources_of(layout), 1) {
  const std::vector<Index> weights = map::row_major_weights(layout.logical());
  for (std::size_t i = 0; i < weights.size(); ++i)
    values_.push_back(forms_.row_of({0, weights[i], weights[i] * layout.logical().extent(i)}));
  for (std::size_t r = 0; r < layout.replicas().rank(); ++r) values_.push_back(forms_.row_of({1 + r, 1, 0}));
}

bool Atoms::touches_swizzle(const Row& row) const {
  return std::ranges::any_of(row.terms, [&](const map::Term& term) { return is_swizzled(term); });
}

bool Atoms::ready(Row& row) {
  auto whole = forms_.merged(std::move(row));
  if (whole) row = std::move(*whole);
  return whole.has_value();
}

std::optional<map::Division> Atoms::divide(const Row& row, Index weight) {
  return touches_swizzle(row) ? std::nullopt : forms_.divide(row, weight);
}

bool Atoms::row(const Row& row, std::span<const Row> in, Row& out) {
  auto sum = map::combined(row, in);
  if (sum) out = std::move(*sum);
  return sum.has_value();
}

bool Atoms::split(const map::Split& split, const Row& x, std::span<Row> digits) {
  return map::split_form(*this, x, split.weights, digits);
}

bool Atoms::swizzle(const map::Swizzle& swizzle, const Row& x, Row& out) {
  Row whole = x;
  if (!ready(whole)) return false;
  if (touches_swizzle(whole)) {  // the same again undoes it
    map::Swizzle again = swizzle;
    if (swizzle_) again.input = swizzle_->input;
    const bool is_last = whole == forms_.row_of({swizzled_ + undone_, 1, 0});
    if (!is_last || again != swizzle_ || swizzle.shift < swizzle.bits) return false;
    out = address_;
    swizzle_.reset();
    ++undone_;  // values that still have its atom are beyond us: run()
    return true;
  }
  const auto reach = map::range_of(whole, forms_.box());
  if (!reach) return false;
  if (swizzle.bits == 0 || (!keep_idle_ && is_idle(swizzle, reach->high))) return true;
  if (swizzle_) return false;
  swizzle_ = swizzle;
  address_ = std::move(whole);
  out = forms_.row_of({swizzled_ + undone_, 1, 0});
  return true;
}

bool Atoms::run(std::span<const map::Stage> stages) {
  if (!map::run(*this, stages, values_)) return false;
  return std::ranges::all_of(values_, [&](Row& value) {
    return ready(value) && std::ranges::none_of(value.terms, [&](const map::Term& term) {
             const std::size_t source = digits()[term.input].source;
             return source >= swizzled_ && source < swizzled_ + undone_;
           });
  });
}

// The boundaries of all digits in these rows, with 1 and `count`; nothing when one does not divide the next.
std::optional<std::vector<Index>> boundaries_of(const std::vector<Row>& rows, const Atoms& atoms, Index count) {
  std::vector<Index> all{1, count};
  for (const Row& row : rows)
    for (const map::Term& term : row.terms)
      if (const map::RadixDigit& atom = atoms.digits()[term.input]; atom.source == 0)
        all.insert(all.end(), {atom.low, atom.high});
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (std::size_t k = 0; k + 1 < all.size(); ++k)
    if (all[k + 1] % all[k] != 0) return std::nullopt;
  return all;
}

// A row over atoms as a row over the inputs: digit number d lies between boundaries n-1-d and n-d, replicas follow.
std::optional<Row> over_inputs(const Row& row, const Atoms& atoms, const std::vector<Index>& boundaries) {
  const std::size_t digits = boundaries.size() - 1;
  std::vector<Row> of_atom(atoms.digits().size());
  for (const map::Term& term : row.terms) {
    const map::RadixDigit& atom = atoms.digits()[term.input];
    Row& out = of_atom[term.input];
    if (atom.source > 0) out = map::pick(digits + atom.source - 1);
    else
      for (std::size_t k = digits; k-- > 0;)
        if (boundaries[k] >= atom.low && boundaries[k] < atom.high)
          out.terms.push_back({digits - 1 - k, boundaries[k] / atom.low});
  }
  return map::combined(row, of_atom);
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
    const Row both[] = {address, added};
    auto sum = map::combined({0, {{0, factor}, {1, 1}}}, both);
    const auto range = sum ? range_of(*sum, box) : std::nullopt;
    return range && range->low >= 0 ? sum : std::nullopt;
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
  const auto is_swizzled = [&](const map::Term& term) { return atoms.is_swizzled(term); };
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

  const auto boundaries = boundaries_of(rows, atoms, layout.logical().volume());
  if (!boundaries) return std::nullopt;
  DigitDomain out;
  out.logical_ = layout.logical();
  for (std::size_t k = boundaries->size() - 1; k-- > 0;) out.digits_.push_back((*boundaries)[k + 1] / (*boundaries)[k]);
  out.replicas_ = map::extents_of(layout.replicas());
  for (const auto* extents : {&out.digits_, &out.replicas_})
    for (const Index extent : *extents) out.box_.push_back({0, extent - 1});
  for (const Row& row : rows) {
    auto over = over_inputs(row, atoms, *boundaries);
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

}  // namespace vl::engines
