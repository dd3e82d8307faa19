// Regions: d2m.generic with one linalg.generic over tiles, each operation of which is one on whole tensors. Maps from
// the iteration to operands are projections, (d0, d1) -> (d0, 0): where an operand has one tile and the iteration more,
// its tile is repeated, which no operation on tensors is, and which is not known here.
//
//   d2m.tile_reduce_sum(a, b, c) reduce_dim C     c + Σ a·b along the last dimension (R: along the one before)
//   d2m.tile_matmul(a, b, c)                      a @ b + c
// Source: tt-mlir at 19c86fca, D2MGenericRegionOps.td line 826, D2MOps.td line 261.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/notation/mlir_text.h"
#include "encodings/program/translator.h"

namespace vl::program {
namespace {

// The results of "(d0, d1) -> (d0, 0)", each a dimension's number, or -1 for 0. Nothing for another map.
std::optional<std::vector<Index>> projection(std::string_view map) {
  const std::size_t arrow = map.find("->");
  const std::size_t open = map.find('('), close = map.find(')');
  if (arrow == std::string_view::npos || open == std::string_view::npos || close == std::string_view::npos) return {};
  const std::vector<std::string_view> dims = mlir::listed(map.substr(open + 1, close - open - 1));
  const std::size_t from = map.find('(', arrow);
  const auto end = from == std::string_view::npos ? std::nullopt : mlir::behind_bracket(map, from);
  if (!end) return {};
  std::vector<Index> out;
  for (const std::string_view part : mlir::listed(map.substr(from + 1, *end - from - 2))) {
    const auto found = std::ranges::find(dims, part);
    if (found != dims.end()) out.push_back(found - dims.begin());
    else if (part == "0") out.push_back(-1);
    else return {};
  }
  return out;
}

// Operations on tiles that work on each element, in the language.
std::string_view word_of_tile(std::string_view name) {
  constexpr std::array kWords = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"exp", "exp"},   {"abs", "abs"},         {"negative", "neg"}, {"relu", "relu"},   {"sigmoid", "sigmoid"},
       {"tanh", "tanh"}, {"sqrt", "sqrt"},       {"rsqrt", "rsqrt"},  {"recip", "recip"}, {"log", "log"},
       {"sin", "sin"},   {"cos", "cos"},         {"gelu", "gelu"},    {"silu", "silu"},   {"floor", "floor"},
       {"ceil", "ceil"}, {"logical_not", "eqz"}, {"add", "add"},      {"sub", "sub"},     {"mul", "mul"},
       {"div", "div"},   {"maximum", "max"},     {"minimum", "min"},  {"pow", "pow"},     {"where", "where"},
       {"eqz", "eqz"},   {"nez", "nez"},         {"gtz", "gtz"},      {"gez", "gez"},     {"ltz", "ltz"},
       {"lez", "lez"}});
  constexpr std::string_view kTile = "d2m.tile_";
  if (!name.starts_with(kTile)) return {};
  const auto found = std::ranges::find(kWords, name.substr(kTile.size()), [](const auto& each) { return each.first; });
  return found == kWords.end() ? std::string_view() : found->second;
}

}  // namespace

// A value of the block: its name in the program, and the map by which its tile is found. Without a name it is what the
// result holds before, where nothing was written.
struct Translator::Block {
  struct Of {
    std::string name;
    std::vector<Index> map;
  };
  std::map<std::string, Of, std::less<>> values;
  std::vector<std::string_view> iterators;
  std::vector<Index> result;  // the map of the result
  std::size_t rank = 0;
  std::string shape;  // of the result, in words
};

bool Translator::tile_operation(const mlir::Operation& operation, Block& block) {
  std::vector<const Block::Of*> operands;
  for (const std::string& name : operation.operands) {
    const auto found = block.values.find(name);
    if (found == block.values.end()) return fail("a tile that is not the block's");
    operands.push_back(&found->second);
  }
  if (operation.results.size() != 1 || operands.empty()) return fail("an operation on tiles that is not known");
  const auto identity = [&](const Block::Of& of) {
    for (std::size_t i = 0; i < of.map.size(); ++i)
      if (of.map[i] != static_cast<Index>(i)) return false;
    return of.map.size() == block.rank;
  };
  const auto accumulate = [&](const std::string& words, std::string_view with, const Block::Of& onto) {
    std::string name = part(words);
    if (!onto.name.empty())
      name = part(fmt::format("{} {} {}", with, part(fmt::format("reshape {} {}", name, block.shape)), onto.name));
    block.values[operation.results[0]] = {std::move(name), block.result};
    return true;
  };
  if (const std::string_view word = word_of_tile(operation.name); !word.empty()) {
    std::string words(word);
    for (const Block::Of* operand : operands) {
      if (operand->name.empty() || !identity(*operand)) return fail("tiles that are repeated");
      words += " " + operand->name;
    }
    block.values[operation.results[0]] = {part(words), operands[0]->map};
    return true;
  }
  constexpr std::string_view kReduce = "d2m.tile_reduce_";
  if (operation.name.starts_with(kReduce) && operands.size() == 3) {
    const std::string_view kind = operation.name.substr(kReduce.size());
    const auto along = operation.attribute("reduce_dim");
    if (!along || (kind != "sum" && kind != "max" && kind != "mean") || block.rank != 2)
      return fail("a reduction of tiles that is not known");
    const bool columns = along->ends_with("dim C>"), rows = along->ends_with("dim R>");
    if (!columns && !rows) return fail("a reduction of both dimensions of a tile");
    const std::size_t axis = columns ? 1 : 0;
    const bool fits = identity(*operands[0]) && identity(*operands[1]) && block.result.size() == 2 &&
                      block.result[axis] == -1 && block.result[1 - axis] == static_cast<Index>(1 - axis) &&
                      block.iterators.size() == 2 && block.iterators[axis] == "reduction" &&
                      block.iterators[1 - axis] == "parallel";
    if (!fits || operands[0]->name.empty() || operands[1]->name.empty())
      return fail("a reduction of tiles whose maps are not known");
    const std::string scaled = part(fmt::format("mul {} {}", operands[0]->name, operands[1]->name));
    return accumulate(fmt::format("{} {} over {} keep{}", kind, scaled, axis, kind == "max" ? "" : " from +0"),
                      kind == "max" ? "max" : "add", *operands[2]);
  }
  if (operation.name == "d2m.tile_matmul" && operands.size() == 3) {
    const bool fits = operands[0]->map == std::vector<Index>{0, 2} && operands[1]->map == std::vector<Index>{2, 1} &&
                      block.result == std::vector<Index>{0, 1} && block.iterators.size() == 3 &&
                      block.iterators[2] == "reduction";
    if (!fits || operands[0]->name.empty() || operands[1]->name.empty())
      return fail("a matmul of tiles whose maps are not known");
    return accumulate(fmt::format("matmul {} {} from +0", operands[0]->name, operands[1]->name), "add", *operands[2]);
  }
  return fail(fmt::format("{} is not known", operation.name));
}

bool Translator::generic(const mlir::Operation& operation, Value& out) {
  const auto only = [](const mlir::Operation& of, std::string_view name) -> const mlir::Operation* {
    if (of.regions.size() != 1 || of.regions[0].operations.size() != 2) return nullptr;
    const mlir::Operation& first = of.regions[0].operations[0];
    return first.name == name && of.regions[0].operations[1].operands == first.results ? &first : nullptr;
  };
  const mlir::Operation* inner = only(operation, "linalg.generic");
  if (inner == nullptr || inner->regions.size() != 1 || operation.results.size() != 1)
    return fail("its region is not one linalg.generic");
  const auto maps = inner->attribute("indexing_maps"), kinds = inner->attribute("iterator_types");
  if (!maps || !kinds || maps->size() < 2 || kinds->size() < 2) return fail("its maps are not known");
  const auto outer = operation.attribute("indexing_maps");
  if (!outer || mlir::written_out(*outer, *from_.names) != mlir::written_out(*maps, *from_.names) ||
      operation.operands != inner->operands)
    return fail("its maps are not those of its linalg.generic");
  Block block;
  block.shape = type_in_words(out).substr(out.type.size());
  for (std::string_view kind : mlir::listed(kinds->substr(1, kinds->size() - 2)))
    block.iterators.push_back(kind.size() > 2 ? kind.substr(1, kind.size() - 2) : kind);
  const std::vector<std::string_view> listed = mlir::listed(maps->substr(1, maps->size() - 2));
  const mlir::Region& body = inner->regions[0];
  if (listed.size() != inner->operands.size() || listed.size() != body.arguments.size() || listed.empty())
    return fail("its maps are not known");
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const auto map = projection(mlir::written_out(listed[i], *from_.names).value_or(""));
    const auto value = values_.find(inner->operands[i]);
    if (!map || value == values_.end()) return fail("its maps or its operands are not known");
    if (value->second.name.empty() && !value->second.is_place) return fail("an operand that programs do not have");
    block.values[body.arguments[i].name] = {value->second.name, *map};
    block.result = *map;
    if (!value->second.is_place) block.rank = std::max(block.rank, value->second.shape.size());
  }
  for (std::size_t i = 0; i + 1 < body.operations.size(); ++i)
    if (!tile_operation(body.operations[i], block)) return false;
  if (body.operations.empty() || body.operations.back().operands.size() != 1)
    return fail("its block yields more than one tile");
  const auto given = block.values.find(body.operations.back().operands[0]);
  if (given == block.values.end() || given->second.name.empty() || given->second.map != block.result)
    return fail("its block yields what it was given");
  const std::string words = fmt::format("reshape {} {}", given->second.name, block.shape);
  // Reshaped, so that nothing is said of padding: where the shapes do not agree, the language refuses it.
  define(operation.results[0], std::move(out), words);
  return true;
}

}  // namespace vl::program
