// Slice: each dimension separately, on the iters that make it. Let b be the first element and n the number of elements.
//
//   The innermost iter, or the part of it that also divides b and n, stays whole and counts as one element of the rest.
//   The rest lies in one run of its innermost iter (one iter; the digits of b become an offset), or in two runs of the
//   same length (two iters: the run, and the step from the first to the second), or is refused.
//
// The step between the two runs is the difference of the coordinates at their starts, with carries of all outer digits:
// S[(2,2,2):(1,2,4)] from 3 to 5 has elements 6 and 1, so a step of -5. If a carry moves two axes at once, no iter can
// express the step.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "encodings/tirx/iters.h"
#include "encodings/tirx/operations.h"

namespace vl::tirx {
namespace {

// Iters of one dimension from the element `begin` on: those that are still to be cut, and whole ones inside of them.
struct Cut {
  std::vector<Iter> outer;
  std::vector<Iter> inner;
  Index begin = 0;
  Index count = 0;
};

// Moves to `inner` the part that divides begin and count.
std::optional<Error> strip(Cut& cut) {
  while (!cut.outer.empty()) {
    Iter& last = cut.outer.back();
    const Index whole = std::gcd(std::gcd(cut.begin, cut.count), last.extent);
    if (whole > 1) {
      cut.inner.insert(cut.inner.begin(), Iter{whole, last.stride, last.axis});
      cut.begin /= whole;
      cut.count /= whole;
    }
    if (whole < last.extent) {
      const auto stride = checked_mul(last.stride, whole);
      if (!stride) return too_large(fmt::format("a stride of the iter {}", show(last)));
      last = Iter{last.extent / whole, *stride, last.axis};
      return std::nullopt;
    }
    cut.outer.pop_back();
  }
  return std::nullopt;
}

// Adds factor times the coordinates of element `number` to the offset.
bool add_place(TileLayout& out, const std::vector<Iter>& iters, Index number, Index factor) {
  for (std::size_t k = iters.size(); k-- > 0;) {
    const auto step = checked_mul(number % iters[k].extent, iters[k].stride);
    const auto signed_step = step ? checked_mul(*step, factor) : std::nullopt;
    if (!signed_step || !add_offset(out, iters[k].axis, *signed_step)) return false;
    number /= iters[k].extent;
  }
  return true;
}

// Appends the iters of the rest after strip() to `out`. The message states the place of a failure.
std::optional<Error> add_runs(TileLayout& out, const Cut& cut) {
  if (cut.count == 1) return std::nullopt;
  const Iter& last = cut.outer.back();
  const Index start = cut.begin % last.extent;
  if (cut.count <= last.extent - start) {
    out.shard.push_back(Iter{cut.count, last.stride, last.axis});
    return std::nullopt;
  }
  const Index run = cut.count / 2;
  if (cut.count % 2 != 0 || run != last.extent - start)
    return refusal(fmt::format("it takes {} of the iter {} from number {} on: no two runs of one length", cut.count,
                               show(last), start));
  TileLayout step;
  if (!add_place(step, cut.outer, cut.begin + run, 1) || !add_place(step, cut.outer, cut.begin, -1))
    return too_large("the step between two runs");
  std::erase_if(step.offset, [](const auto& entry) { return entry.second == 0; });
  if (step.offset.size() > 1)
    return refusal(fmt::format("it crosses the end of the iter {}, where {} and {} change at once", show(last),
                               info(step.offset[0].first).name, info(step.offset[1].first).name));
  out.shard.push_back(step.offset.empty() ? Iter{2, 0, last.axis}
                                          : Iter{2, step.offset[0].second, step.offset[0].first});
  if (run > 1) out.shard.push_back(Iter{run, last.stride, last.axis});
  return std::nullopt;
}

std::optional<Error> slice_dimension(TileLayout& out, std::span<const Iter> iters, const use::Interval& part) {
  Cut cut{{iters.begin(), iters.end()}, {}, part.begin, part.end - part.begin};
  if (auto error = strip(cut)) return error;
  if (!add_place(out, cut.outer, cut.begin, 1)) return too_large("the offset");
  if (auto error = add_runs(out, cut)) return error;
  out.shard.insert(out.shard.end(), cut.inner.begin(), cut.inner.end());
  return std::nullopt;
}

std::optional<Error> check_region(std::span<const Index> shape, std::span<const use::Interval> region) {
  if (shape.size() != region.size())
    return Error{ErrorCode::Shape,
                 fmt::format("a region of {} dimensions in a shape of {}", region.size(), shape.size())};
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (region[d].begin < 0 || region[d].end > shape[d] || region[d].begin >= region[d].end)
      return refusal(fmt::format("dimension {}: {}:{} is not a part of the extent {}", d, region[d].begin,
                                 region[d].end, shape[d]));
  return std::nullopt;
}

}  // namespace

Result<Layout> slice(const Layout& layout, std::span<const Index> shape, std::span<const use::Interval> region) {
  if (auto error = check_region(shape, region)) return *error;
  const auto tile = tile_of(layout, shape);
  if (!tile) return tile.error();
  const auto grouped = group(simplified(*tile), shape);
  if (!grouped) return grouped.error();
  TileLayout out{{}, grouped->layout.replica, grouped->layout.offset};
  const std::span<const Iter> shard(grouped->layout.shard);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto iters = shard.subspan(grouped->first[d], grouped->first[d + 1] - grouped->first[d]);
    if (auto error = slice_dimension(out, iters, region[d]))
      return Error{error->code,
                   fmt::format("dimension {}, {}:{}: {}", d, region[d].begin, region[d].end, error->message)};
  }
  if (out.shard.empty()) out.shard.push_back(Iter{1, 1, tile->shard.empty() ? Axis::M : tile->shard.front().axis});
  return with_tile(layout, simplified(std::move(out)));
}

}  // namespace vl::tirx
