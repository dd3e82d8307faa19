// Question: what a claim asks of a layout, stated so that an engine can decide it and a witness can be checked
// without the engine. Every question but Occupied is existential; its witness is a counterexample of the claim.
//
// Write D for the layout's domain (elements with their replicas), m for its map, slots for the outcomes of m that lie
// in the physical box with guards 0. A layout's *memory* of an element is the set of row-major numbers of its slots.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "encodings/map/layout.h"

namespace vl::question {

enum class Kind {
  Escapes,     // ∃ p ∈ D: m(p) is no slot
  Lands,       // ∃ p ∈ D: m(p) is a slot
  Collides,    // ∃ p < q ∈ D: m(p) = m(q), a slot
  Misdecodes,  // ∃ p ∈ D: m(p) is a slot that is not valid by the decode rule
  Unhit,       // ∃ slot s of the box: s ≠ m(p) for all p ∈ D
  Breaks,      // ∃ p ∈ D with slot s: the offset identity fails for (s, element of p)
  Differs,     // ∃ element x: the memories of x in `layout` and in `other` differ
  Overlaps,    // ∃ p ∈ D, q ∈ D' of `other`: m(p) and m'(q) are slots, and the same one
  Occupied,    // how many slots are hit: |{m(p) : p ∈ D, m(p) a slot}|
};

[[nodiscard]] std::string_view name(Kind kind);

/// Requires: Misdecodes needs layout->decode(), Breaks layout->identity(), Differs `other` over the same logical
/// space, Overlaps `other` with the same physical extents. The layouts outlive the question.
struct Question {
  Kind kind = Kind::Escapes;
  const map::Layout* layout = nullptr;
  const map::Layout* other = nullptr;  // of Differs and Overlaps
};

/// What an existential question was answered with. p and q are points of the domain (element ++ replica; for Differs
/// just the element; q of Overlaps one of the other layout's), slot a point of the physical space. Fields that the kind
/// does not name stay empty.
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

/// Checks a witness by evaluation alone. (Of the engines only enumerate shares something with it: memory_of().) For
/// Unhit it needs the decode map, or a domain of at most kReplayWalk points to walk over; otherwise it answers false.
[[nodiscard]] bool replay(const Question& question, const Witness& witness);

/// The memory of an element: ascending row-major numbers of its slots. Requires: element in the logical space, at
/// most kMostReplicas replicas.
[[nodiscard]] std::vector<Index> memory_of(const map::Layout& layout, std::span<const Index> element);

}  // namespace vl::question
