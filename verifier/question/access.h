// An access in a memory of banks: does it conflict, and what does it cost? By evaluation, lane by lane and word by
// word.
//
// A Reach is an access carried through a layout to byte addresses. Its map takes (lane, variables…) to the byte at
// which the lane's `width` bytes start; for one choice of the variables (an *instance*) the lanes of each phase touch
// words floor(byte / bytes_per_bank), whose banks are word mod banks. Wavefronts of a phase: the most different words
// in one bank, 0 where no lane is active; of an instance: the sum over its phases. The ideal is one a phase that has an
// active lane. (Not the fewest that so many bytes need: a phase moves no more than one word a bank.) A load may have
// other phases in some instances (Pairs).
//
// Worked example: f16[8,64] row-major, lanes=8 width=16 at=[lane, 0] on sm_90: bytes 128·lane, all in bank 0..3: 8
// wavefronts of ideal 1. Under the 128-byte swizzle: bytes 144·lane, 8 different groups of 4 banks: 1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "encodings/use/access.h"
#include "verifier/question/question.h"

namespace vl::question {

/// How a load is served whose lanes agree in pairs: if for one of the distances d every two active lanes l and l xor d
/// have the same byte, these are the phases.
struct Pairs {
  std::vector<Index> distances;
  std::vector<std::vector<Index>> phases;
};

struct Reach {
  map::Map bytes;        // (lane, variables…) -> byte address
  map::Map coordinates;  // (lane, variables…) -> logical coordinates; must lie in `logical` for active lanes
  map::Space logical;
  std::optional<map::Map> when;  // (lane, variables…) -> one value a condition
  std::vector<use::Comparison> conditions;
  Index width = 4;
  std::vector<std::vector<Index>> phases;
  Index banks = 32;
  Index bytes_per_bank = 4;
  bool broadcasts = true;
  /// What people call the value v of variable i: first[i] + step[i]·v. Of i=2:4 it is i, of a base the byte it starts
  /// at, of a tv the first value of the vector. Empty: v itself.
  std::vector<Index> first;
  std::vector<Index> step;
  std::optional<Pairs> pairs = std::nullopt;  // of a load, where the hardware has such pairs
};

/// What an instance costs, by counting: the replay of every witness.
struct Cost {
  Index wavefronts = 0;
  Index ideal = 0;
  std::vector<Index> phases;  // wavefronts of each
  /// The smallest two lanes of one phase that need different words of the bank that costs most: of the first phase of
  /// most wavefronts, and of its smallest such bank. One lane twice where no two do; the same word twice where the
  /// memory does not broadcast. Nothing when each phase costs at most one.
  struct Pair {
    Index lane = 0;
    Index other_lane = 0;
    Index bank = 0;
    Index word = 0;
    Index other_word = 0;
  };
  std::optional<Pair> conflict;
};
[[nodiscard]] Cost cost_of(const Reach& reach, std::span<const Index> instance);
/// Whether a lane takes part in an instance.
[[nodiscard]] bool is_active(const Reach& reach, Index lane, std::span<const Index> instance);
/// (lane, instance…), a point of the reach's maps.
[[nodiscard]] Point lane_point(Index lane, std::span<const Index> instance);
/// The instance in people's numbers.
[[nodiscard]] Point named(const Reach& reach, std::span<const Index> instance);
/// The dimensions of an instance: those of the reach's maps without the lane.
[[nodiscard]] map::Space instances_of(const Reach& reach);

/// Evaluates a reach at many points, without allocating for each. The reach outlives it.
class LaneWalk {
 public:
  explicit LaneWalk(const Reach& reach);

  [[nodiscard]] bool is_active(std::span<const Index> point);
  [[nodiscard]] bool is_outside(std::span<const Index> point);
  [[nodiscard]] Index byte(std::span<const Index> point) { return bytes_(point)[0]; }

 private:
  const Reach& reach_;
  map::Evaluator bytes_;
  map::Evaluator coordinates_;
  std::optional<map::Evaluator> when_;
};

/// The phases of an instance: those of its pairs, if it is a load whose lanes agree in pairs.
[[nodiscard]] const std::vector<std::vector<Index>>& phases_of(const Reach& reach, LaneWalk& walk,
                                                               std::span<const Index> instance);

/// Whether the ranges of the coordinates alone show that no lane is outside the tensor.
[[nodiscard]] bool is_obviously_inside(const Reach& reach);

/// The smallest (lane, instance…) of an active lane outside the tensor. Walks over every point.
[[nodiscard]] std::optional<Point> first_outside(const Reach& reach);

/// "lane 7 is at [8, 0], outside the tensor [8, 64]", with the variables where there are.
[[nodiscard]] std::string show_outside(const Reach& reach, std::span<const Index> point);

/// "i=2, j=0" of an instance; empty without variables.
[[nodiscard]] std::string show_instance(const Reach& reach, std::span<const Index> instance);

/// Wavefronts and ideal of an instance, without the pair that shows them. Keeps its buffers.
class Counter {
 public:
  explicit Counter(const Reach& reach) : reach_(reach), walk_(reach), point_(reach.bytes.domain().rank()) {}

  struct Sum {
    Index wavefronts = 0;
    Index ideal = 0;
  };
  [[nodiscard]] Sum count(std::span<const Index> instance);
  /// Wavefronts of one phase; 0 where no lane is active. `bank`: the smallest that costs as many.
  [[nodiscard]] Index phase(std::span<const Index> lanes, std::span<const Index> instance, Index* bank = nullptr);

 private:
  const Reach& reach_;
  LaneWalk walk_;
  Point point_;
  std::vector<std::pair<Index, Index>> needs_;  // bank, word
};

/// Of replay(): the part about accesses.
[[nodiscard]] bool replay_lanes(const BankQuestion& question, const Witness& witness);

}  // namespace vl::question
