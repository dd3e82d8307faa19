// Numbers: layouts as functions from numbers to numbers, which is what CuTe's algebra is about. A layout of N elements
// takes the number i in [0, N) to the place of element i, its coordinate on m. Which element has number i the family
// says: it is the one that the layout, read for the one-dimensional tensor [N], places for i. TIRx and plain maps count
// row-major, CuTe counts with the first mode fastest.
//
// An operation's claim is an equation of such functions. Its `numbers` reads the operands, composes their maps, and
// states two functions that have to be the same (NumberLaw). Nothing is performed, and no text is compared.
//
// What a layout says of a number i >= N is a convention, the key `outside`:
//   last-mode   CuTe's: the last mode is not reduced, so 4:2 takes 5 to 10; only where the family defines it so
//   coalesced   pycute's: modes of one number are left out, and the last mode that is left goes on. (5,1):(1,9) takes 5
//               to 5, and to 9 where the last mode goes on; where nothing is left, every number is taken to 0 as by 1:0
//   reject      there is no such value: an operand that asks for one is refuted
//   unsaid      the same question is unsupported: an answer would be a guess
// A number below 0 has no value by any convention.
//
// Source: NVIDIA/cutlass at 7107b055, media/docs/cpp/cute/02_layout_algebra.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verifier/claims/claim.h"

namespace vl::claims {

/// A function from [0, size) to integers.
struct OnNumbers {
  std::vector<map::Stage> stages;  // of one number
  Index size = 0;
  map::Range values;     // by interval arithmetic: they contain every value
  bool goes_on = false;  // the stages are right beyond `size` as well
};

/// A layout over these dimensions with one output on m, in the box [0, extent); without an extent the box reaches to
/// the largest value that there may be. Errors: those of Layout::create; Overflow for a place beyond 64 bits.
[[nodiscard]] Result<map::Layout> to_numbers(std::vector<map::Dim> dims, std::vector<map::Stage> stages,
                                             std::optional<Index> extent = {});
/// The same over the numbers [0, size).
[[nodiscard]] Result<map::Layout> over_numbers(Index size, std::vector<map::Stage> stages,
                                               std::optional<Index> extent = {});

/// What a claim's law is made of. Where something is wrong or undecidable, the offer says what, and the functions
/// return nothing.
struct NumberOffer {
  Offer& offer;
  NumberLaw::Outside outside = NumberLaw::Outside::Unsaid;
  std::vector<use::Rule> rules = {};
  std::vector<NumberLaw::Asked> asked = {};
  const map::Layout* result = nullptr;
  const map::Layout* law = nullptr;

  /// The layout of a key; of the offer itself where the key is empty.
  [[nodiscard]] std::optional<OnNumbers> read(std::string_view key);
  /// The layout of the key `rest`: else the complement of `of` (a key, or "") up to `cotarget`, by the definition of
  /// its family.
  [[nodiscard]] std::optional<OnNumbers> read_rest(std::string_view of, Index cotarget);
  /// i -> outer(inner(i)). `what` is inner, in words. Its values are asked for in [0, outer.size).
  [[nodiscard]] std::optional<OnNumbers> after(const OnNumbers& outer, const OnNumbers& inner, std::string what);
  /// n -> low(n mod |low|) + high(n / |low|), for n in [0, |low| * |high|).
  [[nodiscard]] std::optional<OnNumbers> joined(const OnNumbers& low, const OnNumbers& high);
  /// States f = g over the same numbers. Where their sizes differ, that is the broken rule.
  bool same(const OnNumbers& f, const OnNumbers& g, std::string_view sizes);
  /// The key's text is wrong; always false.
  bool wrong(std::string_view key, std::string message) {
    offer.wrong(key, {ErrorCode::Value, std::move(message), 0});
    return false;
  }
  /// A function over numbers with these stages.
  [[nodiscard]] std::optional<OnNumbers> made(Index size, std::vector<map::Stage> stages);

 private:
  [[nodiscard]] std::optional<OnNumbers> numbered(const use::Reading& reading, Index size, bool goes_on,
                                                  std::string_view key);
  std::nullopt_t undecidable(std::string why);
};

/// i -> i over [0, size).
[[nodiscard]] OnNumbers identity(Index size);

[[nodiscard]] Verdict obeys_on_numbers(const NumberLaw& about, Inquiry& inquiry);

/// A claim of the kind. `keys` as in Keys; `numbers` states the law. `alone`: the result is all that it needs.
[[nodiscard]] constexpr Claim on_numbers(std::string_view name, std::string_view keys, std::string_view statement,
                                         bool (*numbers)(NumberOffer&), bool alone = false) {
  return {.name = name,
          .statement = statement,
          .witness = "a, physical, other; or a, value, size; or have, want",
          .keys = {.all = keys, .sample = alone ? "LAYOUT" : "…; with=LAYOUT", .bare = alone},
          .decide = obeys_on_numbers,
          .numbers = numbers,
          .proof = {Part::SamePlaces}};
}

}  // namespace vl::claims
