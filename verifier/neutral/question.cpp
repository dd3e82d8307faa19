#include "verifier/neutral/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "encodings/base/check.h"

namespace vl::neutral {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({"sum", "prod", "max", "min", "any", "all", "sumsq", "dot"});

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

bool is_additive(Operation operation) {
  return operation == Operation::Sum || operation == Operation::SumOfSquares || operation == Operation::Dot;
}

std::string misfit(const Question& question) {
  const std::string_view operation = name(question.operation);
  const Format &type = question.type, &wide = question.accumulate;
  const bool logical = question.operation == Operation::Any || question.operation == Operation::All;
  if (question.start != Start::First && !is_additive(question.operation))
    return fmt::format("{} has no start {}: only sum, sumsq and dot have", operation,
                       question.start == Start::Zero ? "+0" : "-0");
  if (question.start == Start::MinusZero && !has_negative_zero(wide))
    return fmt::format("{} has no -0 to start with", wide.name);
  if (question.fused && question.operation != Operation::SumOfSquares && question.operation != Operation::Dot)
    return fmt::format("{} has no products to fuse: only sumsq and dot have", operation);
  if (question.fused && question.tree != Tree::Sequential)
    return "fused products are added one after the other: they need the order seq";
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
    case Operation::Min: return widened(term.a);
    case Operation::Any:
    case Operation::All: return values::is_zero(type, term.a) ? 0 : 1;
    case Operation::SumOfSquares: return values::mul(wide, widened(term.a), widened(term.a), question.mode);
    case Operation::Dot: return values::mul(wide, widened(term.a), widened(term.b), question.mode);
  }
  VL_CHECK(false, "an operation without leaves");
  return 0;
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
    case Operation::Dot: return values::add(wide, left, right, question.mode);
    case Operation::Prod: return values::mul(wide, left, right, question.mode);
    case Operation::Max: return values::maximum(wide, question.max, left, right);
    case Operation::Min: return values::minimum(wide, question.max, left, right);
    case Operation::Any: return left | right;
    case Operation::All: return left & right;
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

Code result(const Question& question, const Evaluation& evaluation, bool with_pads) {
  std::vector<Part> stack;
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
  return *out;
}

}  // namespace vl::neutral
