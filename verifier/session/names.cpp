#include "verifier/session/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "verifier/session/all_sizes.h"
#include "verifier/session/transfer_sizes.h"

namespace vl::session {
namespace {

// Every text in which a number may take the place of a name, but the layouts.
std::vector<SourceText*> plain_texts(CaseRequest& request) {
  std::vector<SourceText*> out{&request.tensor};
  for (auto* text : {&request.named_strides, &request.named_offset, &request.named_view_offset, &request.where})
    if (*text) out.push_back(&**text);
  return out;
}

std::vector<SourceText*> layout_texts(CaseRequest& request) {
  std::vector<SourceText*> out{&request.layout};
  for (ClaimRequest& claim : request.claims)
    for (ClaimArgument& argument : claim.arguments)
      if (argument.key == "with") out.push_back(&argument.text);
  return out;
}

// Whether the name is one of the extents that MLIR joins by x, as in <4xH> and logical_shape = NxM.
bool is_extent(std::string_view text, std::string_view name) {
  const auto is_one_of = [](char c, std::string_view signs) { return signs.find(c) != std::string_view::npos; };
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const char before = at == 0 ? ' ' : text[at - 1], after = end == text.size() ? ' ' : text[end];
    if ((before == 'x' || after == 'x') && is_one_of(before, "x< =") && is_one_of(after, "x> ,")) return true;
  }
  return false;
}

void add_names_of(const map::Condition& condition, std::vector<std::string>& names) {
  map::add_names(condition.left, names);
  map::add_names(condition.right, names);
}

// The first condition that no chain of conditions joins to a name of the texts; conditions without names are none.
const map::Condition* unconnected(const CaseRequest& request, const std::vector<map::Condition>& conditions) {
  std::vector<const map::Condition*> left;
  for (const map::Condition& condition : conditions) left.push_back(&condition);
  std::vector<std::string> known;
  const auto joins = [&](const map::Condition* condition) {
    std::vector<std::string> names;
    add_names_of(*condition, names);
    const bool joined = names.empty() || std::ranges::any_of(names, [&](const std::string& name) {
                          return has_name(request, name) || std::ranges::find(known, name) != known.end();
                        });
    if (joined) known.insert(known.end(), names.begin(), names.end());
    return joined;
  };
  while (std::erase_if(left, joins) > 0) continue;
  return left.empty() ? nullptr : left.front();
}

}  // namespace

bool has_name(const CaseRequest& request, std::string_view name) {
  std::vector<std::string_view> texts{request.layout.text, request.tensor.text};
  if (!request.has_layout() && request.transfer != nullptr)
    for (const SourceText& text : request.transfer->texts) texts.push_back(text.text);
  for (const auto* more : {&request.named_strides, &request.named_offset, &request.named_view_offset, &request.box})
    if (*more) texts.push_back((*more)->text);
  for (const ClaimRequest& claim : request.claims) {
    if (claim.rule_nests != nullptr) return true;  // whose file is not one of the texts
    texts.push_back(claim.nests_text);
    for (const ClaimArgument& argument : claim.arguments) texts.push_back(argument.text.text);
  }
  const std::vector<use::Definition> number{{std::string(name), 1}};
  return std::ranges::any_of(
      texts, [&](std::string_view text) { return use::bound(text, number) != text || is_extent(text, name); });
}

std::optional<Diagnostic> define(CaseRequest& request, const std::vector<use::Definition>& definitions) {
  for (const use::Definition& definition : definitions)
    if (!has_name(request, definition.name) && !(request.where && use::has_word(request.where->text, definition.name)))
      return SourceText::option("--define", fmt::format("{}={}", definition.name, definition.value))
          .diagnose(
              {ErrorCode::Value, fmt::format("unused: no text of the question has the name {}", definition.name), 0});
  if (request.transfer != nullptr) {
    map::Sizes sizes;
    for (const use::Definition& one : definitions) sizes.emplace(one.name, one.value);
    auto where = request.where;
    auto made = transfer_at(request, sizes);
    if (const auto* wrong = std::get_if<TextError>(&made)) return wrong->diagnose();
    request = std::move(std::get<CaseRequest>(made)), request.where = std::move(where);
    if (request.where) request.where->text = use::bound(request.where->text, definitions);
    return std::nullopt;
  }
  for (SourceText* layout : layout_texts(request))
    if (auto wrong = bind_layout(*layout, request.family, definitions)) return wrong;
  for (SourceText* text : plain_texts(request)) text->text = use::bound(text->text, definitions);
  if (request.named_strides) number_strides(request);
  number_offsets(request);
  for (ClaimRequest& claim : request.claims) number_access(claim, definitions);
  return std::nullopt;
}

std::optional<Diagnostic> wrong_condition(const CaseRequest& request) {
  if (!request.where) return std::nullopt;
  const auto conditions = map::parse_conditions(request.where->text);
  if (!conditions) return std::nullopt;
  const auto wrong = [&](const map::Condition& condition, std::string message) {
    const std::size_t at = std::min(request.where->text.find(condition.text), request.where->text.size());
    return request.where->diagnose({ErrorCode::Value, std::move(message), at});
  };
  // A condition that is asked of all layouts of a file may be about another one.
  if (const map::Condition* unused = request.occurrences > 0 ? nullptr : unconnected(request, *conditions))
    return wrong(*unused,
                 fmt::format("unused condition {}: no text of the question has its names", map::print(*unused)));
  CaseRequest without = request;
  without.where.reset();
  if (request.sizes || has_names(without)) return std::nullopt;
  for (const map::Condition& condition : *conditions)
    if (const auto held = map::holds(condition, {}); held && !*held)
      return wrong(condition, fmt::format("the condition {} does not hold", map::print(condition)));
  return std::nullopt;
}

}  // namespace vl::session
