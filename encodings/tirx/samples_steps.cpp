// Samples of TIRx that are smaller, plainer, or changed in several numbers at once, for findings of campaigns.
#include <algorithm>
#include <optional>
#include <utility>

#include "encodings/tirx/samples.h"
#include "encodings/tirx/tirx.h"
#include "encodings/use/paired_modes.h"

namespace vl::tirx {
namespace {

constexpr auto& layout_of = use::notation_of<Layout>;

// Makes the tensor one dimension along the shard. If the failure depends on the tensor's shape, this step is not taken.
bool flat(use::Sample& sample, const Layout& layout) {
  const auto size = size_of(*layout.tile);
  if (!size) return false;
  sample.tensor.size = {*size};
  sample.tensor.strides.reset();
  return true;
}

void smaller_swizzle(const use::Sample& from, const use::TakeSample& take) {
  const auto add = [&](const auto& change) { use::take_changed<Layout>(take, from, change); };
  add([](use::Sample&, Layout& next) { return next.swizzle.has_value() && (next.swizzle.reset(), true); });
  for (const auto field : {&SwizzleLayout::swizzle_len, &SwizzleLayout::per_element, &SwizzleLayout::atom_len})
    add([&](use::Sample&, Layout& next) {
      if (!next.swizzle || (*next.swizzle).*field <= 1) return false;
      (*next.swizzle).*field -= 1;
      return true;
    });
}

// How far the iters of an axis that count down reach below where they begin.
Index below(const std::vector<Iter>& iters, Axis axis) {
  Index out = 0;
  for (const Iter& iter : iters)
    if (iter.axis == axis && iter.stride < 0 && !accumulate(out, -iter.stride, iter.extent - 1)) return 0;
  return out;
}

// Another shard in place of one whose offsets made up for strides below 0: they still do, if they did.
void put_shard(TileLayout& tile, const std::vector<Iter>& shard) {
  for (auto& [axis, value] : tile.offset) {
    const Index was = below(tile.shard, axis);
    if (was > 0) value += below(shard, axis) - was;
  }
  std::erase_if(tile.offset, [](const auto& one) { return one.second == 0; });
  tile.shard = shard;
}

// Replicas that lie behind the shard, one behind the other.
bool put_replicas_behind(TileLayout& tile) {
  std::vector<Iter> replicas = std::exchange(tile.replica, {});
  for (Iter& copies : replicas) {
    const auto range = range_of(tile, copies.axis);
    if (!range || range->high - range->low > Index{1} << 60) return false;
    copies.stride = range->high - range->low + 1;
    tile.replica.push_back(copies);
  }
  return true;
}

// The layout without some of what it has: bit 0 its swizzle, 1 replicas, 2 offset, 3 strides below 0 and the offset
// that makes up for them, 4 axes besides m.
std::optional<Layout> without(const Layout& layout, unsigned what) {
  Layout out = layout;
  if ((what & 1U) != 0) out.swizzle.reset();
  if ((what & 2U) != 0) out.tile->replica.clear();
  if ((what & 12U) != 0) out.tile->offset.clear();
  for (std::vector<Iter>* iters : {&out.tile->shard, &out.tile->replica})
    for (Iter& iter : *iters) {
      if ((what & 8U) != 0 && iter.stride < 0) iter.stride = -(iter.stride + 1) + 1;
      if ((what & 16U) != 0) iter.axis = Axis::M;
    }
  if ((what & 16U) != 0 && std::ranges::any_of(out.tile->offset, [](const auto& one) { return one.first != Axis::M; }))
    return std::nullopt;
  return out;
}

}  // namespace

void smaller_samples(const use::Sample& from, const use::TakeSample& take) {
  using use::lower_to;
  const auto add = [&](const auto& change) { use::take_changed<Layout>(take, from, change); };
  const Layout& layout = layout_of(from);
  smaller_swizzle(from, take);
  if (!layout.tile) return;
  add([](use::Sample& sample, Layout& next) { return sample.tensor.size.size() > 1 && flat(sample, next); });
  add([](use::Sample&, Layout& next) { return !next.tile->replica.empty() && (next.tile->replica.pop_back(), true); });
  add([](use::Sample&, Layout& next) { return !next.tile->offset.empty() && (next.tile->offset.pop_back(), true); });
  for (std::size_t k = 0; k < layout.tile->shard.size(); ++k) {
    const Iter& iter = layout.tile->shard[k];
    add([&](use::Sample& sample, Layout& next) {
      use::drop(next.tile->shard, k);
      return flat(sample, next);
    });
    for (const Index wanted : {Index{1}, iter.extent / 2, iter.extent - 1})
      add([&](use::Sample& sample, Layout& next) {
        return lower_to(next.tile->shard[k].extent, wanted, 1) && flat(sample, next);
      });
    for (const Index wanted : {Index{1}, iter.stride / 2, use::power_below(iter.stride), iter.stride - 1})
      add([&](use::Sample&, Layout& next) { return lower_to(next.tile->shard[k].stride, wanted, 0); });
    for (const Index wanted : {Index{-1}, iter.stride / 2, iter.stride + 1})  // nearer to 0 from below
      add([&](use::Sample&, Layout& next) {
        return wanted < 0 && wanted > iter.stride && (next.tile->shard[k].stride = wanted, true);
      });
  }
  for (std::size_t k = 0; k < layout.tile->replica.size(); ++k)
    for (const auto number : {&Iter::extent, &Iter::stride}) {
      const Index value = layout.tile->replica[k].*number;
      for (const Index wanted : {Index{1}, value / 2, use::power_below(value), value - 1})
        add([&](use::Sample&, Layout& next) {
          return lower_to(next.tile->replica[k].*number, wanted, number == &Iter::extent ? 2 : 1);
        });
    }
  for (std::size_t k = 0; k < layout.tile->offset.size(); ++k) {
    const Index value = layout.tile->offset[k].second;
    for (const Index wanted : {Index{1}, value / 2, use::power_below(value), use::power_below(value) + 1, value - 1})
      add([&](use::Sample&, Layout& next) { return lower_to(next.tile->offset[k].second, wanted, 1); });
  }
}

void plainer_samples(const use::Sample& from, const use::TakeSample& take) {
  if (!layout_of(from).tile) return;
  use::plainer_modes(layout_of(from).tile->shard, false, [&](const std::vector<Iter>& shard) {
    for (const bool replicas : {false, true})  // powers of two of them, too
      use::take_changed<Layout>(take, from, [&](use::Sample& sample, Layout& next) {
        next.tile->shard = shard;
        if (replicas)
          for (Iter& copies : next.tile->replica) copies.extent = use::power_below(copies.extent);
        return flat(sample, next) && (!replicas || next.tile->replica != layout_of(from).tile->replica);
      });
  });
}

void paired_samples(const use::Sample& from, const use::TakeSample& take) {
  if (!layout_of(from).tile) return;
  std::vector<Layout> bases;
  for (unsigned what = 0; what < 32; ++what)
    if (auto base = without(layout_of(from), what); base && std::ranges::find(bases, *base) == bases.end())
      bases.push_back(std::move(*base));
  for (const Layout& base : bases)
    use::paired_modes(base.tile->shard, false, [&](const std::vector<Iter>& shard) {
      for (const bool behind : {false, true})
        use::take_changed<Layout>(take, from, [&](use::Sample& sample, Layout& next) {
          if (behind && base.tile->replica.empty()) return false;
          next = base;
          put_shard(*next.tile, shard);
          return (!behind || put_replicas_behind(*next.tile)) && flat(sample, next);
        });
    });
}

}  // namespace vl::tirx
