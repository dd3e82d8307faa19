// A call of torch.ops and what its arguments are (python.h: AtenRow).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encodings/program/python.h"

namespace vl::program {

/// A call, in either of the forms in which torch.fx prints it.
struct FxCall {
  std::string_view callee;               // "torch.ops.aten.exp.default"
  const python::Node* called = nullptr;  // the same, or an expression that is called
  std::vector<const python::Node*> given;
  std::vector<std::pair<std::string_view, const python::Node*>> named;
  bool whole = true;  // false: some of its arguments cannot be told apart
};
/// Nothing for another expression.
[[nodiscard]] std::optional<FxCall> fx_call(const python::Node& value);

/// "placeholder" and "x" of placeholder[target=x](…); nothing for what is no node of a printed graph.
struct FxNode {
  std::string_view word, target;
};
[[nodiscard]] std::optional<FxNode> fx_node(const python::Node& value);

/// The operands in the order of the operation that the row names, and the attributes, in MLIR's notation.
struct FxBound {
  std::vector<const python::Node*> operands;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::string why = {};  // what of it is not known; then there is nothing else

  [[nodiscard]] const std::string* attribute(std::string_view key) const;
  void set(std::string_view key, std::string value);
  /// The bounds of a slice of such a tensor as Python has them: counted from the end where they are below 0, cut where
  /// they are outside. Gives what of it is not known, or nothing.
  [[nodiscard]] std::string slice(const std::optional<mlir::TensorType>& of);
  /// Amounts of padding, which torch gives in pairs from the last dimension on. Gives what is not known.
  [[nodiscard]] std::string pad(const std::optional<mlir::TensorType>& of);
};
[[nodiscard]] FxBound bound(const AtenRow& row, const FxCall& call);

/// "tensor<32x33xf32>" of "f32[32, 33]", "f32[32, 33][33, 1]cpu", or an annotation in which such a string stands in
/// quotes; empty for another text, and for sizes that are no numbers.
[[nodiscard]] std::string fx_type(std::string_view annotation);

/// Whether a number has itself as its value in a type, "f16". In f32 and f64 each one is taken for its nearest.
[[nodiscard]] bool has_number(std::string_view element, std::string_view number);

/// Whether a call is none of aten or prims: it may read and write what it does not name, too.
[[nodiscard]] bool is_foreign(const FxCall& call);
/// Whether a call may write what it was given: one in place, one with `out`, and a foreign one.
[[nodiscard]] bool may_write(const FxCall& call);

}  // namespace vl::program
