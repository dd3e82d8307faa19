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

use::Impossible not_a_multiple(const std::string& what, Index value, Index n) {
  return {{fmt::format("{} is a multiple of {}, without which there is no result", what, n), value % n, 0}};
}

// The first address, apart from the last digits', that is not a multiple of n; pack divides these addresses. Each of
// these numbers is the address of some n·x less that of another one, so all have to be multiples.
std::optional<use::Impossible> not_multiples(const TileLayout& tile, Index n) {
  Index run = contiguous(tile);
  if (run % n != 0)
    return not_a_multiple(fmt::format("the number of elements that lie one behind the other on m, {},", run), run, n);
  for (auto iter = tile.shard.rbegin(); iter != tile.shard.rend(); ++iter) {
    if (iter->extent == 1) continue;
    if (run > 1) {
      run /= iter->extent;
    } else if (iter->axis == Axis::M && iter->stride % n != 0) {
      return not_a_multiple(fmt::format("the stride {}", iter->stride), iter->stride, n);
    }
  }
  for (const Iter& iter : tile.replica)
    if (iter.axis == Axis::M && iter.extent > 1 && iter.stride % n != 0)
      return not_a_multiple(fmt::format("the stride {} of a replica", iter.stride), iter.stride, n);
  for (const auto& [axis, value] : tile.offset)
    if (axis == Axis::M && value % n != 0) return not_a_multiple(fmt::format("the offset {}", value), value, n);
  return std::nullopt;
}

// Whether a swizzle moves parts of runs of n elements; then nothing is known of the addresses before it.
bool cuts_runs(const std::optional<SwizzleLayout>& swizzle, Index n) {
  return swizzle && swizzle->swizzle_len > 0 &&
         (swizzle->per_element >= 62 || (Index{1} << swizzle->per_element) % n != 0);
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
  if (n > 1 && cuts_runs(layout.swizzle, n))
    return refusal(
        fmt::format("the swizzle moves parts of 2^{} elements, no multiple of {}", layout.swizzle->per_element, n));
  if (n > 1)
    if (const auto no = not_multiples(formula->operands.front().tile, n))
      return refusal("this does not hold: " + no->rule.statement);
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

std::optional<use::Impossible> no_pack(const Layout& layout, Index n) {
  const bool defined = n > 1 && layout.tile && !cuts_runs(layout.swizzle, n) && !check(axes_of(*layout.tile), n);
  return defined ? not_multiples(*layout.tile, n) : std::nullopt;
}

}  // namespace vl::tirx
