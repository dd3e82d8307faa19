#include "verifier/claims/slices.h"

#include <algorithm>
#include <set>

namespace vl::claims {
namespace {

Index volume_from(const use::Slice& slice, std::size_t dim) {
  Index volume = 1;
  for (std::size_t i = dim; i < slice.size(); ++i) volume *= slice[i].end - slice[i].begin;  // at most the tensor's
  return volume;
}

// Whether disjoint pieces cover a slab: the elements whose coordinates before `dim` all pieces contain.
bool covers_slab(const map::Space& tensor, const std::vector<const Piece*>& pieces, std::size_t dim) {
  Index left = 1;
  for (std::size_t i = dim; i < tensor.rank(); ++i) left *= tensor.extent(i);
  for (const Piece* piece : pieces) left -= volume_from(piece->slice, dim);
  return left == 0;
}

}  // namespace

std::vector<use::Slice> slices_of(const use::Division& division, const map::Space& tensor,
                                  const CountedExtents& counted) {
  std::vector<use::Slice> slices;
  const Index cores = *checked_product(division.splits);
  for (Index core = 0; core < cores; ++core) {
    use::Slice slice;
    for (const map::Dim& dim : tensor.dims()) slice.push_back({0, dim.extent});
    const std::vector<Index> numbers = use::slice_numbers(division, core);
    for (std::size_t d = 0; d < numbers.size(); ++d) {
      if (division.scales[d] < 0) continue;
      const auto i = static_cast<std::size_t>(division.scales[d]);
      const Index step = counted.counts[i] / division.splits[d] * counted.units[i];
      slice[i].begin = numbers[d] * step;
      if (numbers[d] + 1 < division.splits[d]) slice[i].end = (numbers[d] + 1) * step;
    }
    slices.push_back(std::move(slice));
  }
  return slices;
}

bool is_empty(const use::Slice& slice) {
  return std::ranges::any_of(slice, [](const use::Interval& interval) { return interval.end <= interval.begin; });
}

use::Slice clipped(use::Slice slice, const map::Space& tensor) {
  for (std::size_t i = 0; i < slice.size(); ++i)
    slice[i] = {std::max<Index>(slice[i].begin, 0), std::min(slice[i].end, tensor.extent(i))};
  return slice;
}

std::vector<Piece> pieces_of(const std::vector<use::Slice>& slices, const map::Space& tensor,
                             const std::vector<Index>& groups) {
  std::vector<Piece> pieces;
  for (std::size_t core = 0; core < slices.size(); ++core) {
    use::Slice slice = clipped(slices[core], tensor);
    if (is_empty(slice)) continue;
    const auto is_same = [&](const Piece& piece) {
      return groups[static_cast<std::size_t>(piece.core)] == groups[core] && piece.slice == slice;
    };
    if (core < groups.size() && std::ranges::any_of(pieces, is_same)) continue;
    pieces.push_back({std::move(slice), static_cast<Index>(core)});
  }
  return pieces;
}

std::optional<use::Slice> intersection(const use::Slice& a, const use::Slice& b) {
  use::Slice both;
  for (std::size_t i = 0; i < a.size(); ++i)
    both.push_back({std::max(a[i].begin, b[i].begin), std::min(a[i].end, b[i].end)});
  return is_empty(both) ? std::nullopt : std::optional(std::move(both));
}

bool contains(const use::Slice& slice, const Point& element) {
  for (std::size_t i = 0; i < slice.size(); ++i)
    if (element[i] < slice[i].begin || element[i] >= slice[i].end) return false;
  return true;
}

Point first_of(const use::Slice& slice) {
  Point first;
  for (const use::Interval& interval : slice) first.push_back(interval.begin);
  return first;
}

std::optional<Point> first_outside(const use::Slice& slice, const std::optional<use::Slice>& other) {
  Point element = first_of(slice);
  if (!other || !contains(*other, element)) return element;
  // Its first element is inside, so the first one outside is at an end of `other`: of the innermost possible dimension.
  for (std::size_t i = slice.size(); i-- > 0;) {
    if ((*other)[i].end >= slice[i].end) continue;
    element[i] = (*other)[i].end;
    return element;
  }
  return std::nullopt;
}

std::optional<Point> first_uncovered(const map::Space& tensor, const std::vector<Piece>& pieces) {
  std::vector<const Piece*> left;
  left.reserve(pieces.size());
  for (const Piece& piece : pieces) left.push_back(&piece);
  if (covers_slab(tensor, left, 0)) return std::nullopt;
  Point element;
  for (std::size_t dim = 0; dim < tensor.rank(); ++dim) {
    // The coordinate of the smallest uncovered element is 0 or the end of a piece: else its predecessor is uncovered.
    std::set<Index> candidates{0};
    for (const Piece* piece : left) candidates.insert(piece->slice[dim].end);
    for (const Index x : candidates) {
      std::vector<const Piece*> here;
      std::ranges::copy_if(left, std::back_inserter(here), [&](const Piece* piece) {
        return piece->slice[dim].begin <= x && x < piece->slice[dim].end;
      });
      if (x >= tensor.extent(dim) || covers_slab(tensor, here, dim + 1)) continue;
      element.push_back(x);
      left = std::move(here);
      break;
    }
    VL_CHECK(element.size() == dim + 1, "an uncovered slab without an uncovered element");
  }
  return element;
}

}  // namespace vl::claims
