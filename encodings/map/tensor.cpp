#include "encodings/map/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "encodings/base/cursor.h"
#include "encodings/base/words.h"

namespace vl::map {
namespace {

struct TypeRow {
  ElementType type;
  std::string_view name;
  int bits;
  std::array<std::string_view, 4> spellings;
};

constexpr std::array<TypeRow, 17> kTypes = {{
    {ElementType::Bool, "bool", 8, {"torch.bool", "i1", "", ""}},
    {ElementType::I4, "i4", 4, {"si4", "", "", ""}},
    {ElementType::I8, "i8", 8, {"torch.int8", "si8", "torch.qint8", ""}},
    {ElementType::U8, "u8", 8, {"torch.uint8", "ui8", "torch.quint8", ""}},
    {ElementType::I16, "i16", 16, {"torch.int16", "si16", "torch.short", ""}},
    {ElementType::U16, "u16", 16, {"torch.uint16", "ui16", "", ""}},
    {ElementType::I32, "i32", 32, {"torch.int32", "si32", "torch.int", ""}},
    {ElementType::U32, "u32", 32, {"torch.uint32", "ui32", "", ""}},
    {ElementType::I64, "i64", 64, {"torch.int64", "si64", "torch.long", ""}},
    {ElementType::F8E4M3, "f8e4m3", 8, {"torch.float8_e4m3fn", "f8E4M3FN", "f8E4M3", "f8e4m3fn"}},
    {ElementType::F8E5M2, "f8e5m2", 8, {"torch.float8_e5m2", "f8E5M2", "torch.float8_e5m2fnuz", ""}},
    {ElementType::F16, "f16", 16, {"torch.float16", "torch.half", "", ""}},
    {ElementType::Bf16, "bf16", 16, {"torch.bfloat16", "", "", ""}},
    {ElementType::F32, "f32", 32, {"torch.float32", "torch.float", "", ""}},
    {ElementType::F64, "f64", 64, {"torch.float64", "torch.double", "", ""}},
    {ElementType::Bfp8, "bfp8", 8, {"bfp_bf8", "", "", ""}},
    {ElementType::Bfp4, "bfp4", 4, {"bfp_bf4", "", "", ""}},
}};

const TypeRow& row_of(ElementType type) { return kTypes[static_cast<std::size_t>(type)]; }

std::optional<ElementType> known_type(std::string_view spelling) {
  for (const TypeRow& row : kTypes)
    if (spelling == row.name || std::ranges::find(row.spellings, spelling) != row.spellings.end()) return row.type;
  return std::nullopt;
}

ElementType take_type(Cursor& in) {
  in.skip_space();
  const std::size_t at = in.offset();
  const std::string_view spelling = in.dotted_name("an element type");
  const auto type = element_type_of(spelling);
  if (!type && !in.failed()) {
    std::vector<std::string_view> known;
    known.reserve(std::size(kTypes));
    for (const TypeRow& row : kTypes) known.push_back(row.name);
    in.fail(ErrorCode::Value, fmt::format("'{}' is not an element type; {}", spelling, one_of(spelling, known)), at);
  }
  return type.value_or(ElementType::F16);
}

// MLIR's sizes, each with an x behind it: 5x100x150x before f16.
std::vector<Index> take_leading_sizes(Cursor& in) {
  const std::string_view text = in.text();
  std::vector<Index> sizes;
  for (char next = in.peek(); next >= '0' && next <= '9'; next = in.offset() < text.size() ? text[in.offset()] : '\0') {
    Index size = 0;
    const char* begin = text.data() + in.offset();
    const auto [stop, code] = std::from_chars(begin, text.data() + text.size(), size);
    if (code != std::errc{}) in.fail(ErrorCode::Overflow, "a size does not fit in 64 bits", in.offset());
    if (in.failed()) return sizes;
    in.move_to(static_cast<std::size_t>(stop - text.data()));
    if (in.offset() == text.size() || *stop != 'x')
      in.fail(fmt::format("expected 'x' behind a size, as in 5x100x150xf16, found {}", in.found()));
    in.move_to(in.offset() + 1);
    sizes.push_back(size);
    if (in.failed()) return sizes;
  }
  return sizes;
}

// The place of the first negative entry of the list at `list`.
std::optional<std::size_t> first_negative(std::string_view text, std::size_t list, std::span<const Index> entries) {
  std::size_t at = list + 1;
  for (const Index entry : entries) {
    if (entry < 0) return text.find_first_not_of(" \t\r\n", at);
    at = text.find(',', at) + 1;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(ElementType type) { return row_of(type).name; }

int bits(ElementType type) { return row_of(type).bits; }

std::optional<ElementType> element_type_of(std::string_view spelling) {
  if (spelling.empty() || spelling.find('.') == 0) return std::nullopt;
  if (const auto type = known_type(spelling)) return type;
  if (const auto type = known_type(fmt::format("torch.{}", spelling))) return type;
  return spelling.starts_with("fp") ? known_type(fmt::format("f{}", spelling.substr(2))) : std::nullopt;
}

Result<Tensor> parse_tensor(std::string_view text) {
  Cursor in(text);
  const char first = in.peek();
  Tensor tensor;
  std::size_t list = in.offset();
  if (first >= '0' && first <= '9') {
    tensor.size = take_leading_sizes(in);
    tensor.type = take_type(in);
  } else {
    tensor.type = take_type(in);
    if (in.peek() != '[')
      in.fail(fmt::format("expected the tensor's shape in brackets, as in f16[5,100,150], found {}", in.found()));
    list = in.offset();
    tensor.size = in.integer_list("the tensor's shape");
  }
  in.expect_end();
  if (in.failed()) return in.error();
  if (const auto at = first_negative(text, list, tensor.size))
    return Error{
        ErrorCode::Value,
        fmt::format("the size {} is negative", *std::ranges::find_if(tensor.size, [](Index size) { return size < 0; })),
        *at};
  if (!checked_product(tensor.size))
    return Error{ErrorCode::Overflow, "the number of elements does not fit in 64 bits", list};
  return tensor;
}

std::string print(const Tensor& tensor) {
  std::string out = fmt::format("{}[{}]", name(tensor.type), fmt::join(tensor.size, ","));
  if (tensor.strides) out += fmt::format(" strides [{}]", fmt::join(*tensor.strides, ","));
  if (tensor.offset != 0) out += fmt::format(" offset {}", tensor.offset);
  if (tensor.view_offset != 0) out += fmt::format(" view-offset {}", tensor.view_offset);
  for (const Extent& declared : tensor.box)
    out += fmt::format("{}{}={}", &declared == tensor.box.data() ? " box " : ", ", declared.axis, declared.extent);
  return out;
}

Result<std::vector<Extent>> parse_box(std::string_view text) {
  Cursor in(text);
  std::vector<Extent> box;
  do {
    if (in.at_end()) in.fail("expected the extent of an axis, as in laneid=32");
    in.skip_space();
    const std::size_t at = in.offset();
    const std::string axis(in.identifier("an axis"));
    in.expect("=");
    in.skip_space();
    const std::size_t number = in.offset();
    const Index extent = in.integer("the axis' extent");
    if (extent < 1)
      in.fail(ErrorCode::Value, fmt::format("the extent of {} is {}, not 1 or more", axis, extent), number);
    if (std::ranges::find(box, axis, &Extent::axis) != box.end())
      in.fail(ErrorCode::Value, fmt::format("the axis {} is declared twice", axis), at);
    box.push_back({axis, extent});
  } while (!in.failed() && in.accept(","));
  in.expect_end();
  if (in.failed()) return in.error();
  return box;
}

Result<std::vector<Index>> dense_strides(std::span<const Index> size) {
  std::vector<Index> strides(size.size());
  Index next = 1;
  for (std::size_t i = size.size(); i-- > 0;) {
    strides[i] = next;
    const auto product = checked_mul(next, std::max<Index>(size[i], 1));
    if (!product) return Error{ErrorCode::Overflow, "the strides of the dense tensor do not fit in 64 bits"};
    next = *product;
  }
  return strides;
}

Result<std::vector<Index>> host_strides(const Tensor& tensor) {
  if (tensor.offset < 0 || tensor.view_offset < 0)
    return Error{ErrorCode::Value,
                 fmt::format("the offset {} is negative", std::min(tensor.offset, tensor.view_offset))};
  if (!tensor.strides) return dense_strides(tensor.size);
  if (tensor.strides->size() != tensor.size.size())
    return Error{ErrorCode::Shape,
                 fmt::format("{} strides for a tensor of rank {}", tensor.strides->size(), tensor.size.size())};
  for (const Index stride : *tensor.strides)
    if (stride == std::numeric_limits<Index>::min())
      return Error{ErrorCode::Overflow, "a host stride of -2^63 has no positive twin in 64 bits"};
  return *tensor.strides;
}

}  // namespace vl::map
