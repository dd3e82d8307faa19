// Functions in StableHLO, drawn line by line: as a text, and as what it says.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "oracle/ops/scalar.h"
#include "tests/support/property.h"

namespace vl::test {

namespace ops = oracle::ops;
using values::Code;
using values::Format;

struct Type {
  const char* format;
  const char* in_mlir;
};
inline constexpr Type kTypes[] = {{"f8e5m2", "f8E5M2"}, {"f8e4m3", "f8E4M3FN"}, {"f16", "f16"}, {"bf16", "bf16"}};

enum class LineKind { Input, Number, Function, Reduce, Dot, Transpose, Broadcast, Slice, Concatenate };

struct Named {
  ops::Operation operation;
  const char* in_mlir;
};
inline constexpr Named kFunctions[] = {{ops::Operation::Abs, "abs"},        {ops::Operation::Neg, "negate"},
                                       {ops::Operation::Add, "add"},        {ops::Operation::Sub, "subtract"},
                                       {ops::Operation::Mul, "multiply"},   {ops::Operation::Maximum, "maximum"},
                                       {ops::Operation::Minimum, "minimum"}};
inline constexpr Named kReductions[] = {{ops::Operation::Sum, "add"},
                                        {ops::Operation::Prod, "multiply"},
                                        {ops::Operation::Max, "maximum"},
                                        {ops::Operation::Min, "minimum"}};

struct DrawnLine {
  LineKind kind = LineKind::Input;
  std::vector<Index> shape = {};
  std::vector<std::size_t> operands = {};
  Named named = {};
  std::size_t axis = 0;  // of a reduction, slice or concatenation; of a broadcast the one that is new
  Index first = 0;
  Code number = 0;
  const char *padding = "", *contents = "";
};

// A function of tensors of one type, in square tiles: each dimension is a multiple of a granule.
class DrawnFunction {
 public:
  explicit DrawnFunction(WideEngine& random) : random_(random) {
    type_ = one_of(random_, kTypes);
    granule_ = one_of(random_, {2, 4});
    for (auto count = 1 + random_.below(2); count > 0; --count) input();
    for (auto count = 1 + random_.below(6); count > 0; --count) line();
    while (lines_.back().kind == LineKind::Number) line();
  }

  [[nodiscard]] const std::vector<DrawnLine>& lines() const { return lines_; }
  [[nodiscard]] const Format& format() const { return *values::find_format(type_.format); }
  [[nodiscard]] Index padded(Index size) const { return (size + granule_ - 1) / granule_ * granule_; }
  [[nodiscard]] static std::string name_of(std::size_t line) { return fmt::format("v{}", line); }

  [[nodiscard]] std::string text() const {
    std::string inputs, padding, contents, body;
    for (std::size_t at = 0; at < lines_.size(); ++at) {
      const DrawnLine& line = lines_[at];
      if (line.kind != LineKind::Input) {
        body += in_words(at);
        continue;
      }
      inputs += fmt::format("{}%v{}: {}", inputs.empty() ? "" : ", ", at, tensor(line.shape));
      padding += fmt::format("{}v{}: {}", padding.empty() ? "" : "; ", at, line.padding);
      contents += fmt::format("{}v{}: {}", contents.empty() ? "" : "; ", at, line.contents);
    }
    const std::string out = tensor(lines_.back().shape);
    return fmt::format(
        "// vl: tile({0},{0}) padding {1} contents {2}\nfunc.func @f({3}) -> {4} {{\n{5}  return %v{6} : {4}\n}}\n",
        granule_, padding, contents, inputs, out, body, lines_.size() - 1);
  }

 private:
  [[nodiscard]] std::string tensor(const std::vector<Index>& shape) const {
    std::string out = "tensor<";
    for (const Index size : shape) out += fmt::format("{}x", size);
    return out + type_.in_mlir + ">";
  }
  [[nodiscard]] std::string digits(Code code) const { return fmt::format("0x{:0{}X}", code, format().bits / 4); }

  [[nodiscard]] std::string in_words(std::size_t at) const {
    const DrawnLine& line = lines_[at];
    std::string names, types;
    for (const std::size_t operand : line.operands) {
      names += fmt::format("{}%v{}", names.empty() ? "" : ", ", operand);
      types += (types.empty() ? "" : ", ") + tensor(lines_[operand].shape);
    }
    const std::string to = tensor(line.shape), signature = fmt::format("({}) -> {}", types, to);
    const std::vector<Index> from = line.operands.empty() ? std::vector<Index>() : lines_[line.operands[0]].shape;
    const auto said = [&](const std::string& what) { return fmt::format("  %v{} = stablehlo.{}\n", at, what); };
    switch (line.kind) {
      case LineKind::Number: return said(fmt::format("constant dense<{}> : {}", digits(line.number), to));
      case LineKind::Function: return said(fmt::format("{} {} : {}", line.named.in_mlir, names, to));
      case LineKind::Reduce:
        return fmt::format("  %c{} = stablehlo.constant dense<{}> : {}\n", at, digits(start_of(line.named)),
                           tensor({})) +
               said(fmt::format("reduce({} init: %c{}) applies stablehlo.{} across dimensions = [{}] : ({}, {}) -> {}",
                                names, at, line.named.in_mlir, line.axis, types, tensor({}), to));
      case LineKind::Dot:
        return said(fmt::format("dot_general {}, contracting_dims = [1] x [0] : {}", names, signature));
      case LineKind::Transpose: return said(fmt::format("transpose {}, dims = [1, 0] : {}", names, signature));
      case LineKind::Broadcast:
        return said(fmt::format("broadcast_in_dim {}, dims = [{}] : {}", names,
                                from.empty() ? std::string() : fmt::format("{}", 1 - line.axis), signature));
      case LineKind::Slice: {
        std::string cuts;
        for (std::size_t i = 0; i < from.size(); ++i) {
          const Index first = i == line.axis ? line.first : 0;
          cuts += fmt::format("{}{}:{}", cuts.empty() ? "" : ", ", first, first + line.shape[i]);
        }
        return said(fmt::format("slice {} [{}] : {}", names, cuts, signature));
      }
      case LineKind::Concatenate:
        return said(fmt::format("concatenate {}, dim = {} : {}", names, line.axis, signature));
      case LineKind::Input: break;
    }
    return "";
  }

  // The number that is neutral, as reducers have it.
  [[nodiscard]] Code start_of(const Named& reduction) const {
    const bool low = reduction.operation == ops::Operation::Max;
    if (reduction.operation == ops::Operation::Sum) return 0;
    if (reduction.operation == ops::Operation::Prod) return values::one(format());
    return has_infinity(format()) ? infinity(format(), low) : largest(format(), low);
  }

  void input() {
    DrawnLine line;
    line.shape = {roll(random_, 1, 3), roll(random_, 1, 3)};
    line.padding = one_of(random_, {"0", "0", "1", "unwritten", "finite", "[-1..1]"});
    line.contents = one_of(random_, {"finite", "finite", "any", "[-1..1]"});
    lines_.push_back(line);
  }

  [[nodiscard]] std::size_t some() {
    const std::size_t among = std::min<std::size_t>(lines_.size(), 3);
    return lines_.size() - 1 - random_.below(among);
  }
  [[nodiscard]] const std::vector<Index>& shape(std::size_t line) const { return lines_[line].shape; }
  void push(DrawnLine line) { lines_.push_back(std::move(line)); }

  void line() {
    const std::size_t a = some(), b = some();
    const std::size_t rank = shape(a).size();
    if (rank == 0 || random_.below(10) == 0) return number(a);
    switch (random_.below(8)) {
      case 0: return function(a, a, one_of(random_, {0, 1}));
      case 1: return function(a, shape(a) == shape(b) ? b : a, static_cast<int>(2 + random_.below(5)));
      case 2:
      case 3: return reduce(a);
      case 4: return dot(a, b);
      case 5: return rank == 2 ? push({LineKind::Transpose, {shape(a)[1], shape(a)[0]}, {a}}) : broadcast(a);
      case 6: return slice(a);
      default: return concatenate(a, b);
    }
  }
  // A number in the shape of a line, and a function of both.
  void number(std::size_t a) {
    DrawnLine of{LineKind::Number, {}};
    of.number = one_of(random_, {Code{0}, values::one(format()), format().sign() | values::one(format())});
    push(of);
    const std::size_t at = lines_.size() - 1;
    if (shape(a).empty()) return function(a, at, 2);
    push({LineKind::Broadcast, shape(a), {at}});
    function(a, at + 1, static_cast<int>(2 + random_.below(5)));
  }
  void function(std::size_t a, std::size_t b, int which) {
    const Named& named = kFunctions[which];
    push({LineKind::Function, shape(a), inputs_of(named.operation) == 1 ? std::vector{a} : std::vector{a, b}, named});
  }
  void reduce(std::size_t a) {
    const std::size_t axis = random_.below(shape(a).size());
    std::vector<Index> left = shape(a);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(axis));
    push({LineKind::Reduce, left, {a}, one_of(random_, kReductions), axis});
  }
  void dot(std::size_t a, std::size_t b) {
    const auto fits = [&](std::size_t left, std::size_t right) {
      return shape(left).size() == 2 && shape(right).size() == 2 && shape(left)[1] == shape(right)[0];
    };
    if (fits(a, b)) return push({LineKind::Dot, {shape(a)[0], shape(b)[1]}, {a, b}});
    if (shape(a).size() != 2) return broadcast(a);
    push({LineKind::Transpose, {shape(a)[1], shape(a)[0]}, {a}});
    push({LineKind::Dot, {shape(a)[0], shape(a)[0]}, {a, lines_.size() - 1}});
  }
  void broadcast(std::size_t a) {
    if (shape(a).size() != 1) return slice(a);
    const std::size_t axis = random_.below(2);
    std::vector<Index> to = shape(a);
    to.insert(to.begin() + static_cast<std::ptrdiff_t>(axis), roll(random_, 1, 3));
    push({LineKind::Broadcast, to, {a}, {}, axis});
  }
  // A part: what takes all of a tensor is no operation.
  void slice(std::size_t a) {
    const std::size_t axis = random_.below(shape(a).size());
    std::vector<Index> to = shape(a);
    if (to[axis] == 1) return function(a, a, 0);
    const Index length = roll(random_, 1, to[axis] - 1), first = roll(random_, 0, to[axis] - length);
    to[axis] = length;
    push({LineKind::Slice, to, {a}, {}, axis, first});
  }
  void concatenate(std::size_t a, std::size_t b) {
    const std::size_t axis = random_.below(shape(a).size());
    std::vector<Index> to = shape(a), other = shape(b);
    const bool fits = to.size() == other.size() && (to.size() == 1 || to[1 - axis] == other[1 - axis]);
    if (!fits) b = a;
    if (to[axis] + shape(b)[axis] > 5) return slice(a);
    to[axis] += shape(b)[axis];
    push({LineKind::Concatenate, to, {a, b}, {}, axis});
  }

  WideEngine& random_;
  Type type_ = {};
  Index granule_ = 2;
  std::vector<DrawnLine> lines_;
};

}  // namespace vl::test
