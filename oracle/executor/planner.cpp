// Makes a plan of a relation: pieces, cover, one step for each piece and gap, in bytes; then the schedule.
#include "oracle/executor/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "oracle/executor/cover.h"
#include "oracle/executor/planner_pieces.h"
#include "oracle/executor/schedule.h"
#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

constexpr std::size_t kMostRuns = 512;
constexpr Index kMostBytes = Index{1} << 60;  // so that no sum of an address and a stride leaves 64 bits

bool changes_something(const map::Stage& stage) {
  if (const auto* split = std::get_if<map::Split>(&stage)) return split->weights.size() > 1;
  if (const auto* swizzle = std::get_if<map::Swizzle>(&stage)) return swizzle->bits > 0;
  return true;
}

// A swizzle that ends the map, on the numbers of units.
std::optional<Error> swizzle_of(const map::Swizzle& swizzle, const map::Space& box, Index unit, ByteSwizzle& out) {
  if (swizzle.input >= box.rank()) return no_plan("a swizzled guard");
  const auto size = static_cast<std::uint64_t>(map::row_major_weights(box)[swizzle.input]);
  if (!std::has_single_bit(size)) return no_plan("a swizzled coordinate is not the lowest part of its memory");
  const int base = swizzle.base + std::countr_zero(size);
  if (base + swizzle.bits + swizzle.shift + std::countr_zero(static_cast<std::uint64_t>(unit)) > 62)
    return no_plan("a swizzle beyond 62 bits");
  out = {static_cast<std::uint8_t>(base), static_cast<std::uint8_t>(swizzle.bits),
         static_cast<std::uint8_t>(swizzle.shift), swizzle.direction == map::Swizzle::Direction::Up};
  return std::nullopt;
}

std::optional<Error> side_of(const Side& side, const Relation& relation, SidePlan& out) {
  const auto units = units_of(side);
  if (!units) return no_plan("the units of a memory leave 64 bits or start below 0");
  out.units = *units;
  if (relation.nests != nullptr || side.kind != Side::Kind::Image) return std::nullopt;
  out.image = side.layout;
  const std::vector<map::Stage>& stages = side.layout->map().stages();
  out.stages = stages.size();
  while (out.stages > 0 && !changes_something(stages[out.stages - 1])) --out.stages;
  if (out.stages == 0) return std::nullopt;
  const auto* swizzle = std::get_if<map::Swizzle>(&stages[out.stages - 1]);
  if (swizzle == nullptr || out.units == 0) return std::nullopt;
  return swizzle_of(*swizzle, side.layout->physical(), relation.unit, out.swizzle);
}

bool needs_cover(const Relation& relation, const PlanOptions& options) {
  if (options.compares) return false;
  if (relation.nests != nullptr || relation.destination.kind != Side::Kind::Dense) return true;
  const map::Space& logical = relation.destination.layout->logical();
  for (std::size_t k = 0; k < std::min<std::size_t>(logical.rank(), 64); ++k)
    if ((relation.destination.pinned >> k & 1) != 0 && logical.extent(k) > 1) return true;
  if (!relation.source.replicas) return false;
  for (const map::Dim& dim : relation.source.layout->replicas().dims())
    if (dim.extent > 1) return true;
  return false;
}

ByteSwizzle in_bytes(ByteSwizzle swizzle, Index unit) {
  if (swizzle.bits == 0) return {};
  if (!planted(Fault::StepSwizzlesUnitsAsBytes))
    swizzle.base = static_cast<std::uint8_t>(swizzle.base + std::countr_zero(static_cast<std::uint64_t>(unit)));
  return swizzle;
}

class Steps {
 public:
  Steps(const PiecesRequest& request, const PlanOptions& options, Plan& plan) : options_(options), plan_(plan) {
    unit_ = request.relation->unit;
    source_ = in_bytes(request.sides[0].swizzle, unit_);
    destination_ = in_bytes(request.sides[1].swizzle, unit_);
  }

  // All numbers of units lie in the memories, and those have fewer than 2^63 bytes.
  void add(const PlannedPiece& from, std::int32_t piece, std::int32_t gap) {
    plan_.groups.push_back({static_cast<std::uint32_t>(plan_.steps.size()), 1, 0});
    Step& step = plan_.steps.emplace_back();
    step.kernel = piece < 0 ? Kernel::Fill : options_.compares ? Kernel::Compare : Kernel::Run;
    step.rank = static_cast<std::uint8_t>(from.rank);
    for (std::size_t k = 0; k < from.rank; ++k)
      step.loops[k] = {from.loops[k].extent, from.loops[k].source * unit_, from.loops[k].destination * unit_};
    if (planted(Fault::StepStridesSwapped) && step.rank > 0) std::swap(step.loops[0].source, step.loops[0].destination);
    step.source = from.source * unit_;
    step.destination = from.destination * unit_;
    step.run = unit_;
    if (piece >= 0 && !planted(Fault::StepReadsUnswizzled)) step.source_swizzle = source_;
    if (!planted(Fault::StepFillsUnswizzled) || piece >= 0) step.destination_swizzle = destination_;
    step.piece = piece;
    step.gap = gap;
  }

 private:
  const PlanOptions& options_;
  Plan& plan_;
  Index unit_ = 1;
  ByteSwizzle source_;
  ByteSwizzle destination_;
};

// Divides pieces that interleave in a way that no cover expresses into runs, if these are few.
std::optional<Error> cover_runs(PiecesRequest request, Plan& plan, std::vector<PlannedPiece>& pieces,
                                std::vector<PlannedPiece>& gaps) {
  request.runs = true;
  request.most = kMostRuns;
  pieces.clear();
  gaps.clear();
  plan.pieces.clear();
  plan.cover.clear();
  if (!derive_pieces(request, plan, pieces) && !derive_cover(request.sides[1].units, pieces, plan, gaps))
    return std::nullopt;
  return no_plan("two elements share a unit of the destination, or its pieces interleave in too many ways");
}

std::optional<Error> make(const Relation& relation, const PlanOptions& options, Plan& plan) {
  thread_local std::vector<PlannedPiece> pieces;
  thread_local std::vector<PlannedPiece> gaps;
  pieces.clear();
  gaps.clear();
  if (relation.unit < 1 || relation.unit > 16 || !std::has_single_bit(static_cast<std::uint64_t>(relation.unit)))
    return no_plan(fmt::format("a unit of {} bytes", relation.unit));
  PiecesRequest request{&relation, {}, needs_cover(relation, options)};
  for (std::size_t s = 0; s < 2; ++s) {
    if (auto error = side_of(s == 0 ? relation.source : relation.destination, relation, request.sides[s])) return error;
    const auto bytes = checked_mul(request.sides[s].units, relation.unit);
    if (!bytes || *bytes > kMostBytes) return no_plan("a memory of more than 2^60 bytes");
    (s == 0 ? plan.source_bytes : plan.destination_bytes) = *bytes;
  }
  plan.compares = options.compares;
  plan.fills = options.fills && !options.compares && relation.destination.kind == Side::Kind::Image;
  if (auto error = derive_pieces(request, plan, pieces)) return error;
  const SidePlan& to = request.sides[1];
  if (request.covered) {
    if (to.swizzle.bits != 0 && most_of(to.swizzle, to.units - 1) > to.units - 1)
      return no_plan("the swizzle leads out of the destination's memory");
    if (derive_cover(to.units, pieces, plan, gaps))
      if (auto error = cover_runs(request, plan, pieces, gaps)) return error;
  }
  Steps steps(request, options, plan);
  plan.steps.reserve(pieces.size() + gaps.size());
  for (std::size_t k = 0; k < pieces.size(); ++k) steps.add(pieces[k], static_cast<std::int32_t>(k), -1);
  for (std::size_t k = planted(Fault::StepForgetsTheFirstGap) ? 1 : 0; k < gaps.size() && plan.fills; ++k)
    steps.add(gaps[k], -1, static_cast<std::int32_t>(k));
  schedule(options, plan);
  return std::nullopt;
}

}  // namespace

std::optional<Error> make_plan(const Relation& relation, const PlanOptions& options, Plan& plan) {
  plan.clear();
  auto error = make(relation, options, plan);
  if (error) plan.clear();
  return error;
}

}  // namespace vl::oracle
