// Layouts in torch-spyre's tests, logs and configurations that are not a SpyreTensorLayout(…) call:
//   ([40, 60], [60, 1], [1, 60, 64], [0, 1, 0], [3840, 1, 60])   sizes, strides, device_size[, dim_map], stride_map
//   device_size=[4, 512, 64], stride_map =[64, 256, 1]           also as YAML, one field per line with ':'
//   TensorArg(device_dtype=…, device_size=…, stride_map=…, device_coordinates=…)   an operand of an operation
// A text without a type has the device format that torch-spyre gives the tensor's own type.
#include <fmt/format.h>

#include <array>

#include "encodings/spyre/forms.h"

namespace vl::spyre {
namespace {

// Fields by name with their places, as Arguments are for a call.
struct Places {
  Cursor& in;
  std::vector<std::pair<std::string_view, std::size_t>> at;
};

void blame_field(void* where, ErrorCode code, std::string_view field, std::string message,
                 std::optional<std::size_t> entry) {
  auto& places = *static_cast<Places*>(where);
  std::size_t offset = 0;
  for (const auto& [name, at] : places.at)
    if (name == field) offset = at;
  places.in.fail(code, std::move(message), entry ? entry_at(places.in.text(), offset, *entry) : offset);
}

DeviceFormat usual_or_error(Cursor& in, const DeviceFormat* usual) {
  if (usual != nullptr) return *usual;
  in.fail(ErrorCode::Syntax, "the text names no device dtype, and the tensor's type has no usual one",
          in.text().size());
  return {};
}

}  // namespace

SpyreTensorLayout read_tuple(Cursor& in, const DeviceFormat* usual) {
  const std::string_view close = in.accept("(") ? ")" : "]";
  if (close == "]") in.expect("[");
  Places places{in, {}};
  std::vector<std::vector<Index>> lists;
  std::vector<std::size_t> at;
  while (!in.failed() && !in.accept(close)) {
    if (!lists.empty()) {
      if (!in.accept(",")) in.fail(fmt::format("expected ',' or '{}', found {}", close, in.found()));
      if (in.accept(close)) break;
    }
    in.skip_space();
    at.push_back(in.offset());
    lists.push_back(in.integer_list("a list"));
  }
  in.expect_end();
  SpyreTensorLayout layout;
  if (!in.failed() && lists.size() != 4 && lists.size() != 5)
    in.fail(ErrorCode::Shape,
            fmt::format("expected 4 or 5 lists (sizes, strides, device_size[, dim_map], stride_map), "
                        "found {}",
                        lists.size()),
            0);
  if (in.failed()) return layout;
  places.at = {
      {"sizes", at[0]}, {"strides", at[1]}, {"device_size", at[2]}, {"dim_map", at[3]}, {"stride_map", at.back()}};
  if (lists[0].size() != lists[1].size())
    in.fail(ErrorCode::Shape, fmt::format("{} strides for {} sizes", lists[1].size(), lists[0].size()), at[1]);
  for (std::size_t d = 0; d < lists[0].size(); ++d)
    if (lists[0][d] < 0)
      in.fail(ErrorCode::Value, fmt::format("the size {} is negative", lists[0][d]), entry_at(in.text(), at[0], d));
  layout.host_size = lists[0];
  layout.host_strides = lists[1];
  layout.device_size = lists[2];
  if (lists.size() == 5) layout.dim_map = lists[3];
  layout.stride_map = lists.back();
  layout.device_dtype = usual_or_error(in, usual);
  layout.notes.emplace_back(kNoType);
  if (!in.failed()) check_written(layout, &places, blame_field);
  return layout;
}

SpyreTensorLayout read_fields(Cursor& in, const DeviceFormat* usual) {
  static constexpr std::array<std::string_view, 5> kFields = {"device_size", "stride_map", "dim_map", "device_strides",
                                                              "device_stride"};
  Places places{in, {}};
  std::array<std::optional<std::vector<Index>>, kFields.size()> lists;
  DeviceFormat format;
  bool typed = false;
  while (!in.failed() && !in.at_end()) {
    if (!places.at.empty()) (void)in.accept(",");
    in.skip_space();
    const std::size_t at = in.offset();
    const std::string_view name = in.identifier("a field such as device_size");
    if (!in.accept(":")) in.expect("=");
    in.skip_space();
    const std::size_t value = in.offset();
    std::size_t which = 0;
    while (which < kFields.size() && kFields[which] != name) ++which;
    if (name == "device_dtype" && !typed) {
      const auto read = device_format(in.dotted_name("a device dtype"));
      if (!read) in.fail(read.error().code, read.error().message, value);
      else format = *read;
      typed = true;
    } else if (which == kFields.size() || lists[which]) {
      in.fail(ErrorCode::Syntax,
              fmt::format("the field '{}' is unknown or given twice; expected one of {}, device_dtype", name,
                          fmt::join(kFields, ", ")),
              at);
    } else {
      lists[which] = in.integer_list("a list");
      places.at.emplace_back(kFields[which], value);
    }
    if (places.at.empty()) places.at.emplace_back("", value);
  }
  SpyreTensorLayout layout;
  if (!in.failed() && (!lists[0] || (!lists[1] && !lists[2])))
    in.fail(ErrorCode::Syntax, "expected device_size and a stride_map or a dim_map", in.text().size());
  if (in.failed()) return layout;
  layout.device_size = *lists[0];
  layout.stride_map = lists[1].value_or(std::vector<Index>{});
  layout.dim_map = lists[2].value_or(std::vector<Index>{});
  layout.device_dtype = typed ? format : usual_or_error(in, usual);
  if (!typed) layout.notes.emplace_back(kNoType);
  if (!in.failed()) check_written(layout, &places, blame_field);
  for (const std::size_t strides : {3U, 4U})
    if (!in.failed() && lists[strides]) read_device_strides(layout, *lists[strides], &places, blame_field);
  return layout;
}

SpyreTensorLayout read_operand(Cursor& in, const DeviceFormat* usual) {
  // These fields say how an operation uses the operand, not where its elements live.
  static constexpr std::string_view kSkipped[] = {"is_input", "arg_index",     "device_coordinates",      "allocation",
                                                  "name",     "work_division", "device_tile_advance_expr"};
  Arguments call(in, parse_call(in, "TensorArg", Entries::Integers, kSkipped));
  in.expect_end();
  if (call.at(0) != nullptr)
    in.fail(ErrorCode::Syntax, "expected keywords: device_size=…, stride_map=…, device_dtype=…", call.at(0)->offset);
  call.only(
      "device_size, stride_map, device_dtype, element_arrangement, device_coordinates, is_input, arg_index, "
      "allocation, name, work_division, device_tile_advance_expr");
  if (in.failed()) return {};
  SpyreTensorLayout layout;
  layout.device_size = call.list<Index>("device_size");
  layout.stride_map = call.list<Index>("stride_map");
  layout.device_dtype = call.device_dtype(usual);
  if (auto arrangement = call.enumerator("element_arrangement"); !arrangement.empty())
    layout.element_arrangement = std::move(arrangement);
  if (call.has("device_coordinates"))
    layout.notes.emplace_back(
        "device_coordinates are not read: they say which slots an operation touches, not where "
        "the elements of the tensor live");
  if (!in.failed())
    check_written(
        layout, &call,
        [](void* where, ErrorCode code, std::string_view field, std::string message, std::optional<std::size_t> entry) {
          static_cast<Arguments*>(where)->fail(code, field, std::move(message), entry);
        });
  return layout;
}

}  // namespace vl::spyre
