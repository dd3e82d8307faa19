// Mutants of plans: one to three random changes of any field of a plan, as by a mistaken or a malicious planner. Most
// are wrong; some are right by chance, which only running them shows.
#pragma once

#include <limits>

#include "tests/plan/plans.h"
#include "tests/support/maps.h"

namespace vl::test {

class PlanMutator {
 public:
  explicit PlanMutator(std::uint32_t seed) : engine_(seed) {}

  Plan operator()(Plan plan) {
    for (Index changes = roll(engine_, 1, 3); changes > 0; --changes) change(plan);
    return plan;
  }

 private:
  bool chance(Index percent) { return roll(engine_, 1, 100) <= percent; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(roll(engine_, 0, static_cast<Index>(n) - 1)); }

  void number(Index& n) {
    constexpr Index kOdd[] = {0,
                              1,
                              -1,
                              2,
                              std::numeric_limits<Index>::max(),
                              std::numeric_limits<Index>::min(),
                              Index{1} << 62,
                              Index{1} << 60,
                              -(Index{1} << 61),
                              1 << 30};
    switch (below(8)) {
      case 0: n = kOdd[below(std::size(kOdd))]; return;
      case 1: n = static_cast<Index>(-static_cast<std::uint64_t>(n)); return;
      case 2: n = static_cast<Index>(static_cast<std::uint64_t>(n) * 2); return;
      case 3: n /= 2; return;
      case 4: n = roll(engine_, -8, 80); return;
      default:
        n = static_cast<Index>(static_cast<std::uint64_t>(n) + static_cast<std::uint64_t>(roll(engine_, -4, 4)));
        return;
    }
  }
  template <class T>
  void small(T& n, int high) {
    n = chance(50) ? static_cast<T>(n + static_cast<T>(roll(engine_, -1, 1))) : static_cast<T>(roll(engine_, 0, high));
  }

  template <class T>
  void list(std::vector<T>& of) {
    if (of.empty()) return;
    const auto at = of.begin() + static_cast<std::ptrdiff_t>(below(of.size()));
    const T copy = of[below(of.size())];
    switch (below(4)) {
      case 0: of.erase(at); return;
      case 1: of.insert(at, copy); return;
      case 2: *at = copy; return;
      default: std::swap(*at, of[below(of.size())]); return;
    }
  }

  void swizzle(oracle::ByteSwizzle& s) {
    switch (below(4)) {
      case 0: return small(s.base, 70);
      case 1: return small(s.bits, 5);
      case 2: return small(s.shift, 5);
      default: s.up = !s.up; return;
    }
  }

  void loop(Step& step) {
    Loop& loop = step.loops[below(std::clamp<std::size_t>(step.rank, 1, oracle::kMostLoops))];
    Loop& other = step.loops[below(std::clamp<std::size_t>(step.rank, 1, oracle::kMostLoops))];
    switch (below(7)) {
      case 0: return number(loop.extent);
      case 1: return number(loop.source);
      case 2: return number(loop.destination);
      case 3: return std::swap(loop, other);
      case 4: return std::swap(loop.source, other.source);
      case 5: return std::swap(loop.extent, other.extent);
      default: return turn(step, loop);
    }
  }

  // The loop the other way round: right, if nothing leaves 64 bits.
  static void turn(Step& step, Loop& loop) {
    if (!accumulate(step.source, loop.source, loop.extent - 1) ||
        !accumulate(step.destination, loop.destination, loop.extent - 1))
      return;
    loop.source = static_cast<Index>(-static_cast<std::uint64_t>(loop.source));
    loop.destination = static_cast<Index>(-static_cast<std::uint64_t>(loop.destination));
  }

  // A loop in two, or a part of the run as a loop: right where it divides.
  void split(Step& step) {
    if (step.rank >= oracle::kMostLoops) return;  // nor where a mutant has more already
    const Index by = roll(engine_, 2, 4);
    if (step.rank == 0 || chance(40)) {
      step.loops[step.rank++] = {step.run / by, by, step.kernel == Kernel::Fill ? 0 : by};
      std::swap(step.loops[step.rank - 1].source, step.loops[step.rank - 1].destination);
      step.run = by;
      return;
    }
    Loop& loop = step.loops[below(step.rank)];
    Loop outer = loop;
    outer.extent = loop.extent / by;
    outer.source = static_cast<Index>(static_cast<std::uint64_t>(loop.source) * static_cast<std::uint64_t>(by));
    outer.destination =
        static_cast<Index>(static_cast<std::uint64_t>(loop.destination) * static_cast<std::uint64_t>(by));
    loop.extent = by;
    step.loops[step.rank++] = outer;
  }

  void change(Step& step) {
    switch (below(14)) {
      case 0: step.kernel = static_cast<Kernel>(below(6)); return;
      case 1: return small(step.rank, 20);
      case 2: return number(step.source);
      case 3: return number(step.destination);
      case 4: return number(step.run);
      case 5: return number(step.fill);
      case 6: return small(step.piece, 3);
      case 7: return small(step.gap, 3);
      case 8: return swizzle(step.source_swizzle);
      case 9: return swizzle(step.destination_swizzle);
      case 10: return split(step);
      default: return loop(step);
    }
  }

  void rewrites(std::vector<Rewrite>& of) {
    if (of.empty() || chance(30)) return list(of);
    Rewrite& rewrite = of[below(of.size())];
    switch (below(5)) {
      case 0: rewrite.rule = static_cast<Rule>(below(15)); return;
      case 1: return small(rewrite.a, 6);
      case 2: return small(rewrite.b, 6);
      default: return number(rewrite.n);
    }
  }

  void change(Plan& plan) {
    switch (below(12)) {
      case 0: return list(plan.steps);
      case 1:
        if (plan.groups.empty() || chance(30)) return list(plan.groups);
        else {
          oracle::Group& group = plan.groups[below(plan.groups.size())];
          return below(3) == 0 ? small(group.first, 5) : below(2) == 0 ? small(group.count, 5) : small(group.shared, 5);
        }
      case 2:
      case 3:
      case 4: return rewrites(plan.pieces);
      case 5:
      case 6: return rewrites(plan.cover);
      case 7:
        switch (below(4)) {
          case 0: plan.fills = !plan.fills; return;
          case 1: plan.compares = !plan.compares; return;
          case 2: return number(plan.source_bytes);
          default: return number(plan.destination_bytes);
        }
      default:
        if (!plan.steps.empty()) change(plan.steps[below(plan.steps.size())]);
    }
  }

  Engine engine_;
};

}  // namespace vl::test
