// Spyre layouts, the second meaning: text and tensor to an address function, written from the project's
// documents ("Tensor Layouts", both generations) and what is known of its code. Nothing here knows the IR or
// the family's parser: where the two readings differ on one element, one of them has misread the documents.
//
//   stride_map   offset = view + Σ x·host stride; the device dims with stride > 0 and size > 1 take their
//                digits in order of decreasing stride (equal strides: outer dim first), each the whole part
//                of what is left. [2,7,40] of f16[5,100,150] on [100,3,5,64], [150,64,15000,1]: 31090 =
//                2·15000 + 7·150 + 0·64 + 40, so device coordinates [7,0,2,40].
//   dim_map      host coordinate h is a number written in the device dims that are mapped to h, rightmost
//                digit least significant. 70 in two digits, the right one of size 64: (1, 6).
//   derived      LAYOUT.restickify(1), .rescale(…), .resize(…): the same constructor call with two dims of its order
//                swapped, another type, or another size. A raw LAYOUT is first explained by trying every order.
// A stride of 0 on a device dim of size > 1 is a copy in every position of it: one element, several slots.
#include "encodings/map/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "verifier/base/cursor.h"

namespace vl::spyre {
namespace {

using Indices = std::vector<Index>;

constexpr Index kMostCopies = Index{1} << 24;  // of one element; more is refused instead of listed

struct Format {
  std::string_view name;
  Index per_stick;  // elements in 128 bytes; 0: the format has no geometry
};

// What each device format fits into a stick.
constexpr Format kDeviceFormats[] = {
    {"SEN169_FP16", 64}, {"IEEE_FP32", 32},  {"SEN143_FP8", 128}, {"SEN152_FP8", 128}, {"SENINT8", 128},
    {"SENINT4", 256},    {"SENINT2", 512},   {"SENUINT2", 512},   {"SENINT16", 64},    {"IEEE_INT32", 32},
    {"SENUINT32", 32},   {"IEEE_INT64", 16}, {"BOOL", 128},       {"BFLOAT16", 64},    {"INVALID", 0},
    {"SEN153_FP9", 0},   {"SENINT24", 0},    {"SEN18F_FP24", 0},
};

// The same for PyTorch's types, by the device format that each becomes: int64 is narrowed to IEEE_INT32,
// uint8 becomes SENUINT32, bool and bfloat16 become SEN169_FP16.
constexpr Format kTorchTypes[] = {
    {"float16", 64},        {"half", 64},
    {"bfloat16", 64},       {"bool", 64},
    {"float32", 32},        {"float", 32},
    {"int32", 32},          {"int", 32},
    {"int64", 32},          {"long", 32},
    {"int16", 64},          {"short", 64},
    {"int8", 128},          {"qint8", 128},
    {"uint8", 32},          {"quint8", 32},
    {"float8_e4m3fn", 128}, {"float8_e5m2fnuz", 128},
    {"float8_e5m2", 128},   {"quint4x2", 512},
    {"quint2x4", 512},      {"float64", 0},
    {"double", 0},
};

Error wrong(std::string message) { return Error{ErrorCode::Value, std::move(message)}; }

/// A device box and what each of its dims stands for: a host stride, or the number of a host dim.
struct Device {
  Indices size;
  Indices map;
  bool by_stride = true;
};

// ---- the text: SpyreTensorLayout(argument, …), where an argument is [key =] a list or a dotted name

struct Argument {
  std::string_view key;  // empty when positional
  std::variant<Indices, std::string_view, Index> value;
};

void read_value(Cursor& in, Argument& argument) {
  const char next = in.peek();
  if (next == '[' || next == '(')
    argument.value = in.integer_list("a list");
  else if (next >= '0' && next <= '9')
    argument.value = in.integer("a number");
  else
    argument.value = in.dotted_name("a list, a type or a field");
}

// What follows an opening parenthesis, the closing one included.
std::vector<Argument> read_arguments(Cursor& in) {
  std::vector<Argument> arguments;
  while (!in.failed() && !in.accept(")")) {
    if (!arguments.empty()) {
      in.expect(",");
      if (in.accept(")")) break;
    }
    Argument argument;
    read_value(in, argument);
    if (const auto* word = std::get_if<std::string_view>(&argument.value); word && in.accept("=")) {
      argument.key = *word;
      read_value(in, argument);
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

/// The arguments under the names of their fields, positional ones too.
struct Fields {
  std::optional<Indices> device_size, stride_map, dim_map, size, strides, dim_order;
  Index per_stick = -1;      // from the type; -1 when there was none
  bool constructed = false;  // the type is a torch type: (size[, strides], dtype[, dim_order])
};

std::optional<Index> per_stick_of(std::span<const Format> formats, std::string_view name) {
  for (const Format& format : formats)
    if (format.name == name) return format.per_stick;
  return std::nullopt;
}

std::optional<Error> take_type(Fields& fields, std::string_view name) {
  if (name.starts_with("ElementArrangement.")) return std::nullopt;  // not part of the address function
  if (fields.per_stick >= 0) return wrong(fmt::format("a second type, {}", name));
  fields.constructed = name.starts_with("torch.");
  const std::string_view device = name.substr(name.starts_with("DataFormats.") ? 12 : 0);
  const auto per_stick =
      fields.constructed ? per_stick_of(kTorchTypes, name.substr(6)) : per_stick_of(kDeviceFormats, device);
  if (!per_stick) return wrong(fmt::format("{} is not a known type", name));
  if (*per_stick == 0) return wrong(fmt::format("{} has no stick", name));
  fields.per_stick = *per_stick;
  return std::nullopt;
}

std::optional<Error> take_named(Fields& fields, const Argument& argument) {
  const std::string_view key = argument.key;
  if (key == "element_arrangement") return std::nullopt;
  if (key == "device_dtype" || key == "dtype") {
    const auto* name = std::get_if<std::string_view>(&argument.value);
    return name ? take_type(fields, *name) : wrong(fmt::format("{} must be a type", key));
  }
  std::optional<Indices>* field = nullptr;
  if (key == "device_size") field = &fields.device_size;
  if (key == "stride_map") field = &fields.stride_map;
  if (key == "dim_map") field = &fields.dim_map;
  if (key == "size" || key == "host_size") field = &fields.size;
  if (key == "strides" || key == "host_strides") field = &fields.strides;
  if (key == "dim_order") field = &fields.dim_order;
  const auto* list = std::get_if<Indices>(&argument.value);
  if (!field || !list || *field)
    return wrong(fmt::format("the field {} is unknown, not a list, or there twice", key));
  *field = *list;
  return std::nullopt;
}

// Lists without a name: before a torch type they are size and strides, behind it the order of dims; before a
// device format they are device_size and stride_map.
std::optional<Error> name_lists(Fields& fields, const std::vector<Indices>& before,
                                const std::vector<Indices>& behind) {
  if (before.size() > 2 || behind.size() > (fields.constructed ? 1U : 0U)) return wrong("too many lists");
  std::optional<Indices>& first = fields.constructed ? fields.size : fields.device_size;
  std::optional<Indices>& second = fields.constructed ? fields.strides : fields.stride_map;
  if (!before.empty() && first) return wrong("the first field is there twice");
  if (before.size() > 1 && second) return wrong("the second field is there twice");
  if (!behind.empty() && fields.dim_order) return wrong("dim_order is there twice");
  if (!before.empty()) first = before[0];
  if (before.size() > 1) second = before[1];
  if (!behind.empty()) fields.dim_order = behind[0];
  return std::nullopt;
}

Result<Fields> read_fields(Cursor& in) {
  in.expect("SpyreTensorLayout");
  in.expect("(");
  const auto arguments = read_arguments(in);
  if (in.failed()) return in.error();
  Fields fields;
  std::vector<Indices> before, behind;
  for (const Argument& argument : arguments) {
    std::optional<Error> error;
    if (!argument.key.empty())
      error = take_named(fields, argument);
    else if (const auto* name = std::get_if<std::string_view>(&argument.value))
      error = take_type(fields, *name);
    else if (const auto* list = std::get_if<Indices>(&argument.value))
      (fields.per_stick < 0 ? before : behind).push_back(*list);
    else
      error = wrong("a number is no argument of a layout");
    if (error) return *error;
  }
  if (fields.per_stick < 0) return wrong("there is no type");
  if (auto error = name_lists(fields, before, behind)) return *error;
  return fields;
}

// ---- the constructors' rule

// Strides of a dense row-major tensor; a size of 0 counts as 1.
std::optional<Indices> dense(const Indices& size) {
  Indices strides(size.size(), 1);
  for (std::size_t i = size.size(); i-- > 1;) {
    const auto next = checked_mul(strides[i], std::max<Index>(size[i], 1));
    if (!next) return std::nullopt;
    strides[i - 1] = *next;
  }
  return strides;
}

// 0..rank-1 in some order, then possibly -1 (sparse). Rank 0 is sparse: it has no dim to make a stick of.
std::optional<Error> check_order(const Indices& order, std::size_t rank) {
  Indices dims = order;
  if (dims.size() == rank + 1 && dims.back() == -1) dims.pop_back();
  std::ranges::sort(dims);
  Indices all(rank);
  std::iota(all.begin(), all.end(), Index{0});
  if (order.empty() || dims != all)
    return wrong(fmt::format("dim_order [{}] for rank {}", fmt::join(order, ","), rank));
  return std::nullopt;
}

// Device dims stand for the host dims o[1], …, o[n-1], o[0], o[n-1]; o[n-1] is the stick. Strides are filled
// in from the back: a host dim's first stride is its own, each further one outwards the last times the device
// size there. A sparse slot and a host dim of size 1 have -1.
Result<Device> construct(const Indices& size, const Indices& strides, const Indices& order, Index per_stick) {
  const Index stick = order.back();
  Indices slots(order.begin() + 1, order.end());
  slots.push_back(order.front());
  slots.push_back(stick);
  Device device{Indices(slots.size()), Indices(slots.size()), true};
  std::vector<std::optional<Index>> next(size.size());  // the stride that a host dim's next device dim gets
  for (std::size_t k = slots.size(); k-- > 0;) {
    const auto host = static_cast<std::size_t>(slots[k]);
    const bool sparse = slots[k] == -1;
    const bool last = k + 1 == slots.size();
    if (last)
      device.size[k] = per_stick;
    else if (sparse)
      device.size[k] = 1;
    else
      device.size[k] = slots[k] == stick ? ceil_div(size[host], per_stick) : size[host];
    if (sparse || size[host] == 1) {
      device.map[k] = -1;
      continue;
    }
    device.map[k] = next[host].value_or(strides[host]);
    next[host] = checked_mul(device.map[k], device.size[k]);
    if (!next[host]) return Error{ErrorCode::Overflow, "a stride of the device does not fit in 64 bits"};
  }
  return device;
}

Indices order_of(const Fields& fields) {
  Indices order(fields.size->empty() ? 1 : fields.size->size(), -1);
  if (!fields.size->empty()) std::iota(order.begin(), order.end(), Index{0});
  return fields.dim_order && !(fields.size->empty() && fields.dim_order->empty()) ? *fields.dim_order : order;
}

Result<Device> construct(const Fields& fields) {
  if (!fields.size || fields.device_size || fields.stride_map || fields.dim_map)
    return wrong("with a torch type: a size, perhaps strides and dim_order");
  const Indices& size = *fields.size;
  for (const Index extent : size)
    if (extent < 0) return wrong(fmt::format("the size {} is negative", extent));
  const auto strides = fields.strides ? fields.strides : dense(size);
  if (!strides) return Error{ErrorCode::Overflow, "the dense strides do not fit in 64 bits"};
  if (strides->size() != size.size()) return Error{ErrorCode::Shape, "sizes and strides differ in number"};
  for (const Index stride : *strides)
    if (stride < 0) return wrong(fmt::format("the host stride {} is negative", stride));
  const Indices order = order_of(fields);
  if (auto error = check_order(order, size.size())) return *error;
  return construct(size, *strides, order, fields.per_stick);
}

// ---- what the text says

Result<Device> read_raw(const Fields& fields, std::size_t rank) {
  if (!fields.device_size || (!fields.stride_map && !fields.dim_map) || fields.size || fields.strides ||
      fields.dim_order)
    return wrong("with a device format: a device_size and a stride_map or a dim_map");
  const bool by_stride = fields.stride_map.has_value();  // both: the strides, which replaced the dims, decide
  Device device{*fields.device_size, by_stride ? *fields.stride_map : *fields.dim_map, by_stride};
  if (device.size.size() != device.map.size())
    return Error{ErrorCode::Shape, "device_size and map differ in length"};
  for (const Index size : device.size)
    if (size < 0) return wrong(fmt::format("the device size {} is negative", size));
  for (const Index entry : device.map)
    if (entry < -1 || (!by_stride && entry >= static_cast<Index>(rank)))
      return wrong(fmt::format("the map's entry {} is out of range", entry));
  return device;
}

// ---- derived layouts

// The constructor call that gives this raw layout to a tensor of that size and those strides.
std::optional<Error> explain(Fields& fields, const Indices& size, const Indices& strides) {
  Fields call;
  call.per_stick = fields.per_stick;
  call.constructed = true;
  call.size = size;
  call.strides = strides;
  Indices order(size.size());
  std::iota(order.begin(), order.end(), Index{0});
  do
    for (const bool sparse : {false, true}) {
      call.dim_order = order;
      if (sparse) call.dim_order->push_back(-1);
      const auto device = construct(call);
      if (!device || device->size != fields.device_size || device->map != fields.stride_map) continue;
      fields = std::move(call);
      return std::nullopt;
    }
  while (std::ranges::next_permutation(order).found);
  return wrong("no order of dims explains the layout");
}

// Strides of another size, dense in the order of the old ones.
Indices dense_like(const Indices& old_strides, const Indices& size) {
  std::vector<std::size_t> inwards(size.size());
  std::iota(inwards.begin(), inwards.end(), std::size_t{0});
  std::ranges::stable_sort(inwards, [&](std::size_t a, std::size_t b) { return old_strides[a] > old_strides[b]; });
  Indices strides(size.size());
  Index next = 1;
  for (std::size_t k = size.size(); k-- > 0; next *= std::max<Index>(size[inwards[k]], 1)) strides[inwards[k]] = next;
  return strides;
}

std::optional<Error> derive(Fields& fields, std::string_view name, const std::vector<Argument>& arguments,
                            const map::Tensor& tensor) {
  if (arguments.empty()) return wrong("a derivation without arguments");
  const auto* list = std::get_if<Indices>(&arguments[0].value);
  const auto* number = std::get_if<Index>(&arguments[0].value);
  const auto* type = std::get_if<std::string_view>(&arguments[0].value);
  const bool old_size = name == "resize" && arguments.size() > 1;
  const Indices before = old_size ? std::get<Indices>(arguments[1].value) : tensor.size;
  const auto strides = tensor.strides && !old_size ? tensor.strides : dense(before);
  if (!fields.constructed && !strides) return wrong("strides beyond 64 bits");
  if (!fields.constructed)
    if (auto error = explain(fields, before, *strides)) return error;
  if (!fields.strides) fields.strides = dense(*fields.size);
  Indices order = order_of(fields);
  if (name == "restickify" && number) {
    std::iter_swap(std::ranges::find(order, *number), order.end() - 1);
    fields.dim_order = order;
  } else if (name == "resize" && list && list->size() == fields.strides->size()) {
    fields.strides = dense_like(*fields.strides, *list);
    fields.size = *list;
  } else if (name == "rescale" && type) {
    fields.per_stick = -1;
    return take_type(fields, *type);
  } else {
    return wrong(fmt::format("{} is no derivation", name));
  }
  return std::nullopt;
}

Result<Fields> read_derived(std::string_view text, const map::Tensor& tensor) {
  Cursor in(text);
  const bool rescaled = in.accept("rescale_stl_for_dtype") && in.accept("(");
  auto fields = read_fields(in);
  if (!fields) return fields;
  std::string_view name = rescaled ? "rescale" : "";
  if (rescaled) in.expect(",");
  while (!in.failed() && (!name.empty() || in.accept("."))) {
    if (name.empty()) {
      name = in.identifier("a derivation");
      in.expect("(");
    }
    const auto arguments = read_arguments(in);
    if (in.failed()) break;
    if (auto error = derive(*fields, name, arguments, tensor)) return *error;
    name = {};
  }
  in.expect_end();
  return in.failed() ? Result<Fields>(in.error()) : fields;
}

// ---- addresses

/// offset = view + Σ x·stride. Error: Overflow when some element's offset leaves 64 bits.
std::optional<Error> check_offsets(const map::Tensor& tensor, const Indices& strides) {
  Index least = tensor.view_offset, most = tensor.view_offset;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const Index far = std::max<Index>(tensor.size[i], 1) - 1;
    if (!accumulate(strides[i] < 0 ? least : most, far, strides[i]))
      return Error{ErrorCode::Overflow, "a host offset does not fit in 64 bits"};
  }
  return std::nullopt;
}

bool is_element(const map::Tensor& tensor, std::span<const Index> x) {
  if (x.size() != tensor.size.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] < 0 || x[i] >= tensor.size[i]) return false;
  return true;
}

bool is_copied(const Device& device, std::size_t k) { return device.by_stride && device.map[k] == 0; }

/// The device coordinates of a host offset, copies at 0; nothing when it has none.
std::optional<Point> greedy(const Device& device, Index offset) {
  if (offset < 0) return std::nullopt;
  std::vector<std::size_t> dims;
  for (std::size_t k = 0; k < device.size.size(); ++k)
    if (device.map[k] > 0 && device.size[k] > 1) dims.push_back(k);
  std::ranges::stable_sort(dims, [&](std::size_t a, std::size_t b) { return device.map[a] > device.map[b]; });
  Point point(device.size.size(), 0);
  for (const std::size_t k : dims) {
    point[k] = offset / device.map[k];
    offset %= device.map[k];
    if (point[k] >= device.size[k]) return std::nullopt;
  }
  if (offset != 0) return std::nullopt;
  return point;
}

/// The device coordinates of a host coordinate tuple; nothing when one of them does not fit its device dims.
std::optional<Point> by_dims(const Device& device, std::span<const Index> x) {
  Point rest(x.begin(), x.end());
  Point point(device.size.size(), 0);
  for (std::size_t k = device.size.size(); k-- > 0;) {
    if (device.map[k] < 0) continue;
    Index& left = rest[static_cast<std::size_t>(device.map[k])];
    point[k] = left % device.size[k];
    left /= device.size[k];
  }
  for (const Index left : rest)
    if (left != 0) return std::nullopt;  // the leftmost digit has no room, or the host dim has no digit
  return point;
}

/// `first` and its copies in every position of the copied dims, ascending.
std::vector<Point> copies(const Device& device, const Point& first) {
  std::vector<Point> slots{first};
  for (std::size_t k = 0; k < device.size.size(); ++k) {
    if (!is_copied(device, k)) continue;
    std::vector<Point> more;
    for (Point slot : slots)
      for (slot[k] = 0; slot[k] < device.size[k]; ++slot[k]) more.push_back(slot);
    slots = std::move(more);
  }
  return slots;
}

std::vector<Point> slots_of(const Device& device, const map::Tensor& tensor, const Indices& strides,
                            std::span<const Index> x) {
  if (!is_element(tensor, x) || std::ranges::find(device.size, 0) != device.size.end()) return {};
  std::optional<Point> first;
  if (device.by_stride) {
    Index offset = tensor.view_offset;
    for (std::size_t i = 0; i < x.size(); ++i) offset += x[i] * strides[i];
    first = greedy(device, offset);
  } else {
    first = by_dims(device, x);
  }
  return first ? copies(device, *first) : std::vector<Point>{};
}

Result<map::Slots> slots(std::string_view text, const map::Tensor& tensor) {
  const auto fields = read_derived(text, tensor);
  if (!fields) return fields.error();
  auto device = fields->constructed ? construct(*fields) : read_raw(*fields, tensor.size.size());
  if (!device) return device.error();
  if (!device->by_stride && tensor.view_offset != 0) return wrong("a dim_map cannot say where a view starts");
  const auto strides = tensor.strides ? tensor.strides : dense(tensor.size);
  if (!strides) return Error{ErrorCode::Overflow, "the dense strides do not fit in 64 bits"};
  if (strides->size() != tensor.size.size())
    return Error{ErrorCode::Shape, "sizes and strides differ in number"};
  if (auto error = check_offsets(tensor, *strides); error && device->by_stride) return *error;
  Index count = 1;
  for (std::size_t k = 0; k < device->size.size(); ++k)
    if (is_copied(*device, k) && (device->size[k] > kMostCopies || (count *= device->size[k]) > kMostCopies))
      return wrong(fmt::format("more than {} copies of one element", kMostCopies));
  return map::Slots([device = *device, tensor, strides = *strides](std::span<const Index> x) {
    return slots_of(device, tensor, strides, x);
  });
}

}  // namespace

const map::Reference& reference() {
  static const map::Reference spyre{"spyre", &slots};
  return spyre;
}

}  // namespace vl::spyre
