// Result<T>: a value, or the Error that says why there is none. The names are those of std::expected, which the two
// supported compilers do not have in C++20. When they have it, this file becomes a `using`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "encodings/base/check.h"

namespace vl {

enum class ErrorCode {
  Syntax,    // the text is not in the notation
  Value,     // well-formed text with a value that the notation does not allow
  Overflow,  // a number or a product does not fit in 64 bits
  Shape,     // ranks or lengths that must agree differ
  NotComposable,
  NotInvertible,
  Box,  // a declared box does not fit the layout
  Io,   // a file cannot be read or written, or violates its format
};

/// The name of a code, for example "overflow".
std::string_view name(ErrorCode code);

/// An error in some input. `offset` counts bytes from the start of the text; code that knows the file turns it into
/// line and column (encodings/base/source.h). It is 0 for an error that has no place.
struct Error {
  ErrorCode code = ErrorCode::Value;
  std::string message;
  std::size_t offset = 0;

  bool operator==(const Error&) const = default;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  /// Requires: has_value().
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  T& value() {
    VL_CHECK(has_value(), "a Result without a value was read: " + std::get<1>(state_).message);
    return std::get<0>(state_);
  }
  const T& value() const { return const_cast<Result*>(this)->value(); }

  /// Requires: !has_value().
  [[nodiscard]] const Error& error() const {
    VL_CHECK(!has_value(), "a Result with a value has no error");
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// Visits a variant with one lambda per alternative.
template <class... Lambdas>
struct overloaded : Lambdas... {
  using Lambdas::operator()...;
};
template <class... Lambdas>
overloaded(Lambdas...) -> overloaded<Lambdas...>;

}  // namespace vl
