// fits: one memory of the layout holds its share: ⌈slots of one memory · bits of a device element / 8⌉ <= capacity,
// padding included. Of a layout with named axes one memory is what the axis m counts, in each core or thread; of others
// it is the physical box. An empty tensor takes its slots, too. Unsupported if a slot has no
// size in bits (a block format), or named axes have no m.
//
// Example: memref<384x96x16xf32> in the L1 of a Wormhole core, 1,499,136 bytes: 384·96·16·4 = 2,359,296, refuted.
// Source of that number: tt-metal's SoC descriptors, as tt-mlir's system descriptions print it; Blackhole's is
// 1,572,864.
#include <fmt/format.h>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict fits(const Fitted& about, Inquiry& inquiry) {
  if (about.element_bits <= 0) return unsupported("the layout does not say how many bits a device element has");
  const map::Space& box = about.layout.physical();
  const auto axis = map::memory_axis(about.layout);
  if (about.layout.named_axes() && !axis) return unsupported("the layout has no memory, only other axes");
  const Index slots = axis ? box.extent(*axis) : box.volume();
  Index size = ceil_div((slots % 8) * about.element_bits, 8);
  if (!accumulate(size, slots / 8, about.element_bits))
    return inquiry.out_of_reach(
        fmt::format("{} slots of {} bits are more than 2^63 - 1 bytes", slots, about.element_bits));
  if (size <= about.capacity) return inquiry.proved();
  return inquiry.refuted({{{"bytes", size}, {"capacity", about.capacity}},
                          fmt::format("{} takes {} bytes, {} more than it has",
                                      axis ? "the share of one memory" : "the image", size, size - about.capacity),
                          true});
}

}  // namespace

std::optional<Fitted> Fitted::bind(Offer& offer) {
  if (offer.argument("capacity") == nullptr)
    return offer.wrong({}, {ErrorCode::Value, "the claim fits needs the bytes of one memory: capacity = 1499136"});
  const auto capacity = offer.integer("capacity", "the bytes of one memory");
  if (capacity && *capacity < 0) return offer.wrong("capacity", {ErrorCode::Value, "expected at least 0 bytes"});
  const map::Layout* layout = offer.first();
  if (!capacity || layout == nullptr) return std::nullopt;
  return Fitted{*layout, offer.reading.device_bits, *capacity};
}

extern const Claim kFits = {.name = "fits",
                            .statement = "the slots of one memory take at most `capacity` bytes, padding included",
                            .witness = "bytes, capacity",
                            .keys = {"capacity", "1499136", true},
                            .decide = fits,
                            .proof = {Part::Stated}};

}  // namespace vl::claims
