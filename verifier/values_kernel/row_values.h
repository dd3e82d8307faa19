// The results of a row on codes, in the checker's own arithmetic: what rows.h evaluates.
#pragma once

#include <optional>
#include <vector>

#include "verifier/values_kernel/uses.h"
#include "verifier/values_kernel/values.h"

namespace vl::values_kernel {

using RowCodes = std::vector<std::pair<Code, Code>>;  // ascending ranges

/// "0x3C00"; rejects anything else.
[[nodiscard]] Code code_of(const std::string& text);

/// The words of a statement, read.
struct RowQuestion {
  const ReductionText& said;
  const Format &type, &wide;
  RowCodes contents, fill;

  explicit RowQuestion(const ReductionText& text);
  [[nodiscard]] bool is(std::initializer_list<const char*> operations) const;
  [[nodiscard]] bool orders() const;
  [[nodiscard]] bool gives_places() const { return is({"argmax", "argmin", "topk-indices"}); }
  [[nodiscard]] bool same(Code a, Code b) const;
  /// The order takes a code of a higher rank first. Requires: an order.
  [[nodiscard]] std::int64_t rank(Code code) const;
  /// a - b in the accumulator, of codes of the type.
  [[nodiscard]] Code difference(Code a, Code b) const;
};

struct RowShape {
  std::string shape;
  std::vector<Code> valid, pads;  // of the type
};

/// One result per valid element, or those that the operation has; nothing where no fact states it. `everywhere`: where
/// there is one per element, also those that are written at the pads, in the order of the row.
[[nodiscard]] std::vector<std::optional<Code>> row_results(const RowQuestion& about, const RowShape& row,
                                                           bool with_pads, bool everywhere = false);

/// e^x is less than half of the least number of the format. ln 2 < 0xB17217F7D1CF79AC·2^-64.
[[nodiscard]] bool exp_is_zero(const Format& format, Code x);

}  // namespace vl::values_kernel
