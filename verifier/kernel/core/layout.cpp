#include "verifier/kernel/core/layout.h"

#include <algorithm>

namespace vl::kernel {
namespace {

template <class S>
BasicSpace<S> part(const BasicSpace<S>& space, std::size_t first, std::size_t end) {
  BasicSpace<S> out;
  out.names.assign(space.names.begin() + static_cast<std::ptrdiff_t>(first),
                   space.names.begin() + static_cast<std::ptrdiff_t>(end));
  out.extents.assign(space.extents.begin() + static_cast<std::ptrdiff_t>(first),
                     space.extents.begin() + static_cast<std::ptrdiff_t>(end));
  return out;
}

}  // namespace

template <class S>
BasicSpace<S> BasicLayout<S>::elements() const {
  return part(map.domain, 0, logical);
}
template <class S>
BasicSpace<S> BasicLayout<S>::replicas() const {
  return part(map.domain, logical, map.domain.rank());
}

template <class S>
bool BasicLayout<S>::is_slot(const Point& outputs, const Space& box) const requires std::same_as<S, Wide> {
  return box.contains(outputs) && std::all_of(outputs.begin() + static_cast<std::ptrdiff_t>(box.rank()), outputs.end(),
                                              [](Wide guard) { return guard == 0; });
}

template <class S>
Wide BasicLayout<S>::number(const Point& outputs) const requires std::same_as<S, Wide> {
  Wide out = 0;
  for (std::size_t i = 0; i < physical.rank(); ++i) out = out * physical.extents[i] + outputs[i];
  return out;
}

template Space Layout::elements() const;
template Space Layout::replicas() const;
template bool Layout::is_slot(const Point& outputs, const Space& box) const;
template Wide Layout::number(const Point& outputs) const;
template BasicSpace<Polynomial> BasicLayout<Polynomial>::elements() const;
template BasicSpace<Polynomial> BasicLayout<Polynomial>::replicas() const;

}  // namespace vl::kernel
