#include "encodings/map/digits.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "encodings/map/forms.h"
#include "encodings/map/run.h"

namespace vl::map {
namespace {

std::vector<std::size_t> sorted(const std::set<std::size_t>& inputs) { return {inputs.begin(), inputs.end()}; }

// Digit sums as a value domain (run.h): rows over digits of the inputs (forms.h), no coefficient or constant negative.
// It refuses nothing: a value that is not such a row is a mixture.
class DigitSums {
 public:
  using Value = std::variant<Row, Mixture>;

  explicit DigitSums(const Space& space) : forms_(extents_of(space), space.rank()) {}

  [[nodiscard]] Row input(std::size_t i) { return forms_.row_of({i, 1, 0}); }

  bool row(const Row& row, std::span<const Value> in, Value& out) const {
    if (row.constant == 0 && row.terms.size() == 1 && row.terms[0].coefficient == 1) {  // most rows
      out = in[row.terms[0].input];
      return true;
    }
    std::vector<Row> rows(in.size());
    std::set<std::size_t> inputs;
    bool mixed = row.constant < 0;
    for (const Term& term : row.terms) {
      inputs.merge(inputs_of(in[term.input]));
      const auto* part = std::get_if<Row>(&in[term.input]);
      mixed = mixed || part == nullptr || term.coefficient < 0;
      if (!mixed) rows[term.input] = *part;
    }
    auto sum = mixed ? std::nullopt : combined(row, rows);
    if (sum) out = std::move(*sum);
    else out = Mixture{sorted(inputs)};
    return true;
  }

  bool split(const Split& split, Value rest, std::span<Value> digits) {
    for (std::size_t k = 0; k < digits.size(); ++k) std::tie(digits[k], rest) = divide(rest, split.weights[k]);
    return true;
  }

  bool swizzle(const Swizzle&, const Value& x, Value& out) const {
    out = Mixture{sorted(inputs_of(x))};
    return true;
  }

  [[nodiscard]] Coordinate coordinate(const Value& value) const {
    const auto* row = std::get_if<Row>(&value);
    if (row == nullptr) return std::get<Mixture>(value);
    DigitSum sum{row->constant, {}};
    for (const Term& term : row->terms) {
      const RadixDigit& digit = forms_.digits()[term.input];
      sum.digits.push_back({digit.source, term.coefficient, digit.low, digit.high});
    }
    return sum;
  }

 private:
  [[nodiscard]] std::set<std::size_t> inputs_of(const Value& value, Index weight = 0) const {
    if (const auto* mixture = std::get_if<Mixture>(&value)) return {mixture->inputs.begin(), mixture->inputs.end()};
    std::set<std::size_t> inputs;
    for (const Term& term : std::get<Row>(value).terms)
      if (weight == 0 || term.coefficient % weight != 0) inputs.insert(forms_.digits()[term.input].source);
    return inputs;
  }

  // floor(value / weight) and value mod weight.
  [[nodiscard]] std::pair<Value, Value> divide(const Value& value, Index weight) {
    const auto* row = std::get_if<Row>(&value);
    if (row == nullptr) return {value, value};
    if (auto parts = forms_.divide(*row, weight)) return {std::move(parts->quotient), std::move(parts->rest)};
    // A carry. Multiples of the weight still do not change the remainder.
    return {Mixture{sorted(inputs_of(value))}, Mixture{sorted(inputs_of(value, weight))}};
  }

  RadixDigits forms_;
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
  DigitSums sums(map.domain());
  std::vector<DigitSums::Value> values;
  for (std::size_t i = 0; i < map.domain().rank(); ++i) values.emplace_back(sums.input(i));
  VL_CHECK(run(sums, map.stages(), values), "digit sums refuse nothing");
  std::vector<Coordinate> out;
  for (const DigitSums::Value& value : values) out.push_back(sums.coordinate(value));
  return out;
}

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
