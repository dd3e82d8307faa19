#include "verifier/kernel/core/layout.h"

#include <algorithm>

namespace vl::kernel {
namespace {

Space part(const Space& space, std::size_t first, std::size_t end) {
  Space out;
  out.names.assign(space.names.begin() + static_cast<std::ptrdiff_t>(first),
                   space.names.begin() + static_cast<std::ptrdiff_t>(end));
  out.extents.assign(space.extents.begin() + static_cast<std::ptrdiff_t>(first),
                     space.extents.begin() + static_cast<std::ptrdiff_t>(end));
  return out;
}

}  // namespace

Space Layout::elements() const { return part(map.domain, 0, logical); }
Space Layout::replicas() const { return part(map.domain, logical, map.domain.rank()); }

bool Layout::is_slot(const Point& outputs, const Space& box) const {
  return box.contains(outputs) && std::all_of(outputs.begin() + static_cast<std::ptrdiff_t>(box.rank()), outputs.end(),
                                              [](Wide guard) { return guard == 0; });
}

Wide Layout::number(const Point& outputs) const {
  Wide out = 0;
  for (std::size_t i = 0; i < physical.rank(); ++i) out = out * physical.extents[i] + outputs[i];
  return out;
}

}  // namespace vl::kernel
