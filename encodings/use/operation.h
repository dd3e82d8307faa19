// Operation: the dimensions over which a computation iterates, and the part of each operand, without layouts.
//
//   An operation has *operation dimensions* with extents, and operands: inputs, then results. An operand's *scales*
//   have one entry per operation dimension:
//      h >= 0   this operation dimension is the operand's host dimension h
//      -1       the operand does not have it: broadcast, or reduced
//      -2       as -1, and it is the stick dimension that is reduced (or broadcast over): it needs masking
//      -3       the dimension has size 1 and was elided (older)
//
// Source: Torch-Spyre "Tensor Dimension and Layout Concepts", The Scales Mapping; -2, and that -3 is gone, are
// upstream's.
//
// Worked example, matmul x[1024,512] y[512,256] -> out[1024,256]: dims M=1024, K=512, N=256;
// scales x [0,1,-1], y [-1,0,1], out [0,-1,1].
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/use/family.h"

namespace vl::use {

constexpr Index kAbsent = -1;
constexpr Index kReducedStick = -2;
constexpr Index kElided = -3;

enum class OperationKind {
  Pointwise,
  Reduction,
  Matmul,
  Exx2,
  LayerNormNorm,
  TopK,
  Row,       // each result is of a row of elements, and has an element's place: softmax, sort, cumsum
  RowToOne,  // a row of elements has one result: variance, argmax
};

/// The name of an operation.
struct OperationName {
  std::string_view name;
  OperationKind kind = OperationKind::Pointwise;
  std::string_view forms;  // its operands, for messages
  bool divides = false;    // by the number of summed elements
};
/// pointwise, broadcast, sum, mean, max, min, prod, any, all, reduction, matmul, bmm, exx2, layernormnorm, topk,
/// topk-indices (topk with the indices as its one result), those of rows (softmax, layernorm, rmsnorm, sort,
/// sort-descending, cumsum, cumsum-reverse, logsumexp, variance, welford, argmax, argmin), and pointwise ones by their
/// own names: add, exp, ….
[[nodiscard]] std::span<const OperationName> operation_names();
[[nodiscard]] const OperationName* find_operation(std::string_view name);

struct OperationDim {
  std::string name;
  Index extent = 0;

  bool operator==(const OperationDim&) const = default;
};

struct Operand {
  std::string role;  // "x"; filled by create_operation
  bool result = false;
  std::string text;  // the layout, in its system's notation
  map::Tensor tensor;
  Reading reading;
  std::vector<Index> scales;  // empty: derive them
};

/// Whose rules: those that the documents state, or upstream's refinement of them.
enum class RuleSet { Documents, Upstream };
[[nodiscard]] std::string_view name(RuleSet rules);
[[nodiscard]] std::optional<RuleSet> rule_set_of(std::string_view name);

struct Operation {
  const OperationName* what = nullptr;
  RuleSet rules = RuleSet::Upstream;
  std::vector<OperationDim> dims;
  std::vector<Operand> operands;      // inputs, then results
  bool scales_given = false;          // by the user; else they were derived from the shapes
  const Family* family = nullptr;     // of all operands
  std::vector<std::size_t> row = {};  // of Row: the dimensions of its rows, ascending; the result has them too
};

/// What a user may state besides the operands.
struct OperationHints {
  /// Names and extents, in the order of the scales. Without scales M, K, N and the like may stand in any order.
  std::optional<std::vector<OperationDim>> dims;
  std::optional<std::vector<Index>> reduced;  // dimensions of the input, of a reduction, of topk and of rows
};

/// An operation from its operands. Without scales they are derived from the shapes: pointwise broadcasts from the
/// right, matmul is [M,K]·[K,N], bmm has batch dimensions before, a reduction's result has the reduced dimensions
/// dropped or of size 1, topk changes one extent; of rows `reduced` has to name the dimensions where the result keeps
/// them. Dimensions are named M, K, N, B, else d0, d1, …, and k of topk.
/// Errors: Shape for shapes that do not fit, a wrong number of operands or scales, an ambiguous reduction; Value for
/// a scale below -3 or beyond the operand's rank.
[[nodiscard]] Result<Operation> create_operation(const OperationName& what, RuleSet rules, const Family& family,
                                                 std::vector<Operand> operands, const OperationHints& hints);

/// Does the operand have this operation dimension?
[[nodiscard]] bool has_dim(const Operand& operand, std::size_t dim);

/// One rule about an operand: it holds iff rule.have == rule.want. `words` describes a violation.
struct Constraint {
  std::size_t operand = 0;
  Rule rule;
  std::string words;  // "operand 1 (y) has its stick on K, matmul needs N"

  bool operator==(const Constraint&) const = default;
};

/// "operand 1 (y)".
[[nodiscard]] std::string name_of(const Operation& operation, std::size_t operand);

/// The rules about shapes and scales alone: extents agree, no host dimension is named twice, every host dimension of
/// size > 1 is named, -3 has size 1, and the operands have the roles that the operation needs.
[[nodiscard]] std::vector<Constraint> shape_constraints(const Operation& operation);

/// How padding gets its value.
enum class PaddingMeans {
  Fill,      // it must be written before the operation
  Mask,      // the operation masks it as it reads
  Hardware,  // upstream relies on the hardware to read it as 0
};

/// `count` consecutive device elements.
struct SlotRange {
  Index first = 0;
  Index count = 0;

  bool operator==(const SlotRange&) const = default;
};

/// Padding that an operation reads: dimension `dim` of an operand from its extent up to `to`. Which value it has to
/// have is a question about numbers (verifier/claims/padding_value.h).
struct PaddingNeed {
  std::size_t operand = 0;
  std::size_t dim = 0;
  Index from = 0;
  Index to = 0;
  PaddingMeans means = PaddingMeans::Fill;
  Index slots = 0;                // the number of its slots in the device box
  Index missing = 0;              // the number of further slots, for which the box has no room
  std::vector<SlotRange> ranges;  // the slots, ascending
  bool complete = true;           // false: too many to list; ranges holds the first ones found

  bool operator==(const PaddingNeed&) const = default;
};

/// A family's answer about an operation.
struct Judgement {
  std::vector<Constraint> constraints;
  /// One per operand: the places of its elements up to their order within a stick, if its reading is undecidable
  /// because that order is not known; the rules are about whole sticks. Else absent.
  std::vector<std::optional<map::Layout>> in_sticks;
  std::vector<std::string> sticks;  // one per operand: its last device dimension in words
  std::string unsupported;          // not empty: the part that the rules do not cover
  std::string out_of_reach;         // not empty: the part that could not be derived at this size
  std::vector<PaddingNeed> padding;
  std::string no_plan;  // not empty: why there is no padding plan
};

/// The layout of an operand, or else its `in_sticks`. Null if neither is known.
[[nodiscard]] inline const map::Layout* places_of(const Operation& operation, const Judgement& judgement,
                                                  std::size_t operand) {
  if (const map::Layout* layout = operation.operands[operand].reading.layout()) return layout;
  const bool has = operand < judgement.in_sticks.size() && judgement.in_sticks[operand].has_value();
  return has ? &*judgement.in_sticks[operand] : nullptr;
}

}  // namespace vl::use
