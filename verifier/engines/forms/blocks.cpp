#include "verifier/engines/forms/blocks.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace vl::engines {
namespace {

constexpr Index kLastIndex = std::numeric_limits<Index>::max();

// The values v with range.low <= coefficient·v + constant <= range.high, as an interval; empty when high < low.
Range preimage(const Use& use, Range range) {
  const auto low = checked_add(range.low, -use.constant);
  const auto high = checked_add(range.high, -use.constant);
  if (!low || !high) return {1, 0};
  return use.coefficient > 0 ? Range{ceil_div(*low, use.coefficient), floor_div(*high, use.coefficient)}
                             : Range{ceil_div(-*high, -use.coefficient), floor_div(-*low, -use.coefficient)};
}

// Puts an output that joins digits of one split into that split's block; false when it is no such output.
bool join(SplitBlock& block, const Node& node, const std::vector<Range>& atoms, const Row& row, std::size_t output,
          Range range) {
  std::vector<map::Term> terms = row.terms;
  std::ranges::sort(terms, std::greater<>{}, &map::Term::coefficient);
  const map::Term lead = terms.front();
  if (row.constant != 0 || range.low != 0 || terms.back().coefficient < 1) return false;
  if (range.high == kLastIndex || (range.high + 1) % lead.coefficient != 0) return false;
  Index reach = 0;  // of the smaller terms
  for (std::size_t k = terms.size(); k-- > 0;) {
    const Range& digit = atoms[terms[k].input];
    if (terms[k].coefficient <= reach) return false;
    if (k == 0) break;
    if (digit.low < 0 || !accumulate(reach, terms[k].coefficient, digit.high)) return false;
  }
  for (const map::Term& term : terms) {
    const auto found = std::ranges::find(node.digits, term.input);
    if (found == node.digits.end()) return false;
    const auto k = static_cast<std::size_t>(found - node.digits.begin());
    if (term == lead) block.uses[k].push_back({output, lead.coefficient, 0});
    else block.joined[k] = true;
  }
  block.joins.push_back(output);
  return true;
}

// Puts an output into the block of the split whose digits it adds; false when it adds digits of different splits.
bool show(std::vector<SplitBlock>& blocks, const Symbolic& symbolic, const Row& row, std::size_t output, Range range) {
  const auto is_digit = [](const Node& node, const map::Term& term) {
    return std::ranges::find(node.digits, term.input) != node.digits.end();
  };
  for (std::size_t n = 0; n < blocks.size(); ++n) {
    const Node& node = symbolic.nodes()[n];
    if (!std::ranges::all_of(row.terms, [&](const map::Term& term) { return is_digit(node, term); })) continue;
    if (row.terms.size() > 1) return join(blocks[n], node, symbolic.atoms(), row, output, range);
    const auto digit = std::ranges::find(node.digits, row.terms[0].input) - node.digits.begin();
    blocks[n].uses[static_cast<std::size_t>(digit)].push_back({output, row.terms[0].coefficient, row.constant});
    return true;
  }
  return false;
}

// Why the blocks are not independent; counts how many of them each input is in.
std::optional<std::string> tangled(const std::vector<SplitBlock>& blocks, const Symbolic& symbolic,
                                   std::vector<int>& users) {
  for (const SplitBlock& block : blocks) {
    for (const map::Term& term : block.source.terms) {
      if (term.input >= users.size()) return "a digit is split again";
      if (++users[term.input] > 1) return "two independent splits share a coordinate";
    }
    const auto range = symbolic.range(block.source);
    const bool first_is_checked =
        block.uses[0].size() == 1 && block.uses[0][0].coefficient > 0 && block.uses[0][0].constant == 0;
    if (!range || (range->low < 0 && !first_is_checked)) return "an offset may be negative where nothing checks it";
  }
  return std::nullopt;
}

}  // namespace

std::variant<Blocks, std::string> Blocks::of(const map::Layout& layout) {
  Symbolic symbolic(layout.domain());
  std::vector<Row> outputs = symbolic.inputs();
  if (!symbolic.run(layout.map().stages(), outputs)) return "a stage is not a strided split (a swizzle, or overflow)";

  Blocks result;
  for (const map::Dim& dim : layout.physical().dims()) result.slot_box_.push_back({0, dim.extent - 1});
  result.slot_box_.resize(outputs.size(), Range{0, 0});

  const std::size_t inputs = symbolic.input_count();
  std::vector<SplitBlock> split_blocks;
  for (const Node& node : symbolic.nodes()) {
    const std::size_t digits = node.weights.size();
    split_blocks.push_back(
        {node.source, node.weights, std::vector<std::vector<Use>>(digits), std::vector<bool>(digits), {}});
  }
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    const Row& row = outputs[j];
    if (row.terms.empty()) result.constants_.emplace_back(j, row.constant);
    else if (std::ranges::all_of(row.terms, [&](const map::Term& term) { return term.input < inputs; }))
      result.blocks_.push_back({row, {1}, {{Use{j, 1, 0}}}, {false}, {}});
    else if (!show(split_blocks, symbolic, row, j, result.slot_box_[j]))
      return "an output adds digits of different splits";
  }

  // A split of which no output shows a digit says nothing about slots.
  for (std::size_t n = 0; n < split_blocks.size(); ++n) {
    const auto& uses = split_blocks[n].uses;
    if (std::ranges::all_of(uses, [](const auto& list) { return list.empty(); })) continue;
    for (std::size_t k = 0; k < uses.size(); ++k) {
      const Range digit = symbolic.atoms()[symbolic.nodes()[n].digits[k]];
      if (uses[k].empty() && !split_blocks[n].joined[k] && digit.low != digit.high) result.loses_digits_ = true;
    }
    result.blocks_.push_back(std::move(split_blocks[n]));
  }

  std::vector<int> users(inputs, 0);
  if (auto why = tangled(result.blocks_, symbolic, users)) return std::move(*why);
  for (std::size_t i = 0; i < inputs; ++i)
    if (users[i] == 0 && layout.domain().extent(i) > 1) result.idle_.push_back(i);
  return result;
}

bool Blocks::constants_allowed(const Box& outputs) const {
  return std::ranges::all_of(constants_, [&](const auto& constant) {
    return outputs[constant.first].low <= constant.second && constant.second <= outputs[constant.first].high;
  });
}

Tally Blocks::tally(const SplitBlock& block, const Box& inputs, const Box& outputs) const {
  for (const std::size_t output : block.joins)
    if (outputs[output] != slot_box_[output]) return {};
  std::vector<Level> levels;
  for (std::size_t k = 0; k < block.weights.size(); ++k) {
    Level level{block.weights[k], 0, kLastIndex};
    for (const Use& use : block.uses[k]) {
      const Range allowed = preimage(use, outputs[use.output]);
      level.low = std::max(level.low, allowed.low);
      level.high = std::min(level.high, allowed.high);
    }
    levels.push_back(level);
  }
  const GreedyCounter counter(levels);
  const auto modes = modes_of(block.source, inputs);
  if (!modes) return {};
  if (const auto filled = progression(modes->offset, modes->modes);
      filled && (filled->step == 1 || filled->count == 1)) {
    const Index allowed = counter.within(filled->base, filled->base + (filled->count - 1));
    return {filled->count, allowed, allowed == filled->count};
  }
  Index low = modes->offset;
  Index high = modes->offset;
  for (const Mode& mode : modes->modes)
    if (!accumulate(mode.stride < 0 ? low : high, mode.stride, mode.extent - 1)) return {};
  if (high == kLastIndex || low < 0 || counter.within(low, high) != high - low + 1) return {};
  Tally tally{std::nullopt, std::nullopt, true};
  if (std::holds_alternative<Injective>(injectivity(modes->modes))) {
    Index points = 1;  // at most high - low + 1: distinct offsets in that interval
    for (const Mode& mode : modes->modes) points *= mode.extent;
    tally.distinct = tally.allowed = points;
  }
  return tally;
}

std::optional<Index> Blocks::occupied(const Box& inputs, const Box& outputs) const {
  if (loses_digits_) return std::nullopt;
  if (!constants_allowed(outputs)) return 0;
  Index count = 1;
  for (const SplitBlock& block : blocks_) {
    const Tally tally = this->tally(block, inputs, outputs);
    if (!tally.allowed) return std::nullopt;
    const auto product = checked_mul(count, *tally.allowed);
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

}  // namespace vl::engines
