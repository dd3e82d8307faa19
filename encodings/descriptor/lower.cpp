// A matrix descriptor as a map: the two dimensions split at rows and 16-byte columns, an address, a swizzle.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/descriptor/operand.h"
#include "encodings/map/blueprint.h"

namespace vl::descriptor {
namespace {

Index bytes_of(Span span) {
  switch (span) {
    case Span::None: return 0;
    case Span::B32: return 32;
    case Span::B64: return 64;
    case Span::B128:
    case Span::Atom32: return 128;
  }
  VL_CHECK(false, "a span of no size");
}

// On bytes: bits and base.
std::pair<int, int> swizzle_of(Span span) {
  switch (span) {
    case Span::None: return {0, 4};
    case Span::B32: return {1, 4};
    case Span::B64: return {2, 4};
    case Span::B128: return {3, 4};
    case Span::Atom32: return {2, 5};
  }
  VL_CHECK(false, "a span of no swizzle");
}

// A dimension as digits: the weights of a split, and what each digit adds to the address, in bytes; the last digit's
// is in elements.
struct Digits {
  std::vector<Index> weights;
  std::vector<Index> strides;
};

// What is contiguous: columns of 16 bytes, maybe in groups of a span.
Digits contiguous(const Operand& operand, Index column) {
  const Index span = bytes_of(operand.span) / 16;
  if (!operand.mn_major) return {{column, 1}, {span == 0 ? operand.lbo : 16, 0}};
  if (span == 0) return {{column, 1}, {operand.sbo, 0}};
  return {{span * column, column, 1}, {operand.lbo, 16, 0}};
}

Digits rows_of(const Operand& operand) {
  const Index rows = operand.span == Span::Atom32 ? 4 : 8;
  const bool swizzled = operand.span != Span::None;
  const Index step = operand.mn_major && !swizzled ? operand.lbo : operand.sbo;
  return {{rows, 1}, {step, swizzled ? bytes_of(operand.span) : 16}};
}

Result<Index> check_tensor(const Operand& operand, const map::Tensor& tensor) {
  const int bits = map::bits(tensor.type);
  if (tensor.size.size() != 2)
    return Error{ErrorCode::Shape,
                 fmt::format("the tensor has {} dimensions; an operand is [mn, k]", tensor.size.size())};
  if (operand.bits != 0 && operand.bits != bits)
    return Error{ErrorCode::Value,
                 fmt::format("the operand's elements have {} bits, the tensor's {}", operand.bits, bits)};
  if (bits < 4 || bits > 32 || 128 % bits != 0)
    return Error{ErrorCode::Value, fmt::format("elements of {} bits; expected 4, 8, 16 or 32", bits)};
  if (tensor.view_offset != 0) return Error{ErrorCode::Value, "a descriptor says itself where its operand starts"};
  if (!operand.mn_major && operand.span != Span::None && tensor.size[1] > bytes_of(operand.span) * 8 / bits)
    return Error{ErrorCode::Shape, fmt::format("rows of {} elements; a span of {} bytes has {}", tensor.size[1],
                                               bytes_of(operand.span), bytes_of(operand.span) * 8 / bits)};
  return bits;
}

}  // namespace

Result<map::Layout> lower(const Operand& operand, const map::Tensor& tensor) {
  const auto bits = check_tensor(operand, tensor);
  if (!bits) return bits.error();
  auto host = map::host_of(tensor);
  if (!host) return host.error();
  const auto elements = [&](Index bytes) { return bytes * 8 / *bits; };
  const Index column = 128 / *bits;
  const Digits inner = contiguous(operand, column), outer = rows_of(operand);
  const Digits& of_mn = operand.mn_major ? inner : outer;
  const Digits& of_k = operand.mn_major ? outer : inner;
  map::LayoutParts parts;
  parts.map.emplace_back(map::Split{0, of_mn.weights});
  parts.map.emplace_back(map::Split{of_mn.weights.size(), of_k.weights});
  map::Row address{elements(operand.start), {}};
  Index reach = address.constant;
  std::size_t input = 0;
  for (const Digits* digits : {&of_mn, &of_k}) {
    Index extent = tensor.size[digits == &of_mn ? 0 : 1];
    for (std::size_t k = 0; k < digits->weights.size(); ++k, ++input) {
      const bool rest = digits == &inner && k + 1 == digits->weights.size();
      const Index stride = rest ? 1 : elements(digits->strides[k]);
      if (stride != 0) address.terms.push_back({input, stride});
      const Index most = extent == 0 ? 0 : (extent - 1) / digits->weights[k];
      if (!accumulate(reach, stride, most)) return Error{ErrorCode::Overflow, "addresses do not fit in 64 bits"};
      extent = std::min(extent, digits->weights[k]);
    }
  }
  parts.map.emplace_back(map::Affine{{address}});
  Index size = reach + 1;
  if (operand.span != Span::None) {
    const auto [count, base] = swizzle_of(operand.span);
    const int lower_bits = *bits == 4 ? -1 : *bits == 8 ? 0 : *bits == 16 ? 1 : 2;
    const int shift = operand.span == Span::Atom32 ? 2 : 3;
    parts.map.emplace_back(map::Swizzle{0, base - lower_bits, count, shift, map::Swizzle::Direction::Down});
    size = ceil_div(size, elements(1024)) * elements(1024);
  }
  if (!tensor.box.empty()) {
    if (tensor.box.size() > 1 || tensor.box.front().axis != map::kMemoryAxis)
      return Error{ErrorCode::Box, "an operand has the one axis m"};
    size = tensor.box.front().extent;
  }
  auto memory = map::Space::create({{std::string(map::kMemoryAxis), size, map::Unit::Element}});
  if (!memory) return memory.error();
  parts.logical = std::move(host->logical), parts.host_offset = std::move(host->offset);
  parts.physical = std::move(*memory), parts.named_axes = true;
  return map::Layout::create(std::move(parts));
}

}  // namespace vl::descriptor
