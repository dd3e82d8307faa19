#include "encodings/map/digits.h"

#include <algorithm>
#include <limits>
#include <set>

#include "encodings/map/forms.h"
#include "encodings/map/run.h"

namespace vl::map {
namespace {

std::vector<std::size_t> sorted(const std::set<std::size_t>& inputs) { return {inputs.begin(), inputs.end()}; }

// Digit sums as a value domain (run.h): rows over digits of the inputs (forms.h). It refuses nothing: what is no such
// row is a mixture. With `shifts`, digits may have offsets, and what is negative on the way is kept; else it is a
// mixture.
class DigitSums {
 public:
  using Value = std::variant<Row, Mixture>;

  DigitSums(const Space& space, bool shifts)
      : forms_(extents_of(space), std::numeric_limits<std::size_t>::max()), shifts_(shifts) {
    for (std::size_t i = 0; i < space.rank(); ++i) sources_.push_back({i, 0});
  }

  [[nodiscard]] Row input(std::size_t i) { return forms_.row_of({i, 1, 0}); }

  bool row(const Row& row, std::span<const Value> in, Value& out) const {
    if (row.constant == 0 && row.terms.size() == 1 && row.terms[0].coefficient == 1) {  // most rows
      out = in[row.terms[0].input];
      return true;
    }
    std::vector<Row> rows(in.size());
    std::set<std::size_t> inputs;
    bool mixed = !shifts_ && row.constant < 0;
    for (const Term& term : row.terms) {
      inputs.merge(inputs_of(in[term.input]));
      const auto* part = std::get_if<Row>(&in[term.input]);
      mixed = mixed || part == nullptr || (!shifts_ && term.coefficient < 0);
      if (!mixed) rows[term.input] = *part;
    }
    auto sum = mixed ? std::nullopt : combined(row, rows);
    if (sum) out = std::move(*sum);
    else out = Mixture{sorted(inputs)};
    return true;
  }

  bool split(const Split& split, const Value& x, std::span<Value> digits) {
    if (const auto* row = std::get_if<Row>(&x)) return split_form(*this, *row, std::span(split.weights), digits);
    std::ranges::fill(digits, x);
    return true;
  }

  // What split_form() asks.
  static bool ready(const Row&) { return true; }
  [[nodiscard]] std::optional<Division> divide(const Row& row, Index weight) {
    auto parts = forms_.divide(row, weight);
    return parts || !shifts_ ? parts : carried(row, weight);
  }
  // A carry: multiples of the first weight still cannot reach what is left of it.
  bool otherwise(const Row& row, std::span<const Index> weights, std::span<Value> digits) const {
    std::ranges::fill(digits, Mixture{sorted(inputs_of(row, weights.front()))});
    digits.front() = Mixture{sorted(inputs_of(row))};
    return true;
  }

  bool swizzle(const Swizzle&, const Value& x, Value& out) const {
    out = Mixture{sorted(inputs_of(x))};
    return true;
  }

  [[nodiscard]] Coordinate coordinate(const Value& value) const {
    const auto* row = std::get_if<Row>(&value);
    if (row == nullptr) return std::get<Mixture>(value);
    if (row->constant < 0 || std::ranges::any_of(row->terms, [](const Term& term) { return term.coefficient < 0; }))
      return Mixture{sorted(inputs_of(value))};
    DigitSum sum{row->constant, {}};
    for (const Term& term : row->terms) {
      const RadixDigit& digit = forms_.digits()[term.input];
      const auto& [input, offset] = sources_[digit.source];
      sum.digits.push_back({input, term.coefficient, digit.low, digit.high, offset});
    }
    return sum;
  }

 private:
  [[nodiscard]] std::set<std::size_t> inputs_of(const Value& value, Index weight = 0) const {
    if (const auto* mixture = std::get_if<Mixture>(&value)) return {mixture->inputs.begin(), mixture->inputs.end()};
    std::set<std::size_t> inputs;
    for (const Term& term : std::get<Row>(value).terms)
      if (weight == 0 || term.coefficient % weight != 0)
        inputs.insert(sources_[forms_.digits()[term.input].source].input);
    return inputs;
  }

  // a·d + c + small, where small + c mod a < a and a | weight, beside multiples of the weight: the constant carries
  // into d = floor(x / low) alone. floor((x + low·(c div a)) / low), which is d + c div a, has the digits that are
  // asked for.
  [[nodiscard]] std::optional<Division> carried(const Row& row, Index weight) {
    Division parts{{floor_div(row.constant, weight), {}}, {}};
    for (const Term& term : row.terms) {
      if (term.coefficient % weight == 0) parts.quotient.terms.push_back({term.input, term.coefficient / weight});
      else parts.rest.terms.push_back(term);
    }
    const auto most = std::ranges::max_element(parts.rest.terms, {}, &Term::coefficient);
    if (most == parts.rest.terms.end() || most->coefficient < 1 || weight % most->coefficient != 0) return std::nullopt;
    const auto [carrier, a] = *most;
    parts.rest.terms.erase(most);
    const Index c = floor_mod(row.constant, weight);
    parts.rest.constant = c % a;
    const RadixDigit digit = forms_.digits()[carrier];
    const auto small = range_of(parts.rest, forms_.box());
    const auto shift = checked_mul(c / a, digit.low);
    const auto period = checked_mul(weight / a, digit.low);
    if (digit.high != 0 || !small || small->low < 0 || small->high >= a || !shift || *shift == 0 || !period)
      return std::nullopt;
    const auto extent = checked_add(forms_.extent(digit.source), *shift);
    const auto offset = checked_add(sources_[digit.source].offset, *shift);
    if (!extent || !offset) return std::nullopt;
    const std::size_t shifted = forms_.add_source(*extent);
    sources_.push_back({sources_[digit.source].input, *offset});
    if (!add(parts.quotient, forms_.row_of({shifted, *period, 0}), 1) ||
        !add(parts.rest, forms_.row_of({shifted, digit.low, *period}), a))
      return std::nullopt;
    return parts;
  }

  struct Source {
    std::size_t input = 0;
    Index offset = 0;
  };

  RadixDigits forms_;
  bool shifts_;
  std::vector<Source> sources_;  // each is an input plus an offset
};

std::vector<Coordinate> coordinates_of(const Map& map, bool shifts) {
  DigitSums sums(map.domain(), shifts);
  std::vector<DigitSums::Value> values;
  for (std::size_t i = 0; i < map.domain().rank(); ++i) values.emplace_back(sums.input(i));
  VL_CHECK(run(sums, map.stages(), values), "digit sums refuse nothing");
  std::vector<Coordinate> out;
  out.reserve(values.size());
  for (const DigitSums::Value& value : values) out.push_back(sums.coordinate(value));
  return out;
}

}  // namespace

Index largest(const Digit& digit, Index extent) {
  const Index last = digit.modulus != 0 ? std::min(extent - 1, digit.modulus - 1) : extent - 1;
  return last / digit.divisor;
}

Index value(const Digit& digit, Index x) {
  const Index shifted = x + digit.offset;
  return (digit.modulus != 0 ? shifted % digit.modulus : shifted) / digit.divisor;
}

std::vector<Coordinate> digits_of(const Map& map) { return coordinates_of(map, false); }

std::vector<Coordinate> shifted_digits_of(const Map& map) { return coordinates_of(map, true); }

std::vector<std::size_t> inputs_of(const Coordinate& coordinate) {
  if (const auto* mixture = std::get_if<Mixture>(&coordinate)) return mixture->inputs;
  std::set<std::size_t> inputs;
  for (const Digit& digit : std::get<DigitSum>(coordinate).digits) inputs.insert(digit.input);
  return sorted(inputs);
}

std::optional<bool> depends(const Map& map, const Coordinate& coordinate, std::size_t output, std::size_t input,
                            Index& steps) {
  const auto named = inputs_of(coordinate);
  if (std::ranges::find(named, input) == named.end()) return false;
  if (const auto* sum = std::get_if<DigitSum>(&coordinate)) {
    // Digits that begin at 0 grow together; one digit alone takes two values. Several with an offset may cancel out.
    const auto own = [&](const Digit& digit) { return digit.input == input; };
    const auto shifted = [&](const Digit& digit) { return own(digit) && digit.offset != 0; };
    if (std::ranges::count_if(sum->digits, own) == 1 || std::ranges::none_of(sum->digits, shifted)) return true;
  }
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
