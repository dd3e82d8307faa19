// Stick expressions, from the IR of an operand's layout and its scales.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/spyre/operation.h"

namespace vl::spyre {
namespace {

using map::Coordinate;
using map::Digit;
using map::DigitSum;

// The operation's dimension of an input of the layout's map; nothing for replicas and inputs that no dimension names.
std::optional<std::size_t> dim_of(const use::Operand& operand, std::size_t input) {
  if (input >= operand.tensor.size.size()) return std::nullopt;
  const auto found = std::ranges::find(operand.scales, static_cast<Index>(input));
  if (found == operand.scales.end()) return std::nullopt;
  return static_cast<std::size_t>(found - operand.scales.begin());
}

std::string print(const Digit& digit, const std::string& name) {
  std::string out = digit.modulus != 0 ? fmt::format("Mod({}, {})", name, digit.modulus) : name;
  if (digit.divisor != 1) out = fmt::format("floor({} / {})", out, digit.divisor);
  return digit.coefficient == 1 ? out : fmt::format("{}*{}", digit.coefficient, out);
}

// The c for which lane(v) = (v + c) mod eps for all v, found by walking along v; nothing if there is none.
std::optional<Index> rotation(const map::Map& map, std::size_t input, std::size_t output, Index eps) {
  map::Evaluator evaluate(map);
  Point point(map.domain().rank(), 0);
  const Index start = evaluate(point)[output];
  for (; point[input] < map.domain().extent(input); ++point[input])
    if (evaluate(point)[output] != (point[input] + start) % eps) return std::nullopt;
  return start;
}

class StickReader {
 public:
  StickReader(const use::Operation& operation, std::size_t index)
      : operation_(operation),
        operand_(operation.operands[index]),
        layout_(in_sticks(operand_)),
        eps_(kStickBits / operand_.reading.device_bits),
        last_(layout_.physical().rank() - 1) {}

  Stick read() {
    const std::vector<Coordinate> outputs = map::digits_of(layout_.map());
    for (std::size_t input = 0; input < operand_.tensor.size.size(); ++input) {
      const auto dim = dim_of(operand_, input);
      if (!dim) continue;
      if (drives(outputs[last_], last_, input)) stick_.variables.insert(*dim);
    }
    for (std::size_t output = 0; output < last_; ++output)
      for (std::size_t input = 0; input < operand_.tensor.size.size(); ++input) {
        const auto dim = dim_of(operand_, input);
        if (!dim || stick_.variables.contains(*dim) || stick_.elsewhere.contains(*dim)) continue;
        if (drives(outputs[output], output, input)) stick_.elsewhere.insert(*dim);
      }
    shape(outputs[last_]);
    return std::move(stick_);
  }

 private:
  bool drives(const Coordinate& coordinate, std::size_t output, std::size_t input) {
    const auto answer = map::depends(layout_.map(), coordinate, output, input, steps_);
    stick_.decided = stick_.decided && answer.has_value();
    return answer.value_or(false);
  }

  // Text, offset, and whether the hardware accepts it.
  void shape(const Coordinate& lane) {
    if (const auto* sum = std::get_if<DigitSum>(&lane)) return shape(*sum);
    const auto& inputs = std::get<map::Mixture>(lane).inputs;
    std::vector<std::string> names;
    for (const std::size_t dim : stick_.variables) names.push_back(operation_.dims[dim].name);
    stick_.supported = false;
    stick_.text = fmt::format("a mixture of {}", fmt::join(names, " and "));
    if (stick_.variables.size() > 1 || !stick_.decided) return;
    if (stick_.variables.empty()) {  // a constant after all
      const Point origin(layout_.map().domain().rank(), 0);
      stick_.supported = true;
      stick_.offset = layout_.map().domain().volume() == 0 ? 0 : map::Evaluator(layout_.map())(origin)[last_];
      stick_.text = fmt::format("{}", stick_.offset);
      return;
    }
    const std::size_t input = driving(inputs);
    if (layout_.map().domain().extent(input) > kStickWalk) {
      stick_.decided = false;
      return;
    }
    const std::string& name = names.front();
    const auto start = rotation(layout_.map(), input, last_, eps_);
    stick_.supported = start.has_value();
    stick_.offset = start.value_or(0);
    stick_.text = !start        ? fmt::format("an irregular function of {}", name)
                  : *start == 0 ? fmt::format("Mod({}, {})", name, eps_)
                                : fmt::format("Mod({} + {}, {})", name, *start, eps_);
  }

  [[nodiscard]] std::size_t driving(const std::vector<std::size_t>& inputs) const {
    const auto drives = [&](std::size_t input) {
      const auto dim = dim_of(operand_, input);
      return dim && stick_.variables.contains(*dim);
    };
    return *std::ranges::find_if(inputs, drives);
  }

  void shape(const DigitSum& sum) {
    std::vector<std::string> terms;
    bool supported = sum.digits.size() <= 1;
    for (const Digit& digit : sum.digits) {
      const auto dim = dim_of(operand_, digit.input);
      if (!dim) {  // a replica: every lane holds the element
        terms.emplace_back("any lane");
        continue;
      }
      supported =
          supported && digit.coefficient == 1 && digit.divisor == 1 && (digit.modulus == 0 || digit.modulus == eps_);
      terms.push_back(print(digit, operation_.dims[*dim].name));
    }
    stick_.supported = supported;
    stick_.offset = sum.constant;
    if (sum.constant != 0 || terms.empty()) terms.push_back(fmt::format("{}", sum.constant));
    stick_.text = fmt::format("{}", fmt::join(terms, " + "));
  }

  const use::Operation& operation_;
  const use::Operand& operand_;
  const map::Layout layout_;
  Index eps_;
  std::size_t last_;
  Index steps_ = kStickWalk;
  Stick stick_;
};

}  // namespace

map::Layout in_sticks(const use::Operand& operand) {
  if (const map::Layout* layout = operand.reading.layout()) return *layout;
  const auto parsed = parse(operand.reading.normal);
  VL_CHECK(parsed.has_value(), "the normal form of a layout cannot be read");
  auto layout = lower(*parsed, operand.tensor);
  VL_CHECK(layout.has_value(), "the normal form of a layout has no map");
  return std::move(*layout);
}

Stick stick_of(const use::Operation& operation, std::size_t operand) { return StickReader(operation, operand).read(); }

MatmulRoles matmul_roles(const use::Operation& operation, const Stick& y) {
  MatmulRoles roles;
  const auto in = [&](std::size_t i, std::size_t d) { return use::has_dim(operation.operands[i], d); };
  for (std::size_t d = 0; d < operation.dims.size(); ++d) {
    if (in(0, d) && in(1, d) && !in(2, d)) roles.k = d;
    if (in(0, d) || !in(1, d) || !in(2, d)) continue;
    if (!roles.n || !y.variables.contains(*roles.n)) roles.n = d;
  }
  return roles;
}

}  // namespace vl::spyre
