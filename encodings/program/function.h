// Functions of users' programs, as importers read them. An importer knows the notation; here is what it found: the
// operations in order, with their places in the text; what is to be asked of those that stand between layouts; and the
// dataflow, as a text in the language of programs (verifier/neutral/program/program.h), which can be run again without
// the importer.
//
// An operation that is not known loses nothing else. It is listed, and its results are `unknown` in the language: they
// may hold anything. Values that programs do not have (memrefs, quantised types, tensors in the shape of a device) are
// one tensor `opaque` there, with padding: what reads one is unknown whatever it is.
//
// What a text cannot state, comments in its module do, `// vl:`, in Python `# vl:` (inputs by their names, or all):
//   // vl: tile(32,32) padding a0: 0; a1: unwritten contents finite
//   # vl: device tail zero       of Torch-Spyre: tensors lie as their device_size says, which needs no word; and
//                                batchmatmul takes the lanes past the last element of its first operand for 0, which
//                                is disputed (padding.py says so, #4342 that it reads them): else they are read
// Elsewhere inputs have contents `any` and padding `unwritten`, and results are compared as numbers: `equal
// any-nan+zero`.
//
// Example: func.func @f(%a0: tensor<32x33xf32>) with "ttir.exp"(%a0) and "ttir.sum" of it over the last dimension, in
// tiles of 32x32, is
//   a0 = input f32[32,33] tile(32,32)
//   v1 = exp a0
//   v2 = sum v1 over 1 keep
//   equal any-nan+zero
//   output v2
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/notation/mlir.h"

namespace vl::program {

/// What becomes of an operation: something is asked of it or of its values; it has no effect on values; or nobody knows
/// what it does, and its results may be anything.
enum class Known { Judged, Free, Unknown };

struct Step {
  std::string operation;   // "d2m.mask", as the user wrote it
  std::string result;      // "%5"; empty if it has none
  std::size_t offset = 0;  // in the user's text
  Known known = Known::Unknown;
  std::string why = {};     // of an operation that is known in another form: what is not
  std::string beside = {};  // attributes that its lines do not say, as precision; of two operations they may differ
};

/// A view: types as the text has them, with every name written out, and the map from the result to the source.
struct View {
  std::size_t step = 0;
  std::string result, source, map;
  bool has_layouts = false;  // on both sides
};

/// A mask writes what its shape leaves out of the last two dimensions.
struct Mask {
  std::size_t step = 0;
  std::string type;
  std::vector<Index> shape;
  bool has_layout = false;
};

/// A move from one layout to another, with both types as a view has them.
struct Move {
  std::size_t step = 0;
  std::string result, source;
};

/// Bytes of a device's memory that an operation reads or writes, where the text states them.
struct Access {
  std::size_t step = 0;
  bool writes = false;
  std::string space;         // "hbm", "lx"
  Index begin = 0, end = 0;  // bytes
  Index argument = -1;       // the number of the kernel's argument; -1: none
  std::string name = {};     // of the buffer, where it is said
};

/// The dataflow of a function.
struct Dataflow {
  std::string text;                // a program
  std::vector<std::size_t> steps;  // of each line of the text the step from which it comes; kNoStep: of none
  /// Of each line that gives a result of the function its type and sizes, "f32[4,33] padded to [32,64]", as the user's
  /// text has them: a line that is another tensor in the program says something else than the operation.
  std::vector<std::string> results = {};
  std::vector<std::string> notes;    // what was taken for granted, and comments that say nothing of it
  std::vector<std::string> outputs;  // as the user names them, in order
};
constexpr std::size_t kNoStep = static_cast<std::size_t>(-1);

struct Function {
  std::string name;              // "@forward"
  std::size_t offset = 0;        // in the user's text
  std::vector<Step> steps = {};  // of those within regions the ones of which something is asked
  std::vector<View> views = {};
  std::vector<Mask> masks = {};
  std::vector<Move> moves = {};              // between layouts alone
  std::vector<Access> accesses = {};         // in order; of an operation what it reads comes first
  std::optional<std::size_t> unplaced = {};  // the first step of which it is not known which bytes it uses
  std::optional<Dataflow> dataflow = {};     // absent: it puts no tensor out
  std::string refused = {};                  // why the function cannot be read; then it has no steps
  std::size_t refused_at = 0;
};

/// What the functions of a text say of each other, which each of them asks: looked up once.
class Modules {
 public:
  struct Module {
    std::vector<const mlir::Function*> functions = {};  // in order
    /// By name; null where two have it: in modules within each other it is not known which one is meant.
    std::map<std::string_view, const mlir::Function*> by_name = {};
    std::set<std::string_view> arguments = {};  // names of inputs of any function
    bool is_tiled = false;                      // it has operations of Tenstorrent's dialects
    bool has_comments = false;                  // in front of its first function
  };

  /// The functions have to outlive it.
  explicit Modules(std::span<const mlir::Function> functions);
  /// Requires: a function of the text.
  [[nodiscard]] const Module& of(const mlir::Function& function) const { return modules_.at(function.names.get()); }

 private:
  std::map<const mlir::Names*, Module> modules_;
};

/// What is proved of a view: coordinate j of the source's element is coordinate dims[j] of the result's, plus first[j].
/// Example: rows 10..41 of a matrix are dims {0, 1}, first {10, 0}.
struct Seen {
  std::vector<Index> dims, first;
  bool whole = false;  // so are the coordinates of all slots, padding included
};

struct Options {
  /// Granules of the last dimensions of tensors without a layout; empty: as their dialect has them (ttir, ttnn and d2m
  /// 32x32, others none).
  std::vector<Index> tile = {};
  /// Places of operations that are taken for unknown whatever they are.
  std::set<std::size_t> unknown = {};
  /// What views show, by the places of these operations. Of others nothing is known.
  std::map<std::size_t, Seen> seen = {};
  /// Of the text: functions of the same module may be called. A call is taken for what it calls. Null: of the function
  /// alone.
  const Modules* modules = nullptr;
};

/// One word of a comment, `// vl: padding a0: 0`, and what it says.
struct Comment {
  std::string_view word, says;
  std::size_t offset = 0;  // of the comment in the text
};
/// The words of every comment of a text that stands alone in its line. `mark` begins a comment: "//", "#".
[[nodiscard]] std::vector<Comment> comments_in(std::string_view text, std::string_view mark);
/// "equal @f @g": the two functions of which the comment says so. Nothing of another one.
[[nodiscard]] std::optional<std::pair<std::string_view, std::string_view>> functions_in(const Comment& comment);

/// The functions of a text, in the notation that it is in: MLIR (notation/mlir.h), or Python as torch.fx and
/// Torch-Spyre print it (python.h). Pieces of them lie in the text.
[[nodiscard]] std::vector<mlir::Function> functions_of(std::string_view text);

/// Whether a text looks as if it had functions.
[[nodiscard]] bool has_functions(std::string_view text);

/// A function of a text.
[[nodiscard]] Function function_of(const mlir::Function& function, const Options& options = {});

}  // namespace vl::program
