#include "oracle/executor/planner_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "oracle/executor/planner_domain.h"
#include "oracle/executor/planner_settle.h"
#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

using map::Affine;
using map::Split;
using map::Stage;

constexpr std::size_t kMostRewrites = 16 * kMostPlanPieces;

class Derivation {
 public:
  Derivation(const PiecesRequest& request, Plan& plan, std::vector<PlannedPiece>& pieces, Cells& cells)
      : request_(request), relation_(*request.relation), plan_(plan), pieces_(pieces), cells_(cells), top_(cells.top) {}

  std::optional<Error> run() {
    cells_.begin(plan_.pieces);
    if (relation_.nests != nullptr) return run_nests();
    bool empty = false;
    if (auto error = begin_domain(request_, top_, empty)) return error;
    return empty ? std::nullopt : finish();
  }

 private:
  // Completes the top and all waiting cells.
  std::optional<Error> finish() {
    do {
      for (bool done = false; !done;)
        if (auto error = step(done)) return error;
      if (cells_.failed()) return no_plan("its numbers leave 64 bits, or it has too many loops");
      if (plan_.pieces.size() > kMostRewrites || pieces_.size() > request_.most)
        return no_plan(fmt::format("the map falls apart into more than {} pieces", request_.most));
    } while (cells_.pop());
    return std::nullopt;
  }

  std::optional<Error> run_nests() {
    for (const use::Nest& nest : relation_.nests->nests) {
      if (planted(Fault::PlannerForgetsTheLastNest) && &nest == &relation_.nests->nests.back()) break;
      if (auto error = use::problem_of(nest)) return error;
      if (std::ranges::count(nest.extents, 0) > 0) continue;
      if (auto error = begin_nest(nest, top_)) return error;
      if (auto error = finish()) return error;
    }
    return std::nullopt;
  }

  // One or two rewrites of the top; `done` if it was emitted.
  std::optional<Error> step(bool& done) {
    if (top_.side == 2) return emit(done);
    const SidePlan& side = request_.sides[top_.side];
    const std::vector<Stage>& stages = side.image->map().stages();
    if (top_.stage == side.stages) return address(side);
    const Stage& stage = stages[top_.stage];
    if (const auto* affine = std::get_if<Affine>(&stage)) {
      cells_.note(Rule::Affine);
      ++top_.stage;
      return take_rows(*affine, top_);
    }
    if (const auto* split = std::get_if<Split>(&stage)) return digit(*split);
    return swizzle(std::get<map::Swizzle>(stage), top_.stage + 1 == side.stages);
  }

  // One action that settles the line for the split by the next weight, or takes the digit.
  std::optional<Error> digit(const Split& split) {
    if (top_.digit + 1 >= split.weights.size()) {  // one weight: nothing changes
      top_.digit = 0;
      ++top_.stage;
      return std::nullopt;
    }
    const Index w = split.weights[top_.digit];
    const std::size_t at = top_.first + split.input + top_.digit;
    if (top_.digit == 0)
      for (std::size_t k = 0; k < top_.rank; ++k)
        if (top_.coefficient[at][k] < 0) cells_.reverse(k);
    Residue residue;
    if (!residue_of(top_, at, w, residue)) return no_plan("its numbers leave 64 bits");
    const Action action = next_action(top_, residue, w);
    if (action.kind != Action::Kind::Nothing) return act(action, at);
    if (top_.lines - top_.first == kMostSideLines) return no_plan("the map has too many values");
    for (std::size_t l = top_.lines++; l > at + 1; --l) {
      top_.constant[l] = top_.constant[l - 1];
      std::copy_n(top_.coefficient[l - 1].data(), top_.rank, top_.coefficient[l].data());
    }
    top_.constant[at + 1] = planted(Fault::PlannerDigitStartsAtZero) ? 0 : residue.constant;
    top_.constant[at] = floor_div(top_.constant[at], w);
    for (std::size_t k = 0; k < top_.rank; ++k) {
      Index& c = top_.coefficient[at][k];
      top_.coefficient[at + 1][k] = residue.coefficient[k];
      c = c == residue.coefficient[k] ? 0 : floor_div(c, w);
    }
    cells_.note(Rule::Digit);
    if (++top_.digit + 1 == split.weights.size()) {
      top_.digit = 0;
      ++top_.stage;
    }
    return std::nullopt;
  }

  std::optional<Error> act(const Action& action, std::size_t at) {
    if (!action.clean && fuse_one(at)) return std::nullopt;
    switch (action.kind) {
      case Action::Kind::Cut: cells_.cut(action.variable, action.n); break;
      case Action::Kind::Block: cells_.block(action.variable, action.n); break;
      case Action::Kind::Fix: cells_.fix(action.variable); break;
      case Action::Kind::Nothing:
      case Action::Kind::Stuck: return no_plan("digits do not nest with the strides that feed them");
    }
    if (cells_.failed()) return no_plan("its numbers leave 64 bits, or it has too many loops");
    if (plan_.pieces.size() > kMostRewrites)
      return no_plan(fmt::format("the map falls apart into more than {} pieces", kMostPlanPieces));
    return std::nullopt;
  }

  bool fuse_one(std::size_t at) {
    for (std::size_t a = 0; a < top_.rank; ++a)
      for (std::size_t b = 0; b < top_.rank; ++b)
        if (a != b && top_.extent[a] > 1 && top_.extent[b] > 1 && top_.coefficient[at][b] != 0 &&
            cells_.is_fusible(a, b)) {
          cells_.fuse(a, b);
          return true;
        }
    return false;
  }

  std::optional<Error> swizzle(const map::Swizzle& swizzle, bool last) {
    if (swizzle.bits == 0) {
      ++top_.stage;
      return std::nullopt;
    }
    if (last) {
      cells_.note(Rule::Swizzle);
      ++top_.stage;
      return std::nullopt;
    }
    const std::size_t at = top_.first + swizzle.input;
    for (std::size_t k = 0; k < top_.rank; ++k) {
      if (top_.coefficient[at][k] == 0 || top_.extent[k] == 1) continue;
      return act({top_.extent[k] > 64 ? Action::Kind::Stuck : Action::Kind::Fix, k, 0, false}, at);
    }
    if (top_.constant[at] < 0) return no_plan("a swizzle of a negative number");
    top_.constant[at] = map::apply(swizzle, top_.constant[at]);
    cells_.note(Rule::Constant);
    ++top_.stage;
    return std::nullopt;
  }

  // The lines of the side become its unit's number.
  std::optional<Error> address(const SidePlan& side) {
    if (side.units == 0) return no_plan("an element has no slot: the box is empty");
    const map::Space& box = side.image->physical();
    const map::Swizzle* swizzled = nullptr;
    if (side.swizzle.bits != 0) swizzled = &std::get<map::Swizzle>(side.image->map().stages()[side.stages - 1]);
    Index low = 0;
    Index high = 0;
    for (std::size_t l = top_.first + box.rank(); l < top_.lines; ++l)
      if (!planted(Fault::PlannerIgnoresGuards) && (!range_of(top_, l, low, high) || low != 0 || high != 0))
        return no_plan("an element has no slot: a guard is not 0");
    std::array<Index, kMostVariables> out;
    std::fill_n(out.data(), top_.rank, 0);
    Index constant = 0;
    Index weight = 1;
    for (std::size_t j = box.rank(); j-- > 0;) {
      const std::size_t from = top_.first + j;
      if (!range_of(top_, from, low, high)) return no_plan("its numbers leave 64 bits");
      if (swizzled != nullptr && swizzled->input == j && low >= 0) high = most_of(own(*swizzled), high);
      if (low < 0 || high >= box.extent(j) + (planted(Fault::PlannerBoxOneTooLarge) ? 1 : 0))
        return no_plan("an element has no slot: a coordinate leaves the box");
      constant += weight * top_.constant[from];  // each within the box, so is the sum
      for (std::size_t k = 0; k < top_.rank; ++k)
        if (top_.extent[k] > 1) out[k] += weight * top_.coefficient[from][k];
      if (swizzled != nullptr && swizzled->input > j && !is_above(side.swizzle, weight, from))
        return no_plan("a swizzled coordinate is not the lowest part of its memory");
      weight *= box.extent(planted(Fault::PlannerWeightsOfTheNextDimension) && j > 0 ? j - 1 : j);
    }
    top_.constant[top_.first] = constant;
    std::copy_n(out.data(), top_.rank, top_.coefficient[top_.first].data());
    top_.lines = top_.first + 1;
    cells_.note(Rule::Address);
    next_side();
    return std::nullopt;
  }

  static ByteSwizzle own(const map::Swizzle& s) {
    return {static_cast<std::uint8_t>(s.base), static_cast<std::uint8_t>(s.bits), static_cast<std::uint8_t>(s.shift),
            s.direction == map::Swizzle::Direction::Up};
  }

  // Whether weight·line is a multiple of a power of two above all bits of the swizzle.
  bool is_above(const ByteSwizzle& swizzle, Index weight, std::size_t from) const {
    const Index mask = (Index{1} << (swizzle.base + swizzle.bits + swizzle.shift)) - 1;
    if (((weight * top_.constant[from]) & mask) != 0) return false;
    for (std::size_t k = 0; k < top_.rank; ++k)
      if (top_.extent[k] > 1 && ((weight * top_.coefficient[from][k]) & mask) != 0) return false;
    return true;
  }

  void next_side() {
    top_.stage = top_.digit = 0;
    if (top_.side == 1 || request_.sides[1].image == nullptr) {
      top_.side = 2;
      return;
    }
    // The destination's inputs are before the source's address: exchange them.
    top_.side = 1;
    top_.stage = leading(request_.sides[1]) != nullptr ? 1 : 0;
    const std::size_t last = top_.first;
    for (std::size_t l = 0; l < last; ++l) {
      std::swap(top_.constant[l], top_.constant[last]);
      std::swap_ranges(top_.coefficient[l].data(), top_.coefficient[l].data() + top_.rank,
                       top_.coefficient[last].data());
    }
    top_.first = 1;
  }

  [[nodiscard]] std::size_t source_line() const {
    return request_.sides[0].image != nullptr && request_.sides[1].image == nullptr ? 1 : 0;
  }

  std::optional<Error> emit(bool& done) {
    const std::size_t s = source_line();
    const std::size_t d = 1 - s;
    Index low = 0;
    Index high = 0;
    for (const std::size_t l : {s, d})
      if (!range_of(top_, l, low, high) || low < 0 || high >= request_.sides[l == s ? 0 : 1].units)
        return no_plan("a unit lies outside of its memory");
    if (request_.covered)
      if (const auto k = unnested(d)) {
        if (top_.coefficient[d][*k] == 0) return no_plan("two elements share a unit of the destination");
        return act({top_.extent[*k] > 64 ? Action::Kind::Stuck : Action::Kind::Fix, *k, 0, true}, d);
      }
    PlannedPiece& piece = pieces_.emplace_back();
    piece.source = top_.constant[s];
    piece.destination = top_.constant[d];
    for (std::size_t k = 0; k < top_.rank; ++k)
      if (top_.extent[k] > 1)
        piece.loops[piece.rank++] = {top_.extent[k], top_.coefficient[s][k], top_.coefficient[d][k]};
    cells_.note(Rule::Emit);
    normalise(piece);
    if (piece.rank > kMostLoops) return no_plan("a piece has too many loops");
    done = true;
    return std::nullopt;
  }

  // A variable whose stride in the destination does not exceed the reach of the smaller ones.
  std::optional<std::size_t> unnested(std::size_t line) const {
    std::array<std::size_t, kMostVariables> order;
    std::size_t n = 0;
    const auto stride = [&](std::size_t k) { return std::abs(top_.coefficient[line][k]); };
    for (std::size_t k = 0; k < top_.rank; ++k) {
      if (top_.extent[k] == 1) continue;
      std::size_t at = n++;
      for (; at > 0 && stride(order[at - 1]) > stride(k); --at) order[at] = order[at - 1];
      order[at] = k;
    }
    if (request_.runs && n > 0 && stride(order[n - 1]) > 1) return order[n - 1];
    Index reach = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = order[i];
      if (stride(k) == 0) return k;
      if (stride(k) <= reach) return i > 0 && top_.extent[order[i - 1]] < top_.extent[k] ? order[i - 1] : k;
      reach += stride(k) * (top_.extent[k] - 1);
    }
    return std::nullopt;
  }

  const PiecesRequest& request_;
  const Relation& relation_;
  Plan& plan_;
  std::vector<PlannedPiece>& pieces_;
  Cells& cells_;
  Cell& top_;
};

}  // namespace

std::optional<Error> derive_pieces(const PiecesRequest& request, Plan& plan, std::vector<PlannedPiece>& pieces) {
  thread_local Cells cells;
  return Derivation(request, plan, pieces, cells).run();
}

}  // namespace vl::oracle
