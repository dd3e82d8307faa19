#include "oracle/executor/schedule_runs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

constexpr Index kPage = 4096;
constexpr Index kPairBlock = 8192;  // bytes that are read between two jumps of the streamed side
constexpr Index kPairsInCache = 8;  // iterations

/// One side of an order, loop by loop from the innermost one outwards: bytes of the first burst, bytes of a sequence,
/// sequences alive at once while one continues. A sequence of a page is as good as any longer one, so further loops are
/// not considered.
struct Traffic {
  Index burst = 0;
  Index sequence = 0;
  double streams = 1;
  double alive = 1;  // the number of streams if the sequence continues
  bool bursting = true;

  explicit Traffic(Index run) : burst(run), sequence(run) {}

  /// Whether a loop of this stride continues at the end of the sequence, or near it.
  [[nodiscard]] bool follows(Index stride) const {
    const Index step = std::abs(stride);
    return sequence < kPage && step >= sequence && step <= sequence + sequence / 2;
  }
  void take(Index stride, Index extent) {
    const Index step = std::abs(stride);
    if (step == 0 || sequence >= kPage) return;  // 0: the same bytes again
    bursting = bursting && step == burst;
    if (bursting) burst *= extent;
    if (follows(step)) {
      sequence = step * extent;
      streams = alive;
    } else {
      alive *= static_cast<double>(extent);
    }
  }
  /// The best possible continuation.
  [[nodiscard]] Traffic best() const {
    Traffic best = *this;
    if (bursting) best.burst = std::max(burst, kPage);
    best.sequence = std::max(sequence, kPage);
    best.streams = alive;
    return best;
  }
};

double cost_of_reading(const Traffic& traffic) {
  if (traffic.burst >= kPage) return 1;
  const double by_streams = traffic.streams <= 16 ? 1 : traffic.streams <= 32 ? 1.4 : traffic.streams <= 64 ? 2 : 2.6;
  if (traffic.sequence >= kPage) return by_streams;
  const Index sequence = traffic.sequence;
  return std::max(by_streams, sequence >= 2048   ? 1.15
                              : sequence >= 1024 ? 1.4
                              : sequence >= 512  ? 1.8
                              : sequence >= 256  ? 2.2
                              : sequence >= 128  ? 3
                                                 : 4);
}

double cost_of_writing(const Traffic& traffic, bool stream) {
  if (traffic.burst >= 512) return 1;
  const bool few = traffic.streams <= 64 && traffic.sequence >= kPage;
  if (traffic.burst >= 256) return few ? 1.02 : 1.1;
  if (traffic.burst >= 128) return few ? 1.1 : 1.5;
  return traffic.burst >= 64 ? (few ? (stream ? 1.15 : 1.9) : 2.5) : 4;
}

bool by_destination(const Loop& a, const Loop& b) {
  return a.destination != b.destination ? a.destination > b.destination : a.source > b.source;
}

/// Both sides of an order, from the innermost loop outwards.
struct Sides {
  Traffic source;
  Traffic destination;

  /// If nothing is read, reading has the least cost in every order.
  explicit Sides(Index run, bool reads = true) : source(reads ? run : kPage), destination(run) {}

  [[nodiscard]] bool follows(const Loop& loop) const {
    return source.follows(loop.source) || destination.follows(loop.destination);
  }
  void take(const Loop& loop) {
    source.take(loop.source, loop.extent);
    destination.take(loop.destination, loop.extent);
  }
  [[nodiscard]] double cost(bool stream) const {
    return cost_of_reading(source) + cost_of_writing(destination, stream);
  }
  /// No order that begins like this costs less. Requires: costs fall with bursts and sequences and rise with streams.
  [[nodiscard]] double least(bool stream) const {
    return std::min(cost_of_reading(source), cost_of_reading(source.best())) +
           std::min(cost_of_writing(destination, stream), cost_of_writing(destination.best(), stream));
  }
};

/// The number of innermost iterations has a small weight: a loop entered for two runs costs more than one for 200.
double cost_of_entering(Index innermost) { return 0.02 / static_cast<double>(innermost); }

double cost_of(std::span<const Loop> loops, Sides sides, bool stream) {
  for (std::size_t k = loops.size(); k-- > 0;) sides.take(loops[k]);
  return sides.cost(stream) + (loops.empty() ? 0 : cost_of_entering(loops.back().extent));
}

/// Orders grow from the innermost loop outwards. Any loop, or blocks of any loop, can be innermost. Around it, only a
/// loop that continues one of the sides can improve an order; any other loop is better further out. So only loops that
/// continue are added, and each beginning is tried with all other loops around it, in the order of the destination. The
/// strides of a side differ by factors of two and more, so at most one loop per side continues. A beginning that cannot
/// become better than the best order so far is dropped.
class Search {
 public:
  /// Requires: loops in the order of the destination, which stay where they are.
  Search(std::span<const Loop> loops, const Sides& start, bool stream) : loops_(loops), start_(start), stream_(stream) {
    best_cost_ = cost_of(loops, start, stream);
  }

  void go() {
    const double least = start_.least(stream_);
    for (std::size_t k = loops_.size(); k-- > 0;)
      if (least + cost_of_entering(loops_[k].extent) < best_cost_ - kSame) begin(k, 0);
    if (loops_.size() == kMostLoops) return;
    for (const Index block : {Index{8}, Index{16}, Index{12}, Index{10}, Index{4}})
      for (std::size_t k = loops_.size(); k-- > 0 && least + cost_of_entering(block) < best_cost_ - kSame;)
        if (loops_[k].extent > block && loops_[k].extent % block == 0) begin(k, block);
  }

  [[nodiscard]] std::size_t tried() const { return tried_; }

  /// Makes the best order the loops of `step`, whose loops may be the searched ones.
  void take_best(Step& step) {
    if (best_.rank == 0) return;  // they are in it
    const Loop innermost = enter(best_.innermost, best_.block);
    std::array<Loop, kMostLoops> order;
    for (std::size_t k = 0; k < best_.rank; ++k) order[k] = loop(best_.around[k]);
    order[best_.rank] = innermost;
    step.rank = static_cast<std::uint8_t>(best_.rank + 1);
    std::copy_n(order.begin(), step.rank, step.loops.begin());
  }

 private:
  /// Numbers of loops; kOuter is the outer part of the one whose blocks are innermost.
  static constexpr std::uint8_t kOuter = kMostLoops;
  struct Order {
    std::size_t innermost = 0;
    Index block = 0;                              // of the innermost loop; 0: all of it
    std::size_t rank = 0;                         // of the loops around it
    std::array<std::uint8_t, kMostLoops> around;  // outermost first
  };

  [[nodiscard]] const Loop& loop(std::uint8_t k) const { return k == kOuter ? outer_ : loops_[k]; }

  /// The innermost loop. Columns in blocks: loop k is split, and its outer part runs somewhere around the others.
  Loop enter(std::size_t k, Index block) {
    const Loop& loop = loops_[k];
    if (block == 0) return loop;
    const Index outer = planted(Fault::BlockStride) ? block - 1 : block;
    outer_ = {loop.extent / block, outer * loop.source, outer * loop.destination};
    return {block, loop.source, loop.destination};
  }

  void begin(std::size_t k, Index block) {
    const Loop innermost = enter(k, block);
    innermost_ = k;
    block_ = block;
    entering_ = cost_of_entering(innermost.extent);
    std::uint32_t left = ((std::uint32_t{1} << loops_.size()) - 1) & ~(std::uint32_t{1} << k);
    if (block != 0) left |= std::uint32_t{1} << kOuter;
    Sides sides = start_;
    sides.take(innermost);
    grow(sides, left, 0);
  }

  /// `left` has a bit for each loop that is not among the `depth` ones around the innermost.
  void grow(const Sides& sides, std::uint32_t left, std::size_t depth) {
    const double least = sides.least(stream_) + entering_;
    if (tried_ == kMostTried || least >= best_cost_ - kSame) return;
    ++tried_;
    offer(sides, left, depth);
    for (std::uint32_t rest = left; rest != 0 && least < best_cost_ - kSame;) {
      const std::uint8_t k = take_last(rest);
      if (!sides.follows(loop(k))) continue;
      Sides longer = sides;
      longer.take(loop(k));
      inner_[depth] = k;
      grow(longer, left & ~(std::uint32_t{1} << k), depth + 1);
    }
  }

  /// The order with all that is left around what there is, the outer part of a split loop outermost.
  void offer(Sides sides, std::uint32_t left, std::size_t depth) {
    std::uint32_t rest = left & ~(std::uint32_t{1} << kOuter);
    while (rest != 0) sides.take(loops_[take_last(rest)]);
    if (left >> kOuter != 0) sides.take(outer_);
    const double cost = sides.cost(stream_) + entering_;
    if (cost >= best_cost_ - kSame) return;
    best_cost_ = cost;
    best_.innermost = innermost_;
    best_.block = block_;
    best_.rank = 0;
    if (left >> kOuter != 0) best_.around[best_.rank++] = kOuter;
    for (std::size_t k = 0; k < loops_.size(); ++k)
      if ((left >> k & 1) != 0) best_.around[best_.rank++] = static_cast<std::uint8_t>(k);
    while (depth > 0) best_.around[best_.rank++] = inner_[--depth];
  }

  /// The highest bit, which is taken away. Requires: there is one.
  static std::uint8_t take_last(std::uint32_t& set) {
    const int last = static_cast<int>(std::bit_width(set)) - 1;
    set &= ~(std::uint32_t{1} << last);
    return static_cast<std::uint8_t>(last);
  }

  static constexpr double kSame = 1e-9;

  std::span<const Loop> loops_;
  Sides start_;
  bool stream_;
  std::size_t innermost_ = 0;
  Index block_ = 0;
  double entering_ = 0;
  Loop outer_;
  std::array<std::uint8_t, kMostLoops> inner_;  // around the innermost, from there outwards
  Order best_;
  double best_cost_ = 0;
  std::size_t tried_ = 0;
};

/// 32-byte runs that are transposed are moved two by two (kernels, go_pairs), which runs the loop around the two last
/// ones between them.
void pair_up(Step& step) {
  if (step.run != 32 || step.rank < 3) return;
  Loop* last = step.loops.data() + step.rank - 1;
  if (last[0].destination == 32 && last[-2].source == 32) std::swap(last[-2], last[-1]);
}

/// 32-byte runs that are transposed, by blocks: `far` goes on where one of the two last loops ends, and some of its
/// iterations are the block that the kernel moves between these. Around them loops descend in the source, so that a
/// block of whole tiles is read as it lies. False if the search below does better.
bool order_pairs(Step& step) {
  const std::span<Loop> loops(step.loops.data(), step.rank);
  const auto find = [&](auto&& is) { return std::find_if(loops.begin(), loops.end(), is); };
  if (step.run != 32 || step.fill != 0 || step.rank < 3 || step.rank == kMostLoops) return false;
  const auto reads = find([](const Loop& l) { return l.source == 32; });
  const auto writes = find([](const Loop& l) { return l.destination == 32; });
  if (reads == loops.end() || writes == loops.end() || reads == writes) return false;
  const Loop across = *reads, along = *writes;
  const auto continues = find([&](const Loop& l) {
    return l != across && l != along &&
           (l.destination == 32 * along.extent || (!step.stream && l.source == 32 * across.extent));
  });
  if (continues == loops.end()) return false;
  const Loop far = *continues;
  Index block = step.stream ? kPairBlock / std::max(std::abs(far.source), Index{32}) : kPairsInCache;
  while (block > 1 && far.extent % block != 0) --block;
  if (block < 2) return false;
  const Index step_by = planted(Fault::BlockStride) ? block - 1 : block;
  *continues = Loop{far.extent / block, step_by * far.source, step_by * far.destination};
  std::stable_sort(loops.begin(), loops.end(), [&](const Loop& a, const Loop& b) {
    const auto last = [&](const Loop& l) { return l == across ? 1 : l == along ? 2 : 0; };
    return last(a) != last(b) ? last(a) < last(b) : std::abs(a.source) > std::abs(b.source);
  });
  const auto end = std::remove_if(loops.begin(), loops.end() - 2, [](const Loop& l) { return l.extent == 1; });
  const auto at = static_cast<std::size_t>(end - loops.begin());
  step.loops[at] = Loop{block, far.source, far.destination};
  step.loops[at + 1] = across;
  step.loops[at + 2] = along;
  step.rank = static_cast<std::uint8_t>(at + 3);
  return true;
}

}  // namespace

double cost_of_order(std::span<const Loop> loops, Index run, bool stream) { return cost_of(loops, Sides(run), stream); }

std::size_t order_runs(bool search, Step& step) {
  const std::span<Loop> loops(step.loops.data(), step.rank);
  std::sort(loops.begin(), loops.end(), by_destination);
  if (!search || loops.size() < 2 || order_pairs(step)) return 0;
  Search found(loops, Sides(step.run + step.fill, step.kernel != Kernel::Fill), step.stream);
  found.go();
  found.take_best(step);
  pair_up(step);
  return found.tried();
}

}  // namespace vl::oracle
