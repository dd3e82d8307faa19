// padding-kind: the number of slots that are padding of one kind, of a layout in shards. `kind` is one of
//   tile      the end of a tile: rounding up to whole tiles made it
//   grid      beyond the array that is divided over the cores: the cores' shares are rounded up
//   gaps      inside that array, where joined dimensions do not follow one another closely
//   repeated  only reached where one dimension had two values at once
// encodings/use/shards.h defines them; each slot is of the first kind that fits, so the four numbers are the claim
// padding's together. For all sizes they are differences of boxes (encodings/use/rule_boxes.h), of sizes at which the
// layout is well-formed and has elements. Example: 53x63 on 3x2 cores, divided first: 2688 tile, 117 grid, and no
// other.
#include "encodings/use/shards.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict count(const KindOfPadding& about, Inquiry& inquiry) { return inquiry.proved(about.slots); }

}  // namespace

std::optional<KindOfPadding> KindOfPadding::bind(Offer& offer) {
  const std::string_view* kind = offer.argument("kind");
  if (kind == nullptr)
    return offer.wrong({}, {ErrorCode::Value, "the claim padding-kind needs the kind: tile, grid, gaps or repeated"});
  using Padding = use::Shards::Padding;
  const Index Padding::*field = *kind == "tile"       ? &Padding::tile
                                : *kind == "grid"     ? &Padding::grid
                                : *kind == "gaps"     ? &Padding::gaps
                                : *kind == "repeated" ? &Padding::repeated
                                                      : nullptr;
  if (field == nullptr) return offer.wrong("kind", {ErrorCode::Value, "expected tile, grid, gaps or repeated"});
  if (offer.first() == nullptr) return std::nullopt;
  const use::Shards* shards = shards_of(offer);
  return shards != nullptr ? std::optional(KindOfPadding{shards->padding.*field}) : std::nullopt;
}

extern const Claim kPaddingKind = {
    .name = "padding-kind",
    .statement = "the number of slots of one kind of padding: tile, grid, gaps, repeated",
    .witness = "",
    .measures = true,
    .keys = {"kind", "tile", true},
    .decide = count,
    .lifted = Lifted::PaddingKind};

}  // namespace vl::claims
