// What operations are in the language of programs. Sources: tt-mlir at 19c86fca, include/ttmlir/Dialect/TTIR/IR/
// TTIROps.td; openxla/stablehlo at 3c9301c1, docs/spec.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/notation/mlir_text.h"
#include "encodings/program/translator.h"

namespace vl::program {

// What of an operation's attributes is not known, in words: one that may change what the operation does, or a value
// that is read as none would be.
std::string Translator::unfamiliar(const mlir::Operation& operation, Form form) {
  // clang-format off
  constexpr std::array kIntegers = std::to_array<std::string_view>({
      "dim_arg", "dim", "dimension", "dims", "dim0", "dim1", "permutation", "begins", "ends", "begin", "end", "step",
      "start_indices", "limit_indices", "strides", "padding", "low", "high", "interior", "edge_padding_low",
      "edge_padding_high", "interior_padding", "normalized_shape", "k", "repeat_dimensions", "repeats",
      "broadcast_dimensions", "dimensions", "batch_dims_lhs", "batch_dims_rhs", "contract_dims_lhs",
      "contract_dims_rhs", "logical_shape", "operandSegmentSizes", "num_heads", "axis", "feature_index", "sizes",
      "broadcast_sizes"});
  // clang-format on
  constexpr std::array kFlags =
      std::to_array<std::string_view>({"keep_dim", "keepdim", "transpose_a", "transpose_b", "largest", "descending"});
  // Read where they are used, or without a part in the values.
  // clang-format off
  constexpr std::array kOthers = std::to_array<std::string_view>({
      "value", "fill_value", "epsilon", "min", "max", "shape", "dot_dimension_numbers", "comparison_direction",
      "compare_type", "resultSegmentSizes", "numericStable", "numeric_stable", "sorted", "stable", "is_stable",
      "conservative_folding", "compute_config", "memory_config", "dtype", "layout", "precision", "precision_config",
      "algorithm", "result_layout", "xla_shape", "block_factors", "grid", "indexing_maps", "iterator_types",
      "threads", "arange_dimension", "start", "iota_dimension", "input_permutation", "use_multicore",
      "lhs_tensor_memory_config", "output_dtype", "queue_id", "repeat_dims", "remapping"});
  // clang-format on
  constexpr std::array kOfFunctions = std::to_array<std::string_view>(
      {"approximate", "parameter", "result_accuracy", "exponent_bits", "mantissa_bits"});
  // Of calls by name.
  constexpr std::array kTargets =
      std::to_array<std::string_view>({"call_target_name", "has_side_effect", "api_version", "backend_config", "name",
                                       "composite_attributes", "decomposition", "version"});
  const auto is_one = [](std::string_view key, const auto& keys) { return std::ranges::find(keys, key) != keys.end(); };
  // In the pretty form "%a, dim = 1, reverse = true".
  if (operation.name.starts_with("ttir.") || operation.name.starts_with("ttnn."))
    for (const std::string_view part : mlir::listed(operation.custom)) {
      const std::string_view key = part.substr(0, mlir::end_of_word(part, 0));
      const bool named = !key.empty() && part.substr(mlir::after_blank(part, key.size())).starts_with("=");
      if (named && !is_one(key, kIntegers) && !is_one(key, kFlags) && !is_one(key, kOthers))
        return fmt::format("its attribute {} is not known", key.substr(0, 40));
    }
  for (const std::string_view dictionary : {operation.properties, operation.attributes})
    for (std::string_view part : mlir::listed(dictionary)) {
      part = part.substr(mlir::after_blank(part, 0));
      const bool quoted = part.starts_with('"');
      std::string_view key = part.substr(quoted ? 1 : 0);
      key = key.substr(0, mlir::end_of_word(key, 0));
      if (key.empty() || (quoted && key.find('.') == std::string_view::npos)) return "an attribute that cannot be read";
      if (key.find('.') != std::string_view::npos) continue;  // of another dialect
      const bool product = form == Form::Matmul || form == Form::Linear;
      if (product && (key == "activation" || key == "matmul_program_config")) continue;
      if (form == Form::Pointwise && is_one(key, kOfFunctions)) continue;
      if (form == Form::Target && is_one(key, kTargets)) continue;
      if ((form == Form::Elements || form == Form::Cache) && is_of_elements(key)) continue;
      const std::string_view value = operation.attribute(key).value_or("");
      const std::string_view bare = mlir::without_type(value);
      if (is_one(key, kIntegers) ? !mlir::integers_of(value).has_value()
          : is_one(key, kFlags)  ? bare != "true" && bare != "false"
                                 : !is_one(key, kOthers))
        return fmt::format("its attribute {} is not known", key.substr(0, 40));
    }
  return {};
}

std::optional<std::vector<Index>> Translator::integers(const mlir::Operation& operation, std::string_view key) {
  const auto text = operation.attribute(key);
  return text ? mlir::integers_of(*text) : std::nullopt;
}

std::optional<std::size_t> Translator::dimension(Index value, std::size_t rank) {
  const auto size = static_cast<Index>(rank);
  if (value < -size || value >= size) return std::nullopt;
  return static_cast<std::size_t>(value < 0 ? value + size : value);
}

std::string Translator::axes_in_words(const std::vector<std::size_t>& axes) {
  return fmt::format("{}", fmt::join(axes, ","));
}

std::string Translator::plain_tile(const Value& value) {
  if (std::ranges::all_of(value.granules, [](Index granule) { return granule == 1; })) return {};
  return fmt::format(" tile({})", fmt::join(value.granules, ","));
}

bool Translator::translate(const mlir::Operation& operation, const Row& known, const Operands& operands, Value& out) {
  const Row* target = known.form == Form::Target ? find_target(operation) : &known;
  if (target == nullptr) return fail("what it names is not known");
  const Row& row = *target;
  constexpr std::array kOfAny{Form::Number, Form::Concat,   Form::Norm,  Form::Data,    Form::Generic, Form::Move,
                              Form::Mask,   Form::Elements, Form::Whole, Form::Control, Form::Scaled,  Form::Barrier};
  const bool any =
      std::ranges::find(kOfAny, row.form) != kOfAny.end() || (row.form == Form::Reduce && row.word.empty());
  const bool without_bias = row.form == Form::Linear && operands.size() == 2;
  if (!any && !without_bias && operands.size() != row.operands)
    return fail(fmt::format("it has {} operands, and {} are known", operands.size(), row.operands));
  const bool any_attributes = row.form == Form::Whole || row.form == Form::Control;  // they say which function it is
  if (std::string why = unfamiliar(operation, known.form); !any_attributes && !why.empty()) return fail(std::move(why));
  const bool codes = !out.quantised.empty() ||
                     std::ranges::any_of(operands, [](const Value* each) { return !each->quantised.empty(); });
  return codes ? on_codes(operation, row, operands, out) : said(operation, row, operands, out);
}

bool Translator::said(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out) {
  switch (row.form) {
    case Form::Pointwise: return pointwise(operation, row, operands, out);
    case Form::Cast: return cast(operation, operands, out);
    case Form::Reduce:
      return row.word.empty() ? reduce_with_start(operation, operands, out) : reduce(operation, row, operands, out);
    case Form::Along: return along(operation, row, operands, out);
    case Form::Place: return place(operation, row, operands, out);
    case Form::TopK: return topk(operation, operands, out);
    case Form::Norm: return norm(operation, row, operands, out);
    case Form::Matmul: return matmul(operation, operands, out, false);
    case Form::Linear: return matmul(operation, operands, out, operands.size() == 3);
    case Form::Dot: return dot(operation, operands, out);
    case Form::Number: return number(operation, row, out);
    case Form::Reshape: return reshape(operation, operands, out);
    case Form::Transpose:
    case Form::Permute: return permute(operation, row, operands, out);
    case Form::Concat: return concat(operation, operands, out);
    case Form::Slice: return slice(operation, operands, out);
    case Form::Broadcast: return broadcast(operation, operands, out);
    case Form::Pad: return pad(operation, operands, out);
    case Form::Reverse: return reverse(operation, operands, out);
    case Form::Clamp: return clamp(operation, operands, out);
    case Form::Compare: return compare(operation, operands, out);
    case Form::Same: return same(operation, operands, out);
    case Form::Barrier: return barrier(operation, operands);
    case Form::Move: return move(operation, operands, out);
    case Form::Mask: return mask(operation, operands, out);
    case Form::View: return view(operation, operands, out);
    case Form::Generic: return generic(operation, out);
    case Form::Data: return data(operation, {}, out);
    case Form::Repeat: return repeat(operation, operands, out);
    case Form::Interleave: return interleave(operation, operands, out);
    case Form::Heads: return heads(operation, operands, out);
    case Form::Elements: return elements(operation, row.word, operands, out);
    case Form::Whole: return whole(operation, operands, out);
    case Form::Control: return control(operation, operands, out);
    case Form::Scaled: return scaled(operation, operands, out);
    case Form::Cache:
    case Form::Target: return false;  // it has no result, or is another form
  }
  return false;
}

bool Translator::pointwise(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out) {
  // Of truth values a sum is `or`, and a product `and`.
  std::string_view word = row.word;
  // With a word that says how exact it is, it is another function.
  if (const auto said = operation.attribute("approximate"); said && *said != "\"none\"") word = {};
  if (operation.attribute("result_accuracy")) word = {};
  if (out.type == "i1" && operands.back()->type == "i1")
    word = word == "add" || word == "max" ? "or" : word == "mul" || word == "min" ? "and" : word;
  // As a square it is known not to be below 0.
  if (word == "mul" && operands[0]->name == operands[1]->name && is_float(out) && operands[0]->type == out.type) {
    define(operation.results[0], std::move(out), fmt::format("square {}", operands[0]->name));
    return true;
  }
  // Of a function that is not known, too, each result is one of elements at the same place.
  std::string words = word.empty() ? fmt::format("unknown pointwise \"{}\"", operation.name) : std::string(word);
  const bool logical = row.name == "logical_and" || row.name == "logical_or" || row.name == "logical_xor";
  for (const Value* operand : operands)
    words += " " + (logical && operand->type != "i1" ? part(fmt::format("cast {} i1", operand->name)) : operand->name);
  const bool other = logical ? out.type != "i1" : word.empty() || out.type != operands.back()->type;
  if (other) words += " -> " + out.type;
  define(operation.results[0], std::move(out), words);
  return true;
}

bool Translator::cast(const mlir::Operation& operation, const Operands& operands, Value& out) {
  if (operands[0]->type == out.type) return same(operation, operands, out);
  const std::string words = fmt::format("cast {} {}", operands[0]->name, out.type);
  define(operation.results[0], std::move(out), words);
  return true;
}

bool Translator::same(const mlir::Operation& operation, const Operands& operands, Value& out) {
  const Value& from = *operands[0];
  if (from.shape != out.shape || from.type != out.type) return fail("it changes the shape or the type");
  if (from.granules == out.granules) {
    values_[operation.results[0]] = from;
    return true;
  }
  const std::string words = fmt::format("reshape {} [{}]{}", from.name, fmt::join(out.shape, ","), plain_tile(out));
  define(operation.results[0], std::move(out), words);
  return true;
}

bool Translator::number(const mlir::Operation& operation, const Row& row, Value& out) {
  std::string text(row.word);
  if (row.word.empty()) {
    auto value = operation.attribute("value");
    if (!value) value = operation.attribute("fill_value");
    // stablehlo.constant dense<…> has no name in front of it.
    std::string_view said = mlir::trimmed(value ? *value : operation.custom);
    std::string_view own = out.type;  // of what is said: the result may have another one
    if (const std::size_t at = said.find("dense<"); at != std::string_view::npos) {
      const auto end = mlir::behind_bracket(said, at + 5);
      const std::string_view type = mlir::trimmed(said.substr(end.value_or(said.size())));
      if (type.starts_with(':'))
        if (const auto tensor = mlir::tensor_type(mlir::trimmed(type.substr(1))))
          own = type_in_language(tensor->element);
      said = end ? said.substr(at + 6, *end - at - 7) : std::string_view();
    }
    said = mlir::without_type(said);
    text = number_in_language(said);
    const bool same = own == out.type;
    if (text.empty() || (text.starts_with("bits:") && !same))
      return data(operation, same ? said : std::string_view(), out);
  }
  out.number = text;
  const std::string words = fmt::format("constant {} {}", type_in_words(out), text);
  // Options stand behind the number.
  const std::size_t tile = words.find(" tile(");
  std::string said = words;
  if (tile != std::string::npos) {
    const std::size_t close = words.find(')', tile) + 1;
    said = words.substr(0, tile) + words.substr(close) + words.substr(tile, close - tile);
  }
  define(operation.results[0], std::move(out), said);
  return true;
}

bool Translator::clamp(const mlir::Operation& operation, const Operands& operands, Value& out) {
  std::string low, high, of;
  if (operands.size() == 3) {
    const std::size_t input = operation.name.starts_with("stablehlo.") ? 1 : 0;
    of = operands[input]->name, low = operands[1 - input]->name, high = operands[2]->name;
  } else {
    const auto least = operation.attribute("min"), most = operation.attribute("max");
    if (!least || !most) return fail("its bounds are not known");
    low = number_in_language(mlir::without_type(*least)), high = number_in_language(mlir::without_type(*most));
    of = operands[0]->name;
    if (low.empty() || high.empty()) return fail("its bounds are not known");
  }
  const std::string words = fmt::format("min {} {}", part(fmt::format("max {} {}", of, low)), high);
  define(operation.results[0], std::move(out), words);
  return true;
}

std::string_view direction_of(const mlir::Operation& operation) {
  for (const std::string_view text : {operation.custom, operation.properties, operation.attributes})
    if (text.find("TOTALORDER") != std::string_view::npos) return {};
  const std::string_view word = mlir::trimmed(operation.custom);
  const auto said = operation.attribute("comparison_direction");
  if (!said) return word.substr(0, mlir::end_of_word(word, 0));
  const std::size_t at = said->rfind(' ');
  return said->substr(at == std::string_view::npos ? 0 : at + 1, 2);
}

bool Translator::compare(const mlir::Operation& operation, const Operands& operands, Value& out) {
  const std::string_view word = direction_of(operation);
  constexpr std::array kWords = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"EQ", "eq"}, {"NE", "ne"}, {"LT", "lt"}, {"LE", "le"}, {"GT", "gt"}, {"GE", "ge"}});
  const auto known = std::ranges::find(kWords, word, [](const auto& each) { return each.first; });
  if (known == kWords.end() && !word.empty()) return fail("its direction is not known");
  return pointwise(operation, {operation.name, Form::Pointwise, word.empty() ? word : known->second, 2}, operands, out);
}

}  // namespace vl::program
