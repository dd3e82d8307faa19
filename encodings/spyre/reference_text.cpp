// Texts to arrays, for the second meaning: a text (a call, a tuple, lines of fields) is first cut into labelled values.
// Then each value is named by its kind and place.
#include "encodings/spyre/reference_text.h"

#include "encodings/base/cursor.h"
#include "encodings/spyre/reference_parts.h"

namespace vl::spyre::second {
namespace {

bool is_opaque(std::string_view label) {
  return label == "device_coordinates" || label == "allocation" || label == "is_input" || label == "arg_index" ||
         label == "name" || label == "work_division";
}

std::optional<Flags> read_flags(std::string_view text) {
  Cursor in(text);
  if (!in.accept("[") && !in.accept("(")) return std::nullopt;
  Flags flags;
  while (in.accept("True")    ? (flags.push_back(true), true)
         : in.accept("False") ? (flags.push_back(false), true)
                              : false)
    if (!in.accept(",")) break;
  if (flags.empty() || (!in.accept("]") && !in.accept(")")) || !in.at_end()) return std::nullopt;
  return flags;
}

std::variant<Indices, std::string_view, Index, Flags, Opaque> read_value(Cursor& in, std::string_view label) {
  if (is_opaque(label)) {
    in.expression("a value");
    return Opaque{};
  }
  const char next = in.peek();
  if (next == '[' || next == '(') {
    Cursor ahead = in;
    if (const auto flags = read_flags(ahead.expression("a list"))) {
      in = ahead;
      return *flags;
    }
    return in.integer_list("a list");
  }
  if ((next >= '0' && next <= '9') || next == '-') return in.integer("a number");
  if (!label.empty() && in.accept("\"")) {
    const std::string_view inside = in.identifier("a name");
    in.expect("\"");
    return inside;
  }
  std::string_view name = in.dotted_name("a value");
  if (name == "get_device_dtype" && in.accept("(")) {
    name = in.dotted_name("a type");
    in.expect(")");
  }
  return name;
}

// The values inside a call or tuple, up to `close`; the values of fields if `close` is empty.
std::vector<Value> read_values(Cursor& in, std::string_view close) {
  std::vector<Value> values;
  const auto over = [&] { return close.empty() ? in.at_end() : in.accept(close); };
  while (!in.failed() && !over()) {
    if (!values.empty()) {
      if (close.empty()) (void)in.accept(",");
      else in.expect(",");
      if (over()) break;
    }
    Value value;
    Cursor ahead = in;
    const std::string_view word = ahead.identifier("a word");
    if (!ahead.failed() && (ahead.accept("=") || (close.empty() && ahead.accept(":")))) {
      value.label = word;
      in = ahead;
    } else if (close.empty()) {
      in.fail("expected a field");
    }
    value.what = read_value(in, value.label);
    values.push_back(std::move(value));
  }
  return values;
}

Result<Said> read_base(Cursor& in, Shape& shape, std::string_view text) {
  std::string_view close = ")";
  if (in.accept("SpyreTensorLayout")) shape = Shape::Layout;
  else if (in.accept("TensorArg")) shape = Shape::Operand;
  else if (in.peek() == '(' || in.peek() == '[') shape = Shape::Tuple;
  if (shape == Shape::Fields) close = "";
  else if (shape == Shape::Tuple && in.accept("[")) close = "]";
  else in.expect("(");
  const auto values = read_values(in, close);
  if (in.failed()) return in.error();
  return say(values, shape, text);
}

}  // namespace

Result<Device> read_device(std::string_view text, const map::Tensor& tensor) {
  Cursor in(text);
  Shape shape = Shape::Fields;
  const bool rescaled = in.accept("rescale_stl_for_dtype") && in.accept("(");
  auto said = read_base(in, shape, text);
  if (!said) return said.error();
  std::string_view name = rescaled ? "rescale" : "";
  if (rescaled) in.expect(",");
  while (!in.failed() && (!name.empty() || in.accept("."))) {
    if (name.empty()) {
      name = in.identifier("a derivation");
      in.expect("(");
    }
    const auto values = read_values(in, ")");
    if (in.failed()) break;
    if (auto error = derive(*said, name, values, tensor)) return *error;
    name = {};
  }
  in.expect_end();
  if (in.failed()) return in.error();
  auto device = said->constructed ? construct(*said) : written(*said, tensor, shape);
  if (device && !said->word("arrangement").empty()) device->arrangement = said->word("arrangement");
  return device;
}

}  // namespace vl::spyre::second
