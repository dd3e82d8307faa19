// Operands with which Spyre can compute: a rule about sticks for each kind of operation, from stick expressions that
// are derived from the layouts.
//
// The *stick expression* of an operand is its last device dimension as a function of the operation's dimensions:
// element -> lane within its stick. The hardware accepts Mod(v, eps), a variable v alone, or 0; with an added constant
// the operand has to be restickified first (torch-spyre #2085, #2595). The operand's *stick variable* is the v, if any:
// the dimension on which the lane depends. (Depends: two points that differ only in v have different lanes. A dimension
// of size 1 is not a variable.)
//
//                  documents                              upstream
//   pointwise      all have the same stick variable       at most one stick variable, which an operand with another
//                                                         stick does not have elsewhere (#2082); none is allowed
//   matmul, bmm    x on K, y and out on N (both). A dimension of size 1 has no stick variable (sparse), as for N = 1
//   reduction      if the stick survives, the result has it; if it is reduced, the result has none (sparse) (both)
//   exx2           the input's stick is reduced; the result is sparse, with one value per stick | two (EXX2)
//   layernormnorm  same shape, strides and stick of x and result; at most one stick variable, as pointwise
//   topk           no stick is the searched dimension or k; at most one stick variable (both)
//   scales         -1, -3 | -1, and -2 if the stick is reduced or broadcast over; no -3 since #787
//
// Worked example, matmul f16 x[1024,512] y[512,256] out[1024,256], default layouts: lanes K mod 64, N mod 64, N mod 64.
//
// Sources: Torch-Spyre "Tensor Layouts", Per-operation stick and padding constraints; torch-spyre
// op_spec_validation.py, pass_utils.stick_compatible, superdsc.py. The rules do not say whether an operand's own layout
// is right; the claim also checks that each element has a slot. Ask bijective for each operand.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "encodings/map/digits.h"
#include "encodings/spyre/spyre.h"
#include "encodings/use/operation.h"

namespace vl::spyre {

/// The most pairs of elements that are compared to derive one operand's stick, if its coordinates are not digit sums.
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

/// The places of an operand's elements. If their order within a stick is not known (the reading is undecidable), they
/// are in order within their sticks: for statements about whole sticks.
[[nodiscard]] map::Layout in_sticks(const use::Operand& operand);

/// The stick of one operand. Requires: shape_constraints(operation) hold.
[[nodiscard]] Stick stick_of(const use::Operation& operation, std::size_t operand);

/// All rules, each operand's stick, and the padding plan. Requires: shape_constraints(operation) hold.
[[nodiscard]] use::Judgement judge(const use::Operation& operation);

/// Padding that the operation reads, with the value that it must have (torch-spyre padding.py, superdsc.py):
///   matmul, bmm   y's rows K..⌈K/eps⌉·eps must be 0 (eps of x): fill. x's lanes beyond K: read as 0 by the hardware.
///   reduction     of the stick dimension: the lanes beyond it are masked, max -inf, min +inf, else 0; of a type
///                 without infinities the least and the greatest number, of SEN169_FP16 0xfffe and 0x7ffe
///   exx2          as a reduction, 0
///   others        none: pointwise operations compute garbage from garbage, and no value is neutral for all
/// Example: y f16[67,256], K = 67 -> 128: 61 rows of 256 slots, or as many missing if the box has 67 rows.
/// Requires: shape_constraints(operation) hold.
struct Plan {
  std::vector<use::PaddingNeed> needs;
  std::string why_none;  // not empty: why there is no plan
};
[[nodiscard]] Plan plan_of(const use::Operation& operation, std::span<const Stick> sticks);

/// K is the operation dimension in x and y that out lacks; N is the one in y and out that x lacks (of several, the one
/// on y's stick). Nothing if it was elided.
struct MatmulRoles {
  std::optional<std::size_t> k;
  std::optional<std::size_t> n;
};
[[nodiscard]] MatmulRoles matmul_roles(const use::Operation& operation, const Stick& y);

}  // namespace vl::spyre
