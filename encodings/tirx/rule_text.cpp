#include "encodings/tirx/rule_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/tirx/derive.h"
#include "encodings/tirx/value.h"

namespace vl::tirx {
namespace {

using Kind = Node::Kind;
using map::Expression;

struct RuleIter {
  Expression extent;
  Expression stride;
  Axis axis = Axis::M;
};

using RuleOffset = std::vector<std::pair<Axis, Expression>>;

// A tile whose numbers are expressions.
struct RuleTile {
  std::optional<std::vector<RuleIter>> shard;
  std::optional<std::vector<RuleIter>> replica;
  RuleOffset offset;
  std::optional<SwizzleLayout> swizzle;
  std::size_t at = 0;  // of what is swizzled, in the text
};

// Reads the tree of a text that parse() accepts. It gives up at whatever has no place in a rule.
class RuleText {
 public:
  std::optional<RuleTile> layout(const Node& node) {
    if (node.kind == Kind::Call && node.children[0].kind == Kind::Name) {
      const std::string_view called = without_prefix(node.children[0].text);
      if (called == "TileLayout" && node.children.size() == 2) return layout(argument(node, 1, "spec"));
      if (called == "ComposeLayout") return composed(node);
      return give_up(node, fmt::format("{}(…) of names", called));
    }
    RuleTile out;
    if (!add(node, out)) return std::nullopt;
    return out;
  }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  std::nullopt_t give_up(const Node&, std::string what) {
    if (why_.empty()) why_ = std::move(what);
    return std::nullopt;
  }
  static const Node& argument(const Node& call, std::size_t at, std::string_view) {
    const Node& node = call.children[at];
    return node.kind == Kind::Keyword ? node.children[0] : node;
  }

  // ComposeLayout(3, 3, 3, TILE) by position, and ComposeLayout(SwizzleLayout(3, 3, 3), TILE).
  std::optional<RuleTile> composed(const Node& call) {
    const auto plain = [](const Node& node) { return node.kind != Kind::Keyword; };
    const std::size_t given = call.children.size() - 1;
    if (!std::ranges::all_of(call.children, plain) || (given != 2 && given != 4))
      return give_up(call, "a ComposeLayout with names and keywords");
    const Node& numbers = given == 2 ? call.children[1] : call;
    const bool numeric = given == 4 || (numbers.kind == Kind::Call && numbers.children.size() == 4);
    if (!numeric) return give_up(call, "a SwizzleLayout with names or keywords");
    std::array<int, 3> swizzle{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto number = expression(numbers.children[k + 1]);
      if (!number || !number->number() || *number->number() < 0 || *number->number() > 62)
        return give_up(call, "a swizzle whose numbers are names");
      swizzle[k] = static_cast<int>(*number->number());
    }
    auto tile = layout(call.children[given]);
    if (!tile || tile->swizzle) return give_up(call, "a swizzle of a swizzle");
    tile->swizzle = SwizzleLayout{swizzle[0], swizzle[1], swizzle[2], true};
    tile->at = call.children[given].offset;
    return tile;
  }

  // Adds a sum of S, R and offsets.
  bool add(const Node& node, RuleTile& out) {
    if (node.kind == Kind::Binary && node.text == "+" && has_spec(node))
      return add(node.children[0], out) && add(node.children[1], out);
    if (node.kind == Kind::Subscript && node.children[0].kind == Kind::Name) {
      const std::string_view builder = without_prefix(node.children[0].text);
      auto iters = iters_of(node.children[1]);
      if (!iters) return false;
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
      if (!named) return give_up(node, "an axis that is a name");
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
    if (parts > map::kMostParts) return give_up(index, fmt::format("a layout of more than {} parts", map::kMostParts));
    if (!slice) {
      Expression stride = 1;
      for (std::size_t k = out.size(); k-- > 0; stride = stride * out[k].extent) out[k].stride = stride;
      return out;
    }
    // A tuple of a number and a text is one stride on an axis.
    const Node& strides = index.children[1];
    const bool one = extents.kind != Kind::Tuple;
    const auto each = one ? std::span(&strides, 1) : items(strides);
    if (each.size() != out.size()) return give_up(index, "extents or strides that are no list");
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
      if (node.text.find('.') != std::string_view::npos) return give_up(node, fmt::format("the name {}", node.text));
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
        return give_up(node, "T.int32(…) of names");
      return expression(*number);
    }
    const auto called = two_integers(node);
    if (!called && node.kind != Kind::Binary) return give_up(node, "a part that is neither a number nor a name");
    const auto a = expression(called ? *called->a : node.children[0]);
    const auto b = expression(called ? *called->b : node.children[1]);
    if (!a || !b) return std::nullopt;
    if (a->size() + b->size() > 500) return give_up(node, "an expression of more than 500 parts");
    if (called && called->function == TwoIntegers::Function::RoundUp)
      return Expression::of(Expression::Kind::Ceil, *a, *b) * *b;
    if (called) return Expression::of(kind_of(called->function), *a, *b);
    if (node.text == "+") return *a + *b;
    if (node.text == "-") return *a - *b;
    if (node.text == "*") return *a * *b;
    if (node.text == "//") return Expression::of(Expression::Kind::Quotient, *a, *b);
    if (node.text == "%") return Expression::of(Expression::Kind::Remainder, *a, *b);
    return give_up(node, fmt::format("'{}' of names", node.text));
  }

  std::string why_;
};

// The same tile with numbers that do not matter: its axes.
TileLayout axes_alone(const RuleTile& tile) {
  TileLayout out;
  for (const RuleIter& iter : *tile.shard) out.shard.push_back({1, 1, iter.axis});
  for (const RuleIter& iter : tile.replica.value_or(std::vector<RuleIter>{})) out.replica.push_back({1, 1, iter.axis});
  for (const auto& [axis, value] : tile.offset) out.offset.emplace_back(axis, 1);
  return out;
}

// The places of one axis: D + R + O, in a box as that of `lower`.
// `fits` gets what has to fit in 64 bits beside the box: the greatest coordinate, and minus the least one.
map::RulePlace place_of(const RuleTile& tile, Axis axis, const map::RuleTensor& tensor, bool with_bank,
                        std::vector<Expression>& fits) {
  map::RulePlace out;
  out.name = info(axis).name;
  out.unit = is_thread(axis) ? map::Unit::Lane : map::Unit::Element;
  for (const auto& [on, value] : tile.offset)
    if (on == axis) out.constant = value;
  Expression end = out.constant + 1, below = Expression(0) - out.constant;
  bool negative = false;
  std::size_t input = 0;
  for (const auto* iters : {&tile.shard, &tile.replica})
    for (const RuleIter& iter : iters->value_or(std::vector<RuleIter>{})) {
      if (iter.axis == axis) {
        out.terms.push_back({input, iter.stride});
        end = end + map::at_least(iter.stride, 0) * (iter.extent - 1);
        if (!map::is_never_negative(iter.stride)) {
          below = below + map::at_least(Expression(0) - iter.stride, 0) * (iter.extent - 1);
          negative = true;
        }
      }
      ++input;
    }
  const Expression span = map::at_least(end, 1);
  const auto declared =
      std::ranges::find_if(tensor.box, [&](const map::Extent& extent) { return axis_of(extent.axis) == axis; });
  const auto room = capacity(axis, map::bits(tensor.type), with_bank);
  const bool in_box = declared != tensor.box.end();
  if (in_box || room) fits.push_back(span);
  if (negative) fits.push_back(below);
  out.extent = in_box ? Expression(declared->extent) : room ? Expression(*room) : span;
  out.filled = in_box || !room ? out.extent : Expression::of(Expression::Kind::Min, out.extent, span);
  return out;
}

std::vector<Axis> physical_axes_of(const TileLayout& tile, const map::RuleTensor& tensor) {
  std::vector<Axis> out = axes_of({tile.shard, tile.replica, {}});
  const std::vector<Axis> named = axes_of(tile);
  for (const AxisInfo& row : axes()) {
    const bool declared =
        std::ranges::any_of(tensor.box, [&](const map::Extent& extent) { return axis_of(extent.axis) == row.axis; });
    if ((declared || std::ranges::count(named, row.axis) > 0) && std::ranges::count(out, row.axis) == 0)
      out.push_back(row.axis);
  }
  return out;
}

Result<map::Rule> rule_of(const RuleTile& tile, const map::RuleTensor& tensor) {
  map::Rule rule;
  rule.named_axes = true;
  rule.logical = tensor.size;
  rule.strides.resize(tensor.size.size());
  Expression number = 1;
  for (std::size_t i = tensor.size.size(); i-- > 0; number = number * tensor.size[i]) rule.strides[i] = number;
  rule.levels.resize(tile.shard->size());
  Expression weight = 1;
  for (std::size_t k = tile.shard->size(); k-- > 0; weight = weight * (*tile.shard)[k].extent)
    rule.levels[k] = {weight, (*tile.shard)[k].extent};
  if (weight.number() && number.number() && weight.number() != number.number())
    return Error{ErrorCode::Shape,
                 fmt::format("the tensor has {} elements, the shard {}", *number.number(), *weight.number())};
  // As many elements as the shard: where the two expressions are not the same, a condition on the sizes.
  if (map::print(number - weight) != "0") rule.where.push_back({number, map::Condition::Relation::Equal, weight, {}});
  for (const RuleIter& iter : tile.replica.value_or(std::vector<RuleIter>{})) rule.replicas.push_back(iter.extent);
  for (const auto* iters : {&tile.shard, &tile.replica})
    for (const RuleIter& iter : iters->value_or(std::vector<RuleIter>{})) map::add_extent(rule, iter.extent);
  const TileLayout bare = axes_alone(tile);
  const bool with_bank = std::ranges::count(axes_of(bare), Axis::Bank) > 0;
  for (const map::Extent& extent : tensor.box) {
    const auto axis = axis_of(extent.axis);
    if (!axis)
      return Error{ErrorCode::Box, fmt::format("the box declares '{}', which is not an axis of TIRx", extent.axis)};
    const auto room = capacity(*axis, map::bits(tensor.type), with_bank);
    if (room && extent.extent > *room)
      return Error{ErrorCode::Box,
                   fmt::format("the box declares {}={}; the axis has {} places", extent.axis, extent.extent, *room)};
  }
  for (const Axis axis : physical_axes_of(bare, tensor)) {
    if (axis == Axis::M && tile.swizzle)
      rule.swizzle = map::Swizzle{rule.places.size(), tile.swizzle->per_element, tile.swizzle->swizzle_len,
                                  tile.swizzle->atom_len, map::Swizzle::Direction::Down};
    rule.places.push_back(place_of(tile, axis, tensor, with_bank, rule.fits));
  }
  const auto is_extent = [&](const std::string& name) {  // of which TIRx has none below 1
    return std::ranges::any_of(rule.levels, [&](const auto& level) { return level.extent.name() == name; }) ||
           std::ranges::any_of(rule.replicas, [&](const Expression& extent) { return extent.name() == name; });
  };
  for (std::string& name : map::names_of(rule)) {
    const Index least = is_extent(name) ? 1 : 0;
    rule.symbols.push_back({std::move(name), 1, least});
  }
  return rule;
}

}  // namespace

std::optional<RuleShape> rule_shape(std::string_view text) {
  const auto tree = parse(text) ? read_expression(text) : Result<Node>(Error{});
  auto tile = tree ? RuleText().layout(*tree) : std::nullopt;
  if (!tile || !tile->shard) return std::nullopt;
  RuleShape out{{}, axes_of(axes_alone(*tile))};
  for (RuleIter& iter : *tile->shard) out.extents.push_back(std::move(iter.extent));
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
  auto tile = in.layout(*tree);
  if (tile && !tile->shard) tile.reset();
  if (!tile) {
    reading.what = use::Undecidable{
        fmt::format("{} {} not encoded for all sizes", in.why().empty() ? "a layout without S" : in.why(), "is")};
    return reading;
  }
  Layout bare{tile->swizzle, axes_alone(*tile)};
  if (tile->swizzle)
    for (const Axis axis : axes_of(*bare.tile))
      if (axis != Axis::M)
        return Error{
            ErrorCode::Value,
            fmt::format("a swizzle works on addresses: its tile must be on m alone, not on {}", info(axis).name),
            tile->at};
  auto rule = rule_of(*tile, tensor);
  if (!rule) return rule.error();
  reading.rules = rules_of(bare);
  std::vector<std::string> axes;
  for (const map::RulePlace& place : rule->places) axes.push_back(place.name);
  reading.own_span = own_span(axes, tensor.box, tensor.type);
  reading.what = std::move(*rule);
  return reading;
}

}  // namespace vl::tirx
