// A tree has the shape and the stride as nested lists. Worked example, Sw<1,4,3> o 2 o (4,(2,2)):(1,(4,8)):
//   {"shape":[4,[2,2]],"stride":[1,[4,8]],"swizzle":{"bits":1,"base":4,"shift":3},"offset":2}
#include "encodings/cute/parts.h"

#include <fmt/format.h>

#include "encodings/base/json_cursor.h"
#include "encodings/cute/cute.h"

namespace vl::cute {
namespace {

void add_tree(const Mode& mode, Index Mode::*number, std::string& out) {  // NOLINT(misc-no-recursion)
  if (mode.leaf) {
    out += fmt::format("{}", mode.*number);
    return;
  }
  out += '[';
  for (std::size_t k = 0; k < mode.modes.size(); ++k) {
    if (k > 0) out += ',';
    add_tree(mode.modes[k], number, out);
  }
  out += ']';
}

Result<std::string> print_parts(std::string_view text, const map::Tensor&) {
  const auto read = parse(text);
  if (!read) return read.error();
  if (!read->symbolic.empty()) return Error{ErrorCode::Value, read->symbolic};
  const Layout& layout = read->layout;
  std::string out = R"({"shape":)";
  add_tree(layout.mode, &Mode::extent, out);
  out += R"(,"stride":)";
  add_tree(layout.mode, &Mode::stride, out);
  if (!layout.swizzle) return out + R"(,"swizzle":null,"offset":0})";
  return out + fmt::format(R"(,"swizzle":{{"bits":{},"base":{},"shift":{}}},"offset":{}}})", layout.swizzle->bits,
                           layout.swizzle->base, layout.swizzle->shift, layout.offset);
}

// A tree of extents, or of strides.
Mode tree_at(JsonCursor& in, Index Mode::*number) {  // NOLINT(misc-no-recursion)
  Mode out;
  if (in.in().peek() != '[') return out.*number = in.integer("an integer, or a list of trees"), out;
  out.leaf = false;
  in.array("a list of trees", [&] { out.modes.push_back(tree_at(in, number)); });
  return out;
}

// Whether both nest alike; then the strides are in the first one.
bool put_strides(Mode& shape, const Mode& strides) {  // NOLINT(misc-no-recursion)
  if (shape.leaf != strides.leaf || shape.modes.size() != strides.modes.size()) return false;
  shape.stride = strides.stride;
  for (std::size_t k = 0; k < shape.modes.size(); ++k)
    if (!put_strides(shape.modes[k], strides.modes[k])) return false;
  return true;
}

Swizzle swizzle_at(JsonCursor& in) {
  Swizzle out;
  const auto small = [&] {
    const Index value = in.integer("a number of bits");
    if (value < -62 || value > 62) in.in().fail("expected a number of bits from -62 to 62");
    return static_cast<int>(value);
  };
  in.object("a swizzle", [&](std::string_view key, std::size_t) {
    if (key == "bits") out.bits = small();
    else if (key == "base") out.base = small();
    else if (key == "shift") out.shift = small();
    else in.in().fail(fmt::format("{} is no field of a swizzle", shown(key)));
  });
  return out;
}

Result<std::string> read_parts(std::string_view json) {
  JsonCursor in(json);
  Layout layout;
  std::optional<Mode> shape, stride;
  in.object("a layout's parts", [&](std::string_view key, std::size_t) {
    if (key == "shape") shape = tree_at(in, &Mode::extent);
    else if (key == "stride") stride = tree_at(in, &Mode::stride);
    else if (key == "offset") layout.offset = in.integer("an integer");
    else if (key != "swizzle")
      in.in().fail(fmt::format("{} is no part of a layout; expected shape, stride, swizzle, offset", shown(key)));
    else if (!in.in().accept("null")) layout.swizzle = swizzle_at(in);
  });
  in.in().expect_end();
  if (!in.failed() && (!shape || !stride)) in.in().fail("expected a shape and a stride");
  if (!in.failed() && !put_strides(*shape, *stride)) in.in().fail("expected a stride that nests like the shape");
  if (!in.failed() && layout.offset != 0 && !layout.swizzle) in.in().fail("expected no offset without a swizzle");
  if (in.failed()) return in.in().error();
  layout.mode = std::move(*shape);
  return print(layout);
}

}  // namespace

constinit const use::Parts kParts{
    .schema =
        "shape: number or [shape, ...]; stride: nested alike; swizzle: {bits, base, shift} or null; offset: number, "
        "0 without a swizzle",
    .print = print_parts,
    .read = read_parts};

}  // namespace vl::cute
