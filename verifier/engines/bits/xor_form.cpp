#include "verifier/engines/bits/xor_form.h"

#include <bit>
#include <span>
#include <utility>

namespace vl::engines {
namespace {

using Forms = std::vector<XorForm>;

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

std::optional<Forms> after(const map::Affine& affine, const Forms& in, std::size_t bits) {
  Forms out;
  for (const map::Row& row : affine.rows) {
    XorForm sum{0, std::vector<std::uint64_t>(bits, 0)};
    if (row.constant < 0 || width(static_cast<std::uint64_t>(row.constant)) > kBits) return std::nullopt;
    sum.constant = static_cast<std::uint64_t>(row.constant);
    for (const map::Term& term : row.terms) {
      if (term.coefficient < 0) return std::nullopt;
      for (auto rest = static_cast<std::uint64_t>(term.coefficient); rest != 0; rest &= rest - 1)
        if (!add_shifted(sum, in[term.input], std::countr_zero(rest))) return std::nullopt;
    }
    out.push_back(std::move(sum));
  }
  return out;
}

std::optional<Forms> after(const map::Split& split, const Forms& in, std::size_t bits) {
  const auto at = static_cast<std::ptrdiff_t>(split.input);
  Forms out(in.begin(), in.begin() + at);
  XorForm rest = in[split.input];
  for (const Index signed_weight : split.weights) {
    const auto weight = static_cast<std::uint64_t>(signed_weight);
    if (rest.support() < weight) {  // the largest value that its bits can make: the digit is 0
      out.push_back({0, std::vector<std::uint64_t>(bits, 0)});
      continue;
    }
    if (!std::has_single_bit(weight)) return std::nullopt;
    const int shift = std::countr_zero(weight);
    out.push_back(changed(rest, [&](std::uint64_t x) { return x >> shift; }));
    rest = changed(rest, [&](std::uint64_t x) { return x & (weight - 1); });
  }
  out.insert(out.end(), in.begin() + at + 1, in.end());
  return out;
}

// A swizzle is linear over GF(2).
std::optional<Forms> after(const map::Swizzle& swizzle, const Forms& in, std::size_t) {
  Forms out = in;
  out[swizzle.input] = changed(in[swizzle.input], [&](std::uint64_t x) {
    return static_cast<std::uint64_t>(map::apply(swizzle, static_cast<Index>(x)));
  });
  if (width(out[swizzle.input].support()) > kBits) return std::nullopt;
  return out;
}

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

std::optional<Forms> xor_forms(const map::Map& map) {
  const std::vector<InputBit> bits = input_bits(map.domain());
  Forms forms(map.domain().rank(), XorForm{0, std::vector<std::uint64_t>(bits.size(), 0)});
  for (std::size_t i = 0; i < bits.size(); ++i) forms[bits[i].input].columns[i] = std::uint64_t{1} << bits[i].bit;
  for (const XorForm& form : forms)
    if (width(form.support()) > kBits) return std::nullopt;
  for (const map::Stage& stage : map.stages()) {
    auto next = std::visit([&](const auto& s) { return after(s, forms, bits.size()); }, stage);
    if (!next) return std::nullopt;
    forms = std::move(*next);
  }
  return forms;
}

int rank(std::vector<std::uint64_t> columns) {
  int out = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == 0) continue;
    ++out;
    const int lead = width(columns[i]) - 1;
    for (std::size_t j = i + 1; j < columns.size(); ++j)
      if ((columns[j] >> lead & 1) != 0) columns[j] ^= columns[i];
  }
  return out;
}

}  // namespace vl::engines
