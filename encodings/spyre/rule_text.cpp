#include "encodings/spyre/rule_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/spyre/blueprint.h"
#include "encodings/spyre/rule_call.h"

namespace vl::spyre {
namespace {

using map::Expression;

// Why a text is no rule; empty if it is one.
std::string no_rule(const RuleSaid& said, const map::RuleTensor& tensor) {
  if (!said.unsupported.empty()) return said.unsupported + " is not encoded for all sizes";
  if (!said.dim_map.empty() && !said.device_size.back().number())
    return "a stick whose length is a name, beside a dim_map, is not encoded for all sizes";
  for (std::size_t j = 0; j < said.stride_map.size(); ++j)
    if (said.stride_map[j].number() == 0 && said.device_size[j].number() != 1 &&
        (j + 1 == said.stride_map.size() || !said.dim_map.empty()))
      return "a stick that repeats one element, or repeated elements beside a dim_map, are not encoded for all sizes";
  for (std::size_t i = 0; !said.dim_map.empty() && i < tensor.size.size(); ++i)
    if (std::ranges::find(said.dim_map, static_cast<Index>(i)) == said.dim_map.end() && tensor.size[i].number() != 1)
      return "a host dimension that dim_map lacks is not encoded for all sizes";
  if (!said.dim_map.empty() && tensor.view_offset.number() != 0) return "a view beside a dim_map";
  if (!said.host_size) return {};
  bool same = said.host_size->size() == tensor.size.size();
  for (std::size_t d = 0; same && d < tensor.size.size(); ++d)
    same = map::print((*said.host_size)[d]) == map::print(tensor.size[d]);
  return same ? "" : "the constructor's size and the tensor's are not the same expressions";
}

// One number a host dimension, whose digits are its device dimensions: the last one counts ones, and each other one the
// product of those behind it. A device dimension without a host dimension is 0.
void add_numbers(const RuleSaid& said, map::Rule& rule) {
  const std::vector<Expression> host = rule.strides;
  Expression reach = 0;  // of the offsets in the host's memory that the slots stand for, if no stride is below 0
  rule.strides.assign(rule.logical.size(), 1);
  for (std::size_t i = 0; i < rule.logical.size(); ++i) {
    map::RuleNumber number{{i}, 0};
    Expression weight = 1;
    std::vector<map::RuleLevel> levels;
    for (std::size_t j = said.dim_map.size(); j-- > 0;) {
      if (said.dim_map[j] != static_cast<Index>(i)) continue;
      levels.insert(levels.begin(), {weight, said.device_size[j]});
      rule.fits.push_back(host[i] * weight);
      reach = reach + host[i] * weight * (said.device_size[j] - 1);
      weight = weight * said.device_size[j];
    }
    for (std::size_t j = 0; j < said.dim_map.size(); ++j)
      if (said.dim_map[j] == static_cast<Index>(i))
        rule.places[j].terms.push_back({rule.levels.size() + number.levels++, 1});
    rule.levels.insert(rule.levels.end(), levels.begin(), levels.end());
    rule.numbers.push_back(std::move(number));
  }
  rule.fits.push_back(reach);
}

map::Rule rule_of(const RuleSaid& said, const map::RuleTensor& tensor) {
  std::vector<Expression> strides(tensor.size.size());
  Expression number = 1;
  for (std::size_t i = tensor.size.size(); i-- > 0; number = number * tensor.size[i]) strides[i] = number;
  map::Rule rule{device_of(said.device_size, tensor, tensor.strides.value_or(std::move(strides))), {}, {}};
  rule.fits = said.fits;
  if (!said.device_size.back().number())
    rule.laws.push_back({said.device_size.back(), map::Condition::Relation::Equal, said.format.elements_per_stick, {}});
  if (said.dim_map.empty()) add_levels(rule, said.stride_map);
  else add_numbers(said, rule);
  for (std::string& name : map::names_of(rule)) rule.symbols.push_back({std::move(name), 1});
  return rule;
}

}  // namespace

Result<std::string> text_at(std::string_view text, const map::Sizes& sizes) {
  Cursor in(text);
  const std::vector<RuleArgument> arguments = take_rule_call(in);
  if (in.failed()) return in.error();
  std::string out;
  std::size_t copied = 0;
  for (const RuleArgument& argument : arguments)
    for (std::size_t k = 0; k < argument.spans.size(); ++k) {
      const auto [start, end] = argument.spans[k];
      std::vector<std::string> names;
      map::add_names((*argument.list)[k], names);
      if (!std::ranges::all_of(names, [&](const std::string& name) { return sizes.contains(name); })) continue;
      const auto value = map::evaluate((*argument.list)[k], sizes);
      if (!value) return Error{value.error().code, value.error().message, start};
      if (*value < -1 && !(*argument.list)[k].number())  // no list has such a number
        return Error{ErrorCode::Value, fmt::format("{} is {}", text.substr(start, end - start), *value), start};
      out += fmt::format("{}{}", text.substr(copied, start - copied), *value);
      copied = end;
    }
  return out + std::string(text.substr(copied));
}

namespace {

// The host's strides, where the constructor gives others than those of a host without gaps.
std::optional<std::vector<map::Expression>> own_strides(const RuleSaid& said) {
  const auto& size = *said.host_size;
  map::Expression next = 1;
  bool dense = true;
  for (std::size_t i = size.size(); i-- > 0; next = next * size[i])
    dense = dense && map::print(said.host_strides[i]) == map::print(next);
  return dense ? std::nullopt : std::optional(said.host_strides);
}

}  // namespace

std::optional<RuleSays> rule_says(std::string_view text) {
  if (!text.starts_with("SpyreTensorLayout")) return std::nullopt;
  const auto said = read_rule_call(text);
  if (!said || (said->host_size && !said->host_type)) return std::nullopt;
  RuleSays out;
  out.format = said->format.name;
  if (said->host_size) out.tensor = {*said->host_type, *said->host_size, own_strides(*said)};
  if (!no_rule(*said, out.tensor.value_or(map::RuleTensor{})).empty()) return std::nullopt;
  for (const auto* list : {&said->device_size, &said->stride_map})
    for (const map::Expression& one : *list) map::add_names(one, out.names);
  return out.names.empty() ? std::nullopt : std::optional(std::move(out));
}

Result<use::Reading> read_rule(std::string_view text, const map::RuleTensor& tensor) {
  const std::size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  use::Reading reading{
      use::Undecidable{"this form with names is not encoded for all sizes"}, {}, std::string(text), {}, 0, {}};
  if (!text.substr(start).starts_with("SpyreTensorLayout")) return reading;
  const auto said = read_rule_call(text);
  if (!said) return said.error();
  for (const Index dim : said->dim_map)
    if (dim >= static_cast<Index>(tensor.size.size()))
      return Error{ErrorCode::Shape,
                   fmt::format("dim_map names host dimension {}, the tensor has rank {}", dim, tensor.size.size())};
  if (const std::string why = no_rule(*said, tensor); !why.empty()) {
    reading.what = use::Undecidable{why};
    return reading;
  }
  reading.device_bits = static_cast<int>(kStickBits / said->format.elements_per_stick);
  reading.lanes = said->format.elements_per_stick;
  if (const auto stick = said->device_size.back().number()) {
    reading.unsized = unsized(*stick, reading.lanes);
    reading.rules.push_back({fmt::format("the last device dimension is one stick: {} elements of {}",
                                         said->format.elements_per_stick, said->format.name),
                             *stick, said->format.elements_per_stick});
  } else {  // a law of the rule
    reading.unsized = "memory holds whole sticks, and the length of the last device dimension is a name";
  }
  for (const RuleMove& move : said->moves) {
    RuleSaid result = *said, law = *said;
    result.device_size = move.device_size, result.stride_map = move.stride_map;
    law.device_size = move.law_device_size, law.stride_map = move.law_stride_map;
    reading.derived_rules.push_back({move.operation, rule_of(result, tensor), rule_of(law, tensor)});
  }
  reading.what = rule_of(*said, tensor);
  const auto named = [](const map::Expression& extent) { return !extent.number(); };
  if (!said->dim_map.empty() && std::ranges::none_of(said->device_size, named))
    reading.what = map::Rule{};  // of no name
  return reading;
}

}  // namespace vl::spyre
