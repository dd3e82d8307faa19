#include "oracle/gate/construct.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "encodings/use/parts.h"
#include "oracle/gate/judge.h"
#include "oracle/gate/text_numbers.h"

namespace vl::gate {
namespace {

Index another(Random& random, Index value) {  // of small numbers
  const std::array<Index, 6> near = {0, -1, -value, value + 1, value - 1, 2 * value};
  return near[random.below(near.size())];
}

// A text, and the tree that says the same where the family has trees.
struct Given {
  std::string text;
  std::optional<Json> tree;
};

std::optional<Given> of_tree(const use::Family& family, Json tree) {
  auto text = family.parts->read(print_json(tree));
  return text ? std::optional(Given{std::move(*text), std::move(tree)}) : std::nullopt;
}

// The tree with one leaf changed: a number by a near one, a name by one that is used elsewhere.
Json changed_tree(Random& random, const Json& tree, const std::vector<std::string>& names) {
  std::size_t leaves = 0;
  static_cast<void>(with_leaves(tree, [&](const Json& leaf) { return ++leaves, leaf; }));
  if (leaves == 0) return tree;
  const std::size_t chosen = random.below(leaves);
  std::size_t at = 0;
  return with_leaves(tree, [&](const Json& leaf) {
    if (at++ != chosen) return leaf;
    if (const Index* number = leaf.integer()) return Json(another(random, *number));
    if (leaf.string() != nullptr && !names.empty()) return Json(names[random.below(names.size())]);
    return leaf;
  });
}

std::optional<Json> tree_of(const use::Family& family, std::string_view text, const map::Tensor& tensor) {
  if (family.parts == nullptr) return std::nullopt;
  const auto printed = family.parts->print(text, tensor);
  auto tree = printed ? parse_json(*printed) : Result<Json>(printed.error());
  return tree ? std::optional(std::move(*tree)) : std::nullopt;
}

std::vector<std::string> names_of(const use::Family& family, Random& random) {
  std::set<std::string> out;
  for (int k = 0; k < 6; ++k) {
    const Subject subject = family.campaign->draw(random, 0, false);
    const auto tree = tree_of(family, family.campaign->print(subject), subject.tensor);
    if (!tree) continue;
    static_cast<void>(with_leaves(*tree, [&](const Json& leaf) {
      if (leaf.string() != nullptr) out.insert(*leaf.string());
      return leaf;
    }));
  }
  return {out.begin(), out.end()};
}

// Trees without one entry of a list, or without an object, and with one number nearer to 1.
void smaller_trees(const Json& tree, const std::function<void(Json)>& take) {
  for (const auto& [key, value] : *tree.fields()) {
    if (value.fields() != nullptr) {
      Json next;
      for (const auto& [name, old] : *tree.fields()) next.set(name, name == key ? Json() : old);
      take(std::move(next));
    }
    if (value.list() == nullptr) continue;
    for (std::size_t k = 0; k < value.list()->size(); ++k) {
      Json::List fewer = *value.list();
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      Json next;
      for (const auto& [name, old] : *tree.fields()) next.set(name, name == key ? Json(fewer) : old);
      take(std::move(next));
    }
  }
  std::size_t leaves = 0;
  std::vector<std::pair<std::size_t, Index>> numbers;
  static_cast<void>(with_leaves(tree, [&](const Json& leaf) {
    if (leaf.integer() != nullptr) numbers.emplace_back(leaves, *leaf.integer());
    return ++leaves, leaf;
  }));
  for (const auto& one : numbers)
    for (const Index wanted : {Index{1}, one.second / 2, one.second - 1}) {
      if (one.second <= 1 || wanted >= one.second) continue;
      std::size_t at = 0;
      take(with_leaves(tree, [&](const Json& leaf) { return at++ == one.first ? Json(wanted) : leaf; }));
    }
}

void smaller_texts(const std::string& text, const std::function<void(std::string)>& take) {
  const std::vector<Token> tokens = numbers_in(text);
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    take(dropped(text, tokens[k]));
    for (std::size_t other = k + 1; other < tokens.size(); ++other)  // one of each of two lists
      take(dropped(dropped(text, tokens[other]), tokens[k]));
    for (const Index wanted : {Index{1}, tokens[k].value / 2, tokens[k].value - 1})
      if (tokens[k].value > 1 && wanted < tokens[k].value) take(replaced(text, tokens[k], wanted));
  }
}

Json request_with(const Case& of, const Given& given, const std::string& layout, const map::Tensor& tensor) {
  Json shape, out;
  shape.set("dtype", map::name(tensor.type));
  shape.set("shape", Json(tensor.size));
  if (tensor.strides) shape.set("strides", Json(*tensor.strides));
  if (tensor.view_offset != 0) shape.set("view_offset", tensor.view_offset);
  out.set("op", of.op->name);
  out.set("family", of.family);
  out.set("layout", layout);
  out.set("tensor", std::move(shape));
  out.set("given", given.text);
  if (given.tree) out.set("given_parts", *given.tree);
  return out;
}

// A text with each layout and tensor that may stand beside it: itself over its own elements, or the plainest one.
void take_beside(const Case& of, const Given& given, const std::function<void(Json)>& take) {
  const use::Family& family = *use::family_of({}, of.family);
  map::Tensor one;
  one.type = of.tensor.type, one.size = {1};
  if (family.elements != nullptr)
    if (const auto count = family.elements(given.text)) one.size = {*count};
  take(request_with(of, given, given.text, one));
  one.size = {1};
  Random random(0, 0, 0);
  if (family.campaign->companion != nullptr)
    take(request_with(of, given, family.campaign->print(family.campaign->companion(one, random)), one));
  take(request_with(of, given, given.text, of.tensor));
  take(request_with(of, given, of.layout, of.tensor));
}

}  // namespace

std::optional<std::string> refusal_of(const use::Family& family, std::string_view text, const map::Tensor& tensor) {
  if (family.elements != nullptr)
    if (const auto count = family.elements(text); count && *count != checked_product(tensor.size)) return std::nullopt;
  const auto reading = family.read(text, tensor);
  if (!reading) {
    const bool readable = family.parts != nullptr && family.parts->print(text, tensor).has_value();
    if (readable || reading.error().code == ErrorCode::Overflow) return std::nullopt;
    return reading.error().message;
  }
  if (reading->layout() == nullptr || !reading->derived.empty()) return std::nullopt;
  for (const use::Rule& rule : reading->rules)
    if (rule.have != rule.want) return rule.statement;
  return std::string();
}

bool add_given(const use::Family& family, Random& random, const Drawn& drawn, Json& request) {
  const bool bad = drawn.number / 4 % 2 != 0;
  const std::string base = oracle::text_of(drawn.subject);
  const auto tree = tree_of(family, base, drawn.subject.tensor);
  const std::vector<Token> tokens = numbers_in(base);
  if (!tree && tokens.empty()) return false;
  const std::vector<std::string> names = tree ? names_of(family, random) : std::vector<std::string>();
  for (int tries = 0; tries < 24; ++tries) {
    std::optional<Given> next = Given{base, tree};
    if (bad || random.chance(70)) {
      const Token token = tokens.empty() ? Token() : tokens[random.below(tokens.size())];
      if (tree) next = of_tree(family, changed_tree(random, *tree, names));
      else if (bad && random.chance(25)) next->text = dropped(base, token);
      else next->text = replaced(base, token, another(random, token.value));
    }
    const auto refusal = next ? refusal_of(family, next->text, drawn.subject.tensor) : std::nullopt;
    if (!refusal || refusal->empty() == bad) continue;
    request.set("given", next->text);
    if (next->tree) request.set("given_parts", *next->tree);
    return true;
  }
  return false;
}

void smaller_given(const Case& of, const std::function<void(Json)>& take) {
  const use::Family& family = *use::family_of({}, of.family);
  const Json asked = of.request.read();
  const Json* tree = asked.find("given_parts");
  const auto beside = [&](const Given& given) { take_beside(of, given, take); };
  beside({*asked.text("given"), tree != nullptr ? std::optional(*tree) : std::nullopt});
  if (tree == nullptr)
    return smaller_texts(*asked.text("given"), [&](std::string text) { beside({std::move(text), {}}); });
  smaller_trees(*tree, [&](Json next) {
    if (const auto given = of_tree(family, std::move(next))) beside(*given);
  });
}

// The answer: {"answer":"yes"} if it was taken, and "no", or a refusal, if not.
Judgement Judge::of_construction(const Case& of, const Reply& reply, Standing standing) const {
  const Json value = reply.value.read();
  const std::string* said = value.text("answer");
  const bool refused = reply.kind == ReplyKind::Refused;
  if (!refused && (said == nullptr || (*said != "yes" && *said != "no") || value.fields()->size() != 1))
    return differs("unreadable", "the answer is not yes or no");
  const bool taken = !refused && *said == "yes";
  Judgement out;
  Case given = of;
  for (const CaseArgument& argument : of.arguments) given.layout = argument.text;
  const auto refusal = refusal_of(*use::family_of({}, of.family), given.layout, of.tensor);
  if (!refusal) return {.word = Word::UndecidedOurs, .detail = "whether the text is a layout is not decided"};
  out.truth = refusal->empty();
  std::string why = *refusal;
  const question::Case made = ask(given, of.op->claim, {});
  if (!made.diagnostic) {
    const question::Verdict& verdict = made.answers.front().verdict;
    const auto* proved = std::get_if<question::Proved>(&verdict);
    const auto* broken = std::get_if<question::Refuted>(&verdict);
    if (proved == nullptr && broken == nullptr) return {.word = Word::UndecidedOurs, .detail = "is it well-formed?"};
    out.truth = proved != nullptr;
    out.checked = proved != nullptr && proved->trust == question::Trust::Checked;
    if (broken != nullptr) why = broken->counterexample.explanation;
  }
  out.scope = "proved";
  if (taken == *out.truth) {
    out.word = Word::Agree;
    return out;
  }
  const std::string* code = value.text("code");
  out.right.set("answer", *out.truth ? "yes" : "no");
  if (taken) {
    out.word = standing == Standing::Outside ? Word::AcceptedInvalid : Word::InvalidAccepted;
    out.kind = "accepted";
    out.detail = fmt::format("it was taken, and is wrong: {}", why);
  } else {
    out.word = standing == Standing::Within ? Word::RefusedValid : Word::Refused;
    out.kind = code != nullptr ? "refused:" + *code : "refused";
    out.detail = "it was refused, and is right";
  }
  return out;
}

}  // namespace vl::gate
