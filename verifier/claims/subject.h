// Subject: what a claim is about, one type for each kind. A claim states which one it needs by the type of its
// function, so that it gets exactly that and nothing can be missing. `bind` makes one of what a session offers, in the
// file of the claim: nothing where a text is wrong or a layout undecidable, and the offer says which. What is referred
// to outlives the subject.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "encodings/use/padded.h"
#include "encodings/use/target.h"
#include "verifier/claims/offer.h"
#include "verifier/question/verdict.h"

namespace vl::claims {

/// A layout. `needs` says in words what a claim needs besides the layout: here nothing.
struct OneLayout {
  static constexpr std::string_view needs = "";
  const map::Layout& layout;
  /// Of a claim about slots, where the layout is that of Reading::named_cores: how its cores are called.
  const use::NamedCores* cores = nullptr;

  static std::optional<OneLayout> bind(Offer& offer) {
    const map::Layout* layout = offer.first();
    if (layout == nullptr) return std::nullopt;
    const auto& named = offer.reading.named_cores;
    return offer.of_slots && named ? OneLayout{named->layout, &*named} : OneLayout{*layout};
  }
};

/// The family's rules for the layout's text. If the text says no layout, one of them does not hold.
struct TextRules {
  static constexpr std::string_view needs = "";
  std::span<const use::Rule> rules;

  static std::optional<TextRules> bind(Offer& offer);
};

/// A layout, and the bits of one element on the device; 0: not known. Of a block format it is the layout of bytes.
struct Sized {
  static constexpr std::string_view needs = "";
  const map::Layout& layout;
  int element_bits = 0;
  std::string_view unsized = {};  // Reading::unsized

  static std::optional<Sized> bind(Offer& offer);
};

/// Two layouts of one tensor.
struct Pair {
  static constexpr std::string_view needs = "a second layout";
  const map::Layout& layout;
  const map::Layout& other;

  static std::optional<Pair> bind(Offer& offer);
};

/// A layout, and a second one that reads its places.
struct WayBack {
  static constexpr std::string_view needs = "a second layout";
  const map::Layout& layout;
  const map::Layout& back;

  static std::optional<WayBack> bind(Offer& offer);
};

/// Two layouts in one buffer; the second one's memory begins at place `at` of the first one's.
struct SharedBuffer {
  static constexpr std::string_view needs = "a second layout in the same buffer";
  const map::Layout& layout;
  const map::Layout& other;
  Index at = 0;

  static std::optional<SharedBuffer> bind(Offer& offer);
};

/// The result of an operation on layouts, its law, and rules for the result's text. One of the rules does not hold if
/// there is no law (the operation is impossible), or no result over its elements (one of the wrong size).
struct LawResult {
  static constexpr std::string_view needs = "the result to judge";
  const map::Layout* result = nullptr;
  const map::Layout* law = nullptr;
  std::span<const use::Rule> rules;

  static std::optional<LawResult> bind(Offer& offer);
};

/// The result of an operation on layouts as functions of numbers, and its law (numbers.h). One of the rules does not
/// hold if the result is not over the law's numbers; then both are null.
struct NumberLaw {
  static constexpr std::string_view needs = "the result to judge";
  /// Values that a layout of `size` numbers is asked for: they lie in the box of `values`, [0, size), or beyond it.
  struct Asked {
    const map::Layout* values = nullptr;
    std::string what;  // "the inner layout"
  };
  /// What a layout says of a number that it does not have.
  enum class Outside { Unsaid, Reject, LastMode, Coalesced };

  const map::Layout* result = nullptr;
  const map::Layout* law = nullptr;
  std::span<const use::Rule> rules;
  std::span<const Asked> asked;
  Outside outside = Outside::Unsaid;

  static std::optional<NumberLaw> bind(Offer& offer);
};

/// A layout A and a complement R of it, as functions of numbers (complement.cpp).
struct Complemented {
  static constexpr std::string_view needs = "the complement to judge";
  const map::Layout& layout;           // A over its digits of a stride that is not 0
  const map::Layout& rest;             // R
  const map::Layout* steps = nullptr;  // j -> R(j + 1) - R(j) - 1; null where R has one number
  const map::Layout& pair;             // (j, digits) -> R(j) + A
  std::span<const Index> weights;      // of the digits in a number of A
  std::span<const use::Rule> rules;

  static std::optional<Complemented> bind(Offer& offer);
};

/// A layout whose buffer starts at any multiple of `base` bytes.
struct Based {
  static constexpr std::string_view needs = "the base's alignment in bytes";
  const map::Layout& layout;
  int element_bits = 0;
  Index base = 0;

  static std::optional<Based> bind(Offer& offer);
};

/// The numbers of bytes that the arguments base, bytes and capacity say; nothing where they are wrong, and the offer
/// says why.
[[nodiscard]] std::optional<Index> base_of(Offer& offer);
[[nodiscard]] std::optional<Index> row_alignment_of(Offer& offer);
[[nodiscard]] std::optional<Index> capacity_of(Offer& offer);

/// A layout in memories of `capacity` bytes each.
struct Fitted {
  static constexpr std::string_view needs = "the bytes of one memory";
  const map::Layout& layout;
  int element_bits = 0;
  Index capacity = 0;
  std::string_view unsized = {};  // Reading::unsized
  std::string_view spread = {};   // Reading::spread
  Index buffers = 1;              // of the layout's own size, all of which are in its box

  static std::optional<Fitted> bind(Offer& offer);
};

/// A layout whose rows begin at multiples of `bytes`.
struct RowsOfBytes {
  static constexpr std::string_view needs = "an alignment in bytes";
  const map::Layout& layout;
  int element_bits = 0;
  Index bytes = 1;
  std::string_view unsized = {};  // Reading::unsized
  std::string_view spread = {};   // Reading::spread

  static std::optional<RowsOfBytes> bind(Offer& offer);
};

/// The array of all cores' shards, and a mask: the boxes that it overwrites, and those that it keeps. `kept` is the
/// array's elements over the one box that is kept; null where that is none or several.
struct Masked {
  static constexpr std::string_view needs = "a mask";
  const map::Layout& array;
  const map::Layout* kept = nullptr;
  std::span<const use::Slice> regions;
  std::span<const use::Slice> boxes;

  static std::optional<Masked> bind(Offer& offer);
};

/// The slots of one kind of padding.
struct KindOfPadding {
  static constexpr std::string_view needs = "the kind of padding";
  Index slots = 0;

  static std::optional<KindOfPadding> bind(Offer& offer);
};

/// The cores, or banks, of a layout. `places`: the core of each element, or, of `full`, its core and its place in that
/// core's memory. With `shards` they are those of the array of all shards; else coordinates as the text names them.
struct OnCores {
  static constexpr std::string_view needs = "";
  const map::Layout& places;
  const use::Shards* shards = nullptr;
  bool full = false;
  const use::NamedCores* cores = nullptr;  // as of OneLayout

  static std::optional<OnCores> bind(Offer& offer);
};

/// A layout change.
struct Remapped {
  static constexpr std::string_view needs = "the source's layout";
  const use::Remap& change;

  static std::optional<Remapped> bind(Offer& offer);
};

/// A view. `elements`: slots of padding may be read from anywhere.
struct Viewed {
  static constexpr std::string_view needs = "the source's type";
  const use::View& view;
  bool elements = false;

  /// Which slots are read where: those of the result, or of its elements. Requires: of elements, there are some.
  [[nodiscard]] const map::Layout& reads() const;

  static std::optional<Viewed> bind(Offer& offer);
};

/// The two layouts of a move; each of its own tensor.
struct Moved {
  static constexpr std::string_view needs = "the source's type";
  const map::Layout& layout;
  const map::Layout& from;

  static std::optional<Moved> bind(Offer& offer);
};

/// An access, and the limit of a measuring claim.
struct Accessed {
  static constexpr std::string_view needs = "an access and the hardware";
  const engines::Reach& reach;
  std::optional<Index> at_most = {};

  static std::optional<Accessed> bind(Offer& offer);
};

/// A layout and a work division, fitted to its tensor.
struct Divided {
  static constexpr std::string_view needs = "a work division";
  const map::Layout& layout;
  const use::Division& division;
  int element_bits = 0;

  static std::optional<Divided> bind(Offer& offer);
};

/// A transfer to or from the device image of a layout; one between devices reads the image of `from`.
struct Transferred {
  static constexpr std::string_view needs = "loop nests";
  const map::Layout& layout;
  const use::Transfer& transfer;
  const map::Layout* from = nullptr;

  static std::optional<Transferred> bind(Offer& offer);
};

/// The transfers that loop nests make, as rules: how many bytes each has, and where its ends lie.
struct AlignedMoves {
  static constexpr std::string_view needs = "loop nests";
  Transferred moves;
  struct Limits {
    int bits = 0;         // of an element; 0: not known
    Index alignment = 1;  // bytes
    Index minimum = 1;    // bytes
  } limits;
  std::span<const use::Rule> rules;

  static std::optional<AlignedMoves> bind(Offer& offer);
};

/// An operation with its operands.
struct Operated {
  static constexpr std::string_view needs = "an operation";
  const use::Operation& operation;

  static std::optional<Operated> bind(Offer& offer);
};

struct PaddedAsked;  // padded_run.h

/// An operation whose operands go on beyond their tensors, with what their padding holds.
struct PaddedRun {
  static constexpr std::string_view needs = "an operation";
  const PaddedAsked& asked;

  static std::optional<PaddedRun> bind(Offer& offer);
};

/// The same, with what the padding of its result is to be.
struct PaddedResult {
  static constexpr std::string_view needs = "an operation";
  const PaddedAsked& asked;

  static std::optional<PaddedResult> bind(Offer& offer);
};

/// Values that are to be written into the padding of a layout.
struct StoredValues {
  static constexpr std::string_view needs = "the values to store";
  const use::Continued* to = nullptr;  // null: it is not known how the layout goes on
  std::string format;                  // of an element on the device, maybe empty
  std::string values;                  // a state

  static std::optional<StoredValues> bind(Offer& offer);
};

/// What a target's rules say of a descriptor.
struct Described {
  static constexpr std::string_view needs = "a transfer and its target";
  std::span<const use::RuleFinding> findings;
  std::string_view target;

  static std::optional<Described> bind(Offer& offer);
};

/// "base (global-address), direction (flip-direction)": fields that are not stated, with the rules about them.
[[nodiscard]] std::string not_stated(std::span<const use::RuleFinding> findings);
/// The rules that count and do not depend on sizes, each as 1 where it holds and else 0; it has to be 1.
[[nodiscard]] std::vector<use::Rule> judged_rules(std::span<const use::RuleFinding> findings);

/// A descriptor of a store; `padding`: what lies between its rows may be overwritten.
struct Stored {
  static constexpr std::string_view needs = "a store";
  const use::Descriptor& descriptor;
  bool padding = false;

  static std::optional<Stored> bind(Offer& offer);
};

/// What a store with names for sizes has to keep: at the sizes at which its fields are those of a tensor map (`where`)
/// it writes no other bytes iff the law holds. Nothing where that is not known of any size.
struct StoreLaw {
  std::vector<map::Condition> where;
  map::Condition law;
};
[[nodiscard]] std::optional<StoreLaw> law_of(const Stored& about);
/// What a certificate states of a store, whose text its reader decides again: that it holds, or how many bytes of each
/// row are written beyond it, 14 where there should be 0.
[[nodiscard]] std::vector<use::Rule> stored_rules(const question::Verdict& verdict);

/// Tensor maps between the tensor's memory and shared memory, where the layout's place 0 has the address `base`.
struct Carried {
  static constexpr std::string_view needs = "transfers of tensor maps";
  const map::Layout& layout;
  const use::TileMoves& tiles;
  Index base = 0;  // bytes

  static std::optional<Carried> bind(Offer& offer);
};

/// The layout before the swizzle of the tensor maps, which without it have to be its transfer (carries.cpp). Nothing
/// where the claim says nothing of the layout.
[[nodiscard]] std::optional<map::Layout> unswizzled(const Carried& about);

/// Loads that fill what their boxes meet beside the tensor, maybe with codes that a reader needs.
struct FilledTiles {
  static constexpr std::string_view needs = "loads of tensor maps";
  Carried carried;
  values::CodeSet codes;                   // if there is a format
  const values::Format* format = nullptr;  // null: any value will do
  std::string value;                       // the text of `codes`

  static std::optional<FilledTiles> bind(Offer& offer);
};

/// That the fill is what a reader needs, as 1 or 0, which should be 1; nothing where nothing is asked of it, or no
/// document tells.
[[nodiscard]] std::optional<use::Rule> fill_rule(const FilledTiles& about);

class Inquiry;

/// A function that decides a claim about such a subject.
template <class About>
using DecideOf = question::Verdict (*)(const About&, Inquiry&);

/// For each kind of subject: its type, and the type of a function that decides a claim about it.
template <class... About>
struct Subjects {
  using Subject = std::variant<About...>;
  using Decide = std::variant<DecideOf<About>...>;
};
using AllSubjects = Subjects<OneLayout, TextRules, Sized, Pair, WayBack, SharedBuffer, LawResult, NumberLaw,
                             Complemented, Based, Fitted, RowsOfBytes, Masked, KindOfPadding, OnCores, Remapped, Viewed,
                             Moved, Accessed, Divided, Transferred, AlignedMoves, Operated, PaddedRun, PaddedResult,
                             StoredValues, Described, Stored, Carried, FilledTiles>;
using Subject = AllSubjects::Subject;
using Decide = AllSubjects::Decide;

}  // namespace vl::claims
