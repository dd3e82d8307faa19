// Random loop nests, and brute force that judges them from the definitions alone (truth.h): every move in a list, every
// element with its places. It shares only the layout's map with the engines.
#pragma once

#include <fmt/ranges.h>

#include "encodings/use/memory.h"
#include "encodings/use/synthesis.h"
#include "tests/support/spyre_random.h"
#include "tests/support/truth.h"
#include "verifier/question/transfer.h"

namespace vl::test {

inline std::vector<BruteMove> moves_of(const use::Transfer& transfer) {
  std::vector<BruteMove> moves;
  for (std::size_t n = 0; n < transfer.nests.size(); ++n) {
    const use::Nest& nest = transfer.nests[n];
    const auto space = *map::Space::create(map::Space::dims("i", nest.extents));
    for (Index number = 0; number < space.volume(); ++number) {
      const Point i = space.point(number);
      BruteMove move{{static_cast<Index>(n)}, nest.source.offset, nest.destination.offset};
      for (std::size_t k = 0; k < i.size(); ++k) {
        move.where.push_back(i[k]);
        move.source += i[k] * nest.source.strides[k];
        move.destination += i[k] * nest.destination.strides[k];
      }
      moves.push_back(std::move(move));
    }
  }
  return moves;
}

/// The offset of a point (x, r) of a memory's domain, when it has a slot.
inline std::optional<Index> place_of(const use::Memory& memory, const Point& p) {
  const Point outputs = *map::evaluate(memory.layout.map(), p);
  if (!memory.layout.is_slot(outputs)) return std::nullopt;
  return memory.base + memory.layout.physical().linear(std::span(outputs).first(memory.layout.physical().rank()));
}

/// Each point (x, r) of the domain.
inline std::vector<BrutePlace> places_of(const use::Memory& memory) {
  std::vector<BrutePlace> places;
  const map::Space& domain = memory.layout.domain();
  for (Index number = 0; number < domain.volume(); ++number) {
    const Point p = domain.point(number);
    places.push_back({p, number / memory.layout.replicas().volume(), place_of(memory, p)});
  }
  return places;
}

/// The smallest witness of a question, by definition; nothing if there is none.
inline std::optional<question::Witness> brute(const question::TransferQuestion& question) {
  const auto memory = [](const use::Memory& of) {
    return BruteMemory{of.base, of.base + of.layout.physical().volume(), places_of(of)};
  };
  return brute(question.kind, moves_of(*question.transfer), memory(*question.source), memory(*question.destination));
}

/// One number of one nest a little wrong, a loop too many, a nest lost or doubled, two strides swapped.
inline void break_somewhere(use::Transfer& transfer, RandomSpyre& random) {
  if (transfer.nests.empty()) return;
  const auto any = [&](std::size_t size) {
    return static_cast<std::size_t>(random.between(0, static_cast<Index>(size) - 1));
  };
  use::Nest& nest = transfer.nests[any(transfer.nests.size())];
  use::Walk& walk = random.chance(50) ? nest.source : nest.destination;
  const Index step = random.chance(70) ? (random.chance(50) ? 1 : -1) : random.between(-9, 9);
  const std::size_t loops = nest.extents.size();
  switch (loops == 0 ? random.between(6, 9) : random.between(0, 9)) {
    case 0:
    case 1: {
      Index& extent = nest.extents[any(loops)];
      extent = std::max<Index>(0, extent + step);
      break;
    }
    case 2:
    case 3: walk.strides[any(loops)] += step; break;
    case 4: std::swap(walk.strides[any(loops)], walk.strides[any(loops)]); break;
    case 5: std::swap(nest.extents[any(loops)], nest.extents[any(loops)]); break;
    case 6: walk.offset += step; break;
    case 7:
      nest.extents.push_back(random.between(1, 2));
      nest.source.strides.push_back(random.between(-1, 1));
      nest.destination.strides.push_back(random.between(-1, 1));
      break;
    case 8: transfer.nests.push_back(use::Nest(nest)); break;
    case 9:
      transfer.nests.erase(transfer.nests.begin() + static_cast<std::ptrdiff_t>(any(transfer.nests.size())));
      break;
  }
}

inline std::string show(const use::Transfer& transfer) {
  std::string out(use::name(transfer.direction));
  for (const use::Nest& nest : transfer.nests)
    out += fmt::format("\n  {} | {} | {} | {},{}", nest.extents, nest.source.strides, nest.destination.strides,
                       nest.source.offset, nest.destination.offset);
  return out;
}

/// One transfer and its two memories.
struct Scenario {
  std::string text;
  use::Memory source;
  use::Memory destination;
  use::Transfer transfer;
};

/// A transfer of a random layout, good or bad, h2d, d2h or between devices: synthesised where that is possible, then
/// broken up to three times. Nothing if the layout has no host memory or the moves are more than 2000.
inline std::optional<Scenario> random_scenario(RandomSpyre& random) {
  const RandomCase made = random.next(80);
  const auto layout = spyre::lower(made.layout, made.tensor);
  if (!layout) return std::nullopt;
  Scenario out{made.show(), {*layout, 0}, {*layout, 0}, {}};
  std::optional<Result<use::Transfer>> transfer;
  if (random.chance(20)) {  // between devices: another layout of the same tensor
    std::optional<map::Layout> other;
    for (int tries = 0; tries < 20 && !other; ++tries) {
      std::vector<Index> order(made.tensor.size.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(order.size() - 1 - i);
      if (order.empty() || random.chance(30)) order.push_back(-1);
      std::vector<Index> strides = made.strides;
      for (Index& stride : strides) stride = std::abs(stride);
      const auto raw = spyre::construct(made.tensor.size, strides, {"SEN169_FP16", 4}, order);
      if (auto lowered = spyre::lower(*raw, made.tensor)) other = std::move(*lowered);
    }
    if (!other) return std::nullopt;
    (random.chance(50) ? out.source : out.destination).layout = *other;
    transfer = use::synthesise(out.source.layout, out.destination.layout);
    out.transfer.direction = use::Direction::DeviceToDevice;
  } else {
    const bool up = random.chance(50);
    const auto host = use::host_memory(*layout);
    if (!host) return std::nullopt;
    (up ? out.source : out.destination) = *host;
    out.transfer.direction = up ? use::Direction::HostToDevice : use::Direction::DeviceToHost;
    transfer = use::synthesise(*layout, out.transfer.direction);
  }
  if (*transfer) out.transfer = std::move(**transfer);
  if (out.transfer.nests.empty() || random.chance(5)) {
    use::Nest nest;
    for (Index loops = random.between(0, 3); loops > 0; --loops) {
      nest.extents.push_back(random.between(0, 5));
      nest.source.strides.push_back(random.between(-3, 9));
      nest.destination.strides.push_back(random.between(-3, 9));
    }
    out.transfer.nests.push_back(std::move(nest));
  }
  for (Index faults = random.chance(35) ? 0 : random.between(1, 3); faults > 0; --faults)
    break_somewhere(out.transfer, random);
  Index count = 0;
  for (const use::Nest& nest : out.transfer.nests) {
    if (use::problem_of(nest)) return std::nullopt;
    count += *checked_product(nest.extents);
  }
  if (count > 2000) return std::nullopt;
  return out;
}

}  // namespace vl::test
