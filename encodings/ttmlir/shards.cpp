// The shards of all cores side by side (encodings/use/shards.h), for a layout that keeps the rules of its family.
//   p = the rule's physical point, P_i = (p_i div S_i) · shard_i + p_i mod S_i
// shard_i is the declared one in elements; S_i is less where tiles round it up.
//
// Padding is counted from boxes: with J the shape whose dimensions are joined (the tensor's; in rule C rounded up to
// tiles) and phys_i the extent of p_i over J,
//   rules A and C   tile      Π grid·shard - Π grid·S, and |J| - |tensor|     grid  Π grid·S - Π phys
//   rule B          tile      Π up(phys, tile) - Π phys                      grid  Π grid·shard - Π up(phys, tile)
//   all             gaps      Π phys - Π H, H_i = the values that p_i takes; what a constant of the map leaves in front
//                   repeated  Π H - |J|
#include "encodings/use/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "encodings/ttmlir/place.h"

namespace vl::ttmlir {
namespace {

using use::Shards;

// Boxes as products; nothing if one leaves 64 bits.
struct Boxes {
  Index slots = 0;    // Π grid·shard
  Index divided = 0;  // Π grid·S; of rule B Π up(phys, tile)
  Index physical = 0;
  Index taken = 0;   // Π H
  Index joined = 0;  // |J|
  Index elements = 0;
};

std::optional<Boxes> boxes_of(const Ruled& ruled, const Shards& shards, std::span<const Index> joined,
                              std::span<const Index> size) {
  std::vector<Index> slots, divided, physical, taken;
  for (std::size_t i = 0; i < shards.grid.size(); ++i) {
    const map::Row& row = ruled.placement->physical[i];
    const auto range = range_of(row, joined);
    const auto extent = range ? checked_add(range->high, 1) : std::nullopt;
    const Index divisor = ruled.placement->divisor[i];
    const auto across = checked_mul(shards.grid[i], shards.shard[i]);
    const auto shared = ruled.exact ? (extent ? round_up(*extent, shards.tile[i]) : std::nullopt)
                                    : checked_mul(shards.grid[i], divisor);
    if (!extent || !across || !shared) return std::nullopt;
    Index values = 1;
    for (const map::Term& term : row.terms) values *= joined[term.input];  // at most the extent, since the row nests
    slots.push_back(*across), divided.push_back(*shared), physical.push_back(*extent), taken.push_back(values);
  }
  const std::array<std::optional<Index>, 6> all = {checked_product(slots),    checked_product(divided),
                                                   checked_product(physical), checked_product(taken),
                                                   checked_product(joined),   checked_product(size)};
  if (std::ranges::any_of(all, [](const auto& each) { return !each; })) return std::nullopt;
  return Boxes{*all[0], *all[1], *all[2], *all[3], *all[4], *all[5]};
}

Shards::Padding padding_of(const Boxes& boxes, bool exact) {
  Shards::Padding out;
  const Index rounded = boxes.joined - boxes.elements;
  out.tile = rounded + (exact ? boxes.divided - boxes.physical : boxes.slots - boxes.divided);
  out.grid = exact ? boxes.slots - boxes.divided : boxes.divided - boxes.physical;
  out.gaps = boxes.physical - boxes.taken;
  out.repeated = boxes.taken - boxes.joined;
  return out;
}

// The way between p and P, in the direction `to_array` or back.
std::vector<map::Stage> between(const Ruled& ruled, std::span<const Index> shard, bool to_array) {
  std::vector<map::Stage> out;
  map::Affine join;
  for (std::size_t i = 0; i < shard.size(); ++i) {
    const Index own = ruled.placement->divisor[i];
    out.insert(out.begin(), map::Split{i, {to_array ? own : shard[i], 1}});
    join.rows.push_back({0, {{2 * i, to_array ? shard[i] : own}, {2 * i + 1, 1}}});
  }
  out.emplace_back(std::move(join));
  return out;
}

Result<map::Layout> array_of(const Ruled& ruled, std::span<const Index> shard, const map::Tensor& tensor) {
  auto logical = map::Space::create(map::Space::dims("x", tensor.size));
  if (!logical) return logical.error();
  const auto strides = map::host_strides(tensor);
  if (!strides) return strides.error();
  std::vector<Index> extents;
  for (std::size_t i = 0; i < shard.size(); ++i) {
    const auto across = checked_mul(shard[i], ruled.grid[i]);
    if (!across) return Error{ErrorCode::Overflow, "the array of all shards does not fit in 64 bits"};
    if (*across == 0) return none("a shard has no element");
    extents.push_back(*across);
  }
  auto box = map::Space::create(map::Space::dims("p", extents));
  if (!box) return box.error();
  std::vector<map::Stage> stages{map::Affine{rows_that_move(ruled.placement->physical, tensor.size)}};
  std::ranges::move(between(ruled, shard, true), std::back_inserter(stages));
  std::optional<std::vector<map::Stage>> decode;
  if (auto back = element_of_physical(*ruled.placement, tensor.size)) {
    decode = between(ruled, shard, false);
    std::ranges::move(*back, std::back_inserter(*decode));
  }
  return map::Layout::create({std::move(*logical), map::Space{}, std::move(*box), std::move(stages), 0,
                              std::move(decode), 0, std::nullopt, map::dot(*strides, tensor.offset)});
}

// Why a layout is no array of shards; empty if it is one.
std::string why_none(const Told& told, std::span<const Index> size) {
  const Ruled& ruled = told.ruled;
  if (!told.undecidable.empty()) return told.undecidable;
  for (const use::Rule& rule : ruled.rules)
    if (!rule.of_tensor && rule.have != rule.want) return "a rule of the layout does not hold: " + rule.statement;
  if (!ruled.placement || ruled.overflows) return "its elements have no places";
  if (!ruled.placement) return "a number of the layout does not fit in 64 bits";
  if (!ruled.dealt.empty()) return "interleaved: single tiles go round the cores, so no core has a block of the tensor";
  if (std::ranges::find(size, 0) != size.end()) return "the tensor has no element";
  const std::span<const Index> joined = ruled.joined.empty() ? size : std::span<const Index>(ruled.joined);
  for (std::size_t i = 0; i < ruled.grid.size(); ++i) {
    const map::Row& row = ruled.placement->physical[i];
    const auto range = range_of(row, joined);
    const auto across = checked_mul(ruled.grid[i], ruled.placement->divisor[i]);
    if (!range || !across) return "the array of all shards does not fit in 64 bits";
    if (range->low < 0) return fmt::format("physical dimension {} begins at {}, below 0", i, range->low);
    if (range->high >= *across)
      return fmt::format("physical dimension {} goes up to {}, and the cores share {}", i, range->high, *across);
    if (!nested(row, joined)) return "two elements may have one physical coordinate";
  }
  return {};
}

}  // namespace

// bfp_bf8, bfp_f4: the number at the end. Source of the exponents' place: tt-metal's blockfloat_common.cpp.
int own_bits(std::string_view type) {
  const char last = type.empty() ? ' ' : type.back();
  return type.starts_with("bfp") && (last == '2' || last == '4' || last == '8') ? last - '0' : 0;
}

std::optional<use::BlockTile> block_tile_of(const Cells& cells) {
  const int bits = own_bits(cells.type);
  if (bits == 0 || !cells.tile || cells.tile->width % use::kSharingExponent != 0) return std::nullopt;
  const auto area = checked_mul(cells.tile->height, cells.tile->width);
  const auto exponents = area ? round_up(*area / use::kSharingExponent, use::kExponentBytes) : std::nullopt;
  const auto own = area ? checked_mul(*area, bits) : std::nullopt;
  return exponents && own ? std::optional(use::BlockTile{*area, *exponents, bits}) : std::nullopt;
}

Result<use::Shards> shards(std::string_view text, const map::Tensor& tensor) {
  const auto parsed = parse(text);
  if (!parsed) return parsed.error();
  const Told told = tell(*parsed, tensor);
  if (std::string why = why_none(told, tensor.size); !why.empty()) return none(std::move(why));
  const Ruled& ruled = told.ruled;
  const std::size_t n = ruled.grid.size();
  std::vector<Index> shard, tile, face;
  for (std::size_t i = 0; i < n; ++i) {
    tile.push_back(tile_size(ruled.tile, i, n));
    face.push_back(i + 2 < n || ruled.tile == Tile{} ? 1 : face_of(tile.back()));
    const auto whole = checked_mul(ruled.cells[i], tile.back());
    if (!whole) return Error{ErrorCode::Overflow, "the array of all shards does not fit in 64 bits"};
    shard.push_back(*whole);
  }
  auto array = array_of(ruled, shard, tensor);
  if (!array) return array.error();
  // One core takes its whole shard; of several, each takes its share of the tensor.
  Ruled alone = ruled;
  for (std::size_t i = 0; i < n; ++i)
    if (ruled.grid[i] == 1) alone.placement->divisor[i] = shard[i];
  std::vector<map::Stage> beyond{map::Affine{ruled.placement->physical}};
  std::ranges::move(between(alone, shard, true), std::back_inserter(beyond));
  use::Shards out{std::move(*array),        ruled.grid,
                  std::move(shard),         std::move(tile),
                  std::move(face),          alone.placement->divisor,
                  std::move(beyond),        {},
                  own_bits(told.cells.type)};
  const auto boxes = boxes_of(ruled, out, ruled.joined.empty() ? tensor.size : ruled.joined, tensor.size);
  if (!boxes) return Error{ErrorCode::Overflow, "the padding does not fit in 64 bits"};
  out.padding = padding_of(*boxes, ruled.exact);
  if (auto reading = read(*parsed, tensor)) out.chips = std::move(reading->chips);
  return out;
}

}  // namespace vl::ttmlir
