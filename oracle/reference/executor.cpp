#include "oracle/reference/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <optional>

#include "encodings/map/map.h"
#include "oracle/reference/definition.h"
#include "oracle/reference/wrong.h"

namespace vl::oracle {
namespace {

using Bytes = std::span<const std::byte>;
using Image = std::vector<std::byte>;

/// The memory of `units` units; the machine may have less than 2^36 bytes.
Result<Image> allocate(Index units, std::size_t unit) {
  const auto bytes = bytes_of(units, unit);
  if (!bytes) return bytes.error();
  try {
    return Image(*bytes);
  } catch (const std::bad_alloc&) {
    return wrong(fmt::format("there is no memory for {} units of {} bytes", units, unit));
  }
}

}  // namespace

Result<Image> pack(const map::Layout& layout, Bytes host, std::size_t unit, Bytes fill) {
  auto device = allocate(layout.physical().volume(), unit);
  if (!device) return device;
  if (auto error = Definition().pack(layout, Host::Dense, host, unit, fill, *device)) return *error;
  return device;
}

Result<Image> unpack(const map::Layout& layout, Bytes device, std::size_t unit) {
  auto host = allocate(layout.logical().volume(), unit);
  if (!host) return host;
  if (auto error = Definition().unpack(layout, device, unit, Host::Dense, *host)) return *error;
  return host;
}

Result<Image> move(const map::Layout& from, const map::Layout& to, Bytes device, std::size_t unit, Bytes fill) {
  if (auto error = check_same_tensor(from, to)) return *error;
  auto moved = allocate(to.physical().volume(), unit);
  if (!moved) return moved;
  if (auto error = Definition().move(from, to, device, unit, fill, *moved)) return *error;
  return moved;
}

Result<std::vector<Index>> slots(const map::Layout& layout, std::span<const Index> coordinates) {
  const std::size_t rank = layout.logical().rank();
  if (rank == 0 ? !coordinates.empty() : coordinates.size() % rank != 0)
    return Error{ErrorCode::Shape, fmt::format("{} coordinates are not rows of {}", coordinates.size(), rank)};
  const std::size_t rows = rank == 0 ? 1 : coordinates.size() / rank;
  const map::Space& replicas = layout.replicas();
  const std::size_t width = layout.physical().rank();
  const auto numbers = checked_product(std::vector<Index>{static_cast<Index>(rows), replicas.volume(), Index(width)});
  const auto bytes = bytes_of(numbers.value_or(std::numeric_limits<Index>::max()), sizeof(Index));
  if (!bytes) return bytes.error();
  map::Evaluator evaluate(layout.map());
  std::vector<Index> slots;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto element = coordinates.subspan(row * rank, rank);
    if (!layout.logical().contains(element))
      return wrong(fmt::format("row {}: {} is not an element of the tensor", row, print(element)));
    const auto no_slot = [&] { return wrong(fmt::format("row {}: element {} has no slot", row, print(element))); };
    if (replicas.volume() == 0) return no_slot();
    Point point(element.begin(), element.end()), replica(replicas.rank(), 0);
    point.resize(layout.domain().rank(), 0);
    for (Index left = replicas.volume(); left > 0; --left, map::advance(replicas, replica)) {
      std::ranges::copy(replica, point.begin() + static_cast<std::ptrdiff_t>(rank));
      const auto outputs = evaluate(point);
      if (!layout.is_slot(outputs)) return no_slot();
      const auto slot = outputs.first(width);
      slots.insert(slots.end(), slot.begin(), slot.end());
    }
  }
  return slots;
}

}  // namespace vl::oracle
