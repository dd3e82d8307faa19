#include "verifier/neutral/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "encodings/base/check.h"
#include "encodings/values/division.h"

namespace vl::neutral {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({"sum",       "prod",
                                                         "max",       "min",
                                                         "any",       "all",
                                                         "sumsq",     "dot",
                                                         "exx2",      "mean",
                                                         "layernorm", "rmsnorm",
                                                         "variance",  "welford",
                                                         "softmax",   "logsumexp",
                                                         "argmax",    "argmin",
                                                         "topk",      "topk-indices",
                                                         "sort",      "sort-descending",
                                                         "cumsum",    "cumsum-reverse",
                                                         "pointwise", "broadcast"});

bool one_of(Operation operation, std::initializer_list<Operation> operations) {
  return std::ranges::find(operations, operation) != operations.end();
}

// The value of a part of the tree: nothing if its pads were cut out and nothing is left. Of a fused evaluation the
// term of a leaf is kept, because a leaf on the right of a node is no code yet.
struct Part {
  std::optional<Code> value;
  std::optional<Term> term;
};

std::optional<Code> value_of(const Question& question, const Part& part) {
  return part.term ? std::optional(leaf(question, *part.term)) : part.value;
}

Part joined(const Question& question, const Part& left, const Part& right) {
  const auto a = value_of(question, left);
  if (!a) return right;
  if (right.term) return {next(question, *a, *right.term), {}};
  return {right.value ? combined(question, *a, *right.value) : *a, {}};
}

}  // namespace

std::string_view name(Operation operation) { return kNames[static_cast<std::size_t>(operation)]; }

std::optional<Operation> find_operation(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Operation>(found - kNames.begin());
}

std::vector<std::string> operation_names() { return {kNames.begin(), kNames.end()}; }

bool is_additive(Operation operation) {
  using enum Operation;
  return one_of(operation, {Sum, SumOfSquares, Exx2, Dot, Mean});
}
bool has_start(Operation operation) {
  using enum Operation;
  return is_additive(operation) ||
         one_of(operation, {LayerNorm, RmsNorm, Variance, Softmax, LogSumExp, CumSum, CumSumReverse});
}
bool is_square(Operation operation) { return one_of(operation, {Operation::SumOfSquares, Operation::Exx2}); }
bool is_row(Operation operation) { return operation >= Operation::LayerNorm; }
bool is_index(Operation operation) {
  using enum Operation;
  return one_of(operation, {ArgMax, ArgMin, TopKIndices});
}
bool is_ordering(Operation operation) {
  using enum Operation;
  return one_of(operation, {ArgMax, ArgMin, TopK, TopKIndices, Sort, SortDescending});
}

bool is_statistic(Operation operation) {
  using enum Operation;
  return one_of(operation, {LayerNorm, RmsNorm, Variance, Welford});
}

bool has_several_results(const Question& question) {
  using enum Operation;
  const Operation asked = question.operation;
  if (one_of(asked, {TopK, TopKIndices})) return question.k > 1;
  return is_row(asked) && !one_of(asked, {Variance, Welford, LogSumExp, ArgMax, ArgMin});
}

namespace {

// Whether the operation is about floats only, because it divides, or takes a power of e.
bool needs_floats(Operation operation) {
  using enum Operation;
  return one_of(operation, {Mean, LayerNorm, RmsNorm, Variance, Welford, Softmax, LogSumExp});
}

// Why an option has no meaning for an operation that is a row, or a mean.
std::string misfit_of_rows(const Question& question) {
  using enum Operation;
  const Operation asked = question.operation;
  const std::string_view operation = name(asked);
  const bool exponential = one_of(asked, {Softmax, LogSumExp}), top = one_of(asked, {TopK, TopKIndices});
  const bool cumulative = one_of(asked, {CumSum, CumSumReverse});
  if (needs_floats(asked) && !question.type.is_float())
    return fmt::format("{} is an operation on floats, not on {}", operation, question.type.name);
  if (question.divide == Divide::Padded && !one_of(asked, {Mean, LayerNorm, RmsNorm, Variance, Welford}))
    return fmt::format("{} divides by no count", operation);
  if (question.ties != Ties::First && !is_ordering(asked)) return fmt::format("{} breaks no ties", operation);
  if (question.pads != Pads::Anywhere && !is_ordering(asked) && !cumulative)
    return fmt::format("{} takes its pads wherever they are", operation);
  if (question.blocks != Blocks::Whole && !exponential) return fmt::format("{} has no blocks", operation);
  if (question.blocks != Blocks::Whole && !has_infinity(question.type))
    return fmt::format("blocks start with the maximum -inf, and {} has no infinity", question.type.name);
  if (question.k != 1 && !top) return fmt::format("{} takes no number k: only topk and topk-indices do", operation);
  if (question.k < 1 || question.k > kMostK) return fmt::format("k is {}, and not 1 to {}", question.k, kMostK);
  if (question.max == values::MaxRule::X86 && is_ordering(asked))
    return fmt::format("{} orders NaN before or behind all numbers: it has no rule x86", operation);
  if (question.max != values::MaxRule::NanWins && (exponential || one_of(asked, {Sort, SortDescending})))
    return fmt::format("NaN wins in {}: it has no other rule", operation);
  if (exponential && question.equal == Equality::Bits)
    return fmt::format("{} can make NaNs whose bits no fact states: results are not compared by bits", operation);
  const bool moves = is_ordering(asked) || one_of(asked, {Pointwise, Broadcast});
  if (moves && !(question.type == question.accumulate))
    return fmt::format("{} accumulates nothing: its results are {}", operation, question.type.name);
  return "";
}

}  // namespace

std::string misfit(const Question& question) {
  const std::string_view operation = name(question.operation);
  const Format &type = question.type, &wide = question.accumulate;
  const bool logical = question.operation == Operation::Any || question.operation == Operation::All;
  if (question.start != Start::First && !has_start(question.operation))
    return fmt::format("{} has no start {}: it does not add", operation, question.start == Start::Zero ? "+0" : "-0");
  if (question.start == Start::MinusZero && !has_negative_zero(wide))
    return fmt::format("{} has no -0 to start with", wide.name);
  if (auto message = misfit_of_rows(question); !message.empty()) return message;
  if (question.fused && !is_square(question.operation) && question.operation != Operation::Dot)
    return fmt::format("{} has no products to fuse: only sumsq and dot have", operation);
  if (logical && !(type == wide)) return fmt::format("{} accumulates truth values, and no {}", operation, wide.name);
  if (type.is_float() != wide.is_float())
    return fmt::format("integers are accumulated in integers and floats in floats: not {} in {}", type.name, wide.name);
  if (!values::is_exact(type, wide))
    return fmt::format("{} does not hold every number of {}; an accumulator has to", wide.name, type.name);
  if (question.contents.empty()) return fmt::format("the contents hold no code of {}", type.name);
  return "";
}

Code leaf(const Question& question, const Term& term) {
  const Format &type = question.type, &wide = question.accumulate;
  const auto widened = [&](Code code) { return type == wide ? code : values::convert(type, wide, code); };
  switch (question.operation) {
    case Operation::Sum:
    case Operation::Prod:
    case Operation::Max:
    case Operation::Min:
    case Operation::Mean: return widened(term.a);
    case Operation::Any:
    case Operation::All: return values::is_zero(type, term.a) ? 0 : 1;
    case Operation::SumOfSquares:
    case Operation::Exx2: return values::mul(wide, widened(term.a), widened(term.a), question.mode);
    case Operation::Dot: return values::mul(wide, widened(term.a), widened(term.b), question.mode);
    default: break;
  }
  VL_CHECK(is_row(question.operation), "an operation without leaves");
  return widened(term.a);
}

Code start_of(const Question& question) {
  return question.start == Start::MinusZero ? negative_zero(question.accumulate) : Code{0};
}

values::Flush flush_of(const Question& question) {
  const Format& wide = question.accumulate;
  const bool has_subnormals = wide.is_float() && wide.special != values::Special::NoSubnormals;
  return has_subnormals ? question.mode.flush : values::Flush::None;
}

Code combined(const Question& question, Code left, Code right) {
  const Format& wide = question.accumulate;
  switch (question.operation) {
    case Operation::Sum:
    case Operation::SumOfSquares:
    case Operation::Exx2:
    case Operation::Mean:
    case Operation::Dot: return values::add(wide, left, right, question.mode);
    case Operation::Prod: return values::mul(wide, left, right, question.mode);
    case Operation::Max: return values::maximum(wide, question.max, left, right);
    case Operation::Min: return values::minimum(wide, question.max, left, right);
    case Operation::Any: return left | right;
    case Operation::All: return left & right;
    default: break;
  }
  VL_CHECK(false, "an operation without nodes");
  return 0;
}

Code next(const Question& question, Code accumulator, const Term& term) {
  if (!question.fused) return combined(question, accumulator, leaf(question, term));
  const Format &type = question.type, &wide = question.accumulate;
  const auto widened = [&](Code code) { return type == wide ? code : values::convert(type, wide, code); };
  const Code b = question.operation == Operation::Dot ? term.b : term.a;
  return values::fma(wide, widened(term.a), widened(b), accumulator, question.mode);
}

bool equals(const Question& question, Code a, Code b) {
  if (a == b) return true;
  if (question.operation == Operation::Any || question.operation == Operation::All) return false;
  const Format& wide = question.accumulate;
  if (question.equal == Equality::Bits) return false;
  if (values::is_nan(wide, a) && values::is_nan(wide, b)) return true;
  return question.equal == Equality::AnyNanAndZero && values::is_zero(wide, a) && values::is_zero(wide, b);
}

bool fits(const Question& question, std::string_view shape) {
  if (question.tree == Tree::Any && !question.fused) return true;
  std::size_t depth = 0;
  for (const char sign : shape) {
    if (sign == '+' && depth != 2) return false;
    depth = sign == '+' ? 1 : depth + 1;
  }
  return true;
}

Code result(const Question& question, const Evaluation& evaluation, bool with_pads) {
  std::vector<Part> stack;
  stack.reserve(evaluation.shape.size());
  std::size_t valid = 0, pads = 0;
  for (const char sign : evaluation.shape) switch (sign) {
      case 's': stack.push_back({start_of(question), {}}); break;
      case 'c': stack.push_back({{}, evaluation.valid.at(valid++)}); break;
      case 'p':
        stack.push_back(with_pads ? Part{{}, evaluation.pads.at(pads)} : Part{});
        ++pads;
        break;
      default: {
        VL_CHECK(sign == '+' && stack.size() >= 2, "a shape that is no tree");
        const Part right = stack.back();
        stack.pop_back();
        stack.back() = joined(question, stack.back(), right);
      }
    }
  VL_CHECK(stack.size() == 1, "a shape that is no tree");
  const auto out = value_of(question, stack.front());
  VL_CHECK(out.has_value(), "an evaluation without terms");
  if (question.operation != Operation::Mean) return *out;
  const bool padded = with_pads && question.divide == Divide::Padded;
  const std::size_t count = evaluation.valid.size() + (padded ? evaluation.pads.size() : 0);
  return values::div(question.accumulate, *out, values::count_code(question.accumulate, count));
}

}  // namespace vl::neutral
