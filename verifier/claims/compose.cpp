// compose: the second layout R is the layout A after the inner layout B, as functions of numbers (numbers.h):
//   |R| = |B|,   ∀ i in [0, |B|): R(i) = A(B(i)).
//
// Nothing else is judged: in how many modes R is written, and how they nest, is free. B may take values that A does not
// have; then `outside` says what holds.
//
// Example: A = (6,2):(1,7), B = (3,2):(2,3) (CuTe's notation). B(5) = 2·2 + 3·1 = 7, A(7) = 1·1 + 7·1 = 8, and
// R = (3,2):(2,3) is refuted at 5, where it has 7 (NVIDIA/cutlass, issue 2955).
#include "verifier/claims/numbers.h"

namespace vl::claims {
namespace {

bool composed(NumberOffer& in) {
  const auto outer = in.read("");
  const auto inner = outer ? in.read("inner") : std::nullopt;
  const auto result = inner ? in.read("with") : std::nullopt;
  const auto law = result ? in.after(*outer, *inner, "the layout") : std::nullopt;
  return law && in.same(*result, *law, "the result has as many numbers as the inner layout");
}

}  // namespace

extern const Claim kCompose = on_numbers(
    "compose", "with inner outside", "the second layout is the layout after an inner one: R(i) = A(B(i))", composed);

}  // namespace vl::claims
