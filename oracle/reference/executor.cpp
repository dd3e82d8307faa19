#include "oracle/reference/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "encodings/map/map.h"

namespace vl::oracle {
namespace {

using Bytes = std::span<const std::byte>;
using Image = std::vector<std::byte>;

constexpr Index kMostBytes = Index{1} << 36;

Error wrong(std::string message) { return Error{ErrorCode::Value, std::move(message)}; }

std::string print(std::span<const Index> point) { return fmt::format("[{}]", fmt::join(point, ", ")); }

std::optional<Error> check_unit(std::size_t unit) {
  if (unit == 1 || unit == 2 || unit == 4 || unit == 8) return std::nullopt;
  return wrong(fmt::format("a unit of {} bytes; expected 1, 2, 4 or 8", unit));
}

/// The bytes that the points of a space take.
Result<std::size_t> image_bytes(const map::Space& space, std::size_t unit) {
  const auto bytes = checked_mul(space.volume(), static_cast<Index>(unit));
  if (!bytes || *bytes > kMostBytes)
    return wrong(fmt::format("{} units of {} bytes are more than 2^36 bytes", space.volume(), unit));
  return static_cast<std::size_t>(*bytes);
}

std::optional<Error> check_image(std::string_view what, const map::Space& space, std::size_t unit,
                                 std::size_t have) {
  const auto bytes = image_bytes(space, unit);
  if (!bytes) return bytes.error();
  if (*bytes == have) return std::nullopt;
  return Error{ErrorCode::Shape, fmt::format("the {} has {} bytes; expected {}: {} units of {}", what, have,
                                             *bytes, space.volume(), unit)};
}

/// `count` copies of a value; the machine may have less memory than 2^36 bytes.
template <class T>
Result<std::vector<T>> allocate(std::size_t count, T value) {
  try {
    return std::vector<T>(count, value);
  } catch (const std::bad_alloc&) {
    return wrong(fmt::format("there is no memory for {} units of {} bytes", count, sizeof(T)));
  }
}

/// Walks over the points (x, r) of a layout's domain, row-major, the replicas of one element next to each
/// other.
class Walk {
 public:
  explicit Walk(const map::Layout& layout)
      : layout_(layout), evaluate_(layout.map()), point_(layout.domain().rank(), 0) {}

  /// The number of the element in the host tensor.
  [[nodiscard]] std::size_t element() const {
    return static_cast<std::size_t>(number_ / layout_.replicas().volume());
  }
  [[nodiscard]] bool is_first_replica() const { return number_ % layout_.replicas().volume() == 0; }
  /// The number of the slot in the device image; an error when there is none.
  Result<std::size_t> slot() {
    const auto outputs = evaluate_(point_);
    if (layout_.is_slot(outputs))
      return static_cast<std::size_t>(layout_.physical().linear(outputs.first(layout_.physical().rank())));
    return wrong(fmt::format("{} has no slot: the map gives {} for the physical space [{}]{}", name(),
                             print(outputs), fmt::join(map::extents_of(layout_.physical()), ", "),
                             layout_.guards() > 0 ? fmt::format(" and {} guards", layout_.guards()) : ""));
  }
  /// "element [2, 7, 40]", with the replica where there is more than one.
  [[nodiscard]] std::string name() const {
    const std::span<const Index> point(point_);
    const std::size_t rank = layout_.logical().rank();
    std::string text = "element " + print(point.first(rank));
    if (layout_.replicas().rank() > 0) text += ", replica " + print(point.subspan(rank));
    return text;
  }
  bool next() {
    ++number_;
    return map::advance(layout_.domain(), point_);
  }

 private:
  const map::Layout& layout_;
  map::Evaluator evaluate_;
  Point point_;
  Index number_ = 0;
};

/// Elements of which there is no replica are not walked over, and have no slot.
std::optional<Error> check_replicas(const map::Layout& layout) {
  if (layout.replicas().volume() > 0 || layout.logical().volume() == 0) return std::nullopt;
  return wrong(fmt::format("element {} has no slot: the layout has no replica of it",
                           print(layout.logical().point(0))));
}

/// The error for a slot that is written a second time: walks again, to the first writer.
Error written_twice(const map::Layout& layout, const Walk& second, std::size_t slot) {
  Walk first(layout);
  for (auto number = first.slot(); !number || *number != slot; number = first.slot()) first.next();
  return wrong(fmt::format("{} and {} share the slot {}", first.name(), second.name(),
                           print(layout.physical().point(static_cast<Index>(slot)))));
}

Bytes unit_at(Bytes image, std::size_t number, std::size_t unit) {
  return image.subspan(number * unit, unit);
}

void put(Image& image, std::size_t number, Bytes unit) {
  std::ranges::copy(unit, image.begin() + static_cast<std::ptrdiff_t>(number * unit.size()));
}

}  // namespace

Result<Image> pack(const map::Layout& layout, Bytes host, std::size_t unit, Bytes fill) {
  if (auto error = check_unit(unit)) return *error;
  if (auto error = check_image("host tensor", layout.logical(), unit, host.size())) return *error;
  if (fill.size() != unit)
    return Error{ErrorCode::Shape, fmt::format("the fill has {} bytes; expected {}", fill.size(), unit)};
  if (auto error = check_replicas(layout)) return *error;
  const auto bytes = image_bytes(layout.physical(), unit);
  if (!bytes) return bytes.error();
  auto device = allocate(*bytes, std::byte{0});
  if (!device) return device;
  auto written = allocate(*bytes / unit, false);
  if (!written) return written.error();
  for (std::size_t slot = 0; slot < written->size(); ++slot) put(*device, slot, fill);
  if (layout.domain().volume() == 0) return device;
  Walk walk(layout);
  do {
    const auto slot = walk.slot();
    if (!slot) return slot.error();
    if ((*written)[*slot]) return written_twice(layout, walk, *slot);
    (*written)[*slot] = true;
    put(*device, *slot, unit_at(host, walk.element(), unit));
  } while (walk.next());
  return device;
}

Result<Image> unpack(const map::Layout& layout, Bytes device, std::size_t unit) {
  if (auto error = check_unit(unit)) return *error;
  if (auto error = check_image("device image", layout.physical(), unit, device.size())) return *error;
  if (auto error = check_replicas(layout)) return *error;
  const auto bytes = image_bytes(layout.logical(), unit);
  if (!bytes) return bytes.error();
  auto host = allocate(*bytes, std::byte{0});
  if (!host) return host;
  if (layout.domain().volume() == 0) return host;
  Walk walk(layout);
  std::size_t first_slot = 0;  // of the element's first replica
  do {
    const auto slot = walk.slot();
    if (!slot) return slot.error();
    if (walk.is_first_replica()) {
      first_slot = *slot;
      put(*host, walk.element(), unit_at(device, *slot, unit));
    } else if (!std::ranges::equal(unit_at(device, first_slot, unit), unit_at(device, *slot, unit))) {
      return wrong(fmt::format("{} differs from the first: slots {} and {}", walk.name(),
                               print(layout.physical().point(static_cast<Index>(first_slot))),
                               print(layout.physical().point(static_cast<Index>(*slot)))));
    }
  } while (walk.next());
  return host;
}

Result<Image> move(const map::Layout& from, const map::Layout& to, Bytes device, std::size_t unit,
                   Bytes fill) {
  const auto same = [](const map::Dim& a, const map::Dim& b) { return a.extent == b.extent; };
  if (!std::ranges::equal(from.logical().dims(), to.logical().dims(), same))
    return Error{ErrorCode::Shape, "the two layouts are of tensors of different shapes"};
  const auto host = unpack(from, device, unit);
  if (!host) return host.error();
  return pack(to, *host, unit, fill);
}

Result<std::vector<Index>> slots(const map::Layout& layout, std::span<const Index> coordinates) {
  const std::size_t rank = layout.logical().rank();
  if (rank == 0 ? !coordinates.empty() : coordinates.size() % rank != 0)
    return Error{ErrorCode::Shape, fmt::format("{} coordinates are no rows of {}", coordinates.size(), rank)};
  const std::size_t rows = rank == 0 ? 1 : coordinates.size() / rank;
  const bool has_replicas = layout.replicas().volume() > 0;
  map::Evaluator evaluate(layout.map());
  std::vector<Index> slots;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto element = coordinates.subspan(row * rank, rank);
    if (!layout.logical().contains(element))
      return wrong(fmt::format("row {}: {} is not an element of the tensor", row, print(element)));
    Point point(element.begin(), element.end());
    point.resize(layout.domain().rank(), 0);
    const auto outputs = evaluate(point);
    if (!has_replicas || !layout.is_slot(outputs))
      return wrong(fmt::format("row {}: element {} has no slot", row, print(element)));
    const auto slot = outputs.first(layout.physical().rank());
    slots.insert(slots.end(), slot.begin(), slot.end());
  }
  return slots;
}

}  // namespace vl::oracle
