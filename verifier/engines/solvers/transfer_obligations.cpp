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

// An iteration of a nest lies at the offset base + number, the number a variable: the digits that it decodes to are an
// iteration, at this offset.
Formula iterated(Encoded& out, const Memory& nest, Index base, smt::TermId number) {
  map::Row shifted{base, {{0, 1}}};
  out.fits = accumulate(shifted.constant, nest.base, -1) && out.fits;
  std::vector<map::Stage> stages{map::Affine{{shifted}}};
  stages.insert(stages.end(), nest.layout.decode()->stages().begin(), nest.layout.decode()->stages().end());
  auto numbers = map::Space::create({{"n", out.obligation.range(number).high + 1}});
  const auto decode = numbers ? map::Map::create(std::move(*numbers), std::move(stages)) : numbers.error();
  out.fits = out.fits && decode;
  if (!out.fits) return {};
  const Terms digits = out.obligation.apply(*decode, {number});
  const auto& rows = std::get<map::Affine>(nest.layout.map().stages()[0]).rows;
  return smt::all_of({in_bounds(digits, map::extents_of(nest.layout.domain())),
                      out.equal(linear(rows[0], digits), linear(shifted, {number}))});
}

}  // namespace

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
  const smt::TermId number = out.obligation.variable({0, memory.layout.physical().volume() - 1});
  out.obligation.require(out.equal(row_major(memory.layout.physical(), at.outputs), {0, {{number, 1}}}));
  for (const Memory& nest : nests) out.obligation.require(smt::negate(iterated(out, nest, memory.base, number)));
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

Encoded stray(const TransferQuestion& question, std::size_t n, Side anchor) {
  Encoded out;
  const auto kept = kept_moves(question, question.transfer->nests[n], anchor);
  out.fits = kept.has_value();
  if (!kept) return out;
  const Terms outputs = out.obligation.apply(kept->map, first_move(out, question, n).iteration);
  out.obligation.require(smt::negate(in_bounds(outputs, kept->bounds)));
  return out;
}

}  // namespace vl::engines
