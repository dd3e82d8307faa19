#include "oracle/plan/plan.h"

#include "oracle/plan/relation.h"

namespace vl::oracle {

void Plan::clear() {
  steps.clear();
  groups.clear();
  pieces.clear();
  cover.clear();
  source_bytes = 0;
  destination_bytes = 0;
  fills = false;
  compares = false;
}

std::optional<Index> units_of(const Side& side) {
  const map::Layout& layout = *side.layout;
  switch (side.kind) {
    case Side::Kind::Dense: return layout.logical().volume();
    case Side::Kind::Image: return layout.physical().volume();
    case Side::Kind::View: break;
  }
  if (layout.logical().volume() == 0) return 0;
  Index low = layout.host_offset().constant;
  Index high = low;
  for (const map::Term& term : layout.host_offset().terms) {
    Index& end = term.coefficient < 0 ? low : high;
    if (!accumulate(end, term.coefficient, layout.logical().extent(term.input) - 1)) return std::nullopt;
  }
  if (low < 0) return std::nullopt;
  return checked_add(high, 1);
}

std::vector<Index> domain_of(const Relation& relation) {
  std::vector<Index> extents;
  const map::Space& logical = relation.source.layout->logical();
  for (std::size_t k = 0; k < logical.rank(); ++k) {
    const bool pinned = k < 64 && ((relation.source.pinned & relation.destination.pinned) >> k & 1) != 0;
    extents.push_back(pinned && logical.extent(k) > 0 ? 1 : logical.extent(k));
  }
  for (const Side* side : {&relation.source, &relation.destination})
    if (side->replicas)
      for (const map::Dim& dim : side->layout->replicas().dims()) extents.push_back(dim.extent);
  return extents;
}

}  // namespace vl::oracle
