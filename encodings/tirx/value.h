// The meaning of an expression of the notation: numbers, terms on axes, sums of S, R and offsets, layouts. An undefined
// name is an unknown value. A value that depends on an unknown value is unknown, and the text is then symbolic. The
// known parts are still checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/tirx/expression.h"
#include "encodings/tirx/tirx.h"

namespace vl::tirx {

/// The value of a name, or of an expression with one.
struct Unknown {
  bool operator==(const Unknown&) const = default;
};

/// n @ axis, and sums of such terms, each axis once.
using Offset = std::vector<std::pair<Axis, Index>>;

/// S[…] + R[…] + offset, in any order; each part may be absent.
struct Spec {
  std::optional<std::vector<Iter>> shard;
  std::optional<std::vector<Iter>> replica;
  Offset offset;
};

struct Value;
using Values = std::vector<Value>;

struct Value : std::variant<Unknown, Index, bool, std::string_view, Offset, Values, Spec, Layout> {
  using variant::variant;

  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(static_cast<const variant*>(this));
  }
  [[nodiscard]] bool unknown() const { return as<Unknown>() != nullptr; }
};

/// A function of two integers: T.ceildiv(a, b), which is `ceil(a / b)`, cdiv and ceil_div, too; floordiv, floormod,
/// min, max; align and round_up, to a multiple.
struct TwoIntegers {
  enum class Function { Ceil, Quotient, Remainder, Min, Max, RoundUp };
  Function function = Function::Ceil;
  const Node* a = nullptr;
  const Node* b = nullptr;
};

/// Evaluates the parts of one text. It keeps the first error; every later value is then unknown.
class Evaluation {
 public:
  [[nodiscard]] Value evaluate(const Node& node);

  /// An integer; 1 for an unknown value. `what` names it in the error.
  Index integer(const Value& value, const Node& node, std::string_view what);
  /// The axis of a name or a text. Error: an axis that is not registered; the message names the intended one.
  Axis axis(std::string_view name, std::size_t offset);

  void fail(ErrorCode code, std::size_t offset, std::string message);
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  /// The first name without a value; empty if all are known.
  [[nodiscard]] const std::string& symbolic() const { return symbolic_; }

 private:
  Value name(const Node& node);
  Value unary(const Node& node);
  Value binary(const Node& node);
  Value on_axis(const Node& node);
  Value sum(const Value& left, const Value& right, const Node& node);
  Value subscript(const Node& node);
  Value value_of(const TwoIntegers& of, const Node& node);
  Value call(const Node& node);
  Value all(const Node& node);  // evaluates the parts for their names; the whole is unknown
  Spec spec(const Node& index, bool shard);
  std::vector<Iter> iters(const Node& extents, const Node* strides);
  std::vector<Iter> row_major(const Values& extents, const Node& node);
  void give_stride(Iter& iter, const Value& stride, const Node& node);
  void add_term(Offset& offset, Axis axis, Index value, std::size_t at);
  Value add_specs(const Spec& left, const Spec& right, const Node& node);
  Value number(std::optional<Index> value, const Node& node);

  std::optional<Error> error_;
  std::string symbolic_;
};

/// TileLayout(…), ComposeLayout(…), SwizzleLayout(…): see constructors.cpp. `called` is the name without its prefix.
[[nodiscard]] std::optional<Value> construct(Evaluation& evaluation, std::string_view called, const Node& call);

/// The name without the prefix of an import: "TileLayout" of "T.TileLayout".
[[nodiscard]] std::string_view without_prefix(std::string_view name);
/// The number of T.int64(8589934592), as TVM prints one that does not fit in 32 bits, or of T.int32(4); null for any
/// other node.
[[nodiscard]] const Node* typed_number(const Node& node);

/// The function that a node calls; nothing for any other node.
[[nodiscard]] std::optional<TwoIntegers> two_integers(const Node& node);

/// A spec as a tile. Errors: there is neither S nor R; its size or a span overflows.
[[nodiscard]] Result<TileLayout> tile_of(const Spec& spec);

}  // namespace vl::tirx
