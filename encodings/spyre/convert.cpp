#include "encodings/spyre/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "encodings/spyre/expression.h"
#include "encodings/spyre/slots.h"

namespace vl::spyre {
namespace {

// The product of the sizes of the digits of each host dimension, from the rightmost device dimension leftwards: the
// weight of the next digit.
struct Weights {
  std::vector<Index> of;

  [[nodiscard]] bool full(const map::Tensor& tensor, std::size_t h) const { return of[h] >= tensor.size[h]; }
  // A weight beyond 64 bits exceeds every size: all digits are there.
  void take(std::size_t h, Index size) {
    of[h] = checked_mul(of[h], std::max<Index>(size, 1)).value_or(std::numeric_limits<Index>::max());
  }
};

std::string show_point(std::span<const Index> point) { return fmt::format("[{}]", fmt::join(point, ", ")); }

// Finds the digits of each host dimension by the slots of single elements.
class DigitReader {
 public:
  DigitReader(const map::Layout& layout, const map::Tensor& tensor)
      : layout_(layout),
        size_(tensor.size),
        weights_(map::row_major_weights(layout.physical())),
        dim_map_(layout.physical().rank(), kNoDim) {}

  // False: no dim_map says the same.
  bool read() {
    const Point first = slot_of(Point(size_.size(), 0));
    if (first.empty() || layout_.physical().linear(first) != 0)
      return refuse(fmt::format("element {} {}, and in a dim_map it has the first slot",
                                show_point(Point(size_.size(), 0)),
                                first.empty() ? "has no slot" : "has slot " + show_point(first)));
    if (layout_.replicas().volume() > 1)
      return refuse(fmt::format("each element has {} copies, and a dim_map makes none", layout_.replicas().volume()));
    for (std::size_t h = 0; h < size_.size(); ++h)
      if (!read_digits(h)) return false;
    return true;
  }

  [[nodiscard]] const std::vector<Index>& dim_map() const { return dim_map_; }
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

 private:
  bool refuse(std::string why) {
    refusal_ = std::move(why);
    return false;
  }

  // Empty: the element has no slot.
  [[nodiscard]] Point slot_of(const Point& element) const {
    Point outputs = map::outputs_at(layout_, element, Point(layout_.replicas().rank(), 0));
    if (!layout_.is_slot(outputs)) return {};
    outputs.resize(layout_.physical().rank());
    return outputs;
  }

  // The dimension along which the slot is one step from the first one; the rank if there is none.
  [[nodiscard]] std::size_t step_of(const Point& slot) const {
    const Index number = layout_.physical().linear(slot);
    std::size_t j = 0;
    while (j < slot.size() && (layout_.physical().extent(j) <= 1 || weights_[j] != number)) ++j;
    return j;
  }

  bool read_digits(std::size_t h) {
    std::size_t left = dim_map_.size();  // digits go to the left of this dimension
    for (Index weight = 1; weight < size_[h];) {
      Point element(size_.size(), 0);
      element[h] = weight;
      const Point slot = slot_of(element);
      if (slot.empty()) return true;  // so there are no further digits
      const std::size_t j = step_of(slot);
      if (j >= left)
        return refuse(fmt::format(
            "element {} has slot {}, and in a dim_map it is one step along one device dimension{}", show_point(element),
            show_point(slot), left < dim_map_.size() ? fmt::format(" before dimension {}", left) : ""));
      if (dim_map_[j] != kNoDim)
        return refuse(fmt::format("element {} has slot {}, and device dimension {} has digits of host dimension {}",
                                  show_point(element), show_point(slot), j, dim_map_[j]));
      dim_map_[j] = static_cast<Index>(h);
      left = j;
      const auto next = checked_mul(weight, layout_.physical().extent(j));
      if (!next) return true;  // beyond every size
      weight = *next;
    }
    return true;
  }

  const map::Layout& layout_;
  const std::vector<Index>& size_;
  std::vector<Index> weights_;
  std::vector<Index> dim_map_;
  std::string refusal_;
};

// Names the entries on which no place depends as the law does, where it has a name for them: dimensions of size 1, and
// digits beyond a host dimension's size.
void name_idle(const SpyreTensorLayout& layout, const map::Tensor& tensor, std::span<const Index> strides,
               std::vector<Index>& dim_map) {
  Weights weights{std::vector<Index>(tensor.size.size(), 1)};
  const auto host_of = [&](std::size_t j) {
    const auto before = dim_map.begin() + static_cast<std::ptrdiff_t>(j);
    for (std::size_t h = strides.size(); h-- > 0;) {
      if (tensor.size[h] <= 1 || checked_mul(strides[h], weights.of[h]) != layout.stride_map[j]) continue;
      const bool is_last = std::find(dim_map.begin(), before, static_cast<Index>(h)) == before;
      if (layout.device_size[j] <= 1 || (weights.full(tensor, h) && is_last)) return static_cast<Index>(h);
    }
    return kNoDim;
  };
  for (std::size_t j = dim_map.size(); j-- > 0;) {
    if (dim_map[j] == kNoDim && layout.stride_map[j] > 0) dim_map[j] = host_of(j);
    if (dim_map[j] != kNoDim) weights.take(at(dim_map[j]), layout.device_size[j]);
  }
}

// For each device dimension its weight as a digit, if an element of that coordinate exists; a dimension of size 1
// counts. `weights` becomes the products of all sizes.
std::vector<std::optional<Index>> weights_of(const SpyreTensorLayout& dims, const map::Tensor& tensor,
                                             Weights& weights) {
  std::vector<std::optional<Index>> out(dims.dim_map.size());
  for (std::size_t j = out.size(); j-- > 0;) {
    if (dims.dim_map[j] < 0) continue;
    const std::size_t h = at(dims.dim_map[j]);
    if (tensor.size[h] > 1 && !weights.full(tensor, h)) out[j] = weights.of[h];
    weights.take(h, dims.device_size[j]);
  }
  return out;
}

// The proof that the host's offsets do not distinguish what a dim_map does. The box has slots.
std::optional<Error> not_by_offsets(const SpyreTensorLayout& dims, const map::Tensor& tensor,
                                    std::span<const Index> strides, std::span<const std::optional<Index>> weights) {
  for (std::size_t h = 0; h < strides.size(); ++h) {
    if (tensor.size[h] <= 1 || strides[h] > 0) continue;
    if (strides[h] == 0)
      return refusal(fmt::format(
          "host dimension {} is expanded (stride 0): a stride_map puts its {} elements into one slot, and a "
          "dim_map does not",
          h, tensor.size[h]));
    for (std::size_t j = 0; j < weights.size(); ++j)
      if (weights[j] && dims.dim_map[j] == static_cast<Index>(h) && dims.device_size[j] > 1)
        return refusal(
            fmt::format("host dimension {} runs backwards (stride {}): a stride_map has no slot for its "
                        "offsets, and device dimension {} has",
                        h, strides[h], j));
  }
  return std::nullopt;
}

}  // namespace

Result<SpyreTensorLayout> to_dim_map(const SpyreTensorLayout& layout, const map::Tensor& tensor) {
  if (layout.stride_map.empty()) return layout;
  if (tensor.view_offset != 0)
    return refusal(
        fmt::format("the view starts {} elements into the allocation, which a dim_map cannot say", tensor.view_offset));
  const auto lowered = lower(layout, tensor);
  if (!lowered) return lowered.error();
  const auto strides = map::host_strides(tensor);
  if (!strides) return strides.error();
  DigitReader digits(*lowered, tensor);
  const bool asks = lowered->logical().volume() > 0 && lowered->physical().volume() > 0;
  if (asks && !digits.read()) return refusal(digits.refusal());
  SpyreTensorLayout out = layout;
  out.element_arrangement = "STANDARD";  // the others never existed with a dim_map
  out.stride_map.clear();
  out.dim_map = digits.dim_map();
  name_idle(layout, tensor, *strides, out.dim_map);
  return out;
}

Result<SpyreTensorLayout> to_stride_map(const SpyreTensorLayout& layout, const map::Tensor& tensor) {
  SpyreTensorLayout out = layout;
  out.dim_map.clear();
  if (!layout.stride_map.empty()) return out;
  const auto strides = map::host_strides(tensor);
  if (!strides) return strides.error();
  for (const Index host : layout.dim_map)
    if (host >= static_cast<Index>(tensor.size.size()))
      return Error{ErrorCode::Shape,
                   fmt::format("dim_map names host dimension {}, the tensor has rank {}", host, tensor.size.size())};
  Weights weights{std::vector<Index>(tensor.size.size(), 1)};
  const auto digits = weights_of(layout, tensor, weights);
  if (checked_product(layout.device_size) != 0)
    if (auto why = not_by_offsets(layout, tensor, *strides, digits)) return *why;
  out.stride_map.assign(layout.device_size.size(), kNoDim);
  for (std::size_t j = 0; j < digits.size(); ++j) {
    if (!digits[j]) continue;
    const auto stride = checked_mul((*strides)[at(layout.dim_map[j])], *digits[j]);
    if (!stride) return Error{ErrorCode::Overflow, fmt::format("the stride of device dimension {} leaves 64 bits", j)};
    if (*stride > 0) out.stride_map[j] = *stride;
  }
  return out;
}

bool is_only_stride_map(const SpyreTensorLayout& dims, const map::Tensor& tensor) {
  Weights weights{std::vector<Index>(tensor.size.size(), 1)};
  const auto digits = weights_of(dims, tensor, weights);
  bool all_digits = true;
  for (std::size_t j = 0; j < digits.size(); ++j) all_digits = all_digits && (digits[j] || dims.device_size[j] <= 1);
  bool all_slots = true;
  for (std::size_t h = 0; h < tensor.size.size(); ++h) all_slots = all_slots && weights.full(tensor, h);
  return all_digits || all_slots;
}

Result<use::Conversion> convert(std::string_view text, const map::Tensor& tensor, std::string_view notation) {
  const auto expression = read_expression(text, tensor);
  if (!expression) return expression.error();
  const SpyreTensorLayout* layout = &expression->layout;
  if (!layout->unsupported.empty()) return use::Conversion{{}, layout->unsupported, false};
  const bool to_dims = notation == "dim_map";
  const auto out = to_dims ? to_dim_map(*layout, tensor) : to_stride_map(*layout, tensor);
  if (out)
    return use::Conversion{
        print(*out), {}, to_dims || !layout->stride_map.empty() || is_only_stride_map(*layout, tensor)};
  if (out.error().code == ErrorCode::Value)
    return use::Conversion{
        {}, fmt::format("on device_size [{}], {}", fmt::join(layout->device_size, ", "), out.error().message), true};
  return out.error();
}

}  // namespace vl::spyre
