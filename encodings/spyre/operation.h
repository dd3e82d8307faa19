// Which operands Spyre can compute with: a rule about sticks for each kind of operation, from stick expressions that
// are derived from the layouts, never looked up.
//
// The *stick expression* of an operand is what its last device dimension says as a function of the operation's
// dimensions: element -> lane within its stick. The hardware takes Mod(v, eps), a variable v alone, or 0; the same
// plus a constant offset has to be restickified first (torch-spyre #2085, #2595). The operand's *stick variable* is
// the v, if any: the dimension on which the lane depends. (Depends: two points that differ only in v have different
// lanes. A dimension of size 1 is no variable.)
//
//                  documents                              upstream
//   pointwise      all have the same stick variable       at most one stick variable, and no operand without it as its
//                                                         stick has it elsewhere (#2082); without any: fine
//   matmul, bmm    x on K, y and out on N (both). Of size 1: no stick variable (sparse), as for N = 1
//   reduction      the stick survives: the result has it; it is reduced: the result has none (sparse) (both)
//   exx2           the input's stick is reduced; the result is sparse, with one value per stick | two (EXX2)
//   layernormnorm  same shape, strides and stick of x and result; at most one stick variable, as pointwise
//   topk           no stick is the searched dimension or k; at most one stick variable (both)
//   scales         -1, -3 | -1, -2 where the stick is reduced or broadcast over; no -3 since #787
//
// Worked example, matmul f16 x[1024,512] y[512,256] out[1024,256], default layouts: lanes K mod 64, N mod 64, N mod 64.
//
// Sources: Torch-Spyre "Tensor Layouts", Per-operation stick and padding constraints; torch-spyre
// op_spec_validation.py, pass_utils.stick_compatible, superdsc.py. The rules say nothing on whether an operand's layout
// is right in itself (the claim also asks that each element has a slot); ask bijective of each.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "encodings/map/digits.h"
#include "encodings/spyre/spyre.h"
#include "encodings/use/operation.h"

namespace vl::spyre {

/// Pairs of elements that deriving one operand's stick may compare, where its coordinates are no sums of digits.
constexpr Index kStickWalk = Index{1} << 22;

struct Stick {
  std::set<std::size_t> variables;  // operation dimensions that drive the last device dimension
  std::set<std::size_t> elsewhere;  // those that drive another device dimension, and not the last
  std::string text;                 // "Mod(K, 64)"
  bool supported = true;            // of the form above, up to the offset
  Index offset = 0;
  bool decided = true;  // false: too large to derive

  bool operator==(const Stick&) const = default;
};

/// Where an operand's elements are, in order within their sticks when their order is not known: then the reading is
/// undecidable and this is for what is said of whole sticks.
[[nodiscard]] map::Layout in_sticks(const use::Operand& operand);

/// The stick of one operand. Requires: shape_constraints(operation) hold.
[[nodiscard]] Stick stick_of(const use::Operation& operation, std::size_t operand);

/// All rules, each operand's stick, and the padding plan. Requires: shape_constraints(operation) hold.
[[nodiscard]] use::Judgement judge(const use::Operation& operation);

/// Padding that the operation reads, with the value it has to have (torch-spyre padding.py, superdsc.py):
///   matmul, bmm   y's rows K..⌈K/eps⌉·eps must be 0 (eps of x): fill. x's lanes beyond K: read as 0 by the hardware.
///   reduction     of the stick dimension: the lanes beyond it are masked, max -inf, min +inf, else 0
///   exx2          as a reduction, 0
///   others        none: pointwise operations compute garbage from garbage, and no value is neutral for all
/// Example: y f16[67,256], K = 67 -> 128: 61 rows of 256 slots, or as many missing when the box has 67 rows.
/// Requires: shape_constraints(operation) hold.
struct Plan {
  std::vector<use::PaddingNeed> needs;
  std::string why_none;  // not empty: why there is no plan
};
[[nodiscard]] Plan plan_of(const use::Operation& operation, std::span<const Stick> sticks);

/// The one operation dimension in x and y that out lacks (K), in y and out that x lacks (N; the one on y's stick when
/// there are several). Nothing when it was elided.
struct MatmulRoles {
  std::optional<std::size_t> k;
  std::optional<std::size_t> n;
};
[[nodiscard]] MatmulRoles matmul_roles(const use::Operation& operation, const Stick& y);

}  // namespace vl::spyre
