// Random layouts and shapes, small enough that every element of a result can be compared.
#pragma once

#include <map>

#include "tests/support/property.h"
#include "tests/tirx/sets.h"

namespace vl::tirx {

class Random {
 public:
  explicit Random(test::WideEngine bits) : bits_(std::move(bits)) {}

  Index below(Index end) { return test::roll(bits_, 0, end - 1); }
  Index between(Index low, Index high) { return low + below(high - low + 1); }
  bool one_in(Index n) { return below(n) == 0; }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(below(static_cast<Index>(all.size())))];
  }

  /// A shape of 1 to 3 dimensions of 1 to 6.
  std::vector<Index> shape() {
    static const std::vector<Index> extents = {1, 2, 2, 3, 4, 4, 6};
    std::vector<Index> out(static_cast<std::size_t>(between(1, 3)));
    for (Index& extent : out) extent = of(extents);
    return out;
  }

  /// A layout of that many elements: extents that multiply up to it, half of the time those of the shape refined,
  /// strides of all kinds, and now and then replicas and offsets.
  TileLayout tile(const std::vector<Index>& shape, const std::vector<Axis>& axes) {
    TileLayout out;
    std::vector<Index> parts;
    if (one_in(4)) {
      parts = {*checked_product(shape)};
    } else {
      parts = shape;
    }
    for (const Index part : parts) refine(part, axes, out.shard);
    if (one_in(4)) std::ranges::shuffle(out.shard, bits_);
    if (one_in(2)) make_contiguous(out.shard);
    for (Index copies = one_in(3) ? between(1, 2) : 0; copies > 0; --copies)
      out.replica.push_back({between(1, 3), stride(), of(axes)});
    for (const Axis axis : axes)
      if (one_in(4)) out.offset.emplace_back(axis, between(-2, 40));
    std::ranges::sort(out.offset);
    return out;
  }

  SwizzleLayout swizzle() {
    return {static_cast<int>(below(3)), static_cast<int>(below(3)), static_cast<int>(between(1, 3)), !one_in(3)};
  }

 private:
  Index stride() {
    static const std::vector<Index> all = {0, 1, 1, 2, 2, 3, 4, 4, 6, 8, 8, 12, 16, 32, -1, -4};
    return of(all);
  }
  // Iters whose extents multiply up to `extent`.
  void refine(Index extent, const std::vector<Axis>& axes, std::vector<Iter>& out) {
    for (Index factor = 2; factor <= extent && extent > 1;) {
      if (extent % factor != 0) {
        ++factor;
        continue;
      }
      const Index taken = one_in(2) ? extent : factor;
      out.push_back({taken, stride(), of(axes)});
      extent /= taken;
    }
    if (one_in(6)) out.push_back({1, stride(), of(axes)});
  }
  // Strides that continue each other on each axis, as in most layouts that people write.
  void make_contiguous(std::vector<Iter>& shard) {
    std::map<Axis, Index> next;
    for (auto iter = shard.rbegin(); iter != shard.rend(); ++iter) {
      Index& step = next.try_emplace(iter->axis, 1).first->second;
      iter->stride = step;
      step *= iter->extent;
      if (one_in(5)) step *= 2;
    }
  }

  test::WideEngine bits_;
};

}  // namespace vl::tirx
