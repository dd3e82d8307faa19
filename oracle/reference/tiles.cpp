#include "oracle/reference/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace vl::oracle {
namespace {

constexpr Index kMostMoved = Index{1} << 28;  // elements

// Calls see(filled, shared, tensor) with the elements' numbers in the two memories, of every element that the box
// writes. Of one that is filled there is none in the tensor's.
template <class See>
std::optional<Error> for_each_element(const use::TileMoves& tiles, std::size_t box, const See& see) {
  const use::TileBox& of = tiles.boxes[box];
  const bool load = tiles.moves.direction == use::Direction::HostToDevice;
  const use::Walk& host = use::host_of(tiles.moves.nests[box], tiles.moves.direction);
  const std::size_t last = of.extents.size() - 1;
  Index count = 1;
  for (const Index extent : of.extents) count *= extent;  // at most 256^5
  Point t(of.extents.size(), 0);
  for (Index k = 0; k < count; ++k) {
    Index shared = of.shared.offset, tensor = host.offset;
    bool inside = true;
    for (std::size_t i = 0; i <= last; ++i) {
      shared += t[i] * of.shared.strides[i], tensor += (t[i] - of.low[i]) * host.strides[i];
      inside = inside && t[i] >= of.low[i] && t[i] < (i == last ? *of.written : of.high[i]);
    }
    if (inside || load)
      if (auto problem = see(!inside, use::swizzled(tiles, shared), tensor)) return problem;
    for (std::size_t i = last + 1; i-- > 0; t[i] = 0)
      if (++t[i] < of.extents[i]) break;
  }
  return std::nullopt;
}

// Why the transfers cannot be run.
std::optional<Error> not_run(const use::TileMoves& tiles) {
  if (!tiles.unknown.empty()) return Error{ErrorCode::Value, tiles.unknown, 0};
  Index all = 0;
  for (const use::TileBox& box : tiles.boxes) {
    if (!box.written)
      return Error{ErrorCode::Value, "no document says what a store writes that begins beyond the tensor's row", 0};
    Index count = 1;
    for (const Index extent : box.extents) count = std::min(count * extent, kMostMoved + 1);
    if (all += count; all > kMostMoved) return Error{ErrorCode::Value, "boxes of more than 2^28 elements", 0};
  }
  return std::nullopt;
}

Error too_short(const char* memory, std::size_t bytes, Index first) {
  return {ErrorCode::Value, fmt::format("the {} has {} bytes, and the transfers come to byte {}", memory, bytes, first),
          0};
}

}  // namespace

Result<TileBytes> bytes_of_tiles(const use::TileMoves& tiles) {
  if (auto problem = not_run(tiles)) return std::move(*problem);
  Index shared_end = 0, tensor_end = 0;
  for (std::size_t k = 0; k < tiles.boxes.size(); ++k)
    static_cast<void>(for_each_element(tiles, k, [&](bool filled, Index shared, Index tensor) -> std::optional<Error> {
      shared_end = std::max(shared_end, shared + 1);
      if (!filled) tensor_end = std::max(tensor_end, tensor + 1);
      return std::nullopt;
    }));
  const auto shared = checked_mul(shared_end, tiles.bits / 8), tensor = checked_mul(tensor_end, tiles.bits / 8);
  if (!shared || !tensor) return Error{ErrorCode::Overflow, "an address leaves 64 bits", 0};
  return TileBytes{*shared, *tensor};
}

std::optional<Error> run_tiles(const use::TileMoves& tiles, std::span<const std::byte> from, std::span<std::byte> to) {
  if (auto problem = not_run(tiles)) return problem;
  const bool load = tiles.moves.direction == use::Direction::HostToDevice;
  const Index bytes = tiles.bits / 8;
  const auto length = static_cast<std::size_t>(bytes);
  const auto fits = [&](Index element, std::size_t size) { return element < static_cast<Index>(size / length); };
  for (std::size_t k = 0; k < tiles.boxes.size(); ++k) {
    auto problem = for_each_element(tiles, k, [&](bool filled, Index shared, Index tensor) -> std::optional<Error> {
      const Index source = load ? tensor : shared, target = load ? shared : tensor;
      if (!fits(target, to.size()))
        return too_short(load ? "shared memory" : "tensor's memory", to.size(), target * bytes);
      std::byte* const at = to.data() + static_cast<std::size_t>(target) * length;
      if (filled && tiles.fill != "zero")
        return Error{ErrorCode::Value, "no document has the bits of the NaN that is filled in", 0};
      if (filled) return std::fill_n(at, length, std::byte{0}), std::nullopt;
      if (!fits(source, from.size()))
        return too_short(load ? "tensor's memory" : "shared memory", from.size(), source * bytes);
      std::memcpy(at, from.data() + static_cast<std::size_t>(source) * length, length);
      return std::nullopt;
    });
    if (problem) return problem;
  }
  return std::nullopt;
}

}  // namespace vl::oracle
