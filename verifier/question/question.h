// Query: what a claim asks, stated so that an engine can decide it and a witness can be checked without the engine.
//
// Whatever is asked about is a finite relation between points and places; a point has one place or none.
//   layouts    points p of the domain D (element ++ replica); the place is the slot m(p): inside the box, guards 0
//   nests      moves (nest ++ iteration); a move reads an offset of memory S, and its place is an offset of memory D
//   accesses   (lane ++ variables), while the lane is active; the place is the element at its coordinates
// Each kind asks one thing of any of them. All but Count are existential: their witness is a counterexample of a claim.
//
// Worked example: x -> 3·(x0) + 2·(x1) over 2 by 3, in a box of 8 slots. Escapes: none. Collides: none, the slots are
// 0 2 4 3 5 7. Misses: slot 1. Count: 6. In a box of 7, Escapes: p = (1, 2), at 7.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "encodings/map/layout.h"
#include "encodings/use/memory.h"
#include "encodings/use/transfer.h"

namespace vl::question {

struct Reach;  // access.h

enum class Kind {
  Escapes,  // ∃ point without a place. Of nests: that reads outside of S or writes outside of D, first to last offset
  Lands,    // ∃ point with a place. Of accesses: ∃ active lane
  Collides,    // ∃ two points with one place: p < q; or p of one layout and q of the other one
  Misdecodes,  // ∃ p ∈ D: m(p) is a slot that is not valid by the layout's decode rule
  Breaks,      // ∃ p ∈ D with slot s: the layout's offset identity fails for (s, element of p)
  Misses,   // ∃ place that no point has. Of nests: ∃ x, d ∈ D(x): not written exactly once, or x has no slot in D
  Differs,  // ∃ element that the two place differently: memories of two layouts; moves and the pairs of S and D
  Count,    // how many places are taken. Of accesses: the most of `measure` in one instance
  Crowds,   // of accesses: ∃ instance with wavefronts - ideal > limit
};
// Differs, of nests: ∃ move (s, d) that is none of the layouts' (no x has s ∈ S(x) and d ∈ D(x)), or ∃ x, d ∈ D(x):
// the number of moves (s, d) with s ∈ S(x) is not 1, or x has no slot in D.

[[nodiscard]] std::string_view name(Kind kind);

/// Of one layout or two. A layout's *memory* of an element is the set of row-major numbers of its slots. Requires:
/// Misdecodes needs layout->decode(), Breaks layout->identity(), Differs `other` over the same logical space, Collides
/// of two layouts `other` with the same physical extents. The layouts outlive the question.
struct Question {
  Kind kind = Kind::Escapes;
  const map::Layout* layout = nullptr;
  const map::Layout* other = nullptr;  // of Differs, and of Collides between two
};

/// Of a transfer that moves elements x from S to D; S(x) and D(x) are the sets of offsets at which the two layouts keep
/// x (several with replicas). Escapes, Collides, Misses, Differs. Requires: source and destination lay out the same
/// logical space; but for Escapes, no nest has a problem (use::problem_of). All pointees outlive the question.
struct TransferQuestion {
  Kind kind = Kind::Escapes;
  const use::Transfer* transfer = nullptr;
  const use::Memory* source = nullptr;
  const use::Memory* destination = nullptr;
};

/// What an instance of an access costs: its wavefronts, or those beyond the ideal.
enum class Measure { Wavefronts, Excess };

/// Of an access to a memory of banks (access.h). Escapes, Lands, Count, Crowds.
struct BankQuestion {
  Kind kind = Kind::Crowds;
  const Reach* reach = nullptr;
  Index limit = 0;  // of Crowds
  Measure measure = Measure::Excess;
};

/// Any of them; engines abstain on a relation whose shape they do not know.
struct Query {
  std::variant<Question, TransferQuestion, BankQuestion> of;

  Query(const Question& question) : of(question) {}
  Query(const TransferQuestion& question) : of(question) {}
  Query(const BankQuestion& question) : of(question) {}
  Query(Kind kind, const map::Layout* layout, const map::Layout* other) : of(Question{kind, layout, other}) {}
  Query(Kind kind, const use::Transfer* transfer, const use::Memory* source, const use::Memory* destination)
      : of(TransferQuestion{kind, transfer, source, destination}) {}
  Query(Kind kind, const Reach* reach, Index limit, Measure measure = Measure::Excess)
      : of(BankQuestion{kind, reach, limit, measure}) {}

  [[nodiscard]] Kind kind() const {
    return std::visit([](const auto& asked) { return asked.kind; }, of);
  }
};

/// What an existential query was answered with; fields that its kind does not name stay empty.
///   p, q   points: of Collides two, of Differs an element, of Crowds an instance (an access's variables)
///   slot   of Misses: a point of the physical space
/// Of nests: p (and q) of Escapes and Collides are the first such moves, by nest and then by iteration; Misses has q,
/// the smallest (x, replica) of the destination's domain; Differs p, the first move that is none of the layouts', or,
/// if there is none, q as Misses.
struct Witness {
  Point p;
  Point q;
  Point slot;

  bool operator==(const Witness&) const = default;
};

/// The largest domain that replay() walks over.
constexpr Index kReplayWalk = Index{1} << 24;

/// The most replicas of one element that memory_of() lists.
constexpr Index kMostReplicas = Index{1} << 20;

/// Checks a witness by evaluation alone; false when it cannot. (Of the engines only enumerate shares something with it:
/// memory_of(), breaks_identity(), and what access.h has.) Misses of a layout needs the decode map, or a domain of at
/// most kReplayWalk points to walk over. Differs of nests needs one of the two memories to have a decode map or at most
/// 2^16 elements, and no more than kMostReplicas replicas; of more elements, it is the asker who knows that a place of
/// one side tells its element.
[[nodiscard]] bool replay(const Query& query, const Witness& witness);

/// The memory of an element: ascending row-major numbers of its slots. Requires: element in the logical space, at
/// most kMostReplicas replicas.
[[nodiscard]] std::vector<Index> memory_of(const map::Layout& layout, std::span<const Index> element);

/// Whether the layout's offset identity fails for a point and its slot. Requires: layout.identity().
[[nodiscard]] bool breaks_identity(const map::Layout& layout, std::span<const Index> p, std::span<const Index> slot);

}  // namespace vl::question
