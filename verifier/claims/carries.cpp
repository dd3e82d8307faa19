// carries: tensor maps carry a tensor between its memory and the places of a layout L in shared memory, every element
// once: the moves of all boxes (use/tile_moves.h) are exactly { (host offset of x, L(x)) : x }.
//
// A swizzle σ acts on the absolute address of a byte, so place a of a box goes to σ(a). σ is its own inverse, hence
// σ(a) = L(x) iff a = σ(L(x)): asked is whether the boxes without their swizzle are the transfer of the layout σ ∘ L,
// which is the claim implements. L counts from `base`, the address in bytes of its place 0; where nothing is said it is
// the lowest address of the transfers, and a note says so.
//
// What boxes fill or leave untouched is no part of it. Vacuous if the tensor has no element and nothing is moved.
//
// Example: f16[64,64], ComposeLayout(3,3,3,S[(64,64):(64,1)]), one box of 64 x 64 with swizzle 128B at (0,0): proved to
// address 0; to address 128 element [0,0] goes to byte 144 = 128 ^ 16.
#include <fmt/format.h>

#include <algorithm>

#include "verifier/claims/frame.h"
#include "verifier/claims/transfers.h"

namespace vl::claims {
namespace {

constexpr Index kMostLookedAt = Index{1} << 16;  // that are looked at for the smallest counterexample

// Why the claim says nothing of such a layout; empty: it does.
std::string why_not_carried(const Carried& about) {
  return about.tiles.unknown.empty() ? not_in_one_memory(about.layout) : about.tiles.unknown;
}

// Whether the layout ends in the tiles' one swizzle σ, and its base b is whole periods of it. Then σ(b + σ(x)) = b + x,
// as σ changes bits below its period alone, and is its own inverse.
bool takes_back(const use::TileMoves& tiles, const OnAxes& on) {
  if (tiles.swizzles.size() != 1 || on.guards != 0 || on.rows.size() != 1 || on.stages.empty()) return false;
  const map::Swizzle& one = tiles.swizzles.front();
  const auto* own = std::get_if<map::Swizzle>(&on.stages.back());
  const int period = one.base + one.bits + one.shift;
  return own != nullptr && *own == one && period < 62 &&
         on.rows.front().terms == std::vector{map::Term{one.input, 1}} &&
         on.rows.front().constant % (Index{1} << period) == 0;
}

// σ ∘ L over the same elements, in a box of every place.
Result<map::Layout> straightened(const Carried& about) {
  OnAxes on = in_memory(about.layout, about.base * 8 / about.tiles.bits);
  const bool straight = takes_back(about.tiles, on);
  if (straight) on.stages.pop_back();
  on.stages.emplace_back(map::Affine{std::move(on.rows)});
  if (!straight) on.stages.insert(on.stages.end(), about.tiles.swizzles.rbegin(), about.tiles.swizzles.rend());
  const auto outputs = map::Map::create(about.layout.domain(), on.stages);
  if (!outputs) return outputs.error();
  const auto end = checked_add(outputs->ranges(on.stages.size())[0].high, 1);
  if (!end) return Error{ErrorCode::Overflow, "a place beyond 64 bits", 0};
  auto space = map::Space::create({{std::string(map::kMemoryAxis), std::max<Index>(*end, 1), map::Unit::Element}});
  if (!space) return space.error();
  map::LayoutParts out = map::parts_in(about.layout, std::move(*space));
  out.map = std::move(on.stages), out.guards = on.guards;
  return map::Layout::create(std::move(out));
}

struct Carrying {
  const Carried& about;
  const map::Layout& straight;
  const Ends& ends;
  use::Transfer read;  // the moves that write the host's offsets

  [[nodiscard]] const use::Memory& host() const { return loads() ? ends.source : ends.destination; }
  [[nodiscard]] bool loads() const { return about.tiles.moves.direction == use::Direction::HostToDevice; }
  [[nodiscard]] Index byte_of(Index place) const { return use::swizzled(about.tiles, place) * (about.tiles.bits / 8); }
  [[nodiscard]] const use::Walk& shared(const use::Nest& nest) const {
    return use::device_of(nest, about.tiles.moves.direction);
  }

  // Element x: the byte that it has and the bytes to and from which it is carried; nothing if these are one.
  [[nodiscard]] std::optional<Counterexample> of_element(const Point& x) const {
    Point p = x;
    p.resize(straight.domain().rank(), 0);  // replicas, of which there is one
    const Spot at = spot_of(straight, p);
    if (!straight.is_slot(at.outputs)) return missing(straight, p);
    const Index offset = host().base + host().layout.physical().linear(spot_of(host().layout, x).slot);
    const auto writers = question::writers_of(read, offset);
    if (!writers) return std::nullopt;
    const Index want = byte_of(at.slot[0]);
    std::vector<Index> bytes;
    for (const Point& move : writers->moves) {
      const use::Nest& nest = read.nests[static_cast<std::size_t>(move[0])];
      const auto place = question::offset_at(nest.source, std::span(move).subspan(1));
      if (place && *place >= 0) bytes.push_back(byte_of(*place));
    }
    if (writers->count == 1 && bytes == std::vector{want}) return std::nullopt;
    Counterexample out{{{"a", at.element}}, {}, true};
    if (writers->count == 0) {
      out.fields.emplace_back("want", want);
      out.explanation = fmt::format("no box carries element {}, whose byte is {}", show(at.element), want);
      return out;
    }
    const auto other = std::ranges::find_if(bytes, [&](Index byte) { return byte != want; });
    const Index byte = other == bytes.end() ? want : *other;
    out.fields.emplace_back("byte", byte), out.fields.emplace_back("want", want);
    if (writers->count > 1) out.fields.emplace_back("times", writers->count);
    out.explanation = fmt::format(
        "element {} is carried {}{} byte {}, and the layout has it at byte {}", show(at.element),
        writers->count > 1 ? fmt::format("{} times, once ", writers->count) : "", loads() ? "to" : "from", byte, want);
    return out;
  }

  // A move of no element: the bytes between which it goes.
  [[nodiscard]] Counterexample of_move(const Point& move) const {
    const use::Nest& nest = about.tiles.moves.nests[static_cast<std::size_t>(move[0])];
    const auto iteration = std::span(move).subspan(1);
    const auto host_at = question::offset_at(loads() ? nest.source : nest.destination, iteration);
    const auto shared_at = question::offset_at(shared(nest), iteration);
    VL_CHECK(host_at && shared_at && *shared_at >= 0, "a move's offsets leave 64 bits");
    const Index tensor = *host_at * (about.tiles.bits / 8), byte = byte_of(*shared_at);
    return {
        {{"transfer", move[0]}, {"t", Point(iteration.begin(), iteration.end())}, {"tensor", tensor}, {"byte", byte}},
        fmt::format("transfer {}, t {}: byte {} of the tensor's memory, which is carried {} byte {}, is no element's",
                    move[0], show(iteration), tensor, loads() ? "to" : "from", byte)};
  }

  // The smallest element that is carried wrongly, else what the engine has found. `least`: it is the smallest.
  [[nodiscard]] Counterexample shown(const question::Witness& found, bool& least) const {
    const map::Space& elements = straight.logical();
    Point x(elements.rank(), 0);
    for (Index k = 0; k < std::min(elements.volume(), kMostLookedAt); ++k, map::advance(elements, x))
      if (auto wrong = of_element(x)) return least = true, std::move(*wrong);
    if (!found.p.empty()) return of_move(found.p);
    Point last(found.q.begin(), found.q.begin() + static_cast<std::ptrdiff_t>(elements.rank()));
    auto wrong = of_element(last);
    VL_CHECK(wrong.has_value(), "a replayed witness shows nothing");
    return std::move(*wrong);
  }
};

Verdict carries(const Carried& about, Inquiry& inquiry) {
  if (std::string why = why_not_carried(about); !why.empty()) return unsupported(std::move(why));
  if (about.layout.domain().volume() == 0 && moves_nothing(about.tiles.moves))
    return inquiry.vacuous("the tensor has no element, and the transfers move nothing");
  const auto straight = straightened(about);
  if (!straight) return inquiry.out_of_reach(straight.error().message);
  if (straight->physical().volume() > Index{1} << 56) return inquiry.out_of_reach("places beyond 2^56 elements");
  const Transferred nests{*straight, about.tiles.moves, nullptr};
  const auto ends = ends_of(nests);
  if (!ends) return inquiry.out_of_reach(ends.error().message);
  const bool load = about.tiles.moves.direction == use::Direction::HostToDevice;
  const Carrying carrying{about, *straight, *ends, load ? use::reversed(about.tiles.moves) : about.tiles.moves};
  bool least = false;
  Verdict out = inquiry.settle({Kind::Differs, &about.tiles.moves, &ends->source, &ends->destination},
                               [&](const question::Witness& w) { return carrying.shown(w, least); });
  if (auto* refuted = std::get_if<question::Refuted>(&out); refuted != nullptr && least)
    refuted->counterexample.minimal = true;
  return out;
}

}  // namespace

std::optional<map::Layout> unswizzled(const Carried& about) {
  if (!why_not_carried(about).empty()) return std::nullopt;
  auto made = straightened(about);
  return made ? std::optional(std::move(*made)) : std::nullopt;
}

std::optional<Carried> Carried::bind(Offer& offer) {
  const use::TileMoves* tiles = offer.take(offer.read_tiles());
  const map::Layout* layout = offer.first();
  if (tiles == nullptr || layout == nullptr) return std::nullopt;
  const bool said = offer.argument("base") != nullptr;
  const auto base = said ? offer.integer("base", "the address of the layout's place 0") : std::optional(tiles->lowest);
  if (!base) return std::nullopt;
  if (!said && *base != 0)
    offer.notes.push_back(fmt::format(
        "the layout begins at byte {}, the lowest address of the transfers; the key 'base' states another", *base));
  if (!tiles->unknown.empty()) return Carried{*layout, *tiles, 0};
  if (tiles->bits != map::bits(offer.tensor.type))
    return offer.wrong("transfer", {ErrorCode::Value,
                                    fmt::format("the transfer's elements have {} bits, and those of {} have {}",
                                                tiles->bits, map::print(offer.tensor), map::bits(offer.tensor.type)),
                                    0});
  if (*base < 0 || *base >= Index{1} << 32 || *base * 8 % tiles->bits != 0)
    return offer.wrong("base", {ErrorCode::Value, "expected an address of a whole element, from 0 to 2^32 - 1", 0});
  return Carried{*layout, *tiles, *base};
}

extern const Claim kCarries = {.name = "carries",
                               .statement = "tensor maps carry every element between the tensor and its place, once",
                               .witness = "a, byte, want; or a, want; or transfer, t, tensor, byte",
                               .keys = {"base"},
                               .decide = carries,
                               .proof = {Part::Implemented},
                               .needs_tensor = true};

}  // namespace vl::claims
