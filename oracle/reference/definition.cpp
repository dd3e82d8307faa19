#include "oracle/reference/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "encodings/base/memory.h"
#include "oracle/plan/faults.h"
#include "oracle/reference/wrong.h"

namespace vl::oracle {
namespace {

using Bytes = std::span<const std::byte>;
using Writable = std::span<std::byte>;

constexpr Index kMostBytes = Index{1} << 36;

std::string print_slot(const map::Layout& layout, Index slot) { return print(layout.physical().point(slot)); }

/// "element [2, 7, 40]", with the replica where there are any.
std::string name_of(const map::Layout& layout, Index number) {
  const Point point = layout.domain().point(number);
  const std::size_t rank = layout.logical().rank();
  std::string text = "element " + print(std::span(point).first(rank));
  if (layout.replicas().rank() > 0) text += ", replica " + print(std::span(point).subspan(rank));
  return text;
}

/// The error of the block's first point without a slot.
Error no_slot(const map::Layout& layout, const SlotBlocks& blocks) {
  const Index number = blocks.first() + static_cast<Index>(blocks.good());
  const auto outputs = map::evaluate(layout.map(), layout.domain().point(number));
  return wrong(fmt::format("{} has no slot: the map gives {} for the physical space [{}]{}", name_of(layout, number),
                           print(*outputs), fmt::join(map::extents_of(layout.physical()), ", "),
                           layout.guards() > 0 ? fmt::format(" and {} guards", layout.guards()) : ""));
}

/// The error for a slot that is written a second time, by point `second`: walks again, to the first one.
Error written_twice(const map::Layout& layout, SlotBlocks& blocks, Index second, Index slot) {
  blocks.open(layout, Host::Dense);
  while (blocks.next()) {
    const auto found = std::ranges::find(blocks.slots(), slot);
    if (found == blocks.slots().end()) continue;
    return wrong(fmt::format("{} and {} share the slot {}",
                             name_of(layout, blocks.first() + (found - blocks.slots().begin())),
                             name_of(layout, second), print_slot(layout, slot)));
  }
  VL_CHECK(false, "nobody wrote a slot that is written twice");
}

/// Writes the units of points to their slots, point i's from unit at(i), up to the first point whose slot has one
/// already: its number in the block, or `good`.
template <std::size_t kUnit, class At>
std::size_t scatter(const Index* slots, std::size_t good, At at, const std::byte* host, std::byte* device,
                    std::uint8_t* written) {
  for (std::size_t i = 0; i < good; ++i) {
    const auto slot = static_cast<std::size_t>(slots[i]);
    if (written[slot] != 0 && !planted(Fault::DefinitionForgetsWritten)) return i;
    written[slot] = 1;
    std::memcpy(device + slot * kUnit, host + at(i) * kUnit, kUnit);
  }
  return good;
}

template <std::size_t kUnit>
std::optional<Error> scatter(const map::Layout& layout, SlotBlocks& blocks, const std::byte* host, std::byte* device,
                             std::uint8_t* written) {
  while (blocks.next()) {
    const Index* const slots = blocks.slots().data();
    const Index* const hosts = blocks.hosts().data();
    const std::size_t good = blocks.good();
    const auto in_order = [](std::size_t i) { return i; };
    const auto by_offset = [&](std::size_t i) { return static_cast<std::size_t>(hosts[i]); };
    const std::byte* const from = host + static_cast<std::size_t>(blocks.first()) * kUnit;
    const std::size_t done = blocks.in_order() ? scatter<kUnit>(slots, good, in_order, from, device, written)
                                               : scatter<kUnit>(slots, good, by_offset, host, device, written);
    if (done < good) return written_twice(layout, blocks, blocks.first() + static_cast<Index>(done), slots[done]);
    if (good < blocks.count()) return no_slot(layout, blocks);
  }
  return std::nullopt;
}

/// The error of a replica that differs from replica 0 of its element, the first point of the element.
Error replicas_differ(const map::Layout& layout, Index number) {
  const Point other = layout.domain().point(number);
  Point first = other;
  for (std::size_t k = layout.logical().rank(); k < first.size(); ++k) first[k] = 0;
  const std::size_t rank = layout.physical().rank();
  const auto slot = [&](const Point& point) {
    const auto outputs = map::evaluate(layout.map(), point);
    return print(std::span<const Index>(*outputs).first(rank));
  };
  return wrong(
      fmt::format("{} differs from the first: slots {} and {}", name_of(layout, number), slot(first), slot(other)));
}

Error copies_differ(const map::Layout& layout, Index number, Index at) {
  return wrong(
      fmt::format("{} is not the same as another one that has its host offset {}", name_of(layout, number), at));
}

/// A dense host and one replica: no two points have to agree.
template <std::size_t kUnit>
std::optional<Error> gather(const map::Layout& layout, SlotBlocks& blocks, const std::byte* device, std::byte* host) {
  while (blocks.next()) {
    const Index* const slots = blocks.slots().data();
    std::byte* const out = host + static_cast<std::size_t>(blocks.first()) * kUnit;
    const std::size_t good = blocks.good();
    for (std::size_t i = 0; i < good; ++i)
      std::memcpy(out + i * kUnit, device + static_cast<std::size_t>(slots[i]) * kUnit, kUnit);
    if (blocks.good() < blocks.count()) return no_slot(layout, blocks);
  }
  return std::nullopt;
}

/// The first point of a host unit writes it, the others have to agree.
template <std::size_t kUnit>
std::optional<Error> gather_and_compare(const map::Layout& layout, SlotBlocks& blocks, const std::byte* device,
                                        std::byte* host, std::uint8_t* written) {
  const Index replicas = layout.replicas().volume();
  while (blocks.next()) {
    for (std::size_t i = 0; i < blocks.good(); ++i) {
      const Index number = blocks.first() + static_cast<Index>(i);
      const std::byte* const from = device + static_cast<std::size_t>(blocks.slots()[i]) * kUnit;
      const auto at = static_cast<std::size_t>(blocks.in_order() ? number : blocks.hosts()[i]);
      if (written[at] == 0) {
        std::memcpy(host + at * kUnit, from, kUnit);
        written[at] = 1;
        continue;
      }
      const Index replica = number % replicas;
      if ((planted(Fault::DefinitionMissesReplica) && replica > 0 && replica + 1 == replicas) ||
          (planted(Fault::DefinitionExpandedUnchecked) && replica == 0))
        continue;
      if (std::memcmp(host + at * kUnit, from, kUnit) == 0) continue;
      return replica == 0 ? copies_differ(layout, number, static_cast<Index>(at)) : replicas_differ(layout, number);
    }
    if (blocks.good() < blocks.count()) return no_slot(layout, blocks);
  }
  return std::nullopt;
}

/// Calls `with` with the unit as a constant.
template <class With>
std::optional<Error> for_unit(std::size_t unit, With with) {
  switch (unit) {
    case 1: return with(std::integral_constant<std::size_t, 1>{});
    case 2: return with(std::integral_constant<std::size_t, 2>{});
    case 4: return with(std::integral_constant<std::size_t, 4>{});
    case 8: return with(std::integral_constant<std::size_t, 8>{});
    default: return with(std::integral_constant<std::size_t, 16>{});
  }
}

}  // namespace

Result<std::size_t> bytes_of(Index units, std::size_t unit) {
  if (unit != 1 && unit != 2 && unit != 4 && unit != 8 && unit != 16)
    return wrong(fmt::format("a unit of {} bytes; expected 1, 2, 4, 8 or 16", unit));
  const auto bytes = checked_mul(units, static_cast<Index>(unit));
  if (!bytes || *bytes > kMostBytes)
    return wrong(fmt::format("{} units of {} bytes are more than 2^36 bytes", units, unit));
  return static_cast<std::size_t>(*bytes);
}

std::optional<Error> check_memory(std::string_view what, Index units, std::size_t unit, std::size_t have) {
  const auto bytes = bytes_of(units, unit);
  if (!bytes) return bytes.error();
  if (*bytes == have) return std::nullopt;
  return Error{ErrorCode::Shape,
               fmt::format("the {} has {} bytes; expected {}: {} units of {}", what, have, *bytes, units, unit)};
}

std::optional<Error> check_host(const map::Layout& layout, Host where, std::size_t unit, std::size_t have) {
  const auto units = host_units(layout, where);
  if (!units) return wrong(units.error().message);
  return check_memory("host tensor", *units, unit, have);
}

std::optional<Error> check_same_tensor(const map::Layout& from, const map::Layout& to) {
  const auto same = [](const map::Dim& a, const map::Dim& b) { return a.extent == b.extent; };
  if (std::ranges::equal(from.logical().dims(), to.logical().dims(), same)) return std::nullopt;
  return Error{ErrorCode::Shape, "the two layouts are of tensors of different shapes"};
}

std::optional<Error> check_replicas(const map::Layout& layout) {
  if (layout.replicas().volume() > 0 || layout.logical().volume() == 0) return std::nullopt;
  return wrong(
      fmt::format("element {} has no slot: the layout has no replica of it", print(layout.logical().point(0))));
}

void fill_units(std::span<std::byte> memory, std::span<const std::byte> fill) {
  constexpr std::size_t kLine = 64;
  std::array<std::byte, kLine> line;  // whole units: they have 1, 2, 4, 8 or 16 bytes
  for (std::size_t at = 0; at < kLine && !memory.empty(); at += fill.size())
    std::memcpy(line.data() + at, fill.data(), fill.size());
  std::size_t done = 0;
  for (; memory.size() - done >= kLine && done < 4 * kLine; done += kLine)
    std::memcpy(memory.data() + done, line.data(), kLine);
  if (done < 4 * kLine) {
    if (done < memory.size()) std::memcpy(memory.data() + done, line.data(), memory.size() - done);
    return;
  }
  while (done < memory.size()) {  // doubles what is filled
    const std::size_t more = std::min({done, memory.size() - done, std::size_t{1} << 12});
    std::memcpy(memory.data() + done, memory.data(), more);
    done += more;
  }
}

// `count` times 0; the machine may have less memory than 2^36 bytes.
template <class T>
std::optional<Error> Definition::make_room(std::vector<T>& room, std::size_t count) {
  try {
    lacks_memory_ = room.capacity() < count && !has_room(count * sizeof(T));
    if (!lacks_memory_) room.assign(count, T{});
  } catch (const std::bad_alloc&) {
    lacks_memory_ = true;
  }
  if (!lacks_memory_) return std::nullopt;
  return wrong(fmt::format("there is no memory for {} units of {} bytes", count, sizeof(T)));
}

std::optional<Error> Definition::pack(const map::Layout& layout, Host where, Bytes host, std::size_t unit, Bytes fill,
                                      Writable device) {
  lacks_memory_ = false;
  if (auto error = check_host(layout, where, unit, host.size())) return error;
  if (auto error = check_memory("device image", layout.physical().volume(), unit, device.size())) return error;
  if (fill.size() != unit)
    return Error{ErrorCode::Shape, fmt::format("the fill has {} bytes; expected {}", fill.size(), unit)};
  if (auto error = check_replicas(layout)) return error;
  if (auto error = make_room(written_, device.size() / unit)) return error;
  if (!planted(Fault::DefinitionForgetsFill)) fill_units(device, fill);
  blocks_.open(layout, where, SlotBlocks::How::Floats, walks_);
  return for_unit(unit, [&](auto constant) {
    return scatter<constant>(layout, blocks_, host.data(), device.data(), written_.data());
  });
}

std::optional<Error> Definition::unpack(const map::Layout& layout, Bytes device, std::size_t unit, Host where,
                                        Writable host) {
  lacks_memory_ = false;
  if (auto error = check_memory("device image", layout.physical().volume(), unit, device.size())) return error;
  if (auto error = check_host(layout, where, unit, host.size())) return error;
  if (auto error = check_replicas(layout)) return error;
  blocks_.open(layout, where, SlotBlocks::How::Floats, walks_);
  if (where == Host::Dense && layout.replicas().volume() == 1)
    return for_unit(unit, [&](auto constant) { return gather<constant>(layout, blocks_, device.data(), host.data()); });
  if (auto error = make_room(written_, host.size() / unit)) return error;
  return for_unit(unit, [&](auto constant) {
    return gather_and_compare<constant>(layout, blocks_, device.data(), host.data(), written_.data());
  });
}

std::optional<Error> Definition::move(const map::Layout& from, const map::Layout& to, Bytes device, std::size_t unit,
                                      Bytes fill, Writable moved) {
  lacks_memory_ = false;
  if (auto error = check_same_tensor(from, to)) return error;
  const auto bytes = bytes_of(from.logical().volume(), unit);
  if (!bytes) return bytes.error();
  if (auto error = make_room(tensor_, *bytes)) return error;
  if (auto error = unpack(from, device, unit, Host::Dense, tensor_)) return error;
  return pack(to, Host::Dense, tensor_, unit, fill, moved);
}

}  // namespace vl::oracle
