// The parts of the second meaning's texts: values with labels (reference_text.cpp), what they are called
// (reference_said.cpp), and the layout that follows (reference_device.cpp).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/spyre/reference_text.h"

namespace vl::spyre::second {

struct Opaque {};
using Flags = std::vector<bool>;
struct Value {
  std::string_view label;  // empty when positional
  std::variant<Indices, std::string_view, Index, Flags, Opaque> what;

  [[nodiscard]] const Indices* list() const { return std::get_if<Indices>(&what); }
  [[nodiscard]] const std::string_view* name() const { return std::get_if<std::string_view>(&what); }
};

enum class Shape { Layout, Operand, Tuple, Fields };

/// Everything that a text can say, by name.
struct Said {
  std::map<std::string_view, Indices, std::less<>> lists;
  std::map<std::string_view, std::string, std::less<>> words;
  Flags flags;
  Index per_stick = -1;      // from the type; -1 when there was none
  bool constructed = false;  // the type is PyTorch's: sizes and not slots are given
  bool old = false;          // of the generation that had stick formats

  [[nodiscard]] const Indices* list(std::string_view name) const {
    const auto found = lists.find(name);
    return found == lists.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::string_view word(std::string_view name) const {
    const auto found = words.find(name);
    return found == words.end() ? std::string_view{} : std::string_view(found->second);
  }
};

[[nodiscard]] inline Error wrong(std::string message) { return Error{ErrorCode::Value, std::move(message)}; }

/// What the values of a layout's text say. Errors: Value, what is unknown, said twice or not named.
[[nodiscard]] Result<Said> say(const std::vector<Value>& values, Shape shape, std::string_view text);
/// Says a type, PyTorch's or a device format, which decides how many elements are in a stick.
[[nodiscard]] std::optional<Error> say_type(Said& said, std::string_view name, bool asks_device);
/// The word behind the last dot: "ElementArrangement.STANDARD" is STANDARD.
[[nodiscard]] inline std::string_view last_word(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// The device's layout: by the constructor's rules, or as the text writes it.
[[nodiscard]] Result<Device> construct(const Said& said);
[[nodiscard]] Result<Device> written(const Said& said, const map::Tensor& tensor, Shape shape);
/// Makes `said` the constructor call of the layout that the derivation `name` gives.
[[nodiscard]] std::optional<Error> derive(Said& said, std::string_view name, const std::vector<Value>& values,
                                          const map::Tensor& tensor);

}  // namespace vl::spyre::second
