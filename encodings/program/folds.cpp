// Operations that read whole dimensions: reductions, running ones, norms, the largest elements, and products of
// matrices. Sources: tt-mlir at 19c86fca, include/ttmlir/Dialect/TTIR/IR/TTIROps.td;
// openxla/stablehlo at 3c9301c1, docs/spec.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "encodings/notation/mlir_text.h"
#include "encodings/program/translator.h"

namespace vl::program {

bool Translator::reduce(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out) {
  const Value& from = *operands[0];
  const std::size_t rank = from.shape.size();
  std::vector<std::size_t> axes;
  const auto said = operation.attribute("dim_arg");
  const bool pool = row.name == "global_avg_pool2d";  // [N, H, W, C] to [N, 1, 1, C]
  if (pool && rank != 4) return fail("its operand has another rank than 4");
  const auto listed = pool   ? std::optional(std::vector<Index>{1, 2})
                      : said ? mlir::integers_of(*said)
                             : std::optional(std::vector<Index>{});
  if (!listed) return fail("its dimensions are no integers");
  for (const Index value : *listed) {
    const auto axis = dimension(value, rank);
    if (!axis || std::ranges::find(axes, *axis) != axes.end()) return fail("a dimension that there is not");
    axes.push_back(*axis);
  }
  if (axes.empty()) axes.resize(rank), std::iota(axes.begin(), axes.end(), std::size_t{0});
  const auto keep = operation.attribute("keep_dim");
  const bool keeps = pool || (keep && keep->starts_with("true"));
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

namespace {

struct Combiner {
  std::string_view operation, word, function, neutral;
};
constexpr std::array kCombiners = std::to_array<Combiner>({{"stablehlo.add", "sum", "add", "0"},
                                                           {"stablehlo.multiply", "prod", "mul", "1"},
                                                           {"stablehlo.maximum", "max", "max", "-inf"},
                                                           {"stablehlo.minimum", "min", "min", "inf"},
                                                           {"stablehlo.or", "any", "", "0"},
                                                           {"stablehlo.and", "all", "", "1"}});

// The one operation of a reducer, on both of its arguments; empty: another one.
std::string_view reducer_of(const mlir::Operation& operation) {
  if (const std::size_t at = operation.custom.find("applies "); at != std::string_view::npos) {
    const std::size_t begin = at + std::string_view("applies ").size();
    return operation.custom.substr(begin, mlir::end_of_word(operation.custom, begin) - begin);
  }
  if (operation.regions.size() != 1 || operation.regions[0].operations.size() != 2) return {};
  const auto& body = operation.regions[0];
  std::vector<std::string> combined = body.operations[0].operands;
  std::ranges::sort(combined);
  std::vector<std::string> given;
  for (const mlir::Argument& argument : body.arguments) given.push_back(argument.name);
  std::ranges::sort(given);
  const bool plain = given.size() == 2 && combined == given && given[0] != given[1] &&
                     body.operations[0].results == body.operations[1].operands;
  return plain ? std::string_view(body.operations[0].name) : std::string_view();
}

}  // namespace

// stablehlo.reduce, with a reducer of one operation. The start is added once.
bool Translator::reduce_with_start(const mlir::Operation& operation, const Operands& operands, Value& out) {
  if (operands.size() != 2 || operation.results.size() != 1)
    return reduce_pairs(operation, operands, out) ||
           (fail("it reduces several tensors"), whole(operation, operands, out));
  const Value &from = *operands[0], &start = *operands[1];
  const auto known = std::ranges::find(kCombiners, reducer_of(operation), &Combiner::operation);
  if (known == kCombiners.end()) return fail("its reducer is not known"), whole(operation, operands, out);
  if (known->function.empty() && from.type != "i1")
    return fail("its reducer works on bits"), whole(operation, operands, out);
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
  const bool neutral = start.number == known->neutral || (sum && start.number == "-0");
  if (!neutral && known->function.empty()) return fail("its start is not neutral"), whole(operation, operands, out);
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
  if (!axes || axes->size() != 1) return fail("it is over more than one dimension"), whole(operation, operands, out);
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
  auto k = integers(operation, "k");
  if (const std::size_t at = operation.custom.find("k = "); !k && at != std::string_view::npos)  // (%a, k = 2)
    k = mlir::integers_of(operation.custom.substr(at + 4, operation.custom.find(')', at) - at - 4));
  auto axis = integers(operation, "dim");
  if (!axis) axis = std::vector<Index>{-1};
  const auto largest = operation.attribute("largest");
  const auto found = axis->size() == 1 ? dimension((*axis)[0], from.shape.size()) : std::nullopt;
  if (!k || k->size() != 1 || (*k)[0] < 1 || !found) return fail("its k or its dimension is not known");
  if (out.type != from.type) return fail("its result has another type");
  if ((*k)[0] > 16) return fail("a k beyond 16 is not known"), whole(operation, operands, out);
  if (largest && !largest->starts_with("true")) return fail("the least are not known"), whole(operation, operands, out);
  auto second = operation.results.size() < 2 ? std::nullopt : value_of(operation.outputs[1]);
  if (!second && operation.results.size() > 1) return fail("its places have a type that programs do not have");
  const std::string tail = fmt::format(" {} over {} k {}", from.name, *found, (*k)[0]);
  define(operation.results[0], std::move(out), "topk" + tail);
  if (!second) return true;
  std::string places = "topk-indices" + tail;
  if (second->type != "i32") places = fmt::format("cast {} {}", part(places), second->type);
  define(operation.results[1], std::move(*second), places);
  return true;
}

// x / sqrt(mean x² + eps), of layernorm with x - mean x in place of x.
std::string Translator::norm_in_parts(std::string_view word, const std::string& of, std::size_t axis, double eps) {
  std::string x = of;
  if (word == "layernorm") x = part(fmt::format("sub {} {}", of, part(fmt::format("mean {} over {} keep", of, axis))));
  const std::string square = part(fmt::format("square {}", x));
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
  const Value &a = *operands[0], &b = *operands[1];
  std::string words = fmt::format("matmul {} {}", a.name, b.name);
  for (const auto& [key, word] : {std::pair("transpose_a", " ta"), std::pair("transpose_b", " tb")})
    if (const auto said = operation.attribute(key); said && said->starts_with("true")) words += word;
  if (bias) words = fmt::format("add {} {}", part(words), operands[2]->name);
  if (const auto said = operation.attribute("activation"); said && said->size() > 2) {
    constexpr std::array<std::string_view, 5> kKnown{"relu", "gelu", "sigmoid", "tanh", "silu"};
    const std::string_view function = said->substr(1, said->size() - 2);
    if (std::ranges::find(kKnown, function) == kKnown.end()) return fail("its activation is not known");
    words = fmt::format("{} {}", function, part(words));
  }
  // Of a vector the result has no dimension; that of two vectors is a tensor of one element.
  std::optional<std::vector<Index>> made;
  if (a.shape.size() == 1 && b.shape.size() == 1 && out.shape == std::vector<Index>{1})
    words = fmt::format("reshape {} [1]{}", part(words), plain_tile(out));
  else if (b.shape.size() == 1 && a.shape.size() == out.shape.size() + 1 && !bias)
    made = std::vector<Index>(a.granules.begin(), a.granules.end() - 1);
  define(operation.results[0], std::move(out), words, made);
  return true;
}

namespace {

// Dimensions of the left and of the right operand.
struct DotDimensions {
  std::array<std::vector<Index>, 2> batch, contract;
};

// As StableHLO writes them, in short or as an attribute, or TTIR.
DotDimensions dimensions_of_dot(const mlir::Operation& operation) {
  DotDimensions out;
  auto& [batch, contract] = out;
  const auto read = [&](std::string_view text, std::string_view key, std::vector<Index>& into) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos) return;
    const std::size_t open = text.find('[', at);
    const auto end = open == std::string_view::npos ? std::nullopt : mlir::behind_bracket(text, open);
    if (end) into = mlir::integers_of(text.substr(open, *end - open)).value_or(std::vector<Index>{});
  };
  const auto listed = [&](std::string_view key) {
    const auto said = operation.attribute(key);
    return said ? mlir::integers_of(*said) : std::nullopt;
  };
  if (const auto numbers = operation.attribute("dot_dimension_numbers")) {
    read(*numbers, "lhs_batching_dimensions", batch[0]), read(*numbers, "rhs_batching_dimensions", batch[1]);
    read(*numbers, "lhs_contracting_dimensions", contract[0]);
    read(*numbers, "rhs_contracting_dimensions", contract[1]);
  } else if (operation.attribute("contract_dims_lhs")) {
    batch = {listed("batch_dims_lhs").value_or(std::vector<Index>{}),
             listed("batch_dims_rhs").value_or(std::vector<Index>{})};
    contract = {listed("contract_dims_lhs").value_or(std::vector<Index>{}),
                listed("contract_dims_rhs").value_or(std::vector<Index>{})};
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
  return out;
}

}  // namespace

// dot_general: the result has the batch, the free dimensions of the left and those of the right.
bool Translator::dot(const mlir::Operation& operation, const Operands& operands, Value& out) {
  const Value &a = *operands[0], &b = *operands[1];
  const auto [batch, contract] = dimensions_of_dot(operation);
  // Of several dimensions the products are summed over the last one, and these sums over the others: one of the orders
  // in which all may be added, where no sum is rounded to less than it is added in.
  const std::size_t contracted = contract[0].size();
  const bool several = contracted > 1 && (a.type == "f32" || a.type == "f64" || !is_float(a));
  if (contracted != contract[1].size() || batch[0].size() != batch[1].size() || (contracted != 1 && !several))
    return fail("it contracts another number of dimensions than one"), whole(operation, operands, out);
  if (a.type != b.type || out.type != a.type) return fail("its types differ"), whole(operation, operands, out);
  for (std::size_t side = 0; side < 2; ++side) {
    const auto rank = static_cast<Index>((side == 0 ? a : b).shape.size());
    const auto outside = [&](Index at) { return at < 0 || at >= rank; };
    if (std::ranges::any_of(contract[side], outside) || std::ranges::any_of(batch[side], outside))
      return fail("a dimension that there is not");
  }
  std::array<std::vector<Index>, 2> by = batch;  // with the contracted ones that are summed over last
  std::vector<std::size_t> over;
  for (std::size_t i = 0; i + 1 < contracted; ++i) {
    over.push_back(by[0].size());
    for (std::size_t side = 0; side < 2; ++side) by[side].push_back(contract[side][i]);
  }
  std::string words =
      fmt::format("matmul {} {} contract ({}) ({})", a.name, b.name, contract[0].back(), contract[1].back());
  if (!by[0].empty()) words += fmt::format(" batch ({}) ({})", fmt::join(by[0], ","), fmt::join(by[1], ","));
  if (!over.empty()) words = fmt::format("sum {} over {}", part(words), axes_in_words(over));
  std::vector<Index> made = picked(a.granules, batch[0]);
  for (std::size_t side = 0; side < 2; ++side) {
    const Value& of = side == 0 ? a : b;
    for (std::size_t i = 0; i < of.shape.size(); ++i) {
      const auto at = static_cast<Index>(i);
      if (std::ranges::find(contract[side], at) == contract[side].end() &&
          std::ranges::find(batch[side], at) == batch[side].end())
        made.push_back(of.granules[i]);
    }
  }
  if (made.size() != out.shape.size()) return fail("its result has another rank");
  define(operation.results[0], std::move(out), words, made);
  return true;
}

}  // namespace vl::program
