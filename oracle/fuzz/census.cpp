#include "oracle/fuzz/census.h"

#include <algorithm>
#include <vector>

namespace vl::oracle {

namespace {

/// The row-major number of the slot that these outputs (physical ++ guards) are, or -1.
Index slot_number(const map::Layout& layout, std::span<const Index> outputs) {
  const std::size_t rank = layout.physical().rank();
  Index number = 0;  // below the volume, as each coordinate is below its extent
  for (std::size_t k = 0; k < rank; ++k) {
    const Index extent = layout.physical().extent(k);
    if (outputs[k] < 0 || outputs[k] >= extent) return -1;
    number = number * extent + outputs[k];
  }
  for (const Index guard : outputs.subspan(rank))
    if (guard != 0) return -1;
  return number;
}

}  // namespace

Census census_of(const map::Layout& layout) {
  Census out;
  if (layout.domain().volume() == 0) return out;
  std::vector<std::uint8_t> taken(static_cast<std::size_t>(layout.physical().volume()));
  map::Evaluator encode(layout.map());
  Point point(layout.domain().rank(), 0);
  Point decoded;
  std::optional<map::Evaluator> decode;
  if (layout.decode()) decode.emplace(*layout.decode());
  do {
    const auto outputs = encode(point);
    const Index slot = slot_number(layout, outputs);
    if (slot < 0) {
      ++out.missing;
      continue;
    }
    ++out.landed;
    const auto number = static_cast<std::size_t>(slot);
    out.collisions += taken[number];
    taken[number] = 1;
    if (!decode) continue;
    const auto back = (*decode)(outputs.first(layout.physical().rank()));
    const bool home = std::equal(point.begin(), point.end(), back.begin()) &&
                      std::ranges::all_of(back.subspan(point.size()), [](Index guard) { return guard == 0; });
    if (!home) ++out.strays;
  } while (map::advance(layout.domain(), point));
  return out;
}

}  // namespace vl::oracle
