// bytes: the size of the physical box in memory, ⌈slots · bits of a device element / 8⌉, padding included. The number
// is computed in 64 bits without wrapping; a number beyond 64 bits is not an answer. Unsupported if a slot has no size
// in bits (a block format), and where memory has more than the slots: it holds whole sticks, and aligned pages.
//
// Spyre: 128 · Π device_size[:-1], for every format and every layout that ends in one stick. [3, 64] of fp16: 384.
// It finds real errors: a size in 32 bits wrapped at 2 GiB (torch-spyre PR #459).
//
// fits: one memory of the layout holds its share: its bytes, counted so, are at most `capacity`. Of a layout with named
// axes one memory is what the axis m counts, in each core or thread; of others it is the physical box. An empty tensor
// takes its slots, too. Unsupported also if named axes have no m, and where pages go round banks that the text does not
// count, unless one of them has room for all (which is not asked for all sizes).
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
  return inquiry.refuted({{{"bytes", *size}, {"capacity", about.capacity}},
                          fmt::format("{} takes {} bytes, {} more than it has",
                                      axis ? "the share of one memory" : "the image", *size, *size - about.capacity),
                          true});
}

}  // namespace

std::optional<Sized> Sized::bind(Offer& offer) {
  const map::Layout* layout = offer.first();
  return layout != nullptr ? std::optional(Sized{*layout, offer.reading.device_bits, offer.reading.unsized})
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

std::optional<Fitted> Fitted::bind(Offer& offer) {
  if (offer.argument("capacity") == nullptr)
    return offer.wrong({}, {ErrorCode::Value,
                            "the claim fits needs the bytes of one memory: capacity = 1499136, or a "
                            "chip, capacity = wormhole"});
  auto capacity = bytes_counted_by(*offer.argument("capacity"), offer.reading.device_bits);
  if (!capacity) capacity = offer.bytes("capacity", "the bytes of one memory");
  if (capacity && *capacity < 0) return offer.wrong("capacity", {ErrorCode::Value, "expected at least 0 bytes"});
  const map::Layout* layout = offer.first();
  if (!capacity || layout == nullptr) return std::nullopt;
  return Fitted{*layout, offer.reading.device_bits, *capacity, offer.reading.unsized, offer.reading.spread};
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
