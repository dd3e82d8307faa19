#include "encodings/program/opspec_loops.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/notation/mlir.h"

namespace vl::program {
namespace {

using python::Kind;
using python::Node;

using Symbols = std::map<int, std::string>;  // which one goes through the rounds of each loop, by the loop's number

// A reason if another one does.
std::string add_symbol(int loop, const std::string& symbol, Symbols& symbols) {
  if (symbol.empty()) return "a dimension without a symbol goes through the rounds of a loop";
  const auto [at, added] = symbols.emplace(loop, symbol);
  return added || at->second == symbol ? std::string()
                                       : fmt::format("{} and {} go through the same rounds", at->second, symbol);
}

// What lies where a tensor does, if it has as many dimensions.
const SpecTensor* buffer_of(const SpecTensor& tensor, const SpecMemory& memory) {
  const SpecTensor* buffer = memory.find(tensor);
  return buffer != nullptr && buffer->axes.size() == tensor.axes.size() ? buffer : nullptr;
}

// The parts of what lies at one place, as one tensor.
std::string widen_one(SpecTensor& tensor, const Symbols& symbols, const std::vector<SpecLoop>& loops,
                      const SpecMemory& memory) {
  const SpecTensor* buffer = tensor.is_input ? buffer_of(tensor, memory) : nullptr;
  for (std::size_t level = loops.size(); level-- > 0;) {
    const SpecLoop& loop = loops[level];
    const auto symbol = symbols.find(loop.number);
    if (symbol == symbols.end() || tensor.moves.contains(loop.number)) continue;
    const auto axis = std::ranges::find(tensor.axes, symbol->second, &SpecAxis::symbol);
    if (axis == tensor.axes.end()) continue;
    const auto made = [&](const SpecAxis& of) { return std::ranges::find(of.loops, loop.number) != of.loops.end(); };
    if (tensor.is_input &&
        (buffer == nullptr || !made(buffer->axes[static_cast<std::size_t>(axis - tensor.axes.begin())]))) {
      if (axis->size != 1) return "a part of its operand is the same in each round";
      axis->symbol.clear();
      continue;
    }
    const bool moves = std::ranges::any_of(tensor.moves, [&](const auto& each) { return each.second == axis->symbol; });
    if (moves || axis->padded != axis->size) return "its parts do not follow one another";
    constexpr Index kLargest = Index{1} << 32;
    if (axis->size > kLargest / loop.count) return "its rounds are too many";
    axis->size *= loop.count, axis->padded = axis->size;
    axis->loops.push_back(loop.number);
  }
  tensor.set_type();
  return {};
}

}  // namespace

std::string read_levels(const Node& spec, SpecContext& context) {
  const Node *levels = python::argument(spec, "tiled_symbols"),
             *counts = python::argument(spec, "tiled_symbol_trip_counts");
  if (levels == nullptr && context.loops.empty()) return {};
  const bool known = levels != nullptr && levels->kind == Kind::List && levels->parts.size() == context.loops.size();
  if (!known) return "its tiled_symbols are not those of each loop around it";
  for (std::size_t i = 0; i < levels->parts.size(); ++i) {
    const Node& level = levels->parts[levels->parts.size() - 1 - i];  // the innermost comes first
    if (level.kind != Kind::List) return "its tiled_symbols are not those of each loop around it";
    for (const Node& each : level.parts) {
      const auto symbol = spec_text(each);
      if (!symbol || context.space.contains(*symbol) || !context.levels.emplace(*symbol, i).second)
        return fmt::format("its tiled symbol {} is not known", each.text.substr(0, 60));
    }
  }
  if (counts == nullptr) return {};
  for (std::size_t i = 0; i + 1 < counts->parts.size(); i += 2) {
    const auto symbol = spec_text(counts->parts[i]), text = spec_text(counts->parts[i + 1]);
    const auto count = text ? mlir::integers_of(*text) : std::nullopt;
    const auto level = symbol ? context.levels.find(*symbol) : context.levels.end();
    if (level == context.levels.end() || !count || *count != std::vector<Index>{context.loops[level->second].count})
      return fmt::format("its tiled_symbol_trip_counts has {}: {}, and the loop another count",
                         counts->parts[i].text.substr(0, 60), counts->parts[i + 1].text.substr(0, 20));
  }
  return {};
}

std::string widen(std::vector<SpecTensor>& tensors, const std::vector<SpecLoop>& loops, const SpecMemory& memory) {
  Symbols symbols;
  std::string why;
  const auto keep = [&](std::string reason) {
    if (why.empty()) why = std::move(reason);
  };
  for (const SpecTensor& each : tensors) {
    for (const auto& [loop, symbol] : each.moves) keep(add_symbol(loop, symbol, symbols));
    const SpecTensor* buffer = each.is_input && each.why.empty() ? buffer_of(each, memory) : nullptr;
    for (std::size_t i = 0; buffer != nullptr && i < each.axes.size(); ++i)
      for (const int loop : buffer->axes[i].loops) keep(add_symbol(loop, each.axes[i].symbol, symbols));
  }
  for (SpecTensor& each : tensors) {
    if (!why.empty()) return why;
    if (!each.why.empty()) continue;
    keep(widen_one(each, symbols, loops, memory));
    for (const auto& [loop, symbol] : symbols)
      if (!each.is_input && std::ranges::find(each.axes, symbol, &SpecAxis::symbol) == each.axes.end())
        keep(fmt::format("{} goes through the rounds of a loop, and its result does not", symbol));
  }
  return why;
}

std::string carried(const SpecTensor& tensor, const std::vector<SpecLoop>& loops, const SpecMemory& memory) {
  const SpecTensor* buffer = memory.find(tensor);
  for (const SpecLoop& loop : loops) {
    const bool in_this_round = buffer != nullptr && memory.written(tensor) > loop.begin;
    if (in_this_round && buffer->moves.contains(loop.number) != tensor.moves.contains(loop.number))
      return "of what this round has written it reads another part";
    const auto meets = [&](const SpecTensor& write) { return SpecMemory::meet(write, tensor); };
    if (!in_this_round && std::ranges::any_of(loop.writes, meets))
      return "an earlier round may have written what it reads";
  }
  return {};
}

}  // namespace vl::program
