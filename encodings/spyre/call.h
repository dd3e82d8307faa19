// A Python call NAME(argument, …, keyword=argument, …), read once; then its arguments are taken one by one. This file
// knows the forms of arguments and nothing about layouts; parse.cpp and records.cpp decide which overload a call is.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/base/cursor.h"
#include "encodings/map/rule.h"
#include "encodings/spyre/dtypes.h"

namespace vl::spyre {

struct NestedCall {  // get_device_dtype(torch.float16)
  std::string_view function;
  std::string_view argument;
};
struct Unread {  // an argument whose value is not read
  std::string_view text;
};
using Names = std::vector<std::string_view>;  // [False, True, True]
struct Expressions {                          // [ceil(N/64), M, 64]
  std::vector<map::Expression> list;
  std::vector<std::pair<std::size_t, std::size_t>> spans;  // of each entry in the text
};
enum class Entries { Integers, Expressions };  // of the lists of a call

struct Argument {
  std::string_view keyword;  // empty if positional
  std::variant<std::vector<Index>, Expressions, std::string_view, Index, NestedCall, Names, Unread> value;
  std::size_t offset = 0;  // of the value in the text
  std::size_t start = 0;   // of the keyword, or of the value without one
};

/// Reads the call; the cursor stands behind it then. `skipped` are keywords whose value may be any expression. Errors
/// stay in the cursor: Syntax for a positional argument behind a keyword, and for a keyword that is given twice; for
/// expressions those of map::take_expression, and for too many of them.
[[nodiscard]] std::vector<Argument> parse_call(Cursor& in, std::string_view name, Entries entries,
                                               std::span<const std::string_view> skipped = {});

/// The place of an entry of the list of integers at `list`: of -150 in "(5, -150)", from 0 and for entry 1, that is 4.
[[nodiscard]] std::size_t entry_at(std::string_view text, std::size_t list, std::size_t entry);

/// Takes the arguments of a call one by one; the first error stays in the cursor.
class Arguments {
 public:
  Arguments(Cursor& in, std::vector<Argument> arguments) : in_(in), arguments_(std::move(arguments)) {}

  [[nodiscard]] bool has(std::string_view keyword) const { return find(keyword) != nullptr; }
  [[nodiscard]] std::size_t positional() const;
  /// The positional argument number `position`; null if there is none.
  [[nodiscard]] const Argument* at(std::size_t position) const;
  [[nodiscard]] static bool is_list(const Argument* a) {
    return a != nullptr &&
           (std::holds_alternative<std::vector<Index>>(a->value) || std::holds_alternative<Expressions>(a->value));
  }

  /// Gives positional arguments the keywords of an overload, in order. Errors: Shape for more arguments than keywords,
  /// Syntax for an argument that is also given by keyword.
  void name_positional(std::span<const std::string_view> keywords);

  /// Number: Index, also of expressions that are integers, or map::Expression.
  template <class Number>
  [[nodiscard]] std::vector<Number> list(std::string_view keyword);
  /// A device format: DataFormats.X or get_device_dtype(torch.x). If it is absent, `usual`, unless that is null.
  [[nodiscard]] DeviceFormat device_dtype(const DeviceFormat* usual);
  [[nodiscard]] DeviceFormat torch_dtype();
  /// The name behind the last dot of an optional argument; empty if it is absent.
  [[nodiscard]] std::string enumerator(std::string_view keyword);
  /// An optional integer.
  [[nodiscard]] std::optional<Index> integer(std::string_view keyword);
  /// An optional list of True and False, or a single one.
  [[nodiscard]] std::optional<std::vector<bool>> flags(std::string_view keyword);
  /// A Syntax error at the first keyword that is not one of these, separated by ", ".
  void only(std::string_view known);

  /// The offset of an argument's value; 0 if it is absent.
  [[nodiscard]] std::size_t offset(std::string_view keyword) const;
  /// Records an error at an argument, or at an entry of its list.
  void fail(ErrorCode code, std::string_view keyword, std::string message, std::optional<std::size_t> entry = {});
  [[nodiscard]] bool failed() const { return in_.failed(); }

 private:
  [[nodiscard]] const Argument* find(std::string_view keyword) const;
  const Argument* take(std::string_view keyword, std::string_view expected);
  void wrong(const Argument& argument, std::string_view expected);
  DeviceFormat take_format(const Result<DeviceFormat>& format, const Argument& argument);

  Cursor& in_;
  std::vector<Argument> arguments_;
};

}  // namespace vl::spyre
