// bytes: the size of the physical box in memory, ⌈slots · bits of a device element / 8⌉, padding included. The number
// is computed in 64 bits without wrapping; a number beyond 64 bits is not an answer. Unsupported where memory has more
// than the slots: it holds whole sticks, and aligned pages. The box is that of the cores that the text names.
//
// Tiles of a block format are counted whole: 1088 bytes of bfp8, 576 of bfp4, 320 of bfp2 for a tile of 32x32
// (use::BlockTile). The layout is then the one of bytes: element e of tile t has its own bits in byte
//   t·B + exponents + e·bits div 8,   B the bytes of a tile.
// For all sizes it is the one of tiles, each a slot of 8·B bits. Example: 2x3 tiles of bfp8: 6528.
//
// Spyre: 128 · Π device_size[:-1], for every format and every layout that ends in one stick. [3, 64] of fp16: 384.
// It finds real errors: a size in 32 bits wrapped at 2 GiB (torch-spyre PR #459).
//
// fits: one memory of the layout holds its share: its bytes, counted so, are at most `capacity`. Of a layout with named
// axes one memory is what the axis m counts, in each core or thread; of others it is the physical box. An empty tensor
// takes its slots, too. Unsupported also if named axes have no m, and where pages go round banks that the text does not
// count, unless one of them has room for all (which is not asked for all sizes). A text that says how many buffers a
// core has, as #ttcore.shard<8192x4096, 2>, has them all in one memory: 2·16384 bytes.
//
// Example: memref<384x96x16xf32> in the L1 of a Wormhole core, 1,499,136 bytes: 384·96·16·4 = 2,359,296, refuted.
// `capacity` is a number or a chip of corpus/chips with its memory, "wormhole l1" or "wormhole dram" (of a bank); of
// "wormhole" alone it is the memory that the layout names, or L1. Or it is the type of somebody's offsets in elements:
// `fits=int32` asks that they are below 2^31, of which the memory then has as many elements at most; uint32: 2^32.
#include <fmt/format.h>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

constexpr std::string_view kNoBits = "the layout does not say how many bits a device element has";

// Nothing if they are more than 2^63 - 1.
std::optional<Index> bytes_of(Index slots, int bits) {
  Index size = ceil_div((slots % 8) * bits, 8);
  return accumulate(size, slots / 8, bits) ? std::optional(size) : std::nullopt;
}

Verdict too_many(Inquiry& inquiry, Index slots, int bits) {
  return inquiry.out_of_reach(fmt::format("{} slots of {} bits are more than 2^63 - 1 bytes", slots, bits));
}

Verdict bytes(const Sized& about, Inquiry& inquiry) {
  if (about.element_bits <= 0) return unsupported(std::string(kNoBits));
  if (!about.unsized.empty()) return unsupported(std::string(about.unsized));
  const Index slots = about.layout.physical().volume();
  const auto size = bytes_of(slots, about.element_bits);
  return size ? inquiry.proved(*size) : too_many(inquiry, slots, about.element_bits);
}

Verdict fits(const Fitted& about, Inquiry& inquiry) {
  if (about.element_bits <= 0) return unsupported(std::string(kNoBits));
  if (!about.unsized.empty()) return unsupported(std::string(about.unsized));
  const map::Space& box = about.layout.physical();
  const auto axis = map::memory_axis(about.layout);
  if (about.layout.named_axes() && !axis) return unsupported("the layout has no memory, only other axes");
  const Index slots = axis && about.spread.empty() ? box.extent(*axis) : box.volume();
  const auto size = bytes_of(slots, about.element_bits);
  if (!size) return too_many(inquiry, slots, about.element_bits);
  if (*size <= about.capacity) return inquiry.proved();
  if (!about.spread.empty()) return unsupported(std::string(about.spread));
  return inquiry.refuted(
      {{{"bytes", *size}, {"capacity", about.capacity}},
       fmt::format("{} takes {} bytes{}, {} more than it has", axis ? "the share of one memory" : "the image", *size,
                   about.buffers == 1 ? "" : fmt::format(" in {} buffers", about.buffers), *size - about.capacity),
       true});
}

}  // namespace

namespace {

// The layout with `times` as many places in each memory. Errors: Overflow.
Result<map::Layout> repeated(const map::Layout& layout, Index times) {
  std::vector<map::Dim> dims = layout.physical().dims();
  const auto extent = checked_mul(dims[*map::memory_axis(layout)].extent, times);
  if (!extent) return Error{ErrorCode::Overflow, "the buffers do not fit in 64 bits"};
  dims[*map::memory_axis(layout)].extent = *extent;
  auto box = map::Space::create(std::move(dims));
  return box ? map::Layout::create(map::parts_in(layout, std::move(*box))) : Result<map::Layout>(box.error());
}

// The layout of the bytes in which the elements' own bits are. Requires: whole tiles. Errors: Overflow.
Result<map::Layout> in_bytes(const map::Layout& layout, const use::BlockTile& tile) {
  const std::size_t axis = *map::memory_axis(layout), rank = layout.physical().rank();
  std::vector<map::Dim> dims = layout.physical().dims();
  const auto extent = checked_mul(dims[axis].extent / tile.elements, tile.bytes());
  if (!extent) return Error{ErrorCode::Overflow, "the bytes do not fit in 64 bits"};
  dims[axis].extent = *extent;
  auto box = map::Space::create(std::move(dims));
  if (!box) return box.error();
  map::LayoutParts parts = map::parts_in(layout, std::move(*box));
  map::Split split{axis, {tile.elements, 8 / tile.bits}};
  if (split.weights.back() != 1) split.weights.push_back(1);
  const std::size_t more = split.weights.size() - 1;
  parts.map.emplace_back(std::move(split));
  map::Affine join;
  for (std::size_t j = 0; j < rank + layout.guards(); ++j) join.rows.push_back(map::pick(j > axis ? j + more : j));
  join.rows[axis] = {tile.exponents, {{axis, tile.bytes()}, {axis + 1, 1}}};
  parts.map.emplace_back(std::move(join));
  return map::Layout::create(std::move(parts));
}

// What is sized of a layout: itself, or of a block format its bytes. Null: a number leaves 64 bits, and the offer says
// so.
const map::Layout* sized_of(Offer& offer, const map::Layout& layout) {
  const auto& tile = offer.reading.block_tile;
  if (!tile) return &layout;
  const auto axis = map::memory_axis(layout);
  if (!axis || layout.physical().extent(*axis) % tile->elements != 0) {
    offer.undecidable = use::Undecidable{"its memory does not hold whole tiles"};
    return nullptr;
  }
  auto made = in_bytes(layout, *tile);
  if (!made) offer.undecidable = use::Undecidable{made.error().message};
  return made ? offer.keep(std::move(*made)) : nullptr;
}

int bits_of(const use::Reading& reading) { return reading.block_tile ? 8 : reading.device_bits; }

}  // namespace

std::optional<Sized> Sized::bind(Offer& offer) {
  if (offer.first() == nullptr) return std::nullopt;
  const map::Layout* layout = sized_of(offer, *offer.reading.counted());
  return layout != nullptr ? std::optional(Sized{*layout, bits_of(offer.reading), offer.reading.unsized})
                           : std::nullopt;
}

extern const Claim kBytes = {.name = "bytes",
                             .statement = "the number of bytes of the physical box",
                             .witness = "",
                             .measures = true,
                             .decide = bytes,
                             .proof = {Part::Stated},
                             .lifted = Lifted::Bytes,
                             .needs_tensor = true};

namespace {

// The bytes of as many elements as an integer type counts from 0 on: int8 to uint32; nothing for another word.
std::optional<Index> bytes_counted_by(std::string_view type, int bits) {
  const bool is_unsigned = type.starts_with('u');
  type.remove_prefix(is_unsigned ? 1 : 0);
  for (const auto& [name, width] : {std::pair("int8", 8), std::pair("int16", 16), std::pair("int32", 32)})
    if (type == name) return (Index{1} << (width - (is_unsigned ? 0 : 1))) / 8 * std::max(bits, 0);
  return std::nullopt;
}

}  // namespace

std::optional<Index> capacity_of(Offer& offer) {
  if (offer.argument("capacity") == nullptr)
    return offer.wrong({}, {ErrorCode::Value,
                            "the claim fits needs the bytes of one memory: capacity = 1499136, or a "
                            "chip, capacity = wormhole"});
  auto capacity = bytes_counted_by(*offer.argument("capacity"), bits_of(offer.reading));
  if (capacity && offer.reading.block_tile) {
    offer.undecidable =
        use::Undecidable{"a type of offsets counts elements, and the memory of a block format is bytes"};
    return std::nullopt;
  }
  if (!capacity) capacity = offer.bytes("capacity", "the bytes of one memory");
  if (capacity && *capacity < 0) return offer.wrong("capacity", {ErrorCode::Value, "expected at least 0 bytes"});
  return capacity;
}

std::optional<Fitted> Fitted::bind(Offer& offer) {
  const auto capacity = capacity_of(offer);
  if (!capacity || offer.first() == nullptr) return std::nullopt;
  const use::Reading& reading = offer.reading;
  const map::Layout* layout = sized_of(offer, *offer.first());
  if (layout != nullptr && reading.buffers != 1 && map::memory_axis(*layout)) {
    auto all = repeated(*layout, reading.buffers);
    if (!all) offer.undecidable = use::Undecidable{all.error().message};
    layout = all ? offer.keep(std::move(*all)) : nullptr;
  }
  if (layout == nullptr) return std::nullopt;
  return Fitted{*layout, bits_of(reading), *capacity, reading.unsized, reading.spread, reading.buffers};
}

extern const Claim kFits = {.name = "fits",
                            .statement = "the slots of one memory take at most `capacity` bytes, padding included",
                            .witness = "bytes, capacity",
                            .keys = {"capacity", "1499136", true},
                            .decide = fits,
                            .proof = {Part::Stated},
                            .lifted = Lifted::Fits,
                            .needs_tensor = true};

}  // namespace vl::claims
