#include "verifier/engines/solvers/nest_memories.h"

#include <algorithm>

namespace vl::engines {
namespace {

using Wide = __int128;

// The first loop, by ascending |stride|, that does not exceed what the smaller ones reach. Loops that stand still do
// not count.
std::optional<std::size_t> breaks_nesting(const std::vector<Index>& extents, const std::vector<Index>& strides) {
  const auto magnitude = [&](std::size_t k) { return strides[k] < 0 ? -Wide{strides[k]} : Wide{strides[k]}; };
  std::vector<std::size_t> loops;
  for (std::size_t k = 0; k < extents.size(); ++k)
    if (extents[k] > 1 && strides[k] != 0) loops.push_back(k);
  std::ranges::stable_sort(loops, {}, magnitude);
  Wide reach = 0;
  for (const std::size_t k : loops) {
    if (magnitude(k) <= reach) return k;
    reach += magnitude(k) * (extents[k] - 1);
  }
  return std::nullopt;
}

}  // namespace

bool tells_iterations(const use::Nest& nest, const use::Walk& walk) {
  for (std::size_t k = 0; k < nest.extents.size(); ++k)
    if (nest.extents[k] > 1 && walk.strides[k] == 0) return false;
  return !breaks_nesting(nest.extents, walk.strides);
}

std::optional<std::vector<use::Memory>> nested_memories(const use::Nest& nest, const use::Walk& walk,
                                                        std::size_t most) {
  std::vector<Index> extents = nest.extents;
  std::vector<Index> offsets{walk.offset};
  while (const auto k = breaks_nesting(extents, walk.strides)) {
    if (extents[*k] > static_cast<Index>(most / offsets.size())) return std::nullopt;
    std::vector<Index> slices;
    for (const Index offset : offsets)
      for (Index value = 0; value < extents[*k]; ++value) slices.push_back(offset + walk.strides[*k] * value);
    offsets = std::move(slices);
    extents[*k] = 1;
  }
  const auto iterations = map::Space::create(map::Space::dims("i", extents));
  if (!iterations) return std::nullopt;
  std::vector<use::Memory> out;
  for (const Index offset : offsets) {
    auto memory = use::memory_along(*iterations, map::dot(walk.strides, offset));
    if (!memory || !memory->layout.decode()) return std::nullopt;
    out.push_back(std::move(*memory));
  }
  return out;
}

}  // namespace vl::engines
