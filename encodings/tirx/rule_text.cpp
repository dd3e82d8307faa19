#include "encodings/tirx/rule_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/tirx/blueprint.h"
#include "encodings/tirx/derive.h"
#include "encodings/tirx/value.h"

namespace vl::tirx {
namespace {

using Kind = Node::Kind;
using map::Expression;

using RuleIter = BasicIter<Expression>;
using RuleLayout = BasicLayout<Expression>;

// Reads the tree of a text that parse() accepts. It gives up at whatever has no place in a rule.
class RuleText {
 public:
  // A layout with S.
  std::optional<RuleLayout> read(const Node& node) {
    auto out = layout(node);
    return has_shard_ ? std::move(out) : std::nullopt;
  }
  [[nodiscard]] const std::string& why() const { return why_; }
  [[nodiscard]] std::size_t at() const { return at_; }  // where what is swizzled begins

 private:
  std::optional<RuleLayout> layout(const Node& node) {
    if (node.kind == Kind::Call && node.children[0].kind == Kind::Name) {
      const std::string_view called = without_prefix(node.children[0].text);
      if (called == "TileLayout" && node.children.size() == 2) return layout(argument(node, 1, "spec"));
      if (called == "ComposeLayout") return composed(node);
      return give_up(fmt::format("{}(…) of names", called));
    }
    RuleLayout out;
    if (!add(node, out.tile.emplace())) return std::nullopt;
    return out;
  }
  std::nullopt_t give_up(std::string what) {
    if (why_.empty()) why_ = std::move(what);
    return std::nullopt;
  }
  static const Node& argument(const Node& call, std::size_t at, std::string_view) {
    const Node& node = call.children[at];
    return node.kind == Kind::Keyword ? node.children[0] : node;
  }

  // ComposeLayout(3, 3, 3, TILE) by position, and ComposeLayout(SwizzleLayout(3, 3, 3), TILE).
  std::optional<RuleLayout> composed(const Node& call) {
    const auto plain = [](const Node& node) { return node.kind != Kind::Keyword; };
    const std::size_t given = call.children.size() - 1;
    if (!std::ranges::all_of(call.children, plain) || (given != 2 && given != 4))
      return give_up("a ComposeLayout with names and keywords");
    const Node& numbers = given == 2 ? call.children[1] : call;
    const bool numeric = given == 4 || (numbers.kind == Kind::Call && numbers.children.size() == 4);
    if (!numeric) return give_up("a SwizzleLayout with names or keywords");
    std::array<int, 3> swizzle{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto number = expression(numbers.children[k + 1]);
      if (!number || !number->number() || *number->number() < 0 || *number->number() > 62)
        return give_up("a swizzle whose numbers are names");
      swizzle[k] = static_cast<int>(*number->number());
    }
    auto out = layout(call.children[given]);
    if (!out || out->swizzle) return give_up("a swizzle of a swizzle");
    out->swizzle = SwizzleLayout{swizzle[0], swizzle[1], swizzle[2], true};
    at_ = call.children[given].offset;
    return out;
  }

  // Adds a sum of S, R and offsets.
  bool add(const Node& node, BasicTile<Expression>& out) {
    if (node.kind == Kind::Binary && node.text == "+" && has_spec(node))
      return add(node.children[0], out) && add(node.children[1], out);
    if (node.kind == Kind::Subscript && node.children[0].kind == Kind::Name) {
      const std::string_view builder = without_prefix(node.children[0].text);
      auto iters = iters_of(node.children[1]);
      if (!iters) return false;
      has_shard_ = has_shard_ || builder == "S";
      (builder == "S" ? out.shard : out.replica) = std::move(*iters);
      return true;
    }
    Axis axis = Axis::M;
    const auto value = term(node, axis);
    if (!value) return false;
    const auto known = std::ranges::find(out.offset, axis, &std::pair<Axis, Expression>::first);
    if (known == out.offset.end()) out.offset.emplace_back(axis, *value);
    else known->second = known->second + *value;
    return true;
  }
  static bool has_spec(const Node& node) {
    return node.kind == Kind::Subscript || std::ranges::any_of(node.children, [](const Node& child) {
             return (child.kind == Kind::Binary && child.text == "@") || has_spec(child);
           });
  }

  std::optional<Axis> axis_named(const Node& node) {
    std::string_view last = without_prefix(node.text);
    if (last.starts_with("Axis.")) last.remove_prefix(5);
    return node.kind == Kind::Name || node.kind == Kind::Text ? axis_of(last) : std::nullopt;
  }

  // n, n @ axis, "axis", (n, "axis").
  std::optional<Expression> term(const Node& node, Axis& axis) {
    const Node* number = &node;
    const Node* on = nullptr;
    if (node.kind == Kind::Binary && node.text == "@") number = &node.children[0], on = &node.children[1];
    if (node.kind == Kind::Tuple && node.children.size() == 2) number = &node.children[0], on = &node.children[1];
    if (node.kind == Kind::Text) number = nullptr, on = &node;
    if (on != nullptr) {
      const auto named = axis_named(*on);
      if (!named) return give_up("an axis that is a name");
      axis = *named;
    }
    return number != nullptr ? expression(*number) : std::optional(Expression(1));
  }

  std::optional<std::vector<RuleIter>> iters_of(const Node& index) {
    const bool slice = index.kind == Kind::Slice;
    const Node& extents = slice ? index.children[0] : index;
    const auto items = [](const Node& node) {
      return node.kind == Kind::Tuple ? std::span(node.children) : std::span(&node, 1);
    };
    std::vector<RuleIter> out;
    for (const Node& item : items(extents)) {
      auto extent = expression(item);
      if (!extent) return std::nullopt;
      out.push_back({std::move(*extent), {}, Axis::M});
    }
    std::size_t parts = 0;
    for (const RuleIter& iter : out) parts += iter.extent.size();
    if (parts > map::kMostParts) return give_up(fmt::format("a layout of more than {} parts", map::kMostParts));
    if (!slice) {
      Expression stride = 1;
      for (std::size_t k = out.size(); k-- > 0; stride = stride * out[k].extent) out[k].stride = stride;
      return out;
    }
    // A tuple of a number and a text is one stride on an axis.
    const Node& strides = index.children[1];
    const bool one = extents.kind != Kind::Tuple;
    const auto each = one ? std::span(&strides, 1) : items(strides);
    if (each.size() != out.size()) return give_up("extents or strides that are no list");
    for (std::size_t k = 0; k < out.size(); ++k) {
      auto stride = term(each[k].kind == Kind::Tuple && each[k].children.size() == 1 ? each[k].children[0] : each[k],
                         out[k].axis);
      if (!stride) return std::nullopt;
      out[k].stride = std::move(*stride);
    }
    return out;
  }

  static Expression::Kind kind_of(TwoIntegers::Function function) {
    switch (function) {
      case TwoIntegers::Function::Ceil: return Expression::Kind::Ceil;
      case TwoIntegers::Function::Quotient: return Expression::Kind::Quotient;
      case TwoIntegers::Function::Remainder: return Expression::Kind::Remainder;
      case TwoIntegers::Function::Min: return Expression::Kind::Min;
      case TwoIntegers::Function::Max: return Expression::Kind::Max;
      case TwoIntegers::Function::RoundUp: break;
    }
    VL_CHECK(false, "a function of no kind");
  }

  std::optional<Expression> expression(const Node& node) {
    if (node.kind == Kind::Integer) return node.value;
    if (node.kind == Kind::Name) {
      if (node.text.find('.') != std::string_view::npos) return give_up(fmt::format("the name {}", node.text));
      return Expression::named(std::string(node.text));
    }
    if (node.kind == Kind::Unary) {
      const auto of = expression(node.children[0]);
      if (!of) return std::nullopt;
      return node.text == "-" ? Expression(0) - *of : *of;
    }
    if (const Node* number = typed_number(node)) {
      // Where 32 bits end, the text ends; a rule would go on.
      if (without_prefix(node.children[0].text) == "int32" && number->kind != Kind::Integer)
        return give_up("T.int32(…) of names");
      return expression(*number);
    }
    const auto called = two_integers(node);
    if (!called && node.kind != Kind::Binary) return give_up("a part that is neither a number nor a name");
    const auto a = expression(called ? *called->a : node.children[0]);
    const auto b = expression(called ? *called->b : node.children[1]);
    if (!a || !b) return std::nullopt;
    if (a->size() + b->size() > 500) return give_up("an expression of more than 500 parts");
    if (called && called->function == TwoIntegers::Function::RoundUp)
      return Expression::of(Expression::Kind::Ceil, *a, *b) * *b;
    if (called) return Expression::of(kind_of(called->function), *a, *b);
    if (node.text == "+") return *a + *b;
    if (node.text == "-") return *a - *b;
    if (node.text == "*") return *a * *b;
    if (node.text == "//") return Expression::of(Expression::Kind::Quotient, *a, *b);
    if (node.text == "%") return Expression::of(Expression::Kind::Remainder, *a, *b);
    return give_up(fmt::format("'{}' of names", node.text));
  }

  std::string why_;
  bool has_shard_ = false;
  std::size_t at_ = 0;
};

Result<map::Rule> rule_of(const RuleLayout& layout, const map::RuleTensor& tensor) {
  auto blueprint = blueprint_of(*layout.tile, layout.swizzle, tensor);
  if (!blueprint) return blueprint.error();
  const Expression elements =
      tensor.size.empty() ? Expression(1) : blueprint->strides.front() * blueprint->logical.front();
  return map::counting_rule(std::move(*blueprint), elements, "the shard");
}

}  // namespace

std::optional<RuleShape> rule_shape(std::string_view text) {
  const auto tree = parse(text) ? read_expression(text) : Result<Node>(Error{});
  const auto layout = tree ? RuleText().read(*tree) : std::nullopt;
  if (!layout) return std::nullopt;
  RuleShape out{{}, axes_of(*layout->tile)};
  for (const RuleIter& iter : layout->tile->shard) out.extents.push_back(iter.extent);
  return out;
}

Result<use::Reading> read_rule(std::string_view text, const map::RuleTensor& tensor) {
  const auto parsed = parse(text);
  if (!parsed) {  // operations on a layout are no layout to parse()
    const auto derived = read_derived(text, {});
    return derived ? parsed.error() : derived.error();
  }
  const auto tree = read_expression(text);
  if (!tree) return tree.error();
  use::Reading reading{use::Undecidable{}, {}, std::string(text), {}, map::bits(tensor.type), {}};
  reading.values = map::name(tensor.type);
  RuleText in;
  const auto layout = in.read(*tree);
  if (!layout) {
    reading.what = use::Undecidable{
        fmt::format("{} {} not encoded for all sizes", in.why().empty() ? "a layout without S" : in.why(), "is")};
    return reading;
  }
  for (const Axis axis : axes_of(*layout->tile))
    if (layout->swizzle && axis != Axis::M)
      return Error{ErrorCode::Value,
                   fmt::format("a swizzle works on addresses: its tile must be on m alone, not on {}", info(axis).name),
                   in.at()};
  auto rule = rule_of(*layout, tensor);
  if (!rule) return rule.error();
  reading.rules = rules_of(*layout);
  std::vector<std::string> axes;
  for (const map::RulePlace& place : rule->places) axes.push_back(place.name);
  reading.own_span = own_span(axes, tensor.box, tensor.type);
  reading.what = std::move(*rule);
  return reading;
}

}  // namespace vl::tirx
