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

  [[nodiscard]] const Linear& at(Side side) const { return side == Side::Source ? source : destination; }
};

Linear offset_of(const Nest& nest, const use::Walk& walk, const Terms& iteration) {
  Linear out{walk.offset, {}};
  for (std::size_t k = 0; k < iteration.size(); ++k)
    if (nest.extents[k] > 1 && walk.strides[k] != 0) out.terms.emplace_back(iteration[k], walk.strides[k]);
  return out;
}

MoveTerms move_of(Obligation& obligation, const TransferQuestion& question, std::size_t n) {
  const Nest& nest = question.transfer->nests[n];
  MoveTerms move;
  for (const Index extent : nest.extents) move.iteration.push_back(obligation.variable({0, extent - 1}));
  move.source = offset_of(nest, nest.source, move.iteration);
  move.destination = offset_of(nest, nest.destination, move.iteration);
  return move;
}

// The obligation's first move: the witness's p.
MoveTerms first_move(Encoded& out, const TransferQuestion& question, std::size_t n) {
  MoveTerms move = move_of(out.obligation, question, n);
  out.p = move.iteration.size();
  out.nests = {static_cast<Index>(n)};
  return move;
}

// The memory's offset of a slot.
Linear offset_of(const Memory& memory, const Terms& slot) {
  Linear out = row_major(memory.layout.physical(), slot);
  out.constant = memory.base;
  return out;
}

Formula leaves_memory(Encoded& out, const Memory& memory, const Linear& offset) {
  Linear end{memory.base, {}};
  Linear below = out.minus(offset, end);
  out.fits =
      accumulate(end.constant, memory.layout.physical().volume(), 1) && accumulate(below.constant, 1, 1) && out.fits;
  return smt::any_of({smt::at_most_zero(std::move(below)), smt::at_most_zero(out.minus(end, offset))});
}

Terms element_of(const Layout& layout, const Terms& point) {
  return Terms(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(layout.logical().rank()));
}

// The element with the replica of another point.
Terms join(Terms element, const Layout& layout, const Terms& point) {
  element.insert(element.end(), point.begin() + static_cast<std::ptrdiff_t>(layout.logical().rank()), point.end());
  return element;
}

// The first point of a side: the witness's q.
Located first_point_of(Encoded& out, const TransferQuestion& question, Side side) {
  Located at = located(out.obligation, memory_of(question, side).layout);
  out.q = at.point.size();
  return at;
}

// Its slot, as variables, and what that decodes to.
Decoding decoded(Obligation& obligation, const Layout& layout, const Located& at) {
  const Terms slot = obligation.point_of(layout.physical());
  obligation.require(same(slot, at.outputs));
  return decode(obligation, layout, slot);
}

// Nothing for which `holds(slot, decoding)` says so lies at this offset of a memory. Requires: a decode map.
template <class Holds>
Formula nothing_at(Encoded& out, const Memory& memory, const Linear& offset, const Holds& holds) {
  const Terms slot = out.obligation.point_of(memory.layout.physical());
  Formula outside = leaves_memory(out, memory, offset);
  Formula is_this_slot = out.equal(offset_of(memory, slot), offset);
  const Decoding decoding = decode(out.obligation, memory.layout, slot);
  Formula holds_another = decoding.unless(holds(slot, decoding));
  return smt::any_of({std::move(outside), smt::all_of({std::move(is_this_slot), std::move(holds_another)})});
}

// x has no place at this offset of a memory. Requires: as stray() of its other side.
Formula kept_elsewhere(Encoded& out, const Memory& memory, const Terms& x, const Linear& offset) {
  const Layout& layout = memory.layout;
  if (layout.replicas().rank() == 0) {
    const Terms outputs = out.obligation.apply(layout.map(), x);
    return smt::negate(smt::all_of({is_slot(layout, outputs), out.equal(offset_of(memory, outputs), offset)}));
  }
  return nothing_at(out, memory, offset, [&](const Terms& slot, const Decoding& decoding) {
    const Terms outputs = out.obligation.apply(layout.map(), join(x, layout, decoding.point));
    return smt::all_of({is_slot(layout, outputs), same(slot, outputs)});
  });
}

}  // namespace

const Memory& memory_of(const TransferQuestion& question, Side side) {
  return side == Side::Source ? *question.source : *question.destination;
}

const use::Walk& walk_of(const Nest& nest, Side side) { return side == Side::Source ? nest.source : nest.destination; }

Encoded leaving(const TransferQuestion& question, std::size_t n) {
  Encoded out;
  const MoveTerms move = first_move(out, question, n);
  Formula reads = leaves_memory(out, *question.source, move.source);
  Formula writes = leaves_memory(out, *question.destination, move.destination);
  out.obligation.require(smt::any_of({std::move(reads), std::move(writes)}));
  return out;
}

Encoded meeting(const TransferQuestion& question, std::size_t n, std::size_t m, Side side) {
  Encoded out;
  const MoveTerms a = first_move(out, question, n);
  const MoveTerms b = move_of(out.obligation, question, m);
  out.q = b.iteration.size();
  out.nests.push_back(static_cast<Index>(m));
  out.either_way = true;
  out.obligation.require(out.equal(a.at(side), b.at(side)));
  if (n == m) out.obligation.require(smt::negate(same(a.iteration, b.iteration)));
  return out;
}

Encoded served_twice(const TransferQuestion& question, std::size_t n, std::size_t m, Side side) {
  Encoded out;
  const Memory& memory = memory_of(question, side);
  const Located at = first_point_of(out, question, side);
  out.obligation.require(is_slot(memory.layout, at.outputs));
  const Linear place = offset_of(memory, at.outputs);
  const MoveTerms a = move_of(out.obligation, question, n);
  const MoveTerms b = move_of(out.obligation, question, m);
  for (const MoveTerms* move : {&a, &b}) out.obligation.require(out.equal(move->at(side), place));
  if (n == m) out.obligation.require(smt::negate(same(a.iteration, b.iteration)));
  return out;
}

Encoded unserved(const TransferQuestion& question, const std::vector<Memory>& nests, Side side) {
  Encoded out;
  const Memory& memory = memory_of(question, side);
  const Located at = first_point_of(out, question, side);
  out.obligation.require(is_slot(memory.layout, at.outputs));
  const Linear place = offset_of(memory, at.outputs);
  for (const Memory& nest : nests)
    out.obligation.require(
        nothing_at(out, nest, place, [](const Terms&, const Decoding& decoding) { return decoding.lives_here; }));
  return out;
}

Encoded homeless(const TransferQuestion& question, Side side) {
  Encoded out;
  const Located at = first_point_of(out, question, side);
  out.obligation.require(smt::negate(is_slot(memory_of(question, side).layout, at.outputs)));
  return out;
}

Encoded ambiguous(const Memory& anchor, const Memory& other) {
  Encoded out;
  const Layout& layout = anchor.layout;
  const Located at = landed(out.obligation, layout);
  const Decoding decoding = decoded(out.obligation, layout, at);
  const Terms replica = out.obligation.point_of(other.layout.replicas());
  const auto outputs = [&](const Terms& point) {
    Terms x = element_of(layout, point);
    x.insert(x.end(), replica.begin(), replica.end());
    return out.obligation.apply(other.layout.map(), std::move(x));
  };
  // That one point has the same outputs twice is for the solver the hard part: it need not find that out where it can
  // see that there is one point.
  Formula alike = smt::any_of({same(element_of(layout, at.point), element_of(layout, decoding.point)),
                               same(outputs(at.point), outputs(decoding.point))});
  Formula lives_here = smt::any_of({same(at.point, decoding.point), decoding.lives_here});
  out.obligation.require(decoding.unless(smt::all_of({std::move(lives_here), std::move(alike)})));
  return out;
}

Encoded ambiguous_replica(const Memory& memory) {
  Encoded out;
  const Layout& layout = memory.layout;
  const Located at = landed(out.obligation, layout);
  const Decoding decoding = decoded(out.obligation, layout, at);
  const Terms again = out.obligation.apply(layout.map(), join(element_of(layout, at.point), layout, decoding.point));
  out.obligation.require(decoding.unless(smt::any_of({same(at.point, decoding.point), same(at.outputs, again)})));
  return out;
}

Encoded stray(const TransferQuestion& question, std::size_t n, Side side) {
  const Memory& anchor = memory_of(question, side);
  Encoded out;
  const MoveTerms move = first_move(out, question, n);
  const Terms slot = out.obligation.point_of(anchor.layout.physical());
  out.obligation.require(out.equal(offset_of(anchor, slot), move.at(side)));
  const Decoding decoding = decode(out.obligation, anchor.layout, slot);
  const Terms x = element_of(anchor.layout, decoding.point);
  Formula elsewhere = kept_elsewhere(out, memory_of(question, other_of(side)), x, move.at(other_of(side)));
  out.obligation.require(smt::any_of(
      {smt::negate(decoding.in_domain),
       smt::all_of({decoding.is_point, smt::any_of({smt::negate(decoding.lives_here), std::move(elsewhere)})})}));
  return out;
}

}  // namespace vl::engines
