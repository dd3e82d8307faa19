#include "encodings/tirx/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace vl::tirx {
namespace {

using Kind = Node::Kind;

constexpr std::array<std::string_view, 7> kPrefixes = {
    "tvm.tirx.layout.", "tvm.tirx.script.", "tirx.layout.", "tvm.tirx.", "layout.", "tirx.", "T."};

// Names that texts use but upstream does not register, and the intended axes.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kMeant = {{{"tid", "tx"},
                                                                                  {"tlane", "TLane"},
                                                                                  {"tcol", "TCol"},
                                                                                  {"bank", "Bank"},
                                                                                  {"lane_id", "laneid"},
                                                                                  {"warp_id", "warpid"},
                                                                                  {"axis_tid_in_wg", "tid_in_wg"}}};
constexpr std::array<std::string_view, 4> kElsewhere = {"pid", "gpuid_x", "gpuid_y", "reg"};

std::optional<Index> narrow(__int128 value) {
  if (value < std::numeric_limits<Index>::min() || value > std::numeric_limits<Index>::max()) return std::nullopt;
  return static_cast<Index>(value);
}

// Python's floor division: the remainder has the divisor's sign. Requires: divisor != 0.
__int128 floor_quotient(__int128 a, __int128 b) {
  const __int128 quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::optional<Index> shifted(Index value, Index by, bool left) {
  if (!left) return by > 62 ? (value < 0 ? -1 : 0) : value >> by;
  if (value == 0) return 0;
  return by > 62 ? std::nullopt : checked_mul(value, Index{1} << by);
}

// Requires: exponent >= 0.
std::optional<Index> raised(Index base, Index exponent) {
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  std::optional<Index> out = 1;
  for (Index k = 0; out && k < exponent; ++k) out = checked_mul(*out, base);  // ends: beyond 2^63 there is no more
  return out;
}

}  // namespace

std::string_view without_prefix(std::string_view name) {
  for (const std::string_view prefix : kPrefixes)
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  return name;
}

const Node* typed_number(const Node& node) {
  if (node.kind != Kind::Call || node.children.size() != 2 || node.children[0].kind != Kind::Name ||
      node.children[1].kind == Kind::Keyword)
    return nullptr;
  const std::string_view called = without_prefix(node.children[0].text);
  return called == "int32" || called == "int64" ? &node.children[1] : nullptr;
}

std::optional<TwoIntegers> two_integers(const Node& node) {
  using Function = TwoIntegers::Function;
  constexpr std::array<std::pair<std::string_view, Function>, 9> kFunctions = {{{"ceildiv", Function::Ceil},
                                                                                {"cdiv", Function::Ceil},
                                                                                {"ceil_div", Function::Ceil},
                                                                                {"align", Function::RoundUp},
                                                                                {"round_up", Function::RoundUp},
                                                                                {"floordiv", Function::Quotient},
                                                                                {"floormod", Function::Remainder},
                                                                                {"min", Function::Min},
                                                                                {"max", Function::Max}}};
  if (node.kind != Kind::Call || node.children[0].kind != Kind::Name) return std::nullopt;
  const std::string_view called = without_prefix(node.children[0].text);
  if (called == "ceil" && node.children.size() == 2) {
    const Node& of = node.children[1];
    if (of.kind != Kind::Binary || of.text != "/") return std::nullopt;
    return TwoIntegers{Function::Ceil, &of.children[0], &of.children[1]};
  }
  for (const auto& [name, function] : kFunctions)
    if (called == name && node.children.size() == 3 && node.children[1].kind != Kind::Keyword &&
        node.children[2].kind != Kind::Keyword)
      return TwoIntegers{function, &node.children[1], &node.children[2]};
  return std::nullopt;
}

void Evaluation::fail(ErrorCode code, std::size_t offset, std::string message) {
  if (!error_) error_ = Error{code, std::move(message), offset};
}

Value Evaluation::evaluate(const Node& node) {
  if (error_) return Unknown{};
  switch (node.kind) {
    case Kind::Missing: return Unknown{};
    case Kind::Integer: return node.value;
    case Kind::Text: return node.text;
    case Kind::Flag: return node.value != 0;
    case Kind::Name: return name(node);
    case Kind::Tuple: {
      Values values;
      for (const Node& child : node.children) values.push_back(evaluate(child));
      return values;
    }
    case Kind::Call: return call(node);
    case Kind::Attribute: {
      const Value of = evaluate(node.children[0]);
      if (!of.unknown()) fail(ErrorCode::Syntax, node.offset, fmt::format("'{}' is not a known attribute", node.text));
      return Unknown{};
    }
    case Kind::Subscript: return subscript(node);
    case Kind::Slice:
      static_cast<void>(all(node));
      fail(ErrorCode::Syntax, node.offset, "extents and strides in one tuple; expected S[(8, 4) : (4, 1)]");
      return Unknown{};
    case Kind::Keyword:
      fail(ErrorCode::Syntax, node.offset, fmt::format("'{}=' has no place here", node.text));
      return Unknown{};
    case Kind::Dictionary: fail(ErrorCode::Syntax, node.offset, "a dictionary has no place here"); return Unknown{};
    case Kind::Unary: return unary(node);
    case Kind::Binary: return binary(node);
  }
  VL_CHECK(false, "a node of no kind");
}

Value Evaluation::name(const Node& node) {
  if (symbolic_.empty()) symbolic_ = node.text;
  return Unknown{};
}

Value Evaluation::all(const Node& node) {
  for (const Node& child : node.children) {
    const bool holds_more = child.kind == Kind::Slice || child.kind == Kind::Keyword || child.kind == Kind::Tuple;
    static_cast<void>(holds_more ? all(child) : evaluate(child));
  }
  return Unknown{};
}

Index Evaluation::integer(const Value& value, const Node& node, std::string_view what) {
  if (const Index* number = value.as<Index>()) return *number;
  if (!value.unknown()) fail(ErrorCode::Value, node.offset, fmt::format("{} is not an integer", what));
  return 1;
}

Axis Evaluation::axis(std::string_view name, std::size_t offset) {
  std::string_view last = without_prefix(name);
  if (last.starts_with("Axis.")) last.remove_prefix(5);
  if (const auto found = axis_of(last)) return *found;
  std::string hint;
  for (const auto& [written, meant] : kMeant)
    if (last == written) hint = fmt::format("; {} is meant", meant);
  if (std::ranges::find(kElsewhere, last) != kElsewhere.end()) hint = "; documents use it, upstream has no such axis";
  std::string known;
  for (const AxisInfo& row : axes()) known += fmt::format(" {}", row.name);
  fail(ErrorCode::Value, offset, fmt::format("'{}' is not a registered axis{}; the axes are{}", last, hint, known));
  return Axis::M;
}

Value Evaluation::number(std::optional<Index> value, const Node& node) {
  if (value) return *value;
  fail(ErrorCode::Overflow, node.mark, fmt::format("the result of '{}' does not fit in 64 bits", node.text));
  return Unknown{};
}

Value Evaluation::unary(const Node& node) {
  Value of = evaluate(node.children[0]);
  if (of.unknown()) return of;
  const Index value = integer(of, node, fmt::format("what '{}' stands before", node.text));
  if (node.text == "+") return value;
  return number(checked_mul(value, -1), node);
}

Value Evaluation::binary(const Node& node) {
  if (node.text == "@") return on_axis(node);
  const Value left = evaluate(node.children[0]);
  const Value right = evaluate(node.children[1]);
  if (error_) return Unknown{};
  if (node.text == "+") return sum(left, right, node);
  if (left.unknown() || right.unknown()) return Unknown{};
  if (left.as<Spec>() || left.as<Offset>())
    fail(ErrorCode::Syntax, node.mark,
         fmt::format("'{}' of a term on axes; terms are added, also negative ones", node.text));
  const Index a = integer(left, node, fmt::format("the left side of '{}'", node.text));
  const Index b = integer(right, node, fmt::format("the right side of '{}'", node.text));
  if (error_) return Unknown{};
  if (node.text == "-") return number(narrow(static_cast<__int128>(a) - b), node);
  if (node.text == "*") return number(checked_mul(a, b), node);
  if (node.text == "**") {
    if (b < 0) fail(ErrorCode::Value, node.mark, "a power with a negative exponent has a fraction");
    return error_ ? Value{Unknown{}} : number(raised(a, b), node);
  }
  if (node.text == "<<" || node.text == ">>") {
    if (b < 0) fail(ErrorCode::Value, node.mark, "a shift by a negative number");
    return error_ ? Value{Unknown{}} : number(shifted(a, b, node.text == "<<"), node);
  }
  if (node.text == "/") fail(ErrorCode::Value, node.mark, "'/' gives a number with a fraction; expected '//'");
  else if (b == 0) fail(ErrorCode::Value, node.mark, fmt::format("'{}' by zero", node.text));
  if (error_) return Unknown{};
  const __int128 quotient = floor_quotient(a, b);
  return number(narrow(node.text == "//" ? quotient : a - quotient * b), node);
}

Value Evaluation::on_axis(const Node& node) {
  const Node& right = node.children[1];
  const Value left = evaluate(node.children[0]);
  const Index value = integer(left, node.children[0], "what stands before '@'");
  if (right.kind != Kind::Name && right.kind != Kind::Text)
    fail(ErrorCode::Syntax, right.offset, "expected an axis behind '@', as in 4 @ laneid");
  if (error_) return Unknown{};
  const Axis at = axis(right.text, right.offset);
  return Offset{{at, value}};
}

void Evaluation::add_term(Offset& offset, Axis axis, Index value, std::size_t at) {
  const auto place = std::ranges::lower_bound(offset, axis, {}, &std::pair<Axis, Index>::first);
  if (place == offset.end() || place->first != axis) {
    offset.insert(place, {axis, value});
    return;
  }
  const auto total = checked_add(place->second, value);
  if (!total) fail(ErrorCode::Overflow, at, fmt::format("the offset of {} does not fit in 64 bits", info(axis).name));
  place->second = total.value_or(0);
}

// Numbers add up; beside terms on axes a number is one on m. S, R and the offset are collected.
Value Evaluation::sum(const Value& left, const Value& right, const Node& node) {
  if (left.as<Index>() && right.as<Index>()) return number(checked_add(*left.as<Index>(), *right.as<Index>()), node);
  const Spec* a = left.as<Spec>();
  const Spec* b = right.as<Spec>();
  if (a && b) return add_specs(*a, *b, node);
  if ((left.unknown() && !b) || (right.unknown() && !a)) return Unknown{};
  if (b && left.as<Offset>()) {
    fail(ErrorCode::Syntax, node.mark, "a term on an axis before S or R; expected it behind them");
    return Unknown{};
  }
  Spec spec = a ? *a : b ? *b : Spec{};
  for (const Value* part : {&left, &right}) {
    if (part->as<Spec>() || part->unknown()) continue;
    if (const Index* plain = part->as<Index>()) add_term(spec.offset, Axis::M, *plain, node.mark);
    else if (const Offset* terms = part->as<Offset>())
      for (const auto& [on, value] : *terms) add_term(spec.offset, on, value, node.mark);
    else fail(ErrorCode::Syntax, node.mark, "expected S[…], R[…] or an offset on both sides of '+'");
  }
  if (error_) return Unknown{};
  if (a || b) return spec;
  return spec.offset;
}

Value Evaluation::add_specs(const Spec& left, const Spec& right, const Node& node) {
  if (left.shard && right.shard)
    fail(ErrorCode::Syntax, node.mark, "a second S; upstream keeps the first one only: put both in one S[(…):(…)]");
  if (left.replica && right.replica)
    fail(ErrorCode::Syntax, node.mark, "a second R; upstream keeps the last one only: put both in one R[(…):(…)]");
  Spec both{left.shard ? left.shard : right.shard, left.replica ? left.replica : right.replica, left.offset};
  for (const auto& [on, value] : right.offset) add_term(both.offset, on, value, node.mark);
  return both;
}

Value Evaluation::subscript(const Node& node) {
  const Node& of = node.children[0];
  const std::string_view builder = of.kind == Kind::Name ? without_prefix(of.text) : std::string_view{};
  if (builder == "S" || builder == "R") return spec(node.children[1], builder == "S");
  const Value value = evaluate(of);
  if (!value.unknown()) fail(ErrorCode::Syntax, node.offset, "a subscript of something that has none");
  return all(node);
}

Value Evaluation::value_of(const TwoIntegers& of, const Node& node) {
  using Function = TwoIntegers::Function;
  const Value left = evaluate(*of.a), right = evaluate(*of.b);
  if (error_ || left.unknown() || right.unknown()) return Unknown{};
  const std::string_view called = node.children[0].text;
  const Index a = integer(left, *of.a, fmt::format("the first argument of {}", called));
  const Index b = integer(right, *of.b, fmt::format("the second argument of {}", called));
  if (error_) return Unknown{};
  if (of.function == Function::Min) return std::min(a, b);
  if (of.function == Function::Max) return std::max(a, b);
  if (b < 1) fail(ErrorCode::Value, of.b->offset, fmt::format("{} by {}; expected a divisor of at least 1", called, b));
  if (error_) return Unknown{};
  const __int128 quotient = floor_quotient(a, b);
  if (of.function == Function::Remainder) return narrow(a - quotient * b).value_or(0);  // below b
  const bool ceil = of.function == Function::Ceil || of.function == Function::RoundUp;
  const __int128 out = quotient + (ceil && quotient * b != a ? 1 : 0);
  if (of.function != Function::RoundUp) return narrow(out).value_or(0);  // not beyond a
  const auto rounded = narrow(out * b);
  if (!rounded) fail(ErrorCode::Overflow, node.offset, fmt::format("{} does not fit in 64 bits", called));
  return rounded.value_or(0);
}

Value Evaluation::call(const Node& node) {
  const Node& called = node.children[0];
  if (const Node* number = typed_number(node)) {
    Value value = evaluate(*number);
    const Index known = integer(value, *number, fmt::format("the argument of {}", called.text));
    if (known != static_cast<std::int32_t>(known) && without_prefix(called.text) == "int32")
      fail(ErrorCode::Overflow, number->offset, fmt::format("{} does not fit in 32 bits", known));
    return value;
  }
  if (const auto of = two_integers(node)) return value_of(*of, node);
  if (called.kind == Kind::Name)
    if (auto made = construct(*this, without_prefix(called.text), node)) return std::move(*made);
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    const Node& argument = node.children[i];
    static_cast<void>(evaluate(argument.kind == Kind::Keyword ? argument.children[0] : argument));
  }
  if (called.kind != Kind::Name && called.kind != Kind::Attribute)
    fail(ErrorCode::Syntax, called.offset, "a call of something that is not a function");
  static_cast<void>(evaluate(called));
  return Unknown{};
}

}  // namespace vl::tirx
