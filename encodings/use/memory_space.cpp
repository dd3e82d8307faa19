#include "encodings/use/memory_space.h"

#include <algorithm>
#include <string>

namespace vl::use {
namespace {

Result<map::Layout> in_memory(const map::Layout& layout, std::string_view memory) {
  const auto* const at = std::ranges::find(kMemorySpaces, memory);
  std::vector<map::Dim> dims = layout.physical().dims();
  dims.push_back({std::string(kMemorySpaceAxis), static_cast<Index>(kMemorySpaces.size()), map::Unit::Core});
  auto box = map::Space::create(std::move(dims));
  if (!box) return box.error();
  map::LayoutParts parts = map::parts_in(layout, std::move(*box));
  map::Affine add;
  const std::size_t rank = layout.physical().rank();
  for (std::size_t i = 0; i < rank; ++i) add.rows.push_back(map::pick(i));
  add.rows.push_back({static_cast<Index>(at - kMemorySpaces.begin()), {}});
  for (std::size_t g = 0; g < layout.guards(); ++g) add.rows.push_back(map::pick(rank + g));
  parts.map.emplace_back(std::move(add));
  return map::Layout::create(std::move(parts));
}

}  // namespace

Memories compare_memories(std::string_view a, std::string_view b) {
  if (a == b) return Memories::Same;
  const auto is_known = [](std::string_view name) { return std::ranges::count(kMemorySpaces, name) > 0; };
  const auto is_host = [](std::string_view name) { return name == "system" || name == "mmio"; };
  return is_known(a) && is_known(b) && !(is_host(a) && is_host(b)) ? Memories::Different : Memories::Unknown;
}

Result<std::optional<std::pair<map::Layout, map::Layout>>> in_memories(const map::Layout& a, std::string_view memory_a,
                                                                       const map::Layout& b,
                                                                       std::string_view memory_b) {
  using Both = std::optional<std::pair<map::Layout, map::Layout>>;
  if (compare_memories(memory_a, memory_b) != Memories::Different) return Both{};
  auto first = in_memory(a, memory_a), second = in_memory(b, memory_b);
  if (!first) return first.error();
  if (!second) return second.error();
  return Both{std::pair(std::move(*first), std::move(*second))};
}

}  // namespace vl::use
