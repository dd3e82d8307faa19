// Profiles: what is known of the arithmetic of some hardware or library, entry by entry, and what is not.
//
//   accumulate   element, or the name of a format         the type of partial results
//   start        first, +0, -0                            the first element, or a value that is there before it
//   order        any, seq                                 any tree over any permutation, or from left to right
//   max          nan-wins, nan-loses, x86                 values::MaxRule
//   flush        none, results, both                      values::Flush
//   integers     wrap, saturate                           values::Integers
//   fused        false, true                              whether a product is added without being rounded
//   ties         first, last, unspecified                 which of equal elements argmax, top-k and sort take
//   rounding     nearest-even, nearest-away, toward-zero  of results; values::Rounding
//   conversion   the same words                           of conversions
//
// An entry is one value or several alternatives, and `unknown` is every value above. Who asks has no say in which of
// them holds: an answer counts only if it is the same for each alternative. `unknown` of accumulate is the element's
// format and every one that has all of its numbers.
//
// A text has entries as "accumulate=f32 start=+0 max=nan-wins|x86 flush=unknown", and what it leaves out is as in a
// Profile that nobody changed. Worked example: "start=+0|first" of f16 has two alternatives.
//
// Facts are statements about functions of one operand: whatever code of `of` the operand is, the result is one of
// `gives`. Of several facts each holds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/result.h"
#include "encodings/values/arithmetic.h"
#include "encodings/values/code_set.h"

namespace vl::values {

enum class Start { First, Zero, MinusZero };
enum class Tree { Any, Sequential };
enum class Products { Rounded, Fused };
enum class Ties { First, Last, Unspecified };

/// One arithmetic for elements of one type, decided in every entry.
struct Arithmetic {
  Format accumulate = {};
  Start start = Start::First;
  Tree order = Tree::Any;
  MaxRule max = MaxRule::NanWins;
  Flush flush = Flush::None;
  Integers integers = Integers::Wrap;
  Products products = Products::Rounded;
  Ties ties = Ties::First;
  Rounding rounding = Rounding::NearestEven;
  Rounding conversion = Rounding::NearestEven;

  bool operator==(const Arithmetic&) const = default;
};

struct Fact {
  std::string function;
  std::string type;       // of operand and result; empty: every float format that has codes for both states
  std::string of, gives;  // states (state.h); `of` as contents
  std::string source;

  bool operator==(const Fact&) const = default;
};

struct Profile {
  std::string name = "ieee";
  std::string source = {};
  std::vector<const Format*> accumulate = {nullptr};  // null: the element's
  std::vector<Start> start = {Start::First};
  std::vector<Tree> order = {Tree::Any};
  std::vector<MaxRule> max = {MaxRule::NanWins};
  std::vector<Flush> flush = {Flush::None};
  std::vector<Integers> integers = {Integers::Wrap};
  std::vector<Products> products = {Products::Rounded};
  std::vector<Ties> ties = {Ties::First, Ties::Last, Ties::Unspecified};
  std::vector<Rounding> rounding = {Rounding::NearestEven};
  std::vector<Rounding> conversion = {Rounding::NearestEven};
  std::vector<Fact> facts = {};

  bool operator==(const Profile&) const = default;
};

enum class Entry { Accumulate, Start, Order, Max, Flush, Integers, Fused, Ties, Rounding, Conversion };

/// The entries in the order above, and their names: "accumulate".
[[nodiscard]] std::span<const Entry> entries();
[[nodiscard]] std::string_view name(Entry entry);
/// Nothing: no entry has that name.
[[nodiscard]] std::optional<Entry> find_entry(std::string_view name);

/// Sets an entry to the values of a text as "first|+0" or "unknown". Error: a word that is none of its values, or is
/// there twice, at its offset in the text.
[[nodiscard]] std::optional<Error> set_entry(Profile& profile, Entry entry, std::string_view values);

/// The text form, on top of a profile. Error: a word without =, an entry that is unknown or there twice, as set_entry.
[[nodiscard]] Result<Profile> parse_profile(std::string_view text, const Profile& base = {});

/// What an arithmetic says about an entry: "nan-wins".
[[nodiscard]] std::string_view value_of(const Arithmetic& arithmetic, Entry entry);

/// Every arithmetic for elements of a type that a profile allows. Entries other than `relevant` have their first value
/// only. Of accumulate only formats count that have every number of the type; if there is none, the result is empty.
/// Entries that have no meaning for the type (integers of floats; flush, rounding, max, start -0 and fused of integers)
/// have one value.
/// Example: a profile of "max=unknown" has three for f16, and one where Max is not relevant.
[[nodiscard]] std::vector<Arithmetic> alternatives(const Profile& profile, const Format& type,
                                                   std::span<const Entry> relevant = entries());

/// The functions that facts may be about: exp, reciprocal and others.
[[nodiscard]] std::span<const std::string_view> functions();

/// A fact as sets of codes of one format; nothing where it does not concern the format.
struct Stated {
  CodeSet of, gives;
};
[[nodiscard]] std::optional<Stated> stated_in(const Fact& fact, const Format& format);

/// Why a fact is none: an unknown function or type, or a state that no float format can read, or not the type named.
[[nodiscard]] std::optional<Error> wrong_with(const Fact& fact);

/// What two facts of a function say of one operand that cannot both be, as in "exp of 0x3c00 (1) of f16 has no result";
/// empty if there is no such thing.
[[nodiscard]] std::string contradiction(std::span<const Fact> facts);

/// Every code that the facts allow as a function's result for an operand of `of`. All codes of the format where no fact
/// says anything. Requires: contradiction() is empty. Example: exp(-inf) = +0 alone: of {-inf} {+0}, of {-inf, 1} every
/// code.
[[nodiscard]] CodeSet stated_image(std::span<const Fact> facts, std::string_view function, const Format& format,
                                   const CodeSet& of);

}  // namespace vl::values
