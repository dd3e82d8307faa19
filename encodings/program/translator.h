// The translator of a function's dataflow into the language of programs: values, lines, and the operations of each
// dialect. An operation that it does not know, or knows in another form, makes its results unknown.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/notation/mlir.h"
#include "encodings/program/function.h"

namespace vl::program {

constexpr std::size_t kMostDimensions = 8;  // of a tensor of a program

/// A tensor of the function.
struct Value {
  std::string name = {};             // in the program; empty: it has a type that programs do not have
  std::string type = {};             // "f32"
  std::vector<Index> shape = {};     // of elements
  std::vector<Index> granules = {};  // one a dimension
  std::string quantised = {};  // of codes: the type that says which numbers they are, "!quant.uniform<i8:f32, 0.1>"
  std::string number = {};     // of a constant that holds one number, which is that
  Index counts = -1;           // of numbers 0, 1, 2 … along a dimension: that
  bool is_place = false;       // of ttir.empty and the like: where a result is to go
};

[[nodiscard]] inline bool is_float(const Value& value) {
  return value.type.starts_with('f') || value.type.starts_with("bf");
}

/// How an operation is said in the language.
enum class Form {
  Pointwise,
  Cast,
  Reduce,
  Along,  // softmax, cumulative sums, sort
  Place,  // argmax
  TopK,
  Norm,  // rmsnorm, layernorm, with weight and bias
  Matmul,
  Linear,
  Dot,
  Number,  // zeros, ones, full, constant
  Reshape,
  Transpose,  // of two dimensions
  Permute,
  Concat,
  Slice,
  Broadcast,
  Pad,
  Reverse,
  Clamp,
  Compare,
  Same,     // the same elements and padding
  Barrier,  // the same of several tensors
  Move,     // the same elements in another place, where nothing wrote padding
  Mask,     // d2m.mask
  View,     // d2m.view_layout
  Generic,  // d2m.generic with one linalg.generic of tiles
  Data,
  Repeat,
  Interleave,
  Heads,
  Elements,  // a function of the valid elements of its operands, of which no more is known
  Whole,     // the same, where no operand has padding: else it may read that
  Control,   // the same of loops and branches, where no tensor at all has padding
  Cache,     // the same, written over the first operand
  Scaled,    // of each element, with scales that are operands or stand in its type
  Target,    // what its text names: stablehlo.custom_call @Sharding
};

struct Row {
  std::string_view name;  // behind the dialect's
  Form form = Form::Pointwise;
  std::string_view word = {};  // in the language
  std::size_t operands = 1;
};

class Translator {
 public:
  Translator(const mlir::Function& from, const Options& options)
      : from_(from), options_(options), module_(options.modules->of(from)) {
    read_comments();
  }

  /// Whether a comment says in which tiles tensors lie.
  [[nodiscard]] bool says_tile() const { return tile_.has_value(); }

  /// The inputs, as the comments say of them.
  void begin();
  /// One operation, which is step `number`. False: its results are unknown, and `why` may say what of it is not known.
  bool take(const mlir::Operation& operation, std::size_t number, std::string& why);
  /// Results of an operation that nobody knows.
  void take_unknown(const mlir::Operation& operation, std::size_t number);
  /// Where a result is to go.
  void take_place(const mlir::Operation& operation);
  /// What a function that is called sees: its arguments. Gives what the caller sees.
  using Values = std::map<std::string, Value, std::less<>>;
  [[nodiscard]] Values enter(const mlir::Operation& call, const mlir::Function& callee);
  void leave(Values outside, const mlir::Operation& call, const mlir::Function& callee,
             const std::vector<std::string>& results);
  /// Nothing is known of any value any more.
  void forget();
  void give_out(const mlir::Operation& operation);
  /// Nothing where no tensor is put out.
  [[nodiscard]] std::optional<Dataflow> end();

 private:
  using Operands = std::vector<const Value*>;

  // What the comments of the module say: "tile", and "padding" and "contents" by input.
  void read_comments();
  // `holds`: whether one at a place is about this function.
  void read_comments_in(std::string_view text, const std::function<bool(std::size_t)>& holds = nullptr);
  [[nodiscard]] static std::size_t module_around(std::string_view text, std::size_t at);
  void note_comments_in(std::string_view text);
  void note_comment(const Comment& comment);
  // False: it cannot be read.
  bool read_comment(const Comment& comment);
  void note_names_of_no_input();
  [[nodiscard]] std::optional<std::vector<Index>> granules_of(const mlir::TensorType& type, std::size_t rank) const;
  [[nodiscard]] static std::optional<Value> value_on_device(const mlir::TensorType& type);
  // A type that programs have; nothing for another one.
  [[nodiscard]] std::optional<Value> value_of(std::string_view type) const;
  [[nodiscard]] std::string name_for(std::string_view name);
  // Without the sign that MLIR has before names.
  [[nodiscard]] static std::string bare(std::string_view name);
  [[nodiscard]] const Value* find(const std::string& name) const;
  // " f32[4,33] tile(1,32)", as inputs and unknown results have them.
  [[nodiscard]] static std::string type_in_words(const Value& value);
  void line(std::string text, std::size_t step);
  // Defines a result by a line, in granules of its own; what the line makes of them is moved where it differs.
  void define(const std::string& result, Value value, const std::string& text,
              std::optional<std::vector<Index>> made = {});
  // A line without a result of the function: a part of an operation.
  [[nodiscard]] std::string part(const std::string& text);
  bool fail(std::string why);
  // Once.
  void note(std::string text);
  // A tensor with padding, for values that programs do not have: whoever reads it may read anything.
  const std::string& opaque();
  // The values that an operation and its regions name, and those that its regions define.
  static void add_read(const mlir::Operation& operation, std::set<std::string>& read, std::set<std::string>& defined);
  [[nodiscard]] static bool is_pure(const mlir::Operation& operation, bool outermost);
  // Another tensor under each name of one that was written over.
  void write_over(const std::string& name, const Value& value);
  // In whose memory a value may lie, by its name in the program.
  [[nodiscard]] std::string source_of(std::string name) const;
  void note_source(Form form, const std::string& result, const std::string& source);

  bool pointwise(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out);
  bool cast(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool reduce(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out);
  bool reduce_pairs(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool reduce_with_start(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool along(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out);
  bool place(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out);
  bool topk(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool norm(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out);
  bool matmul(const mlir::Operation& operation, const Operands& operands, Value& out, bool bias);
  bool dot(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool number(const mlir::Operation& operation, const Row& row, Value& out);
  bool reshape(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool permute(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out);
  bool concat(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool slice(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool broadcast(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool pad(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool reverse(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool clamp(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool compare(const mlir::Operation& operation, const Operands& operands, Value& out);
  // `said`: what stands in dense<…>.
  bool data(const mlir::Operation& operation, std::string_view said, Value& out);
  bool barrier(const mlir::Operation& operation, const Operands& operands);
  bool repeat(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool interleave(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool elements(const mlir::Operation& operation, std::string_view word, const Operands& operands, Value& out);
  bool whole(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool control(const mlir::Operation& operation, Operands operands, Value& out);
  bool scaled(const mlir::Operation& operation, const Operands& operands, Value& out);
  [[nodiscard]] std::string normed(const mlir::Operation& operation, const Operands& operands, const Value& out);
  [[nodiscard]] std::string dequantised(const mlir::Operation& operation, const Operands& operands, const Value& out);
  bool on_codes(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out);
  bool said(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out);
  bool cache(const mlir::Operation& operation, const Row& row);
  bool heads(const mlir::Operation& operation, const Operands& operands, Value& out);
  [[nodiscard]] std::string norm_in_parts(std::string_view word, const std::string& of, std::size_t axis, double eps);
  // What an operation of Torch-Spyre reads beside elements.
  bool adapt(const mlir::Operation& operation, Operands& operands, std::deque<Value>& made);
  bool move(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool mask(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool view(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool generic(const mlir::Operation& operation, Value& out);
  // One operation on tiles within `generic`; the values of its block by name.
  struct Block;
  bool tile_operation(const mlir::Operation& operation, Block& block);
  bool same(const mlir::Operation& operation, const Operands& operands, Value& out);
  bool translate(const mlir::Operation& operation, const Row& row, const Operands& operands, Value& out);

  [[nodiscard]] static std::string unfamiliar(const mlir::Operation& operation, Form form);
  // Of an operation of elements: it says which function it is.
  [[nodiscard]] static bool is_of_elements(std::string_view attribute);
  // The integers of an attribute.
  [[nodiscard]] static std::optional<std::vector<Index>> integers(const mlir::Operation& operation,
                                                                  std::string_view key);
  // A dimension, counted from the end where it is below 0.
  [[nodiscard]] static std::optional<std::size_t> dimension(Index value, std::size_t rank);
  // " tile(1,32)"; empty where each granule is 1.
  [[nodiscard]] static std::string plain_tile(const Value& value);
  [[nodiscard]] static std::string axes_in_words(const std::vector<std::size_t>& axes);

  const mlir::Function& from_;
  const Options& options_;
  const Modules::Module& module_;
  std::optional<std::vector<Index>> tile_;
  std::string equal_ = "any-nan+zero";
  std::string tail_;    // what batchmatmul takes the lanes behind its operand's last element for; empty: nobody says
  std::string opaque_;  // the name of what stands for all that programs do not have
  std::map<std::string, std::string, std::less<>> padding_, contents_;
  std::map<std::string, std::string> shares_;  // values that may lie in the memory of others
  std::map<std::string, Value, std::less<>> values_;
  std::map<std::string, int, std::less<>> taken_;  // names of the program
  std::vector<std::string> named_;                 // by the operation at hand
  Dataflow out_;
  std::vector<std::string> outputs_;
  std::size_t step_ = kNoStep;
  std::string why_;
};

/// "GT" of a comparison; empty where it is of a total order, which sees which zero and which NaN a number is.
[[nodiscard]] std::string_view direction_of(const mlir::Operation& operation);

/// The elements of a list in an order. Requires: each place is one of the list's.
template <class T>
[[nodiscard]] std::vector<T> picked(const std::vector<T>& from, const std::vector<Index>& order) {
  std::vector<T> out;
  out.reserve(order.size());
  for (const Index i : order) out.push_back(from[static_cast<std::size_t>(i)]);
  return out;
}

/// The operation of a dialect; null if it is not known. `dialect` is what stands in front of the first dot.
[[nodiscard]] const Row* find_row(std::string_view operation);

/// Of an operation that names what it does: that. Null if it is not known.
[[nodiscard]] const Row* find_target(const mlir::Operation& operation);

/// A type's name in the language; empty if it has none there. "si32" and "i32": "i32"; "f8E4M3FN": "f8e4m3".
[[nodiscard]] std::string_view type_in_language(std::string_view element);

/// A number as the language reads it; empty where the text is none: "1.5", "-inf", "nan", "bits:0x7f800000" of
/// 0x7F800000.
[[nodiscard]] std::string number_in_language(std::string_view text);

}  // namespace vl::program
