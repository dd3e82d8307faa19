#include "verifier/session/operation_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vl::session {
namespace {

std::optional<std::string> text_in(const std::optional<SourceText>& said) {
  return said ? std::optional(said->text) : std::nullopt;
}
std::optional<SourceText> source_of(const char* what, const std::optional<std::string>& text) {
  return text ? std::optional(SourceText::option(what, *text)) : std::nullopt;
}
std::optional<checker::Integers> unless_empty(const std::vector<Index>& list) {
  return list.empty() ? std::nullopt : std::optional(checker::Integers(list));
}

checker::OperandText text_of_operand(const OperandRequest& operand) {
  checker::OperandText out;
  out.layout = operand.of.layout.text, out.tensor = operand.of.tensor.text;
  out.strides = operand.of.strides, out.scales = unless_empty(operand.scales);
  if (operand.of.offset != 0) out.offset = operand.of.offset;
  if (operand.of.view_offset != 0) out.view_offset = operand.of.view_offset;
  if (operand.result) out.result = true;
  out.padding = text_in(operand.padding), out.contents = text_in(operand.contents);
  out.padded = text_in(operand.padded);
  return out;
}

OperandRequest operand_in(const checker::OperandText& said) {
  OperandRequest out;
  out.of.layout = SourceText::option("an operand's layout", said.layout);
  out.of.tensor = SourceText::option("an operand's tensor", said.tensor);
  out.of.strides = said.strides, out.of.offset = said.offset.value_or(0);
  out.of.view_offset = said.view_offset.value_or(0);
  out.scales = said.scales.value_or(checker::Integers{}), out.result = said.result.value_or(false);
  out.padding = source_of("padding", said.padding), out.contents = source_of("contents", said.contents);
  out.padded = source_of("padded", said.padded);
  return out;
}

std::string words_of_slice(const use::Slice& slice) {
  std::string out;
  for (const use::Interval& side : slice) out += fmt::format("{}{}:{}", out.empty() ? "" : ",", side.begin, side.end);
  return fmt::format("[{}]", out);
}

}  // namespace

checker::OperationText text_of_operation(const OperationRequest& operation) {
  checker::OperationText out;
  out.name = operation.name.text, out.rule = use::name(operation.rules);
  for (const OperandRequest& operand : operation.operands) out.operands.push_back(text_of_operand(operand));
  out.scales = unless_empty(operation.scales), out.reduce = operation.reduced, out.dims = text_in(operation.dims);
  return out;
}

std::optional<OperationRequest> operation_of(const checker::OperationText& said) {
  OperationRequest out;
  const auto rules = use::rule_set_of(said.rule);
  if (!rules) return std::nullopt;
  out.name = SourceText::option("the operation", said.name), out.rules = *rules;
  for (const checker::OperandText& operand : said.operands) {
    if (operand.offset.value_or(0) < 0 || operand.view_offset.value_or(0) < 0) return std::nullopt;
    out.operands.push_back(operand_in(operand));
  }
  out.scales = said.scales.value_or(checker::Integers{}), out.reduced = said.reduce;
  out.dims = source_of("dims", said.dims);
  return out;
}

std::string text_of_division(const use::Division& division) {
  std::vector<std::string> parts;
  const auto list = [&](const char* key, const auto& numbers) {
    parts.push_back(fmt::format("{}[{}]", key, fmt::join(numbers, ",")));
  };
  if (!division.splits.empty() || !division.slices) list("", division.splits);
  if (!division.scales.empty()) list("scales=", division.scales);
  if (!division.order.empty()) list("order=", division.order);
  else if (division.last_fastest) parts.emplace_back("order=last-fastest");
  parts.push_back(fmt::format("cores={}", division.cores));
  parts.push_back(fmt::format("span={}", division.span));
  if (division.stick != 0) parts.push_back(fmt::format("stick={}", division.stick));
  if (!division.sticks.empty()) list("sticks=", division.sticks);
  if (division.slices) {
    std::vector<std::string> slices;
    for (const use::Slice& slice : *division.slices) slices.push_back(words_of_slice(slice));
    parts.push_back(fmt::format("slices=[{}]", fmt::join(slices, ",")));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace vl::session
