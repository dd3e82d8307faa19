#include "verifier/claims/sticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace vl::claims {
namespace {

constexpr Index kMostPieces = Index{1} << 26;  // elements times pieces

std::size_t stick_rank(const map::Layout& layout) { return std::max<std::size_t>(layout.physical().rank(), 1) - 1; }

// The row-major number of the stick of a map's outputs.
Index stick_of(const map::Layout& layout, std::span<const Index> outputs) {
  Index number = 0;
  for (std::size_t j = 0; j < stick_rank(layout); ++j) number = number * layout.physical().extent(j) + outputs[j];
  return number;
}

Index first_replica_stick(const map::Layout& layout, const Point& element) {
  return stick_of(layout, map::outputs_at(layout, element, Point(layout.replicas().rank(), 0)));
}

const Piece& owner(const std::vector<Piece>& pieces, const Point& element) {
  const auto found = std::ranges::find_if(pieces, [&](const Piece& piece) { return contains(piece.slice, element); });
  VL_CHECK(found != pieces.end(), "an element of no piece");
  return *found;
}

Box box_of(const map::Layout& layout, const use::Slice& slice) {
  Box box;
  for (const use::Interval& interval : slice) box.push_back({interval.begin, interval.end - 1});
  for (const map::Dim& replica : layout.replicas().dims()) box.push_back({0, replica.extent - 1});
  return box;
}

// Whether every boundary between pieces is a boundary of a digit that the stick's number determines: then no stick is
// cut.
bool obviously_uncut(const map::Layout& layout, const Structure& structure, const std::vector<Piece>& pieces) {
  use::Slice whole;
  for (const map::Dim& dim : layout.logical().dims()) whole.push_back({0, dim.extent});
  const Box box = box_of(layout, whole);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto known = known_quotient(structure, stick_rank(layout), i, box);
    for (const Piece& piece : pieces)
      for (const Index x : {piece.slice[i].begin, piece.slice[i].end})
        if (x > 0 && x < whole[i].end && !(known && (x + known->offset) % known->weight == 0)) return false;
  }
  return true;
}

// The two elements on either side of a piece's lower face in one dimension: straight across, and across in the order of
// a row-major host, where inner dimensions start again.
std::optional<Cut> cut_at(const map::Layout& layout, const std::vector<Piece>& pieces, const Piece& piece,
                          std::size_t dim) {
  if (piece.slice[dim].begin == 0) return std::nullopt;
  const Point b = first_of(piece.slice);
  for (const bool across : {true, false}) {
    Point a = b;
    a[dim] -= 1;
    for (std::size_t i = dim + 1; !across && i < a.size(); ++i) a[i] = layout.logical().extent(i) - 1;
    const Piece& other = owner(pieces, a);
    if (&other != &piece && first_replica_stick(layout, a) == first_replica_stick(layout, b))
      return Cut{a, b, other.core, piece.core};
  }
  return std::nullopt;
}

Cutting walk(const map::Layout& layout, const std::vector<Piece>& pieces) {
  const map::Space& domain = layout.domain();
  if (domain.volume() > std::min(kMostWalked, kMostPieces / static_cast<Index>(pieces.size())))
    return fmt::format("its coordinates are not digits of single dimensions, and {} elements are too many to walk over",
                       domain.volume());
  map::Evaluator evaluate(layout.map());
  std::unordered_map<Index, Point> first;  // of each stick
  Point p(domain.rank(), 0);
  do {
    const Index stick = stick_of(layout, evaluate(p));
    Point element(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(layout.logical().rank()));
    const auto [at, is_new] = first.try_emplace(stick, element);
    if (is_new) continue;
    const Piece& mine = owner(pieces, element);
    const Piece& theirs = owner(pieces, at->second);
    if (&mine != &theirs) return Cut{at->second, std::move(element), theirs.core, mine.core};
  } while (map::advance(domain, p));
  return Uncut{};
}

// The extremes of physical coordinate j over the piece's box, by its digits or by walking.
std::optional<Extremes> extremes(const map::Layout& layout, const std::optional<Structure>& structure, std::size_t j,
                                 const Box& box) {
  if (structure && structure->coordinates[j]) return extremes_of(*structure->coordinates[j], box);
  std::vector<map::Dim> dims;
  for (const Range& range : box) dims.push_back({fmt::format("x{}", dims.size()), range.high - range.low + 1});
  const auto space = map::Space::create(std::move(dims));
  if (!space || layout.domain().volume() > kMostWalked) return std::nullopt;
  map::Evaluator evaluate(layout.map());
  std::optional<Extremes> out;
  Point step(box.size(), 0);
  do {
    Point p = step;
    for (std::size_t i = 0; i < p.size(); ++i) p[i] += box[i].low;
    const Index value = evaluate(p)[j];
    if (!out) out = Extremes{{value, value}, p, p};
    if (value < out->values.low) out->values.low = value, out->low = p;
    if (value > out->values.high) out->values.high = value, out->high = p;
  } while (map::advance(*space, step));
  return out;
}

}  // namespace

CountedExtents counted_extents(const map::Layout& layout, const Structure& structure, const use::Division& division) {
  const std::size_t rank = layout.physical().rank();
  const Index own = rank == 0 ? 1 : layout.physical().extent(rank - 1);
  const Index stick = std::max({own, division.stick, Index{1}});
  CountedExtents out;
  out.units.assign(layout.logical().rank(), 1);
  if (structure.moves_last->size() == 1) out.units[structure.moves_last->front()] = stick;
  for (const Index dim : division.sticks) {
    const Index host = division.scales[static_cast<std::size_t>(dim)];
    if (host >= 0) out.units[static_cast<std::size_t>(host)] = stick;
  }
  for (std::size_t i = 0; i < out.units.size(); ++i)
    out.counts.push_back(ceil_div(layout.logical().extent(i), out.units[i]));
  return out;
}

Cutting cut_stick(const map::Layout& layout, const std::optional<Structure>& structure,
                  const std::vector<Piece>& pieces) {
  if (structure && obviously_uncut(layout, *structure, pieces)) return Uncut{};
  for (const Piece& piece : pieces)
    for (std::size_t dim = 0; dim < piece.slice.size(); ++dim)
      if (auto cut = cut_at(layout, pieces, piece, dim)) return std::move(*cut);
  return walk(layout, pieces);
}

std::optional<PieceReach> reach_of(const map::Layout& layout, const std::optional<Structure>& structure,
                                   const Piece& piece) {
  const Box box = box_of(layout, piece.slice);
  for (std::size_t j = 0; j < layout.physical().rank(); ++j) {
    auto found = extremes(layout, structure, j, box);
    if (!found) return std::nullopt;
    if (found->values.low == found->values.high) continue;
    PieceReach reach{j, found->values.high - found->values.low + 1, 0, std::move(found->low), std::move(found->high)};
    const Index low = (*map::evaluate(layout.map(), reach.a))[j];
    const Index high = (*map::evaluate(layout.map(), reach.b))[j];
    VL_CHECK(high - low + 1 == reach.steps, "a reach that its elements do not have");
    std::vector<Index> extents{reach.steps};
    for (std::size_t inner = j + 1; inner < layout.physical().rank(); ++inner)
      extents.push_back(layout.physical().extent(inner));
    reach.slots = checked_product(extents).value_or(std::numeric_limits<Index>::max());
    for (Point* point : {&reach.a, &reach.b}) point->resize(layout.logical().rank());
    return reach;
  }
  const Point only = first_of(piece.slice);
  return PieceReach{0, 1, 1, only, only};
}

}  // namespace vl::claims
