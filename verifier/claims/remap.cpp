// remap: a layout change reads every element where it lies, and nothing outside of the source. With A_result and
// A_source the arrays of all shards side by side (encodings/use/shards.h), and M the map from places of the result to
// places of the source (encodings/use/remap.h):
//   (1) ∀ elements x: M(A_result(x)) = A_source(x)
//   (2) ∀ places P of the result, padding included: M(P) is a place of the source.
//
// `with` is the source's layout. `map` is M: the text that a compiler printed, over the device shapes; "compiler", the
// default, for the one that the layout's own compiler makes; "reblock", its map between device shapes of equal volume.
//
// Example: 2x3x5 aligned 1, 32, 1 on one core, remapped to itself by the compiler's map: element [1,0,0] lies at 32 and
// is read at 2, where [0,0,2] lies. Vacuous if there is no element.
#include <fmt/format.h>

#include "encodings/use/remap.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict commutes(const Remapped& about, Inquiry& inquiry) {
  const map::Layout &moved = about.change.moved, &source = about.change.source.array;
  if (source.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  const auto misread = [&](const Witness& w) {
    const Point read = map::outputs_at(moved, w.p, {}), lies = map::outputs_at(source, w.p, {});
    return Counterexample{{{"a", w.p}, {"physical", read}, {"other", lies}},
                          fmt::format("element {} is read at {} of the source's shards, and lies at {}", show(w.p),
                                      show(read), show(lies))};
  };
  if (auto no = inquiry.unless_none({Kind::Differs, &moved, &source}, misread)) return std::move(*no);
  const auto outside = [&](const Witness& w) {
    const Point read = map::outputs_at(about.change.reads, w.p, {});
    return Counterexample{{{"slot", w.p}, {"physical", read}},
                          fmt::format("every element is right, but the padding {} of the result reads outside of the "
                                      "source: {}",
                                      show(w.p), why_no_slot(about.change.reads, read))};
  };
  return inquiry.settle({Kind::Escapes, &about.change.reads, nullptr}, outside);
}

}  // namespace

std::optional<Remapped> Remapped::bind(Offer& offer) {
  const std::string_view* with = offer.argument("with");
  const std::string_view* map = offer.argument("map");
  if (with == nullptr)
    return offer.wrong(
        {}, {ErrorCode::Value, fmt::format("the claim {} needs the source's layout: with = LAYOUT", offer.claim)});
  if (offer.first() == nullptr || offer.second(offer.tensor) == nullptr) return std::nullopt;
  if (offer.family.remap == nullptr)
    return offer.wrong(
        {}, {ErrorCode::Value, fmt::format("layouts of the family {} have no layout changes", offer.family.name)});
  auto made = offer.family.remap(offer.text, *with, offer.tensor, map == nullptr ? "compiler" : *map);
  if (!made && map != nullptr && made.error().code == ErrorCode::Syntax) return offer.wrong("map", made.error());
  if (!made) {
    offer.undecidable = use::Undecidable{"there is no such layout change: " + made.error().message};
    return std::nullopt;
  }
  return Remapped{*offer.keep(std::move(*made))};
}

extern const Claim kRemap = {
    .name = "remap",
    .statement = "a layout change reads every element where it lies in the source, and padding inside of it",
    .witness = "a, physical, other; or slot, physical",
    .keys = {"with map", "LAYOUT", true},
    .decide = commutes,
    .proof = {Part::SamePlaces},
    .lifted = Lifted::WayBack};

}  // namespace vl::claims
