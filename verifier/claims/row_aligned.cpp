// row-aligned: every row begins at a multiple of `bytes`, and so does the first one, where the buffer itself begins at
// one. A row is the elements along the last logical dimension; it begins where its first element lies. With B the bits
// of an element,
//   ∀ (x, r) with x's last coordinate 0: 8 · bytes divides place(x, r) · B,
// that is, g = 8 · bytes / gcd(8 · bytes, B) divides place(x, r).
//
// A place is a slot's row-major number; of layouts over named axes it is the coordinate on m, in whichever core or
// thread, inside the box or not. An element without a slot has no place (in-bounds says so). The claim is that two
// layouts of the first elements do not differ: their places, and g times the places' quotients by g. Vacuous if there
// is no element, or if no row begins in a slot.
//
// Unsupported where an element has no size in bits, where named axes have no m, and where memory has more than the
// slots or pages go round banks: then a place is no address.
//
// Example: S[(8,60):(60,1)] of f16 and 16 bytes: g = 8, and row [1, 0] begins at place 60, byte 120 = 7 · 16 + 8.
#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "encodings/base/words.h"
#include "verifier/claims/frame.h"

namespace vl::claims {
namespace {

struct RowStarts {
  map::Layout places;
  map::Layout rounded;  // down to multiples
};

// Places over the first elements of the rows, replicas counted among them, for multiples of `step` places.
Result<RowStarts> row_starts(const map::Layout& layout, Index step) {
  std::vector<map::Dim> dims = layout.domain().dims();
  if (const std::size_t rank = layout.logical().rank(); rank > 0) dims[rank - 1].extent = 1;
  auto starts = map::Space::create(std::move(dims));
  if (!starts) return starts.error();
  const OnAxes on = layout.named_axes() ? on_axes(layout, {std::string(map::kMemoryAxis)}, 0) : in_memory(layout, 0);
  OnAxes down{on.parts, on.stages, {map::Row{0, {{0, step}}}}, on.guards};
  down.stages.emplace_back(map::Affine{on.rows});
  down.stages.emplace_back(map::Split{0, {step, 1}});
  for (std::size_t g = 0; g < on.guards; ++g) down.rows.push_back(map::pick(2 + g));  // behind quotient and remainder
  auto places = within(layout, on, on.parts, *starts);
  auto rounded = within(layout, down, down.parts, *starts);
  for (const auto* made : {&places, &rounded})
    if (!*made) return made->error();
  if (!layout.named_axes()) return RowStarts{std::move(*places), std::move(*rounded)};
  auto framed = frame(*places, *rounded);
  if (!framed) return framed.error();
  return RowStarts{std::move(framed->a), std::move(framed->b)};
}

Counterexample begins_between(const RowsOfBytes& about, const Point& p) {
  const map::Layout& layout = about.layout;
  const Spot spot = spot_of(layout, p);
  const auto axis = map::memory_axis(layout);
  const Index place = layout.named_axes() ? spot.outputs[*axis] : layout.physical().linear(spot.slot);
  const __int128 bits = static_cast<__int128>(place) * about.element_bits,
                 unit = static_cast<__int128>(about.bytes) * 8;
  const auto past = static_cast<long long>((bits % unit + unit) % unit);  // below 2^63: bytes is at most 2^59
  Counterexample out{{{"a", spot.element}, {"physical", spot.slot}}, {}};
  const __int128 byte = bits / 8;
  const bool whole = bits % 8 == 0 && past % 8 == 0;
  if (whole && byte <= std::numeric_limits<Index>::max() && byte >= std::numeric_limits<Index>::min())
    out.fields.emplace_back("byte", static_cast<Index>(byte));
  out.explanation =
      fmt::format("the row of element {} begins at place {}, {} past a multiple of {}", show(spot.element), place,
                  whole ? plural(past / 8, "byte") : plural(past, "bit"), plural(about.bytes, "byte"));
  return out;
}

Verdict row_aligned(const RowsOfBytes& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  if (layout.physical().volume() == 0) return inquiry.vacuous("no element has a slot");
  if (about.element_bits <= 0) return unsupported("the layout does not say how many bits a device element has");
  if (!about.unsized.empty()) return unsupported(std::string(about.unsized));
  if (!about.spread.empty()) return unsupported(std::string(about.spread));
  if (layout.named_axes() && !map::memory_axis(layout)) return unsupported("the layout has no memory, only other axes");
  const Index unit = about.bytes * 8;
  const Index step = unit / std::gcd(unit, Index{about.element_bits});
  if (step == 1) return inquiry.proved();
  const auto starts = row_starts(layout, step);
  if (!starts) return inquiry.out_of_reach(starts.error().message);
  const auto between = [&](const Witness& w) { return begins_between(about, w.p); };
  if (auto no = inquiry.unless_none({Kind::Differs, &starts->places, &starts->rounded}, between)) return std::move(*no);
  if (auto empty = inquiry.unless_lands(starts->places, "no row begins in a slot")) return std::move(*empty);
  return inquiry.conclude();
}

}  // namespace

std::optional<Index> row_alignment_of(Offer& offer) {
  constexpr Index kMost = Index{1} << 59;
  if (offer.argument("bytes") == nullptr)
    return offer.wrong({}, {ErrorCode::Value, "the claim row-aligned needs an alignment in bytes: row-aligned=16"});
  const auto bytes = offer.integer("bytes", "an alignment in bytes");
  if (bytes && (*bytes < 1 || *bytes > kMost))
    return offer.wrong("bytes", {ErrorCode::Value, "expected an alignment of 1 to 2^59 bytes"});
  return bytes;
}

std::optional<RowsOfBytes> RowsOfBytes::bind(Offer& offer) {
  const auto bytes = row_alignment_of(offer);
  const map::Layout* layout = offer.first();
  if (!bytes || layout == nullptr) return std::nullopt;
  return RowsOfBytes{*layout, offer.reading.device_bits, *bytes, offer.reading.unsized, offer.reading.spread};
}

extern const Claim kRowAligned = {
    .name = "row-aligned",
    .statement = "every row, along the last dimension, begins at a multiple of `bytes`, in a buffer that begins at one",
    .witness = "a, physical, byte",
    .keys = {"bytes", "16", true},
    .decide = row_aligned,
    .proof = {Part::RowStarts},
    .lifted = Lifted::RowAligned,
    .needs_tensor = true};

}  // namespace vl::claims
