// MLIR as it is printed: the functions of a text, each with its operations, in the generic and in the pretty form.
//
//   %0 = "ttir.sum"(%a) <{dim_arg = [-1 : i32]}> : (tensor<4x33xf32>) -> tensor<4x1xf32>      generic
//   %0 = stablehlo.add %a, %b : tensor<4x33xf32>                                               pretty
//
// No dialect is known here. Whatever stands between brackets is skipped by its brackets, so that types and attributes
// of every dialect pass, and an operation ends where the next one begins. What an operation says is given as pieces of
// the text. Names of attributes and types (#map, !tile) are replaced by `written_out`.
//
// A text may hold several modules, one behind the other, between lines `// -----`, as tests of compilers do, or behind
// lines `// -----// IR Dump After P`; each has its own names. A function that cannot be read says why, and the next one
// is read. Reading takes time in proportion to the text.
//
// Example: of the first line above, name "ttir.sum", results {"%0"}, operands {"%a"}, attribute("dim_arg") "[-1 :
// i32]".
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/base/integer.h"

namespace vl::mlir {

/// Names of attributes and types, with their sign, and what stands for each: "#map".
using Names = std::map<std::string, std::string_view, std::less<>>;

struct Operation;

/// A value that a function or a block is given.
struct Argument {
  std::string name;  // "%arg0"
  std::string_view type;
};

/// One block or more; their operations stand one after the other.
struct Region {
  std::vector<Argument> arguments;  // of the first block
  std::vector<Operation> operations;
  std::size_t blocks = 1;
};

struct Operation {
  std::string_view name;             // "ttir.sum", "return"
  std::size_t offset = 0;            // of its first result, or of its name
  std::size_t length = 0;            // up to its end, regions included
  std::vector<std::string> results;  // "%0"; of a pack %0:2 "%0#0" and "%0#1"
  std::vector<std::string> operands;
  bool generic = false;                   // the name stands in quotes
  std::string_view properties;            // between <{ and }>
  std::string_view attributes;            // between { and }
  std::string_view custom;                // pretty form: what stands between the name and the types
  std::vector<std::string_view> inputs;   // types of the operands, as far as they are said
  std::vector<std::string_view> outputs;  // types of the results; of `a, b : S, T` in the pretty form T
  std::vector<Region> regions;
  std::string refused = {};  // why it is none that is known, whatever its name; set by readers of other notations

  /// The value of an attribute, wherever it stands; nothing if there is none. Of one without a value it is empty.
  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view key) const;
};

struct Function {
  std::string name;  // "@forward"
  std::size_t offset = 0;
  std::vector<Argument> arguments;
  std::vector<std::string_view> results;  // types
  Region body;
  bool declared = false;               // it has no body
  std::string refused = {};            // why it cannot be read; then it has no body
  std::size_t refused_at = 0;          // where
  std::shared_ptr<const Names> names;  // of its module
  std::string_view module;             // its text
  std::size_t module_offset = 0;
  std::string_view mark = "//";  // before a comment
};

constexpr std::size_t kDeepestBracket = 256;
constexpr std::size_t kLongestWritten = 64U * 1024;  // bytes of a text with its names written out
constexpr std::size_t kMostOperations = 200'000;     // of a text

/// Every `func.func` of the text, in order.
[[nodiscard]] std::vector<Function> functions_of(std::string_view text);

/// Whether the text looks like MLIR with a function: "func.func" stands in it.
[[nodiscard]] bool has_functions(std::string_view text);

/// The text with every known name written out, and names in these, too. Nothing where a name stands for itself, or
/// more than kLongestWritten bytes come of it. Example: "tensor<2xf32, #l>" with #l = #ttcore.x<1>: "tensor<2xf32,
/// #ttcore.x<1>>".
[[nodiscard]] std::optional<std::string> written_out(std::string_view text, const Names& names);

/// The parts of a text between commas outside of brackets, without blanks at their ends. Of a blank text: none.
[[nodiscard]] std::vector<std::string_view> listed(std::string_view text);

/// The integers of "[-1 : i32, 2 : i32]", "array<i64: 0, 1>", "dense<[0, 1]> : tensor<2xi64>", "[0, 1]" or "3 : i32".
/// Nothing where something else stands there, or an integer leaves 64 bits.
[[nodiscard]] std::optional<std::vector<Index>> integers_of(std::string_view text);

/// A value without the type behind it: "1.0e-05" of "1.0e-05 : f32".
[[nodiscard]] std::string_view without_type(std::string_view value);

/// tensor<4x33xf32, #l>: its sizes, the type of an element, and what stands behind the comma. Nothing for another type,
/// and for a size that is no number ('?').
struct TensorType {
  std::vector<Index> shape;
  std::string_view element;
  std::string_view encoding;  // empty: none
};
[[nodiscard]] std::optional<TensorType> tensor_type(std::string_view text);

}  // namespace vl::mlir
