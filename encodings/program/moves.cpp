// Operations that move elements or write padding. Sources: tt-mlir at 19c86fca, include/ttmlir/Dialect/TTIR/IR/
// TTIROps.td; openxla/stablehlo at 3c9301c1, docs/spec.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "encodings/notation/mlir_text.h"
#include "encodings/program/translator.h"

namespace vl::program {
namespace {

bool is_permutation(const std::vector<Index>& order) {
  std::vector<Index> sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != static_cast<Index>(i)) return false;
  return true;
}

bool has_padding(const Value& value) {
  for (std::size_t i = 0; i < value.shape.size(); ++i)
    if (value.shape[i] % value.granules[i] != 0) return true;
  return false;
}

}  // namespace

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

// The elements that a view shows, and their padding where what it shows there is proved, too, or where there is none.
bool Translator::view(const mlir::Operation& operation, const Operands& operands, Value& out) {
  const auto found = options_.seen.find(operation.offset);
  if (found == options_.seen.end()) return fail("that it shows elements of its source is not proved");
  const auto& [dims, first, whole] = found->second;
  const Value& from = *operands[0];
  const std::size_t rank = from.shape.size();
  if (from.type != out.type || out.shape.size() != rank || dims.size() != rank || !is_permutation(dims))
    return fail("it changes the type or the rank");
  std::vector<Index> straight(rank), order(rank);
  std::iota(straight.begin(), straight.end(), Index{0});
  for (std::size_t i = 0; i < rank; ++i) order[static_cast<std::size_t>(dims[i])] = static_cast<Index>(i);
  const bool same = dims == straight && std::ranges::all_of(first, [](Index i) { return i == 0; });
  if (same && whole && from.shape == out.shape && from.granules == out.granules) {
    values_[operation.results[0]] = from;
    return true;
  }
  if (has_padding(out)) return fail("what it shows behind its elements is not known");
  std::string name = from.name;
  for (std::size_t i = 0; i < rank; ++i) {
    const Index size = out.shape[static_cast<std::size_t>(dims[i])];
    if (first[i] != 0 || size != from.shape[i])
      name = part(fmt::format("slice {} over {} at {}..{}", name, i, first[i], first[i] + size));
  }
  if (dims != straight) name = part(fmt::format("transpose {} ({})", name, fmt::join(order, ",")));
  const std::string words = fmt::format("reshape {} [{}]", name, fmt::join(out.shape, ","));
  define(operation.results[0], std::move(out), words);
  return true;
}

// optimization_barrier: each operand is a result.
bool Translator::barrier(const mlir::Operation& operation, const Operands& operands) {
  std::vector<Value> given;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const auto said = i < operation.results.size() ? value_of(operation.outputs[i]) : std::nullopt;
    const Value& from = *operands[i];
    if (!said || said->type != from.type || said->shape != from.shape || said->granules != from.granules ||
        said->quantised != from.quantised)
      return fail("its results are other tensors than its operands");
    given.push_back(from);
  }
  if (given.size() != operation.results.size()) return fail("its results are other tensors than its operands");
  for (std::size_t i = 0; i < given.size(); ++i) values_[operation.results[i]] = std::move(given[i]);
  return true;
}

bool Translator::repeat(const mlir::Operation& operation, const Operands& operands, Value& out) {
  constexpr Index kMost = 64;
  const Value& from = *operands[0];
  auto times = integers(operation, "repeat_dimensions");
  if (const auto shape = operation.attribute("repeat_dims")) {  // #ttnn.shape<1x4>
    std::string sizes(shape->substr(std::min(shape->find('<') + 1, shape->size())));
    std::ranges::replace(sizes, 'x', ',');
    times = mlir::integers_of(sizes.substr(0, sizes.find('>')));
  }
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

// concatenate_heads: [batch, head, sequence, d] is [batch, sequence, head·d]; nlp_concat_heads puts a dimension of 1 in
// front of the sequence, and nlp_concat_heads_decode makes [1, 1, batch, head·d] of the first heads of [1, batch, head,
// d].
bool Translator::heads(const mlir::Operation& operation, const Operands& operands, Value& out) {
  if (operands[0]->shape.size() != 4) return fail("its operand has another rank than 4");
  if (const auto count = integers(operation, "num_heads")) {
    const Index had = operands[0]->shape[2];
    if (count->size() != 1 || (*count)[0] < 1 || (*count)[0] > had) return fail("its number of heads is not known");
    std::string from = operands[0]->name;
    if ((*count)[0] < had) from = part(fmt::format("slice {} over 2 at 0..{}", from, (*count)[0]));
    const std::string joined = fmt::format("reshape {} [{}]{}", from, fmt::join(out.shape, ","), plain_tile(out));
    define(operation.results[0], std::move(out), joined);
    return true;
  }
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
  const bool view = operation.name == "d2m.composite_view";  // of shards of any size
  if (view && has_padding(out)) return fail("what it shows behind its elements is not known");
  std::string words = "concat";
  for (const Value* operand : operands)
    words += " " + (view ? part(fmt::format("reshape {} [{}]", operand->name, fmt::join(operand->shape, ",")))
                         : operand->name);
  words += fmt::format(" over {}", *found);
  if (view) words = fmt::format("reshape {} [{}]", part(words), fmt::join(out.shape, ","));
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
  if (said.empty()) {
    if (has_padding(from)) note("a slice of a whole tensor is taken for that tensor, with its padding");
    return same(operation, operands, out);
  }
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
    const bool says_interior = operation.attribute("interior") || operation.attribute("interior_padding");
    if (says_interior && !interior) return fail("its padding between elements is not known");
    if (interior && std::ranges::any_of(*interior, [](Index i) { return i != 0; }))
      return fail("it pads between elements");
    low = *lows, high = *highs, number = operands[1]->number;
    if (number.empty() && operands[1]->shape.empty()) number = operands[1]->name;
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

}  // namespace vl::program
