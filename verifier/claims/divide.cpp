// divide: the second layout R is the layout A in tiles, CuTe's logical_divide. With a tiler T and a complement C of it
// (the key `rest`; the claim complement judges one), as functions of numbers (numbers.h):
//   |R| = |T|·|C|,   ∀ i < |T|, j < |C|: R(i + |T|·j) = A(T(i) + C(j)).
// So the first |T| numbers are A after T, and number j of the rest is tile j. Without `rest` it is the complement of T
// up to |A|, as its family defines it. How the modes nest (zipped, tiled, flat) is free: the numbers are the same.
//
// Example: A = (4,2,3):(2,1,8), T = 4:2, C = (2,3):(1,8): R = ((2,2),(2,3)):((4,1),(2,8)), whose tiles are 0 4 1 5,
// 2 6 3 7, 8 12 9 13, …
#include "verifier/claims/numbers.h"

namespace vl::claims {
namespace {

bool divided(NumberOffer& in) {
  const auto layout = in.read("");
  const auto tiler = layout ? in.read("tiler") : std::nullopt;
  const auto rest = tiler ? in.read_rest("tiler", layout->size) : std::nullopt;
  const auto result = rest ? in.read("with") : std::nullopt;
  const auto tiles = result ? in.joined(*tiler, *rest) : std::nullopt;
  const auto law = tiles ? in.after(*layout, *tiles, "the layout") : std::nullopt;
  return law && in.same(*result, *law, "the result has as many numbers as the tiler and the rest");
}

}  // namespace

extern const Claim kDivide =
    on_numbers("divide", "with tiler rest outside",
               "the second layout is the layout in tiles: R(i + |T| j) = A(T(i) + C(j))", divided);

}  // namespace vl::claims
