// Grouping: the operations that only cut iters and change their order. One pass along the shard from the outermost
// iter: an iter that divides the rest of a dimension is taken whole, and the last one is cut.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "encodings/tirx/iters.h"
#include "encodings/tirx/operations.h"

namespace vl::tirx {
namespace {

std::optional<Error> check_shape(const TileLayout& layout, std::span<const Index> shape) {
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] < 1) return refusal(fmt::format("dimension {} has extent {}; expected 1 or more", d, shape[d]));
  const auto size = size_of(layout);
  if (!size) return size.error();
  const auto wanted = checked_product(shape);
  if (!wanted) return too_large("the number of elements of the shape");
  if (*wanted != *size)
    return Error{ErrorCode::Shape,
                 fmt::format("the layout has {} elements, a shape of {} has {}", *size, show(shape), *wanted)};
  return std::nullopt;
}

// The rest of the shard, which is taken from the outermost iter on.
class Rest {
 public:
  explicit Rest(const TileLayout& layout) {
    for (const Iter& iter : layout.shard)
      if (iter.extent > 1) iters_.push_back(iter);
  }

  // Moves the iters of `need` elements to `out`.
  std::optional<Error> take(Index need, std::string_view who, std::vector<Iter>& out) {
    while (need > 1) {
      VL_CHECK(next_ < iters_.size(), "as many elements in the shape as in the shard");
      Iter& iter = iters_[next_];
      if (need % iter.extent == 0) {
        out.push_back(iter);
        need /= iter.extent;
        ++next_;
        continue;
      }
      if (iter.extent % need != 0)
        return refusal(fmt::format("{} needs {} more elements of the iter {}, and neither divides the other", who, need,
                                   show(iter)));
      const Index inner = iter.extent / need;
      const auto stride = checked_mul(iter.stride, inner);
      if (!stride) return too_large(fmt::format("a stride of the iter {}", show(iter)));
      out.push_back(Iter{need, *stride, iter.axis});
      iter.extent = inner;
      return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  std::vector<Iter> iters_;
  std::size_t next_ = 0;
};

// Grouped for an operation on dimensions. If the dimensions are the iters themselves, the iters stay unchanged, units
// included, so that another operation that counts iters finds them.
Result<Grouped> grouped_tile(const Layout& layout, std::span<const Index> shape) {
  auto tile = tile_of(layout, shape);
  if (!tile) return tile.error();
  if (std::ranges::equal(tile->shard, shape, {}, &Iter::extent)) {
    if (const auto size = size_of(*tile); !size) return size.error();
    Grouped out{std::move(*tile), {}};
    for (std::size_t k = 0; k <= shape.size(); ++k) out.first.push_back(k);
    return out;
  }
  return group(simplified(*tile), shape);
}

}  // namespace

Result<Grouped> group(const TileLayout& layout, std::span<const Index> shape) {
  if (auto error = check_shape(layout, shape)) return *error;
  Grouped out{{{}, layout.replica, layout.offset}, {0}};
  Rest rest(layout);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto who = fmt::format("dimension {} of {}", d, show(shape));
    if (auto error = rest.take(shape[d], who, out.layout.shard)) return *error;
    out.first.push_back(out.layout.shard.size());
  }
  return out;
}

Result<GroupedMany> group_many(const TileLayout& layout, std::span<const std::vector<Index>> shapes) {
  std::set<Index> boundaries = {1};
  for (const std::vector<Index>& shape : shapes) {
    if (auto error = check_shape(layout, shape)) return *error;
    Index product = 1;
    for (const Index extent : shape) boundaries.insert(product *= extent);
  }
  Index product = 1;
  for (const Iter& iter : layout.shard) {
    const auto next = checked_mul(product, iter.extent);
    if (!next) return too_large("the number of elements");
    boundaries.insert(product = *next);
  }
  std::vector<Index> refined;
  for (auto it = std::next(boundaries.begin()); it != boundaries.end(); ++it) {
    const Index before = *std::prev(it);
    if (*it % before != 0) return refusal(fmt::format("incompatible boundaries: {} does not divide {}", before, *it));
    refined.push_back(*it / before);
  }
  auto cut = group(layout, refined);
  if (!cut) return cut.error();
  VL_CHECK(cut->layout.shard.size() == refined.size(), "a common refinement cuts every iter at its boundaries");
  GroupedMany out{std::move(cut->layout), {}};
  for (const std::vector<Index>& shape : shapes) {
    std::vector<std::size_t> first = {0};
    product = 1;
    for (const Index extent : shape) {
      product *= extent;
      first.push_back(static_cast<std::size_t>(std::distance(boundaries.begin(), boundaries.find(product))));
    }
    out.first.push_back(std::move(first));
  }
  return out;
}

Result<Layout> permute(const Layout& layout, std::span<const Index> shape, std::span<const Index> order) {
  const std::set<Index> distinct(order.begin(), order.end());
  const auto rank = static_cast<Index>(shape.size());
  if (order.size() != shape.size() || distinct.size() != order.size() ||
      (rank > 0 && (*distinct.begin() < 0 || *distinct.rbegin() >= rank)))
    return Error{ErrorCode::Shape, fmt::format("{} is not an order of {} dimensions", show(order), rank)};
  auto grouped = grouped_tile(layout, shape);
  if (!grouped) return grouped.error();
  const std::vector<Iter> shard = std::move(grouped->layout.shard);
  grouped->layout.shard.clear();
  for (const Index dim : order) {
    const auto d = static_cast<std::size_t>(dim);
    for (std::size_t k = grouped->first[d]; k < grouped->first[d + 1]; ++k) grouped->layout.shard.push_back(shard[k]);
  }
  return with_tile(layout, std::move(grouped->layout));
}

Result<Layout> broadcast(const Layout& layout, std::span<const Index> shape, Index extent, Index at) {
  const auto rank = static_cast<Index>(shape.size());
  const Index place = at < 0 ? at + rank + 1 : at;
  if (place < 0 || place > rank)
    return Error{ErrorCode::Shape, fmt::format("there is no place {} among {} dimensions", at, rank)};
  if (extent < 1) return refusal(fmt::format("a dimension of extent {}; expected 1 or more", extent));
  auto grouped = grouped_tile(layout, shape);
  if (!grouped) return grouped.error();
  TileLayout& tile = grouped->layout;
  const auto k = grouped->first[static_cast<std::size_t>(place)];
  tile.shard.insert(tile.shard.begin() + static_cast<std::ptrdiff_t>(k), Iter{extent, 0, Axis::M});
  if (const auto size = size_of(tile); !size) return size.error();
  return with_tile(layout, std::move(tile));
}

}  // namespace vl::tirx
