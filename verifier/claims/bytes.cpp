// bytes: the size of the physical box in memory, ⌈slots · bits of a device element / 8⌉, padding included. The number
// is computed in 64 bits without wrapping; a number beyond 64 bits is not an answer. Unsupported if a slot has no size
// in bits.
//
// Spyre: 128 · Π device_size[:-1], for every format and every layout that ends in one stick. [3, 64] of fp16: 384.
// It finds real errors: a size in 32 bits wrapped at 2 GiB (torch-spyre PR #459).
#include <fmt/format.h>

#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict bytes(const Sized& about, Inquiry& inquiry) {
  if (about.element_bits <= 0) return unsupported("the layout does not say how many bits a device element has");
  const Index slots = about.layout.physical().volume();
  Index size = ceil_div((slots % 8) * about.element_bits, 8);
  if (!accumulate(size, slots / 8, about.element_bits))
    return inquiry.out_of_reach(
        fmt::format("{} slots of {} bits are more than 2^63 - 1 bytes", slots, about.element_bits));
  return inquiry.proved(size);
}

}  // namespace

std::optional<Sized> Sized::bind(Offer& offer) {
  const map::Layout* layout = offer.first();
  return layout != nullptr ? std::optional(Sized{*layout, offer.reading.device_bits}) : std::nullopt;
}

extern const Claim kBytes = {.name = "bytes",
                             .statement = "the number of bytes of the physical box",
                             .witness = "",
                             .measures = true,
                             .decide = bytes,
                             .proof = {Part::Stated}};

}  // namespace vl::claims
