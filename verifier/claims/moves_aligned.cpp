// aligned, of loop nests: every transfer that a nest makes is one that a network on chip takes. Its innermost loops,
// along which both sides count up by one, are one transfer; the loops around it repeat it. With b bytes per element,
//   (1) it has at least `minimum` bytes:          extents of those loops · b >= minimum
//   (2) both of its ends are equal modulo `alignment`, at every iteration:
//         (source offset - destination offset) · b = 0 mod alignment, and for every outer loop of more than one step
//         (source stride - destination stride) · b = 0 mod alignment
// (2) is exact: iteration 0 needs the offsets, and one step of a loop needs its strides. Bases of both memories are
// multiples of `alignment`. The condition is relative: a source at byte 8 and a destination at byte 40 agree modulo 32.
//
// Example: 60 rows of 30 f16 from a host without gaps to sticks of 64: the host steps by 60 bytes and the device by
// 128, and 60 - 128 is 28 modulo 32: refuted. Both keys take a chip's number, too: "wormhole dram read" is 32. Sources:
// tt-metal's pull request 22061 (relative alignment) and issue 8706 (Blackhole's DRAM: 64 bytes for reads, 16 for
// writes).
//
// Vacuous if the nests move nothing.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/claims/claim.h"
#include "verifier/claims/transfers.h"

namespace vl::claims {
namespace {

// The loops from `outer` on are one transfer of `run` elements.
struct Burst {
  std::size_t outer = 0;
  Index run = 1;
};

Burst burst_of(const use::Nest& nest) {
  Burst out{nest.extents.size(), 1};
  while (out.outer > 0) {
    const std::size_t k = out.outer - 1;
    const bool steps = nest.extents[k] > 1;
    if (steps && (nest.source.strides[k] != out.run || nest.destination.strides[k] != out.run)) break;
    out.run *= nest.extents[k];  // at most the iterations, which fit
    --out.outer;
  }
  return out;
}

// a · bits modulo `alignment` bytes: in bytes, or in bits if elements are no whole bytes.
Index rest_of(Index a, int bits, Index alignment) {
  const __int128 whole = static_cast<__int128>(alignment) * 8;
  const __int128 rest = static_cast<__int128>(a) * bits % whole;
  const __int128 positive = rest + (rest < 0 ? whole : 0);
  return static_cast<Index>(bits % 8 == 0 ? positive / 8 : std::min(positive, __int128{INT64_MAX}));
}

std::string modulus(const AlignedMoves::Limits& limits) {
  return limits.bits % 8 == 0 ? fmt::format("{} bytes", limits.alignment)
                              : fmt::format("{} bits", static_cast<__int128>(limits.alignment) * 8);
}

void add_rules(const use::Nest& nest, std::size_t number, const AlignedMoves::Limits& limits,
               std::vector<use::Rule>& out) {
  if (checked_product(nest.extents) == 0) return;
  const Burst burst = burst_of(nest);
  const auto bits = static_cast<__int128>(burst.run) * limits.bits;
  const Index bytes = bits / 8 > limits.minimum ? limits.minimum : static_cast<Index>(bits / 8);
  out.push_back(
      {fmt::format("nest {}: a transfer of {} elements has at least {} bytes", number, burst.run, limits.minimum),
       std::min(bytes, limits.minimum), limits.minimum});
  const auto same = [&](std::string what, Index source, Index destination) {
    Index apart = 0;
    const bool fits = !__builtin_sub_overflow(source, destination, &apart);
    out.push_back({std::move(what), fits ? rest_of(apart, limits.bits, limits.alignment) : -1, 0});
  };
  same(fmt::format("nest {}: the first source and the first destination are equal modulo {}", number, modulus(limits)),
       nest.source.offset, nest.destination.offset);
  for (std::size_t k = 0; k < burst.outer; ++k)
    if (nest.extents[k] > 1)
      same(fmt::format("nest {}: a step of loop {} moves source and destination alike, modulo {}", number, k,
                       modulus(limits)),
           nest.source.strides[k], nest.destination.strides[k]);
}

Verdict ends_aligned(const AlignedMoves& about, Inquiry& inquiry) {
  if (about.limits.bits <= 0) return unsupported("the layout does not say how many bits a device element has");
  if (const auto ends = ends_of(about.moves); !ends) return inquiry.out_of_reach(ends.error().message);
  if (about.rules.empty()) return inquiry.vacuous("the nests move nothing");
  if (auto broken = broken_rule(about.rules, "{}; here it is {} and should be {}"))
    return inquiry.refuted(std::move(*broken));
  return inquiry.proved();
}

}  // namespace

std::optional<AlignedMoves> AlignedMoves::bind(Offer& offer) {
  VL_CHECK(offer.nests != nullptr, "a claim about nests is asked without any");
  if (offer.argument("alignment") == nullptr)
    return offer.wrong({}, {ErrorCode::Value, "the claim aligned needs bytes, of nests: alignment = 32"});
  const auto alignment = offer.bytes("alignment", "an alignment in bytes");
  const bool has_minimum = offer.argument("minimum") != nullptr;
  const auto minimum = has_minimum ? offer.bytes("minimum", "the least bytes of a transfer") : std::optional<Index>(1);
  if (alignment && *alignment < 1)
    return offer.wrong("alignment", {ErrorCode::Value, "expected an alignment of at least 1 byte"});
  if (minimum && *minimum < 1) return offer.wrong("minimum", {ErrorCode::Value, "expected at least 1 byte"});
  const auto moves = Transferred::bind(offer);
  if (!alignment || !minimum || !moves) return std::nullopt;
  const Limits limits{offer.reading.device_bits, *alignment, *minimum};
  std::vector<use::Rule> rules;
  for (std::size_t number = 0; limits.bits > 0 && number < offer.nests->nests.size(); ++number)
    add_rules(offer.nests->nests[number], number, limits, rules);
  return AlignedMoves{*moves, limits, *offer.keep(std::move(rules))};
}

extern const Claim kMovesAligned = {
    .name = "aligned",
    .statement = "every transfer of the nests has `minimum` bytes, and both its ends are equal modulo `alignment`",
    .witness = "have, want",
    .keys = {"alignment minimum nests with direction", "alignment=32; minimum=32"},
    .decide = ends_aligned,
    .proof = {Part::Stated},
    .needs_tensor = true};

}  // namespace vl::claims
