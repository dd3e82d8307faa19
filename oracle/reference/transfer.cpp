#include "oracle/reference/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "oracle/reference/wrong.h"

namespace vl::oracle {
namespace {

// Nests that write so much oftener than there is memory are not run for hours.
constexpr Index kIdleMoves = Index{1} << 26;
constexpr Index kMovesOfAUnit = 4;

// offset + Σ iteration·strides.
std::optional<Index> offset_at(const use::Walk& walk, std::span<const Index> iteration) {
  Index at = walk.offset;
  for (std::size_t k = 0; k < iteration.size(); ++k)
    if (!accumulate(at, iteration[k], walk.strides[k])) return std::nullopt;
  return at;
}

// Steps to the row-major successor; false if it was the last one.
bool step(std::span<const Index> extents, std::span<Index> iteration) {
  for (std::size_t k = extents.size(); k-- > 0;) {
    if (++iteration[k] < extents[k]) return true;
    iteration[k] = 0;
  }
  return false;
}

std::optional<Error> check(const use::Transfer& transfer, Index most) {
  Index total = 0;
  for (std::size_t n = 0; n < transfer.nests.size(); ++n) {
    const use::Nest& nest = transfer.nests[n];
    const std::size_t loops = nest.extents.size();
    if (nest.source.strides.size() != loops || nest.destination.strides.size() != loops)
      return Error{ErrorCode::Shape, fmt::format("nest {} has {} loops, {} source and {} destination strides", n, loops,
                                                 nest.source.strides.size(), nest.destination.strides.size())};
    for (const Index extent : nest.extents)
      if (extent < 0) return wrong(fmt::format("nest {} has a loop of extent {}", n, extent));
    const auto moves = moves_of(nest);
    const auto sum = moves ? checked_add(total, *moves) : std::nullopt;
    if (!sum || *sum > most)
      return wrong(fmt::format("the nests up to nest {} have more than {} moves; they are not walked over", n, most));
    total = *sum;
  }
  return std::nullopt;
}

std::optional<Error> walk_nest(const use::Nest& nest, std::size_t number, const std::function<bool(const Move&)>& visit,
                               bool& stopped) {
  if (moves_of(nest) == 0) return std::nullopt;
  Point iteration(nest.extents.size(), 0);
  do {
    const auto source = offset_at(nest.source, iteration);
    const auto destination = offset_at(nest.destination, iteration);
    Move move{number, iteration, source.value_or(0), destination.value_or(0)};
    if (!source || !destination)
      return Error{ErrorCode::Overflow,
                   fmt::format("{}: the {} offset leaves 64 bits", name(move), source ? "destination" : "source")};
    stopped = !visit(move);
  } while (!stopped && step(nest.extents, iteration));
  return std::nullopt;
}

// The first move that writes this unit.
std::string first_writer(const use::Transfer& transfer, Index unit, Index most) {
  std::string who;
  const auto error = for_each_move(
      transfer,
      [&](const Move& move) {
        if (move.destination != unit) return true;
        who = name(move);
        return false;
      },
      most);
  VL_CHECK(!error && !who.empty(), "a unit that was written has a writer");
  return who;
}

}  // namespace

std::string name(const Move& move) {
  return fmt::format("nest {}, iteration [{}]", move.nest, fmt::join(move.iteration, ", "));
}

std::optional<Index> moves_of(const use::Nest& nest) { return checked_product(nest.extents); }

std::optional<Error> for_each_move(const use::Transfer& transfer, const std::function<bool(const Move&)>& visit,
                                   Index most) {
  if (auto error = check(transfer, most)) return error;
  bool stopped = false;
  for (std::size_t n = 0; n < transfer.nests.size() && !stopped; ++n)
    if (auto error = walk_nest(transfer.nests[n], n, visit, stopped)) return error;
  return std::nullopt;
}

Result<std::vector<std::byte>> execute(const use::Transfer& transfer, std::span<const std::byte> source,
                                       std::vector<std::byte> destination, std::size_t unit, Index most) {
  if (unit != 1 && unit != 2 && unit != 4 && unit != 8 && unit != 16)
    return wrong(fmt::format("a unit of {} bytes; expected 1, 2, 4, 8 or 16", unit));
  if (source.size() % unit != 0 || destination.size() % unit != 0)
    return wrong(fmt::format("{} and {} bytes are not whole units of {}", source.size(), destination.size(), unit));
  const auto readable = static_cast<Index>(source.size() / unit);
  const auto writable = static_cast<Index>(destination.size() / unit);
  most = std::min(most, kIdleMoves + kMovesOfAUnit * writable);
  std::vector<bool> written(destination.size() / unit);
  std::optional<Error> bad;
  const auto visit = [&](const Move& move) {
    if (move.source < 0 || move.source >= readable)
      bad = wrong(fmt::format("{} reads unit {}; the source has {}", name(move), move.source, readable));
    else if (move.destination < 0 || move.destination >= writable)
      bad = wrong(fmt::format("{} writes unit {}; the destination has {}", name(move), move.destination, writable));
    if (bad) return false;
    const auto to = static_cast<std::size_t>(move.destination);
    const std::byte* const from = source.data() + static_cast<std::size_t>(move.source) * unit;
    if (written[to] && std::memcmp(destination.data() + to * unit, from, unit) != 0)
      bad = wrong(fmt::format("{} and {} write different bits to unit {}",
                              first_writer(transfer, move.destination, most), name(move), move.destination));
    written[to] = true;
    std::memcpy(destination.data() + to * unit, from, unit);
    return !bad;
  };
  if (auto error = for_each_move(transfer, visit, most)) return *error;
  if (bad) return *bad;
  return destination;
}

}  // namespace vl::oracle
