#include "verifier/session/rule_masks.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::session {

using map::Expression;

namespace {

// Parts between separators that stand in no brackets of their own.
std::vector<std::string> parts_of_shape(std::string_view text, char separator) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == separator && depth == 0) out.emplace_back();
    else out.back() += c;
  }
  return out;
}

std::string trimmed_size(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string_view::npos ? std::string() : std::string(text.substr(begin, end - begin + 1));
}

}  // namespace

std::variant<std::vector<Expression>, TextError, std::string> mask_shape(const ClaimRequest& claim) {
  const SourceText* mask = claim.text("mask");
  if (mask == nullptr) return "there is no mask";
  std::string text = trimmed_size(mask->text);
  if (text.empty() || text.find(':') != std::string::npos)
    return "a mask by regions is asked of one size; for all sizes it is a shape, as MxN";
  const bool listed = text.find(',') != std::string::npos;
  if (text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  std::vector<Expression> out;
  for (const std::string& part : parts_of_shape(text, listed ? ',' : 'x')) {
    auto size = map::parse_expression(trimmed_size(part));
    if (!size) return TextError{*mask, {size.error().code, size.error().message, 0}};
    out.push_back(std::move(*size));
  }
  if (out.size() < 2) return TextError{*mask, {ErrorCode::Value, "expected two sizes or more", 0}};
  return out;
}

std::optional<map::Rule> kept_by_mask(const map::Rule& rule, const std::vector<Expression>& shape) {
  map::Rule out = rule;
  out.places.clear(), out.named_axes = false;
  std::size_t next = 0, cores = 0;
  for (const map::RuleNumber& number : rule.numbers) {
    const auto is_core = [&](const map::RulePlace& place) {
      return place.unit == map::Unit::Core && place.constant.number() == 0 && place.terms.size() == 1 &&
             place.terms[0].input == next && place.terms[0].coefficient.number() == 1;
    };
    if (!number.of.empty() || number.levels < 2 || std::ranges::none_of(rule.places, is_core)) return std::nullopt;
    const map::RuleLevel &core = rule.levels[next], &cells = rule.levels[next + 1];
    const Expression shard = cells.weight * cells.extent;
    map::RulePlace& place = out.places.emplace_back();
    place.name = fmt::format("p{}", cores++), place.extent = core.extent * shard, place.constant = 0;
    place.terms.push_back({next, shard});
    for (std::size_t k = next + 1; k < next + number.levels; ++k) place.terms.push_back({k, rule.levels[k].weight});
    next += number.levels;
  }
  const auto all = static_cast<std::size_t>(std::ranges::count(rule.places, map::Unit::Core, &map::RulePlace::unit));
  if (cores < 2 || cores != all) return std::nullopt;
  for (const std::size_t from_end : {1U, 2U}) {
    Expression& extent = out.places[cores - from_end].extent;
    extent = Expression::of(Expression::Kind::Min, extent, shape[shape.size() - from_end]);
  }
  return out;
}

bool number_mask(ClaimRequest& claim, const map::Sizes& sizes) {
  const auto shape = mask_shape(claim);
  const auto* said = std::get_if<std::vector<Expression>>(&shape);
  if (said == nullptr) return true;  // whoever reads it says what is wrong
  std::string text;
  for (const Expression& size : *said) {
    const auto number = map::evaluate(size, sizes);
    if (!number) return false;
    text += fmt::format("{}{}", text.empty() ? "" : "x", *number);
  }
  for (ClaimArgument& argument : claim.arguments)
    if (argument.key == "mask") argument.text.text = text;
  return true;
}

}  // namespace vl::session
