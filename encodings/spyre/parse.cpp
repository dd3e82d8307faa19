// The Python call SpyreTensorLayout(…) in all its overloads, which the kinds of the arguments distinguish. One overload
// has had two meanings: in (device_size, LIST, device dtype) the list was a dim_map until March 2026 and has been a
// stride_map since. It is read as a stride_map, with a note.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "encodings/spyre/construct_parts.h"
#include "encodings/spyre/forms.h"

namespace vl::spyre {
namespace {

void blame_argument(void* where, ErrorCode code, std::string_view field, std::string message,
                    std::optional<std::size_t> entry) {
  static_cast<Arguments*>(where)->fail(code, field, std::move(message), entry);
}

Generation read_generation(Arguments& call) {
  const std::string name = call.enumerator("generation");
  const auto generation = name.empty() ? std::optional(Generation::S2) : generation_of(name);
  if (!generation)
    call.fail(ErrorCode::Value, "generation",
              fmt::format("'{}' is not a generation; expected one of G0, G0b, G1a, G1, G2draft, S2, S3", name));
  return generation.value_or(Generation::S2);
}

bool maps_by_dims(Generation generation) { return generation < Generation::G2draft; }

bool is_format(const Argument* argument) {
  const auto* name = argument == nullptr ? nullptr : std::get_if<std::string_view>(&argument->value);
  return name != nullptr &&
         (name->starts_with("StickFormat.") || name->find(".StickFormat.") != std::string_view::npos);
}

// The keywords of a raw call's positional arguments, from their kinds: lists first, then the stick's count and format
// if given, then the types.
std::vector<std::string_view> raw_keywords(const Arguments& call, Generation generation) {
  std::size_t lists = 0;
  while (Arguments::is_list(call.at(lists))) ++lists;
  const Argument* next = call.at(lists);
  const bool counted = next != nullptr && std::holds_alternative<Index>(next->value) && is_format(call.at(lists + 1));
  const bool formatted = counted || is_format(next);
  std::vector<std::string_view> keywords{"device_size"};
  if (lists >= 3) keywords.push_back(formatted ? "device_strides" : "dim_map");
  if (lists != 1)
    keywords.push_back(formatted || (lists == 2 && (maps_by_dims(generation) || call.has("dim_map"))) ? "dim_map"
                                                                                                      : "stride_map");
  if (counted) keywords.push_back("num_stick_dims");
  if (formatted) keywords.push_back("format");
  keywords.push_back("device_dtype");
  keywords.push_back("element_arrangement");
  return keywords;
}

template <class Number>
void note_ambiguity(BasicTensorLayout<Number>& layout) {
  const auto rank = static_cast<Index>(layout.device_size.size());
  const auto is_dim = [&](const Number& entry) {
    const auto number = number_of(entry);
    return number && *number >= -1 && *number < rank - 1;
  };
  if (layout.stride_map.empty() || !std::ranges::all_of(layout.stride_map, is_dim)) return;
  layout.notes.emplace_back(
      "the second list is read as a stride_map, as torch-spyre does since March 2026; before, it was a dim_map: write "
      "dim_map=[…] or generation=G1 to mean that");
}

// num_stick_dims and format: every later generation means one dense stick.
template <class Number>
void read_stick_format(Arguments& call, BasicTensorLayout<Number>& layout) {
  const auto sticks = call.integer("num_stick_dims");
  const std::string format = call.enumerator("format");
  if (!format.empty() && format != "Dense" && format != "Sparse" && format != "SparseMulti")
    call.fail(ErrorCode::Value, "format",
              fmt::format("'{}' is not a stick format; expected Dense, Sparse or SparseMulti", format));
  if (sticks && *sticks < 1) call.fail(ErrorCode::Value, "num_stick_dims", "expected at least one stick dimension");
  if (sticks && *sticks > 1) layout.unsupported = fmt::format("sticks of {} dimensions are not encoded", *sticks);
  if (!format.empty() && format != "Dense")
    layout.unsupported =
        fmt::format("StickFormat.{} says how elements lie in a stick in a way that is not documented", format);
}

template <class Number>
constexpr bool kNamed = !std::is_same_v<Number, Index>;

// Fields of which no rule for all sizes is known.
void leave_out(NamedLayout& layout, const Arguments& call, std::initializer_list<std::string_view> fields) {
  for (const std::string_view field : fields)
    if (call.has(field)) layout.unsupported = fmt::format("the field {} with names", field);
}

template <class Number>
BasicTensorLayout<Number> read_raw(Arguments& call, const DeviceFormat* usual) {
  const Generation generation = read_generation(call);
  const bool positional = call.positional() >= 2 && Arguments::is_list(call.at(1));
  call.name_positional(raw_keywords(call, generation));
  call.only(
      "device_size, stride_map, dim_map, device_dtype, element_arrangement, device_strides, num_stick_dims, "
      "format, generation");
  BasicTensorLayout<Number> layout;
  layout.device_size = call.list<Number>("device_size");
  if (call.has("dim_map")) layout.dim_map = call.list<Index>("dim_map");
  if (call.has("stride_map") || !call.has("dim_map")) layout.stride_map = call.list<Number>("stride_map");
  // Only the oldest generation printed layouts without a type.
  const bool untyped = !call.has("device_dtype") && (call.has("format") || call.has("num_stick_dims"));
  layout.device_dtype = call.device_dtype(untyped ? usual : nullptr);
  if (untyped) layout.notes.emplace_back(kNoType);
  if (auto arrangement = call.enumerator("element_arrangement"); !arrangement.empty())
    layout.element_arrangement = std::move(arrangement);
  read_stick_format(call, layout);
  if constexpr (kNamed<Number>) {
    if (!layout.stride_map.empty() && !layout.dim_map.empty()) layout.unsupported = "a dim_map beside a stride_map";
    if (layout.element_arrangement != "STANDARD") layout.unsupported = "an element arrangement with names";
    leave_out(layout, call, {"device_strides", "num_stick_dims", "format", "generation"});
  } else if (call.has("device_strides")) {
    read_device_strides(layout, call.list<Index>("device_strides"), &call, blame_argument);
  }
  if (!call.failed()) check_written(layout, &call, blame_argument);
  if (positional && layout.dim_map.empty()) note_ambiguity(layout);
  return layout;
}

// pad_all_dims=True, or [False, True, True] behind the dim order.
std::vector<bool> read_padding(Arguments& call, std::size_t rank, std::span<const Index> order) {
  const auto all = call.flags("pad_all_dims");
  const auto some = call.flags("pad_dims");
  if (all && all->size() != 1) call.fail(ErrorCode::Syntax, "pad_all_dims", "expected True or False");
  if (all && some) call.fail(ErrorCode::Syntax, "pad_all_dims", "pad_all_dims stands beside pad flags");
  if (some && some->size() != rank)
    call.fail(ErrorCode::Shape, "pad_dims", fmt::format("{} pad flags for {} sizes", some->size(), rank));
  if (some && !std::ranges::is_sorted(order))
    call.fail(ErrorCode::Value, "pad_dims",
              "pad flags beside a dim order that is not the identity: no source says "
              "which of the two they follow");
  if (some) return *some;
  return all && all->front() ? std::vector<bool>(rank, true) : std::vector<bool>{};
}

void name_constructor(Arguments& call) {
  static constexpr std::string_view kStrided[] = {"size", "strides", "dtype", "dim_order", "element_arrangement"};
  static constexpr std::string_view kDense[] = {"size", "dtype", "dim_order"};
  static constexpr std::string_view kPadded[] = {"size", "dtype", "dim_order", "pad_dims"};
  const Argument* fourth = call.at(3);
  if (Arguments::is_list(call.at(1))) call.name_positional(kStrided);
  else if (fourth != nullptr && std::holds_alternative<Names>(fourth->value)) call.name_positional(kPadded);
  else call.name_positional(kDense);
}

// Reports why no layout could be constructed at the argument, and the entry, that is wrong.
template <class Number>
void blame(Arguments& call, const std::vector<Number>& size, const std::vector<Number>& strides, const Error& error) {
  for (const auto& [keyword, list] :
       {std::pair(std::string_view("size"), &size), std::pair(std::string_view("strides"), &strides)}) {
    const auto negative = std::ranges::find_if(*list, [](const Number& value) { return is_negative(value); });
    if (negative != list->end())
      return call.fail(error.code, keyword, error.message, static_cast<std::size_t>(negative - list->begin()));
  }
  const std::string_view culprit = strides.size() != size.size() ? "strides"
                                   : call.has("dim_order")       ? "dim_order"
                                                                 : "size";
  call.fail(error.code, culprit, error.message);
}

template <class Number>
BasicTensorLayout<Number> read_constructed(Arguments& call) {
  name_constructor(call);
  call.only("size, strides, dtype, dim_order, element_arrangement, pad_all_dims, pad_dims, generation");
  Generation generation = read_generation(call);
  BasicTensorLayout<Number> out;
  if constexpr (kNamed<Number>) {
    leave_out(out, call, {"element_arrangement", "pad_all_dims", "pad_dims"});
    if (generation != Generation::S2 && generation != Generation::S3)
      out.unsupported = "an older constructor with names";
  }
  const std::vector<Number> size = call.list<Number>("size");
  auto dense = dense_of(size);
  if (!dense) call.fail(dense.error().code, "size", dense.error().message);
  std::vector<Number> strides;
  if (dense) strides = *dense;
  const bool given = call.has("strides");
  if (given) strides = call.list<Number>("strides");
  const DeviceFormat format = call.torch_dtype();
  std::vector<Index> order(size.size());
  std::iota(order.begin(), order.end(), 0);
  if (call.has("dim_order") || given) order = call.list<Index>("dim_order");
  const std::string arrangement = call.enumerator("element_arrangement");
  const bool pads = call.has("pad_all_dims") || call.has("pad_dims");
  const std::vector<bool> padded = read_padding(call, size.size(), order);
  if (pads && call.has("generation") && generation != Generation::G1)
    call.fail(ErrorCode::Value, "generation", "pad flags belong to G1");
  if (pads) generation = Generation::G1;
  out.host_size = size;
  if (given) out.host_strides = strides;
  if (call.failed() || !out.unsupported.empty()) return out;
  auto layout = construct_by<Number>(generation, size, strides, format, order, padded);
  if (!layout) {
    blame(call, size, strides, layout.error());
    return out;
  }
  if (!arrangement.empty()) layout->element_arrangement = arrangement;
  layout->host_size = std::move(out.host_size);
  layout->host_strides = std::move(out.host_strides);
  layout->dim_order = order;
  if (pads) layout->notes.emplace_back("pad flags: read by the rule of January and February 2026, with a dim_map");
  check_written(*layout, &call,
                [](void* where, ErrorCode code, std::string_view, std::string message, std::optional<std::size_t>) {
                  static_cast<Arguments*>(where)->fail(code, "size", std::move(message));
                });
  return *layout;
}

bool is_torch_dtype(const Argument* argument) {
  if (argument == nullptr) return false;
  const auto* name = std::get_if<std::string_view>(&argument->value);
  return name != nullptr && name->starts_with("torch.");
}

template <class Number>
BasicTensorLayout<Number> read_call(Cursor& in, const DeviceFormat* usual) {
  Arguments call(in, parse_call(in, kType, kNamed<Number> ? Entries::Expressions : Entries::Integers));
  if constexpr (!kNamed<Number>) in.expect_end();  // with names, restickify may stand behind it
  // The raw form has a device dtype, or a keyword of its own; the constructors have a PyTorch dtype.
  const bool constructed = call.has("dtype") || call.has("size") || is_torch_dtype(call.at(1)) ||
                           (is_torch_dtype(call.at(2)) && Arguments::is_list(call.at(1)));
  if (in.failed()) return {};
  return constructed ? read_constructed<Number>(call) : read_raw<Number>(call, usual);
}

}  // namespace

template <class Number>
void check_written(const BasicTensorLayout<Number>& layout, void* where, Blame fail) {
  if (layout.device_size.empty())
    fail(where, ErrorCode::Shape, "device_size", "device_size is empty; expected at least the stick dimension", {});
  for (std::size_t j = 0; j < layout.device_size.size(); ++j)
    if (is_negative(layout.device_size[j]))
      fail(where, ErrorCode::Value, "device_size",
           fmt::format("the device size {} is negative", *number_of(layout.device_size[j])), j);
  const auto check = [&](std::string_view name, const auto& list) {
    if (list.size() != layout.device_size.size())
      fail(where, ErrorCode::Shape, name,
           fmt::format("{} has {} entries, device_size has {}; expected one for each", name, list.size(),
                       layout.device_size.size()),
           {});
    for (std::size_t j = 0; j < list.size(); ++j)
      if (number_of(list[j]).value_or(0) < -1)
        fail(where, ErrorCode::Value, name,
             fmt::format("{} is not a valid entry of {}; expected -1 or more", *number_of(list[j]), name), j);
  };
  if (layout.dim_map.empty() || !layout.stride_map.empty()) check("stride_map", layout.stride_map);
  if (!layout.dim_map.empty()) check("dim_map", layout.dim_map);
  if constexpr (!kNamed<Number>) {
    const auto volume = checked_product(layout.device_size);
    const Index eps = std::max<Index>(layout.device_dtype.elements_per_stick, 1);
    if (!volume || !checked_mul(*volume, ceil_div(kStickBits / 8, eps)))
      fail(where, ErrorCode::Overflow, "device_size", "the device size in bytes does not fit in 64 bits", {});
  }
}

template void check_written(const SpyreTensorLayout&, void*, Blame);

void read_device_strides(SpyreTensorLayout& layout, const std::vector<Index>& strides, void* where, Blame fail) {
  const auto row_major = map::dense_strides(layout.device_size);
  if (strides.size() != layout.device_size.size())
    fail(where, ErrorCode::Shape, "device_strides",
         fmt::format("{} device strides for {} device sizes", strides.size(), layout.device_size.size()), {});
  else if (!row_major || *row_major != strides)
    layout.unsupported = fmt::format(
        "the device strides [{}] are not those of device_size in row-major order; other "
        "orders of memory are not encoded",
        fmt::join(strides, ", "));
}

Result<SpyreTensorLayout> parse(std::string_view text, const DeviceFormat* usual) {
  Cursor in(text);
  const char first = in.peek();
  Cursor ahead = in;
  const std::string_view word = first == '(' || first == '[' ? std::string_view{} : ahead.identifier("a layout");
  SpyreTensorLayout layout;
  if (first == '(' || first == '[') layout = read_tuple(in, usual);
  else if (word == "TensorArg") layout = read_operand(in, usual);
  else if (word.starts_with("device_")) layout = read_fields(in, usual);
  else layout = read_call<Index>(in, usual);
  if (in.failed()) return in.error();
  return layout;
}

NamedLayout read_named(Cursor& in) { return read_call<map::Expression>(in, nullptr); }

bool recognises(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  const std::string_view rest = text.substr(start);
  for (const std::string_view head :
       {kType, std::string_view("rescale_stl_for_dtype"), std::string_view("TensorArg"), std::string_view("device_")})
    if (rest.starts_with(head)) return true;
  const std::size_t second = rest.find_first_not_of(" \t\r\n", 1);
  if ((rest[0] != '(' && rest[0] != '[') || second == std::string_view::npos ||
      (rest[second] != '[' && rest[second] != '('))
    return false;
  // A list of lists with a ':' behind it is a shape with its stride, of another system.
  std::size_t end = 0;
  int open = 0;
  do {
    if (rest[end] == '(' || rest[end] == '[') ++open;
    if (rest[end] == ')' || rest[end] == ']') --open;
  } while (++end < rest.size() && open > 0);
  const std::size_t behind = rest.find_first_not_of(" \t\r\n", end);
  return behind == std::string_view::npos || rest[behind] != ':';
}

std::string print(const SpyreTensorLayout& layout) {
  const bool strided = !layout.stride_map.empty();
  std::string out =
      fmt::format("{}(device_size=[{}], {} =[{}], device_dtype=DataFormats.{}", kType,
                  fmt::join(layout.device_size, ", "), strided ? "stride_map" : "dim_map",
                  fmt::join(strided ? layout.stride_map : layout.dim_map, ", "), layout.device_dtype.name);
  if (layout.element_arrangement != "STANDARD")
    out += fmt::format(", element_arrangement=ElementArrangement.{}", layout.element_arrangement);
  return out + ")";
}

}  // namespace vl::spyre
