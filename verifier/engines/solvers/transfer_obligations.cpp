#include "verifier/engines/solvers/transfer_obligations.h"

namespace vl::engines {
namespace {

using map::Layout;
using smt::Formula;
using smt::Linear;
using smt::Obligation;
using use::Memory;
using use::Nest;

// One iteration of a nest, and the two offsets it is at.
struct MoveTerms {
  Terms iteration;
  Linear source;
  Linear destination;
};

Linear offset_of(const Nest& nest, const use::Walk& walk, const Terms& iteration) {
  Linear out{walk.offset, {}};
  for (std::size_t k = 0; k < iteration.size(); ++k)
    if (nest.extents[k] > 1 && walk.strides[k] != 0) out.terms.emplace_back(iteration[k], walk.strides[k]);
  return out;
}

MoveTerms move_of(Obligation& obligation, const Nest& nest) {
  MoveTerms move;
  for (const Index extent : nest.extents) move.iteration.push_back(obligation.variable({0, extent - 1}));
  move.source = offset_of(nest, nest.source, move.iteration);
  move.destination = offset_of(nest, nest.destination, move.iteration);
  return move;
}

const Nest& nest_of(const TransferQuestion& question, std::size_t n) { return question.transfer->nests[n]; }

// The memory's offset of a slot.
Linear offset_of(const Memory& memory, const Terms& slot) {
  Linear out = row_major(memory.layout.physical(), slot);
  out.constant = memory.base;
  return out;
}

std::optional<Formula> equal(const Linear& a, const Linear& b) {
  auto difference = minus(a, b);
  if (!difference) return std::nullopt;
  return smt::is_zero(std::move(*difference));
}

std::optional<Formula> leaves_memory(const Memory& memory, const Linear& offset) {
  const auto end = checked_add(memory.base, memory.layout.physical().volume());
  auto below = minus(offset, {memory.base, {}});
  if (!end || !below || !accumulate(below->constant, 1, 1)) return std::nullopt;
  auto above = minus({*end, {}}, offset);
  if (!above) return std::nullopt;
  return smt::any_of({smt::at_most_zero(std::move(*below)), smt::at_most_zero(std::move(*above))});
}

Terms element_of(const Layout& layout, const Terms& point) {
  return Terms(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(layout.logical().rank()));
}

Terms replica_of(const Layout& layout, const Terms& point) {
  return Terms(point.begin() + static_cast<std::ptrdiff_t>(layout.logical().rank()), point.end());
}

Terms join(Terms a, const Terms& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A point of the domain that has a slot.
struct Resident {
  Terms point;
  Terms outputs;
};

Resident resident(Obligation& obligation, const Layout& layout) {
  Resident out;
  out.point = obligation.point_of(layout.domain());
  out.outputs = obligation.apply(layout.map(), out.point);
  obligation.require(is_slot(layout, out.outputs));
  return out;
}

// Its slot, as variables, and what that decodes to.
Decoding decoded(Obligation& obligation, const Layout& layout, const Resident& at) {
  const Terms slot = obligation.point_of(layout.physical());
  obligation.require(same(slot, at.outputs));
  return decode(obligation, layout, slot);
}

// `value` as base + a new variable for the slot's number. The equation is returned, not required.
std::optional<Formula> numbered(Obligation& obligation, const Memory& memory, const Linear& value, Place& place) {
  place = {&memory, obligation.variable({0, memory.layout.physical().volume() - 1})};
  return equal({memory.base, {{place.number, 1}}}, value);
}

// x has no place at this offset of a memory. Requires: as stray() of its other side.
std::optional<Formula> kept_elsewhere(Obligation& obligation, const Memory& memory, const Terms& x,
                                      const Linear& offset) {
  const Layout& layout = memory.layout;
  if (layout.replicas().rank() == 0) {
    const Terms outputs = obligation.apply(layout.map(), x);
    auto here = equal(offset_of(memory, outputs), offset);
    if (!here) return std::nullopt;
    return smt::negate(smt::all_of({is_slot(layout, outputs), std::move(*here)}));
  }
  const Terms slot = obligation.point_of(layout.physical());
  auto there = leaves_memory(memory, offset);
  auto is_this_slot = equal(offset_of(memory, slot), offset);
  if (!there || !is_this_slot) return std::nullopt;
  const Decoding decoding = decode(obligation, layout, slot);
  const Terms outputs = obligation.apply(layout.map(), join(x, replica_of(layout, decoding.point)));
  const Formula lives_here = smt::all_of({is_slot(layout, outputs), same(slot, outputs)});
  const Formula holds_another =
      smt::any_of({smt::negate(decoding.in_domain), smt::all_of({decoding.is_point, smt::negate(lives_here)})});
  return smt::any_of({std::move(*there), smt::all_of({std::move(*is_this_slot), holds_another})});
}

}  // namespace

std::optional<Obligation> leaving(const TransferQuestion& question, std::size_t n) {
  Obligation obligation;
  const MoveTerms move = move_of(obligation, nest_of(question, n));
  auto reads = leaves_memory(*question.source, move.source);
  auto writes = leaves_memory(*question.destination, move.destination);
  if (!reads || !writes) return std::nullopt;
  obligation.require(smt::any_of({std::move(*reads), std::move(*writes)}));
  return obligation;
}

std::optional<Obligation> meeting(const TransferQuestion& question, std::size_t n, std::size_t m) {
  Obligation obligation;
  const MoveTerms a = move_of(obligation, nest_of(question, n));
  const MoveTerms b = move_of(obligation, nest_of(question, m));
  auto meet = equal(a.destination, b.destination);
  if (!meet) return std::nullopt;
  obligation.require(std::move(*meet));
  if (n == m) obligation.require(smt::negate(same(a.iteration, b.iteration)));
  return obligation;
}

std::optional<Obligation> served_twice(const TransferQuestion& question, std::size_t n, std::size_t m,
                                       Serving serving) {
  Obligation obligation;
  const Resident to = resident(obligation, question.destination->layout);
  const Linear place = offset_of(*question.destination, to.outputs);
  const MoveTerms a = move_of(obligation, nest_of(question, n));
  const MoveTerms b = move_of(obligation, nest_of(question, m));
  std::vector<std::optional<Formula>> needed{equal(a.destination, place), equal(b.destination, place)};
  if (serving == Serving::ByReadingToo) {
    const Layout& layout = question.source->layout;
    const Terms outputs = obligation.apply(layout.map(), element_of(layout, to.point));
    obligation.require(is_slot(layout, outputs));
    for (const MoveTerms* move : {&a, &b}) needed.push_back(equal(move->source, offset_of(*question.source, outputs)));
  }
  for (auto& formula : needed) {
    if (!formula) return std::nullopt;
    obligation.require(std::move(*formula));
  }
  if (n == m) obligation.require(smt::negate(same(a.iteration, b.iteration)));
  return obligation;
}

std::optional<Obligation> unserved(const TransferQuestion& question, const std::vector<Nest>& slices, Serving serving) {
  Obligation obligation;
  const Resident to = resident(obligation, question.destination->layout);
  Place written;
  auto is_written = numbered(obligation, *question.destination, offset_of(*question.destination, to.outputs), written);
  if (!is_written) return std::nullopt;
  obligation.require(std::move(*is_written));
  std::optional<Place> read;
  Formula unread = smt::any_of({});  // x has no slot in the source
  if (serving == Serving::ByReadingToo) {
    const Layout& layout = question.source->layout;
    const Terms outputs = obligation.apply(layout.map(), element_of(layout, to.point));
    auto is_read = numbered(obligation, *question.source, offset_of(*question.source, outputs), read.emplace());
    if (!is_read) return std::nullopt;
    unread = smt::negate(is_slot(layout, outputs));
    obligation.require(smt::any_of({unread, std::move(*is_read)}));
  }
  std::vector<Formula> by_none;
  for (const Nest& nest : slices) {
    auto formula = unmoved(obligation, nest, written, read);
    if (!formula) return std::nullopt;
    by_none.push_back(std::move(*formula));
  }
  obligation.require(smt::any_of({std::move(unread), smt::all_of(std::move(by_none))}));
  return obligation;
}

Obligation homeless(const TransferQuestion& question) {
  Obligation obligation;
  const Layout& layout = question.destination->layout;
  const Terms outputs = obligation.apply(layout.map(), obligation.point_of(layout.domain()));
  obligation.require(smt::negate(is_slot(layout, outputs)));
  return obligation;
}

Obligation ambiguous(const Memory& anchor, const Memory& other) {
  Obligation obligation;
  const Layout& layout = anchor.layout;
  const Resident at = resident(obligation, layout);
  const Decoding decoding = decoded(obligation, layout, at);
  const Terms replica = obligation.point_of(other.layout.replicas());
  const auto outputs = [&](const Terms& point) {
    return obligation.apply(other.layout.map(), join(element_of(layout, point), replica));
  };
  // That one point has the same outputs twice is for the solver the hard part: it need not find that out where it can
  // see that there is one point.
  const Formula alike = smt::any_of({same(element_of(layout, at.point), element_of(layout, decoding.point)),
                                     same(outputs(at.point), outputs(decoding.point))});
  const Formula lives_here = smt::any_of({same(at.point, decoding.point), decoding.lives_here});
  obligation.require(smt::any_of({smt::negate(decoding.in_domain),
                                  smt::all_of({decoding.is_point, smt::negate(smt::all_of({lives_here, alike}))})}));
  return obligation;
}

Obligation ambiguous_replica(const Memory& memory) {
  Obligation obligation;
  const Layout& layout = memory.layout;
  const Resident at = resident(obligation, layout);
  const Decoding decoding = decoded(obligation, layout, at);
  const Terms again =
      obligation.apply(layout.map(), join(element_of(layout, at.point), replica_of(layout, decoding.point)));
  const Formula lives_here = smt::any_of({same(at.point, decoding.point), same(at.outputs, again)});
  obligation.require(
      smt::any_of({smt::negate(decoding.in_domain), smt::all_of({decoding.is_point, smt::negate(lives_here)})}));
  return obligation;
}

std::optional<Obligation> stray(const TransferQuestion& question, std::size_t n, Anchor side) {
  const bool by_destination = side == Anchor::Destination;
  const Memory& anchor = by_destination ? *question.destination : *question.source;
  const Memory& other = by_destination ? *question.source : *question.destination;
  Obligation obligation;
  const MoveTerms move = move_of(obligation, nest_of(question, n));
  const Terms slot = obligation.point_of(anchor.layout.physical());
  auto is_at = equal(offset_of(anchor, slot), by_destination ? move.destination : move.source);
  if (!is_at) return std::nullopt;
  obligation.require(std::move(*is_at));
  const Decoding decoding = decode(obligation, anchor.layout, slot);
  const Terms x = element_of(anchor.layout, decoding.point);
  const auto elsewhere = kept_elsewhere(obligation, other, x, by_destination ? move.source : move.destination);
  if (!elsewhere) return std::nullopt;
  obligation.require(
      smt::any_of({smt::negate(decoding.in_domain),
                   smt::all_of({decoding.is_point, smt::any_of({smt::negate(decoding.lives_here), *elsewhere})})}));
  return obligation;
}

}  // namespace vl::engines
