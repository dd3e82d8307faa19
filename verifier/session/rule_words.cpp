#include "verifier/session/rule_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "verifier/engines/polynomial/prove.h"

namespace vl::session {

using map::Expression;

std::vector<Expression> extents_of(const map::Rule& rule) {
  std::vector<Expression> out;
  for (const map::RulePlace& place : rule.places) out.push_back(place.extent);
  return out;
}

std::variant<Expression, question::Unknown> room_left(const map::Rule& rule, const use::Reading& reading,
                                                      std::optional<Index> capacity) {
  using question::Reason;
  if (reading.device_bits <= 0)
    return question::Unknown{Reason::Unsupported, "the layout does not say how many bits a device element has", {}};
  for (const std::string& why : {reading.unsized, reading.spread})
    if (!why.empty()) return question::Unknown{Reason::Unsupported, why, {}};
  const auto memory = std::ranges::find(rule.places, map::kMemoryAxis, &map::RulePlace::name);
  if (rule.named_axes && memory == rule.places.end())
    return question::Unknown{Reason::Unsupported, "the layout has no memory, only other axes", {}};
  const bool whole = reading.device_bits % 8 == 0;
  const auto room = capacity ? checked_mul(*capacity, whole ? 1 : 8) : std::nullopt;
  if (!room) return question::Unknown{Reason::OutOfReach, "no small instance says how many bytes there are", {}};
  const Expression slots = rule.named_axes ? memory->extent : map::product_of(extents_of(rule));
  return Expression(*room) - slots * Expression(whole ? reading.device_bits / 8 : reading.device_bits);
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

// The parts of "P >= N or M = 1 and A = 1", in one order, without blanks and commas.
std::set<std::set<std::string>> alternatives(std::string_view text) {
  std::set<std::set<std::string>> out;
  std::set<std::string> all;
  std::string part, word;
  const auto end_part = [&] {
    if (!part.empty()) all.insert(std::exchange(part, {}));
  };
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ' ';
    if (c != ' ' && c != ',') {
      word += c;
      continue;
    }
    if (word == "and" || word == "or") end_part();
    else part += word;
    if (word == "or") out.insert(std::exchange(all, {}));
    word.clear();
  }
  end_part();
  out.insert(std::move(all));
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
  out.exists = exists_of(rule, where);
  return out;
}

bool same_alternatives(std::string_view a, std::string_view b) { return alternatives(a) == alternatives(b); }

bool same_value(const std::string& a, const std::string& b) {
  const auto one = map::parse_expression(a), other = map::parse_expression(b);
  return one && other && map::print(*one - *other) == "0";
}

}  // namespace vl::session
