#include "verifier/engines/bits/xor_form.h"

#include <bit>
#include <span>
#include <utility>

#include "encodings/map/run.h"

namespace vl::engines {
namespace {

constexpr int kBits = 62;  // forms stay below 2^62

int width(std::uint64_t value) { return 64 - std::countl_zero(value); }

template <class Change>
XorForm changed(const XorForm& form, const Change& change) {
  XorForm out{change(form.constant), form.columns};
  for (std::uint64_t& column : out.columns) column = change(column);
  return out;
}

// sum += form << shift. False when a bit may meet another one or leaves 62 bits.
bool add_shifted(XorForm& sum, const XorForm& form, int shift) {
  const std::uint64_t support = form.support();
  if (width(support) + shift > kBits || (sum.support() & (support << shift)) != 0) return false;
  sum.constant |= form.constant << shift;
  for (std::size_t i = 0; i < form.columns.size(); ++i) sum.columns[i] |= form.columns[i] << shift;
  return true;
}

// Bit matrices as a value domain (map/run.h). A swizzle is linear over GF(2).
struct BitMatrices {
  using Value = XorForm;

  [[nodiscard]] XorForm zero() const { return {0, std::vector<std::uint64_t>(bits, 0)}; }

  [[nodiscard]] bool row(const map::Row& row, std::span<const XorForm> in, XorForm& sum) const {
    sum = zero();
    if (row.constant < 0 || width(static_cast<std::uint64_t>(row.constant)) > kBits) return false;
    sum.constant = static_cast<std::uint64_t>(row.constant);
    for (const map::Term& term : row.terms) {
      if (term.coefficient < 0) return false;
      for (auto rest = static_cast<std::uint64_t>(term.coefficient); rest != 0; rest &= rest - 1)
        if (!add_shifted(sum, in[term.input], std::countr_zero(rest))) return false;
    }
    return true;
  }

  [[nodiscard]] bool split(const map::Split& split, XorForm rest, std::span<XorForm> digits) const {
    for (std::size_t k = 0; k < digits.size(); ++k) {
      const auto weight = static_cast<std::uint64_t>(split.weights[k]);
      digits[k] = zero();
      if (rest.support() < weight) continue;  // the largest value that its bits can make: the digit is 0
      if (!std::has_single_bit(weight)) return false;
      const int shift = std::countr_zero(weight);
      digits[k] = changed(rest, [&](std::uint64_t x) { return x >> shift; });
      rest = changed(rest, [&](std::uint64_t x) { return x & (weight - 1); });
    }
    return true;
  }

  [[nodiscard]] bool swizzle(const map::Swizzle& swizzle, const XorForm& x, XorForm& out) const {
    out = changed(x, [&](std::uint64_t bits_of_x) {
      return static_cast<std::uint64_t>(map::apply(swizzle, static_cast<Index>(bits_of_x)));
    });
    return width(out.support()) <= kBits;
  }

  std::size_t bits = 0;  // of the inputs
};

}  // namespace

std::uint64_t XorForm::support() const {
  std::uint64_t bits = constant;
  for (const std::uint64_t column : columns) bits |= column;
  return bits;
}

std::vector<InputBit> input_bits(const map::Space& domain) {
  std::vector<InputBit> out;
  for (std::size_t i = 0; i < domain.rank(); ++i)
    for (int bit = 0; domain.extent(i) > 0 && (domain.extent(i) - 1) >> bit != 0; ++bit) out.push_back({i, bit});
  return out;
}

std::optional<BitMatrix> xor_forms(const map::Map& map) {
  const std::vector<InputBit> bits = input_bits(map.domain());
  BitMatrices matrices{bits.size()};
  BitMatrix forms(map.domain().rank(), matrices.zero());
  for (std::size_t i = 0; i < bits.size(); ++i) forms[bits[i].input].columns[i] = std::uint64_t{1} << bits[i].bit;
  for (const XorForm& form : forms)
    if (width(form.support()) > kBits) return std::nullopt;
  if (!map::run(matrices, map.stages(), forms)) return std::nullopt;
  return forms;
}

std::vector<std::uint64_t> echelon(const std::vector<std::uint64_t>& words) {
  std::vector<std::uint64_t> rows;
  for (std::uint64_t word : words) {
    for (const std::uint64_t row : rows)
      if ((word & std::bit_floor(row)) != 0) word ^= row;
    if (word != 0) rows.push_back(word);
  }
  return rows;
}

int rank(const std::vector<std::uint64_t>& words) { return static_cast<int>(echelon(words).size()); }

}  // namespace vl::engines
