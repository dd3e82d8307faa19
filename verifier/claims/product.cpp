// product: the second layout R repeats the layout A, once for each number of a layout B: CuTe's logical_product. With a
// complement C of A (the key `rest`; the claim complement judges one), as functions of numbers (numbers.h):
//   |R| = |A|·|B|,   ∀ i < |A|, j < |B|: R(i + |A|·j) = A(i) + C(B(j)).
// So the first |A| numbers are A, and each other copy is a translate. Without `rest` it is the complement of A up to
// |A|·(1 + the largest value of B), as its family defines it. C may be asked beyond its size: then `outside` says what
// holds. How the modes nest is free.
//
// Example: A = (2,2):(4,1), B = 6:1, C = (2,3):(2,8): R = ((2,2),(2,3)):((4,1),(2,8)); its third copy is 8 12 9 13.
#include "verifier/claims/numbers.h"

namespace vl::claims {
namespace {

bool multiplied(NumberOffer& in) {
  const auto layout = in.read("");
  const auto copies = layout ? in.read("by") : std::nullopt;
  if (!copies) return false;
  const auto last = checked_add(copies->values.high, 1);
  const auto cotarget = last && *last > 0 ? checked_mul(layout->size, *last) : std::nullopt;
  if (!cotarget) return in.wrong("by", "expected values from 0, so few that the places fit 64 bits");
  const auto rest = in.read_rest("", *cotarget);
  const auto result = rest ? in.read("with") : std::nullopt;
  const auto starts = result ? in.after(*rest, *copies, "the complement") : std::nullopt;
  const auto law = starts ? in.joined(*layout, *starts) : std::nullopt;
  return law && in.same(*result, *law, "the result has as many numbers as the two layouts' product");
}

}  // namespace

extern const Claim kProduct =
    on_numbers("product", "with by rest outside", "the second layout repeats the layout: R(i + |A| j) = A(i) + C(B(j))",
               multiplied);

}  // namespace vl::claims
