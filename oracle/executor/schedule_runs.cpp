#include "oracle/executor/schedule_runs.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "oracle/plan/faults.h"

namespace vl::oracle {
namespace {

constexpr Index kPage = 4096;
constexpr Index kPairBlock = 8192;  // bytes that are read between two jumps of what is streamed
constexpr Index kPairsInCache = 8;  // iterations

/// One side of an order: bytes of the first burst, bytes of a sequence, sequences alive at once while one goes on.
struct Traffic {
  Index burst = 0;
  Index sequence = 0;
  double streams = 1;
};

Traffic traffic_of(std::span<const Loop> loops, Index run, Index Loop::* stride) {
  Traffic traffic{run, run, 1};
  bool bursting = true;
  double streams = 1;
  for (std::size_t k = loops.size(); k-- > 0 && traffic.sequence < kPage;) {
    const Index step = std::abs(loops[k].*stride);
    if (step == 0) continue;  // the same bytes again
    const bool follows = step >= traffic.sequence && step <= traffic.sequence + traffic.sequence / 2;
    bursting = bursting && step == traffic.burst;
    if (bursting) traffic.burst *= loops[k].extent;
    if (follows) {
      traffic.sequence = step * loops[k].extent;
      traffic.streams = streams;
    } else {
      streams *= static_cast<double>(loops[k].extent);
    }
  }
  return traffic;
}

double cost_of_reading(const Traffic& traffic) {
  if (traffic.burst >= kPage) return 1;
  const double by_streams = traffic.streams <= 16 ? 1 : traffic.streams <= 32 ? 1.4 : traffic.streams <= 64 ? 2 : 2.6;
  if (traffic.sequence >= kPage) return by_streams;
  const Index sequence = traffic.sequence;
  return std::max(by_streams, sequence >= 2048 ? 1.15 : sequence >= 1024 ? 1.4 : sequence >= 512 ? 1.8
                                            : sequence >= 256 ? 2.2 : sequence >= 128 ? 3 : 4);
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

struct Best {
  Index run = 0;
  bool stream = false;
  std::array<Loop, kMostLoops> loops;
  std::size_t rank = 0;
  double cost = 0;

  void offer(std::span<const Loop> order) {
    const double offered = cost_of_order(order, run, stream);
    if (rank != 0 && offered >= cost - 1e-9) return;
    std::copy(order.begin(), order.end(), loops.begin());
    rank = order.size();
    cost = offered;
  }
};

/// Splits the innermost loop and runs its outer part around loop `around`: columns in blocks.
void offer_blocks(Best& best, std::span<const Loop> order, std::size_t around) {
  if (order.size() + 1 > kMostLoops) return;
  const Loop inner = order.back();
  for (const Index block : {Index{8}, Index{16}, Index{12}, Index{10}, Index{4}}) {
    if (inner.extent <= block || inner.extent % block != 0) continue;
    std::array<Loop, kMostLoops> split;
    std::copy(order.begin(), order.end() - 1, split.begin());
    std::copy_backward(split.begin() + static_cast<std::ptrdiff_t>(around),
                       split.begin() + static_cast<std::ptrdiff_t>(order.size() - 1),
                       split.begin() + static_cast<std::ptrdiff_t>(order.size()));
    const Index outer = planted(Fault::BlockStride) ? block - 1 : block;
    split[around] = Loop{inner.extent / block, outer * inner.source, outer * inner.destination};
    split[order.size()] = Loop{block, inner.source, inner.destination};
    best.offer(std::span(split.data(), order.size() + 1));
  }
}

/// 32-byte runs that are transposed are moved two by two (kernels, go_pairs), which runs the loop around the two last
/// ones between them.
void pair_up(Step& step) {
  if (step.run != 32 || step.rank < 3) return;
  Loop* last = step.loops.data() + step.rank - 1;
  if (last[0].destination == 32 && last[-2].source == 32) std::swap(last[-2], last[-1]);
}

/// 32-byte runs that are transposed, by blocks: `far` goes on where one of the two last loops ends, and some of its
/// iterations are the block that the kernel moves between these. Around them loops descend in the source, so that a
/// block of whole tiles is read as it lies. False where the search below does better.
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

double cost_of_order(std::span<const Loop> loops, Index run, bool stream) {
  // The number of innermost iterations counts a little: a loop entered for two runs costs more than one for 200.
  const double entering = loops.empty() ? 0 : 0.02 / static_cast<double>(loops.back().extent);
  return cost_of_reading(traffic_of(loops, run, &Loop::source)) +
         cost_of_writing(traffic_of(loops, run, &Loop::destination), stream) + entering;
}

void order_runs(Effort effort, Step& step) {
  const std::span<Loop> loops(step.loops.data(), step.rank);
  std::sort(loops.begin(), loops.end(), by_destination);
  if (effort == Effort::None || loops.size() < 2 || order_pairs(step)) return;
  Best best;
  best.run = step.run + step.fill;
  best.stream = step.stream;
  if (effort == Effort::Search && loops.size() <= 5) {
    std::array<std::size_t, 5> places{0, 1, 2, 3, 4};
    const auto end = places.begin() + static_cast<std::ptrdiff_t>(loops.size());
    do {
      std::array<Loop, 5> order;
      for (std::size_t k = 0; k < loops.size(); ++k) order[k] = loops[places[k]];
      const std::span<const Loop> candidate(order.data(), loops.size());
      best.offer(candidate);
      for (std::size_t around = 0; around + 1 < loops.size(); ++around)
        offer_blocks(best, candidate, around);
    } while (std::next_permutation(places.begin(), end));
  } else {
    best.offer(loops);
    for (std::size_t around = 0; around + 1 < loops.size(); ++around)
      offer_blocks(best, loops, around);
    std::array<Loop, kMostLoops> order = step.loops;
    const std::span<Loop> by_source(order.data(), loops.size());
    std::stable_sort(by_source.begin(), by_source.end(),
                     [](const Loop& a, const Loop& b) { return std::abs(a.source) > std::abs(b.source); });
    best.offer(by_source);
    for (std::size_t around = 0; around + 1 < loops.size(); ++around)
      offer_blocks(best, by_source, around);
  }
  std::copy_n(best.loops.begin(), best.rank, step.loops.begin());
  step.rank = static_cast<std::uint8_t>(best.rank);
  pair_up(step);
}

}  // namespace vl::oracle
