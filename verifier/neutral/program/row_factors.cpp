#include "verifier/neutral/program/row_factors.h"

#include <algorithm>
#include <cmath>

#include "encodings/values/division.h"

namespace vl::neutral::program {
namespace {

// A way up from a factor: where it is, and which dimension of the factor each dimension there is.
class Way {
 public:
  Way(const Program& program, const States& states, std::size_t from, bool padding)
      : program_(program), states_(states), at_(from), padding_(padding), places_(all_axes(program.nodes[from])) {}

  [[nodiscard]] const Node& node() const { return program_.nodes[at_]; }
  [[nodiscard]] bool holds() const { return holds_ && !states_.has_masks(at_); }

  [[nodiscard]] bool is(Function function) const {
    return node().kind == Kind::Pointwise && node().function == function;
  }

  void take(std::size_t operand) {
    holds_ = holds();
    at_ = node().operands[operand];
  }

  // Up through lines that only move elements, and a maximum with -inf, which is how an init value is read.
  Way& moves() {
    while (holds_) {
      if (const auto other = beside_least()) {
        take(*other);
        continue;
      }
      if (node().kind != Kind::Broadcast && (node().kind != Kind::Reshape || padding_)) break;
      const Node &of = node(), &source = program_.nodes[of.operands[0]];
      std::vector<std::size_t> next(source.dimensions.size(), kNowhere);
      if (of.kind == Kind::Broadcast) {
        for (std::size_t i = 0; i < next.size(); ++i)
          if (of.axes[i] != kNowhere) next[i] = places_[of.axes[i]];
      } else {
        holds_ = reshaped(of, source, next);
      }
      places_ = std::move(next);
      take(0);
    }
    return *this;
  }

  // Of a maximum with -inf everywhere: the other operand.
  [[nodiscard]] std::optional<std::size_t> beside_least() const {
    if (!is(Function::Max) || node().rule != values::MaxRule::NanWins || !has_infinity(*node().type))
      return std::nullopt;
    const CodeSet least = CodeSet::of(infinity(*node().type, true));
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      const Sets sets = states_.of(node().operands[i]);
      if (std::ranges::all_of(sets, [&](const CodeSet& set) { return set.is_subset_of(least); })) return 1 - i;
    }
    return std::nullopt;
  }

  // Whether this is a reduction along one dimension of `of`, whose other dimensions are where the factor has them.
  [[nodiscard]] bool reduces(const Node& of, std::size_t dimension) const {
    if (!holds() || node().kind != Kind::Reduce || node().axes != std::vector{dimension}) return false;
    for (std::size_t i = 0, next = 0; i < of.dimensions.size(); ++i) {
      if (i == dimension) {
        next += node().keep ? 1 : 0;
        continue;
      }
      if (of.dimensions[i].size > 1 && places_[next] != i) return false;
      ++next;
    }
    return *node().accumulate == *of.type && *node().type == *of.type;
  }

 private:
  // Dimensions of more than one element stay in order.
  [[nodiscard]] bool reshaped(const Node& of, const Node& source, std::vector<std::size_t>& next) const {
    std::size_t from = 0;
    const auto skip = [&] {
      while (from < places_.size() && of.dimensions[from].size == 1) ++from;
    };
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (source.dimensions[i].size == 1) continue;
      skip();
      if (from == places_.size() || of.dimensions[from].size != source.dimensions[i].size) return false;
      next[i] = places_[from++];
    }
    skip();
    return from == places_.size();
  }

  const Program& program_;
  const States& states_;
  std::size_t at_;
  bool padding_, holds_ = true;
  std::vector<std::size_t> places_;
};

bool is_square_of(const Program& program, std::size_t node, std::size_t x) {
  const Node& of = program.nodes[node];
  if (of.kind != Kind::Pointwise || of.operands[0] != x) return false;
  return of.function == Function::Square || (of.function == Function::Mul && of.operands[1] == x);
}

}  // namespace

bool is_maximum_along(const Program& program, const States& states, std::size_t x, std::size_t factor,
                      std::size_t dimension, bool padding) {
  const Node& of = program.nodes[x];
  Way way(program, states, factor, padding);
  if (states.has_masks(x) || program.nodes[factor].dimensions.size() != of.dimensions.size()) return false;
  return way.moves().reduces(of, dimension) && way.node().operands[0] == x && way.node().operation == Operation::Max &&
         way.node().rule == values::MaxRule::NanWins;
}

bool is_scale_along(const Program& program, const States& states, std::size_t x, std::size_t factor,
                    std::size_t dimension, bool padding, bool divides) {
  const Node& of = program.nodes[x];
  Way way(program, states, factor, padding);
  if (states.has_masks(x) || program.nodes[factor].dimensions.size() != of.dimensions.size()) return false;
  way.moves();
  if (!divides && way.is(Function::Recip)) way.take(0), way.moves(), divides = true;
  if (!way.is(divides ? Function::Sqrt : Function::Rsqrt)) return false;
  way.take(0), way.moves();
  if (!way.is(Function::Add)) return false;
  const Format& f64 = *values::find_format("f64");
  const auto is_constant = [&](std::size_t operand) {
    const CodeSet set = states.of(way.node().operands[operand])[0];
    if (set.count() != 1) return false;
    const Code code = values::convert(*of.type, f64, set.ranges().front().first);
    return std::bit_cast<double>(code) >= 1e-12 && std::bit_cast<double>(code) <= 1;
  };
  if (!is_constant(0) && !is_constant(1)) return false;
  way.take(is_constant(1) ? 0 : 1), way.moves();
  // The sum over the number of elements is the mean.
  const auto is_count = [&](std::size_t operand) {
    const CodeSet set = states.of(operand)[0];
    const auto count = static_cast<double>(of.dimensions[dimension].size);
    return set.count() == 1 &&
           std::bit_cast<double>(values::convert(*of.type, f64, set.ranges().front().first)) == count;
  };
  const bool divided = way.is(Function::Div) && is_count(way.node().operands[1]);
  if (divided) way.take(0), way.moves();
  const Node& sum = way.node();
  return way.reduces(of, dimension) && is_square_of(program, sum.operands[0], x) &&
         !states.has_masks(sum.operands[0]) &&
         (divided ? sum.operation == Operation::Sum
                  : sum.operation == Operation::Mean && sum.divide == Divide::Logical);
}

std::optional<CodeSet> normed(const Format& format, Index n) {
  constexpr int kLeastBias = 127;
  if (!format.is_float() || !has_infinity(format) || format.bias < kLeastBias) return std::nullopt;
  const auto most = static_cast<std::uint64_t>(4 * (std::sqrt(static_cast<double>(n)) + 1));
  const Code bound = values::count_code(format, most);
  return numbers_between(format, order(format, values::negated(format, bound)), order(format, bound))
      .united(nans(format));
}

}  // namespace vl::neutral::program
