#include "verifier/session/rule_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "encodings/use/guess.h"
#include "verifier/engines/polynomial/prove.h"

namespace vl::session {

using map::Expression;

std::vector<Expression> extents_of(const map::Rule& rule) {
  std::vector<Expression> out;
  for (const map::RulePlace& place : rule.places) out.push_back(place.extent);
  return out;
}

Expression bytes_of(const SizedRule& sized) {
  const Expression slots = map::product_of(extents_of(sized.rule));
  return sized.bits % 8 == 0 ? slots * (sized.bits / 8) : Expression::of(Expression::Kind::Ceil, slots * sized.bits, 8);
}

namespace {

constexpr const char* kNoBits = "the layout does not say how many bits a device element has";
constexpr const char* kNoMemory = "the layout has no memory, only other axes";

auto memory_of(const map::Rule& rule) {
  return std::ranges::find(rule.places, map::kMemoryAxis, &map::RulePlace::name);
}

// In which tile of its memory an element lies: terms within a tile are below one of them together.
std::optional<map::Rule> in_tiles(map::Rule rule, Index elements) {
  const auto memory = std::ranges::find(rule.places, map::kMemoryAxis, &map::RulePlace::name);
  const auto tiles = memory == rule.places.end() ? std::nullopt : use::quotient_of(memory->extent, elements);
  if (!tiles || memory->constant.number() != 0) return std::nullopt;
  memory->extent = *tiles;
  for (map::RuleTerm& term : std::exchange(memory->terms, {}))
    if (const auto each = use::quotient_of(term.coefficient, elements)) memory->terms.push_back({term.input, *each});
  return rule;
}

}  // namespace

std::variant<SizedRule, std::string> sized_rule(const map::Rule& rule, const use::Reading& reading) {
  if (reading.device_bits <= 0 && !reading.block_tile) return kNoBits;
  if (!reading.unsized.empty()) return reading.unsized;
  if (!reading.block_tile) return SizedRule{rule, reading.device_bits};
  const auto bits = checked_mul(reading.block_tile->bytes(), Index{8});
  auto tiles = in_tiles(rule, reading.block_tile->elements);
  if (!tiles || !bits || *bits > std::numeric_limits<int>::max()) return "its memory does not hold whole tiles";
  return SizedRule{std::move(*tiles), static_cast<int>(*bits)};
}

std::string why_no_addresses(const map::Rule& rule, const use::Reading& reading) {
  if (reading.device_bits <= 0) return kNoBits;
  for (const std::string& why : {reading.unsized, reading.spread})
    if (!why.empty()) return why;
  const bool none = rule.named_axes && memory_of(rule) == rule.places.end();
  return none ? kNoMemory : "";
}

std::variant<Expression, question::Unknown> room_left(const map::Rule& rule, const use::Reading& reading,
                                                      std::optional<Index> capacity) {
  using question::Reason;
  const auto sized = sized_rule(rule, reading);
  std::string why = sized.index() == 1 ? std::get<1>(sized) : reading.spread;
  if (why.empty() && rule.named_axes && memory_of(rule) == rule.places.end()) why = kNoMemory;
  if (!why.empty()) return question::Unknown{Reason::Unsupported, std::move(why), {}};
  const auto& [slots_of, bits] = std::get<0>(sized);
  const bool whole = bits % 8 == 0;
  const auto room = capacity ? checked_mul(*capacity, whole ? 1 : 8) : std::nullopt;
  if (!room) return question::Unknown{Reason::OutOfReach, "no small instance says how many bytes there are", {}};
  const Expression slots = rule.named_axes ? memory_of(slots_of)->extent : map::product_of(extents_of(slots_of));
  return Expression(*room) - slots * Expression(whole ? bits / 8 : bits);
}

Expression points_of(const map::Rule& rule) { return map::product_of(rule.logical) * map::product_of(rule.replicas); }

namespace {

bool is_plain(const Expression& e) {
  using Part = Expression::Kind;
  if (e.kind() == Part::Min || e.kind() == Part::Max || e.kind() == Part::Chosen) return false;
  return std::ranges::all_of(e.parts(), is_plain);
}

std::string print_simplified(const map::Rule& rule, const Expression& simplified) {
  std::vector<std::string> names;
  for (const map::Symbol& symbol : rule.symbols) names.push_back(symbol.name);
  return map::print(simplified, std::move(names));
}

}  // namespace

std::string print_of(const map::Rule& rule, const Expression& expression) {
  return print_simplified(rule, engines::simplified(rule, expression));
}

std::optional<std::string> value_of(const map::Rule& rule, const Expression& expression) {
  const Expression simplified = engines::simplified(rule, expression);
  return is_plain(simplified) ? std::optional(print_simplified(rule, simplified)) : std::nullopt;
}

namespace {

// Whether an expression is never below 0, which the engine shows.
bool is_never_negative(const map::Rule& rule, const Expression& e) {
  return engines::leaves_of_sign(rule, e, {.most_cells = 100}).proved();
}

// A condition in one of the ways in which it can be said: "P - N >= 0" of N <= P and of P > N - 1. What is never below
// 0 is 0 where it is at most 0: M = 1 is 1 - M >= 0.
std::string in_one_way(const map::Rule& rule, const map::Condition& condition) {
  using Relation = map::Condition::Relation;
  const Expression up = condition.left - condition.right, down = condition.right - condition.left;
  const auto at_least_0 = [](const Expression& e) { return map::print(e) + " >= 0"; };
  switch (condition.relation) {
    case Relation::AtLeast: return at_least_0(up);
    case Relation::Greater: return at_least_0(up - 1);
    case Relation::AtMost: return at_least_0(down);
    case Relation::Less: return at_least_0(down - 1);
    case Relation::Equal: break;
  }
  if (is_never_negative(rule, up)) return at_least_0(down);
  if (is_never_negative(rule, down)) return at_least_0(up);
  return std::min(map::print(up), map::print(down)) + " == 0";
}

// The parts of "P >= N or M = 1 and A = 1".
std::optional<std::vector<std::vector<map::Condition>>> alternatives_in(std::string_view text) {
  std::vector<std::vector<map::Condition>> out;
  for (std::size_t begin = 0; begin != std::string_view::npos;) {
    const std::size_t end = text.find(" or ", begin);
    std::string_view part = text.substr(begin, end - begin);
    while (part.ends_with(',') || part.ends_with(' ')) part.remove_suffix(1);
    auto conditions = map::parse_conditions(part);
    if (!conditions) return std::nullopt;
    out.push_back(std::move(*conditions));
    begin = end == std::string_view::npos ? end : end + 4;
  }
  return out;
}

}  // namespace

std::string sizes_in_words(const map::Rule& rule, const map::Sizes& sizes) {
  std::string out;
  for (const map::Symbol& symbol : rule.symbols)
    out += fmt::format("{}{}={}", out.empty() ? "" : ", ", symbol.name, sizes.find(symbol.name)->second);
  return out;
}

question::RuleView view_of(const map::Rule& rule, const std::vector<map::Condition>& where) {
  question::RuleView out;
  for (const map::Symbol& symbol : rule.symbols) out.symbols.emplace_back(symbol.name, symbol.low);
  for (const map::Condition& condition : where) out.where.push_back(map::print(condition));
  const Existence existence = existence_of(rule, where);
  for (const map::Condition& condition : existence.own) out.own.push_back(map::print(condition));
  out.exists = in_words(existence);
  return out;
}

bool same_alternatives(const map::Rule& rule, std::string_view said,
                       const std::vector<std::vector<map::Condition>>& holds) {
  const auto asked = alternatives_in(said);
  if (!asked) return said == question::in_words(holds);
  // Each in one way, in one order.
  const auto in_one_order = [&](const std::vector<std::vector<map::Condition>>& alternatives) {
    std::set<std::set<std::string>> out;
    for (const std::vector<map::Condition>& together : alternatives) {
      std::set<std::string> all;
      for (const map::Condition& condition : together) all.insert(in_one_way(rule, condition));
      out.insert(std::move(all));
    }
    return out;
  };
  return in_one_order(*asked) == in_one_order(holds);
}

bool same_value(const map::Rule& rule, const std::string& a, const std::string& b) {
  const auto one = map::parse_expression(a), other = map::parse_expression(b);
  if (!one || !other) return false;
  const Expression difference = *one - *other;
  if (map::print(difference) == "0") return true;
  std::vector<std::string> names;
  map::add_names(difference, names);
  const bool all_known = std::ranges::all_of(names, [&](const std::string& name) {
    return std::ranges::find(rule.symbols, name, &map::Symbol::name) != rule.symbols.end();
  });
  return all_known && is_never_negative(rule, difference) && is_never_negative(rule, Expression(0) - difference);
}

}  // namespace vl::session
