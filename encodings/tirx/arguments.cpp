#include "encodings/tirx/arguments.h"

#include <fmt/format.h>

#include <array>

namespace vl::tirx {
namespace {

// Takes an opening bracket, if it is next; the result is its closing bracket, else 0.
char open_bracket(Cursor& in) {
  if (in.accept("(")) return ')';
  if (in.accept("[")) return ']';
  return '\0';
}

bool at_close(Cursor& in) { return in.at_end() || in.peek() == ')' || in.peek() == ']'; }

use::Interval read_interval(Cursor& in) {
  const char close = open_bracket(in);
  use::Interval out;
  out.begin = in.integer("where the slice begins");
  in.expect(close == '\0' ? ":" : ",");
  out.end = in.integer("where the slice ends");
  if (close != '\0') in.expect(std::string_view(&close, 1));
  return out;
}

}  // namespace

std::vector<Index> read_shape(Cursor& in, std::string_view what) {
  if (in.peek() == '(' || in.peek() == '[') return in.integer_list(what);
  return {in.integer(what)};
}

std::vector<Index> read_list(Cursor& in, std::string_view what) {
  std::vector<Index> out;
  if (in.peek() == '(' || in.peek() == '[') {
    out = in.integer_list(what);
  } else {
    while (!in.at_end() && !in.failed()) {
      out.push_back(in.integer(what));
      if (!in.accept(",")) break;
    }
  }
  in.expect_end();
  return out;
}

std::vector<use::Interval> read_region(Cursor& in) {
  const char close = open_bracket(in);
  std::vector<use::Interval> out;
  while (!in.failed() && !at_close(in)) {
    out.push_back(read_interval(in));
    if (!in.accept(",")) break;
  }
  if (close != '\0') in.expect(std::string_view(&close, 1));
  return out;
}

Axis read_axis(Cursor& in) {
  in.skip_space();
  const std::size_t start = in.offset();
  const std::string_view quote = in.accept("\"") ? "\"" : in.accept("'") ? "'" : "";
  std::string_view name = in.dotted_name("an axis");
  if (!quote.empty()) in.expect(quote);
  if (name.starts_with("Axis.")) name.remove_prefix(5);
  const auto axis = axis_of(name);
  if (!axis) in.fail(ErrorCode::Value, fmt::format("'{}' is not an axis", name), start);
  return axis.value_or(Axis::M);
}

SwizzleLayout read_swizzle(Cursor& in) {
  const char close = open_bracket(in);
  SwizzleLayout out;
  const std::array<int*, 3> parts = {&out.per_element, &out.swizzle_len, &out.atom_len};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (k > 0) in.expect(",");
    in.skip_space();
    const std::size_t start = in.offset();
    const Index value = in.integer("a number of bits");
    if (value < 0 || value > 62) in.fail(ErrorCode::Value, fmt::format("{} bits; expected 0 to 62", value), start);
    if (!in.failed()) *parts[k] = static_cast<int>(value);
  }
  if (in.accept(",") && !at_close(in)) {
    if (in.accept("swizzle_inner")) in.expect("=");
    out.swizzle_inner = in.accept("True");
    if (!out.swizzle_inner) in.expect("False");
  }
  if (close != '\0') in.expect(std::string_view(&close, 1));
  return out;
}

}  // namespace vl::tirx
