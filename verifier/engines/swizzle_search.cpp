#include "verifier/engines/swizzle_search.h"

#include <algorithm>
#include <bit>

namespace vl::engines {
namespace {

using map::Layout;
using map::Swizzle;

constexpr int kMostBits = 60;

struct Tile {
  std::size_t axis = 0;  // the output that is the address
  Index largest = 0;
};

Error no_search(std::string message) { return Error{ErrorCode::Value, std::move(message), 0}; }

// The memory axis and what lies on it; reach_of has told other layouts apart.
Result<Tile> tile_of(const Layout& layout) {
  for (const map::Stage& stage : layout.map().stages())
    if (const auto* swizzle = std::get_if<Swizzle>(&stage); swizzle != nullptr && swizzle->bits > 0)
      return no_search("expected a tile without a swizzle");
  auto axis = map::memory_axis(layout);
  if (!layout.named_axes() && layout.physical().rank() == 1) axis = 0;
  if (!axis) return no_search("expected a tile on one memory axis");
  Tile tile{*axis, 0};
  const map::Range range = layout.map().ranges(layout.map().stages().size())[tile.axis];
  if (range.low < 0) return no_search("an address of the tile may be negative");
  if (range.high >> kMostBits != 0) return no_search("addresses beyond 60 bits");
  tile.largest = range.high;
  return tile;
}

// The tile with a swizzle behind it, in the tile's own box.
Layout swizzled(const Layout& tile, const Swizzle& swizzle) {
  map::LayoutParts parts = map::parts_in(tile, tile.physical());
  if (swizzle.bits > 0) parts.map.emplace_back(swizzle);
  auto layout = Layout::create(std::move(parts));
  VL_CHECK(layout.has_value(), "a swizzle of addresses that are not negative");
  return std::move(*layout);
}

// 2^M elements hold the widest run.
int least_of(const SwizzleTask& task) {
  Index widest = 1;
  for (const SwizzleAccess& access : task.accesses)
    widest = std::max(widest, ceil_div(access.access.width * 8, std::max(task.element_bits, 1)));
  return std::countr_zero(std::bit_ceil(static_cast<std::uint64_t>(widest)));
}

// One candidate: nothing if it is right. Accesses that were legal for the tile are legal for its swizzles, since lanes
// are where they were.
std::variant<std::optional<SwizzleRefusal>, Abstained> judge(const SwizzleTask& task, const Layout& layout,
                                                             const Options& options) {
  for (std::size_t i = 0; i < task.accesses.size(); ++i) {
    const SwizzleAccess& access = task.accesses[i];
    const auto reach = reach_of(access.access, layout, access.tv, task.element_bits, task.hardware);
    if (!reach) return Abstained{Reason::Unsupported, reach.error().message};
    const Decision outside = decide({Kind::Escapes, &*reach, 0}, options);
    if (const auto* abstained = std::get_if<Abstained>(&outside.answer)) return *abstained;
    if (!std::holds_alternative<None>(outside.answer))
      return Abstained{Reason::Unsupported, "an access leaves the tensor"};
    const Decision exceeds = decide({Kind::Crowds, &*reach, 0}, options);
    if (const auto* abstained = std::get_if<Abstained>(&exceeds.answer)) return *abstained;
    if (outside.disagreement || exceeds.disagreement)
      return Abstained{Reason::EnginesDisagree, "two engines decided differently"};
    if (const auto* found = std::get_if<Found>(&exceeds.answer)) return SwizzleRefusal{i, found->witness.p};
  }
  const Decision escapes = decide({Kind::Escapes, &layout, nullptr}, options);
  if (const auto* abstained = std::get_if<Abstained>(&escapes.answer)) return *abstained;
  if (escapes.disagreement) return Abstained{Reason::EnginesDisagree, "two engines decided differently"};
  if (const auto* found = std::get_if<Found>(&escapes.answer)) return SwizzleRefusal{std::nullopt, found->witness.p};
  return std::nullopt;
}

}  // namespace

std::vector<Swizzle> swizzle_candidates(int address_bits, int least) {
  std::vector<Swizzle> out{Swizzle{0, 0, 0, 1, Swizzle::Direction::Down}};
  for (int bits = 1; least + 2 * bits <= address_bits; ++bits)
    for (int shift = bits; least + shift + bits <= address_bits; ++shift)
      for (int base = least; base + shift + bits <= address_bits; ++base)
        out.push_back(Swizzle{0, base, bits, shift, Swizzle::Direction::Down});
  return out;
}

std::variant<SwizzleAnswer, SwizzleError> find_swizzle(const SwizzleTask& task, const Options& options) {
  for (std::size_t i = 0; i < task.accesses.size(); ++i) {
    const SwizzleAccess& access = task.accesses[i];
    if (access.access.absolute)
      return SwizzleError{i, no_search("absolute addresses are not searched; expected base= alone")};
    const auto reach = reach_of(access.access, *task.tile, access.tv, task.element_bits, task.hardware);
    if (!reach) return SwizzleError{i, reach.error()};
  }
  const auto tile = tile_of(*task.tile);
  if (!tile) return SwizzleError{std::nullopt, tile.error()};
  std::vector<SwizzleRefusal> rejected;
  const int address_bits = 64 - std::countl_zero(static_cast<std::uint64_t>(tile->largest));
  for (Swizzle swizzle : swizzle_candidates(address_bits, least_of(task))) {
    swizzle.input = tile->axis;
    Layout layout = swizzled(*task.tile, swizzle);
    auto judged = judge(task, layout, options);
    if (const auto* abstained = std::get_if<Abstained>(&judged))
      return SwizzleAnswer(SwizzleUndecided{swizzle, *abstained});
    auto& refusal = std::get<std::optional<SwizzleRefusal>>(judged);
    if (!refusal) return SwizzleAnswer(SwizzleFound{swizzle, std::move(layout), std::move(rejected)});
    rejected.push_back(std::move(*refusal));
  }
  return SwizzleAnswer(SwizzleNone{std::move(rejected)});
}

Result<SwizzleParts> swizzle_parts(const SwizzleTask& task) {
  SwizzleParts out;
  for (const SwizzleAccess& access : task.accesses) {
    auto reach = reach_of(access.access, *task.tile, access.tv, task.element_bits, task.hardware);
    if (!reach) return reach.error();
    auto addresses = addresses_of(access.access, *task.tile, access.tv, task.element_bits, task.hardware);
    if (!addresses) return addresses.error();
    out.reaches.push_back(std::move(*reach)), out.addresses.push_back(std::move(*addresses));
  }
  return out;
}

}  // namespace vl::engines
