// Laws of thread axes: fuse, split, canonical. This file has its own table of the axes that make up each axis, in steps
// of the whole axis.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/tirx/iters.h"
#include "encodings/tirx/law_formula.h"
#include "encodings/tirx/laws.h"
#include "encodings/tirx/operations.h"

namespace vl::tirx {
namespace {

struct Part {
  Axis axis;
  Index step = 1;
};

// An axis and the axes that make it up, from the slowest to the fastest. There are no other ways to make a thread axis.
struct Chain {
  Axis whole;
  std::vector<Part> parts;
};

const std::vector<Chain>& chains() {
  static const std::vector<Chain> all = {
      {Axis::TidInWg, {{Axis::WidInWg, 32}, {Axis::Laneid, 1}}},
      {Axis::Warpid, {{Axis::Wgid, 4}, {Axis::WidInWg, 1}}},
      {Axis::Tx, {{Axis::Warpid, 32}, {Axis::Laneid, 1}}},
      {Axis::Tx, {{Axis::Wgid, 128}, {Axis::TidInWg, 1}}},
      {Axis::Tx, {{Axis::Wgid, 128}, {Axis::WidInWg, 32}, {Axis::Laneid, 1}}},
  };
  return all;
}

bool has(const std::vector<Axis>& axes, Axis axis) { return std::ranges::find(axes, axis) != axes.end(); }

// The thread axes below a block whose coordinate is not always 0.
std::vector<Axis> moving(const TileLayout& tile) {
  std::vector<Axis> out;
  const auto moves = [](Axis axis, const std::vector<Iter>& iters) {
    return std::ranges::any_of(iters,
                               [&](const Iter& it) { return it.axis == axis && it.extent > 1 && it.stride != 0; });
  };
  for (const Axis axis : axes_of(tile)) {
    const bool shifted =
        std::ranges::any_of(tile.offset, [&](const auto& entry) { return entry.first == axis && entry.second != 0; });
    if (is_thread(axis) && info(axis).outer >= Scope::Cta &&
        (shifted || moves(axis, tile.shard) || moves(axis, tile.replica)))
      out.push_back(axis);
  }
  return out;
}

// The chain of `whole` that has all these axes as parts; the axis itself is a chain of one part.
std::optional<Chain> chain_with(Axis whole, const std::vector<Axis>& axes) {
  if (axes.empty() || (axes.size() == 1 && axes.front() == whole)) return Chain{whole, {{whole, 1}}};
  for (const Chain& chain : chains()) {
    const auto in_chain = [&](Axis axis) {
      return std::ranges::any_of(chain.parts, [&](const Part& part) { return part.axis == axis; });
    };
    if (chain.whole == whole && std::ranges::all_of(axes, in_chain)) return chain;
  }
  return std::nullopt;
}

// Whether each part except the slowest stays below the step of the part above it: else two threads would become one.
Result<bool> stays_apart(const TileLayout& tile, const Chain& chain, std::string& why) {
  for (const Part& part : chain.parts) {
    const auto capacity = info(part.axis).capacity;
    if (capacity == 0) continue;
    const auto range = range_of(tile, part.axis);
    if (!range) return range.error();
    if (range->low >= 0 && range->high < capacity) continue;
    const Index reached = range->low < 0 ? range->low : range->high;
    why = fmt::format("{} reaches {}, and it counts {}", info(part.axis).name, reached, capacity);
    return false;
  }
  return true;
}

// Reads the coordinates on the axes of `from` as one number and writes that number on the axes of `to`.
Result<use::Law> rewritten(Formula formula, const Chain& from, const Chain& to) {
  map::Affine gather;
  std::vector<Axis> order;
  map::Row number;
  for (std::size_t k = 0; k < formula.axes.size(); ++k) {
    const auto part = std::ranges::find(from.parts, formula.axes[k], &Part::axis);
    if (part != from.parts.end()) {
      number.terms.push_back({k, part->step});
      continue;
    }
    gather.rows.push_back(map::pick(k));
    order.push_back(formula.axes[k]);
  }
  const std::size_t place = order.size();
  gather.rows.push_back(std::move(number));
  formula.after = {std::move(gather)};
  map::Split digits{place, {}};
  for (const auto& [axis, step] : to.parts) {
    if (has(order, axis)) return refusal(fmt::format("the layout has {} already", info(axis).name));
    order.push_back(axis);
    digits.weights.push_back(step);
  }
  if (digits.weights.size() > 1) formula.after.emplace_back(std::move(digits));
  formula.result = order;
  std::ranges::sort(formula.result);
  map::Affine sorted;
  for (const Axis axis : formula.result) sorted.rows.push_back(map::pick(position(order, axis)));
  formula.after.emplace_back(std::move(sorted));
  return law_of(formula);
}

bool overlaps(Axis a, Axis b) { return info(a).outer < info(b).inner && info(b).outer < info(a).inner; }

// The axes of the layout that fuse into `to`; nothing if `to` itself is one of them.
std::optional<std::vector<Axis>> fused_axes(const TileLayout& tile, Axis to) {
  std::vector<Axis> fused;
  for (const Axis axis : axes_of(tile)) {
    if (!is_thread(axis) || !overlaps(axis, to)) continue;
    if (axis == to) return std::nullopt;
    fused.push_back(axis);
  }
  return fused;
}

Result<TileLayout> thread_tile(const Layout& layout) {
  if (!layout.tile) return refusal("a swizzle alone has no thread axes");
  return *layout.tile;
}

}  // namespace

Result<use::Law> fuse_law(const Layout& layout, const map::Tensor& tensor, Axis to) {
  const auto tile = thread_tile(layout);
  if (!tile) return tile.error();
  const auto fused = fused_axes(*tile, to);
  if (!fused) return refusal(fmt::format("the layout has {} already", info(to).name));
  if (fused->empty()) return refusal(fmt::format("no axis of the layout lies within {}", info(to).name));
  const auto chain = chain_with(to, *fused);
  if (!chain) return refusal(fmt::format("the layout's thread axes do not make up {}", info(to).name));
  std::string why;
  const auto apart = stays_apart(*tile, *chain, why);
  if (!apart) return apart.error();
  if (!*apart) return refusal(why);
  auto formula = formula_of(layout, tensor);
  if (!formula) return formula.error();
  return rewritten(std::move(*formula), *chain, Chain{to, {{to, 1}}});
}

std::optional<use::Impossible> no_fuse(const Layout& layout, Axis to) {
  const auto fused = layout.tile ? fused_axes(*layout.tile, to) : std::nullopt;
  const auto chain = fused && !fused->empty() ? chain_with(to, *fused) : std::nullopt;
  if (!chain) return std::nullopt;
  std::string why;
  const auto apart = stays_apart(*layout.tile, *chain, why);
  if (!apart || *apart) return std::nullopt;
  return use::Impossible{{fmt::format("every coordinate is a thread's, which it is not here: {}", why), 0, 1}};
}

Result<use::Law> split_law(const Layout& layout, const map::Tensor& tensor, Axis from, Axis outer) {
  const auto tile = thread_tile(layout);
  if (!tile) return tile.error();
  if (!has(axes_of(*tile), from)) return refusal(fmt::format("the layout has no {}", info(from).name));
  const auto pair = split_axes(from, outer);
  const auto chain = pair ? chain_with(from, {pair->first, pair->second}) : std::nullopt;
  if (!chain)
    return refusal(fmt::format("{} does not split into {} and another axis", info(from).name, info(outer).name));
  auto formula = formula_of(layout, tensor);
  if (!formula) return formula.error();
  return rewritten(std::move(*formula), Chain{from, {{from, 1}}}, *chain);
}

Result<use::Law> canonical_law(const Layout& layout, const map::Tensor& tensor, const std::optional<TileLayout>& with) {
  if (!layout.tile) return same_law(layout, tensor);
  const std::vector<Axis> ours = moving(*layout.tile);
  std::vector<Axis> theirs;
  if (with) theirs = moving(*with);
  const bool own = std::ranges::all_of(theirs, [&](Axis axis) { return has(ours, axis); });
  if (ours.empty() || (with && own)) return same_law(layout, tensor);
  for (const Axis whole : {Axis::TidInWg, Axis::Warpid, Axis::Tx}) {
    const auto from = chain_with(whole, ours);
    const auto to = chain_with(whole, theirs);
    std::string why;
    if (!from || !to || (!with && (ours.size() < 2 || from->parts.size() != ours.size()))) continue;
    const auto apart = stays_apart(*layout.tile, *from, why);
    if (!apart) return apart.error();
    if (!*apart) break;
    auto formula = formula_of(layout, tensor);
    if (!formula) return formula.error();
    // Drops an axis that the formula names but whose coordinate is always 0.
    std::erase_if(formula->axes, [&](Axis axis) {
      return !has(ours, axis) && std::ranges::find(to->parts, axis, &Part::axis) != to->parts.end();
    });
    return rewritten(std::move(*formula), *from, *to);
  }
  return same_law(layout, tensor);
}

}  // namespace vl::tirx
