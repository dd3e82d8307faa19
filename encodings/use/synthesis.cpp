#include "encodings/use/synthesis.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/map/pieces.h"

namespace vl::use {
namespace {

// One loop before it is put in order: its device dimension and its two strides.
struct Loop {
  std::size_t dim = 0;
  Index extent = 1;
  Index near = 0;  // the stride of the other side: the host, or the layout that is read
  Index device = 0;
};

struct Loops {
  std::vector<Loop> loops;
  Index near = 0;  // offsets
  Index device = 0;
};

// The strides of loops of extent 1, as if they had more iterations: the strides of the whole layout.
struct Nominal {
  std::vector<Index> near;
  std::vector<Index> device;
};

bool is_slot(const map::Layout& layout, const map::Piece& piece, std::size_t first) {
  for (std::size_t j = first; j < piece.lines.size(); ++j) {
    const auto range = map::range_of(piece.lines[j], piece.extents);
    const std::size_t dim = j - first;
    const Index extent = dim < layout.physical().rank() ? layout.physical().extent(dim) : 1;  // guards are 0
    if (!range || range->low < 0 || range->high >= extent) return false;
  }
  return true;
}

// A piece whose line 0 is the near offset and whose further lines are device coordinates, as loops.
std::optional<Loops> loops_of(const map::Layout& layout, const map::Piece& piece, const Nominal& nominal) {
  const std::size_t rank = layout.physical().rank();
  const auto device =
      map::combined(map::dot(nominal.device), std::span(piece.lines).subspan(1, rank), piece.extents.size());
  if (!device) return std::nullopt;
  Loops out{{}, piece.lines[0].constant, device->constant};
  std::vector<bool> walked(rank, false);
  for (std::size_t k = 0; k < piece.extents.size(); ++k) {
    Loop loop{rank - 1, piece.extents[k], piece.lines[0].coefficients[k], device->coefficients[k]};
    for (std::size_t dim = rank; dim-- > 0;)
      if (piece.lines[1 + dim].coefficients[k] != 0) loop.dim = dim;
    walked[loop.dim] = true;
    if (loop.device < 0) {  // count the other way, so that device offsets ascend
      if (!accumulate(out.near, loop.near, loop.extent - 1) || !accumulate(out.device, loop.device, loop.extent - 1))
        return std::nullopt;
      loop.near = -loop.near;
      loop.device = -loop.device;
    }
    out.loops.push_back(loop);
  }
  for (std::size_t dim = 0; dim < rank; ++dim)
    if (!walked[dim]) out.loops.push_back({dim, 1, nominal.near[dim], nominal.device[dim]});
  return out;
}

// A nest with the device dimension of each of its loops.
struct Ordered {
  Nest nest;
  std::vector<std::size_t> dims;
};

// Joins two nests that differ in one loop only, if the second continues the first within that device dimension.
bool join(Ordered& first, const Ordered& second, const map::Space& device) {
  Nest& a = first.nest;
  const Nest& b = second.nest;
  if (first.dims != second.dims || a.source.strides != b.source.strides ||
      a.destination.strides != b.destination.strides)
    return false;
  std::optional<std::size_t> differs;
  for (std::size_t k = 0; k < a.extents.size(); ++k) {
    if (a.extents[k] == b.extents[k]) continue;
    if (differs) return false;
    differs = k;
  }
  const auto reaches = [](const Walk& from, const Walk& to, std::size_t k, Index steps) {
    Index offset = from.offset;
    return accumulate(offset, from.strides[k], steps) && offset == to.offset;
  };
  const auto continues = [&](std::size_t k) {
    return reaches(a.source, b.source, k, a.extents[k]) && reaches(a.destination, b.destination, k, a.extents[k]);
  };
  for (std::size_t k = 0; k < a.extents.size(); ++k) {
    if ((differs && *differs != k) || !continues(k)) continue;
    if (a.extents[k] + b.extents[k] > device.extent(first.dims[k])) continue;
    a.extents[k] += b.extents[k];
    return true;
  }
  return false;
}

void join_all(std::vector<Ordered>& nests, const map::Space& device) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t a = 0; a < nests.size(); ++a)
      for (std::size_t b = 0; b < nests.size();) {
        if (a == b || !join(nests[a], nests[b], device)) {
          ++b;
          continue;
        }
        nests.erase(nests.begin() + static_cast<std::ptrdiff_t>(b));
        if (b < a) --a;
        b = 0;  // an earlier nest may continue the longer one
        changed = true;
      }
  }
}

// Dimensions over which the nests differ become outer loops, so that the nests of whole and of ragged sticks look
// alike.
std::vector<Ordered> in_order(std::vector<Loops> all, std::size_t rank) {
  std::vector<bool> outer(rank + 1, false);
  const auto extent_of = [](const Loops& loops, std::size_t dim) {
    Index extent = 1;
    for (const Loop& loop : loops.loops) extent *= loop.dim == dim ? loop.extent : 1;
    return extent;
  };
  for (std::size_t dim = 0; dim + 1 < rank; ++dim)
    outer[dim] = std::ranges::any_of(
        all, [&](const Loops& loops) { return extent_of(loops, dim) != extent_of(all.front(), dim); });
  std::vector<Ordered> nests;
  for (Loops& loops : all) {
    std::ranges::stable_sort(loops.loops, [&](const Loop& a, const Loop& b) {
      if (outer[a.dim] != outer[b.dim]) return static_cast<bool>(outer[a.dim]);
      return a.dim != b.dim ? a.dim < b.dim : a.device > b.device;
    });
    Ordered out{{{}, {{}, loops.near}, {{}, loops.device}}, {}};
    for (const Loop& loop : loops.loops) {
      out.nest.extents.push_back(loop.extent);
      out.nest.source.strides.push_back(loop.near);
      out.nest.destination.strides.push_back(loop.device);
      out.dims.push_back(loop.dim);
    }
    nests.push_back(std::move(out));
  }
  std::ranges::stable_sort(nests, {}, [](const Ordered& ordered) { return ordered.nest.destination.offset; });
  return nests;
}

Error too_many() {
  return Error{
      ErrorCode::NotInvertible,
      fmt::format("the layout's digits do not nest with the tensor's strides: more than {} nests would be needed",
                  map::kMostPieces)};
}

// Pieces have the near offset as line 0 and the outputs of the layout's map behind it.
Result<std::vector<Nest>> nests_of(const map::Layout& layout, const std::vector<map::Piece>& pieces,
                                   const Nominal& nominal) {
  std::vector<Loops> all;
  all.reserve(pieces.size());
  for (const map::Piece& piece : pieces) {
    if (!is_slot(layout, piece, 1)) return Error{ErrorCode::Value, "an element has no slot"};
    auto loops = loops_of(layout, piece, nominal);
    if (!loops) return Error{ErrorCode::Overflow, "a stride of the nests leaves 64 bits"};
    all.push_back(std::move(*loops));
  }
  std::vector<Ordered> ordered = in_order(std::move(all), layout.physical().rank());
  join_all(ordered, layout.physical());
  std::vector<Nest> nests;
  nests.reserve(ordered.size());
  for (Ordered& one : ordered) nests.push_back(std::move(one.nest));
  return nests;
}

// The domain's variables with their identity lines. A dimension in `unused` stays at 0.
map::Piece whole(const map::Space& domain, std::size_t copies, const std::vector<bool>& unused) {
  map::Piece piece;
  for (std::size_t k = 0; k < domain.rank(); ++k) piece.extents.push_back(unused[k] ? 1 : domain.extent(k));
  for (std::size_t copy = 0; copy < copies; ++copy)
    for (std::size_t k = 0; k < domain.rank(); ++k) {
      map::Line line{0, std::vector<Index>(domain.rank(), 0)};
      line.coefficients[k] = 1;
      piece.lines.push_back(std::move(line));
    }
  return piece;
}

}  // namespace

Result<Transfer> synthesise(const map::Layout& layout, Direction direction) {
  VL_CHECK(direction != Direction::DeviceToDevice, "a transfer between devices has two layouts");
  Transfer transfer{Direction::HostToDevice, {}};
  if (layout.domain().volume() > 0) {
    const std::size_t rank = layout.domain().rank();
    std::vector<bool> unused = map::unread(layout.map());
    for (const map::Term& term : layout.host_offset().terms) unused[term.input] = false;
    for (std::size_t r = layout.logical().rank(); r < rank; ++r)
      if (direction == Direction::DeviceToHost) unused[r] = true;
    map::Piece piece = whole(layout.domain(), 1, unused);
    map::Line host{layout.host_offset().constant, std::vector<Index>(rank, 0)};
    for (const map::Term& term : layout.host_offset().terms) host.coefficients[term.input] = term.coefficient;
    piece.lines.insert(piece.lines.begin(), std::move(host));
    Nominal nominal{std::vector<Index>(layout.physical().rank(), 1), row_major_weights(layout.physical())};
    if (layout.identity())
      for (const map::Term& term : layout.identity()->slot.terms)
        nominal.near[term.input] = std::max<Index>(term.coefficient, 1);
    const auto pieces = run(piece, 1, layout.map().stages());
    if (!pieces) return too_many();
    auto nests = nests_of(layout, *pieces, nominal);
    if (!nests) return nests.error();
    transfer.nests = std::move(*nests);
  }
  return direction == Direction::HostToDevice ? transfer : reversed(std::move(transfer));
}

Result<Transfer> synthesise(const map::Layout& from, const map::Layout& to) {
  VL_CHECK(from.logical() == to.logical(), "a transfer between layouts of different tensors");
  Transfer transfer{Direction::DeviceToDevice, {}};
  if (to.domain().volume() == 0) return transfer;
  const std::size_t logical = to.logical().rank();
  const std::vector<bool> unread_by_from = map::unread(from.map());
  std::vector<bool> unused = map::unread(to.map());
  for (std::size_t k = 0; k < logical; ++k) unused[k] = unused[k] && unread_by_from[k];

  // Lines: the inputs of `to`, then those of `from`, which takes the first replica.
  map::Piece piece = whole(to.domain(), 2, unused);
  const std::size_t inputs = to.domain().rank();
  piece.lines.resize(inputs + logical);
  for (std::size_t r = 0; r < from.replicas().rank(); ++r) piece.lines.push_back({0, std::vector<Index>(inputs, 0)});
  auto sources = run(piece, inputs, from.map().stages());
  if (!sources) return too_many();

  const Nominal nominal{std::vector<Index>(to.physical().rank(), 1), row_major_weights(to.physical())};
  std::vector<map::Piece> pieces;
  for (map::Piece& source : *sources) {
    if (!is_slot(from, source, inputs)) return Error{ErrorCode::Value, "an element has no slot in the first layout"};
    const auto near = map::combined(map::row_major_number(from.physical()), std::span(source.lines).subspan(inputs),
                                    source.extents.size());
    if (!near) return Error{ErrorCode::Overflow, "an offset leaves 64 bits"};
    source.lines.resize(inputs);
    source.lines.insert(source.lines.begin(), *near);
    const auto parts = run(source, 1, to.map().stages());
    if (!parts || pieces.size() + parts->size() > map::kMostPieces) return too_many();
    pieces.insert(pieces.end(), parts->begin(), parts->end());
  }
  auto nests = nests_of(to, pieces, nominal);
  if (!nests) return nests.error();
  transfer.nests = std::move(*nests);
  return transfer;
}

}  // namespace vl::use
