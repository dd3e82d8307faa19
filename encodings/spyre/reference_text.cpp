// Texts to arrays, for the second meaning: a text (a call, a tuple, lines of fields) is first cut into labelled values.
// Then each value is named by its kind and place.
#include "encodings/spyre/reference_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <variant>

#include "encodings/base/cursor.h"

namespace vl::spyre::second {
namespace {

struct Format {
  std::string_view name;
  Index per_stick;  // elements in 128 bytes; 0: the format has no geometry
};

// The elements per stick of each device format.
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

std::optional<Index> per_stick_of(std::span<const Format> formats, std::string_view name) {
  for (const Format& format : formats)
    if (format.name == name) return format.per_stick;
  return std::nullopt;
}

// ---- values with labels

struct Opaque {};
using Flags = std::vector<bool>;
struct Value {
  std::string_view label;  // empty if positional
  std::variant<Indices, std::string_view, Index, Flags, Opaque> what;

  [[nodiscard]] const Indices* list() const { return std::get_if<Indices>(&what); }
  [[nodiscard]] const std::string_view* name() const { return std::get_if<std::string_view>(&what); }
};

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

enum class Shape { Layout, Operand, Tuple, Fields };

// ---- the names of the values

/// All values that a text can state, by name.
struct Said {
  std::map<std::string_view, Indices, std::less<>> lists;
  std::map<std::string_view, std::string, std::less<>> words;
  Flags flags;
  Index per_stick = -1;      // from the type; -1 without a type
  bool constructed = false;  // the type is PyTorch's: the text gives sizes, not slots
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

bool is_type(std::string_view name) {
  return name.starts_with("torch.") || name.starts_with("DataFormats.") ||
         per_stick_of(kDeviceFormats, name).has_value();
}

std::optional<Error> say_type(Said& said, std::string_view name, bool asks_device) {
  if (said.per_stick >= 0) return wrong(fmt::format("a second type, {}", name));
  const bool torch = name.starts_with("torch.");
  said.constructed = torch && !asks_device;
  const std::string_view device = name.substr(name.starts_with("DataFormats.") ? 12 : 0);
  const auto per_stick = torch ? per_stick_of(kTorchTypes, name.substr(6)) : per_stick_of(kDeviceFormats, device);
  if (!per_stick || *per_stick == 0) return wrong(fmt::format("{} has no stick", name));
  said.per_stick = *per_stick;
  return std::nullopt;
}

std::string_view last_word(std::string_view name) { return name.substr(name.rfind('.') + 1); }

// A value with a label, or whose kind determines its name. `nested` are types in get_device_dtype(…).
std::optional<Error> say_word(Said& said, std::string_view label, std::string_view name, bool nested) {
  if (label == "dtype" || label == "device_dtype" || (label.empty() && is_type(name)))
    return say_type(said, name, nested || label == "device_dtype");
  const bool is_format = name.find("StickFormat.") != std::string_view::npos;
  if (label == "format" || (label.empty() && is_format)) said.old = true;
  else if (label == "element_arrangement" ||
           (label.empty() && (name.starts_with("ElementArrangement.") || said.per_stick >= 0)))
    said.words["arrangement"] = last_word(name);
  else if (label == "generation") said.words["generation"] = name;
  else if (label == "pad_all_dims" && (name == "True" || name == "False")) said.words["pad"] = name;
  else return wrong(fmt::format("{} {} is unknown", label, name));
  return std::nullopt;
}

std::optional<Error> say_list(Said& said, std::string_view label, const Indices& list) {
  static constexpr std::string_view kKnown[] = {"device_size", "stride_map", "dim_map",       "size",
                                                "strides",     "dim_order",  "device_strides"};
  if (label == "device_stride") label = "device_strides";
  if (std::ranges::find(kKnown, label) == std::end(kKnown)) return wrong(fmt::format("the field {} is unknown", label));
  if (!said.lists.emplace(label, list).second) return wrong(fmt::format("{} is there twice", label));
  return std::nullopt;
}

// The labels of a call's unlabelled lists, by their number and the kind of call.
Result<std::vector<std::string_view>> labels_of(const Said& said, Shape shape, std::size_t before, std::size_t behind) {
  using Labels = std::vector<std::string_view>;
  const std::string_view generation = said.word("generation");
  if (shape == Shape::Tuple && before == 4) return Labels{"size", "strides", "device_size", "stride_map"};
  if (shape == Shape::Tuple && before == 5) return Labels{"size", "strides", "device_size", "dim_map", "stride_map"};
  if (shape != Shape::Layout && before + behind > 0) return wrong("lists without names");
  Labels labels;
  if (said.constructed) {
    if (before > 2 || behind > 1) return wrong("too many lists");
    if (before > 0) labels.emplace_back("size");
    if (before > 1) labels.emplace_back("strides");
    if (behind > 0) labels.emplace_back("dim_order");
    return labels;
  }
  const bool second_is_dims =
      said.old || said.list("dim_map") != nullptr || generation.starts_with("G0") || generation.starts_with("G1");
  if (before > 3 || behind > 0) return wrong("too many lists");
  if (before > 0) labels.emplace_back("device_size");
  if (before == 3) labels.emplace_back(said.old ? "device_strides" : "dim_map");
  if (before > 1)
    labels.emplace_back(before == 2 ? (second_is_dims ? "dim_map" : "stride_map")
                                    : (said.old ? "dim_map" : "stride_map"));
  return labels;
}

Result<Said> say(const std::vector<Value>& values, Shape shape, std::string_view text) {
  Said said;
  std::vector<Indices> loose;
  std::size_t before = 0;
  for (const Value& value : values) {
    std::optional<Error> error;
    if (const auto* list = value.list()) {
      if (value.label.empty()) loose.push_back(*list);
      else error = say_list(said, value.label, *list);
      if (value.label.empty() && said.per_stick < 0) before = loose.size();
    } else if (const auto* name = value.name()) {
      const auto at = static_cast<std::size_t>(name->data() - text.data());
      error =
          say_word(said, value.label, *name, at > 0 && text[at - 1] == '(' && text.substr(0, at).ends_with("dtype("));
    } else if (const auto* flags = std::get_if<Flags>(&value.what)) {
      said.flags = *flags;
    } else if (std::holds_alternative<Index>(value.what)) {
      if (!value.label.empty() && value.label != "num_stick_dims") error = wrong("a number where a list should be");
      said.old = true;
    }
    if (error) return *error;
  }
  if (said.constructed && said.per_stick < 0) return wrong("there is no type");
  const auto labels = labels_of(said, shape, before, loose.size() - before);
  if (!labels) return labels.error();
  if (labels->size() != loose.size()) return wrong("lists without names");
  for (std::size_t i = 0; i < loose.size(); ++i)
    if (auto error = say_list(said, (*labels)[i], loose[i])) return *error;
  return said;
}

// ---- the constructors' rules

// 0..rank-1 in some order, then possibly -1 (sparse). Rank 0 is sparse: it has no dim for a stick.
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

// The host dim of each device dim, by the rule of a generation.
Indices places_of(std::string_view generation, Indices order, const Indices& size) {
  if (generation == "G1a") {
    std::erase_if(order, [&](Index dim) { return dim >= 0 && size[static_cast<std::size_t>(dim)] == 1; });
    if (order.empty()) order = {-1};
  }
  const Index stick = order.back();
  Indices places(order.begin(), order.end() - 1);
  if (generation == "G0") places.insert(places.begin(), stick);
  else if (generation == "G0b") places.insert(places.empty() ? places.end() : places.end() - 1, stick);
  else {
    // the first dim goes behind all the others, and the count of sticks before it
    const bool counted = generation != "G1a" || stick != -1 || order.size() == 1;
    places.assign(order.begin() + 1, order.end() - (order.size() > 1 && !counted ? 1 : 0));
    places.push_back(order.front());
  }
  places.push_back(stick);
  return places;
}

// Strides are filled in from the back: a host dim's first stride is its own, each further one outwards is the last one
// times the device size there, and since S3 at most the host dim's whole length.
std::optional<Error> put_strides(Device& device, const Indices& places, const Indices& size, const Indices& strides,
                                 bool limited) {
  std::map<Index, Index> next;
  for (std::size_t k = places.size(); k-- > 0;) {
    device.map[k] = -1;
    if (places[k] < 0 || size[static_cast<std::size_t>(places[k])] == 1) continue;
    const auto host = static_cast<std::size_t>(places[k]);
    device.map[k] = next.contains(places[k]) ? next[places[k]] : strides[host];
    auto following = checked_mul(device.map[k], device.size[k]);
    const auto length = checked_mul(strides[host], size[host]);
    if (limited && length && (!following || *following > *length)) following = length;
    if (!following) return Error{ErrorCode::Overflow, "a stride of the device does not fit in 64 bits"};
    next[places[k]] = *following;
  }
  return std::nullopt;
}

Indices order_of(const Said& said) {
  const Indices& size = *said.list("size");
  const Indices* asked = said.list("dim_order");
  if (asked && !(size.empty() && asked->empty())) return *asked;
  Indices order(size.empty() ? 1 : size.size(), -1);
  if (!size.empty()) std::iota(order.begin(), order.end(), Index{0});
  return order;
}

Result<Device> construct(const Said& said) {
  const Indices* given = said.list("size");
  if (given == nullptr || said.list("device_size") || said.list("stride_map") || said.list("dim_map"))
    return wrong("with a torch type: a size, perhaps strides and dim_order");
  Indices size = *given;
  for (const Index extent : size)
    if (extent < 0) return wrong(fmt::format("the size {} is negative", extent));
  auto strides = said.list("strides") ? std::optional(*said.list("strides")) : dense(size);
  if (!strides) return Error{ErrorCode::Overflow, "the dense strides do not fit in 64 bits"};
  if (strides->size() != size.size()) return Error{ErrorCode::Shape, "sizes and strides differ in number"};
  for (const Index stride : *strides)
    if (stride < 0) return wrong(fmt::format("the host stride {} is negative", stride));
  const Indices order = order_of(said);
  if (auto error = check_order(order, size.size())) return *error;

  const bool pads = !said.flags.empty() || !said.word("pad").empty();
  const std::string_view generation = pads ? "G1" : said.word("generation");
  if (generation.starts_with("G0") && order.back() < 0) return wrong("no such rule");
  Flags padded = said.flags;
  if (padded.empty()) padded.assign(size.size(), said.word("pad") == "True");
  if (padded.size() != size.size()) return wrong("pad flags of another rank");
  const Indices places = places_of(generation, order, size);
  Device device{Indices(places.size()), Indices(places.size()), true, "STANDARD", said.per_stick};
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto host = static_cast<std::size_t>(places[k]);
    Index extent = places[k] < 0 ? 1 : size[host];
    if (places[k] >= 0 && padded[host]) extent = ceil_div(extent, said.per_stick) * said.per_stick;
    const bool counts = places[k] >= 0 && places[k] == places.back();
    device.size[k] = k + 1 == places.size() ? said.per_stick : counts ? ceil_div(extent, said.per_stick) : extent;
  }
  if (generation.starts_with("G0") || generation.starts_with("G1")) {
    device.by_stride = false;
    device.map = places;
    return device;
  }
  if (generation == "G2draft") {  // the host as if it were contiguous in the order
    Index stride = 1;
    for (std::size_t k = order.size(); k-- > 0;) {
      if (order[k] < 0) continue;
      (*strides)[static_cast<std::size_t>(order[k])] = stride;
      const auto more = checked_mul(stride, std::max<Index>(size[static_cast<std::size_t>(order[k])], 1));
      if (!more) return Error{ErrorCode::Overflow, "the host does not fit in 64 bits"};
      stride = *more;
    }
  }
  if (auto error = put_strides(device, places, size, *strides, generation == "S3")) return *error;
  return device;
}

Result<Device> written(const Said& said, const map::Tensor& tensor, Shape shape) {
  const Indices* size = said.list("device_size");
  const Indices* strides = said.list("stride_map");
  const Indices* dims = said.list("dim_map");
  if (size == nullptr || (strides == nullptr && dims == nullptr)) return wrong("a device_size and a map are needed");
  if (shape != Shape::Tuple && (said.list("size") || said.list("strides") || said.list("dim_order")))
    return wrong("with a device format: a device_size and a stride_map or a dim_map");
  const bool by_stride = strides != nullptr;  // both: the strides, which replaced the dims, decide
  Device device{*size, by_stride ? *strides : *dims, by_stride, "STANDARD", said.per_stick};
  if (said.per_stick < 0) {
    if (shape == Shape::Layout && !said.old) return wrong("there is no type");
    device.per_stick = 1024 / map::bits(tensor.type);
  }
  if (device.size.size() != device.map.size()) return Error{ErrorCode::Shape, "device_size and map differ in length"};
  for (const Index extent : device.size)
    if (extent < 0) return wrong(fmt::format("the device size {} is negative", extent));
  for (const Index entry : device.map)
    if (entry < -1 || (!by_stride && entry >= static_cast<Index>(tensor.size.size())))
      return wrong(fmt::format("the map's entry {} is out of range", entry));
  return device;
}

// ---- derived layouts

// The constructor call that gives this raw layout to a tensor of that size and those strides.
std::optional<Error> explain(Said& said, const Indices& size, const Indices& strides) {
  Said call;
  call.per_stick = said.per_stick;
  call.constructed = true;
  call.words = said.words;
  call.lists["size"] = size;
  call.lists["strides"] = strides;
  Indices order(size.size());
  std::iota(order.begin(), order.end(), Index{0});
  const Indices* box = said.list("device_size");
  const Indices* map = said.list("stride_map");
  do
    for (const bool sparse : {false, true}) {
      Indices with = order;
      if (sparse) with.push_back(-1);
      call.lists["dim_order"] = with;
      const auto device = construct(call);
      if (!device || !box || !map || device->size != *box || device->map != *map) continue;
      said = std::move(call);
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

std::optional<Error> derive(Said& said, std::string_view name, const std::vector<Value>& values,
                            const map::Tensor& tensor) {
  if (values.empty()) return wrong("a derivation without arguments");
  const Indices* list = values[0].list();
  const auto* number = std::get_if<Index>(&values[0].what);
  const auto* type = values[0].name();
  const bool old_size = name == "resize" && values.size() > 1 && values[1].list() != nullptr;
  const Indices before = old_size ? *values[1].list() : tensor.size;
  const auto strides = tensor.strides && !old_size ? tensor.strides : dense(before);
  if (!said.constructed && !strides) return wrong("strides beyond 64 bits");
  if (!said.constructed)
    if (auto error = explain(said, before, *strides)) return error;
  if (!said.list("strides")) {
    const auto own = dense(*said.list("size"));
    if (!own) return wrong("strides beyond 64 bits");
    said.lists["strides"] = *own;
  }
  Indices order = order_of(said);
  if (name == "restickify" && number) {
    std::iter_swap(std::ranges::find(order, *number), order.end() - 1);
    said.lists["dim_order"] = order;
  } else if (name == "resize" && list && list->size() == said.list("strides")->size()) {
    said.lists["strides"] = dense_like(*said.list("strides"), *list);
    said.lists["size"] = *list;
  } else if (name == "rescale" && type) {
    said.per_stick = -1;
    if (auto error = say_type(said, *type, false)) return error;
    said.constructed = true;
    for (const Value& value : values)
      if (value.name() && (value.name()->starts_with("ElementArrangement.") || value.label == "element_arrangement" ||
                           value.label == "ea"))
        said.words["arrangement"] = last_word(*value.name());
  } else {
    return wrong(fmt::format("{} is not a derivation", name));
  }
  return std::nullopt;
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

std::optional<Indices> dense(const Indices& size) {
  Indices strides(size.size(), 1);
  for (std::size_t i = size.size(); i-- > 1;) {
    const auto next = checked_mul(strides[i], std::max<Index>(size[i], 1));
    if (!next) return std::nullopt;
    strides[i - 1] = *next;
  }
  return strides;
}

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
