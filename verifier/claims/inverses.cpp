// left-inverse, right-inverse: the second layout R takes back what the layout A does, as functions of numbers
// (numbers.h).
//   left-inverse    ∀ i in [0, |A|): R(A(i)) = i;        with law=quasi: A(R(A(i))) = A(i)
//   right-inverse   ∀ j in [0, |R|): A(R(j)) = j
// A left inverse exists only of an injective A; CuTe answers for others as well, and for these the weaker law is what
// can hold. What R says of numbers outside the image is free, and so is which part of the image a right inverse
// reaches. R is asked for A's values, which may lie beyond its size: then `outside` says what holds.
//
// Example: A = (4,6):(1,6) takes 4 to 6 (CuTe's notation). R = (6,6):(1,4) takes 6 back to 4; R = 4:1 goes on to 6, and
// is refuted at 4.
#include "verifier/claims/numbers.h"

namespace vl::claims {
namespace {

bool taken_back(NumberOffer& in) {
  const std::string_view* law = in.offer.argument("law");
  if (law != nullptr && *law != "inverse" && *law != "quasi") return in.wrong("law", "expected inverse or quasi");
  const auto layout = in.read("");
  const auto result = layout ? in.read("with") : std::nullopt;
  const auto back = result ? in.after(*result, *layout, "the second layout") : std::nullopt;
  if (!back) return false;
  if (law == nullptr || *law == "inverse") return in.same(*back, identity(layout->size), "every number is taken back");
  const auto again = in.after(*layout, *back, "the layout");
  return again && in.same(*again, *layout, "every number is taken back");
}

bool reached(NumberOffer& in) {
  const auto layout = in.read("");
  const auto result = layout ? in.read("with") : std::nullopt;
  const auto back = result ? in.after(*layout, *result, "the layout") : std::nullopt;
  return back && in.same(*back, identity(result->size), "every number is reached");
}

}  // namespace

extern const Claim kLeftInverse =
    on_numbers("left-inverse", "with law outside",
               "the second layout takes each place back to its number: R(A(i)) = i; law=quasi: A(R(A(i))) = A(i)",
               taken_back, true);
extern const Claim kRightInverse =
    on_numbers("right-inverse", "with outside",
               "the layout takes the second one's values to their numbers: A(R(j)) = j", reached, true);

}  // namespace vl::claims
