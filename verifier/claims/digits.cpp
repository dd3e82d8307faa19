#include "verifier/claims/digits.h"

#include <algorithm>
#include <set>

#include "verifier/engines/forms/symbolic.h"

namespace vl::claims {
namespace {

using engines::Node;
using engines::Symbolic;
using map::Term;

struct NodeDigit {
  const Node* node = nullptr;
  std::size_t number = 0;
};

NodeDigit node_digit(const Symbolic& symbolic, std::size_t atom) {
  for (const Node& node : symbolic.nodes()) {
    const auto found = std::ranges::find(node.digits, atom);
    if (found != node.digits.end()) return {&node, static_cast<std::size_t>(found - node.digits.begin())};
  }
  VL_CHECK(false, "an atom that is neither an input nor a digit");
}

bool nests(const NodeDigit& digit) {
  for (std::size_t i = 1; i <= digit.number; ++i)
    if (digit.node->weights[i - 1] % digit.node->weights[i] != 0) return false;
  return true;
}

// The terms of a digit's source that change the digit: if weights nest, multiples of the weight before it do not.
std::vector<Term> active_terms(const NodeDigit& digit) {
  std::vector<Term> terms = digit.node->source.terms;
  if (digit.number > 0 && nests(digit))
    std::erase_if(terms,
                  [&](const Term& term) { return term.coefficient % digit.node->weights[digit.number - 1] == 0; });
  return terms;
}

// Adds factor · atom to a coordinate. With L = w·Q + x + c, floor(L/w) is Q + floor((x+c)/w); below another weight of
// which Q's terms are multiples, it is that second part alone, mod the quotient of the weights.
bool add_atom(const Symbolic& symbolic, std::size_t atom, Index factor, Coordinate& out) {
  if (factor < 1) return false;
  if (atom < symbolic.input_count()) {
    out.digits.push_back({atom, 0, 1, 0, factor});
    return true;
  }
  const NodeDigit digit = node_digit(symbolic, atom);
  if (!nests(digit) || digit.node->source.constant < 0) return false;
  const Index weight = digit.node->weights[digit.number];
  const Index modulus = digit.number == 0 ? 0 : digit.node->weights[digit.number - 1] / weight;
  std::optional<std::size_t> rest;
  for (const Term& term : active_terms(digit)) {
    if (term.input >= symbolic.input_count()) return false;
    if (term.coefficient % weight == 0 && weight > 1) {
      const auto coefficient = checked_mul(factor, term.coefficient / weight);
      if (modulus != 0 || !coefficient || *coefficient < 1) return false;
      out.digits.push_back({term.input, 0, 1, 0, *coefficient});
    } else {
      if (term.coefficient != 1 || rest) return false;
      rest = term.input;
    }
  }
  const Index offset = digit.node->source.constant;
  if (rest) {
    out.digits.push_back({*rest, offset, weight, modulus, factor});
    return true;
  }
  const Index quotient = floor_div(offset, weight);
  return accumulate(out.constant, factor, modulus == 0 ? quotient : floor_mod(quotient, modulus));
}

std::optional<Coordinate> coordinate_of(const Symbolic& symbolic, const map::Row& row, const map::Space& domain) {
  Coordinate out{row.constant, {}};
  for (const Term& term : row.terms)
    if (!add_atom(symbolic, term.input, term.coefficient, out)) return std::nullopt;
  std::set<std::size_t> inputs;
  for (const Digit& digit : out.digits)  // the sum of an input and its offset fits in 64 bits
    if (!inputs.insert(digit.input).second || !checked_add(domain.extent(digit.input), digit.offset))
      return std::nullopt;
  return out;
}

void collect_inputs(const Symbolic& symbolic, std::span<const Term> terms, std::set<std::size_t>& inputs) {
  for (const Term& term : terms) {
    if (term.input < symbolic.input_count()) inputs.insert(term.input);
    else collect_inputs(symbolic, active_terms(node_digit(symbolic, term.input)), inputs);
  }
}

Range quotients(const Digit& digit, Range x) {
  return {floor_div(x.low + digit.offset, digit.weight), floor_div(x.high + digit.offset, digit.weight)};
}

bool wraps(const Digit& digit, Range q) {
  return digit.modulus != 0 && floor_div(q.low, digit.modulus) != floor_div(q.high, digit.modulus);
}

Index value_at(const Digit& digit, Index x) {
  const Index q = floor_div(x + digit.offset, digit.weight);
  return digit.modulus == 0 ? q : floor_mod(q, digit.modulus);
}

// The x with the smallest and with the largest digit. If the digit wraps within the range: the two sides of the last
// carry.
Range extreme_inputs(const Digit& digit, Range x) {
  const Range q = quotients(digit, x);
  if (!wraps(digit, q)) return x;
  const Index carry = floor_div(q.high, digit.modulus) * digit.modulus * digit.weight - digit.offset;
  return {carry, carry - 1};
}

// Whether the value of a coordinate determines each of its digits: every coefficient exceeds the reach of the smaller
// ones.
bool reveals(const Coordinate& coordinate, const Box& box) {
  std::vector<Digit> digits = coordinate.digits;
  std::ranges::sort(digits, {}, &Digit::coefficient);
  Index reach = 0;
  for (const Digit& digit : digits) {
    if (digit.coefficient <= reach) return false;
    const Range x = extreme_inputs(digit, box[digit.input]);
    if (!accumulate(reach, digit.coefficient, value_at(digit, x.high) - value_at(digit, x.low))) return false;
  }
  return true;
}

}  // namespace

std::optional<Structure> structure_of(const map::Layout& layout) {
  Symbolic symbolic(layout.domain());
  std::vector<map::Row> rows = symbolic.inputs();
  if (!symbolic.run(layout.map().stages(), rows)) return std::nullopt;
  Structure out;
  const std::size_t rank = layout.physical().rank();
  for (std::size_t j = 0; j < rank; ++j) out.coordinates.push_back(coordinate_of(symbolic, rows[j], layout.domain()));
  std::set<std::size_t> inputs;
  if (rank > 0) collect_inputs(symbolic, rows[rank - 1].terms, inputs);
  for (const std::size_t input : inputs) out.last_inputs.push_back(input);
  return out;
}

std::optional<Extremes> extremes_of(const Coordinate& coordinate, const Box& box) {
  Extremes out{{coordinate.constant, coordinate.constant}, {}, {}};
  for (const Range& range : box) out.low.push_back(range.low);
  out.high = out.low;
  for (const Digit& digit : coordinate.digits) {
    const Range x = extreme_inputs(digit, box[digit.input]);
    out.low[digit.input] = x.low;
    out.high[digit.input] = x.high;
    if (!accumulate(out.values.low, digit.coefficient, value_at(digit, x.low)) ||
        !accumulate(out.values.high, digit.coefficient, value_at(digit, x.high)))
      return std::nullopt;
  }
  return out;
}

std::optional<Quotient> known_quotient(const Structure& structure, std::size_t known, std::size_t input,
                                       const Box& box) {
  std::vector<Digit> digits;
  for (std::size_t j = 0; j < known; ++j)
    if (structure.coordinates[j] && reveals(*structure.coordinates[j], box))
      std::ranges::copy_if(structure.coordinates[j]->digits, std::back_inserter(digits),
                           [&](const Digit& digit) { return digit.input == input; });
  // Downwards from the top: a digit continues the known part if it starts at its end.
  std::ranges::sort(digits, std::ranges::greater{}, &Digit::weight);
  std::optional<Quotient> out;
  for (const Digit& digit : digits) {
    if (out && digit.offset != out->offset) return std::nullopt;
    if (digit.modulus != 0) {
      const auto above = checked_mul(digit.weight, digit.modulus);
      if (!above) return std::nullopt;
      const Range top = quotients({input, digit.offset, *above, 0, 1}, box[input]);
      const bool is_topmost = top.low == top.high;  // nothing above it varies
      if (!is_topmost && !(out && out->weight <= *above && *above % out->weight == 0)) break;
    }
    if (!out || digit.weight < out->weight) out = Quotient{digit.offset, digit.weight};
  }
  return out;
}

}  // namespace vl::claims
