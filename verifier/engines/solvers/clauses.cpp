#include "verifier/engines/solvers/clauses.h"

#include <algorithm>

#include "verifier/rup/gates.h"

namespace vl::engines::clauses {
namespace {

using kernel::charge;
using kernel::Layout;
using kernel::Map;
using kernel::require;
using kernel::Row;
using kernel::run;
using kernel::Space;
using kernel::Stage;
using kernel::Wide;
using rup::Clauses;
using rup::Gates;
using rup::Number;
using rup::Word;
using Numbers = std::vector<Number>;

Wide power(std::size_t k) { return 1LL << k; }

Word constant(Wide number, std::size_t bits) {  // modulo 2^bits
  Word out;
  charge(2 * bits);
  for (std::size_t k = 0; k < bits; ++k) out.push_back(number / power(k) % 2 == 1 ? 1 : -1);
  return out;
}

// Each function adds the clauses that define its result.
struct Bitblaster : Gates {
  using Value = Number;

  // a < b, or a = b and `equal`.
  int before(const Word& a, const Word& b, int equal) {
    for (std::size_t k = 0; k < a.size(); ++k) equal = majority(-a[k], b[k], equal);
    return equal;
  }
  int within(const Number& value, Wide low, Wide high) {
    const std::size_t size = value.bits.size();
    low = std::max(low - value.low, Wide(0)), high = std::min(high - value.low, power(size) - 1);
    if (low > high) return -1;
    return both(before(constant(low, size), value.bits, 1), before(value.bits, constant(high, size), 1));
  }

  // A number in [low, high] of `bits`, constants or new ones, as many as it needs.
  Number number(Wide low, Wide high, Word bits, bool fresh = false) {
    require(low <= high && high - low < power(62), "a number of no bits, or of more than 62");
    std::size_t width = 0;
    while (power(width) <= high - low) ++width;
    bits.resize(width, -1);
    for (std::size_t k = 0; fresh && k < width; ++k) bits[k] = ++variables;
    Number out{low, high, std::move(bits)};
    if (fresh) add({within(out, low, high)});
    return out;
  }
  // total += 2^shift · summand, modulo what total holds.
  void accumulate(Word& total, const Word& summand, std::size_t shift) {
    int carry = -1;
    for (std::size_t k = shift; k < total.size(); ++k) {
      const int a = total[k], b = k - shift < summand.size() ? summand[k - shift] : -1;
      total[k] = differ(differ(a, b), carry);
      carry = majority(a, b, carry);
    }
  }
  // The same number, known to lie in [low, high].
  Number fit(const Number& value, Wide low, Wide high) {
    Number out = number(low, high, value.bits);
    accumulate(out.bits, constant(value.low - low, out.bits.size()), 0);
    return out;
  }
  // Of w bits, -c·u = c·(2^w - 1 - u) - c·(2^w - 1), and 2^w - 1 - u complements the bits.
  Number sum(const Row& row, const Numbers& values) {
    Wide low = row.constant, high = low, start = low;
    for (const auto& [input, c] : row.terms) {
      const Number& value = values[input];
      low += c * (c < 0 ? value.high : value.low);
      high += c * (c < 0 ? value.low : value.high);
      start += c * (c < 0 ? value.low + power(value.bits.size()) - 1 : value.low);
    }
    Number out = number(low, high, {});
    out.bits = constant(start - low, out.bits.size());
    for (const auto& [input, c] : row.terms) {
      Word bits = values[input].bits;
      for (int& literal : bits) literal = c < 0 ? -literal : literal;
      const Word factor = constant(c.abs(), out.bits.size());
      for (std::size_t k = 0; k < factor.size(); ++k)
        if (factor[k] == 1) accumulate(out.bits, bits, k);
    }
    return out;
  }
  // The weight is 2^k·odd: the lowest k bits go to the rest as they are, the others are odd·quotient + rest.
  std::pair<Number, Number> divide(const Number& value, Wide weight) {
    const Wide low = value.low / weight, high = value.high / weight;
    if (low == high) return {{low, low, {}}, {value.low - low * weight, value.high - low * weight, value.bits}};
    const Word from = fit(value, low * weight, value.high).bits;
    std::size_t k = 0;
    while (weight % power(k + 1) == 0) ++k;
    const auto cut = from.begin() + static_cast<std::ptrdiff_t>(k);
    Number quotient{low, high, Word(cut, from.end())}, rest{0, weight - 1, Word(from.begin(), cut)};
    if (const Wide odd = weight / power(k); odd != 1) {
      const Number upper{0, (value.high - low * weight) / power(k), quotient.bits};
      const Numbers parts{number(0, high - low, {}, true), number(0, odd - 1, {}, true)};
      add({equal({upper}, {sum({0, {{0, odd}, {1, 1}}}, parts)})});
      quotient.bits = parts[0].bits;
      rest.bits.insert(rest.bits.end(), parts[1].bits.begin(), parts[1].bits.end());
    }
    return {quotient, rest};
  }
  // A swizzle keeps every block [j·2^t, (j+1)·2^t) in place, t the end of the field that it changes.
  Number swizzle(const Number& value, const Stage& stage) {
    const Word in = fit(value, 0, value.high).bits;
    std::size_t to = static_cast<std::size_t>(stage.base), from = to + static_cast<std::size_t>(stage.shift);
    if (stage.up) std::swap(from, to);
    const Wide block = power(to + static_cast<std::size_t>(stage.bits));
    require(value.low >= 0, "a swizzle of what may be negative");
    if (stage.bits == 0 || in.size() <= from) return value;
    Number out = number(0, (value.high / block + 1) * block - 1, in);
    for (int k = 0; k < stage.bits && from < in.size(); ++k, ++to) out.bits[to] = differ(out.bits[to], in[from++]);
    return out;
  }

  // Numbers that the second one lacks are 0.
  int equal(const Numbers& a, const Numbers& b) {
    int out = 1;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Number zero{}, &other = i < b.size() ? b[i] : zero;
      const Wide low = std::min(a[i].low, other.low), high = std::max(a[i].high, other.high);
      const Word x = fit(a[i], low, high).bits, y = fit(other, low, high).bits;
      for (std::size_t k = 0; k < x.size(); ++k) out = both(out, -differ(x[k], y[k]));
    }
    return out;
  }
  int is_slot(const Numbers& outputs, const Space& box) {
    int out = 1;
    for (std::size_t j = 0; j < outputs.size(); ++j)
      out = both(out, within(outputs[j], 0, j < box.rank() ? box.extents[j] - 1 : Wide(0)));
    return out;
  }
  // Where a slot is: its number; of named axes, a number each.
  Numbers place(const Layout& layout, const Numbers& outputs, const std::vector<std::string>& axes) {
    if (!layout.named) return {sum(layout.physical.number(), outputs)};
    Numbers out(axes.size());
    for (std::size_t j = 0; j < outputs.size(); ++j)
      out[static_cast<std::size_t>(std::ranges::find(axes, layout.physical.names[j]) - axes.begin())] = outputs[j];
    return out;
  }
  // A new point, and what the map makes of it.
  Numbers point(const Map& map) {
    Numbers& out = points.emplace_back();
    for (const Wide& extent : map.domain.extents) out.push_back(number(0, extent - 1, {}, true));
    return points.emplace_back(run(map.stages, out, *this));
  }
};

}  // namespace

Clauses encode(const Obligation& obligation) {
  require(obligation.layout != nullptr, "no question of bits");
  const Layout& layout = *obligation.layout;
  Bitblaster made;
  const Numbers outputs = made.point(layout.map), p = made.points[0];
  const int lands = made.is_slot(outputs, *obligation.box);
  switch (obligation.kind) {
    case Obligation::Escapes: made.add({-lands}); return made;
    case Obligation::Collides: {
      made.add({made.equal(outputs, made.point(layout.map))});
      int order = -1;
      for (std::size_t i = p.size(); i-- > 0;) order = made.before(p[i].bits, made.points[2][i].bits, order);
      made.add({order});
      break;
    }
    case Obligation::Misdecodes: {
      const Numbers slot(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(layout.physical.rank()));
      made.add({-made.equal(run(layout.decode->stages, slot, made), p)});
      break;
    }
    case Obligation::Breaks:
      made.add({-made.equal({made.sum(layout.identity->first, outputs)}, {made.sum(layout.identity->second, p)})});
      break;
    case Obligation::Differs: {
      const Layout& other = *obligation.other;
      require(layout.replicas().volume() == 1 && other.replicas().volume() == 1, "replicas are no question of bits");
      Numbers x(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(layout.logical));
      x.resize(other.map.domain.rank());
      const Numbers others = run(other.map.stages, x, made);
      std::vector<std::string> axes = layout.physical.names;
      axes.insert(axes.end(), other.physical.names.begin(), other.physical.names.end());
      const int same = made.equal(made.place(layout, outputs, axes), made.place(other, others, axes));
      made.add({-made.both(made.both(lands, made.is_slot(others, other.physical)), same)});
      return made;
    }
  }
  made.add({lands});
  return made;
}

}  // namespace vl::engines::clauses
