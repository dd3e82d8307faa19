#include "oracle/fuzz/census.h"

#include <algorithm>
#include <vector>

namespace vl::oracle {

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
    const auto slot = layout.slot_number(outputs);
    if (!slot) {
      ++out.missing;
      continue;
    }
    ++out.landed;
    const auto number = static_cast<std::size_t>(*slot);
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
