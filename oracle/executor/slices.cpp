#include "oracle/executor/slices.h"

#include <algorithm>
#include <numeric>

#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

constexpr Index kCacheLine = 64;
constexpr Index kSlicesPerThread = 4;

/// About how many bytes a step moves; counting stops at 2^60.
Index bytes_of(const Step& step) {
  constexpr Index kMost = Index{1} << 60;
  Index bytes = std::max<Index>(step.run + step.fill, 1);
  for (std::size_t k = 0; k < step.rank; ++k) {
    const auto more = checked_mul(bytes, step.loops[k].extent);
    bytes = more ? std::min(*more, kMost) : kMost;
  }
  return bytes;
}

Index bytes_of(const Plan& plan, const Group& group) {
  Index bytes = 0;
  for (std::uint32_t k = 0; k < group.count; ++k)
    bytes = std::min(bytes + bytes_of(plan.steps[group.first + k]), Index{1} << 61);
  return bytes;
}

/// After so many iterations of the loop every step is at the same place of a cache line again, and a tile is whole.
Index granule(const Plan& plan, const Group& group, std::size_t loop) {
  Index granule = 1;
  for (std::uint32_t k = 0; k < group.count; ++k) {
    const Step& step = plan.steps[group.first + k];
    const Index stride = step.kernel == Kernel::Compare ? 0 : step.loops[loop].destination;
    granule = std::max(granule, kCacheLine / std::gcd(kCacheLine, stride));
    const bool within_tiles = step.kernel == Kernel::Transpose && loop + 2 >= step.rank;
    if (within_tiles) granule = kCacheLine;
  }
  return granule;  // powers of two: the largest is a multiple of the others
}

/// Whether a slice may be one iteration of the outermost loop and a range of the next one.
bool may_unroll(const Plan& plan, const Group& group) {
  for (std::uint32_t k = 0; k < group.count; ++k) {
    const Step& step = plan.steps[group.first + k];
    if (step.rank < (step.kernel == Kernel::Transpose ? 3 : 2)) return false;
  }
  return group.count == 1 || group.shared >= 2;
}

void cut(std::uint32_t group, Index outer, Index extent, Index parts, Index granule, std::vector<WorkSlice>& slices) {
  const Index grains = ceil_div(extent, granule);
  parts = std::clamp<Index>(parts, 1, grains);
  for (Index part = 0; part < parts; ++part) {
    // No product leaves 64 bits: there are few parts.
    const Index first = (grains / parts * part + grains % parts * part / parts) * granule;
    const Index next = part + 1;
    Index last = std::min(extent, (grains / parts * next + grains % parts * next / parts) * granule);
    if (planted(Fault::SliceLosesTheRest) && next == parts && parts > 1 && extent % granule != 0)
      last = extent / granule * granule;
    if (first < last) slices.push_back({group, outer, first, last});
  }
}

}  // namespace

void slice(const Plan& plan, std::size_t threads, std::vector<WorkSlice>& slices, Index serial_bytes,
           Index slice_bytes) {
  slices.clear();
  Index bytes = 0;
  for (const Group& group : plan.groups) bytes = std::min(bytes + bytes_of(plan, group), Index{1} << 61);
  const Index most = static_cast<Index>(std::min<std::size_t>(threads, 4096)) * kSlicesPerThread;
  const bool serial = threads <= 1 || bytes < serial_bytes;
  for (std::uint32_t g = 0; g < plan.groups.size(); ++g) {
    const Group& group = plan.groups[g];
    const Step& lead = plan.steps[group.first];
    const Index extent = lead.rank == 0 ? 1 : lead.loops[0].extent;
    const Index own = bytes_of(plan, group);
    const Index parts = std::min(own / slice_bytes, most);
    if (serial || parts <= 1 || lead.rank == 0) {
      slices.push_back({g, -1, 0, extent});
      continue;
    }
    const Index grain = granule(plan, group, 0);
    if (grain > 1 || extent >= parts || !may_unroll(plan, group)) {
      cut(g, -1, extent, parts, grain, slices);
      continue;
    }
    for (Index outer = 0; outer < extent; ++outer)
      cut(g, outer, lead.loops[1].extent, ceil_div(parts, extent), granule(plan, group, 1), slices);
  }
}

void unroll(const Plan& plan, const Group& group, Index outer, std::vector<Step>& steps) {
  for (std::uint32_t k = 0; k < group.count; ++k) {
    Step step = plan.steps[group.first + k];
    const bool forgets = planted(Fault::SliceForgetsItsStart) && outer > 0;
    step.source += forgets ? 0 : outer * step.loops[0].source;
    step.destination += outer * step.loops[0].destination;
    std::copy(step.loops.begin() + 1, step.loops.begin() + step.rank, step.loops.begin());
    --step.rank;
    steps.push_back(step);
  }
}

}  // namespace vl::oracle
