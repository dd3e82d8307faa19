// A row in parts, as row_states.h checks one: its statement, read.
#pragma once

#include <string_view>

#include "verifier/values_kernel/fold.h"
#include "verifier/values_kernel/row_values.h"

namespace vl::values_kernel {

struct PartOfRow {
  Wide count;                     // of positions
  std::vector<CodeRanges> holds;  // of the type, one per operand; none: there is no such position
};

class RowOfParts {
 public:
  /// Rejects other dimensions and parts; the words of the text are looked at by check_row_states.
  explicit RowOfParts(const RowStateText& said);

  [[nodiscard]] bool is(std::string_view operation) const { return text_.operation == operation; }
  [[nodiscard]] bool is_ordered() const;
  [[nodiscard]] bool gives_places() const { return is("argmax") || is("argmin") || is("topk-indices"); }
  [[nodiscard]] bool is_per_position() const;
  [[nodiscard]] const ReductionText& text() const { return text_; }
  [[nodiscard]] const RowText& rules() const { return *text_.row; }
  [[nodiscard]] const Format& type() const { return type_; }
  [[nodiscard]] const Format& wide() const { return wide_; }
  [[nodiscard]] const std::vector<PartOfRow>& parts() const { return parts_; }
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] std::size_t dims() const { return extents_.size(); }
  [[nodiscard]] Wide count() const { return count_; }
  /// Operand 0 of a part, in the accumulator, and of all parts together.
  [[nodiscard]] CodeRanges widened_part(std::size_t part) const;
  [[nodiscard]] CodeRanges widened_all() const;
  /// The part of each position, in their order. Requires: few.
  [[nodiscard]] std::vector<std::size_t> order() const;

 private:
  ReductionText text_;  // of any contents and fill
  const Format &type_, &wide_;
  Integers extents_, whole_;
  std::vector<PartOfRow> parts_;
  std::size_t at_ = 0;
  Wide count_ = 1;
};

/// Every code of the accumulator that the results asked for can be, by sets. Of no order and no truth value.
[[nodiscard]] CodeRanges results_of_sets(const RowOfParts& row);

}  // namespace vl::values_kernel
