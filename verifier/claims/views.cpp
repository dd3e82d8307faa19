// Views (encodings/use/view.h): memory of a device that is seen as another tensor.
//
// view-in-bounds: ∀ slots s of the result, padding included: m(s) is a slot of the source, each coordinate in its own
// range. Joined numbers are not enough: with core·2048 + offset a shift by one place maps the last place of core 0 to
// the first of core 1, which is in range, and the device reads the next byte of core 0. With over_read=elements it is
// the slots of the result's elements alone: what fills padding may be read from anywhere.
//
// view-elements: with A_result and A_source the layouts of the two sides,
//   (1) ∀ elements x of the result: m(A_result(x)) = A_source(y) for some element y of the source
//   (2) each x has another y: what shows one element twice is a broadcast, and has to be stated as one.
// Vacuous if the result has no element.
//
// `with` is the source's type, `map` the map's text. Example: tensor<1x1x64x96xf32, #a> seen as tensor<2x3x32x32xf32,
// #b> by the identity reads core [0,1] for slot [0,1,0,0], and there is none. 64x50 seen as 64x64: element [0,50] is
// read from padding.
//
// Source of the map's direction: tt-mlir at 19c86fca, include/ttmlir/AffineMapUtils.h, calculateReblockMap.
#include <fmt/format.h>

#include "encodings/use/view.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

Verdict stays_inside(const Viewed& about, Inquiry& inquiry) {
  if (about.elements && !about.view.elements) return inquiry.out_of_reach(about.view.no_elements);
  const map::Layout& reads = about.reads();
  const char* what = about.elements ? "element" : "slot";
  if (reads.domain().volume() == 0) return inquiry.vacuous(fmt::format("the result has no {}", what));
  const auto outside = [&](const Witness& w) {
    const Point read = map::outputs_at(reads, w.p, {});
    return Counterexample{{{about.elements ? "a" : "slot", w.p}, {"physical", read}},
                          fmt::format("{} {} of the result is read from {}, outside of the source: {}", what, show(w.p),
                                      show(read), why_no_slot(reads, read))};
  };
  return inquiry.settle({Kind::Escapes, &reads, nullptr}, outside);
}

Counterexample of_no_element(const use::View& view, const Point& element) {
  const Spot spot = spot_of(view.elements->places, element);
  const bool outside = !view.elements->places.is_slot(spot.outputs);
  return {{{"a", element}, {"physical", spot.slot}},
          fmt::format("element {} of the result is read from {} of the source's shards, {}", show(element),
                      show(spot.slot), outside ? "where no memory is" : "which is padding")};
}

Verdict shows_elements(const Viewed& about, Inquiry& inquiry) {
  if (!about.view.elements) return inquiry.out_of_reach(about.view.no_elements);
  const use::View::Elements& seen = *about.view.elements;
  if (seen.elements.domain().volume() == 0) return inquiry.vacuous("the result has no element");
  const auto padding = [&](const Witness& w) { return of_no_element(about.view, w.p); };
  for (const map::Layout* layout : {&seen.places, &seen.elements})
    if (auto no = inquiry.unless_none({Kind::Escapes, layout, nullptr}, padding)) return std::move(*no);
  if (auto no = inquiry.unless_none({Kind::Differs, &seen.places, &seen.again}, padding)) return std::move(*no);
  const auto twice = [&](const Witness& w) {
    const Point y = map::outputs_at(seen.elements, w.p, {});
    return Counterexample{{{"a", w.p}, {"b", w.q}, {"physical", y}},
                          fmt::format("elements {} and {} of the result are both element {} of the source", show(w.p),
                                      show(w.q), show(y))};
  };
  return inquiry.settle({Kind::Collides, &seen.elements, nullptr}, twice);
}

}  // namespace

const map::Layout& Viewed::reads() const { return elements ? view.elements->places : view.reads; }

std::optional<Viewed> Viewed::bind(Offer& offer) {
  const std::string_view *with = offer.argument("with"), *map = offer.argument("map");
  if (with == nullptr || map == nullptr)
    return offer.wrong(
        {}, {ErrorCode::Value,
             fmt::format("the claim {} needs the source's type and the map: with = TYPE, map = MAP", offer.claim), 0});
  const std::string_view* over_read = offer.argument("over_read");
  if (over_read != nullptr && *over_read != "slots" && *over_read != "elements")
    return offer.wrong("over_read", {ErrorCode::Value, "expected slots or elements", 0});
  if (offer.family.view == nullptr)
    return offer.wrong({},
                       {ErrorCode::Value, fmt::format("layouts of the family {} have no views", offer.family.name), 0});
  auto made = offer.family.view(offer.text, *with, *map);
  if (!made && made.error().code == ErrorCode::Syntax) return offer.wrong("map", made.error());
  if (!made) {
    offer.undecidable = use::Undecidable{"there is no such view: " + made.error().message};
    return std::nullopt;
  }
  const bool elements = over_read != nullptr && *over_read == "elements";
  if (elements && !made->elements) {
    offer.undecidable = use::Undecidable{"its elements are not known: " + made->no_elements};
    return std::nullopt;
  }
  return Viewed{*offer.keep(std::move(*made)), elements};
}

extern const Claim kViewInBounds = {.name = "view-in-bounds",
                                    .statement = "a view reads every slot of its result from a slot of the source",
                                    .witness = "slot, physical; with over_read=elements a, physical",
                                    .keys = {"with map over_read", "TYPE", true},
                                    .decide = stays_inside,
                                    .proof = {Part::InBox}};

extern const Claim kViewElements = {
    .name = "view-elements",
    .statement = "a view shows elements of the source for those of its result, each another one",
    .witness = "a, physical; or a, b, physical",
    .keys = {"with map", "TYPE", true},
    .decide = shows_elements,
    .proof = {Part::InBox, Part::SamePlaces, Part::OperandsApart}};

}  // namespace vl::claims
