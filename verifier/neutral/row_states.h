// Results of rows and reductions whose positions hold codes of sets, as padding does: the values of the claim
// padding-state.
//
// A row has dimensions, each of which goes on beyond its extent to a whole one. The positions that are beyond in the
// same dimensions are a part of the row, and each of them holds some code of the part's set (of dot: one per operand).
// All of them are read. An operation has one result (sum, variance), k of them (topk), or one per position (softmax,
// sort), of which those of one part are asked for.
//
//   any all          true and false, as codes: exact
//   places           intervals, by which parts come first in the order; only along one dimension
//   topk sort        of n results in front, each comes no later in the order than the last of any n positions
//   all others       what the kernel says (values_kernel/row_states.h)
//
// Where every part has one code and the evaluation is from left to right along one dimension, it is evaluated.
//
// Example: softmax along 3 of 4 positions, elements 0, pads -inf: at the pads {+0}, at the elements {1/3}. Variance of
// both zeros: {+0}. Sort of finite elements with pads NaN: at the pads NaN.
#pragma once

#include <optional>

#include "encodings/base/integer.h"
#include "verifier/neutral/question.h"

namespace vl::neutral {

/// `parts` has one entry for each set of dimensions, dimension j as bit j: a set per operand, or none where the row has
/// no such position. Of most 2^16 entries.
struct RowOfSets {
  std::vector<Index> extents, whole;
  std::vector<std::vector<CodeSet>> parts;

  /// How many positions a part has, and all of them; nothing if they are more than 64 bits count.
  [[nodiscard]] std::optional<Index> count(std::size_t part) const;
  [[nodiscard]] std::optional<Index> count() const;
};

/// Whether an operation has a result for each position of its row.
[[nodiscard]] bool has_result_per_position(Operation operation);

/// Every code of the format `result` that the results (at the positions of part `at`) can be, and maybe more.
/// Requires: a question that is no misfit, of the mode Mode{}; positions that 64 bits count; no empty set; a result of
/// truth values or places, else of the question's type.
[[nodiscard]] CodeSet image_of_results(const Question& question, const Format& result, const RowOfSets& row,
                                       std::size_t at);

/// A result that some evaluation gives and that is not in `claimed`; nothing if none is found. It is one from left to
/// right, in the order of the indices, with one code in the elements and one in all other positions.
[[nodiscard]] std::optional<Code> result_outside(const Question& question, const Format& result, const RowOfSets& row,
                                                 std::size_t at, const CodeSet& claimed);

// --- Parts of the above, in program/row_state_images.cpp.

/// The image by sets alone; the result's type is the question's. Of no operation with truth values.
[[nodiscard]] CodeSet image_by_sets(const Question& question, const RowOfSets& row, std::size_t at);
[[nodiscard]] CodeSet image_of_places(const Question& question, const RowOfSets& row);

}  // namespace vl::neutral
