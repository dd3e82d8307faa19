#include "verifier/question/transfer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace vl::question {
namespace {

using use::Memory;
using use::Nest;
using use::Walk;

constexpr int kMostShown = 4;

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

// Searches the iterations of one nest that write one offset, and read one where that is asked too.
class IterationSearch {
 public:
  using Sides = std::array<Wide, 2>;  // source, destination; the source stands still when it is not asked for

  IterationSearch(const Nest& nest, std::size_t number, bool reads, int steps, Writers& out)
      : steps_(steps), iteration_(nest.extents.size() + 1, 0), out_(out) {
    iteration_[0] = static_cast<Index>(number);
    for (std::size_t k = 0; k < nest.extents.size(); ++k)
      loops_.push_back({k, nest.extents[k], {reads ? nest.source.strides[k] : 0, nest.destination.strides[k]}});
    std::ranges::stable_sort(loops_, std::greater<>(),
                             [](const Loop& loop) { return loop.strides[1] < 0 ? -loop.strides[1] : loop.strides[1]; });
    reach_.resize(loops_.size() + 1);
    for (std::size_t level = loops_.size(); level-- > 0;) {
      reach_[level] = reach_[level + 1];
      for (const std::size_t side : {0U, 1U}) {
        const Wide step = loops_[level].strides[side] * (loops_[level].extent - 1);
        (step < 0 ? reach_[level].low : reach_[level].high)[side] += step;
      }
    }
  }

  // False when the search takes too long. `left`: what the loops from a level on have to add.
  bool descend(const Sides& left, std::size_t level = 0, Index times = 1) {
    if (--steps_ < 0) return false;
    for (const std::size_t side : {0U, 1U})
      if (left[side] < reach_[level].low[side] || left[side] > reach_[level].high[side]) return true;
    if (level == loops_.size()) {
      out_.moves.push_back(iteration_);
      std::ranges::sort(out_.moves);
      if (std::cmp_greater(out_.moves.size(), kMostShown)) out_.moves.pop_back();
      return accumulate(out_.count, times, 1);
    }
    const Loop& loop = loops_[level];
    // Every value of a loop that stands still is a writer: shown are its first ones, counted are all.
    const bool still = loop.strides == Sides{};
    Wide first = 0;
    Wide last = still ? std::min<Wide>(loop.extent, kMostShown) - 1 : Wide{loop.extent} - 1;
    // first <= (left - rest) / stride <= last for some value `rest` that the further loops reach.
    for (const std::size_t side : {0U, 1U}) {
      if (loop.strides[side] == 0) continue;
      const Wide a = (left[side] - reach_[level + 1].high[side]) / loop.strides[side];
      const Wide b = (left[side] - reach_[level + 1].low[side]) / loop.strides[side];
      first = std::max<Wide>(std::min(a, b) - 1, first);
      last = std::min<Wide>(std::max(a, b) + 1, last);
    }
    for (Wide value = first; value <= last; ++value) {
      iteration_[loop.number + 1] = static_cast<Index>(value);
      Index count = times;
      if (still && value == last && __builtin_mul_overflow(Wide{times}, loop.extent - last, &count)) return false;
      if (!descend({left[0] - value * loop.strides[0], left[1] - value * loop.strides[1]}, level + 1, count))
        return false;
    }
    iteration_[loop.number + 1] = 0;
    return true;
  }

 private:
  struct Loop {
    std::size_t number = 0;
    Index extent = 0;
    Sides strides{};
  };
  struct Reach {
    Sides low{};
    Sides high{};
  };

  int steps_;
  std::vector<Loop> loops_;   // by descending |stride| of the destination
  std::vector<Reach> reach_;  // what the loops from a level on can add
  Point iteration_;
  Writers& out_;
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
  for (std::size_t n = 0; n < transfer.nests.size(); ++n) {
    const Nest& nest = transfer.nests[n];
    if (std::ranges::find(nest.extents, 0) != nest.extents.end()) continue;
    IterationSearch search(nest, n, source.has_value(), steps, out);
    const Wide read = source ? Wide{*source} - nest.source.offset : 0;
    if (!search.descend({read, Wide{offset} - nest.destination.offset})) return std::nullopt;
  }
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
