// occupied: no core is without work. With c(x) the core of element x,
//   used   ∀ cores c of the grid ∃ element x: c(x) = c
//   full   ∀ slots of all cores' shards: an element has it, so that every core holds as many as its shard has room for
//
// `cores` says which; it is "used" if it is left out. A refutation names the first core of the grid, in row-major
// order, that is empty (used), or that has padding (full): by where it is on the chip, and where that is not known as
// one of the layout's own grid.
//
// A layout in one shard a core is judged by the array of all shards (encodings/use/shards.h). Any other layout over
// named axes, as tt-metal's specs and tiles that go round the cores, by its own places: a core is the coordinates on
// all axes but the memory's, in the order in which the text names its cores. Of an interleaved tensor they are banks.
//
// For all sizes `full` is that every slot holds an element, and `used` is asked of the layout without the memory's
// axis.
//
// Example: 9 rows on 8x1 cores by shards of 2: rows 0..8 use cores 0 to 4, and core [5, 0] is empty. Of those used,
// core [4, 0] has one row of two. Vacuous without elements. Source: tt-mlir and tt-metal round a core's share up, so
// the last cores may be left without (tt-metal's test_tensor_sharding.cpp: 100 rows in shards of 32 need 4 cores).
#include <fmt/format.h>

#include <algorithm>

#include "encodings/use/shards.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

// element -> core, and, where shards are to be full, its place in the core's shard.
Result<map::Layout> cores_of(const use::Shards& shards, bool full) {
  std::vector<Index> extents = shards.grid;
  if (full) extents.insert(extents.end(), shards.shard.begin(), shards.shard.end());
  auto box = map::Space::create(map::Space::dims("c", extents));
  if (!box) return box.error();
  map::LayoutParts parts = map::parts_in(shards.array, std::move(*box));
  map::Affine order;
  for (std::size_t i = shards.grid.size(); i-- > 0;) parts.map.emplace_back(map::Split{i, {shards.shard[i], 1}});
  for (const std::size_t digit : {0U, 1U})
    for (std::size_t i = 0; i < shards.grid.size() && (full || digit == 0); ++i)
      order.rows.push_back(map::pick(2 * i + digit));
  parts.map.emplace_back(std::move(order));
  return map::Layout::create(std::move(parts));
}

// The elements of one core; nothing where they are not known without a walk.
std::optional<Index> held_by(const use::Shards& shards, const Point& core) {
  const auto counts = use::values_in_blocks(shards, shards.shard);
  if (!counts) return std::nullopt;
  Index held = 1;
  for (std::size_t i = 0; i < core.size(); ++i) held *= (*counts)[i][static_cast<std::size_t>(core[i])];
  return held;
}

// element -> core, of a layout over named axes: its places without the memory. Of `full` the layout itself.
Result<map::Layout> cores_of(const map::Layout& layout, std::size_t memory) {
  std::vector<map::Dim> dims;
  map::Affine drop;
  for (std::size_t j = 0; j < layout.physical().rank() + layout.guards(); ++j) {
    if (j == memory) continue;
    if (j < layout.physical().rank()) dims.push_back(layout.physical().dims()[j]);
    drop.rows.push_back(map::pick(j));
  }
  auto box = map::Space::create(std::move(dims));
  if (!box) return box.error();
  map::LayoutParts parts = map::parts_in(layout, std::move(*box));
  parts.map.emplace_back(std::move(drop));
  return map::Layout::create(std::move(parts));
}

Counterexample idle_in_shards(const OnCores& about, const Witness& w) {
  const use::Shards& shards = *about.shards;
  const auto rank = static_cast<std::ptrdiff_t>(shards.grid.size());
  const Point core(w.slot.begin(), w.slot.begin() + rank);
  Point place(w.slot.begin() + rank, w.slot.end());  // in the shard, then in the array
  for (std::size_t i = 0; i < place.size(); ++i) place[i] += core[i] * shards.shard[i];
  const auto held = about.full ? held_by(shards, core) : std::optional<Index>(0);
  const Index room = *checked_product(shards.shard);  // a part of the array
  const auto on_chip = use::core_on_chip(shards, core);
  const std::string name = on_chip ? show(*on_chip) : fmt::format("{} of the layout's own grid", show(core));
  Counterexample out{{{"core", on_chip.value_or(core)}}, fmt::format("core {} holds no element", name)};
  if (held) out.fields.emplace_back("elements", *held);
  if (!about.full) return out;
  out.fields.emplace_back("physical", place);
  if (held != 0)
    out.explanation = fmt::format(
        "core {} holds {} of the {} elements that its shard has room for: {} of the array of "
        "all shards is padding",
        name, held ? fmt::format("{}", *held) : "less than all", room, show(place));
  return out;
}

Counterexample idle_in_places(const OnCores& about, const Witness& w) {
  const map::Space& box = about.places.physical();
  const Point slot = as_named(about.cores, box, w.slot);
  const Point core(slot.begin(), slot.end() - (about.full ? 1 : 0));
  const std::string_view what = box.rank() > 0 && box.dims()[0].name == "bank" ? "bank" : "core";
  if (!about.full)
    return {{{"core", core}, {"elements", Index{0}}}, fmt::format("{} {} holds no element", what, show(core))};
  return {{{"core", core}, {"physical", slot}},
          fmt::format("{} {} has padding: place {} of its memory holds no element", what, show(core), slot.back())};
}

Verdict occupied(const OnCores& about, Inquiry& inquiry) {
  if (about.places.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  const auto idle = [&](const Witness& w) {
    return about.shards != nullptr ? idle_in_shards(about, w) : idle_in_places(about, w);
  };
  return inquiry.settle({Kind::Misses, &about.places, nullptr}, idle);
}

// The layout's own places, where no array of shards is known; nothing where it has no cores, and the offer says so.
std::optional<OnCores> in_own_places(Offer& offer, bool full) {
  const map::Layout& layout = *offer.reading.counted();
  const auto memory = map::memory_axis(layout);
  const auto& dims = layout.physical().dims();
  const bool cores = std::ranges::any_of(dims, [](const map::Dim& dim) { return dim.unit == map::Unit::Core; });
  if (!layout.named_axes() || !memory || *memory + 1 != dims.size() || !cores)
    return offer.wrong({},
                       {ErrorCode::Value, fmt::format("layouts of the family {} lie on no cores", offer.family.name)});
  const use::NamedCores* named = offer.reading.named_cores ? &*offer.reading.named_cores : nullptr;
  if (full) return OnCores{layout, nullptr, true, named};
  auto places = cores_of(layout, *memory);
  if (!places) return offer.wrong({}, places.error());
  return OnCores{*offer.keep(std::move(*places)), nullptr, false, named};
}

}  // namespace

std::optional<OnCores> OnCores::bind(Offer& offer) {
  const std::string_view* cores = offer.argument("cores");
  if (cores != nullptr && *cores != "used" && *cores != "full")
    return offer.wrong("cores",
                       {ErrorCode::Value, "expected used, where no core is empty, or full, where none has padding"});
  if (offer.first() == nullptr) return std::nullopt;
  const bool full = cores != nullptr && *cores == "full";
  if (offer.family.shards == nullptr || offer.reading.in_turn) return in_own_places(offer, full);
  const use::Shards* shards = shards_of(offer);
  if (shards == nullptr) return std::nullopt;
  auto places = cores_of(*shards, full);
  if (!places) return offer.wrong({}, places.error());
  return OnCores{*offer.keep(std::move(*places)), shards, full};
}

extern const Claim kOccupied = {.name = "occupied",
                                .statement = "no core is empty (used), or no core has padding (full)",
                                .witness = "core, elements; of full also physical",
                                .keys = {"cores", "used", true},
                                .decide = occupied,
                                .proof = {Part::Counted},
                                .lifted = Lifted::Occupied,
                                .of_slots = true};

}  // namespace vl::claims
