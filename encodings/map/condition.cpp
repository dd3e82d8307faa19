// Conditions between expressions: read, printed, and whether they hold at some sizes.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "encodings/map/expression.h"

namespace vl::map {
namespace {

constexpr std::array<std::pair<std::string_view, Condition::Relation>, 6> kRelations = {
    {{">=", Condition::Relation::AtLeast},
     {"<=", Condition::Relation::AtMost},
     {"==", Condition::Relation::Equal},
     {"=", Condition::Relation::Equal},
     {">", Condition::Relation::Greater},
     {"<", Condition::Relation::Less}}};

}  // namespace

Result<std::vector<Condition>> parse_conditions(std::string_view text) {
  Cursor in(text);
  std::vector<Condition> out;
  do {
    Condition condition;
    in.skip_space();
    const std::size_t start = in.offset();
    condition.left = take_expression(in);
    const auto found = std::ranges::find_if(kRelations, [&](const auto& row) { return in.accept(row.first); });
    if (found == kRelations.end())
      in.fail(fmt::format("expected a comparison, as in P >= N or M % 64 == 0, found {}", in.found()));
    else condition.relation = found->second;
    condition.right = take_expression(in);
    condition.text = text.substr(start, in.offset() - start);
    while (condition.text.ends_with(' ')) condition.text.pop_back();
    out.push_back(std::move(condition));
    if (out.size() > 64) in.fail("more than 64 conditions");
  } while (!in.failed() && (in.accept(",") || in.accept("and")));
  in.expect_end();
  if (in.failed()) return in.error();
  return out;
}

std::string print(const Condition& condition) {
  if (!condition.text.empty()) return condition.text;
  const auto row =
      std::ranges::find(kRelations, condition.relation, &std::pair<std::string_view, Condition::Relation>::second);
  return fmt::format("{} {} {}", print(condition.left), row->first, print(condition.right));
}

Result<bool> holds(const Condition& condition, const Sizes& sizes) {
  const auto left = evaluate(condition.left, sizes);
  const auto right = evaluate(condition.right, sizes);
  if (!left) return left.error();
  if (!right) return right.error();
  switch (condition.relation) {
    case Condition::Relation::Less: return *left < *right;
    case Condition::Relation::AtMost: return *left <= *right;
    case Condition::Relation::AtLeast: return *left >= *right;
    case Condition::Relation::Greater: return *left > *right;
    case Condition::Relation::Equal: return *left == *right;
  }
  VL_CHECK(false, "a relation of no kind");
}

}  // namespace vl::map
