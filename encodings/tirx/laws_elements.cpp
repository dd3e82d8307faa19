// Laws of pack and unpack: n small elements replace a large one on m.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/tirx/iters.h"
#include "encodings/tirx/law_formula.h"
#include "encodings/tirx/laws.h"

namespace vl::tirx {
namespace {

std::optional<Error> check(const std::vector<Axis>& axes, Index n) {
  if (n < 1) return refusal(fmt::format("a factor of {}; expected 1 or more", n));
  for (const Axis axis : axes)
    if (axis != Axis::M && !is_thread(axis))
      return refusal(fmt::format("the layout has {}, and only on m is it known what an element is", info(axis).name));
  return std::nullopt;
}

// The number of consecutive elements that follow one another on m: addresses 0, 1, 2, … from the first one's.
Index contiguous(const TileLayout& tile) {
  Index run = 1;
  for (auto iter = tile.shard.rbegin(); iter != tile.shard.rend(); ++iter) {
    if (iter->extent == 1) continue;
    if (iter->axis != Axis::M || iter->stride != run) break;
    run *= iter->extent;
  }
  return run;
}

// The error if an address, apart from the last digits', is not a multiple of n; pack divides these addresses.
std::optional<Error> check_multiples(const TileLayout& tile, Index n) {
  Index run = contiguous(tile);
  if (run % n != 0)
    return refusal(fmt::format("{} elements lie one behind the other on m, which is not a multiple of {}", run, n));
  for (auto iter = tile.shard.rbegin(); iter != tile.shard.rend(); ++iter) {
    if (iter->extent == 1) continue;
    if (run > 1) {
      run /= iter->extent;
    } else if (iter->axis == Axis::M && iter->stride % n != 0) {
      return refusal(fmt::format("the stride {} is not a multiple of {}", iter->stride, n));
    }
  }
  for (const Iter& iter : tile.replica)
    if (iter.axis == Axis::M && iter.extent > 1 && iter.stride % n != 0)
      return refusal(fmt::format("the stride {} of a replica is not a multiple of {}", iter.stride, n));
  for (const auto& [axis, value] : tile.offset)
    if (axis == Axis::M && value % n != 0)
      return refusal(fmt::format("the offset {} is not a multiple of {}", value, n));
  return std::nullopt;
}

}  // namespace

Result<use::Law> unpack_law(const Layout& layout, const map::Tensor& tensor, Index n) {
  auto formula = formula_of(layout, tensor);
  if (!formula) return formula.error();
  formula->axes = axes_of(formula->operands, true);
  formula->result = formula->axes;
  if (auto error = check(formula->axes, n)) return *error;
  if (formula->size.empty()) {
    formula->size = {n};
    formula->columns = 1;
    formula->digit = map::pick(0);
  } else {
    const auto extent = checked_mul(formula->size.back(), n);
    if (!extent) return Error{ErrorCode::Overflow, "the extent of the last dimension leaves 64 bits"};
    const std::size_t last = formula->size.size() - 1;
    formula->size.back() = *extent;
    formula->before.emplace_back(map::Split{last, {n, 1}});
    formula->columns = last + 2;
    formula->digit = map::pick(last + 1);
  }
  map::Affine grown = keep(formula->axes.size());
  grown.rows[position(formula->axes, Axis::M)] =
      map::Row{0, {{position(formula->axes, Axis::M), n}, {formula->axes.size(), 1}}};
  formula->after = {std::move(grown)};
  return law_of(*formula);
}

Result<use::Law> pack_law(const Layout& layout, const map::Tensor& tensor, Index n) {
  auto formula = formula_of(layout, tensor);
  if (!formula) return formula.error();
  formula->axes = axes_of(formula->operands, true);
  formula->result = formula->axes;
  if (auto error = check(formula->axes, n)) return *error;
  const TileLayout& tile = formula->operands.front().tile;
  if (n > 1) {
    if (auto error = check_multiples(tile, n)) return *error;
    if (layout.swizzle && (layout.swizzle->per_element >= 62 || (Index{1} << layout.swizzle->per_element) % n != 0))
      return refusal(
          fmt::format("the swizzle moves parts of 2^{} elements, no multiple of {}", layout.swizzle->per_element, n));
  }
  if (!tensor.size.empty() && tensor.size.back() % n == 0) {
    formula->size.back() /= n;
  } else {
    formula->size = {*checked_product(tensor.size) / n};
  }
  formula->columns = formula->size.size();
  const auto strides = map::dense_strides(formula->size);
  if (!strides) return strides.error();
  map::Row flat;
  for (std::size_t d = 0; d < strides->size(); ++d) flat.terms.push_back({d, (*strides)[d] * n});
  formula->operands.front().flat = std::move(flat);
  const std::size_t m = position(formula->axes, Axis::M);
  map::Affine kept;
  for (std::size_t k = 0; k < formula->axes.size(); ++k) kept.rows.push_back(map::pick(k <= m ? k : k + 1));
  formula->after = {map::Split{m, {n, 1}}, std::move(kept)};
  return law_of(*formula);
}

}  // namespace vl::tirx
