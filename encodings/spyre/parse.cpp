// The Python call SpyreTensorLayout(…) in all its overloads: first any call with keyword and positional arguments,
// then which overload it is.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <variant>

#include "encodings/spyre/spyre.h"
#include "verifier/base/cursor.h"

namespace vl::spyre {
namespace {

constexpr std::string_view kType = "SpyreTensorLayout";

struct Call {  // get_device_dtype(torch.float16)
  std::string_view function;
  std::string_view argument;
};
struct Argument {
  std::string_view keyword;  // empty when positional
  std::variant<std::vector<Index>, std::string_view, Index, Call> value;
  std::size_t offset = 0;  // of the value in the text
  bool used = false;
};

std::string describe(const Argument& argument) {
  return std::visit(overloaded{[](const std::vector<Index>&) -> std::string { return "a list of integers"; },
                               [](std::string_view name) { return fmt::format("'{}'", name); },
                               [](Index value) { return fmt::format("the integer {}", value); },
                               [](const Call& call) { return fmt::format("{}(…)", call.function); }},
                    argument.value);
}

Argument parse_argument(Cursor& in, bool may_have_keyword = true) {
  Argument argument;
  in.skip_space();
  argument.offset = in.offset();
  const char next = in.peek();
  if (next == '(' || next == '[') {
    argument.value = in.integer_list("a list");
  } else if (next == '-' || next == '+' || (next >= '0' && next <= '9')) {
    argument.value = in.integer("an integer");
  } else {
    const std::string_view name = in.dotted_name("a list, a dtype or a keyword");
    if (may_have_keyword && name.find('.') == std::string_view::npos && in.accept("=")) {
      argument = parse_argument(in, false);
      argument.keyword = name;
    } else if (in.accept("(")) {
      const std::string_view inner = in.dotted_name("a dtype");
      in.expect(")");
      argument.value = Call{name, inner};
    } else {
      argument.value = name;
    }
  }
  return argument;
}

std::vector<Argument> parse_call(Cursor& in) {
  std::vector<Argument> arguments;
  in.expect(kType);
  in.expect("(");
  while (!in.failed() && !in.accept(")")) {
    if (!arguments.empty()) {
      in.expect(",");
      if (in.accept(")")) break;
    }
    const std::size_t at = in.offset();
    Argument argument = parse_argument(in);
    for (const Argument& other : arguments) {
      if (argument.keyword.empty() && !other.keyword.empty())
        in.fail(ErrorCode::Syntax, "a positional argument behind a keyword", at);
      if (!argument.keyword.empty() && argument.keyword == other.keyword)
        in.fail(ErrorCode::Syntax, fmt::format("{} is given twice", argument.keyword), at);
    }
    arguments.push_back(std::move(argument));
  }
  in.expect_end();
  return arguments;
}

// Takes arguments out of a call one by one and remembers the first thing that is wrong.
class Reader {
 public:
  Reader(Cursor& in, std::vector<Argument> arguments) : in_(in), arguments_(std::move(arguments)) {}

  [[nodiscard]] bool has(std::string_view keyword) const { return find(keyword) != nullptr; }
  [[nodiscard]] std::size_t positional() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(arguments_, [](const Argument& a) { return a.keyword.empty(); }));
  }
  [[nodiscard]] const Argument* at(std::size_t position) const {
    return position < positional() ? &arguments_[position] : nullptr;
  }
  [[nodiscard]] static bool is_list(const Argument* a) {
    return a != nullptr && std::holds_alternative<std::vector<Index>>(a->value);
  }

  // Gives positional arguments the keywords of an overload, in order.
  void name_positional(std::initializer_list<std::string_view> keywords) {
    const std::size_t count = positional();
    for (std::size_t i = 0; i < count; ++i) {
      if (i >= keywords.size()) {
        in_.fail(ErrorCode::Shape, fmt::format("expected at most {} arguments in this form, found {}",
                                               keywords.size(), count), arguments_[i].offset);
        return;
      }
      const std::string_view keyword = keywords.begin()[i];
      if (has(keyword)) in_.fail(ErrorCode::Syntax, fmt::format("{} is given twice", keyword), arguments_[i].offset);
      arguments_[i].keyword = keyword;
    }
  }

  std::vector<Index> list(std::string_view keyword) {
    const Argument* argument = take(keyword, "a list of integers");
    if (argument == nullptr) return {};
    if (const auto* values = std::get_if<std::vector<Index>>(&argument->value)) return *values;
    wrong(*argument, "a list of integers");
    return {};
  }

  // A device format: DataFormats.X, or get_device_dtype(torch.x).
  DeviceFormat device_dtype() {
    const Argument* argument = take("device_dtype", "a device dtype such as DataFormats.SEN169_FP16");
    if (argument == nullptr) return {};
    Result<DeviceFormat> format = Error{};
    if (const auto* name = std::get_if<std::string_view>(&argument->value)) format = device_format(*name);
    else if (const auto* call = std::get_if<Call>(&argument->value); call && call->function == "get_device_dtype")
      format = device_format_of_torch(call->argument);
    else wrong(*argument, "a device dtype such as DataFormats.SEN169_FP16");
    return take_format(format, *argument);
  }

  DeviceFormat torch_dtype() {
    const Argument* argument = take("dtype", "a dtype such as torch.float16");
    if (argument == nullptr) return {};
    const auto* name = std::get_if<std::string_view>(&argument->value);
    if (name == nullptr) wrong(*argument, "a dtype such as torch.float16");
    return name == nullptr ? DeviceFormat{} : take_format(device_format_of_torch(*name), *argument);
  }

  // The name behind the last dot of an optional argument; empty when it is absent.
  std::string enumerator(std::string_view keyword) {
    if (!has(keyword)) return {};
    const Argument* argument = take(keyword, "a name");
    const auto* name = std::get_if<std::string_view>(&argument->value);
    if (name == nullptr) wrong(*argument, "a name");
    return name == nullptr ? std::string{} : std::string(name->substr(name->rfind('.') + 1));
  }

  // An optional argument of an older generation that may only have this value.
  void only(std::string_view keyword, std::string_view value) {
    if (!has(keyword)) return;
    const Argument* argument = take(keyword, value);
    const auto* name = std::get_if<std::string_view>(&argument->value);
    const auto* number = std::get_if<Index>(&argument->value);
    if ((name == nullptr || *name != value) && (number == nullptr || fmt::format("{}", *number) != value))
      wrong(*argument, value);
  }

  void all_used(std::string_view known) {
    for (const Argument& argument : arguments_)
      if (!argument.used)
        in_.fail(ErrorCode::Syntax, fmt::format("unknown field '{}'; expected one of {}", argument.keyword, known),
                 argument.offset);
  }

  [[nodiscard]] std::size_t offset(std::string_view keyword) const {
    const Argument* argument = find(keyword);
    return argument == nullptr ? 0 : argument->offset;
  }

 private:
  [[nodiscard]] const Argument* find(std::string_view keyword) const {
    const auto found = std::ranges::find(arguments_, keyword, &Argument::keyword);
    return found == arguments_.end() ? nullptr : &*found;
  }
  const Argument* take(std::string_view keyword, std::string_view expected) {
    const auto found = std::ranges::find(arguments_, keyword, &Argument::keyword);
    if (found == arguments_.end()) {
      in_.fail(ErrorCode::Syntax, fmt::format("{} is missing: expected {}", keyword, expected), in_.text().size());
      return nullptr;
    }
    found->used = true;
    return &*found;
  }
  void wrong(const Argument& argument, std::string_view expected) {
    in_.fail(ErrorCode::Syntax, fmt::format("expected {}, found {}", expected, describe(argument)), argument.offset);
  }
  DeviceFormat take_format(const Result<DeviceFormat>& format, const Argument& argument) {
    if (format) return *format;
    in_.fail(format.error().code, format.error().message, argument.offset);
    return {};
  }

  Cursor& in_;
  std::vector<Argument> arguments_;
};

void check_raw(Cursor& in, const Reader& reader, const SpyreTensorLayout& layout) {
  const auto fail = [&](ErrorCode code, std::string_view field, std::string message) {
    in.fail(code, std::move(message), reader.offset(field));
  };
  if (layout.device_size.empty())
    fail(ErrorCode::Shape, "device_size", "device_size is empty; expected at least the stick dimension");
  for (const Index extent : layout.device_size)
    if (extent < 0) fail(ErrorCode::Value, "device_size", fmt::format("the device size {} is negative", extent));
  const bool strided = layout.dim_map.empty() || !layout.stride_map.empty();
  const std::string_view field = strided ? "stride_map" : "dim_map";
  const std::vector<Index>& entries = strided ? layout.stride_map : layout.dim_map;
  if (entries.size() != layout.device_size.size())
    fail(ErrorCode::Shape, field, fmt::format("{} has {} entries, device_size has {}; expected one for each",
                                              field, entries.size(), layout.device_size.size()));
  for (const Index entry : entries)
    if (entry < -1)
      fail(ErrorCode::Value, field, fmt::format("{} is not a valid entry of {}; expected -1 or more", entry, field));
  const auto volume = checked_product(layout.device_size);
  const Index eps = std::max<Index>(layout.device_dtype.elements_per_stick, 1);
  if (!volume || !checked_mul(*volume, ceil_div(kStickBits / 8, eps)))
    fail(ErrorCode::Overflow, "device_size", "the device size in bytes does not fit in 64 bits");
}

SpyreTensorLayout read_raw(Cursor& in, Reader& reader) {
  reader.name_positional({"device_size", reader.has("dim_map") ? "dim_map" : "stride_map", "device_dtype",
                          "element_arrangement"});
  SpyreTensorLayout layout;
  layout.device_size = reader.list("device_size");
  if (reader.has("dim_map")) layout.dim_map = reader.list("dim_map");
  if (reader.has("stride_map") || !reader.has("dim_map")) layout.stride_map = reader.list("stride_map");
  layout.device_dtype = reader.device_dtype();
  if (auto arrangement = reader.enumerator("element_arrangement"); !arrangement.empty())
    layout.element_arrangement = std::move(arrangement);
  reader.only("num_stick_dims", "1");
  reader.only("format", "StickFormat.Dense");
  reader.all_used("device_size, stride_map, dim_map, device_dtype, element_arrangement, num_stick_dims, format");
  if (!in.failed()) check_raw(in, reader, layout);
  return layout;
}

SpyreTensorLayout read_constructed(Cursor& in, Reader& reader) {
  if (Reader::is_list(reader.at(1)))
    reader.name_positional({"size", "strides", "dtype", "dim_order", "element_arrangement"});
  else
    reader.name_positional({"size", "dtype", "dim_order"});
  const std::vector<Index> size = reader.list("size");
  auto dense = map::dense_strides(size);
  if (!dense) in.fail(dense.error().code, dense.error().message, reader.offset("size"));
  std::vector<Index> strides;
  if (dense) strides = *dense;
  const bool given = reader.has("strides");
  if (given) strides = reader.list("strides");
  const DeviceFormat format = reader.torch_dtype();
  std::vector<Index> order(size.size());
  std::iota(order.begin(), order.end(), 0);
  if (reader.has("dim_order") || given) order = reader.list("dim_order");
  const std::string arrangement = reader.enumerator("element_arrangement");
  reader.all_used("size, strides, dtype, dim_order, element_arrangement");
  if (in.failed()) return {};
  auto layout = construct(size, strides, format, order);
  if (!layout) {
    const auto negative = [](Index value) { return value < 0; };
    const std::string_view culprit = std::ranges::any_of(size, negative)                                   ? "size"
                                     : strides.size() != size.size() || std::ranges::any_of(strides, negative) ? "strides"
                                     : reader.has("dim_order")                                             ? "dim_order"
                                                                                                           : "size";
    in.fail(layout.error().code, layout.error().message, reader.offset(culprit));
    return {};
  }
  if (!arrangement.empty()) layout->element_arrangement = arrangement;
  layout->host_size = size;
  layout->dim_order = order;
  if (given) layout->host_strides = strides;
  check_raw(in, reader, *layout);
  return *layout;
}

bool is_torch_dtype(const Argument* argument) {
  if (argument == nullptr) return false;
  const auto* name = std::get_if<std::string_view>(&argument->value);
  return name != nullptr && name->starts_with("torch.");
}

}  // namespace

Result<SpyreTensorLayout> parse(std::string_view text) {
  Cursor in(text);
  Reader reader(in, parse_call(in));
  // The raw form has a device dtype, or a keyword of its own; the constructors have a PyTorch dtype.
  const bool constructed = reader.has("dtype") || reader.has("size") || is_torch_dtype(reader.at(1)) ||
                           (is_torch_dtype(reader.at(2)) && Reader::is_list(reader.at(1)));
  SpyreTensorLayout layout;
  if (!in.failed()) layout = constructed ? read_constructed(in, reader) : read_raw(in, reader);
  if (in.failed()) return in.error();
  return layout;
}

std::string print(const SpyreTensorLayout& layout) {
  const bool strided = !layout.stride_map.empty();
  std::string out = fmt::format("{}(device_size=[{}], {} =[{}], device_dtype=DataFormats.{}", kType,
                                fmt::join(layout.device_size, ", "), strided ? "stride_map" : "dim_map",
                                fmt::join(strided ? layout.stride_map : layout.dim_map, ", "),
                                layout.device_dtype.name);
  if (layout.element_arrangement != "STANDARD")
    out += fmt::format(", element_arrangement=ElementArrangement.{}", layout.element_arrangement);
  return out + ")";
}

}  // namespace vl::spyre
