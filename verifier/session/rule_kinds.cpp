#include "verifier/session/rule_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "verifier/session/rule_words.h"

namespace vl::session {

using map::Expression;

namespace {

// `inner` in `outer`: each number is one coordinate of the outer box.
map::Rule in_box(const map::Rule& rule, std::span<const map::RuleNumber> numbers, std::span<const Expression> strides,
                 std::span<const Expression> inner, std::span<const Expression> outer) {
  map::Rule out;
  out.symbols = rule.symbols, out.where = rule.where, out.laws = rule.laws;
  for (const Expression& size : rule.logical)
    if (size.number().value_or(0) < 1) out.laws.push_back({size, map::Condition::Relation::AtLeast, 1, {}});
  out.logical.assign(inner.begin(), inner.end());
  out.strides.assign(strides.begin(), strides.end());
  for (std::size_t i = 0; i < outer.size(); ++i) {
    out.numbers.push_back({numbers[i].dims, 1});
    out.levels.push_back({1, outer[i]});
    map::RulePlace& place = out.places.emplace_back();
    place.name = fmt::format("p{}", i), place.extent = outer[i], place.constant = 0;
    place.terms.push_back({i, 1});
  }
  return out;
}

// The same coordinates in a greater box.
map::Rule in_greater(const map::Rule& rule, std::span<const Expression> inner, std::span<const Expression> outer) {
  std::vector<map::RuleNumber> numbers;
  for (std::size_t i = 0; i < inner.size(); ++i) numbers.push_back({{i}, 1});
  return in_box(rule, numbers, std::vector<Expression>(inner.size(), 1), inner, outer);
}

}  // namespace

std::variant<RulesOfKind, std::string> rules_of_kind(const ClaimRequest& claim, const use::Reading& reading) {
  const map::Rule& rule = *reading.rule_for_all_sizes();
  if (!reading.boxes) return "there is no array of all shards of it for all sizes; --at-sizes asks one size";
  const auto broken = std::ranges::find_if(reading.rules, [](const use::Rule& one) { return one.have != one.want; });
  if (broken != reading.rules.end()) return "a rule of the layout does not hold: " + broken->statement;
  const use::RuleBoxes& boxes = *reading.boxes;
  const SourceText* said = claim.text("kind");
  const std::string kind = said == nullptr ? std::string() : said->text;
  if (kind == "grid" && boxes.exact) return RulesOfKind{in_greater(rule, boxes.shared, boxes.slots)};
  if (kind == "grid") return RulesOfKind{in_greater(rule, boxes.array, boxes.shared)};
  if (kind == "gaps") return RulesOfKind{in_box(rule, rule.numbers, rule.strides, boxes.joined, boxes.array)};
  if (kind == "repeated") return RulesOfKind{in_greater(rule, boxes.joined, boxes.joined)};
  if (kind != "tile") return "a kind of padding is tile, grid, gaps or repeated";
  RulesOfKind out{boxes.exact ? in_greater(rule, boxes.array, boxes.shared)
                              : in_greater(rule, boxes.shared, boxes.slots)};
  if (boxes.joined != rule.logical) out.other = in_greater(rule, rule.logical, boxes.joined);
  return out;
}

bool has_one_place_each(const map::Rule& rule, const engines::AllSizesOptions& options) {
  constexpr engines::AllSizesPart kOnePlaceEach[] = {engines::AllSizesPart::InBox, engines::AllSizesPart::Apart};
  return engines::leaves_of(rule, kOnePlaceEach, options).proved();
}

Expression slots_of(const RulesOfKind& kind) {
  const auto left = [](const map::Rule& rule) {
    return map::product_of(extents_of(rule)) - map::product_of(rule.logical);
  };
  return kind.other ? left(kind.rule) + left(*kind.other) : left(kind.rule);
}

}  // namespace vl::session
