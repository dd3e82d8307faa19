// A tree has the fields of the raw form (print of spyre.h). Worked example, f16[5,100,150] by the constructor:
//   {"device_size":[100,3,5,64],"stride_map":[150,64,15000,1],"dim_map":null,"device_dtype":"SEN169_FP16",
//    "element_arrangement":"STANDARD"}
#include "encodings/spyre/parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "encodings/base/json_cursor.h"
#include "encodings/spyre/expression.h"

namespace vl::spyre {
namespace {

std::string list_of(const std::vector<Index>& numbers) {
  return numbers.empty() ? "null" : fmt::format("[{}]", fmt::join(numbers, ","));
}

Result<std::string> print_parts(std::string_view text, const map::Tensor& tensor) {
  const auto read = read_expression(text, tensor);
  if (!read) return read.error();
  const SpyreTensorLayout& layout = read->layout;
  if (!layout.unsupported.empty()) return Error{ErrorCode::Value, layout.unsupported};
  return fmt::format(
      R"({{"device_size":[{}],"stride_map":{},"dim_map":{},"device_dtype":"{}","element_arrangement":"{}"}})",
      fmt::join(layout.device_size, ","), list_of(layout.stride_map), list_of(layout.dim_map), layout.device_dtype.name,
      layout.element_arrangement);
}

std::vector<Index> list_at(JsonCursor& in) {
  std::vector<Index> out;
  if (!in.in().accept("null")) in.array("a list of integers", [&] { out.push_back(in.integer("an integer")); });
  return out;
}

Result<std::string> read_parts(std::string_view json) {
  JsonCursor in(json);
  SpyreTensorLayout layout;
  in.object("a layout's parts", [&](std::string_view key, std::size_t) {
    if (key == "device_size") {
      layout.device_size = list_at(in);
    } else if (key == "stride_map") {
      layout.stride_map = list_at(in);
    } else if (key == "dim_map") {
      layout.dim_map = list_at(in);
    } else if (key == "device_dtype") {
      const auto format = device_format(in.string("a device dtype"));
      if (format) layout.device_dtype = *format;
      else if (!in.failed()) in.in().fail(format.error().code, format.error().message, in.in().offset());
    } else if (key == "element_arrangement") {
      layout.element_arrangement = in.string("an arrangement");
      Cursor word(layout.element_arrangement);
      if (word.identifier("an arrangement") != layout.element_arrangement && !in.failed())
        in.in().fail(fmt::format("{} is no arrangement", shown(layout.element_arrangement)));
    } else {
      in.in().fail(
          fmt::format("{} is no part of a layout; expected device_size, stride_map, dim_map, device_dtype, "
                      "element_arrangement",
                      shown(key)));
    }
  });
  in.in().expect_end();
  if (!in.failed() && layout.device_size.empty()) in.in().fail("expected device_size");
  if (!in.failed() && layout.stride_map.empty() && layout.dim_map.empty())
    in.in().fail("expected stride_map or dim_map");
  if (!in.failed() && layout.device_dtype.elements_per_stick == 0) in.in().fail("expected device_dtype");
  if (in.failed()) return in.in().error();
  return print(layout);
}

}  // namespace

constinit const use::Parts kParts{
    .schema =
        "device_size: [number, ...]; stride_map, dim_map: the same, or null; device_dtype: a text; "
        "element_arrangement: a text",
    .print = print_parts,
    .read = read_parts};

}  // namespace vl::spyre
