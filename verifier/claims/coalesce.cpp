// coalesce: the second layout R is the same function of numbers (numbers.h) as the layout A:
//   |R| = |A|,   ∀ i in [0, |A|): R(i) = A(i).
//
// That R has the fewest modes is a convention, and is not judged; shapes may differ.
//
// Example: (2,(1,6)):(1,(6,2)) is 12:1 (CuTe's notation). (2,4):(4,1) is not 8:1: number 1 is at 4 and not at 1.
#include "verifier/claims/numbers.h"

namespace vl::claims {
namespace {

bool coalesced(NumberOffer& in) {
  const auto layout = in.read("");
  const auto result = layout ? in.read("with") : std::nullopt;
  return result && in.same(*result, *layout, "the result has as many numbers as the layout");
}

}  // namespace

extern const Claim kCoalesce = on_numbers(
    "coalesce", "with", "the second layout is the same function of numbers, in any number of modes", coalesced, true);

}  // namespace vl::claims
