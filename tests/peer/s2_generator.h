// A transcription of torch-spyre's nest generator of mid 2026 ("S2"), as an implementation under test: it is wrong
// where upstream is wrong, and the tests say where. Written from a description of the algorithm, not from its code.
//
//   1  device dim j is matched to the host dim with the largest stride <= stride_map[j], the outer one of equals. Sizes
//      of 1 on either side and host strides of 0 match nothing.
//   2  device dim rank-3 (0 if the rank is 2) then gets the match of the last device dim, or none if that has none.
//   3  a host dim that no device dim matches is folded into the next inner one: its size multiplies. Without an inner
//      one it is dropped. Expanded dims are not folded.
//   4  each host dim's device dims are walked from the large strides to the small ones, the stick last. `count` is the
//      rest of the host dim, `tile` the stride divided by the host dim's, both whole numbers:
//        count divides by tile    the loop runs min(count/tile, device size), and count is divided by that
//        it does not              the loop runs count/tile and the next one its whole device size; the rest is a
//                                 remainder: 1 and (count/next tile) mod the next device size, from tile number
//                                 count/tile
//   5  r remainders make 2^r nests, one for each subset; a nest starts at the sum of its remainders' offsets.
//
// Strides: the device's are row-major. The host's are stride_map; the CPU tensor's own stride is used only if
// stride_map equals a host stride that the device remembers (dma stride). Tiles and offsets keep stride_map's. A stride
// 0 loops over the whole device size; -1 does not loop.
//
// Checks: count whole, count/tile > 0, a remainder needs a next dim. There is none for a zero tile stride or tile size,
// which divide by zero (SIGFPE: the value Crash here), nor for capacity, coverage or duplicates.
//
// The description leaves some points open; for these, upstream's behaviour was looked up (torch-spyre of 2026-08-20,
// spyre_mem.cpp): a device size of 1 is not walked; of equal strides, the outer host dim counts in 1, and in 4 the
// inner device dim (the others do not loop); folding runs by index; the stick is always walked last; and a remainder of
// 0 next tiles keeps the whole next size.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "encodings/use/transfer.h"

namespace vl::test::s2 {

/// One copy, as the runtime asks for it. Requires: as many dma as cpu strides as sizes; device_size and stride_map of
/// one length; products fit 64 bits.
struct Copy {
  use::Direction direction = use::Direction::HostToDevice;
  std::vector<Index> size;
  std::vector<Index> dma_strides;  // the host strides that the device tensor remembers
  std::vector<Index> cpu_strides;  // the CPU tensor's own
  Index storage_offset = 0;        // the CPU tensor's
  std::vector<Index> device_size;
  std::vector<Index> stride_map;
};

/// Upstream throws with a message.
struct Refused {
  std::string why;
};

/// Upstream divides by zero and the process dies.
struct Crash {
  std::string what;
};

using Outcome = std::variant<use::Transfer, Refused, Crash>;

using Stop = std::variant<std::monostate, Refused, Crash>;

/// Step 1 and 2: the host dim of each device dim.
inline std::vector<std::optional<std::size_t>> host_dims(const Copy& copy) {
  std::vector<std::optional<std::size_t>> out(copy.device_size.size());
  for (std::size_t j = 0; j < out.size(); ++j) {
    if (copy.device_size[j] == 1) continue;
    for (std::size_t i = 0; i < copy.size.size(); ++i) {
      const Index stride = copy.dma_strides[i];
      if (copy.size[i] == 1 || stride == 0 || stride > copy.stride_map[j]) continue;
      if (!out[j] || stride > copy.dma_strides[*out[j]]) out[j] = i;
    }
  }
  const std::size_t count = out.size() > 2 ? out.size() - 3 : 0;
  if (out[count]) out[count] = out.back();
  return out;
}

/// The device dims of one host dim, in the order of the walk.
inline std::vector<std::size_t> walk_of(const Copy& copy, const std::vector<std::optional<std::size_t>>& host_dims,
                                        std::size_t host_dim) {
  std::vector<std::size_t> out;
  const std::size_t stick = host_dims.size() - 1;
  for (std::size_t j = 0; j < stick; ++j)
    if (host_dims[j] == host_dim) out.push_back(j);
  const auto& strides = copy.stride_map;
  std::ranges::stable_sort(out, [&](std::size_t a, std::size_t b) { return strides[a] > strides[b]; });
  // The last, innermost one of equal strides stays.
  const auto shadowed = [&](std::size_t j) {
    return std::ranges::any_of(out, [&](std::size_t k) { return k > j && strides[k] == strides[j]; });
  };
  std::vector<std::size_t> kept;
  std::ranges::copy_if(out, std::back_inserter(kept), [&](std::size_t j) { return !shadowed(j); });
  if (host_dims[stick] == host_dim) kept.push_back(stick);
  return kept;
}

/// Two loops that run differently at the ragged end of a tiled host dim.
struct Remainder {
  std::size_t tile = 0;
  std::size_t next = 0;
  Index next_extent = 0;
  Index host_offset = 0;
  Index device_offset = 0;
};

struct Loops {
  std::vector<Index> extents;
  std::vector<Index> device_strides;
  std::vector<Remainder> remainders;
};

/// Step 4 for one host dim of stride `host_stride` and `size` elements, folded ones included.
inline Stop walk(const Copy& copy, const std::vector<std::size_t>& dims, Index size, Index host_stride, Loops& loops) {
  const Refused invalid{"invalid device sizes and stride map for host sizes and strides"};
  Index done = 1;
  for (std::size_t n = 0; n < dims.size(); ++n) {
    const std::size_t j = dims[n];
    if (done == 0) return Crash{"zero tile size"};
    if (size % done != 0) return invalid;
    const Index count = size / done;
    const Index tile = copy.stride_map[j] / host_stride;
    if (tile == 0) return Crash{"zero tile stride"};
    const Index tiles = count / tile;
    if (tiles <= 0) return invalid;
    if (count % tile == 0) {
      loops.extents[j] = std::min(tiles, copy.device_size[j]);
      done *= loops.extents[j];
      continue;
    }
    if (++n == dims.size()) return Refused{"invalid tiling for dimension"};
    const std::size_t next = dims[n];
    const Index next_tile = copy.stride_map[next] / host_stride;
    if (next_tile == 0) return Crash{"zero tile stride"};
    if (copy.device_size[next] == 0) return Crash{"zero tile size"};
    const Index next_count = count / next_tile;
    const Index rest = next_count % copy.device_size[next];
    loops.extents[j] = tiles;
    loops.extents[next] = copy.device_size[next];
    loops.remainders.push_back({j, next, rest == 0 ? copy.device_size[next] : rest, tiles * copy.stride_map[j],
                                tiles * loops.device_strides[j]});
    done *= next_count;
  }
  return std::monostate{};
}

/// Steps 1 to 4: the loops of the nest without remainders, and what the remainders change.
inline Stop walk_all(const Copy& copy, Loops& loops) {
  const auto matched = host_dims(copy);
  const auto is_matched = [&](std::size_t i) { return std::ranges::find(matched, i) != matched.end(); };
  for (std::size_t i = copy.size.size(); i-- > 0;) {
    if (!is_matched(i)) continue;
    Index size = copy.size[i];
    for (std::size_t k = i; k > 0 && !is_matched(k - 1); --k)
      if (copy.dma_strides[k - 1] != 0) size *= copy.size[k - 1];
    Stop stop = walk(copy, walk_of(copy, matched, i), size, copy.dma_strides[i], loops);
    if (!std::holds_alternative<std::monostate>(stop)) return stop;
  }
  return std::monostate{};
}

/// The steps of a nest's host side.
inline std::vector<Index> host_strides(const Copy& copy) {
  std::vector<Index> out;
  for (const Index stride : copy.stride_map) {
    const auto at = std::ranges::find(copy.dma_strides, stride);
    if (stride == -1) out.push_back(1);
    else if (stride == 0 || at == copy.dma_strides.end()) out.push_back(stride);
    else out.push_back(copy.cpu_strides[static_cast<std::size_t>(at - copy.dma_strides.begin())]);
  }
  return out;
}

/// The nests that upstream would run, right or wrong. A tensor of rank 0 is sent as one of size [1].
inline Outcome generate(Copy copy) {
  if (copy.size.empty()) copy.size = copy.dma_strides = copy.cpu_strides = {1};
  Loops loops{std::vector<Index>(copy.device_size.size(), 1), std::vector<Index>(copy.device_size.size(), 1), {}};
  for (std::size_t j = copy.device_size.size(); j-- > 0;) {
    if (copy.stride_map[j] == 0) loops.extents[j] = copy.device_size[j];
    if (j > 0) loops.device_strides[j - 1] = loops.device_strides[j] * copy.device_size[j];
  }
  Stop stop = walk_all(copy, loops);
  if (auto* const refused = std::get_if<Refused>(&stop)) return std::move(*refused);
  if (auto* const crash = std::get_if<Crash>(&stop)) return std::move(*crash);

  use::Transfer out{use::Direction::HostToDevice,
                    {{loops.extents, {host_strides(copy), copy.storage_offset}, {loops.device_strides, 0}}}};
  for (const Remainder& remainder : loops.remainders)
    for (std::size_t n = 0, whole = out.nests.size(); n < whole; ++n) {
      use::Nest nest = out.nests[n];
      nest.extents[remainder.tile] = 1;
      nest.extents[remainder.next] = remainder.next_extent;
      nest.source.offset += remainder.host_offset;
      nest.destination.offset += remainder.device_offset;
      out.nests.push_back(std::move(nest));
    }
  return copy.direction == use::Direction::HostToDevice ? out : use::reversed(std::move(out));
}

}  // namespace vl::test::s2
