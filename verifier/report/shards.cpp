#include "verifier/report/shards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "encodings/base/words.h"
#include "encodings/map/text.h"

namespace vl::report {
namespace {

constexpr Index kOfExponent = 16;  // elements that share one

std::string by(const std::vector<Index>& extents) { return fmt::format("{}", fmt::join(extents, "x")); }
std::string show(const std::vector<Index>& point) { return fmt::format("[{}]", fmt::join(point, ", ")); }

std::string cores_to_text(const use::Shards& shards) {
  const auto core = [&](const Point& point) { return show(use::core_on_chip(shards, point).value_or(point)); };
  const auto cores = use::occupancy_of(shards);
  if (!cores) return {};
  std::string out = fmt::format("cores     {} with as many elements as any", cores->full);
  if (cores->first_partial)
    out += fmt::format(", {} with fewer ({} first)", cores->partial, core(*cores->first_partial));
  if (cores->first_empty) out += fmt::format(", {} without any ({} first)", cores->empty, core(*cores->first_empty));
  return out + "\n";
}

}  // namespace

std::optional<CoreBytes> bytes_in_core(const use::Shards& shards, Index place, int bits) {
  if (shards.block_bits == 0) {
    const auto first = checked_mul(place, bits);
    if (bits == 0 || !first) return std::nullopt;
    return CoreBytes{*first / 8, static_cast<int>(*first % 8)};
  }
  const Index elements = *checked_product(shards.tile);  // a divisor of the shard's
  const Index exponents = ceil_div(elements, kOfExponent);
  const Index first = place % elements * shards.block_bits;
  const auto tile = checked_mul(place / elements, exponents + ceil_div(elements * shards.block_bits, 8));
  const auto byte = tile ? checked_add(*tile, exponents + first / 8) : std::nullopt;
  if (!byte) return std::nullopt;
  return CoreBytes{*byte, static_cast<int>(first % 8), *tile + place % elements / kOfExponent};
}

std::string shards_to_text(const use::Shards& shards) {
  const bool tiled = *checked_product(shards.tile) > 1;
  return fmt::format("array     {:<44} {} cores with shards of {}{}\n", map::print(shards.array.physical()),
                     by(shards.grid), by(shards.shard),
                     tiled ? fmt::format(", in tiles of {} and faces of {}", by(shards.tile), by(shards.face)) : "") +
         cores_to_text(shards);
}

std::string padding_kinds_to_text(const use::Shards::Padding& padding) {
  std::string out;
  const auto add = [&](Index slots, std::string_view where) {
    if (slots > 0) out += fmt::format("{} {} {}", out.empty() ? ":" : ",", slots, where);
  };
  add(padding.tile, "at the ends of tiles");
  add(padding.grid, "beyond the tensor's end");
  add(padding.gaps, "in gaps of joined dimensions");
  add(padding.repeated, "where a dimension is repeated");
  return out;
}

std::string element_to_text(const ShardedElement& element) {
  const std::string core =
      element.on_chip ? show(*element.on_chip) + " of the chip" : show(element.at.core) + " of the layout's own grid";
  std::string out = fmt::format("  core {}, tile {} of its shard, face {}, datum {}\n", core, show(element.at.tile),
                                show(element.at.face), show(element.at.datum));
  if (!element.bytes) return out;
  out += fmt::format("  byte {} of the core's buffer", element.bytes->byte);
  if (element.bytes->bit != 0) out += fmt::format(", bit {}", element.bytes->bit);
  if (element.bytes->exponent) out += fmt::format("; its exponent is byte {}", *element.bytes->exponent);
  out += "\n";
  if (const auto& network = element.network)
    out += fmt::format("  byte {} of the L1 at x {}, y {} on the network of {}: address {:#x}\n", network->byte,
                       network->x, network->y, network->chip, network->address);
  return out;
}

}  // namespace vl::report
