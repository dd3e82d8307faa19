#include "verifier/question/transfer.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace vl::question {
namespace {

using use::Memory;
using use::Nest;
using use::Walk;

constexpr std::size_t kMostShown = 4;

using Wide = __int128;

Point iteration_of(const Point& move) { return Point(move.begin() + 1, move.end()); }

const Nest* nest_of(const use::Transfer& transfer, const Point& move) {
  if (move.empty() || move[0] < 0 || std::cmp_greater_equal(move[0], transfer.nests.size())) return nullptr;
  const Nest& nest = transfer.nests[static_cast<std::size_t>(move[0])];
  if (move.size() != nest.extents.size() + 1) return nullptr;
  for (std::size_t k = 0; k < nest.extents.size(); ++k)
    if (move[k + 1] < 0 || move[k + 1] >= nest.extents[k]) return nullptr;
  return &nest;
}

// What one walk can still add from a level on.
struct Span {
  Wide low = 0;
  Wide high = 0;
};

// Searches the iterations of one nest that write one offset, and read one where that is asked too.
class IterationSearch {
 public:
  IterationSearch(const Nest& nest, std::size_t number, std::optional<Index> source, Index destination, int steps)
      : nest_(nest), reads_(source.has_value()), steps_(steps), iteration_(nest.extents.size() + 1, 0) {
    iteration_[0] = static_cast<Index>(number);
    left_ = {Wide{source.value_or(nest.source.offset)} - nest.source.offset,
             Wide{destination} - nest.destination.offset};
    order_.resize(nest.extents.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto size = [&](std::size_t k) { return wide_abs(nest.destination.strides[k]); };
    std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
    for (std::vector<Span>& reach : reach_) reach.assign(order_.size() + 1, {});
    for (std::size_t level = order_.size(); level-- > 0;)
      for (const std::size_t side : {0U, 1U}) {
        const Wide step = stride(side, order_[level]) * (nest.extents[order_[level]] - 1);
        reach_[side][level] = reach_[side][level + 1];
        (step < 0 ? reach_[side][level].low : reach_[side][level].high) += step;
      }
  }

  // False when the search takes too long.
  bool run(Writers& out) {
    return std::ranges::find(nest_.extents, 0) != nest_.extents.end() || descend(0, left_, 1, out);
  }

 private:
  using Left = std::array<Wide, 2>;  // what the loops from a level on have to add: source, destination

  static Wide wide_abs(Wide value) { return value < 0 ? -value : value; }

  // The source stands still when it is not asked for.
  [[nodiscard]] Wide stride(std::size_t side, std::size_t k) const {
    if (side == 0) return reads_ ? nest_.source.strides[k] : 0;
    return nest_.destination.strides[k];
  }

  bool descend(std::size_t level, const Left& left, Index times, Writers& out) {
    if (--steps_ < 0) return false;
    for (const std::size_t side : {0U, 1U})
      if (left[side] < reach_[side][level].low || left[side] > reach_[side][level].high) return true;
    if (level == order_.size()) {
      out.moves.push_back(iteration_);
      std::ranges::sort(out.moves);
      if (out.moves.size() > kMostShown) out.moves.pop_back();
      return accumulate(out.count, times, 1);
    }
    const std::size_t k = order_[level];
    if (stride(0, k) == 0 && stride(1, k) == 0) return descend_idle(level, left, times, out);
    // first <= (left - rest) / stride <= last for some value `rest` that the further loops reach.
    Wide first = 0;
    Wide last = nest_.extents[k] - 1;
    for (const std::size_t side : {0U, 1U}) {
      if (stride(side, k) == 0) continue;
      const Wide a = (left[side] - reach_[side][level + 1].high) / stride(side, k);
      const Wide b = (left[side] - reach_[side][level + 1].low) / stride(side, k);
      first = std::max<Wide>(std::min(a, b) - 1, first);
      last = std::min<Wide>(std::max(a, b) + 1, last);
    }
    for (Wide value = first; value <= last; ++value) {
      iteration_[k + 1] = static_cast<Index>(value);
      if (!descend(level + 1, {left[0] - value * stride(0, k), left[1] - value * stride(1, k)}, times, out))
        return false;
    }
    iteration_[k + 1] = 0;
    return true;
  }

  // Every value of a loop that stands still is a writer: shown are its first ones, counted are all.
  bool descend_idle(std::size_t level, const Left& left, Index times, Writers& out) {
    const std::size_t k = order_[level];
    const Index extent = nest_.extents[k];
    const Index shown = std::min<Index>(extent, static_cast<Index>(kMostShown));
    Index rest = times;
    if (__builtin_mul_overflow(times, extent - shown + 1, &rest)) return false;
    for (Index value = 0; value < shown; ++value) {
      iteration_[k + 1] = value;
      if (!descend(level + 1, left, value + 1 == shown ? rest : times, out)) return false;
    }
    iteration_[k + 1] = 0;
    return true;
  }

  const Nest& nest_;
  bool reads_;
  int steps_;
  Left left_{};
  std::vector<std::size_t> order_;          // loops by descending |stride| of the destination
  std::array<std::vector<Span>, 2> reach_;  // by side and level
  Point iteration_;
};

// Whether a memory keeps element x at an offset: memory_of() without its allocations, since many elements are asked.
class Keeper {
 public:
  Keeper(const Memory& memory, Index offset)
      : layout_(memory.layout), number_(checked_add(offset, -memory.base)), evaluate_(memory.layout.map()) {}

  bool operator()(std::span<const Index> x) {
    if (!number_ || layout_.replicas().volume() == 0) return false;
    p_.assign(x.begin(), x.end());
    p_.resize(layout_.domain().rank(), 0);
    do {
      if (layout_.slot_number(evaluate_(p_)) == number_) return true;
    } while (map::advance(layout_.replicas(), std::span(p_).subspan(x.size())));
    return false;
  }

 private:
  const map::Layout& layout_;
  std::optional<Index> number_;
  map::Evaluator evaluate_;
  Point p_;
};

// Whether some element lies at both offsets. Nothing when it cannot be told.
std::optional<bool> paired(const TransferQuestion& question, Index s, Index d) {
  const map::Space& logical = question.source->layout.logical();
  Keeper at_source(*question.source, s);
  Keeper at_destination(*question.destination, d);
  if (logical.volume() <= kReplayWalk >> 8) {
    Point x(logical.rank(), 0);
    for (Index left = logical.volume(); left > 0; --left, map::advance(logical, x))
      if (at_source(x) && at_destination(x)) return true;
    return false;
  }
  bool told = false;  // each side that decodes names one candidate; in a layout with collisions it may be the wrong one
  for (const auto& [memory, offset] : {std::pair{question.destination, d}, std::pair{question.source, s}}) {
    if (is_outside(*memory, offset)) return false;
    if (!memory->layout.decode()) continue;
    const map::SlotUse use = map::use_of(memory->layout, memory->layout.physical().point(offset - memory->base));
    if (!use.valid) return false;
    const auto x = std::span(use.point).first(logical.rank());
    if (at_source(x) && at_destination(x)) return true;
    told = true;
  }
  return told ? std::optional(false) : std::nullopt;
}

}  // namespace

std::optional<Index> offset_at(const Walk& walk, std::span<const Index> iteration) {
  Wide sum = walk.offset;
  for (std::size_t k = 0; k < iteration.size(); ++k)
    if (__builtin_add_overflow(sum, Wide{walk.strides[k]} * iteration[k], &sum)) return std::nullopt;
  const auto offset = static_cast<Index>(sum);
  return offset == sum ? std::optional(offset) : std::nullopt;
}

bool is_outside(const Memory& memory, std::optional<Index> offset) {
  if (!offset) return true;
  const Wide number = Wide{*offset} - memory.base;
  return number < 0 || number >= memory.layout.physical().volume();
}

std::optional<Writers> writers_of(const use::Transfer& transfer, Index offset, std::optional<Index> source, int steps) {
  Writers out;
  for (std::size_t n = 0; n < transfer.nests.size(); ++n)
    if (!IterationSearch(transfer.nests[n], n, source, offset, steps).run(out)) return std::nullopt;
  return out;
}

std::optional<bool> misserved(const TransferQuestion& question, const Point& p, int steps) {
  const map::Layout& layout = question.destination->layout;
  const auto outputs = map::evaluate(layout.map(), p);
  if (!outputs) return false;
  const auto number = layout.slot_number(*outputs);
  if (!number) return true;
  const Index place = question.destination->base + *number;
  std::vector<std::optional<Index>> sources{std::nullopt};
  if (question.kind == Kind::Differs) {
    sources.clear();
    for (const Index s : memory_of(question.source->layout, std::span(p).first(layout.logical().rank())))
      sources.emplace_back(question.source->base + s);
  }
  Index times = 0;
  for (const auto& source : sources) {
    const auto some = writers_of(*question.transfer, place, source, steps);
    if (!some || !accumulate(times, some->count, 1)) return std::nullopt;
  }
  return times != 1;
}

bool replay_nests(const TransferQuestion& question, const Witness& witness) {
  for (const Memory* memory : {question.source, question.destination})
    if (question.kind == Kind::Differs && memory->layout.replicas().volume() > kMostReplicas) return false;
  if (question.kind == Kind::Misses || (question.kind == Kind::Differs && witness.p.empty()))
    return misserved(question, witness.q) == true;
  const Nest* nest = nest_of(*question.transfer, witness.p);
  if (nest == nullptr) return false;
  const auto s = offset_at(nest->source, iteration_of(witness.p));
  const auto d = offset_at(nest->destination, iteration_of(witness.p));
  if (question.kind == Kind::Escapes) return is_outside(*question.source, s) || is_outside(*question.destination, d);
  if (question.kind == Kind::Differs) {
    if (is_outside(*question.source, s) || is_outside(*question.destination, d)) return true;
    return paired(question, *s, *d) == false;
  }
  if (question.kind != Kind::Collides) return false;
  const Nest* other = nest_of(*question.transfer, witness.q);
  return other != nullptr && witness.p < witness.q && d && d == offset_at(other->destination, iteration_of(witness.q));
}

}  // namespace vl::question
