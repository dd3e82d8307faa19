// Bank questions: does an access conflict in a memory of banks, and what does it cost?
//
// A Reach is an access carried through a layout to byte addresses. Its map takes (lane, variables…) to the byte at
// which the lane's `width` bytes start; for one choice of the variables (an *instance*) the lanes of each phase touch
// words floor(byte / bytes_per_bank), whose banks are word mod banks. Wavefronts of a phase: the most different words
// in one bank, 0 where no lane is active; of an instance: the sum over its phases. The ideal is one a phase that has an
// active lane. (Not the fewest that so many bytes need: a phase moves no more than one word a bank.)
//
// Worked example: f16[8,64] row-major, lanes=8 width=16 at=[lane, 0] on sm_90: bytes 128·lane, all in bank 0..3: 8
// wavefronts of ideal 1. Under the 128-byte swizzle: bytes 144·lane, 8 different groups of 4 banks: 1.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "encodings/use/access.h"
#include "encodings/use/hardware.h"
#include "verifier/engines/engine.h"

namespace vl::engines {

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
};

enum class BankKind {
  Outside,      // ∃ active (lane, instance) whose coordinates are no element
  Active,       // ∃ active (lane, instance)
  Exceeds,      // ∃ instance with wavefronts - ideal > limit
  Worst,        // the largest wavefronts of an instance, as a count
  WorstExcess,  // the largest wavefronts - ideal of an instance, as a count
};

[[nodiscard]] std::string_view name(BankKind kind);

struct BankQuestion {
  BankKind kind = BankKind::Exceeds;
  const Reach* reach = nullptr;
  Index limit = 0;
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

/// Checks a witness by evaluation alone.
[[nodiscard]] bool replay(const BankQuestion& question, const Witness& witness);

/// The answer's witness: p is the instance (Exceeds) or lane and instance (Outside, Active).
struct BankEngine {
  std::string_view name;
  std::string_view fragment;
  Answer (*decide)(const BankQuestion&, const Options&);
};
[[nodiscard]] std::span<const BankEngine> bank_engines();
/// As second_opinions() of layouts.
[[nodiscard]] std::span<const BankEngine> second_bank_opinions();

/// Every instance, one by one; at most 2^24 lanes of instances. Witnesses are minimal.
[[nodiscard]] Answer decide_banks_enumerate(const BankQuestion& question, const Options& options);
/// The smallest instance that Exceeds, when it is among the first `most` lanes of instances.
[[nodiscard]] std::optional<Witness> first_early(const BankQuestion& question, Index most);
/// Ranks over GF(2) where the addresses are exclusive-or sums of the bits of lane and variables: any number of
/// instances. Witnesses are minimal.
[[nodiscard]] Answer decide_banks_gf2(const BankQuestion& question, const Options& options);
/// Z3 on two lanes of one phase: Exceeds with limit 0, Outside and Active. Witnesses are whatever it finds first.
[[nodiscard]] Answer decide_banks_smt(const BankQuestion& question, const Options& options);
/// Z3 on the second encoding, in integers where there is no swizzle; and cvc5 on the text of the first.
[[nodiscard]] Answer decide_banks_smt_2(const BankQuestion& question, const Options& options);
[[nodiscard]] Answer decide_banks_cvc5(const BankQuestion& question, const Options& options);
/// The obligation of decide_banks_smt as SMT-LIB text, satisfiable iff the answer is Found; empty when it has none.
[[nodiscard]] std::string smtlib_of(const BankQuestion& question);
/// The same in the second encoding.
[[nodiscard]] std::string smtlib_2_of(const BankQuestion& question);

/// Asks the engines as decide() of layouts does: cheapest first, or all of them under cross-check. A Found answer has
/// been replayed, and is minimal up to 2^18 lanes of instances.
[[nodiscard]] Decision decide(const BankQuestion& question, const Options& options);

/// An access carried through a layout. The layout places elements on one memory axis: `m` of named axes, on which every
/// other axis is 0 always; else the row-major number of the slot. The variables are those of the access; with tv,
/// `warp` (where its threads are several times the lanes) and `value`, which counts vectors of `width` bytes; with a
/// base, `base`: the buffer starts at base·k bytes. k runs over one period of everything that depends on it, so an
/// answer is for every k.
///
/// Errors: Shape (another number of coordinates than the tensor's rank; a tv of another shape), Value (an axis that is
/// no memory, replicas, elements that do not fill bytes, a width or more lanes than the hardware has, matrix
/// instructions where it has none, values of a tv that are not contiguous, an active lane outside the tensor where up
/// to 2^16 lanes of instances show one), Overflow. tv is null for accesses without one.
[[nodiscard]] Result<Reach> reach_of(const use::Access& access, const map::Layout& layout, const map::Layout* tv,
                                     int element_bits, const use::Hardware& hardware);

}  // namespace vl::engines
