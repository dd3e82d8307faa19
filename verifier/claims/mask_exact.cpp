// mask-exact: a mask overwrites all padding of a tensor that is divided over cores, and no element. The mask is a list
// of boxes of the array P of all cores' shards side by side (encodings/use/shards.h):
//   ∀ P ∈ array: P in some box ⇔ no element lies at P.
//
// `mask` lists the boxes, "53:64, 0:64; 0:53, 63:64": one begin:end per dimension of the array. Or it is the shape of
// tt-mlir's d2m.mask, "9x43x7", which keeps the first rows and columns: with its last two numbers R, C it overwrites P
// where P_{n-2} >= R or P_{n-1} >= C, and other dimensions not at all.
//
// What is kept is cut into disjoint boxes at the begins and ends of the regions; if it is one box, as for a shape, the
// claim is that every element lies in it and that it is full. Example: 53x63 on 3x2 cores whose shards of 18x32 lie in
// tiles of 32x32: the mask 53x63 overwrites row 64 of the array, where element row 36 lies. Aligned 96x64, it is exact.
//
// For all sizes a mask is a shape, whose sizes may have names: "MxN" (session/rule_masks.h).
//
// Source of shapes: tt-mlir's DecomposeMasking.cpp, which reads logical_shape[-2] and logical_shape[-1] alone.
#include <fmt/format.h>

#include <algorithm>

#include "encodings/base/cursor.h"
#include "encodings/use/shards.h"
#include "verifier/claims/claim.h"

namespace vl::claims {
namespace {

using use::Slice;

constexpr Index kMostCells = 4096;
constexpr std::size_t kMostRegions = 1024;

Error unfit(std::string why) { return {ErrorCode::Value, std::move(why), 0}; }

bool is_in(const Slice& inner, const Slice& outer) {
  return std::ranges::equal(inner, outer,
                            [](const auto& a, const auto& b) { return a.begin >= b.begin && a.end <= b.end; });
}

// The cells between the begins and ends of the regions that no region covers, in row-major order; nothing if there are
// too many cells.
std::optional<std::vector<Slice>> kept_cells(const map::Space& array, const std::vector<Slice>& regions) {
  std::vector<std::vector<Index>> cuts;
  Index cells = 1;
  for (std::size_t i = 0; i < array.rank(); ++i) {
    std::vector<Index> at{0, array.extent(i)};
    for (const Slice& region : regions) at.insert(at.end(), {region[i].begin, region[i].end});
    std::ranges::sort(at);
    at.erase(std::unique(at.begin(), at.end()), at.end());
    cells *= static_cast<Index>(at.size()) - 1;
    if (cells > kMostCells) return std::nullopt;
    cuts.push_back(std::move(at));
  }
  std::vector<Slice> out;
  for (Index number = 0; number < cells; ++number) {
    Slice cell(array.rank());
    Index rest = number;
    for (std::size_t i = array.rank(); i-- > 0;) {
      const auto parts = static_cast<Index>(cuts[i].size()) - 1;
      const auto at = static_cast<std::size_t>(rest % parts);
      cell[i] = {cuts[i][at], cuts[i][at + 1]};
      rest /= parts;
    }
    if (std::ranges::none_of(regions, [&](const Slice& region) { return is_in(cell, region); })) out.push_back(cell);
  }
  return out;
}

// The one box that the cells make; nothing if they make none.
std::optional<Slice> joined(const std::vector<Slice>& cells) {
  if (cells.empty()) return std::nullopt;
  const auto volume = [](const Slice& box) {
    Index out = 1;  // a part of the array
    for (const auto& side : box) out *= side.end - side.begin;
    return out;
  };
  Slice all = cells.front();
  Index sum = 0;
  for (const Slice& cell : cells) {
    sum += volume(cell);
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = {std::min(all[i].begin, cell[i].begin), std::max(all[i].end, cell[i].end)};
  }
  return sum == volume(all) ? std::optional(all) : std::nullopt;
}

// The array's elements over one box of it.
Result<map::Layout> part_of(const map::Layout& array, const Slice& box) {
  map::Affine shift;
  std::vector<Index> extents;
  for (std::size_t i = 0; i < box.size(); ++i) {
    shift.rows.push_back({-box[i].begin, {{i, 1}}});
    extents.push_back(box[i].end - box[i].begin);
  }
  auto space = map::Space::create(map::Space::dims("p", extents));
  if (!space) return space.error();
  map::LayoutParts parts = map::parts_in(array, std::move(*space));
  if (std::ranges::any_of(box, [](const auto& side) { return side.begin != 0; })) parts.map.push_back(std::move(shift));
  return map::Layout::create(std::move(parts));
}

// The boxes of d2m.mask's logical shape.
std::vector<Slice> regions_of_shape(const map::Space& array, std::span<const Index> shape) {
  std::vector<Slice> out;
  for (std::size_t from_end = 2; from_end > 0; --from_end) {
    const std::size_t i = array.rank() - from_end;
    Slice region;
    for (const map::Dim& dim : array.dims()) region.push_back({0, dim.extent});
    region[i].begin = shape[shape.size() - from_end];
    if (region[i].begin < region[i].end) out.push_back(std::move(region));
  }
  return out;
}

// "9x43x7" or "[9, 43, 7]".
Result<std::vector<Slice>> read_shape(std::string_view text, const map::Space& array) {
  std::string commas(text);
  std::ranges::replace(commas, 'x', ',');
  Cursor in(commas);
  std::vector<Index> shape;
  if (in.peek() == '[') {
    shape = in.integer_list("the mask's sizes");
  } else {
    do shape.push_back(in.integer("the mask's sizes, as in 9x43x7"));
    while (in.accept(","));
  }
  in.expect_end();
  if (in.failed()) return in.error();
  if (shape.size() < 2 || array.rank() < 2)
    return unfit("expected two sizes or more, of an array of two dimensions or more");
  if (std::ranges::any_of(shape, [](Index size) { return size < 0; })) return unfit("expected sizes of at least 0");
  return regions_of_shape(array, shape);
}

// "53:64, 0:64; 0:53, 63:64", possibly empty.
Result<std::vector<Slice>> read_regions(std::string_view text, const map::Space& array) {
  Cursor in(text);
  std::vector<Slice> out;
  while (!in.failed() && !in.at_end()) {
    Slice region;
    do {
      const std::size_t at = in.offset();
      const Index begin = in.integer("begin:end");
      in.expect(":");
      const Index end = in.integer("the end of the region");
      const std::size_t i = region.size();
      if (i >= array.rank() || begin < 0 || end < begin || end > array.extent(i))
        in.fail(ErrorCode::Value,
                i >= array.rank() ? fmt::format("the array has {} dimensions", array.rank())
                                  : fmt::format("expected a part of 0:{}", array.extent(i)),
                at);
      region.push_back({begin, end});
    } while (!in.failed() && in.accept(","));
    if (!in.failed() && region.size() != array.rank())
      in.fail(fmt::format("expected {} ranges, one per dimension of the array", array.rank()));
    if (!in.at_end()) in.expect(";");
    const bool empty = std::ranges::any_of(region, [](const auto& side) { return side.begin == side.end; });
    if (!empty) out.push_back(std::move(region));
  }
  if (in.failed()) return in.error();
  if (out.size() > kMostRegions) return unfit("expected at most 1,024 regions");
  return out;
}

Counterexample overwritten(const map::Layout& array, const Point& p) {
  const Spot at = spot_of(array, p);
  return {{{"a", at.element}, {"physical", at.slot}},
          fmt::format("the mask overwrites element {}, which lies at {} of the array of all shards", show(at.element),
                      show(at.slot))};
}

Verdict is_exact(const Masked& about, Inquiry& inquiry) {
  const map::Layout& array = about.array;
  if (array.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  const auto lost = [&](const Witness& w) { return overwritten(array, w.p); };
  if (about.kept != nullptr) {
    if (auto no = inquiry.unless_none({Kind::Escapes, about.kept, nullptr}, lost)) return std::move(*no);
  } else {
    for (const Slice& region : about.regions) {
      const auto inside = part_of(array, region);
      if (!inside) return inquiry.out_of_reach(inside.error().message);
      const auto any = [&](const Witness& w) { return overwritten(array, w.p); };
      const auto one = [&](const Witness&) { return about.regions.size() == 1; };
      if (auto no = inquiry.unless_none({Kind::Lands, &*inside, nullptr}, any, one)) return std::move(*no);
    }
  }
  for (const Slice& box : about.boxes) {
    const auto part = part_of(array, box);
    if (!part) return inquiry.out_of_reach(part.error().message);
    const auto kept = [&](const Witness& w) {
      Point at = w.slot;
      for (std::size_t i = 0; i < at.size(); ++i) at[i] += box[i].begin;
      return Counterexample{{{"physical", at}},
                            fmt::format("the mask keeps {} of the array of all shards, which is padding", show(at))};
    };
    const auto one = [&](const Witness&) { return about.boxes.size() == 1; };
    if (auto no = inquiry.unless_none({Kind::Misses, &*part, nullptr}, kept, one)) return std::move(*no);
  }
  return inquiry.conclude();
}

}  // namespace

std::optional<Masked> Masked::bind(Offer& offer) {
  const std::string_view* mask = offer.argument("mask");
  if (mask == nullptr)
    return offer.wrong({}, unfit("the claim mask-exact needs a mask: mask = 9x43x7, or mask = 53:64, 0:64"));
  if (offer.first() == nullptr) return std::nullopt;
  const use::Shards* shards = shards_of(offer);
  if (shards == nullptr) return std::nullopt;
  const map::Layout* array = &shards->array;
  const bool regions = mask->empty() || mask->find(':') != std::string_view::npos;
  auto read = regions ? read_regions(*mask, array->physical()) : read_shape(*mask, array->physical());
  if (!read) return offer.wrong("mask", read.error());
  const auto* masked = offer.keep(std::move(*read));
  auto cells = kept_cells(array->physical(), *masked);
  if (!cells) return offer.wrong("mask", unfit("the regions cut the array into more than 4,096 parts"));
  if (auto whole = joined(*cells)) cells = {std::move(*whole)};
  const auto* boxes = offer.keep(std::move(*cells));
  const map::Layout* kept = nullptr;
  if (boxes->size() == 1) {
    auto one = part_of(*array, boxes->front());
    if (!one) return offer.wrong({}, one.error());
    kept = offer.keep(std::move(*one));
  }
  return Masked{*array, kept, *masked, *boxes};
}

extern const Claim kMaskExact = {.name = "mask-exact",
                                 .statement = "a mask of the array of all shards overwrites all padding and no element",
                                 .witness = "a, physical; or physical",
                                 .keys = {"mask", "9x43x7", true},
                                 .decide = is_exact,
                                 .proof = {Part::InBox, Part::Counted},
                                 .lifted = Lifted::MaskExact};

}  // namespace vl::claims
