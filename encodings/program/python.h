// Functions that are printed in Python's notation (notation/python.h), as functions of operations: what a translator
// needs of them is what it needs of MLIR. Each call becomes an operation with the call's own name; its arguments become
// operands and attributes, by a table of the operations that are known. Types become MLIR's: "f32[32, 33]" is
// tensor<32x33xf32>.
//
//   torch.fx      %e = torch.ops.aten.sum.dim_IntList(%a) {dim_arg = [1], keep_dim = false} : tensor<32xf32>
//   Torch-Spyre   %b = OpSpec.exp(%a) : tensor<4x67xdl16, granules<1,128>>
//
// Values are those of the moment: a name or a buffer that is written again is another value. One that may have been
// written by a call that is not known, or in place, has none.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/notation/mlir.h"
#include "encodings/notation/python.h"
#include "encodings/program/translator.h"

namespace vl::program {

/// What the pieces of functions are pieces of, where the user's text does not have them.
struct Kept {
  mlir::Names names;
  std::deque<std::string> texts;

  std::string_view keep(std::string text) { return texts.emplace_back(std::move(text)); }
};

/// A text and its statements, and what is kept of its functions.
struct PythonText {
  std::string_view text;
  std::vector<python::Statement> statements;
  std::shared_ptr<Kept> kept = std::make_shared<Kept>();

  [[nodiscard]] std::size_t offset(std::string_view piece) const {
    return static_cast<std::size_t>(piece.data() - text.data());
  }
  /// A function of the text without a body.
  [[nodiscard]] mlir::Function function(std::string_view name, std::size_t offset) const;
};

/// The functions `forward` and the graphs that torch.fx prints.
[[nodiscard]] std::vector<mlir::Function> fx_functions_of(const PythonText& text);

/// The kernels of Torch-Spyre: async_compile.sdsc('name', [OpSpec(…), …]).
[[nodiscard]] std::vector<mlir::Function> kernels_of(const PythonText& text);

/// Whether the text has lines of Torch-Spyre's log that name operations, and no kernels.
[[nodiscard]] bool is_log_of_specs(std::string_view text);
/// The operations of such a log, as one function; what they give is not known.
[[nodiscard]] std::vector<mlir::Function> logged_functions_of(const PythonText& text);

/// Functions of elements that have one name in every notation; null if there is none of that name.
[[nodiscard]] std::span<const Row> functions();
[[nodiscard]] const Row* find_function(std::string_view name);

/// An operation of torch.ops, by its name behind that, and its arguments: words that stand for each in turn.
///   @a a tensor, or several in a list; one that is there or None: @a?; behind all other operands: ^a
///   a  an attribute, `a>b` of the name b there; `a:1` is 1 where it is not said; `a==1` has to be that
///   -a without a part in the values     * what follows is said by its name      !b=1 an attribute that is always there
struct AtenRow {
  std::string_view name;
  Row row;
  std::string_view arguments;
};
/// Null if it is not known. "torch.ops.aten.exp.default".
[[nodiscard]] const AtenRow* find_aten(std::string_view operation);
/// The operation of an OpSpec; null if it is not known. "OpSpec.exp".
[[nodiscard]] const Row* find_spec(std::string_view operation);

}  // namespace vl::program
