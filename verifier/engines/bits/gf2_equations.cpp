#include "verifier/engines/bits/gf2_equations.h"

#include <algorithm>
#include <bit>

namespace vl::engines {

void Solutions::require(Equation equation) {
  for (const Equation& row : rows_)
    if ((equation.mask & std::bit_floor(row.mask)) != 0)
      equation = {equation.mask ^ row.mask, equation.value != row.value};
  if (equation.mask != 0) rows_.push_back(equation);
  else exist_ = exist_ && !equation.value;
}

Solutions Solutions::with(const Equation& equation) const {
  Solutions more = *this;
  more.require(equation);
  return more;
}

Word smallest(Solutions set, const Accepts& somewhere) {
  Word number = 0;
  for (int bit = set.bits() - 1; bit >= 0; --bit) {
    const Word mask = Word{1} << bit;
    Solutions lower = set.with({mask, false});
    if (lower.exist() && somewhere(lower)) {
      set = std::move(lower);
      continue;
    }
    set.require({mask, true});
    number |= mask;
  }
  return number;
}

Equation bit_is(const XorForm& form, int bit, bool value) {
  Equation out{0, ((form.constant >> bit & 1) != 0) != value};
  for (std::size_t i = 0; i < form.columns.size(); ++i)
    if ((form.columns[i] >> bit & 1) != 0) out.mask |= Word{1} << i;
  return out;
}

bool not_zero(const BitMatrix& forms, const Solutions& set) {
  for (const XorForm& form : forms)
    for (int bit = 0; bit < 64; ++bit)
      if ((form.support() >> bit & 1) != 0 && set.with(bit_is(form, bit, true)).exist()) return true;
  return false;
}

Index largest(const XorForm& form, Solutions set) {
  Word value = 0;
  for (int bit = kMostBits; bit >= 0; --bit) {
    if ((form.support() >> bit & 1) == 0) continue;
    Solutions upper = set.with(bit_is(form, bit, true));
    if (!upper.exist()) continue;
    set = std::move(upper);
    value |= Word{1} << bit;
  }
  return static_cast<Index>(value);
}

std::optional<BitMatrix> forms_by_number(const map::Map& map) {
  auto forms = xor_forms(map);
  if (!forms) return std::nullopt;
  const std::vector<InputBit> bits = input_bits(map.domain());
  std::vector<std::size_t> by_number(bits.size());
  std::size_t at = 0;
  for (std::size_t input = map.domain().rank(); input-- > 0;)
    for (std::size_t i = 0; i < bits.size(); ++i)
      if (bits[i].input == input) by_number[at++] = i;
  for (XorForm& form : *forms) {
    std::vector<Word> columns;
    columns.reserve(by_number.size());
    for (const std::size_t i : by_number) columns.push_back(form.columns[i]);
    form.columns = std::move(columns);
  }
  return forms;
}

XorForm composed(const XorForm& outer, const std::vector<InputBit>& bits, const BitMatrix& inner, std::size_t columns) {
  const auto image = [&](const auto& of) {
    Word out = 0;
    for (std::size_t i = 0; i < bits.size(); ++i)
      if ((of(inner[bits[i].input]) >> bits[i].bit & 1) != 0) out ^= outer.columns[i];
    return out;
  };
  XorForm out{outer.constant ^ image([](const XorForm& form) { return form.constant; }), {}};
  for (std::size_t c = 0; c < columns; ++c)
    out.columns.push_back(image([c](const XorForm& form) { return form.columns[c]; }));
  return out;
}

XorForm difference(const XorForm& a, const XorForm& b) {
  XorForm out = a;
  out.constant ^= b.constant;
  for (std::size_t i = 0; i < out.columns.size(); ++i) out.columns[i] ^= b.columns[i];
  return out;
}

}  // namespace vl::engines
