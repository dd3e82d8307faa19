// remap: a layout change reads every element where it lies, and nothing outside of the source. With A_result and
// A_source the arrays of all shards side by side (encodings/use/shards.h), and M the map from places of the result to
// places of the source (encodings/use/remap.h):
//   (1) ∀ elements x: M(A_result(x)) = A_source(x)
//   (2) ∀ places P of the result, padding included: M(P) is a place of the source.
// A place is a core and a place in its shard: past the end of a core's shard there is no place, although the array goes
// on there with the next core's.
//
// `with` is the source's layout. `map` is M: the text that a compiler printed, over the device shapes; "compiler", the
// default, for the one that the layout's own compiler makes; "reblock", its map between device shapes of equal volume.
//
// Example: 2x3x5 aligned 1, 32, 1 on one core, remapped to itself by the compiler's map: element [1,0,0] lies at 32 and
// is read at 2, where [0,0,2] lies. From 2x2 cores of 32x32 to one of 64x64 by the identity, element [0,32] is read
// from core [0,0] at [0,32] of its shard, which ends there. Vacuous if there is no element.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "encodings/use/remap.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

// What a layout change reads: a point of the source's array, and where the map has guards, the core of which it reads
// and the place counted from the beginning of that core's shard.
struct Read {
  Point point, core, place;
  bool past = false;  // that place lies past the end of the shard
};

Read read_of(const use::Shards& source, const Point& outputs) {
  const auto rank = static_cast<std::ptrdiff_t>(source.grid.size());
  Read out{Point(outputs.begin(), outputs.begin() + rank), {}, {}};
  const Point guards(outputs.begin() + rank, outputs.end());
  for (std::size_t i = 0; i < guards.size(); ++i) {
    const Index core = floor_div(out.point[i], source.shard[i]) - guards[i];
    out.core.push_back(core);
    out.place.push_back(out.point[i] - core * source.shard[i]);  // both are parts of a value that fits
    out.past = out.past || guards[i] != 0;
  }
  return out;
}

std::string show_past(const Read& read, const use::Shards& source) {
  return fmt::format("from core {} at {} of its shard, which has {} elements", show(read.core), show(read.place),
                     fmt::join(source.shard, "x"));
}

Counterexample misread(const Remapped& about, const Point& element) {
  const use::Shards& source = about.change.source;
  const Read read = read_of(source, map::outputs_at(about.change.moved, element, {}));
  const Point lies = map::outputs_at(source.array, element, {});
  Counterexample out{{{"a", element}, {"physical", read.point}, {"other", lies}},
                     fmt::format("element {} is read at {} of the source's shards, and lies at {}", show(element),
                                 show(read.point), show(lies))};
  if (!read.past) return out;
  Point core, place;
  for (std::size_t i = 0; i < lies.size(); ++i)
    core.push_back(lies[i] / source.shard[i]), place.push_back(lies[i] % source.shard[i]);
  out.fields.emplace_back("core", read.core), out.fields.emplace_back("other_core", core);
  out.explanation = fmt::format("element {} is read {}; it lies in core {} at {}", show(element),
                                show_past(read, source), show(core), show(place));
  return out;
}

Counterexample beyond(const Remapped& about, const Point& slot) {
  const Point outputs = map::outputs_at(about.change.reads, slot, {});
  const Read read = read_of(about.change.source, outputs);
  Counterexample out{{{"slot", slot}, {"physical", read.point}},
                     fmt::format("every element is right, but the padding {} of the result reads outside of the "
                                 "source: {}",
                                 show(slot),
                                 read.past ? "it reads " + show_past(read, about.change.source)
                                           : why_no_slot(about.change.reads, outputs))};
  if (read.past) out.fields.emplace_back("core", read.core);
  return out;
}

Verdict commutes(const Remapped& about, Inquiry& inquiry) {
  const map::Layout &moved = about.change.moved, &source = about.change.source.array;
  if (source.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  const auto wrong = [&](const Witness& w) { return misread(about, w.p); };
  if (auto no = inquiry.unless_none({Kind::Differs, &moved, &source}, wrong)) return std::move(*no);
  const auto outside = [&](const Witness& w) { return beyond(about, w.p); };
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
    .witness = "a, physical, other; or slot, physical; past the end of a core's shard also core, other_core",
    .keys = {"with map", "LAYOUT", true},
    .decide = commutes,
    .proof = {Part::SamePlaces},
    .lifted = Lifted::WayBack};

}  // namespace vl::claims
