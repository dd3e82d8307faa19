// aligned: hardware swizzles the bits of absolute addresses; a layout swizzles addresses that count from the buffer's
// start. Let σ be the layout's swizzle, P = 2^(M+B+S) its period, and `base` in bytes. The two agree for every possible
// start of the buffer:
//   ∀ starts s (elements, a multiple of base), ∀ (x, r) with address m before the swizzle: σ(s + m) = s + σ(m).
//
// s and s + P give the same answer. If base is a multiple of P elements, every s is like 0, and start `base` decides
// for all. Else the starts base, 2·base, … below their common period are asked one after the other, smallest first,
// each as "two layouts are the same map". If base is not a whole number of elements, only multiples of lcm(base, one
// element) are element addresses; these starts are asked. With elements of 2^k bits the lcm is an odd number of
// elements, never a multiple of P. With other elements, if all asked starts agree, the remaining starts leave the claim
// undecided.
//
// Without a swizzle it is vacuous: it then says nothing of the places, also not that rows are aligned (row-aligned
// does). Example: (3,3,3) on f16: P = 512 elements, 1024 bytes; base 128 bytes is refuted at
// start 64: element 0 has address 0, absolute 64, which the hardware sends to 72.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "verifier/claims/frame.h"

namespace vl::claims {
namespace {

constexpr Index kMostStarts = 4096;
constexpr Index kMostFormalStarts =
    64;  // beyond, all engines are asked only about starts that the closed form does not clear

// The layout behind a start: s + σ(m), or σ(s + m), over elements and replicas.
Result<map::Layout> started_at(const map::Layout& layout, Index start, bool absolute) {
  map::LayoutParts parts = map::parts_in(layout, layout.physical());
  parts.logical = layout.domain();
  parts.replicas = {};
  parts.host_offset = {};
  const std::size_t axis = std::get<map::Swizzle>(parts.map.back()).input;
  map::Affine add;
  for (std::size_t j = 0; j < layout.map().outputs(); ++j) add.rows.push_back(map::pick(j));
  add.rows[axis].constant = start;
  parts.map.insert(absolute ? parts.map.end() - 1 : parts.map.end(), std::move(add));
  return map::Layout::create(std::move(parts));
}

Counterexample moved_by(const Based& about, const map::Layout& own, const map::Layout& absolute, Index start,
                        const Point& p) {
  const std::size_t axis = std::get<map::Swizzle>(about.layout.map().stages().back()).input;
  const Point relative_place = map::outputs_at(own, p, {});
  const Point absolute_place = map::outputs_at(absolute, p, {});
  VL_CHECK(relative_place != absolute_place, "a start that moves nothing");
  const Point element = spot_of(about.layout, p).element;
  const auto bytes = static_cast<Index>(static_cast<__int128>(start) * about.element_bits / 8);
  return {
      {{"a", element}, {"base", bytes}, {"physical", relative_place}, {"absolute", absolute_place}},
      fmt::format("in a buffer that starts at byte {}, which is element {}, the layout puts element {} at address {}, "
                  "and a swizzle of absolute addresses at {}",
                  bytes, start, show(element), relative_place[axis], absolute_place[axis])};
}

struct Starts {
  Index step = 0;     // in elements
  Index count = 0;    // the number of starts that differ modulo the swizzle's period
  bool whole = true;  // base is a whole number of elements
};

std::optional<Starts> starts_of(const map::Swizzle& swizzle, Index base, int element_bits) {
  const auto bits = static_cast<unsigned __int128>(base) * 8;
  const Index common = std::gcd(static_cast<Index>(bits % static_cast<unsigned>(element_bits)), Index{element_bits});
  const auto step = bits / static_cast<unsigned __int128>(common);  // lcm(bits, element) / element
  const Index period = Index{1} << (swizzle.base + swizzle.bits + swizzle.shift);
  const bool is_far = step > static_cast<unsigned __int128>(std::numeric_limits<Index>::max());
  if (is_far && step % static_cast<unsigned __int128>(period) != 0) return std::nullopt;
  Starts starts;
  starts.whole = bits % static_cast<unsigned>(element_bits) == 0;
  starts.step = is_far ? period : static_cast<Index>(step);  // starts that are multiples of the period are all alike
  starts.count = period / std::gcd(starts.step, period);
  return starts;
}

Verdict aligned(const Based& about, Inquiry& inquiry) {
  const map::Layout& layout = about.layout;
  if (layout.domain().volume() == 0) return inquiry.vacuous("the tensor has no element");
  const auto& stages = layout.map().stages();
  const auto moves = [](const map::Stage& stage) {
    const auto* swizzle = std::get_if<map::Swizzle>(&stage);
    return swizzle != nullptr && swizzle->bits > 0;
  };
  if (std::ranges::none_of(stages, moves))
    return inquiry.vacuous("the layout has no swizzle; row-aligned=BYTES asks where rows begin");
  if (!moves(stages.back()) || layout.guards() > 0 || std::ranges::count_if(stages, moves) > 1)
    return unsupported("the swizzle is not the layout's last step");
  if (about.base < 1 || about.element_bits < 1)
    return unsupported("neither the base nor the element's size may be unknown");
  const auto starts = starts_of(std::get<map::Swizzle>(stages.back()), about.base, about.element_bits);
  if (!starts) return inquiry.out_of_reach("a base beyond 64 bits");

  const Index last = std::max<Index>(starts->count - 1, 1);
  for (Index n = 1; n <= std::min(last, kMostStarts); ++n) {
    const auto start = checked_mul(n, starts->step);
    if (!start) return inquiry.out_of_reach("a start beyond 64 bits");
    const auto own = started_at(layout, *start, false);
    const auto absolute = started_at(layout, *start, true);
    if (!own || !absolute) return inquiry.out_of_reach((own ? absolute : own).error().message);
    const auto framed = frame(*own, *absolute);
    if (!framed) return inquiry.out_of_reach(framed.error().message);
    if (n > kMostFormalStarts && std::holds_alternative<engines::None>(engines::find_engine("strided").decide(
                                     {Kind::Differs, &framed->a, &framed->b}, {})))
      continue;
    const auto moved = [&](const Witness& w) { return moved_by(about, *own, *absolute, *start, w.p); };
    // Another start may move an earlier element.
    const auto keeps = [&](const Witness& w) {
      return last == 1 || std::ranges::all_of(spot_of(layout, w.p).element, [](Index x) { return x == 0; });
    };
    if (auto no = inquiry.unless_none({Kind::Differs, &framed->a, &framed->b}, moved, keeps)) return std::move(*no);
  }
  if (last > kMostStarts) return inquiry.out_of_reach(fmt::format("the first {} starts agree", kMostStarts));
  return starts->whole ? inquiry.proved() : unsupported("the base is not a whole number of elements");
}

}  // namespace

std::optional<Index> base_of(Offer& offer) {
  if (offer.argument("base") == nullptr)
    return offer.wrong({}, {ErrorCode::Value, "the claim aligned needs the base's alignment in bytes: base = 1024"});
  const auto base = offer.integer("base", "the base's alignment in bytes");
  if (base && *base < 1) return offer.wrong("base", {ErrorCode::Value, "expected an alignment of at least 1 byte"});
  return base;
}

std::optional<Based> Based::bind(Offer& offer) {
  const auto base = base_of(offer);
  const map::Layout* layout = offer.first();
  if (!base || layout == nullptr) return std::nullopt;
  return Based{*layout, offer.reading.device_bits, *base};
}

extern const Claim kAligned = {
    .name = "aligned",
    .statement =
        "a swizzle of absolute addresses is the layout's own swizzle, for every start of the buffer at a multiple of "
        "`base` bytes",
    .witness = "a, base, physical, absolute",
    .keys = {"base", "1024", true},
    .decide = aligned,
    .proof = {Part::Stated, Part::Defined},
    .lifted = Lifted::Aligned,
    .needs_tensor = true};

}  // namespace vl::claims
