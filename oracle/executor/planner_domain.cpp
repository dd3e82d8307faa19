#include "oracle/executor/planner_domain.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

constexpr std::uint8_t kNone = 255;

class Domain {
 public:
  Domain(const PiecesRequest& request, Cell& cell) : request_(request), relation_(*request.relation), cell_(cell) {}

  std::optional<Error> begin(bool& empty) {
    const map::Space& logical = relation_.source.layout->logical();
    const std::uint64_t both = relation_.source.pinned & relation_.destination.pinned;
    for (std::size_t k = 0; k < logical.rank(); ++k) {
      const bool pinned = k < 64 && (both >> k & 1) != 0;
      if (auto error = variable(pinned ? std::min<Index>(logical.extent(k), 1) : logical.extent(k))) return error;
    }
    for (const Side* side : {&relation_.source, &relation_.destination})
      if (side->replicas && !planted(Fault::PlannerFirstReplicaOnly))
        for (const map::Dim& dim : side->layout->replicas().dims())
          if (auto error = variable(dim.extent)) return error;
    empty = empty_;
    if (empty) return std::nullopt;
    const bool source_last = request_.sides[0].image != nullptr;
    for (const bool last : {false, true}) {
      const std::size_t s = last == source_last ? 0 : 1;
      cell_.first = cell_.lines;
      if (auto error = inputs(s)) return error;
      if (const map::Affine* affine = leading(request_.sides[s]))
        if (auto error = take_rows(*affine, cell_)) return error;
    }
    cell_.side = source_last ? 0 : 1;
    cell_.stage = leading(request_.sides[cell_.side]) != nullptr ? 1 : 0;
    if (request_.sides[cell_.side].image == nullptr) cell_.side = 2;
    return std::nullopt;
  }

 private:
  std::optional<Error> variable(Index extent) {
    empty_ = empty_ || extent == 0;
    if (dims_ == variable_of_.size()) return no_plan("the tensor has too many dimensions");
    variable_of_[dims_++] = extent == 1 ? kNone : static_cast<std::uint8_t>(cell_.rank);
    if (extent == 1) return std::nullopt;
    if (cell_.rank == kMostLoops) return no_plan(fmt::format("more than {} dimensions vary", kMostLoops));
    cell_.extent[cell_.rank++] = extent;
    return std::nullopt;
  }

  Index* line(Index constant) {
    cell_.constant[cell_.lines] = constant;
    Index* out = cell_.coefficient[cell_.lines++].data();
    std::fill_n(out, cell_.rank, 0);
    return out;
  }

  // The first lines of a side.
  std::optional<Error> inputs(std::size_t s) {
    const Side& side = s == 0 ? relation_.source : relation_.destination;
    const map::Space& logical = side.layout->logical();
    const auto varies = [&](std::size_t k) {
      return variable_of_[k] != kNone && (k >= 64 || (side.pinned >> k & 1) == 0);
    };
    if (side.kind == Side::Kind::Dense) {
      Index* out = line(0);
      Index weight = 1;
      for (std::size_t k = logical.rank(); k-- > 0; weight *= logical.extent(k))
        if (varies(k)) out[variable_of_[k]] = weight;
      return std::nullopt;
    }
    if (side.kind == Side::Kind::View) {
      Index* out = line(planted(Fault::PlannerViewFromZero) ? 0 : side.layout->host_offset().constant);
      for (const map::Term& term : side.layout->host_offset().terms)
        if (varies(term.input)) out[variable_of_[term.input]] = term.coefficient;
      return std::nullopt;
    }
    const std::size_t replicas = side.layout->replicas().rank();
    if (logical.rank() + replicas > kMostSideLines) return no_plan("the map has too many inputs");
    for (std::size_t k = 0; k < logical.rank(); ++k) {
      Index* out = line(0);
      if (varies(k)) out[variable_of_[k]] = 1;
    }
    const std::size_t before = s == 0 || !relation_.source.replicas ? 0 : relation_.source.layout->replicas().rank();
    for (std::size_t r = 0; r < replicas; ++r) {
      Index* out = line(0);
      const bool asked = side.replicas && !planted(Fault::PlannerFirstReplicaOnly);
      const std::uint8_t variable = asked ? variable_of_[logical.rank() + before + r] : kNone;
      if (variable != kNone) out[variable] = 1;
    }
    return std::nullopt;
  }

  const PiecesRequest& request_;
  const Relation& relation_;
  Cell& cell_;
  bool empty_ = false;
  std::size_t dims_ = 0;
  std::array<std::uint8_t, kMostLines> variable_of_;  // of each dimension of the domain
};

}  // namespace

std::optional<Error> begin_domain(const PiecesRequest& request, Cell& cell, bool& empty) {
  return Domain(request, cell).begin(empty);
}

std::optional<Error> begin_nest(const use::Nest& nest, Cell& cell) {
  cell.rank = 0;
  cell.lines = 2;
  cell.side = 2;
  cell.constant[0] = nest.source.offset;
  cell.constant[1] = nest.destination.offset;
  for (std::size_t k = 0; k < nest.extents.size(); ++k) {
    if (nest.extents[k] == 1) continue;
    if (cell.rank == kMostVariables) return no_plan("a nest has too many loops");
    cell.extent[cell.rank] = nest.extents[k];
    cell.coefficient[0][cell.rank] = nest.source.strides[k];
    cell.coefficient[1][cell.rank++] = nest.destination.strides[k];
  }
  return std::nullopt;
}

const map::Affine* leading(const SidePlan& side) {
  if (side.image == nullptr || side.stages == 0) return nullptr;
  return std::get_if<map::Affine>(&side.image->map().stages().front());
}

std::optional<Error> take_rows(const map::Affine& affine, Cell& cell) {
  if (affine.rows.size() > kMostSideLines) return no_plan("the map has too many values");
  std::array<Index, kMostSideLines> constants;
  std::array<std::array<Index, kMostVariables>, kMostSideLines> coefficients;
  std::size_t count = 0;
  bool overflow = false;
  for (const map::Row& row : affine.rows) {
    Index constant = planted(Fault::PlannerAffineWithoutConstant) ? 0 : row.constant;
    Index* out = coefficients[count].data();
    bool first = true;
    for (const map::Term& term : row.terms) {
      const std::size_t from = cell.first + term.input;
      const Index* in = cell.coefficient[from].data();
      overflow = !accumulate(constant, term.coefficient, cell.constant[from]) || overflow;
      if (first && term.coefficient == 1) {  // most rows
        std::copy_n(in, cell.rank, out);
      } else {
        if (first) std::fill_n(out, cell.rank, 0);
        for (std::size_t k = 0; k < cell.rank; ++k) overflow = !accumulate(out[k], term.coefficient, in[k]) || overflow;
      }
      first = false;
    }
    if (first) std::fill_n(out, cell.rank, 0);
    constants[count++] = constant;
  }
  for (std::size_t l = 0; l < count; ++l) {
    cell.constant[cell.first + l] = constants[l];
    std::copy_n(coefficients[l].data(), cell.rank, cell.coefficient[cell.first + l].data());
  }
  cell.lines = cell.first + count;
  return overflow ? std::optional(no_plan("its numbers leave 64 bits")) : std::nullopt;
}

}  // namespace vl::oracle
