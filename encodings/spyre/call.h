// A Python call NAME(argument, …, keyword=argument, …), read once and then taken apart argument by argument. It knows
// what an argument can look like and nothing of layouts; parse.cpp and records.cpp say which overload a call is.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/base/cursor.h"
#include "encodings/spyre/dtypes.h"

namespace vl::spyre {

struct NestedCall {  // get_device_dtype(torch.float16)
  std::string_view function;
  std::string_view argument;
};
struct Unread {  // an argument that nobody looks into
  std::string_view text;
};
using Names = std::vector<std::string_view>;  // [False, True, True]

struct Argument {
  std::string_view keyword;  // empty when positional
  std::variant<std::vector<Index>, std::string_view, Index, NestedCall, Names, Unread> value;
  std::size_t offset = 0;  // of the value in the text
  bool used = false;
};

/// Reads the call and expects the end behind it. `skipped` are keywords whose value is any expression. Errors stay in
/// the cursor: Syntax for a positional argument behind a keyword and for a keyword that is given twice.
[[nodiscard]] std::vector<Argument> parse_call(Cursor& in, std::string_view name,
                                               std::span<const std::string_view> skipped = {});

/// One argument's value: a list, an integer, a dotted name or a nested call. Quoted names only where `quoted`.
[[nodiscard]] Argument parse_value(Cursor& in, bool quoted);

/// Takes arguments out of a call one by one; the first thing that is wrong stays in the cursor.
class Arguments {
 public:
  Arguments(Cursor& in, std::vector<Argument> arguments) : in_(in), arguments_(std::move(arguments)) {}

  [[nodiscard]] bool has(std::string_view keyword) const { return find(keyword) != nullptr; }
  [[nodiscard]] std::size_t positional() const;
  /// The positional argument number `position`; null when there is none.
  [[nodiscard]] const Argument* at(std::size_t position) const;
  [[nodiscard]] static bool is_list(const Argument* a) {
    return a != nullptr && std::holds_alternative<std::vector<Index>>(a->value);
  }

  /// Gives positional arguments the keywords of an overload, in order. Errors: Shape for more arguments than that,
  /// Syntax for one that is given by keyword too.
  void name_positional(std::span<const std::string_view> keywords);

  [[nodiscard]] std::vector<Index> list(std::string_view keyword);
  /// A device format: DataFormats.X or get_device_dtype(torch.x); `usual` when it is absent and there is a usual one.
  [[nodiscard]] DeviceFormat device_dtype(const DeviceFormat* usual);
  [[nodiscard]] DeviceFormat torch_dtype();
  /// The name behind the last dot of an optional argument; empty when it is absent.
  [[nodiscard]] std::string enumerator(std::string_view keyword);
  /// An optional integer.
  [[nodiscard]] std::optional<Index> integer(std::string_view keyword);
  /// An optional list of True and False, or one of them.
  [[nodiscard]] std::optional<std::vector<bool>> flags(std::string_view keyword);
  /// Marks an argument as read without looking at it.
  void skip(std::string_view keyword);
  /// Syntax error at the first argument that nothing took.
  void all_used(std::string_view known);

  /// Where an argument's value stands; 0 when it is absent.
  [[nodiscard]] std::size_t offset(std::string_view keyword) const;
  /// Records an error at an argument.
  void fail(ErrorCode code, std::string_view keyword, std::string message);
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
