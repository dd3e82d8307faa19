#include "encodings/spyre/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "encodings/spyre/expression.h"
#include "encodings/spyre/slots.h"

namespace vl::spyre {
namespace {

// The host's strides, which both directions need: positive for every dimension with more than one element.
Result<std::vector<Index>> strides_of(const map::Tensor& tensor) {
  const auto strides = map::host_strides(tensor);
  if (!strides) return strides.error();
  for (std::size_t h = 0; h < strides->size(); ++h) {
    if (tensor.size[h] <= 1) continue;
    if ((*strides)[h] == 0)
      return refusal(
          fmt::format("host dimension {} is expanded (stride 0): a stride_map puts its {} elements into one "
                      "slot, a dim_map into {}",
                      h, tensor.size[h], tensor.size[h]));
    if ((*strides)[h] < 0)
      return refusal(fmt::format("host dimension {} runs backwards (stride {})", h, (*strides)[h]));
  }
  return *strides;
}

// The weight of the next digit of each host dimension, from the rightmost device dimension leftwards.
struct Weights {
  std::vector<Index> of;  // the weight of the next digit

  [[nodiscard]] bool full(const map::Tensor& tensor, std::size_t h) const { return of[h] >= tensor.size[h]; }
  // A weight beyond 64 bits exceeds every size: all digits are there.
  void take(std::size_t h, Index size) {
    of[h] = checked_mul(of[h], std::max<Index>(size, 1)).value_or(std::numeric_limits<Index>::max());
  }
};

// Of two device dimensions of one stride, the outer one takes all: coordinates of the others are 0.
bool loses_tie(const SpyreTensorLayout& layout, std::size_t j) {
  for (std::size_t i = 0; i < j; ++i)
    if (layout.stride_map[i] == layout.stride_map[j] && layout.device_size[i] > 1) return true;
  return false;
}

// The host dimension whose next digit is device dimension j. There are several only if the host's offsets overlap; then
// the last one, which leaves the larger strides to the dimensions further out.
std::optional<std::size_t> digit_of(const SpyreTensorLayout& layout, const map::Tensor& tensor,
                                    std::span<const Index> strides, const Weights& weights, std::size_t j) {
  for (std::size_t h = strides.size(); h-- > 0;) {
    // A device dimension of size 1 may count sticks of a full host dimension: a row that fits into one stick.
    if (tensor.size[h] <= 1 || (weights.full(tensor, h) && layout.device_size[j] > 1)) continue;
    if (checked_mul(strides[h], weights.of[h]) == layout.stride_map[j]) return h;
  }
  return std::nullopt;
}

std::string why_no_digit(const SpyreTensorLayout& layout, const map::Tensor& tensor, std::span<const Index> strides,
                         const Weights& weights, std::size_t j) {
  const Index stride = layout.stride_map[j];
  for (std::size_t h = 0; h < strides.size(); ++h)
    if (tensor.size[h] > 1 && weights.full(tensor, h) && checked_mul(strides[h], weights.of[h]) == stride)
      return fmt::format(
          "device dimension {} continues host dimension {} beyond its size {}: it joins two host "
          "dimensions (fused)",
          j, h, tensor.size[h]);
  for (std::size_t h = 0; h < strides.size(); ++h)
    if (tensor.size[h] > 1 && stride % strides[h] == 0 && stride / strides[h] < tensor.size[h])
      return fmt::format(
          "device dimension {} has stride {}, {} of host dimension {}, where the digits to its right "
          "leave the weight {}: a dim_map has its digits outermost first and without gaps",
          j, stride, stride / strides[h], h, weights.of[h]);
  return fmt::format(
      "device dimension {} has stride {}, which is not a multiple of one host stride within that "
      "dimension's size",
      j, stride);
}

}  // namespace

Result<SpyreTensorLayout> to_dim_map(const SpyreTensorLayout& layout, const map::Tensor& tensor) {
  if (layout.stride_map.empty()) return layout;
  if (tensor.view_offset != 0)
    return refusal(
        fmt::format("the view starts {} elements into the allocation, which a dim_map cannot say", tensor.view_offset));
  const auto strides = strides_of(tensor);
  if (!strides) return strides.error();
  const std::size_t rank = layout.device_size.size();
  SpyreTensorLayout out = layout;
  out.stride_map.clear();
  out.dim_map.assign(rank, kNoDim);
  Weights weights{std::vector<Index>(tensor.size.size(), 1)};
  for (std::size_t j = rank; j-- > 0;) {
    const bool single = layout.device_size[j] <= 1;
    if (layout.stride_map[j] == 0 && !single)
      return refusal(fmt::format("device dimension {} has stride 0: its {} copies of each element are beyond a dim_map",
                                 j, layout.device_size[j]));
    if (layout.stride_map[j] < 0 || (!single && loses_tie(layout, j))) continue;
    const auto host = digit_of(layout, tensor, *strides, weights, j);
    if (!host && single) continue;
    if (!host) return refusal(why_no_digit(layout, tensor, *strides, weights, j));
    out.dim_map[j] = static_cast<Index>(*host);
    weights.take(*host, layout.device_size[j]);
  }
  for (std::size_t h = 0; h < tensor.size.size(); ++h)
    if (tensor.size[h] > 1 && std::ranges::find(out.dim_map, static_cast<Index>(h)) == out.dim_map.end())
      return refusal(fmt::format("no device dimension has the stride {} of host dimension {}", (*strides)[h], h));
  return out;
}

Result<SpyreTensorLayout> to_stride_map(const SpyreTensorLayout& layout, const map::Tensor& tensor) {
  if (!layout.stride_map.empty()) {
    SpyreTensorLayout out = layout;
    out.dim_map.clear();
    return out;
  }
  const auto strides = strides_of(tensor);
  if (!strides) return strides.error();
  const std::size_t rank = layout.device_size.size();
  SpyreTensorLayout out = layout;
  out.dim_map.clear();
  out.stride_map.assign(rank, kNoDim);
  Weights weights{std::vector<Index>(tensor.size.size(), 1)};
  for (std::size_t j = rank; j-- > 0;) {
    if (layout.dim_map[j] < 0) continue;
    const auto host = static_cast<std::size_t>(layout.dim_map[j]);
    if (host >= tensor.size.size())
      return Error{ErrorCode::Shape,
                   fmt::format("dim_map names host dimension {}, the tensor has rank {}", host, tensor.size.size())};
    if (tensor.size[host] > 1 && !weights.full(tensor, host)) {
      const auto stride = checked_mul((*strides)[host], weights.of[host]);
      if (!stride)
        return Error{ErrorCode::Overflow, fmt::format("the stride of device dimension {} leaves 64 bits", j)};
      out.stride_map[j] = *stride;
    }
    weights.take(host, layout.device_size[j]);
  }
  for (std::size_t h = 0; h < tensor.size.size(); ++h)
    if (tensor.size[h] > 1 && std::ranges::find(layout.dim_map, static_cast<Index>(h)) == layout.dim_map.end())
      return refusal(
          fmt::format("dim_map does not name host dimension {}: its elements beyond the first have no slot, "
                      "which a stride_map says only of offsets",
                      h));
  return out;
}

Result<use::Conversion> convert(std::string_view text, const map::Tensor& tensor, std::string_view notation) {
  const auto expression = read_expression(text, tensor);
  if (!expression) return expression.error();
  const SpyreTensorLayout* layout = &expression->layout;
  if (!layout->unsupported.empty()) return use::Conversion{{}, layout->unsupported};
  const auto out = notation == "dim_map" ? to_dim_map(*layout, tensor) : to_stride_map(*layout, tensor);
  if (out) return use::Conversion{print(*out), {}};
  if (out.error().code == ErrorCode::Value) return use::Conversion{{}, out.error().message};
  return out.error();
}

}  // namespace vl::spyre
