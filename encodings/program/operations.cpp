// What operations are in the language of programs. Sources: tt-mlir at 19c86fca, include/ttmlir/Dialect/TTIR/IR/
// TTIROps.td; openxla/stablehlo at 3c9301c1, docs/spec.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "encodings/notation/mlir_text.h"
#include "encodings/program/translator.h"

namespace vl::program {
namespace {

std::string plain_tile(const Value& value) {
  if (std::ranges::all_of(value.granules, [](Index granule) { return granule == 1; })) return {};
  return fmt::format(" tile({})", fmt::join(value.granules, ","));
}

bool is_permutation(const std::vector<Index>& order) {
  std::vector<Index> sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != static_cast<Index>(i)) return false;
  return true;
}

template <class T>
std::vector<T> picked(const std::vector<T>& from, const std::vector<Index>& order) {
  std::vector<T> out;
  out.reserve(order.size());
  for (const Index i : order) out.push_back(from[static_cast<std::size_t>(i)]);
  return out;
}

}  // namespace

// What of an operation's attributes is not known, in words: one that may change what the operation does, or a value
// that is read as none would be.
std::string Translator::unfamiliar(const mlir::Operation& operation) {
  // clang-format off
  constexpr std::array kIntegers = std::to_array<std::string_view>({
      "dim_arg", "dim", "dimension", "dims", "dim0", "dim1", "permutation", "begins", "ends", "begin", "end", "step",
      "start_indices", "limit_indices", "strides", "padding", "low", "high", "interior", "edge_padding_low",
      "edge_padding_high", "interior_padding", "normalized_shape", "k", "repeat_dimensions", "repeats",
      "broadcast_dimensions", "dimensions", "batch_dims_lhs", "batch_dims_rhs", "contract_dims_lhs",
      "contract_dims_rhs", "logical_shape", "operandSegmentSizes"});
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
      "lhs_tensor_memory_config", "output_dtype", "queue_id", "round_mode"});
  // clang-format on
  const auto is_one = [](std::string_view key, const auto& keys) { return std::ranges::find(keys, key) != keys.end(); };
  for (const std::string_view dictionary : {operation.properties, operation.attributes})
    for (std::string_view part : mlir::listed(dictionary)) {
      part = part.substr(mlir::after_blank(part, 0));
      const bool quoted = part.starts_with('"');
      std::string_view key = part.substr(quoted ? 1 : 0);
      key = key.substr(0, mlir::end_of_word(key, 0));
      if (key.empty() || (quoted && key.find('.') == std::string_view::npos)) return "an attribute that cannot be read";
      if (key.find('.') != std::string_view::npos) continue;  // of another dialect
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

bool Translator::translate(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out) {
  const bool any = row.form == Form::Number || row.form == Form::Concat || row.form == Form::Norm ||
                   row.form == Form::Data || row.form == Form::Generic || row.form == Form::Move ||
                   row.form == Form::Mask;
  const bool without_bias = row.form == Form::Linear && operands.size() == 2;
  if (!any && !without_bias && operands.size() != row.operands)
    return fail(fmt::format("it has {} operands, and {} are known", operands.size(), row.operands));
  if (std::string why = unfamiliar(operation); !why.empty()) return fail(std::move(why));
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
    case Form::Move: return move(operation, operands, out);
    case Form::Mask: return mask(operation, operands, out);
    case Form::Generic: return generic(operation, out);
    case Form::Data: return data(operation, out);
    case Form::Repeat: return repeat(operation, operands, out);
    case Form::Interleave: return interleave(operation, operands, out);
    case Form::Heads: return heads(operation, operands, out);
  }
  return false;
}

bool Translator::pointwise(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out) {
  // Of truth values a sum is `or`, and a product `and`.
  std::string_view word = row.word;
  if (out.type == "i1" && operands.back()->type == "i1")
    word = word == "add" || word == "max" ? "or" : word == "mul" || word == "min" ? "and" : word;
  // Of a function that is not known, too, each result is one of elements at the same place.
  std::string words = word.empty() ? fmt::format("unknown pointwise \"{}\"", operation.name) : std::string(word);
  const bool logical = row.name == "logical_and" || row.name == "logical_or" || row.name == "logical_xor";
  for (const Value* operand : operands)
    words += " " + (logical && operand->type != "i1" ? part(fmt::format("cast {} i1", operand->name)) : operand->name);
  const bool other = logical ? out.type != "i1" : row.word.empty() || out.type != operands.back()->type;
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

// Where padding lay nothing is written.
bool Translator::move(const mlir::Operation& operation, const Operands& operands, Value& out) {
  if (operands.empty()) return fail("it has no operand");
  const Value& from = *operands[0];
  if (from.shape != out.shape || from.type != out.type) return fail("it changes the shape or the type");
  const std::string words = fmt::format("reshape {} [{}]{}", from.name, fmt::join(out.shape, ","), plain_tile(out));
  define(operation.results[0], std::move(out), words);
  return true;
}

// The last two dimensions behind the shape are overwritten. `undef` is written as 0.
bool Translator::mask(const mlir::Operation& operation, const Operands& operands, Value& out) {
  if (operands.empty()) return fail("it has no operand");
  const Value& from = *operands[0];
  const auto shape = integers(operation, "logical_shape");
  const auto fill = operation.attribute("fill_value");
  const std::size_t rank = from.shape.size();
  if (!shape || !fill || rank < 2 || shape->size() < 2) return fail("its shape or its value is not known");
  for (std::size_t i = 1; i <= 2; ++i)
    if ((*shape)[shape->size() - i] != from.shape[rank - i]) return fail("its shape is not the tensor's");
  for (std::size_t i = 0; i + 2 < rank; ++i)
    if (from.shape[i] % from.granules[i] != 0) return fail("dimensions that it does not mask have padding");
  if (from.shape != out.shape || from.granules != out.granules || from.type != out.type)
    return fail("its result has another type");
  const auto has = [&](std::string_view word) { return fill->find(word) != std::string_view::npos; };
  const std::string_view value = has("neginf") ? "-inf" : has("inf") ? "inf" : has("one") ? "1" : "0";
  if (!has("neginf") && !has("inf") && !has("one") && !has("zero") && !has("undef"))
    return fail("its value is not known");
  const std::string words = fmt::format("mask {} with {}", from.name, value);
  define(operation.results[0], std::move(out), words);
  return true;
}

bool Translator::reduce(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out) {
  const Value& from = *operands[0];
  const std::size_t rank = from.shape.size();
  std::vector<std::size_t> axes;
  const auto said = operation.attribute("dim_arg");
  const auto listed = said ? mlir::integers_of(*said) : std::optional(std::vector<Index>{});
  if (!listed) return fail("its dimensions are no integers");
  for (const Index value : *listed) {
    const auto axis = dimension(value, rank);
    if (!axis || std::ranges::find(axes, *axis) != axes.end()) return fail("a dimension that there is not");
    axes.push_back(*axis);
  }
  if (axes.empty()) axes.resize(rank), std::iota(axes.begin(), axes.end(), std::size_t{0});
  const auto keep = operation.attribute("keep_dim");
  const bool keeps = keep && keep->starts_with("true");
  std::ranges::sort(axes);
  std::string words = fmt::format("{} {}{}{}", row.word, from.name, axes.empty() ? "" : " over " + axes_in_words(axes),
                                  keeps ? " keep" : "");
  std::vector<Index> made;
  for (std::size_t i = 0; i < rank; ++i)
    if (keeps || std::ranges::find(axes, i) == axes.end()) made.push_back(from.granules[i]);
  if (made.size() != out.shape.size()) return fail("its result has another rank");
  if (out.type != from.type) return fail("its result has another type");
  define(operation.results[0], std::move(out), words, made);
  return true;
}

// stablehlo.reduce, with a reducer of one operation. The start is added once.
bool Translator::reduce_with_start(const mlir::Operation& operation, const Operands& operands, Value& out) {
  const Value &from = *operands[0], &start = *operands[1];
  std::string_view reducer;
  if (const std::size_t at = operation.custom.find("applies "); at != std::string_view::npos) {
    const std::size_t begin = at + std::string_view("applies ").size();
    reducer = operation.custom.substr(begin, mlir::end_of_word(operation.custom, begin) - begin);
  } else if (operation.regions.size() == 1 && operation.regions[0].operations.size() == 2) {
    const auto& body = operation.regions[0];
    std::vector<std::string> combined = body.operations[0].operands;
    std::ranges::sort(combined);
    std::vector<std::string> given;
    for (const mlir::Argument& argument : body.arguments) given.push_back(argument.name);
    std::ranges::sort(given);
    const bool plain = given.size() == 2 && combined == given && given[0] != given[1] &&
                       body.operations[0].results == body.operations[1].operands;
    if (plain) reducer = body.operations[0].name;
  }
  struct Combiner {
    std::string_view operation, word, function;
  };
  constexpr std::array kCombiners = std::to_array<Combiner>({{"stablehlo.add", "sum", "add"},
                                                             {"stablehlo.multiply", "prod", "mul"},
                                                             {"stablehlo.maximum", "max", "max"},
                                                             {"stablehlo.minimum", "min", "min"},
                                                             {"stablehlo.or", "any", ""},
                                                             {"stablehlo.and", "all", ""}});
  const auto known = std::ranges::find(kCombiners, reducer, &Combiner::operation);
  if (known == kCombiners.end()) return fail("its reducer is not known");
  if (known->function.empty() && from.type != "i1") return fail("its reducer works on bits");
  if (operation.results.size() != 1) return fail("it reduces several tensors");
  const auto said = operation.attribute("dimensions");
  const auto axes = said ? mlir::integers_of(*said) : std::nullopt;
  if (!axes || axes->empty()) return fail("its dimensions are not known");
  if (!start.shape.empty()) return fail("its start is not one number");
  std::vector<std::size_t> over;
  std::vector<Index> made;
  for (const Index axis : *axes) {
    const auto found = dimension(axis, from.shape.size());
    if (!found) return fail("a dimension that there is not");
    over.push_back(*found);
  }
  std::ranges::sort(over);
  for (std::size_t i = 0; i < from.shape.size(); ++i)
    if (std::ranges::find(over, i) == over.end()) made.push_back(from.granules[i]);
  if (made.size() != out.shape.size()) return fail("its result has another rank");
  const bool sum = known->word == "sum";
  std::string words = fmt::format("{} {} over {}{}", known->word, from.name, axes_in_words(over),
                                  sum && !start.number.empty() && start.number != "-0" ? " from +0" : "");
  const bool neutral =
      (sum && (start.number == "0" || start.number == "-0")) || (known->word == "prod" && start.number == "1") ||
      (known->word == "max" && start.number == "-inf") || (known->word == "min" && start.number == "inf") ||
      (known->word == "any" && start.number == "0") || (known->word == "all" && start.number == "1");
  if (!neutral && known->function.empty()) return fail("its start is not neutral");
  if (!neutral) {
    // In granules of the sum, which the start has, too: it is one number.
    words = fmt::format("{} {} {}", known->function, part(words), start.number.empty() ? start.name : start.number);
  }
  define(operation.results[0], std::move(out), words, made);
  return true;
}

bool Translator::along(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out) {
  const Value& from = *operands[0];
  std::optional<std::vector<Index>> axis;
  for (const char* key : {"dimension", "dim"})
    if (!axis) axis = integers(operation, key);
  const auto found = axis && axis->size() == 1 ? dimension((*axis)[0], from.shape.size()) : std::nullopt;
  if (!found) return fail("its dimension is not known");
  if (out.type != from.type || out.shape != from.shape) return fail("its result has another type");
  std::string_view word = row.word;
  if (word == "sort") {
    const auto descending = operation.attribute("descending");
    if (descending && descending->starts_with("true")) word = "sort-descending";
    if (operation.results.size() > 1)
      if (auto second = value_of(operation.outputs[1])) {
        second->name = name_for(operation.results[1]);
        line(fmt::format("{} = unknown \"{}\" {} -> {}", second->name, operation.name, from.name,
                         type_in_words(*second)),
             step_);
        values_[operation.results[1]] = std::move(*second);
      }
  }
  const std::string words = fmt::format("{} {} over {}", word, from.name, *found);
  define(operation.results[0], std::move(out), words);
  return true;
}

bool Translator::place(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out) {
  const Value& from = *operands[0];
  auto axes = integers(operation, "dim_arg");
  if (!axes) axes = integers(operation, "dim");
  if (!axes || axes->size() != 1) return fail("it is over more than one dimension");
  const auto axis = dimension((*axes)[0], from.shape.size());
  if (!axis) return fail("a dimension that there is not");
  const auto keep = operation.attribute("keep_dim");
  const bool keeps = keep && keep->starts_with("true");
  std::vector<Index> made = from.granules;
  if (!keeps) made.erase(made.begin() + static_cast<std::ptrdiff_t>(*axis));
  if (made.size() != out.shape.size() || made.empty()) return fail("its result has another rank");
  std::string words = fmt::format("{} {} over {}{}", row.word, from.name, *axis, keeps ? " keep" : "");
  if (out.type != "i32") words = fmt::format("cast {} {}", part(words), out.type);
  define(operation.results[0], std::move(out), words, made);
  return true;
}

bool Translator::topk(const mlir::Operation& operation, const Operands& operands, Value& out) {
  const Value& from = *operands[0];
  const auto k = integers(operation, "k");
  auto axis = integers(operation, "dim");
  if (!axis) axis = std::vector<Index>{-1};
  const auto largest = operation.attribute("largest");
  const auto found = axis->size() == 1 ? dimension((*axis)[0], from.shape.size()) : std::nullopt;
  if (!k || k->size() != 1 || (*k)[0] < 1 || (*k)[0] > 16 || !found) return fail("its k or its dimension is not known");
  if (largest && !largest->starts_with("true")) return fail("the least are not known");
  if (out.type != from.type) return fail("its result has another type");
  const std::string tail = fmt::format(" {} over {} k {}", from.name, *found, (*k)[0]);
  define(operation.results[0], std::move(out), "topk" + tail);
  if (operation.results.size() < 2) return true;
  auto second = value_of(operation.outputs[1]);
  if (!second) return fail("its places have a type that programs do not have");
  std::string places = "topk-indices" + tail;
  if (second->type != "i32") places = fmt::format("cast {} {}", part(places), second->type);
  define(operation.results[1], std::move(*second), places);
  return true;
}

// x / sqrt(mean x² + eps), of layernorm with x - mean x in place of x.
std::string Translator::norm_in_parts(std::string_view word, const std::string& of, std::size_t axis, double eps) {
  std::string x = of;
  if (word == "layernorm") x = part(fmt::format("sub {} {}", of, part(fmt::format("mean {} over {} keep", of, axis))));
  const std::string square = part(fmt::format("mul {} {}", x, x));
  const std::string mean = part(fmt::format("mean {} over {} keep", square, axis));
  return fmt::format("mul {} {}", x, part(fmt::format("rsqrt {}", part(fmt::format("add {} {}", mean, eps)))));
}

// With weight and bias, which are operands behind the first as operandSegmentSizes says.
bool Translator::norm(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out) {
  if (operands.empty()) return fail("it has no operand");
  const Value& from = *operands[0];
  const auto shape = integers(operation, "normalized_shape");
  if (shape && shape->size() != 1) return fail("it is over more than one dimension");
  if (from.shape.empty() || (shape && (*shape)[0] != from.shape.back())) return fail("its dimension is not the last");
  const auto epsilon = operation.attribute("epsilon");
  double eps = operation.name.starts_with("ttnn.") ? 1e-12 : 1e-5;  // the dialects' own
  if (epsilon) {
    const std::string text = number_in_language(mlir::without_type(*epsilon));
    if (text.empty() || text.starts_with("bits:")) return fail("its epsilon is not known");
    eps = std::strtod(text.c_str(), nullptr);
  }
  const bool plain = eps > 0.999e-5 && eps < 1.001e-5;  // that of the language's own norms
  auto segments = integers(operation, "operandSegmentSizes");
  if (!segments) segments = std::vector<Index>{1, operands.size() > 1 ? 1 : 0, operands.size() > 2 ? 1 : 0};
  const Index sum = std::accumulate(segments->begin(), segments->end(), Index{0});
  if (segments->size() != 3 || (*segments)[0] != 1 || sum != static_cast<Index>(operands.size()))
    return fail("its operands are not known");
  if (out.type != from.type || out.shape != from.shape) return fail("its result has another type");
  const std::size_t last = from.shape.size() - 1;
  std::string words =
      plain ? fmt::format("{} {} over {}", row.word, from.name, last) : norm_in_parts(row.word, from.name, last, eps);
  std::size_t next = 1;
  if ((*segments)[1] == 1) words = fmt::format("mul {} {}", part(words), operands[next++]->name);
  if ((*segments)[2] == 1) words = fmt::format("add {} {}", part(words), operands[next]->name);
  define(operation.results[0], std::move(out), words);
  return true;
}

bool Translator::matmul(const mlir::Operation& operation, const Operands& operands, Value& out, bool bias) {
  if (operation.attribute("contract_dims_lhs"))
    return bias ? fail("its dimensions are given one by one") : dot(operation, operands, out);
  if (operands[0]->type != operands[1]->type || out.type != operands[0]->type) return fail("its types differ");
  std::string words = fmt::format("matmul {} {}", operands[0]->name, operands[1]->name);
  for (const auto& [key, word] : {std::pair("transpose_a", " ta"), std::pair("transpose_b", " tb")})
    if (const auto said = operation.attribute(key); said && said->starts_with("true")) words += word;
  if (bias) words = fmt::format("add {} {}", part(words), operands[2]->name);
  define(operation.results[0], std::move(out), words);
  return true;
}

// dot_general: the result has the batch, the free dimensions of the left and those of the right.
bool Translator::dot(const mlir::Operation& operation, const Operands& operands, Value& out) {
  const Value &a = *operands[0], &b = *operands[1];
  std::array<std::vector<Index>, 2> batch, contract;
  const auto read = [&](std::string_view text, std::string_view key, std::vector<Index>& into) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos) return;
    const std::size_t open = text.find('[', at);
    const auto end = open == std::string_view::npos ? std::nullopt : mlir::behind_bracket(text, open);
    if (end) into = mlir::integers_of(text.substr(open, *end - open)).value_or(std::vector<Index>{});
  };
  if (const auto numbers = operation.attribute("dot_dimension_numbers")) {
    read(*numbers, "lhs_batching_dimensions", batch[0]), read(*numbers, "rhs_batching_dimensions", batch[1]);
    read(*numbers, "lhs_contracting_dimensions", contract[0]);
    read(*numbers, "rhs_contracting_dimensions", contract[1]);
  } else if (operation.attribute("contract_dims_lhs")) {
    batch = {integers(operation, "batch_dims_lhs").value_or(std::vector<Index>{}),
             integers(operation, "batch_dims_rhs").value_or(std::vector<Index>{})};
    contract = {integers(operation, "contract_dims_lhs").value_or(std::vector<Index>{}),
                integers(operation, "contract_dims_rhs").value_or(std::vector<Index>{})};
  } else {
    const auto pair = [&](std::string_view key, std::array<std::vector<Index>, 2>& into) {
      const std::size_t at = operation.custom.find(key);
      if (at == std::string_view::npos) return;
      read(operation.custom.substr(at), key, into[0]);
      const std::size_t x = operation.custom.find(" x ", at);
      if (x != std::string_view::npos) read(operation.custom.substr(x), " x ", into[1]);
    };
    pair("batching_dims", batch), pair("contracting_dims", contract);
  }
  if (contract[0].size() != 1 || contract[1].size() != 1 || batch[0].size() != batch[1].size())
    return fail("it contracts another number of dimensions than one");
  if (a.type != b.type || out.type != a.type) return fail("its types differ");
  for (std::size_t side = 0; side < 2; ++side) {
    const auto rank = static_cast<Index>((side == 0 ? a : b).shape.size());
    const auto outside = [&](Index at) { return at < 0 || at >= rank; };
    if (outside(contract[side][0]) || std::ranges::any_of(batch[side], outside))
      return fail("a dimension that there is not");
  }
  std::string words = fmt::format("matmul {} {} contract ({}) ({})", a.name, b.name, contract[0][0], contract[1][0]);
  if (!batch[0].empty()) words += fmt::format(" batch ({}) ({})", fmt::join(batch[0], ","), fmt::join(batch[1], ","));
  std::vector<Index> made = picked(a.granules, batch[0]);
  for (std::size_t side = 0; side < 2; ++side) {
    const Value& of = side == 0 ? a : b;
    for (std::size_t i = 0; i < of.shape.size(); ++i) {
      const auto at = static_cast<Index>(i);
      if (at != contract[side][0] && std::ranges::find(batch[side], at) == batch[side].end())
        made.push_back(of.granules[i]);
    }
  }
  if (made.size() != out.shape.size()) return fail("its result has another rank");
  define(operation.results[0], std::move(out), words, made);
  return true;
}

bool Translator::number(const mlir::Operation& operation, const Row& row, Value& out) {
  std::string text(row.word);
  if (row.word.empty()) {
    auto value = operation.attribute("value");
    if (!value) value = operation.attribute("fill_value");
    // stablehlo.constant dense<…> has no name in front of it.
    std::string_view said = mlir::trimmed(value ? *value : operation.custom);
    if (const std::size_t at = said.find("dense<"); at != std::string_view::npos) {
      const auto end = mlir::behind_bracket(said, at + 5);
      said = end ? said.substr(at + 6, *end - at - 7) : std::string_view();
    }
    said = mlir::without_type(said);
    text = number_in_language(said);
    if (text.empty()) return data(operation, out);
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

// Data that are not looked at: any elements, in both runs the same.
bool Translator::data(const mlir::Operation& operation, Value& out) {
  const std::string words = fmt::format("unknown \"{}\" -> {}", operation.name, type_in_words(out));
  define(operation.results[0], std::move(out), words);
  return true;
}

bool Translator::repeat(const mlir::Operation& operation, const Operands& operands, Value& out) {
  constexpr Index kMost = 64;
  const Value& from = *operands[0];
  const auto times = integers(operation, "repeat_dimensions");
  if (!times || times->size() != from.shape.size()) return fail("its repetitions are not known");
  std::string name = from.name, words;
  for (std::size_t i = 0; i < times->size(); ++i) {
    if ((*times)[i] < 1 || (*times)[i] > kMost) return fail("more than 64 repetitions");
    if ((*times)[i] == 1) continue;
    if (!words.empty()) name = part(words);
    words = "concat";
    for (Index k = 0; k < (*times)[i]; ++k) words += " " + name;
    words += fmt::format(" over {}", i);
  }
  if (words.empty()) return same(operation, operands, out);
  define(operation.results[0], std::move(out), words);
  return true;
}

// Each element of a dimension so many times: [d] as [d, 1], broadcast to [d, n], as [d·n].
bool Translator::interleave(const mlir::Operation& operation, const Operands& operands, Value& out) {
  const Value& from = *operands[0];
  const auto times = integers(operation, "repeats"), axis = integers(operation, "dim");
  const auto at = axis && axis->size() == 1 ? dimension((*axis)[0], from.shape.size()) : std::nullopt;
  if (!times || times->size() != 1 || !at || from.shape.size() == kMostDimensions)
    return fail("its repetitions are not known");
  std::vector<Index> apart = from.shape, wide;
  apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(*at) + 1, 1);
  wide = apart, wide[*at + 1] = (*times)[0];
  const std::string parted = part(fmt::format("reshape {} [{}]", from.name, fmt::join(apart, ",")));
  const std::string repeated = part(fmt::format("broadcast {} to [{}]", parted, fmt::join(wide, ",")));
  const std::string words = fmt::format("reshape {} [{}]{}", repeated, fmt::join(out.shape, ","), plain_tile(out));
  define(operation.results[0], std::move(out), words);
  return true;
}

// concatenate_heads: [batch, head, sequence, d] is [batch, sequence, head·d].
bool Translator::heads(const mlir::Operation& operation, const Operands& operands, Value& out) {
  if (operands[0]->shape.size() != 4) return fail("its operand has another rank than 4");
  const std::string turned = part(fmt::format("transpose {} (0,2,1,3)", operands[0]->name));
  const std::string words = fmt::format("reshape {} [{}]{}", turned, fmt::join(out.shape, ","), plain_tile(out));
  define(operation.results[0], std::move(out), words);
  return true;
}

bool Translator::reshape(const mlir::Operation& operation, const Operands& operands, Value& out) {
  const Value& from = *operands[0];
  if (from.shape == out.shape) return same(operation, operands, out);
  const std::string words = fmt::format("reshape {} [{}]{}", from.name, fmt::join(out.shape, ","), plain_tile(out));
  if (out.type != from.type) return fail("its result has another type");
  define(operation.results[0], std::move(out), words);
  return true;
}

bool Translator::permute(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out) {
  const Value& from = *operands[0];
  const std::size_t rank = from.shape.size();
  std::vector<Index> order(rank);
  std::iota(order.begin(), order.end(), Index{0});
  if (row.form == Form::Transpose) {
    const auto first = integers(operation, "dim0"), second = integers(operation, "dim1");
    if (!first || !second || first->size() != 1 || second->size() != 1) return fail("its dimensions are not known");
    const auto i = dimension((*first)[0], rank), j = dimension((*second)[0], rank);
    if (!i || !j) return fail("a dimension that there is not");
    std::swap(order[*i], order[*j]);
  } else {
    auto said = integers(operation, "permutation");
    if (!said) said = integers(operation, "dims");
    if (!said || said->size() != rank || !is_permutation(*said)) return fail("its order is not known");
    order = *said;
  }
  if (picked(from.shape, order) != out.shape || out.type != from.type) return fail("its result has another shape");
  const std::string words = fmt::format("transpose {} ({})", from.name, fmt::join(order, ","));
  define(operation.results[0], std::move(out), words, picked(from.granules, order));
  return true;
}

bool Translator::concat(const mlir::Operation& operation, const Operands& operands, Value& out) {
  auto axis = integers(operation, "dim");
  if (!axis) axis = integers(operation, "dimension");
  const auto found = axis && axis->size() == 1 ? dimension((*axis)[0], out.shape.size()) : std::nullopt;
  if (!found || operands.empty()) return fail("its dimension is not known");
  if (operands.size() == 1) return same(operation, operands, out);
  std::string words = "concat";
  for (const Value* operand : operands) words += " " + operand->name;
  words += fmt::format(" over {}", *found);
  define(operation.results[0], std::move(out), words);
  return true;
}

bool Translator::slice(const mlir::Operation& operation, const Operands& operands, Value& out) {
  const Value& from = *operands[0];
  const std::size_t rank = from.shape.size();
  auto begins = integers(operation, "begins"), ends = integers(operation, "ends"), steps = integers(operation, "step");
  if (!begins) begins = integers(operation, "start_indices");
  if (!ends) ends = integers(operation, "limit_indices");
  if (!steps) steps = integers(operation, "strides");
  if (operation.attribute("begin")) {  // ttir.index: of one dimension
    const auto axis = integers(operation, "dim"), begin = integers(operation, "begin"),
               end = integers(operation, "end");
    const auto at = axis && axis->size() == 1 ? dimension((*axis)[0], rank) : std::nullopt;
    if (!at || !begin || !end || begin->size() != 1 || end->size() != 1) return fail("its part is not known");
    const Index step = steps && steps->size() == 1 ? (*steps)[0] : 1;
    begins = std::vector<Index>(rank, 0), ends = from.shape, steps = std::vector<Index>(rank, 1);
    (*begins)[*at] = (*begin)[0], (*ends)[*at] = (*end)[0], (*steps)[*at] = step;
  }
  const std::size_t open = operation.custom.find('[');
  if (!begins && open != std::string_view::npos) {  // [0:4, 1:32:2]
    begins = std::vector<Index>{}, ends = std::vector<Index>{}, steps = std::vector<Index>{};
    const auto close = mlir::behind_bracket(operation.custom, open);
    if (!close) return fail("its parts are not known");
    for (std::string_view part : mlir::listed(operation.custom.substr(open + 1, *close - open - 2))) {
      std::array<Index, 3> numbers{0, 0, 1};
      for (std::size_t i = 0; i < 3 && !part.empty(); ++i) {
        const std::size_t end = std::min(part.find(':'), part.size());
        const auto number = mlir::integers_of(part.substr(0, end));
        if (!number || number->size() != 1) return fail("its parts are not known");
        numbers[i] = (*number)[0];
        part.remove_prefix(std::min(end + 1, part.size()));
      }
      begins->push_back(numbers[0]), ends->push_back(numbers[1]), steps->push_back(numbers[2]);
    }
  }
  if (!begins || !ends || begins->size() != rank || ends->size() != rank) return fail("its parts are not known");
  if (!steps) steps = std::vector<Index>(rank, 1);
  if (steps->size() != rank || out.shape.size() != rank) return fail("its parts are not known");
  std::string name = from.name;
  std::vector<std::string> said;
  for (std::size_t i = 0; i < rank; ++i) {
    Index begin = (*begins)[i], end = (*ends)[i];
    const Index step = (*steps)[i];
    if (begin < 0) begin += from.shape[i];
    if (end < 0) end += from.shape[i];
    if (begin < 0 || end > from.shape[i] || begin >= end || step < 1) return fail("a part that there is not");
    if (begin == 0 && end == from.shape[i] && step == 1) continue;
    said.push_back(fmt::format(" over {} at {}..{}{}", i, begin, end, step == 1 ? "" : fmt::format(" step {}", step)));
  }
  if (said.empty()) return same(operation, operands, out);
  for (std::size_t i = 0; i + 1 < said.size(); ++i) name = part(fmt::format("slice {}{}", name, said[i]));
  const std::string words = "slice " + name + said.back();
  define(operation.results[0], std::move(out), words);
  return true;
}

// broadcast and broadcast_in_dim: dimensions of one element become larger; others come in front, or between.
bool Translator::broadcast(const mlir::Operation& operation, const Operands& operands, Value& out) {
  const Value& from = *operands[0];
  if (from.type != out.type) return fail("its result has another type");
  std::vector<Index> where;
  auto dims = integers(operation, "dims");
  if (!dims) dims = integers(operation, "broadcast_dimensions");
  const bool in_dim = operation.name.ends_with("broadcast_in_dim");
  if (in_dim) {
    if (!dims || dims->size() != from.shape.size()) return fail("its dimensions are not known");
    where = *dims;
  } else {
    for (std::size_t i = 0; i < from.shape.size(); ++i)
      where.push_back(static_cast<Index>(out.shape.size() - from.shape.size() + i));
    if (from.shape.size() > out.shape.size()) return fail("its result has fewer dimensions");
  }
  out.number = from.number;
  std::vector<Index> made = out.granules;
  for (std::size_t i = 0; i < where.size(); ++i) {
    const auto at = where[i] < 0 ? std::nullopt : dimension(where[i], out.shape.size());
    if (!at || (i > 0 && where[i] <= where[i - 1])) return fail("its dimensions are not in order");
    made[*at] = from.granules[i];
    if (from.shape[i] != 1 && from.shape[i] != out.shape[*at]) return fail("its shapes do not fit");
  }
  if (from.shape == out.shape) return same(operation, operands, out);
  const std::string into = where.empty() ? "" : fmt::format(" ({})", fmt::join(where, ","));
  const std::string words =
      fmt::format("broadcast {} to [{}]{}{}", from.name, fmt::join(out.shape, ","), into, plain_tile(out));
  define(operation.results[0], std::move(out), words, made);
  return true;
}

bool Translator::pad(const mlir::Operation& operation, const Operands& operands, Value& out) {
  const Value& from = *operands[0];
  const std::size_t rank = from.shape.size();
  std::vector<Index> low, high;
  std::string number;
  if (const auto both = integers(operation, "padding"); both && both->size() == 2 * rank) {
    for (std::size_t i = 0; i < rank; ++i) low.push_back((*both)[2 * i]), high.push_back((*both)[2 * i + 1]);
    const auto value = operation.attribute("value");
    number = value ? number_in_language(mlir::without_type(*value)) : "0";
  } else {
    const auto get = [&](const char* a, const char* b) {
      auto found = integers(operation, a);
      return found ? found : integers(operation, b);
    };
    const auto lows = get("low", "edge_padding_low"), highs = get("high", "edge_padding_high");
    const auto interior = get("interior", "interior_padding");
    if (!lows || !highs || operands.size() != 2) return fail("its amounts are not known");
    if (interior && std::ranges::any_of(*interior, [](Index i) { return i != 0; }))
      return fail("it pads between elements");
    low = *lows, high = *highs, number = operands[1]->number;
  }
  if (low.size() != rank || high.size() != rank || number.empty())
    return fail("its amounts or its value are not known");
  const std::string words =
      fmt::format("pad {} low ({}) high ({}) with {}", from.name, fmt::join(low, ","), fmt::join(high, ","), number);
  define(operation.results[0], std::move(out), words);
  return true;
}

bool Translator::reverse(const mlir::Operation& operation, const Operands& operands, Value& out) {
  auto dims = integers(operation, "dimensions");
  if (!dims) dims = integers(operation, "dims");
  if (!dims) return fail("its dimensions are not known");
  const std::string words = fmt::format("reverse {} ({})", operands[0]->name, fmt::join(*dims, ","));
  define(operation.results[0], std::move(out), words);
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

bool Translator::compare(const mlir::Operation& operation, const Operands& operands, Value& out) {
  std::string_view word = mlir::trimmed(operation.custom);
  word = word.substr(0, mlir::end_of_word(word, 0));
  if (const auto said = operation.attribute("comparison_direction")) {
    const std::size_t at = said->rfind(' ');
    word = said->substr(at == std::string_view::npos ? 0 : at + 1, 2);
  }
  constexpr std::array kWords = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"EQ", "eq"}, {"NE", "ne"}, {"LT", "lt"}, {"LE", "le"}, {"GT", "gt"}, {"GE", "ge"}});
  const auto known = std::ranges::find(kWords, word, [](const auto& each) { return each.first; });
  if (known == kWords.end()) return fail("its direction is not known");
  for (const std::string_view text : {operation.custom, operation.properties, operation.attributes})
    if (text.find("TOTALORDER") != std::string_view::npos) return fail("its order is total");
  return pointwise(operation, {operation.name, Form::Pointwise, known->second, 2}, operands, out);
}

}  // namespace vl::program
