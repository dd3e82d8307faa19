#include "oracle/files/dtype.h"

#include <algorithm>

namespace vl::oracle {
namespace {

using Kind = Dtype::Kind;

struct Spelling {
  Dtype dtype;
  std::string_view name;
};

constexpr Spelling kSafetensors[] = {
    {{Kind::Bool, 1}, "BOOL"},    {{Kind::Unsigned, 1}, "U8"},  {{Kind::Signed, 1}, "I8"},
    {{Kind::E4m3, 1}, "F8_E4M3"}, {{Kind::E5m2, 1}, "F8_E5M2"}, {{Kind::Unsigned, 2}, "U16"},
    {{Kind::Signed, 2}, "I16"},   {{Kind::Float, 2}, "F16"},    {{Kind::Brain, 2}, "BF16"},
    {{Kind::Unsigned, 4}, "U32"}, {{Kind::Signed, 4}, "I32"},   {{Kind::Float, 4}, "F32"},
    {{Kind::Unsigned, 8}, "U64"}, {{Kind::Signed, 8}, "I64"},   {{Kind::Float, 8}, "F64"}};

char letter(Kind kind) {
  switch (kind) {
    case Kind::Bool: return 'b';
    case Kind::Signed: return 'i';
    case Kind::Float: return 'f';
    case Kind::Unsigned:
    case Kind::Brain:
    case Kind::E4m3:
    case Kind::E5m2: return 'u';
  }
  VL_CHECK(false, "a kind without a letter");
}

Kind kind_of(map::ElementType type) {
  using map::ElementType;
  switch (type) {
    case ElementType::Bool: return Kind::Bool;
    case ElementType::I4:
    case ElementType::I8:
    case ElementType::I16:
    case ElementType::I32:
    case ElementType::I64: return Kind::Signed;
    case ElementType::U8:
    case ElementType::U16:
    case ElementType::U32: return Kind::Unsigned;
    case ElementType::F8E4M3: return Kind::E4m3;
    case ElementType::F8E5M2: return Kind::E5m2;
    case ElementType::Bf16: return Kind::Brain;
    case ElementType::F16:
    case ElementType::F32:
    case ElementType::F64:
    case ElementType::Bfp8:
    case ElementType::Bfp4: return Kind::Float;
  }
  VL_CHECK(false, "an element type without a kind");
}

}  // namespace

std::string npy_name(Dtype dtype) {
  return {dtype.bytes == 1 ? '|' : '<', letter(dtype.kind), static_cast<char>('0' + dtype.bytes)};
}

std::string_view safetensors_name(Dtype dtype) {
  const auto found = std::ranges::find(kSafetensors, dtype, &Spelling::dtype);
  VL_CHECK(found != std::end(kSafetensors), "a dtype that no file has");
  return found->name;
}

std::optional<Dtype> dtype_of_safetensors(std::string_view name) {
  const auto found = std::ranges::find(kSafetensors, name, &Spelling::name);
  return found == std::end(kSafetensors) ? std::nullopt : std::optional(found->dtype);
}

std::optional<Dtype> dtype_of(map::ElementType type) {
  // bfp8 and bfp4 share exponents: a single element has no meaning, whatever its width is.
  if (map::bits(type) % 8 != 0 || type == map::ElementType::Bfp8 || type == map::ElementType::Bfp4) return std::nullopt;
  return Dtype{kind_of(type), static_cast<std::size_t>(map::bits(type) / 8)};
}

bool carries(Dtype dtype, map::ElementType type) {
  const auto own = dtype_of(type);
  return own && dtype.bytes == own->bytes && (dtype.kind == own->kind || dtype.kind == Kind::Unsigned);
}

std::optional<std::size_t> array_bytes(Dtype dtype, std::span<const Index> shape) {
  if (std::ranges::any_of(shape, [](Index extent) { return extent < 0; })) return std::nullopt;
  const auto items = checked_product(shape);
  const auto bytes = items ? checked_mul(*items, static_cast<Index>(dtype.bytes)) : std::nullopt;
  return bytes ? std::optional(static_cast<std::size_t>(*bytes)) : std::nullopt;
}

}  // namespace vl::oracle
