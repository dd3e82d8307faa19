#include "encodings/map/digits.h"

#include <algorithm>
#include <set>

namespace vl::map {
namespace {

class Analysis {
 public:
  explicit Analysis(const Map& map) : domain_(map.domain()) {}

  [[nodiscard]] std::vector<Coordinate> inputs() const {
    std::vector<Coordinate> out;
    for (std::size_t i = 0; i < domain_.rank(); ++i)
      out.emplace_back(domain_.extent(i) > 1 ? DigitSum{0, {Digit{i, 1, 1, 0}}} : DigitSum{});
    return out;
  }

  [[nodiscard]] std::vector<Coordinate> step(const std::vector<Coordinate>& in, const Stage& stage) const {
    return std::visit(overloaded{[&](const Affine& affine) { return apply(in, affine); },
                                 [&](const Split& split) { return apply(in, split); },
                                 [&](const Swizzle& swizzle) { return apply(in, swizzle); }},
                      stage);
  }

 private:
  [[nodiscard]] std::vector<Coordinate> apply(const std::vector<Coordinate>& in, const Affine& affine) const {
    std::vector<Coordinate> out;
    for (const Row& row : affine.rows) out.push_back(combine(in, row));
    return out;
  }

  [[nodiscard]] std::vector<Coordinate> apply(const std::vector<Coordinate>& in, const Split& split) const {
    std::vector<Coordinate> out(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(split.input));
    Coordinate rest = in[split.input];
    for (const Index weight : split.weights) {
      auto [quotient, remainder] = divide(rest, weight);
      out.push_back(std::move(quotient));
      rest = std::move(remainder);
    }
    out.insert(out.end(), in.begin() + static_cast<std::ptrdiff_t>(split.input) + 1, in.end());
    return out;
  }

  [[nodiscard]] static std::vector<Coordinate> apply(std::vector<Coordinate> in, const Swizzle& swizzle) {
    in[swizzle.input] = Mixture{inputs_of(in[swizzle.input])};
    return in;
  }

  [[nodiscard]] static Coordinate combine(const std::vector<Coordinate>& in, const Row& row) {
    DigitSum sum{row.constant, {}};
    std::set<std::size_t> touched;
    bool mixed = row.constant < 0;
    for (const Term& term : row.terms) {
      for (const std::size_t input : inputs_of(in[term.input])) touched.insert(input);
      const auto* part = std::get_if<DigitSum>(&in[term.input]);
      mixed = mixed || part == nullptr || term.coefficient < 0 ||
              !accumulate(sum.constant, term.coefficient, part->constant);
      if (mixed) continue;
      for (const Digit& digit : part->digits) mixed = mixed || !add(sum, digit, term.coefficient);
    }
    if (mixed) return Mixture{{touched.begin(), touched.end()}};
    return sum;
  }

  // sum += factor·digit; the same digit twice is one with the sum of the coefficients. False when it leaves 64 bits.
  static bool add(DigitSum& sum, Digit digit, Index factor) {
    for (Digit& other : sum.digits)
      if (other.input == digit.input && other.divisor == digit.divisor && other.modulus == digit.modulus)
        return accumulate(other.coefficient, digit.coefficient, factor);
    const auto product = checked_mul(digit.coefficient, factor);
    digit.coefficient = product.value_or(0);
    sum.digits.push_back(digit);
    return product.has_value();
  }

  // floor(value / weight) and value mod weight.
  [[nodiscard]] std::pair<Coordinate, Coordinate> divide(const Coordinate& value, Index weight) const {
    const auto* sum = std::get_if<DigitSum>(&value);
    if (sum == nullptr) return {value, value};
    DigitSum quotient{sum->constant / weight, {}};
    DigitSum rest{sum->constant % weight, {}};
    bool carries = false;
    Index reach = rest.constant;  // the largest value of the rest
    const auto keep = [&](const Digit& digit) {
      carries = carries || !accumulate(reach, digit.coefficient, largest(digit, domain_.extent(digit.input)));
      rest.digits.push_back(digit);
    };
    for (const Digit& digit : sum->digits) {
      const Index a = digit.coefficient;
      if (a % weight == 0) {
        quotient.digits.push_back({digit.input, a / weight, digit.divisor, digit.modulus});
        continue;
      }
      const Index fold = weight % a == 0 ? weight / a : 0;  // so many steps of the digit make one of the quotient
      if (fold == 0 || largest(digit, domain_.extent(digit.input)) < fold) {
        keep(digit);
        continue;
      }
      const auto coarse = checked_mul(digit.divisor, fold);
      if (!coarse || (digit.modulus != 0 && digit.modulus % *coarse != 0)) {
        carries = true;
        continue;
      }
      quotient.digits.push_back({digit.input, 1, *coarse, digit.modulus});
      keep({digit.input, a, digit.divisor, *coarse});
    }
    if (!carries && reach < weight) return {std::move(quotient), std::move(rest)};
    // A carry: multiples of the weight still cannot reach the remainder.
    std::set<std::size_t> all;
    std::set<std::size_t> low;
    for (const Digit& digit : sum->digits) {
      all.insert(digit.input);
      if (digit.coefficient % weight != 0) low.insert(digit.input);
    }
    return {Mixture{{all.begin(), all.end()}}, Mixture{{low.begin(), low.end()}}};
  }

  const Space& domain_;
};

}  // namespace

Index largest(const Digit& digit, Index extent) {
  const Index last = digit.modulus != 0 ? std::min(extent - 1, digit.modulus - 1) : extent - 1;
  return last / digit.divisor;
}

Index value(const Digit& digit, Index x) {
  const Index kept = digit.modulus != 0 ? x % digit.modulus : x;
  return kept / digit.divisor * digit.coefficient;
}

std::vector<Coordinate> digits_of(const Map& map) {
  const Analysis analysis(map);
  std::vector<Coordinate> values = analysis.inputs();
  for (const Stage& stage : map.stages()) values = analysis.step(values, stage);
  return values;
}

std::vector<std::size_t> inputs_of(const Coordinate& coordinate) {
  if (const auto* mixture = std::get_if<Mixture>(&coordinate)) return mixture->inputs;
  std::set<std::size_t> inputs;
  for (const Digit& digit : std::get<DigitSum>(coordinate).digits) inputs.insert(digit.input);
  return {inputs.begin(), inputs.end()};
}

std::optional<bool> depends(const Map& map, const Coordinate& coordinate, std::size_t output, std::size_t input,
                            Index& steps) {
  const auto named = inputs_of(coordinate);
  if (std::ranges::find(named, input) == named.end()) return false;
  if (std::holds_alternative<DigitSum>(coordinate)) return true;
  // Neighbours along the input are enough: a function that is constant along every step is constant.
  const Space& domain = map.domain();
  Evaluator evaluate(map);
  Point point(domain.rank(), 0);
  if (domain.volume() == 0) return false;
  do {
    if (steps <= 0) return std::nullopt;
    --steps;
    if (point[input] + 1 >= domain.extent(input)) continue;
    const Index here = evaluate(point)[output];
    ++point[input];
    const bool moves = evaluate(point)[output] != here;
    --point[input];
    if (moves) return true;
  } while (map::advance(domain, point));
  return false;
}

}  // namespace vl::map
