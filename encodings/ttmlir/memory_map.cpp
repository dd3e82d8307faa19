// Maps of memories: where the bytes of the cores' shards are. The layout is one of the grid and the bytes of a shard,
// which are its elements: byte d2 of core (d0, d1) lies at (device, y, x) and at number m of that memory. Of DRAM x is
// the bank. A map's symbols get their values behind it, in order.
//
// The box reaches from 0 to the greatest coordinate that there may be, or as --box declares it: --box x=12 for 12
// banks.
//
// Example: dramMap of pages of 4096 bytes over 12 banks. Byte 50,000 of all is byte 848 of page 12, which is the second
// one of bank 0: x 0, m 4096 + 848. A map that adds the number of the page and not page by page, (page floordiv 12) +
// (byte mod 4096), puts byte 1 of page 0 and byte 0 of page 12 in one place. Source: tt-mlir at 19c86fca,
// lib/Dialect/TTCore/IR/TTCoreOpsTypes.cpp, createL1Map and createDramMap.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/ttmlir/mlir.h"
#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

constexpr std::array<const char*, 4> kOfMemory = {"device", "y", "x", "m"};
constexpr std::array<std::string_view, 2> kMemoryMaps = {"l1Map", "dramMap"};

}  // namespace

bool is_memory_map(std::string_view text) {
  Cursor in(text);
  return (in.accept(kMemoryMaps[0]) || in.accept(kMemoryMaps[1])) && in.accept("=");
}

MemoryMap take_memory_map(Cursor& in) {
  MemoryMap out;
  out.name = in.accept(kMemoryMaps[0]) ? kMemoryMaps[0] : (in.accept(kMemoryMaps[1]), kMemoryMaps[1]);
  in.expect("=");
  in.skip_space();
  const std::size_t start = in.offset();
  static_cast<void>(take_map_of_symbols(in, std::nullopt));  // only to find its end
  const std::size_t end = in.offset();
  if (in.accept(",")) {
    in.expect("symbols");
    in.expect("=");
    out.symbols = in.integer_list("the values of the map's symbols");
  }
  if (in.failed()) return out;
  const std::size_t behind = in.offset();
  out.text = in.text().substr(start, end - start);
  std::ranges::replace_if(
      out.text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  in.move_to(start);
  out.map = take_map_of_symbols(in, out.symbols);
  in.move_to(behind);
  return out;
}

std::string print(const MemoryMap& memories) {
  std::string out = fmt::format("{} = {}", memories.name, memories.text);
  return memories.symbols.empty() ? out : fmt::format("{}, symbols = [{}]", out, fmt::join(memories.symbols, ", "));
}

Result<use::Reading> read_memory_map(const MemoryMap& memories, const map::Tensor& tensor) {
  const auto count = [](std::size_t value) { return static_cast<Index>(value); };
  use::Reading reading{use::Undecidable{},
                       {{"the map reads the grid's dimensions and the bytes of a shard", count(memories.map.dims),
                         count(tensor.size.size())},
                        {"the map gives device, y, x and a byte", count(memories.map.results.size()), 4}},
                       print(memories),
                       {},
                       8,
                       {},
                       {},
                       "map of memories: bytes of the cores' shards to memories"};
  if (const auto strides = map::host_strides(tensor); !strides) return strides.error();
  if (const auto logical = map::Space::create(map::Space::dims("x", tensor.size)); !logical) return logical.error();
  const auto no = [&](std::string why) {
    reading.what = use::Undecidable{std::move(why)};
    return reading;
  };
  if (!is_encoded(memories.map))
    return no("the map divides by what is no positive number, or multiplies dimensions; this is not encoded");
  if (is_broken(reading.rules)) return no(why_nowhere(reading.rules));
  auto parts = parts_of(memories.map, tensor, kOfMemory);
  if (!parts) return parts.error();
  auto layout = map::Layout::create(std::move(*parts));
  if (!layout) return layout.error();
  reading.what = std::move(*layout);
  return reading;
}

}  // namespace vl::ttmlir
