// The texts of a case about all sizes, read (all_sizes.h).
#include <fmt/format.h>

#include "verifier/session/all_sizes.h"

namespace vl::session {

std::variant<RuleReading, TextError> read_rule_case(const CaseRequest& request, const use::Family& family) {
  auto tensor = map::parse_rule_tensor(request.tensor.text);
  if (!tensor) return TextError{request.tensor, tensor.error()};
  if (request.box) {
    auto box = map::parse_box(request.box->text);
    if (!box) return TextError{*request.box, box.error()};
    tensor->box = std::move(*box);
  }
  if (request.strides) tensor->strides.emplace(request.strides->begin(), request.strides->end());
  if (request.named_strides) {
    auto strides = map::parse_rule_strides(request.named_strides->text);
    if (!strides) return TextError{*request.named_strides, strides.error()};
    tensor->strides = std::move(*strides);
  }
  if (tensor->strides && tensor->strides->size() != tensor->size.size())
    return TextError{
        request.named_strides ? *request.named_strides : request.strides_text.value_or(request.tensor),
        {ErrorCode::Shape, fmt::format("{} strides for {} sizes", tensor->strides->size(), tensor->size.size()), 0}};
  tensor->offset = request.offset;
  tensor->view_offset = request.view_offset;
  for (const auto& [text, into] : {std::pair(&request.named_offset, &tensor->offset),
                                   std::pair(&request.named_view_offset, &tensor->view_offset)}) {
    if (!*text) continue;
    auto offset = map::parse_rule_offset((*text)->text);
    if (!offset) return TextError{**text, offset.error()};
    *into = std::move(*offset);
  }
  std::vector<map::Condition> where;
  if (request.where) {
    auto conditions = map::parse_conditions(request.where->text);
    if (!conditions) return TextError{*request.where, conditions.error()};
    where = std::move(*conditions);
  }
  auto reading = family.read_rule(request.layout.text, *tensor);
  if (!reading)
    return TextError{reading.error().code == ErrorCode::Box && request.box ? *request.box : request.layout,
                     reading.error()};
  const auto* rule_of_it = std::get_if<map::Rule>(&reading->what);
  const bool moved = tensor->strides || tensor->offset.number() != 0 || tensor->view_offset.number() != 0;
  if (rule_of_it != nullptr && !rule_of_it->decodes && moved &&
      (!rule_of_it->symbols.empty() || names_of_view(request)))
    reading->what = use::Undecidable{"a view of this kind beside names is not encoded"};
  if (auto* rule = std::get_if<map::Rule>(&reading->what)) {
    auto conditioned = map::with_conditions(std::move(*rule), where);
    if (!conditioned) return TextError{request.where.value_or(request.layout), conditioned.error()};
    reading->what = std::move(*conditioned);
  }
  return RuleReading{std::move(*tensor), std::move(*reading), std::move(where)};
}

}  // namespace vl::session
