// Spyre layouts, the second meaning: text and tensor to an address function, written from the project's documents
// ("Tensor Layouts", both generations) and from what is known about its code. It uses neither the IR nor the family's
// parser: if the two meanings differ on one element, one of them has misread the documents.
//
//   stride_map   offset = view + Σ x·host stride; the device dims with stride > 0 and size > 1 take their
//                digits in order of decreasing stride (equal strides: outer dim first), each the whole part
//                of the rest. [2,7,40] of f16[5,100,150] on [100,3,5,64], [150,64,15000,1]: 31090 =
//                2·15000 + 7·150 + 0·64 + 40, so device coordinates [7,0,2,40].
//   dim_map      host coordinate h is a number written in the device dims that are mapped to h, rightmost
//                digit least significant. 70 in two digits, the right one of size 64: (1, 6).
//   arrangement  then groups of four elements of a stick change their order: arranged().
//   derived      LAYOUT.restickify(1), .rescale(…), .resize(…): the same constructor call with two dims of its order
//                swapped, another type, or another size. For a raw LAYOUT every order is tried first.
//
// A stride of 0 on a device dim of size > 1 means a copy in each of its positions: one element has several slots.
#include "encodings/use/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "encodings/spyre/reference_text.h"

namespace vl::spyre {
namespace {

using second::Device;
using second::Indices;

constexpr Index kMostCopies = Index{1} << 24;  // of one element; more copies are refused

Error wrong(std::string message) { return Error{ErrorCode::Value, std::move(message)}; }

/// offset = view + Σ x·stride. Error: Overflow if some element's offset leaves 64 bits.
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

/// The device coordinates of a host offset, copies at 0; nothing if it has none.
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

/// The device coordinates of a host coordinate tuple; nothing if a coordinate does not fit its device dims.
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

/// The dim whose step is one whole stick: the third from the end if it has the step, else the only one.
std::optional<std::size_t> stick_counter(const Device& device) {
  const auto step = checked_mul(device.map.back(), device.size.back());
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k + 1 < device.map.size() && step; ++k)
    if (device.map[k] == *step) found.push_back(k);
  const std::size_t usual = device.size.size() > 2 ? device.size.size() - 3 : 0;
  if (std::ranges::find(found, usual) != found.end()) return usual;
  return found.size() == 1 ? std::optional(found[0]) : std::nullopt;
}

/// The place of a point under the device's arrangement: groups of four along the stick's dimension. Arrangements
/// without a known rule change nothing; their places are not compared.
Point arranged(const Device& device, Point point) {
  const Index lanes = device.size.back();
  if (device.map.back() <= 0 || lanes != device.per_stick) return point;
  Index& lane = point.back();
  if (device.arrangement == "FP32_TO_DL16" && lanes == 64) {
    // One narrow stick is made of two wide ones, groups 0..7 and 8..15, which alternate.
    const Index group = lane / 4;
    const Index wide = group / 8;
    lane = ((group % 8) * 2 + wide) * 4 + lane % 4;
  }
  if (device.arrangement == "DL16_TO_FP32" && lanes == 32) {
    const auto counter = stick_counter(device);
    if (!counter || device.size[*counter] % 2 != 0) return point;
    // Even groups of the narrow stick of 64 go to the first wide stick, odd groups to the second.
    const Index along = point[*counter] * 32 + lane;
    const Index group = along % 64 / 4;
    point[*counter] = along / 64 * 2 + group % 2;
    lane = group / 2 * 4 + along % 4;
  }
  return point;
}

/// [K,N] in sticks of 2 x 64, by the device offset of the runtime's nest.
Point in_pairs(const Device& device, const map::Tensor& tensor, std::span<const Index> x) {
  const Index rows = tensor.size[0];
  Index offset = x[0] % 2 + 2 * (x[1] % 64) + 128 * (x[0] / 2) + 64 * rows * (x[1] / 64);
  Point point(device.size.size());
  for (std::size_t k = point.size(); k-- > 0; offset /= device.size[k]) point[k] = offset % device.size[k];
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
  if (device.arrangement == "QFP8WT" && x.size() == 2) {
    first = in_pairs(device, tensor, x);
  } else if (device.by_stride) {
    Index offset = tensor.view_offset;
    for (std::size_t i = 0; i < x.size(); ++i) offset += x[i] * strides[i];
    first = greedy(device, offset);
    if (first) first = arranged(device, *first);
  } else {
    first = by_dims(device, x);
  }
  return first ? copies(device, *first) : std::vector<Point>{};
}

Result<use::Slots> slots(std::string_view text, const map::Tensor& tensor) {
  auto device = second::read_device(text, tensor);
  if (!device) return device.error();
  if (!device->by_stride && tensor.view_offset != 0) return wrong("a dim_map cannot say where a view starts");
  const auto strides = tensor.strides ? tensor.strides : second::dense(tensor.size);
  if (!strides) return Error{ErrorCode::Overflow, "the dense strides do not fit in 64 bits"};
  if (strides->size() != tensor.size.size()) return Error{ErrorCode::Shape, "sizes and strides differ in number"};
  if (auto error = check_offsets(tensor, *strides); error && device->by_stride) return *error;
  Index count = 1;
  for (std::size_t k = 0; k < device->size.size(); ++k)
    if (is_copied(*device, k) && (device->size[k] > kMostCopies || (count *= device->size[k]) > kMostCopies))
      return wrong(fmt::format("more than {} copies of one element", kMostCopies));
  return use::Slots([device = *device, tensor, strides = *strides](std::span<const Index> x) {
    return slots_of(device, tensor, strides, x);
  });
}

}  // namespace

const use::Reference& reference() {
  static const use::Reference spyre{"spyre", &slots};
  return spyre;
}

}  // namespace vl::spyre
