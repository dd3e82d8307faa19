// Strided modes: offsets Σ x_i·d_i over a box 0 <= x_i < s_i. Exact facts (E1 to E9 below), for any size.
#pragma once

#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "verifier/engines/forms/rows.h"

namespace vl::engines {

struct Mode {
  Index extent = 1;  // >= 1
  Index stride = 0;
};

/// The modes of a row over a box, one a term, and the row's value at the lower ends of the box. Nothing when that
/// leaves 64 bits.
struct RowModes {
  Index offset = 0;
  std::vector<Mode> modes;
};
[[nodiscard]] std::optional<RowModes> modes_of(const Row& row, const Box& box);

/// Distinct points have distinct offsets.
struct Injective {};
/// Two points of the box have one offset: first + Σ delta_i·d_i = first. delta_i = second_i - first_i.
struct Colliding {
  std::vector<Index> delta;  // one a mode, not all 0, |delta_i| < s_i
};
/// These facts do not decide it.
struct Undetermined {};
using Injectivity = std::variant<Injective, Colliding, Undetermined>;

/// Requires: Σ |d_i|·(s_i - 1) fits in 64 bits. Modes of extent 1 never matter; one of stride 0 always collides. Any
/// two modes that violate the rank-2 criterion (g = gcd(d_1, d_2): d_2/g >= s_1 or d_1/g >= s_2) collide (E6; E7 is the
/// case d_1 | d_2). Otherwise peel (E9): a mode that exceeds what all others reach, or whose stride is free of the
/// others' gcd for s_i steps, takes part in no collision; with at most two modes left the rank-2 criterion is exact. E3
/// and E4 are peelings from the largest. Example: (2,3):(3,2) is Injective although it does not nest; (3,2):(2,4)
/// collides with delta (2,-1).
[[nodiscard]] Injectivity injectivity(std::span<const Mode> modes);

/// The offsets {base + step·i : 0 <= i < count} when the modes fill an arithmetic progression, in any order and with
/// any overlaps: sorted by |stride|, each stride is a multiple of the smallest and at most one step beyond what the
/// smaller ones reach (E2, Brown's completeness). Nothing when they do not, or when a bound leaves 64 bits.
/// Example: (5,100,150):(15000,150,1) fills base 0, step 1, count 75000; (3):(-2) from 10 fills base 6, step 2,
/// count 3.
struct Filling {
  Index base = 0;
  Index step = 1;
  Index count = 1;
};
[[nodiscard]] std::optional<Filling> progression(Index offset, std::span<const Mode> modes);

}  // namespace vl::engines
