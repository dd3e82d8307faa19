#include "encodings/cute/rule_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "encodings/cute/blueprint.h"
#include "encodings/cute/reader.h"
#include "encodings/use/notation.h"

namespace vl::cute {
namespace {

using map::Expression;
using RuleLayout = BasicLayout<Expression>;
using RuleMode = BasicMode<Expression>;

Result<map::Rule> rule_of(const RuleLayout& layout, const map::RuleTensor& tensor) {
  if (tensor.view_offset.number() != 0) return Error{ErrorCode::Value, std::string(kNoView)};
  auto blueprint = blueprint_of(layout, tensor);
  if (!blueprint) return blueprint.error();
  return map::counting_rule(std::move(*blueprint), map::product_of(tensor.size), "the layout");
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
  use::Reading reading = use::reading_of(text, tensor.type);
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
