#include "encodings/use/synthesis.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/map/pieces.h"
#include "encodings/use/host_places.h"

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
  return Error{ErrorCode::NotInvertible, fmt::format("no nests of its digits, at most {}, are the layout: it has a "
                                                     "swizzle, or its digits do not nest with the tensor's strides",
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

// Boxes of moves with lines for the values that stages from `stage` on read.
struct Starts {
  std::vector<map::Piece> pieces;
  std::size_t stage = 0;
};

// The outputs of a layout's first stage at the host places of a progression, as lines over its variables and, behind
// them, over the replicas, if they are variables. Nothing if a number leaves 64 bits.
std::optional<std::vector<map::Line>> first_stage(const map::Layout& layout, std::span<const Index> factors,
                                                  const Progression& places, std::size_t variables) {
  const auto& rows = std::get<map::Affine>(layout.map().stages().front()).rows;
  const auto start = checked_add(places.start, -layout.host_offset().constant);
  if (!start) return std::nullopt;
  std::vector<map::Line> lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    map::Line line{rows[i].constant, std::vector<Index>(variables, 0)};
    if (!accumulate(line.constant, factors[i], *start)) return std::nullopt;
    for (std::size_t k = 0; k < places.strides.size(); ++k)
      if (!accumulate(line.coefficients[k], factors[i], places.strides[k])) return std::nullopt;
    for (const map::Term& term : rows[i].terms) {
      const std::size_t rank = layout.logical().rank();
      if (term.input < rank || places.strides.size() + term.input - rank >= variables) continue;
      line.coefficients[places.strides.size() + term.input - rank] = term.coefficient;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

// If the host's places may meet and the layouts depend on the place alone: every place once. The lines are the place,
// if `host`, then what the first stages of the layouts give. `to` writes all its replicas if `copies`; the others are
// 0.
std::optional<Starts> place_by_place(const map::Layout& to, const map::Layout* from, bool host, bool copies) {
  if (nests(to.host_offset(), to.logical())) return std::nullopt;
  const auto factors = factors_of_offset(to);
  const auto other_factors = from != nullptr ? factors_of_offset(*from) : factors;
  const auto places = factors && other_factors ? distinct_values(to.host_offset(), to.logical()) : std::nullopt;
  if (!places) return std::nullopt;
  Starts out{{}, 1};
  for (const Progression& some : *places) {
    map::Piece piece{some.extents, {}};
    for (std::size_t r = 0; copies && r < to.replicas().rank(); ++r) piece.extents.push_back(to.replicas().extent(r));
    const std::size_t variables = piece.extents.size();
    if (host) piece.lines.push_back({some.start, some.strides});
    if (host) piece.lines.back().coefficients.resize(variables, 0);
    auto values = first_stage(to, *factors, some, variables);
    if (!values) return std::nullopt;
    piece.lines.insert(piece.lines.end(), values->begin(), values->end());
    if (from != nullptr) {
      auto read = first_stage(*from, *other_factors, some, some.strides.size());
      if (!read) return std::nullopt;
      for (map::Line& line : *read) line.coefficients.resize(variables, 0);
      piece.lines.insert(piece.lines.end(), read->begin(), read->end());
    }
    out.pieces.push_back(std::move(piece));
  }
  return out;
}

// The layout's stages behind the lines before `first`, on every piece.
std::optional<std::vector<map::Piece>> run_all(const Starts& starts, std::size_t first, const map::Layout& layout) {
  std::vector<map::Piece> out;
  for (const map::Piece& piece : starts.pieces) {
    auto parts = map::run(piece, first, std::span(layout.map().stages()).subspan(starts.stage));
    if (!parts || out.size() + parts->size() > map::kMostPieces) return std::nullopt;
    std::ranges::move(*parts, std::back_inserter(out));
  }
  return out;
}

// Every element of the layout's domain once; line 0 is its place on the host.
Starts element_by_element(const map::Layout& layout, Direction direction) {
  const std::size_t rank = layout.domain().rank();
  std::vector<bool> unused = map::unread(layout.map());
  for (const map::Term& term : layout.host_offset().terms) unused[term.input] = false;
  for (std::size_t r = layout.logical().rank(); r < rank; ++r)
    if (direction == Direction::DeviceToHost) unused[r] = true;
  map::Piece piece = whole(layout.domain(), 1, unused);
  map::Line host{layout.host_offset().constant, std::vector<Index>(rank, 0)};
  for (const map::Term& term : layout.host_offset().terms) host.coefficients[term.input] = term.coefficient;
  piece.lines.insert(piece.lines.begin(), std::move(host));
  return {{std::move(piece)}, 0};
}

// Lines: the inputs of `to`, then those of `from`, which takes the first replica.
Starts element_by_element(const map::Layout& from, const map::Layout& to) {
  const std::size_t logical = to.logical().rank();
  const std::vector<bool> unread_by_from = map::unread(from.map());
  std::vector<bool> unused = map::unread(to.map());
  for (std::size_t k = 0; k < logical; ++k) unused[k] = unused[k] && unread_by_from[k];
  map::Piece piece = whole(to.domain(), 2, unused);
  const std::size_t inputs = to.domain().rank();
  piece.lines.resize(inputs + logical);
  for (std::size_t r = 0; r < from.replicas().rank(); ++r) piece.lines.push_back({0, std::vector<Index>(inputs, 0)});
  return {{std::move(piece)}, 0};
}

}  // namespace

Result<Transfer> synthesise(const map::Layout& layout, Direction direction) {
  VL_CHECK(direction != Direction::DeviceToDevice, "a transfer between devices has two layouts");
  Transfer transfer{Direction::HostToDevice, {}};
  if (layout.domain().volume() > 0) {
    auto starts = place_by_place(layout, nullptr, true, direction == Direction::HostToDevice);
    if (!starts) starts = element_by_element(layout, direction);
    Nominal nominal{std::vector<Index>(layout.physical().rank(), 1), row_major_weights(layout.physical())};
    if (layout.identity())
      for (const map::Term& term : layout.identity()->slot.terms)
        nominal.near[term.input] = std::max<Index>(term.coefficient, 1);
    const auto pieces = run_all(*starts, 1, layout);
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
  auto starts = place_by_place(to, &from, false, true);
  const std::size_t values = starts ? std::get<map::Affine>(to.map().stages().front()).rows.size() : to.domain().rank();
  if (!starts) starts = element_by_element(from, to);
  auto sources = run_all(*starts, values, from);
  if (!sources) return too_many();

  const Nominal nominal{std::vector<Index>(to.physical().rank(), 1), row_major_weights(to.physical())};
  for (map::Piece& source : *sources) {
    if (!is_slot(from, source, values)) return Error{ErrorCode::Value, "an element has no slot in the first layout"};
    const auto near = map::combined(map::row_major_number(from.physical()), std::span(source.lines).subspan(values),
                                    source.extents.size());
    if (!near) return Error{ErrorCode::Overflow, "an offset leaves 64 bits"};
    source.lines.resize(values);
    source.lines.insert(source.lines.begin(), *near);
  }
  const auto pieces = run_all({std::move(*sources), starts->stage}, 1, to);
  if (!pieces) return too_many();
  auto nests = nests_of(to, *pieces, nominal);
  if (!nests) return nests.error();
  transfer.nests = std::move(*nests);
  return transfer;
}

}  // namespace vl::use
