// The rules of targets: conditions about fields, read and judged.
#include "encodings/use/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "encodings/base/words.h"

namespace vl::use {
namespace {

using map::Expression;
using Relation = FieldComparison::Relation;

constexpr std::array<std::pair<std::string_view, Relation>, 7> kFieldRelations = {{{"!=", Relation::NotEqual},
                                                                                   {">=", Relation::AtLeast},
                                                                                   {"<=", Relation::AtMost},
                                                                                   {"==", Relation::Equal},
                                                                                   {"=", Relation::Equal},
                                                                                   {">", Relation::Greater},
                                                                                   {"<", Relation::Less}}};

// "box_0" is entry 0 of `box`.
struct Entry {
  std::string_view list;
  std::size_t number = 0;
};
std::optional<Entry> entry_of(std::string_view name) {
  const std::size_t at = name.rfind('_');
  if (at == std::string_view::npos || at + 1 == name.size()) return std::nullopt;
  Entry out{name.substr(0, at), 0};
  const auto [end, error] = std::from_chars(name.data() + at + 1, name.data() + name.size(), out.number);
  return error == std::errc{} && end == name.data() + name.size() ? std::optional(out) : std::nullopt;
}

class ConditionText {
 public:
  ConditionText(std::string_view text, const DescriptorKind& kind) : in_(text), kind_(kind) {}

  Result<std::vector<FieldComparison>> read() {
    std::vector<FieldComparison> out;
    do out.push_back(comparison());
    while (!in_.failed() && (in_.accept(",") || in_.accept("and")));
    in_.expect_end();
    if (in_.failed()) return in_.error();
    return out;
  }

 private:
  FieldComparison comparison() {
    FieldComparison out;
    in_.skip_space();
    const std::size_t start = in_.offset();
    out.left = operand();
    if (in_.accept("in")) {
      out.relation = Relation::In;
      in_.expect("(");
      do out.right.push_back(operand());
      while (!in_.failed() && in_.accept(","));
      in_.expect(")");
    } else {
      const auto found = std::ranges::find_if(kFieldRelations, [&](const auto& row) { return in_.accept(row.first); });
      if (found == kFieldRelations.end())
        in_.fail(fmt::format("expected a comparison, as in stride % 16 = 0, found {}", in_.found()));
      else out.relation = found->second;
      out.right.push_back(operand());
    }
    out.text = in_.text().substr(start, in_.offset() - start);
    while (out.text.ends_with(' ')) out.text.pop_back();
    return out;
  }

  // A word that is no name and no number of an expression, or an expression.
  FieldOperand operand() {
    in_.skip_space();
    const std::size_t at = in_.offset();
    const std::string_view rest = in_.text().substr(at);
    std::size_t end = 0;
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    while (end < rest.size() && (letter(rest[end]) || (rest[end] >= '0' && rest[end] <= '9'))) ++end;
    const std::string_view token = rest.substr(0, end);
    const bool number = std::ranges::none_of(token, letter);
    if (!number && !is_name(token) && (end == rest.size() || rest[end] != '(')) {
      if (!is_word(token))
        in_.fail(ErrorCode::Value, fmt::format("'{}' is neither a field of {} nor a word of one", token, kind_.name),
                 at);
      in_.move_to(at + end);
      return std::string(token);
    }
    const Expression out = map::take_expression(in_);
    std::vector<std::string> names;
    map::add_names(out, names);
    for (const std::string& name : names)
      if (!is_name(name)) in_.fail(ErrorCode::Value, fmt::format("'{}' is no field of {}", name, kind_.name), at);
    return out;
  }

  [[nodiscard]] bool is_name(std::string_view name) const {
    if (name == "entry" || has_field(kind_, name)) return true;
    const auto entry = entry_of(name);
    return entry && has_field(kind_, entry->list);
  }
  [[nodiscard]] bool is_word(std::string_view token) const {
    if (token == "yes" || token == "no" || token == "integer" || token == "floating" || token == "packed") return true;
    const auto one = [&](const DescriptorRow& row) {
      return fmt::format(" {} ", row.words).find(fmt::format(" {} ", token)) != std::string::npos;
    };
    return std::ranges::any_of(kind_.words, one) || std::ranges::any_of(kind_.fields, one);
  }

  Cursor in_;
  const DescriptorKind& kind_;
};

// The fields of one descriptor, as one entry of a rule sees them.
class Seen {
 public:
  Seen(const Descriptor& descriptor, std::optional<std::size_t> entry) : fields_(descriptor.fields), entry_(entry) {}

  // Null: the field, `missing`, is not stated.
  [[nodiscard]] std::optional<FieldValue> value(const std::string& name, std::string& missing) const {
    if (name == "entry" && entry_) return FieldValue(Expression(static_cast<Index>(*entry_)));
    if (const auto found = fields_.find(name); found != fields_.end()) {
      const DescriptorField& field = found->second;
      const std::size_t k = field.list ? entry_.value_or(field.values.size()) : 0;
      if (k < field.values.size()) return field.values[k];
    } else if (const auto entry = entry_of(name)) {
      const auto list = fields_.find(entry->list);
      if (list != fields_.end() && entry->number < list->second.values.size())
        return list->second.values[entry->number];
    }
    missing = name;
    return std::nullopt;
  }

  // The expression with values in the place of fields. Null: as above, or it has words where numbers are expected.
  [[nodiscard]] Result<std::optional<Expression>> substituted(const Expression& e, std::string& missing) const {
    if (e.kind() == Expression::Kind::Integer) return std::optional(e);
    if (e.kind() == Expression::Kind::Name) {
      const auto found = value(e.name(), missing);
      if (!found) return std::optional<Expression>();
      if (const auto* number = std::get_if<Expression>(&*found)) return std::optional(*number);
      return Error{ErrorCode::Value, fmt::format("'{}' is a word, and a rule computes with it", e.name()), 0};
    }
    const auto a = substituted(e.parts()[0], missing), b = substituted(e.parts()[1], missing);
    if (!a) return a.error();
    if (!b) return b.error();
    if (!*a || !*b) return std::optional<Expression>();
    const Expression out = Expression::of(e.kind(), **a, **b);
    // What is made of numbers is one, or leaves 64 bits, or divides by less than 1.
    if ((*a)->number() && (*b)->number() && !out.number())
      if (const auto value = map::evaluate(out, {}); !value) return value.error();
    return std::optional(out);
  }

 private:
  const DescriptorFields& fields_;
  std::optional<std::size_t> entry_;
};

enum class Truth { Yes, No, Open, Sized };

struct FieldSide {
  std::optional<FieldValue> value;
  [[nodiscard]] const Expression* expression() const { return value ? std::get_if<Expression>(&*value) : nullptr; }
  [[nodiscard]] std::optional<Index> number() const {
    return expression() != nullptr ? expression()->number() : std::nullopt;
  }
  [[nodiscard]] const std::string* word() const { return value ? std::get_if<std::string>(&*value) : nullptr; }
  [[nodiscard]] std::string text() const { return word() != nullptr ? *word() : map::print(*expression()); }
};

struct Compared {
  Truth truth = Truth::Yes;
  std::string text = {}, have = {}, want = {};
  std::string field = {};
  bool sized = false;  // names for sizes decide a part of it
  std::vector<map::Condition> laws = {};
};

Result<FieldSide> side_of(const FieldOperand& operand, const Seen& seen, std::string& missing) {
  if (const auto* literal = std::get_if<std::string>(&operand)) return FieldSide{FieldValue(*literal)};
  const auto& expression = std::get<Expression>(operand);
  if (expression.kind() == Expression::Kind::Name) return FieldSide{seen.value(expression.name(), missing)};
  const auto made = seen.substituted(expression, missing);
  if (!made) return made.error();
  return *made ? FieldSide{FieldValue(**made)} : FieldSide{};
}

bool holds(Relation relation, Index a, Index b) {
  switch (relation) {
    case Relation::Equal: return a == b;
    case Relation::NotEqual: return a != b;
    case Relation::Less: return a < b;
    case Relation::AtMost: return a <= b;
    case Relation::Greater: return a > b;
    case Relation::AtLeast: return a >= b;
    case Relation::In: break;
  }
  VL_CHECK(false, "a relation that compares no two numbers");
}

// Of two sides that are stated: whether the relation holds; nothing where names for sizes decide it.
Result<std::optional<bool>> related(Relation relation, const FieldSide& left, const FieldSide& right) {
  const bool same = relation == Relation::Equal || relation == Relation::In;
  if (left.word() != nullptr && right.word() != nullptr && (same || relation == Relation::NotEqual))
    return std::optional((*left.word() == *right.word()) == same);
  if (left.word() != nullptr || right.word() != nullptr)
    return Error{ErrorCode::Value, fmt::format("'{}' and '{}' are not compared", left.text(), right.text()), 0};
  if (!left.number() || !right.number()) {
    if (*left.expression() == *right.expression() && same) return std::optional(true);
    return std::optional<bool>();
  }
  return std::optional(holds(relation == Relation::In ? Relation::Equal : relation, *left.number(), *right.number()));
}

// The comparison with one of these, as one of expressions.
map::Condition law_of(Relation relation, const Expression& left, const std::vector<Expression>& right) {
  using Law = map::Condition::Relation;
  Expression product = left - right.front();
  for (std::size_t k = 1; k < right.size(); ++k) product = product * (left - right[k]);
  switch (relation) {
    case Relation::Equal: return {left, Law::Equal, right.front()};
    case Relation::NotEqual: return {product * product, Law::AtLeast, 1};
    case Relation::Less: return {left, Law::Less, right.front()};
    case Relation::AtMost: return {left, Law::AtMost, right.front()};
    case Relation::Greater: return {left, Law::Greater, right.front()};
    case Relation::AtLeast: return {left, Law::AtLeast, right.front()};
    case Relation::In:
      return right.size() == 1 ? map::Condition{left, Law::Equal, right.front()}
                               : map::Condition{product, Law::Equal, 0};
  }
  VL_CHECK(false, "a relation of no kind");
}

// The law where the conditions hold; elsewhere one that holds.
map::Condition law_where(const std::vector<map::Condition>& conditions, const map::Condition& law) {
  using Law = map::Condition::Relation;
  if (conditions.empty()) return law;
  const Expression other(law.relation == Law::Less ? -1 : law.relation == Law::Greater ? 1 : 0);
  Expression out = law.left - law.right;
  for (const auto& [left, relation, right, text] : conditions) {
    const auto where = [&](const Expression& a, const Expression& b) { out = Expression::chosen(a, b, out, other); };
    if (relation == Law::AtLeast || relation == Law::Equal) where(left, right);
    if (relation == Law::AtMost || relation == Law::Equal) where(right, left);
    if (relation == Law::Less) where(right, left + 1);
    if (relation == Law::Greater) where(left, right + 1);
  }
  return {out, law.relation, 0};
}

// `all`: what numbers decide has its law, too.
Result<Compared> compare(const FieldComparison& comparison, const Seen& seen, bool all) {
  Compared out{Truth::Open, comparison.text};
  auto left = side_of(comparison.left, seen, out.field);
  if (!left) return left.error();
  bool any = false, open = !left->value;
  std::vector<std::string> wanted;
  std::vector<Expression> sized, compared;
  for (const FieldOperand& operand : comparison.right) {
    auto right = side_of(operand, seen, out.field);
    if (!right) return right.error();
    if (!right->value) open = true;
    if (!left->value || !right->value) continue;
    wanted.push_back(right->text());
    const auto holding = related(comparison.relation, *left, *right);
    if (!holding) return holding.error();
    if (!*holding) sized.push_back(*right->expression());
    if (all && right->expression() != nullptr) compared.push_back(*right->expression());
    any = any || holding->value_or(false);
  }
  if (open && !any) return out;
  out.truth = any ? Truth::Yes : sized.empty() ? Truth::No : Truth::Sized;
  if (out.truth == Truth::Sized) out.sized = true, compared = std::move(sized);
  if (!compared.empty()) out.laws.push_back(law_of(comparison.relation, *left->expression(), compared));
  if (out.truth == Truth::No) out.have = left->text(), out.want = fmt::format("{}", fmt::join(wanted, ", "));
  return out;
}

// The conjunction: the first that is false, else the first that is open, else the first that sizes decide; with the
// laws of all that are not false.
Result<Compared> compare_all(const std::vector<FieldComparison>& comparisons, const Seen& seen, bool all = false) {
  Compared out;
  for (const FieldComparison& each : comparisons) {
    auto made = compare(each, seen, all);
    if (!made || made->truth == Truth::No) return made;
    std::vector<map::Condition> laws = std::move(out.laws);
    std::ranges::move(made->laws, std::back_inserter(laws));
    const bool sized = out.sized || made->sized;
    if (out.truth == Truth::Yes || (out.truth == Truth::Sized && made->truth == Truth::Open)) out = std::move(*made);
    out.sized = sized, out.laws = std::move(laws);
  }
  return out;
}

// Nothing where the rule says nothing of this entry.
Result<std::optional<RuleFinding>> judge_one(const TargetRule& rule, const Seen& seen, std::string name, bool all) {
  const auto when = compare_all(rule.when, seen);
  if (!when) return when.error();
  if (when->truth == Truth::No) return std::optional<RuleFinding>();
  auto then = compare_all(rule.holds, seen, all);
  if (!then) return then.error();
  using Outcome = RuleFinding::Outcome;
  RuleFinding out{Outcome::Holds, std::move(name), rule.level, rule.source};
  if (then->truth == Truth::Yes) return out.laws = std::move(then->laws), std::optional(std::move(out));
  // An erratum is about faulty drivers: where nobody says which one there is, nothing is said.
  if (rule.level == Authority::Erratum && when->truth == Truth::Open) return std::optional<RuleFinding>();
  out.text = then->text, out.have = then->have, out.want = then->want;
  if (when->truth == Truth::Open) return out.outcome = Outcome::Open, out.field = when->field, std::optional(out);
  const bool never = then->truth == Truth::No && when->truth == Truth::Sized;
  if (never) then->laws = {{0, map::Condition::Relation::AtLeast, 1}};
  for (const map::Condition& law : then->laws) out.laws.push_back(law_where(when->laws, law));
  const bool fails = then->truth == Truth::No && when->truth == Truth::Yes;
  out.outcome = fails ? Outcome::Fails : never || then->sized ? Outcome::Sized : Outcome::Open;
  if (then->truth == Truth::Open) out.field = then->field;
  return std::optional(std::move(out));
}

}  // namespace

std::string_view name(Authority level) {
  switch (level) {
    case Authority::Document: return "document";
    case Authority::Driver: return "driver";
    case Authority::Toolchain: return "toolchain";
    case Authority::Disputed: return "disputed";
    case Authority::Erratum: return "erratum";
  }
  VL_CHECK(false, "a rule of no level");
}

std::string in_words(const RuleFinding& finding) {
  return fmt::format("{}: expected {}, here it is {}; {} ({})", finding.rule, finding.text, finding.have,
                     finding.source, name(finding.level));
}

Result<std::vector<FieldComparison>> parse_rule_condition(std::string_view text, const DescriptorKind& kind) {
  return ConditionText(text, kind).read();
}

Result<std::vector<RuleFinding>> judge(const Target& target, const Descriptor& descriptor, Laws laws) {
  if (target.kind != descriptor.kind)
    return Error{ErrorCode::Value,
                 fmt::format("{} is {}; {} takes {}", descriptor.kind, descriptor_kind(descriptor.kind)->what,
                             target.name, descriptor_kind(target.kind)->what),
                 0};
  std::vector<RuleFinding> out;
  const auto add = [&](const TargetRule& rule, std::optional<std::size_t> entry) -> std::optional<Error> {
    std::string name = entry ? fmt::format("{}[{}]", rule.name, *entry) : rule.name;
    auto found = judge_one(rule, Seen(descriptor, entry), std::move(name), laws == Laws::All);
    if (!found) return Error{found.error().code, fmt::format("rule {}: {}", rule.name, found.error().message), 0};
    if (*found) out.push_back(std::move(**found));
    return std::nullopt;
  };
  for (const TargetRule& rule : target.rules) {
    if (rule.each.empty()) {
      if (auto wrong = add(rule, {})) return std::move(*wrong);
      continue;
    }
    const auto list = descriptor.fields.find(rule.each);
    if (list == descriptor.fields.end())
      out.push_back(
          {.outcome = RuleFinding::Outcome::Open, .rule = rule.name, .level = rule.level, .field = rule.each});
    for (std::size_t k = 0; list != descriptor.fields.end() && k < list->second.values.size(); ++k)
      if (auto wrong = add(rule, k)) return std::move(*wrong);
  }
  return out;
}

}  // namespace vl::use
