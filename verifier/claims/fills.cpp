// fills: loads of tensor maps fill the padding of a layout L that they meet, all of it and nothing else. A load writes
// every place of its box (use/tile_moves.h): with an element of the tensor, or with its fill where a coordinate lies
// outside of the tensor. Of each place that some box writes, in shared memory after the swizzle:
//   an element of L lies there   no box fills it
//   it is padding of L           boxes fill it, and none moves an element there
// With `value`, zero, nan or any state of codes (values/state.h), the fill is one of these. Zero
// fills are the code 0. No document has the bits of the other fill, a NaN of the map's type: where that is the
// tensor's, it has the state if every NaN has.
//
// L counts from `base` as in carries. Places beyond the box of L's slots are neither elements nor padding; a note
// counts those that are filled, and the padding that no box meets, which stays as it was. A store fills nothing.
// Vacuous if nothing is filled, and no padding is met.
//
// Every place is looked at. Example: S[(64,50):(64,1)] and a box of 64 x 64 of f16[64,50], from column 0: 63 rows of 14
// slots are filled padding; the last row's 14 lie beyond the layout, whose last slot is 63·64 + 49.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/words.h"
#include "encodings/values/state.h"
#include "verifier/claims/frame.h"

namespace vl::claims {
namespace {

constexpr Index kMostPlaces = Index{1} << 22;  // of boxes, and elements of the layout

// A place that an element has, or that a box writes.
struct Placed {
  Index place = 0;
  Index element = 0;  // row-major
};
struct Written {
  Index place = 0;
  bool filled = false;
};

std::vector<Placed> elements_of(const FilledTiles& about, Index base) {
  const map::Layout& layout = about.carried.layout;
  std::vector<Placed> out;
  Point x(layout.domain().rank(), 0);
  for (Index k = 0; k < layout.domain().volume(); ++k, map::advance(layout.domain(), x)) {
    const Spot at = spot_of(layout, x);
    if (layout.is_slot(at.outputs)) out.push_back({base + layout.physical().linear(at.slot), k});
  }
  std::ranges::sort(out, {}, [](const Placed& each) { return std::pair(each.place, each.element); });
  return out;
}

std::vector<Written> written_by(const use::TileMoves& tiles) {
  std::vector<Written> out;
  for (const use::TileBox& box : tiles.boxes) {
    Index count = 1;
    for (const Index extent : box.extents) count *= extent;
    Point t(box.extents.size(), 0);
    for (Index k = 0; k < count; ++k) {
      Index place = box.shared.offset;
      bool filled = false;
      for (std::size_t i = 0; i < t.size(); ++i) {
        place += t[i] * box.shared.strides[i];
        filled = filled || t[i] < box.low[i] || t[i] >= box.high[i];
      }
      out.push_back({use::swizzled(tiles, place), filled});
      for (std::size_t i = t.size(); i-- > 0; t[i] = 0)
        if (++t[i] < box.extents[i]) break;
    }
  }
  std::ranges::sort(out, {}, [](const Written& each) { return std::pair(each.place, each.filled); });
  return out;
}

// What the places are, each once.
struct Seen {
  std::optional<Counterexample> wrong;  // of the smallest byte
  Index wrongs = 0, filled = 0, beyond = 0, met = 0;
  Index first_fill = -1;  // the first place of padding that is filled
};

Counterexample shown(const FilledTiles& about, Index place, const Placed* element, bool moved) {
  const Index byte = place * (about.carried.tiles.bits / 8);
  if (element == nullptr)
    return {{{"byte", byte}, {"why", "padding is not filled"}},
            fmt::format("byte {} is padding of the layout, and a box writes an element of the tensor there", byte)};
  const Point x = about.carried.layout.logical().point(element->element);
  return {{{"byte", byte}, {"why", "an element lies there"}, {"a", x}},
          fmt::format("byte {} is element {}'s, and {} fills it", byte, show(x), moved ? "another box" : "a box")};
}

Seen look(const FilledTiles& about, const std::vector<Placed>& elements, const std::vector<Written>& written,
          Index base) {
  Seen out;
  const Index end = base + about.carried.layout.physical().volume();
  auto element = elements.begin();
  for (auto at = written.begin(); at != written.end();) {
    const Index place = at->place;
    const bool moved = !at->filled;
    for (; at != written.end() && at->place == place && !at->filled;) ++at;
    const bool filled = at != written.end() && at->place == place;
    while (at != written.end() && at->place == place) ++at;
    while (element != elements.end() && element->place < place) ++element;
    const bool taken = element != elements.end() && element->place == place;
    const bool padding = !taken && place >= base && place < end;
    if (padding) ++out.met;
    if (filled && !taken) ++(padding ? out.filled : out.beyond);
    if (filled && padding && out.first_fill < 0) out.first_fill = place;
    if (!(taken && filled) && !(padding && moved)) continue;
    if (out.wrongs++ == 0) out.wrong = shown(about, place, taken ? &*element : nullptr, moved);
  }
  return out;
}

// Whether the fill has the state; nothing: no document tells.
std::optional<bool> has_state(const FilledTiles& about) {
  if (about.carried.tiles.fill == "zero") return about.codes.contains(0);
  const values::CodeSet nans = values::nans(*about.format);
  if (about.carried.tiles.type != about.format->name || nans.empty()) return std::nullopt;
  if (nans.is_subset_of(about.codes)) return true;
  return nans.intersected(about.codes).empty() ? std::optional(false) : std::nullopt;
}

std::string note_of(const FilledTiles& about, const Seen& seen, Index padding) {
  std::string out = fmt::format("{} of padding {} filled with {}", plural(seen.filled, "slot"),
                                seen.filled == 1 ? "is" : "are", about.carried.tiles.fill == "zero" ? "zero" : "NaN");
  if (padding > seen.met)
    out += fmt::format("; {} of padding, which no box writes, {} as before", plural(padding - seen.met, "slot"),
                       padding - seen.met == 1 ? "is" : "are");
  if (seen.beyond > 0) out += fmt::format("; {} beyond the layout, too", plural(seen.beyond, "place"));
  return out;
}

Verdict decide_fills(const FilledTiles& about, Inquiry& inquiry) {
  const auto& [layout, tiles, from] = about.carried;
  if (!tiles.unknown.empty()) return unsupported(tiles.unknown);
  if (auto why = not_in_one_memory(layout); !why.empty()) return unsupported(std::move(why));
  Index places = layout.domain().volume();
  for (const use::TileBox& box : tiles.boxes) {
    Index count = 1;
    for (const Index extent : box.extents) count = std::min(count * extent, kMostPlaces + 1);
    places = std::min(places, kMostPlaces) + count;
  }
  if (places > kMostPlaces) return inquiry.out_of_reach("more than 2^22 elements and places of boxes");
  const Index base = from * 8 / tiles.bits;
  if (layout.physical().volume() > Index{1} << 56) return inquiry.out_of_reach("places beyond 2^56 elements");
  const auto elements = elements_of(about, base);
  Seen seen = look(about, elements, written_by(tiles), base);
  if (seen.wrong) {
    seen.wrong->fields.emplace_back("wrong", seen.wrongs), seen.wrong->minimal = true;
    return inquiry.refuted(std::move(*seen.wrong));
  }
  if (seen.met == 0 && seen.beyond == 0) return inquiry.vacuous("nothing is filled, and no padding is met");
  if (about.format != nullptr && seen.filled > 0) {
    const auto has = has_state(about);
    if (!has) return inquiry.out_of_reach("no document has the bits of the NaN that is filled in");
    if (!*has)
      return inquiry.refuted({{{"byte", seen.first_fill * (tiles.bits / 8)},
                               {"why", "another value"},
                               {"fill", tiles.fill},
                               {"want", about.value}},
                              fmt::format("padding is filled with {}, and should be {}", tiles.fill, about.value),
                              true});
  }
  Index taken = 0;
  for (std::size_t k = 0; k < elements.size(); ++k)
    if (k == 0 || elements[k].place != elements[k - 1].place) ++taken;
  Verdict out = inquiry.proved();
  std::get<Proved>(out).note = note_of(about, seen, layout.physical().volume() - taken);
  return out;
}

}  // namespace

std::optional<use::Rule> fill_rule(const FilledTiles& about) {
  const auto has = about.format == nullptr ? std::nullopt : has_state(about);
  return has ? std::optional(use::Rule{"the fill is " + about.value, *has ? 1 : 0, 1}) : std::nullopt;
}

std::optional<FilledTiles> FilledTiles::bind(Offer& offer) {
  auto carried = Carried::bind(offer);
  if (!carried) return std::nullopt;
  if (carried->tiles.unknown.empty() && carried->tiles.moves.direction != use::Direction::HostToDevice)
    return offer.wrong("transfer", {ErrorCode::Value, "a store fills nothing; expected loads", 0});
  FilledTiles out{*carried, {}, nullptr, {}};
  const std::string_view* value = offer.argument("value");
  if (value == nullptr || *value == "any") return out;
  out.format = values::find_element_format(map::name(offer.tensor.type));
  if (out.format == nullptr)
    return offer.wrong(
        "value",
        {ErrorCode::Value,
         fmt::format("no codes of elements of {} are known; expected no value, or any", map::print(offer.tensor)), 0});
  const std::string_view state = *value == "zero" ? "0" : *value == "nan" ? "NaN" : *value;
  auto codes = values::parse_state(state, *out.format, nullptr);
  if (!codes) return offer.wrong("value", codes.error());
  out.codes = std::move(*codes), out.value = std::string(*value);
  return out;
}

extern const Claim kFills = {.name = "fills",
                             .statement = "loads of tensor maps fill the padding that they meet, and nothing else",
                             .witness = "byte, why, wrong; of an element also a; or byte, why, fill, want",
                             .keys = {"value base", "zero", true},
                             .decide = decide_fills,
                             .proof = {Part::Stated},
                             .needs_tensor = true};

}  // namespace vl::claims
