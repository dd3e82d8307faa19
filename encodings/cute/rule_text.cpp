#include "encodings/cute/rule_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "encodings/cute/reader.h"

namespace vl::cute {
namespace {

using map::Expression;
using RuleLayout = BasicLayout<Expression>;
using RuleMode = BasicMode<Expression>;

// The axis m, in a box as that of `lower`. `fits` gets what has to fit in 64 bits beside the box: the cosize, and minus
// the least address.
map::RulePlace place_of(const RuleLayout& layout, const std::vector<RuleMode>& leaves, const map::RuleTensor& tensor,
                        std::vector<Expression>& fits) {
  map::RulePlace out;
  out.name = map::kMemoryAxis;
  out.constant = layout.offset;
  Expression end = layout.offset + 1, below = Expression(0) - layout.offset;
  bool negative = !map::is_never_negative(layout.offset);
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const auto& [leaf, extent, stride, modes] = leaves[leaves.size() - 1 - k];
    out.terms.push_back({k, stride});
    end = end + map::at_least(stride, 0) * (extent - 1);
    if (map::is_never_negative(stride)) continue;
    below = below + map::at_least(Expression(0) - stride, 0) * (extent - 1);
    negative = true;
  }
  const Expression span = map::at_least(end, 1);
  if (!tensor.box.empty()) fits.push_back(span);
  if (negative) fits.push_back(below);
  out.extent = tensor.box.empty() ? span : Expression(tensor.box.front().extent);
  out.filled = out.extent;
  return out;
}

Result<map::Rule> rule_of(const RuleLayout& layout, const map::RuleTensor& tensor) {
  if (tensor.box.size() > 1 || (!tensor.box.empty() && tensor.box.front().axis != map::kMemoryAxis))
    return Error{ErrorCode::Box, "the box declares another axis; a CuTe layout has the one axis m"};
  if (tensor.view_offset.number() != 0)
    return Error{ErrorCode::Value, "a CuTe layout has no view offset: the pointer in front of it says where it starts"};
  map::Rule rule;
  rule.named_axes = true;
  rule.logical = tensor.size;
  Expression number = 1, weight = 1;
  for (const Expression& size : tensor.size) {
    rule.strides.push_back(number);
    number = number * size;
  }
  const std::vector<RuleMode> leaves = leaves_of(layout.mode);
  for (const RuleMode& leaf : leaves) {
    map::add_extent(rule, leaf.extent);
    rule.levels.insert(rule.levels.begin(), {weight, leaf.extent});
    weight = weight * leaf.extent;
  }
  if (weight.number() && number.number() && weight.number() != number.number())
    return Error{ErrorCode::Shape,
                 fmt::format("the tensor has {} elements, the layout {}", *number.number(), *weight.number())};
  // As many elements as the layout: where the two expressions are not the same, a condition on the sizes.
  if (map::print(number - weight) != "0") rule.where.push_back({number, map::Condition::Relation::Equal, weight, {}});
  rule.places.push_back(place_of(layout, leaves, tensor, rule.fits));
  if (const auto& swizzle = layout.swizzle; swizzle && swizzle->bits > 0)
    rule.swizzle = map::Swizzle{0, swizzle->base, swizzle->bits, std::abs(swizzle->shift),
                                swizzle->shift > 0 ? map::Swizzle::Direction::Down : map::Swizzle::Direction::Up};
  for (std::string& name : map::names_of(rule)) {
    const bool is_extent =
        std::ranges::any_of(leaves, [&](const RuleMode& leaf) { return leaf.extent.name() == name; });
    rule.symbols.push_back({std::move(name), 1, is_extent ? 1 : 0});
  }
  return rule;
}

// Why the numbers of a layout are too many for a rule; empty if they are not.
std::string too_long(const RuleLayout& layout) {
  std::size_t extents = 0, strides = 0;
  for (const RuleMode& leaf : leaves_of(layout.mode)) extents += leaf.extent.size(), strides += leaf.stride.size();
  if (extents + strides <= map::kMostParts) return {};
  return fmt::format("a layout of more than {} parts is not encoded for all sizes", map::kMostParts);
}

// The names that stand for integers: those in arithmetic, and those that are nested like an integer or like one of
// them. Another name may be a tuple, which CuTe takes for a mode.
std::vector<std::string> integers_of(const RuleLayout& layout) {
  std::vector<std::string> out;
  const auto is_integer = [&](const Expression& e) {
    return e.kind() != Expression::Kind::Name || std::ranges::find(out, e.name()) != out.end();
  };
  map::add_names(layout.offset, out);
  for (std::size_t before = out.size() + 1; before != out.size();) {
    before = out.size();
    for (const RuleMode& leaf : leaves_of(layout.mode))
      if (is_integer(leaf.extent) || is_integer(leaf.stride))
        map::add_names(leaf.extent, out), map::add_names(leaf.stride, out);
  }
  return out;
}

}  // namespace

std::optional<RuleShape> rule_shape(std::string_view text) {
  Reader<Expression> in(text);
  const auto layout = in.read();
  if (!layout || !in.symbolic().empty() || !in.has_strides() || !too_long(*layout).empty()) return std::nullopt;
  RuleShape out;
  for (const use::NamedSize& number : in.named()) map::add_names(number.value, out.names);
  const RuleMode& mode = layout->mode;
  for (const RuleMode& each : mode.leaf ? std::vector<RuleMode>{mode} : mode.modes) {
    Expression size = 1;
    for (const RuleMode& leaf : leaves_of(each)) size = size * leaf.extent;
    out.modes.push_back(std::move(size));
  }
  return integers_of(*layout).size() == out.names.size() ? std::optional(std::move(out)) : std::nullopt;
}

Result<use::Reading> read_rule(std::string_view text, const map::RuleTensor& tensor) {
  if (!recognises(text)) return Error{ErrorCode::Syntax, "expected a CuTe layout, as in (M,N):(N,1)", 0};
  Reader<Expression> in(text);
  const auto layout = in.read();
  if (!layout) return layout.error();
  use::Reading reading{use::Undecidable{in.symbolic()}, {}, std::string(text), {}, map::bits(tensor.type), {}};
  reading.values = map::name(tensor.type);
  reading.counts_first_fastest = true;
  if (tensor.box.empty()) reading.own_span.emplace_back(map::kMemoryAxis);
  std::string why = in.symbolic().empty() ? too_long(*layout) : in.symbolic();
  if (!why.empty()) {
    reading.what = use::Undecidable{std::move(why)};
    return reading;
  }
  auto rule = rule_of(*layout, tensor);
  if (!rule) return rule.error();
  reading.what = std::move(*rule);
  return reading;
}

Result<std::string> text_at(std::string_view text, const map::Sizes& sizes) {
  Reader<Expression> in(text);
  if (const auto layout = in.read(); !layout) return layout.error();
  return use::with_sizes(text, in.named(), sizes, std::numeric_limits<Index>::min());
}

}  // namespace vl::cute
