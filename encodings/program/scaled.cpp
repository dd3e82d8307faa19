// Functions of an element and of scales, which are one number or have one for each index of a dimension: norms of
// batches, and quantised tensors. These hold codes of a storage type, and their type says which numbers they are; where
// it has a scale for each index, a function of a code depends on that index, too, so the scales are an operand.
// Sources: tt-mlir at 19c86fca, include/ttmlir/Dialect/TTIR/IR/TTIROps.td; openxla/stablehlo at 3c9301c1, docs/spec.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/notation/mlir_text.h"
#include "encodings/program/translator.h"

namespace vl::program {
namespace {

// The dimension of "!quant.uniform<i8:f32:1, {0.1, 0.2}>", which is 1; -1 where one scale is that of all. Nothing where
// the type cannot be read.
std::optional<Index> axis_of(std::string_view type) {
  const std::size_t open = type.find('<');
  const auto parts = open == std::string_view::npos ? std::vector<std::string_view>{}
                                                    : mlir::listed(type.substr(open + 1, type.size() - open - 2));
  if (parts.size() != 2) return std::nullopt;
  const std::size_t first = parts[0].find(':'), last = parts[0].rfind(':');
  const bool limits = parts[0].find('<') != std::string_view::npos;  // i8<-127:127>:f32
  if (limits || first == std::string_view::npos) return std::nullopt;
  if (first == last) return parts[1].starts_with('{') ? std::nullopt : std::optional<Index>(-1);
  const auto axis = mlir::integers_of(parts[0].substr(last + 1));
  return axis && axis->size() == 1 && parts[1].starts_with('{') ? std::optional((*axis)[0]) : std::nullopt;
}

// Whether a form moves elements, whatever they are.
bool is_move(Form form) {
  switch (form) {
    case Form::Reshape:
    case Form::Transpose:
    case Form::Permute:
    case Form::Concat:
    case Form::Slice:
    case Form::Broadcast:
    case Form::Reverse:
    case Form::Same:
    case Form::Move:
    case Form::Repeat:
    case Form::Interleave:
    case Form::Heads: return true;
    default: return false;
  }
}

}  // namespace

// What is known of codes: they are moved, they are elements, and functions of elements are functions of codes.
bool Translator::on_codes(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out) {
  if (row.form == Form::Scaled || row.form == Form::Elements || row.form == Form::Whole)
    return said(operation, row, operands, out);
  if (row.form == Form::Pointwise || row.form == Form::Cast) return scaled(operation, operands, out);
  if (!is_move(row.form)) return fail("of quantised numbers it is not known");
  if (std::ranges::any_of(operands, [&](const Value* operand) { return operand->quantised != out.quantised; }))
    return fail("it changes the quantisation");
  for (const Value* operand : operands)
    if (axis_of(operand->quantised) != Index{-1}) return fail("its numbers have more than one scale");
  return said(operation, row, operands, out);
}

// (x - mean) / sqrt(variance + epsilon) * scale + offset, as both dialects define it; empty: it is another operation.
std::string Translator::normed(const mlir::Operation& operation, const Operands& operands, const Value& out) {
  const bool known =
      operation.name == "ttir.batch_norm_inference" || operation.name == "stablehlo.batch_norm_inference";
  auto axis = integers(operation, "dimension");
  if (!axis) axis = integers(operation, "feature_index");
  const auto epsilon = operation.attribute("epsilon");
  const std::string eps = epsilon ? number_in_language(mlir::without_type(*epsilon)) : "";
  const auto at = axis && axis->size() == 1 ? dimension((*axis)[0], out.shape.size()) : std::nullopt;
  if (!known || !at || eps.empty() || operands.size() != 5) return {};
  for (const Value* operand : operands)
    if (operand->type != out.type) return {};
  std::vector<Index> shape(out.shape.size(), 1);
  shape[*at] = out.shape[*at];
  std::array<std::string, 4> of;  // scale, offset, mean, variance
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (operands[i + 1]->shape != std::vector<Index>{shape[*at]}) return {};
    of[i] = part(fmt::format("broadcast {} to [{}] ({})", operands[i + 1]->name, fmt::join(shape, ","), *at));
  }
  const std::string deviation = part(fmt::format("sqrt {}", part(fmt::format("add {} {}", of[3], eps))));
  const std::string centred = part(fmt::format("sub {} {}", operands[0]->name, of[2]));
  const std::string scaled = part(fmt::format("mul {} {}", part(fmt::format("div {} {}", centred, deviation)), of[0]));
  return fmt::format("add {} {}", scaled, of[1]);
}

// (code - zero point) * scale, of codes of one scale that f32 has; empty: it is another operation.
std::string Translator::dequantised(const mlir::Operation& operation, const Operands& operands, const Value& out) {
  const bool known = operation.name == "ttir.dequantize" || operation.name == "stablehlo.uniform_dequantize";
  if (!known || operands.size() != 1 || out.type != "f32" || axis_of(operands[0]->quantised) != Index{-1}) return {};
  const Value& codes = *operands[0];
  if (codes.type != "i8" && codes.type != "u8" && codes.type != "i16") return {};
  const std::string_view type = codes.quantised;
  const std::size_t comma = type.find(','), colon = type.find(':', comma), end = type.rfind('>');
  const std::string scale = number_in_language(type.substr(comma + 1, std::min(colon, end) - comma - 1));
  const std::string zero =
      colon == std::string_view::npos ? "0" : number_in_language(type.substr(colon + 1, end - colon - 1));
  if (scale.empty() || zero.empty()) return {};
  std::string from = part(fmt::format("cast {} f32", codes.name));
  if (zero != "0") from = part(fmt::format("sub {} {}", from, zero));
  return fmt::format("mul {} {}", from, scale);
}

// The scales of a type are data; those that are operands belong to one dimension, or are one number.
bool Translator::scaled(const mlir::Operation& operation, const Operands& operands, Value& out) {
  if (operands.empty()) return fail("it has no operand");
  std::string known = normed(operation, operands, out);
  if (known.empty()) known = dequantised(operation, operands, out);
  if (!known.empty()) return define(operation.results[0], std::move(out), known), true;
  const std::size_t rank = out.shape.size();
  const auto along = [&](const std::string& text, Index axis, Index size, const char* type) {
    std::vector<Index> shape(rank, 1), granules(rank, 1);
    const auto at = static_cast<std::size_t>(axis);
    shape[at] = size, granules[at] = out.granules[at];
    return part(fmt::format("{}{}[{}]{}", text, type, fmt::join(shape, ","),
                            granules[at] == 1 ? "" : fmt::format(" tile({})", fmt::join(granules, ","))));
  };
  std::string words = fmt::format("unknown pointwise \"{}\"", operation.name);
  std::optional<std::vector<Index>> said_axis;
  for (const char* key : {"axis", "dimension", "feature_index"})
    if (!said_axis) said_axis = integers(operation, key);
  if (said_axis && said_axis->size() != 1) return fail("its dimension is not known");
  std::vector<const std::string*> types{&out.quantised};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Value& operand = *operands[i];
    types.push_back(&operand.quantised);
    const bool scale = i > 0 && operand.shape.size() == 1 && operand.shape[0] > 1 && rank > 1;
    const auto axis = said_axis ? dimension((*said_axis)[0], rank) : std::nullopt;
    if (scale && (!axis || operand.shape[0] != out.shape[*axis])) return fail("its scales belong to no dimension");
    words +=
        " " + (scale ? along(fmt::format("reshape {} ", operand.name), static_cast<Index>(*axis), operand.shape[0], "")
                     : operand.name);
  }
  for (const std::string* type : types) {
    if (type->empty()) continue;
    const auto axis = axis_of(*type);
    if (!axis || *axis >= static_cast<Index>(rank)) return fail("its scales are not known");
    if (*axis < 0) continue;
    words += " " + along(fmt::format("unknown \"{}\" -> ", operation.name), *axis,
                         out.shape[static_cast<std::size_t>(*axis)], "f32");
  }
  words += " -> " + out.type;
  define(operation.results[0], std::move(out), words);
  return true;
}

}  // namespace vl::program
