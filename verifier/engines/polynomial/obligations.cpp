#include "verifier/engines/polynomial/obligations.h"

#include <algorithm>
#include <numeric>

namespace vl::engines {
namespace {

// p >= 0, an obligation that is exact: shown, not so anywhere on the cell, or to be compared.
std::optional<PartOutcome> unless_shown(const Cell& cell, const Polynomial& p, std::string_view why) {
  if (!p.fits()) return LeftOpen{"a polynomial is too large"};
  if (cell.may_show(p)) return std::nullopt;
  if (cell.may_show(Polynomial(-1) - p)) return Failed{std::string(why)};
  return Refinement{p, {}, 0};
}

// The least and the greatest value of a place, each taken in a corner.
std::pair<Polynomial, Polynomial> corners_of(const ShapePlace& place, const Shape& shape) {
  std::pair<Polynomial, Polynomial> out{place.constant, place.constant};
  for (const ShapeTerm& term : place.terms) {
    const Polynomial steps = term.size * (shape.digits[term.digit] - 1);
    if (term.negative) out.first = out.first - steps;
    else out.second = out.second + steps;
  }
  return out;
}

// A variable on which a polynomial's remainder by `modulus` depends, and the step that decides it.
std::optional<Refinement> residue_step(const Polynomial& rest, Index modulus) {
  for (const Polynomial::Term& term : rest.terms())
    for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
      if (term.powers[v] == 0) continue;
      const auto coefficient = map::narrowed(term.coefficient);
      if (!coefficient) return std::nullopt;
      return Refinement{{}, v, modulus / std::gcd(*coefficient, modulus), true};
    }
  return std::nullopt;
}

// Whether a swizzle keeps [0, extent), if all of it is hit; else only that it does is known. It permutes the numbers of
// each aligned block, so whole blocks keep themselves. What happens to a last block that is not whole depends on the
// extent's remainder alone, and is looked at number by number.
std::optional<PartOutcome> swizzled_inside(const map::Swizzle& swizzle, const Polynomial& extent, bool all_hit) {
  constexpr int kMostBits = 14;  // of a period that is looked at
  const bool down = swizzle.direction == map::Swizzle::Direction::Down;
  const int block = swizzle.base + swizzle.bits + (down ? 0 : swizzle.shift);
  const int period = swizzle.base + swizzle.bits + swizzle.shift;
  if (block > 61) return LeftOpen{"a swizzle of whole numbers"};
  if (Polynomial::split(extent, Index{1} << block).second.is_zero()) return std::nullopt;
  if (period > kMostBits) return LeftOpen{"whether the box has whole blocks of the swizzle"};
  const Index modulus = Index{1} << period;
  const Polynomial rest = Polynomial::split(extent, modulus).second;
  const auto end = rest.constant();
  if (!end) {
    const auto step = residue_step(rest, modulus);
    if (!step || step->by > 512) return LeftOpen{"too many remainders of the swizzle's period"};
    return *step;
  }
  for (Index x = *end - *end % (Index{1} << block); x < *end; ++x)
    if (map::apply(swizzle, x) >= *end)
      return all_hit ? PartOutcome(Failed{"a last block that is not whole, out of which the swizzle leads"})
                     : PartOutcome(LeftOpen{"a last block that is not whole, and may not be hit"});
  return std::nullopt;
}

// Whether each number of a place's box is hit, before the swizzle: by its terms alone, sorted as they stand, each step
// is within the reach of the later ones.
bool hits_all(const Shape& shape, const ShapePlace& place, const Cell& cell) {
  Polynomial reach = 0;
  for (std::size_t k = place.terms.size(); k-- > 0;) {
    const ShapeTerm& term = place.terms[k];
    if (term.negative || !cell.may_show(reach + 1 - term.size)) return false;
    reach = reach + term.size * (shape.digits[term.digit] - 1);
  }
  return place.constant.is_zero() && cell.may_show(reach + 1 - place.extent);
}

PartOutcome in_box(const map::Rule& rule, const Shape& shape, const Cell& cell, bool filled) {
  for (std::size_t j = 0; j < shape.places.size(); ++j) {
    const ShapePlace& place = shape.places[j];
    const Polynomial& extent = filled ? place.filled : place.extent;
    const auto [least, greatest] = corners_of(place, shape);
    const bool swizzled = rule.swizzle && rule.swizzle->input == j && rule.swizzle->bits > 0;
    // A swizzle of negative numbers makes no layout: such sizes are no instance.
    if (swizzled && cell.may_show(Polynomial(-1) - least)) return Shown{};
    if (auto no = unless_shown(cell, least, "a coordinate below 0")) return std::move(*no);
    if (auto no = unless_shown(cell, extent - 1 - greatest, "a coordinate beyond the box")) return std::move(*no);
    if (swizzled)
      if (auto no = swizzled_inside(*rule.swizzle, extent, hits_all(shape, place, cell))) return std::move(*no);
  }
  return Shown{};
}

// Of a lower degree, or of the same one and with fewer terms.
bool simpler(const Polynomial& a, const Polynomial& b) {
  const auto rank = [](const Polynomial& p) {
    int degree = 0;
    for (const Polynomial::Term& term : p.terms()) {
      int sum = 0;
      for (const std::uint8_t power : term.powers) sum += power;
      degree = std::max(degree, sum);
    }
    return std::pair(degree, p.terms().size());
  };
  return rank(a) < rank(b);
}

// Whether two elements can share a place: peeling, and pairs of digits of which one steps like the other.
class Peeling {
 public:
  Peeling(const Shape& shape, const Cell& cell) : shape_(shape), cell_(cell), left_(shape.digits.size(), 1) {
    for (std::size_t k = 0; k < left_.size(); ++k)
      if (cell.may_show(Polynomial(1) - shape.digits[k])) left_[k] = 0;
  }

  PartOutcome run() {
    while (remove_one()) {
    }
    if (std::ranges::none_of(left_, [](char digit) { return digit != 0; })) return Shown{};
    for (std::size_t k = 0; k < left_.size(); ++k)
      if (left_[k] != 0 && !cell_.may_show(shape_.digits[k] - 2)) return Refinement{shape_.digits[k] - 2, {}, 0};
    if (auto outcome = pairs()) return std::move(*outcome);
    std::optional<Polynomial> step;
    for (const Polynomial& p : open_)
      if (p.fits() && !cell_.may_show(Polynomial(-1) - p) && (!step || simpler(p, *step))) step = p;
    if (step) return Refinement{*step, {}, 0};
    return LeftOpen{"no stride exceeds what the smaller ones reach, and no two of them show elements that meet"};
  }

 private:
  bool remove_one() {
    open_.clear();
    for (const ShapePlace& place : shape_.places)
      for (const ShapeTerm& term : place.terms) {
        if (left_[term.digit] == 0) continue;
        Polynomial p = term.size - 1;
        for (const ShapeTerm& other : place.terms)
          if (other.digit != term.digit && left_[other.digit] != 0)
            p = p - other.size * (shape_.digits[other.digit] - 1);
        if (repeats(place, term.digit)) continue;
        if (cell_.may_show(p)) {
          left_[term.digit] = 0;
          return true;
        }
        open_.push_back(std::move(p));
      }
    return false;
  }
  // Whether a place has two terms of one digit, which rules do not make.
  static bool repeats(const ShapePlace& place, std::size_t digit) {
    return std::ranges::count(place.terms, digit, &ShapeTerm::digit) > 1;
  }

  // t with |coefficient of a| = t·|coefficient of b| in every place, and with one sign in all of them: then the digits
  // (a, b) = (1, 0) and (0, t), or (0, 0) and (1, t), share their places. Nothing if there is none.
  [[nodiscard]] std::optional<Polynomial> factor(std::size_t a, std::size_t b) const {
    std::optional<Polynomial> t;
    std::optional<bool> opposite;
    for (const ShapePlace& place : shape_.places) {
      const auto of = [&](std::size_t digit) {
        const auto found = std::ranges::find(place.terms, digit, &ShapeTerm::digit);
        return found == place.terms.end() ? nullptr : &*found;
      };
      const ShapeTerm* one = of(a);
      const ShapeTerm* other = of(b);
      if (one == nullptr && other == nullptr) continue;
      if (one == nullptr || other == nullptr || repeats(place, a) || repeats(place, b)) return std::nullopt;
      auto quotient = Polynomial::exact_quotient(one->size, other->size);
      const bool turned = one->negative != other->negative;
      if (!quotient || (t && !same(*t, *quotient)) || (opposite && *opposite != turned)) return std::nullopt;
      t = std::move(quotient);
      opposite = turned;
    }
    return t;
  }

  std::optional<PartOutcome> pairs() const {
    std::optional<Polynomial> step;  // the simplest one, on which others depend
    for (std::size_t a = 0; a < left_.size(); ++a) {
      if (left_[a] == 0) continue;
      const bool idle = std::ranges::none_of(shape_.places, [&](const ShapePlace& place) {
        return std::ranges::find(place.terms, a, &ShapeTerm::digit) != place.terms.end();
      });
      if (idle) return Failed{"elements that differ in a digit of stride 0 share a place"};
      for (std::size_t b = 0; b < left_.size(); ++b) {
        if (a == b || left_[b] == 0) continue;
        const auto t = factor(a, b);
        if (!t || !cell_.may_show(*t - 1)) continue;
        const Polynomial p = shape_.digits[b] - 1 - *t;
        if (cell_.may_show(p)) return Failed{"one stride is a multiple of another one that reaches it"};
        if (p.fits() && !cell_.may_show(Polynomial(-1) - p) && (!step || simpler(p, *step))) step = p;
      }
    }
    if (step) return Refinement{*step, {}, 0};
    return std::nullopt;
  }

  const Shape& shape_;
  const Cell& cell_;
  std::vector<char> left_;  // digits that are not known yet
  std::vector<Polynomial> open_;
};

// Whether the points, of which no two share a slot of this box, are as many as its slots.
PartOutcome fills(const Shape& shape, const Cell& cell, bool filled) {
  Polynomial slots = 1;
  for (const ShapePlace& place : shape.places) slots = slots * (filled ? place.filled : place.extent);
  if (!slots.fits() || !shape.points.fits()) return LeftOpen{"a polynomial is too large"};
  if (cell.may_show(shape.points - slots)) return Shown{};
  if (cell.may_show(slots - shape.points - 1)) return Failed{"fewer places than slots"};
  return Refinement{slots - shape.points - 1, {}, 0};
}

// The first outcome that is not shown.
template <class... Next>
PartOutcome all_of(PartOutcome first, const Next&... next) {
  PartOutcome out = std::move(first);
  const auto go_on = [&](const auto& make) {
    if (std::holds_alternative<Shown>(out)) out = make();
  };
  (go_on(next), ...);
  return out;
}

// Elements without a slot share none: two places that meet refute the claim only inside the box.
PartOutcome apart(const map::Rule& rule, const Shape& shape, const Cell& cell) {
  PartOutcome out = peeled(shape, cell);
  if (!std::holds_alternative<Failed>(out)) return out;
  PartOutcome inside = or_open(in_box(rule, shape, cell, false));
  return std::holds_alternative<Shown>(inside) ? out : inside;
}

}  // namespace

PartOutcome peeled(const Shape& shape, const Cell& cell) { return Peeling(shape, cell).run(); }

PartOutcome without_elements(std::span<const AllSizesPart> parts) {
  if (std::ranges::find(parts, AllSizesPart::Onto) == parts.end()) return Shown{};
  return LeftOpen{"whether the box of a tensor without elements has a slot"};
}

PartOutcome or_open(PartOutcome outcome) {
  if (auto* failed = std::get_if<Failed>(&outcome)) return LeftOpen{std::move(failed->why)};
  return outcome;
}

PartOutcome shown(AllSizesPart part, const map::Rule& rule, const Shape& shape, const Cell& cell) {
  if (shape.no_point) return without_elements(std::span(&part, 1));
  if (shape.escapes && part != AllSizesPart::Apart) {
    if (part == AllSizesPart::InBox && shape.attained) return Failed{"a number beyond its levels"};
    return LeftOpen{"a number beyond its levels"};
  }
  // Where not all digits are points, those that leave the box or meet may be none.
  const auto as_exact = [&](PartOutcome outcome) { return shape.exact ? outcome : or_open(std::move(outcome)); };
  const auto inside = [&] { return as_exact(in_box(rule, shape, cell, false)); };
  const auto inside_filled = [&] { return in_box(rule, shape, cell, true); };
  const auto never_meet = [&] {
    PartOutcome out = as_exact(apart(rule, shape, cell));
    for (const Shape& number : shape.numbers) {
      if (!std::holds_alternative<Shown>(out)) break;
      out = number.exact && !shape.escapes ? peeled(number, cell) : or_open(peeled(number, cell));
      if (!std::holds_alternative<Failed>(out)) continue;
      PartOutcome in = inside();  // elements of one number share a place there
      if (!std::holds_alternative<Shown>(in)) out = std::move(in);
    }
    return out;
  };
  switch (part) {
    case AllSizesPart::InBox: return inside();
    case AllSizesPart::Apart: return never_meet();
    case AllSizesPart::Decoded: return all_of(inside(), never_meet);
    case AllSizesPart::InFilled:
      if (!rule.numbers.empty()) return all_of(inside(), never_meet);
      return all_of(never_meet(), inside_filled, [&] { return fills(shape, cell, true); });
    case AllSizesPart::Counted: return or_open(all_of(inside(), never_meet));
    case AllSizesPart::Onto: {
      PartOutcome counted = or_open(all_of(inside(), never_meet));
      PartOutcome filled = fills(shape, cell, false);
      return std::holds_alternative<Shown>(counted) || std::holds_alternative<Failed>(filled) ? filled : counted;
    }
    case AllSizesPart::Identity: return LeftOpen{"the offset identity"};
  }
  VL_CHECK(false, "a part of no kind");
}

}  // namespace vl::engines
