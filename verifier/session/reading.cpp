#include "verifier/session/reading.h"

#include <fmt/format.h>

#include "verifier/session/all_sizes.h"
#include "verifier/session/rule_words.h"

namespace vl::session {
namespace {

// The request with another layout, without the box where the layout has no named axes.
CaseRequest side_of(CaseRequest request, const SourceText& layout) {
  request.layout = layout;
  CaseRequest boxless = request;
  boxless.box.reset();
  const auto read = read_unproved(boxless);
  const auto* subject = std::get_if<TensorReading>(&read);
  const map::Layout* known = subject != nullptr ? subject->reading.layout() : nullptr;
  return known != nullptr && !known->named_axes() ? boxless : request;
}

// A tensor with names for sizes has no layout, but may be part of a rule: session/all_sizes.h.
std::optional<TensorReading> with_names(const CaseRequest& request) {
  const use::Family* family = use::family_of(request.layout.text, request.family);
  const auto tensor = map::parse_rule_tensor(request.tensor.text);
  if (family == nullptr || family->read_rule == nullptr || !tensor) return std::nullopt;
  if (!map::has_symbols(*tensor) && !names_of_view(request)) return std::nullopt;
  const auto read = family->read_rule(request.layout.text, *tensor);
  const map::Rule* rule = read ? read->rule_for_all_sizes() : nullptr;
  if (!read || (rule != nullptr && map::has_symbols(*tensor) && !takes_any_tensor(*rule))) return std::nullopt;
  map::Tensor sizeless;
  sizeless.type = tensor->type;
  use::Undecidable why{fmt::format("{} has names for {}: check answers for all sizes, and for one with --at-sizes",
                                   map::print(*tensor),
                                   map::has_symbols(*tensor) ? "sizes"
                                   : request.named_strides   ? "strides"
                                                             : "an offset")};
  return TensorReading{std::move(sizeless), use::Reading{std::move(why), {}, request.layout.text, {}, 0, {}}};
}

}  // namespace

bool has_own_names(const map::Rule& rule) {
  if (!rule.numbers.empty()) return true;  // of numbers alone their family reads them only for a tensor with names
  std::vector<std::string> names;
  for (const map::RuleLevel& level : rule.levels) {
    map::add_names(level.extent, names);
    map::add_names(level.weight, names);
  }
  for (const map::Expression& replica : rule.replicas) map::add_names(replica, names);
  for (const map::RulePlace& place : rule.places) {
    map::add_names(place.constant, names);
    for (const map::RuleTerm& term : place.terms) map::add_names(term.coefficient, names);
  }
  return !names.empty();
}

bool takes_any_tensor(const map::Rule& rule) { return rule.decodes || has_own_names(rule); }

std::variant<use::Reading, TextError> read_unproved(const SourceText& text, std::string_view forced,
                                                    const map::Tensor& tensor) {
  const use::Family* family = use::family_of(text.text, forced);
  if (family == nullptr) {
    if (const std::string_view known = use::not_built(text.text); !known.empty())
      return TextError{
          text,
          {ErrorCode::Syntax,
           fmt::format("this is a layout of {}, which is a known notation that is not built yet", known), 0}};
    std::string heads;  // how each family's notation begins
    for (const use::Family* f : use::families())
      heads += fmt::format("{}{}(…)", heads.empty() ? "" : " or ", f->forms.substr(0, f->forms.find('(')));
    return TextError{
        text,
        {ErrorCode::Syntax,
         fmt::format("no family recognises this layout; expected {} as `verify-layout families` lists", heads), 0}};
  }
  auto reading = family->read(text.text, tensor);
  if (!reading) return TextError{text, reading.error()};
  return std::move(*reading);
}

std::variant<TensorReading, TextError> read_unproved(const CaseRequest& request) {
  for (const auto& [text, what] :
       {std::pair(&request.named_strides, "strides"), std::pair(&request.named_offset, "an offset"),
        std::pair(&request.named_view_offset, "an offset")}) {
    if (!*text) continue;
    if (auto named = with_names(request)) return std::move(*named);
    return TextError{
        **text,
        {ErrorCode::Value, fmt::format("names for {}: check answers for all sizes, of layouts on sticks", what), 0}};
  }
  auto tensor = map::parse_tensor(request.tensor.text);
  if (!tensor) {
    if (auto named = with_names(request)) return std::move(*named);
    return TextError{request.tensor, tensor.error()};
  }
  tensor->strides = request.strides;
  tensor->offset = request.offset;
  tensor->view_offset = request.view_offset;
  if (const auto strides = map::host_strides(*tensor); !strides)
    return TextError{request.strides_text ? *request.strides_text : request.tensor, strides.error()};
  if (request.box) {
    auto box = map::parse_box(request.box->text);
    if (!box) return TextError{*request.box, box.error()};
    tensor->box = std::move(*box);
  }
  auto reading = read_unproved(request.layout, request.family, *tensor);
  if (auto* wrong = std::get_if<TextError>(&reading)) {
    if (wrong->error.code == ErrorCode::Box && request.box) wrong->text = *request.box;
    return std::move(*wrong);
  }
  const map::Layout* layout = std::get<use::Reading>(reading).layout();
  if (request.box && layout != nullptr && !layout->named_axes())
    return TextError{*request.box,
                     {ErrorCode::Value, "this layout has no named axes whose extents could be declared", 0}};
  return TensorReading{std::move(*tensor), std::move(std::get<use::Reading>(reading))};
}

std::variant<std::array<CaseRequest, 2>, TextError> two_sides(const CaseRequest& request, const SourceText& from,
                                                              const SourceText& to) {
  std::array<CaseRequest, 2> sides{side_of(request, from), side_of(request, to)};
  if (request.box && !sides[0].box && !sides[1].box)
    return TextError{*request.box,
                     {ErrorCode::Value, "neither layout has named axes whose extents could be declared", 0}};
  return sides;
}

}  // namespace vl::session
